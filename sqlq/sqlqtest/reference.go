package sqlqtest

import (
	"errors"
	"fmt"
	"time"

	"savedq/sqlq"
)

// The names of the shipped saved queries (D21).
const (
	invocationStats = "functions.invocation-stats"
	apiCounts       = "usage.api-counts"
	logsAll         = "logs.all"
	functionsList   = "functions.list"
	projectsList    = "projects.list"
	logsSearch      = "logs.search"
	logsHistogram   = "logs.histogram"
	logsFacets      = "logs.facets"
)

// Reference computes the result of a shipped saved query from the specification. It uses
// the name and the max rows of the saved query, but not its SQL.
//
// The arguments are those that [sqlq.SavedQuery.Bind] returns, by name: nil (or
// absent), string, int64, time.Time or []any of strings. The values of the rows have the types that
// [sqlq.Result] documents. now is the value of the parameter "now" (D1).
func Reference(query *sqlq.SavedQuery, logs Logs, args map[string]any, now time.Time) (*Expected, error) {
	var (
		expected *Expected
		err      error
		bound    = &arguments{values: args}
	)
	now = now.UTC()
	switch query.Name {
	case invocationStats:
		expected, err = referenceInvocationStats(logs[functionEdgeLogs], bound, now)
	case apiCounts:
		expected, err = referenceAPICounts(logs[edgeLogs], bound, now)
	case logsAll:
		expected = referenceLogsAll(logs[edgeLogs], bound, now)
	case functionsList:
		expected, err = referenceFunctionsList(logs[functionEdgeLogs], bound)
	case projectsList:
		expected, err = referenceProjectsList(logs, bound)
	case logsSearch:
		expected, err = referenceLogsSearch(logs, bound, now)
	case logsHistogram:
		expected, err = referenceLogsHistogram(logs, bound, now)
	case logsFacets:
		expected, err = referenceLogsFacets(logs, bound, now)
	default:
		return nil, fmt.Errorf("no reference for the saved query %q", query.Name)
	}
	if err := errors.Join(bound.err, err); err != nil {
		return nil, fmt.Errorf("reference of %s: %w", query.Name, err)
	}
	expected.cut(query.MaxRows)
	return expected, nil
}

// arguments are bound arguments by name.
type arguments struct {
	values map[string]any
	// err is set if an argument has the wrong type. Its value is then a zero value.
	err error
}

// value returns an argument of a type, and reports whether it is given.
func value[T any](a *arguments, name string) (value T, given bool) {
	value, given = a.values[name].(T)
	if !given && a.values[name] != nil {
		a.err = fmt.Errorf("argument %s is a %T, not a %T", name, a.values[name], value)
	}
	return value, given
}

// text returns a STRING argument, or an empty string for an absent one.
func (a *arguments) text(name string) string {
	text, _ := value[string](a, name)
	return text
}

// texts returns the elements of an ARRAY<STRING> argument.
func (a *arguments) texts(name string) []string {
	elements, _ := value[[]any](a, name)
	texts := make([]string, len(elements))
	for i, element := range elements {
		texts[i], _ = element.(string)
	}
	return texts
}

// number returns an INT64 argument, which has a default that is not 0.
func (a *arguments) number(name string) int {
	number, _ := value[int64](a, name)
	return max(1, int(number))
}

// instant returns a TIMESTAMP argument, or false for an absent one.
func (a *arguments) instant(name string) (time.Time, bool) { return value[time.Time](a, name) }
