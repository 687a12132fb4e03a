package resolvers

import (
	"context"
	"fmt"
)

// Names of the saved queries that have a field of their own.
const (
	invocationStatsQuery = "functions.invocation-stats"
	apiCountsQuery       = "usage.api-counts"
	logsQuery            = "logs.all"
)

// run runs a saved query, notes how fresh the answer is, and makes an object of
// each row.
func run[T any](ctx context.Context, runner Runner, name string, raw parameters, object func(*row) T) ([]T, error) {
	answer, err := runner.Run(ctx, name, raw)
	if err != nil {
		return nil, err
	}
	r := &row{index: make(map[string]int, len(answer.Result.Columns))}
	for i, column := range answer.Result.Columns {
		r.index[column.Name] = i
	}
	objects := make([]T, len(answer.Result.Rows))
	for i, values := range answer.Result.Rows {
		r.values = values
		objects[i] = object(r)
	}
	if r.err != nil {
		return nil, fmt.Errorf("read the rows of %s: %w", name, r.err) // has no code, so it is INTERNAL
	}
	noteFreshness(ctx, freshnessOf(answer))
	return objects, nil
}

// row gives the values of a row by column. After the first value that is not what
// the schema promises, err is set and stays so.
type row struct {
	index  map[string]int
	values []any
	err    error
}

// required returns a value that must not be null.
func required[T any](r *row, column string) T {
	value := nullable[T](r, column)
	if value == nil {
		r.fail("column %s is null", column)
		return *new(T)
	}
	return *value
}

// nullable returns a value, or nil where the row has none.
func nullable[T any](r *row, column string) *T {
	at, ok := r.index[column]
	if !ok {
		r.fail("column %s is missing", column)
		return nil
	}
	if r.values[at] == nil {
		return nil
	}
	value, ok := r.values[at].(T)
	if !ok {
		r.fail("column %s holds a value of type %T", column, r.values[at])
		return nil
	}
	return &value
}

func (r *row) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}
