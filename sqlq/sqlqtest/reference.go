package sqlqtest

import (
	"errors"
	"fmt"
	"strings"
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

// reference is how the rows of a shipped saved query are computed, and their columns.
type reference struct {
	compute func(expected *Expected, logs Logs, args *arguments, now time.Time) error
	// columns are names and types (D13, D23), with NULL if a value can be absent.
	columns []string
}

func references() map[string]reference {
	return map[string]reference{
		invocationStats: {invocationStatsRows, []string{
			"timestamp TIMESTAMP", "min_execution_time FLOAT64 NULL", "max_execution_time FLOAT64 NULL", "avg_execution_time FLOAT64 NULL",
			p95Column + " FLOAT64 NULL", p99Column + " FLOAT64 NULL", "count INT64", "error_count INT64",
		}},
		apiCounts: {apiCountsRows, []string{
			"timestamp DATETIME", "total_rest_requests INT64", "total_storage_requests INT64", "total_auth_requests INT64",
			"total_realtime_requests INT64",
		}},
		logsAll: {logsAllRows, []string{"id STRING", "timestamp TIMESTAMP", "event_message STRING NULL", "metadata JSON NULL"}},
		functionsList: {functionsListRows, []string{
			"function_id STRING NULL", "invocations INT64", "errors INT64", p95Column + " FLOAT64 NULL", "last_seen TIMESTAMP",
		}},
		projectsList: {projectsListRows, []string{"project STRING", "last_seen TIMESTAMP", "events INT64"}},
		logsSearch: {logsSearchRows, []string{
			"id STRING", "event_id STRING", "timestamp TIMESTAMP", "source STRING", "event_message STRING NULL", "status INT64 NULL",
			"method STRING NULL", "path STRING NULL", "level STRING NULL", "metadata JSON NULL",
		}},
		logsHistogram: {logsHistogramRows, []string{"timestamp TIMESTAMP", "count INT64", "errors INT64", "warnings INT64"}},
		logsFacets:    {logsFacetsRows, []string{"facet STRING", "value STRING", "count INT64"}},
	}
}

// columnsOf returns the columns that the specification gives a shipped query.
func columnsOf(query string) []sqlq.Column {
	var columns []sqlq.Column
	for _, text := range references()[query].columns {
		words := strings.Fields(text)
		columns = append(columns, sqlq.Column{Name: words[0], Type: sqlq.Type(words[1]), Nullable: len(words) > 2})
	}
	return columns
}

// Reference computes the result of a shipped saved query from the specification. It uses
// the name and the max rows of the saved query, but not its SQL.
//
// The arguments are those that [sqlq.SavedQuery.Bind] returns, by name: nil (or
// absent), string, int64, time.Time or []any of strings. The values of the rows have the types that
// [sqlq.Result] documents. now is the value of the parameter "now" (D1).
func Reference(query *sqlq.SavedQuery, logs Logs, args map[string]any, now time.Time) (*Expected, error) {
	known, found := references()[query.Name]
	if !found {
		return nil, fmt.Errorf("no reference for the saved query %q", query.Name)
	}
	expected := &Expected{Result: sqlq.Result{Columns: columnsOf(query.Name), Rows: [][]any{}}}
	bound := &arguments{values: args}
	if err := known.compute(expected, logs, bound, now.UTC()); errors.Join(bound.err, err) != nil {
		return nil, fmt.Errorf("reference of %s: %w", query.Name, errors.Join(bound.err, err))
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

// Expected is the result that a saved query must return, as [Reference] computes it.
type Expected struct {
	sqlq.Result

	// Observed holds, for each row, the values of which it has percentiles, in ascending
	// order. An engine may approximate a percentile (D5), so several values can be right.
	// It is nil without percentiles.
	Observed [][]float64
}

// cut cuts the rows to the saved query's max rows and marks the result (D24).
func (e *Expected) cut(maxRows int) {
	if maxRows <= 0 || len(e.Rows) <= maxRows {
		return
	}
	e.Rows = e.Rows[:maxRows]
	e.Truncated = true
	if e.Observed != nil {
		e.Observed = e.Observed[:maxRows]
	}
}
