package resolvers

import "savedq/graph"

// parameters are raw parameters of a saved query, in its own spelling, as they
// would stand in a query string.
type parameters map[string][]string

// setText sets a parameter, unless the argument is null: then sqlq gives it the
// value that an absent parameter has.
func setText[T ~string](raw parameters, name string, value *T) {
	if value != nil {
		raw[name] = []string{string(*value)}
	}
}

// invocationIntervalText is the interval as functions.invocation-stats spells it.
func invocationIntervalText(interval graph.InvocationInterval) string {
	switch interval {
	case graph.InvocationIntervalFiveMinutes:
		return "5min"
	case graph.InvocationIntervalFifteenMinutes:
		return "15min"
	case graph.InvocationIntervalOneHour:
		return "1hr"
	case graph.InvocationIntervalOneDay:
		return "1day"
	case graph.InvocationIntervalSevenDays:
		return "7day"
	}
	return interval.String()
}

// apiCountIntervalText is the interval as usage.api-counts spells it.
func apiCountIntervalText(interval graph.APICountInterval) string {
	switch interval {
	case graph.APICountIntervalMinutely:
		return "minutely"
	case graph.APICountIntervalHourly:
		return "hourly"
	case graph.APICountIntervalDaily:
		return "daily"
	}
	return interval.String()
}
