package sqlqtest

import (
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
	)
	switch query.Name {
	case invocationStats:
		expected, err = referenceInvocationStats(logs[functionEdgeLogs], arguments(args), now.UTC())
	case apiCounts:
		expected, err = referenceAPICounts(logs[edgeLogs], arguments(args), now.UTC())
	case logsAll:
		expected, err = referenceLogsAll(logs[edgeLogs], arguments(args), now.UTC())
	case functionsList:
		expected, err = referenceFunctionsList(logs[functionEdgeLogs], arguments(args))
	case projectsList:
		expected, err = referenceProjectsList(logs, arguments(args))
	case logsSearch:
		expected, err = referenceLogsSearch(logs, arguments(args), now.UTC())
	case logsHistogram:
		expected, err = referenceLogsHistogram(logs, arguments(args), now.UTC())
	case logsFacets:
		expected, err = referenceLogsFacets(logs, arguments(args), now.UTC())
	default:
		return nil, fmt.Errorf("no reference for the saved query %q", query.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("reference of %s: %w", query.Name, err)
	}
	expected.cut(query.MaxRows)
	return expected, nil
}

// arguments are bound arguments by name.
type arguments map[string]any

// text returns a STRING argument, or an empty string for an absent one.
func (a arguments) text(name string) (string, error) {
	switch value := a[name].(type) {
	case nil:
		return "", nil
	case string:
		return value, nil
	default:
		return "", fmt.Errorf("argument %s is a %T, not a string", name, value)
	}
}

// texts returns the elements of an ARRAY<STRING> argument.
func (a arguments) texts(name string) ([]string, error) {
	elements, isArray := a[name].([]any)
	if !isArray {
		return nil, fmt.Errorf("argument %s is a %T, not an array", name, a[name])
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		texts[i], _ = element.(string)
	}
	return texts, nil
}

// number returns an INT64 argument.
func (a arguments) number(name string) (int, error) {
	value, isNumber := a[name].(int64)
	if !isNumber {
		return 0, fmt.Errorf("argument %s is a %T, not a number", name, a[name])
	}
	return int(value), nil
}

// instant returns a TIMESTAMP argument, or false for an absent one.
func (a arguments) instant(name string) (time.Time, bool, error) {
	switch value := a[name].(type) {
	case nil:
		return time.Time{}, false, nil
	case time.Time:
		return value, true, nil
	default:
		return time.Time{}, false, fmt.Errorf("argument %s is a %T, not a time", name, value)
	}
}
