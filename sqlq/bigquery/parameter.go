package bigquery

import (
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"

	"savedq/sqlq"
)

// timestampLayout formats a TIMESTAMP argument in UTC with microseconds, the precision of
// arguments.
const timestampLayout = "2006-01-02T15:04:05.000000Z07:00"

// lastTimestamp is the greatest TIMESTAMP that the service has. An endless window ends before it.
func lastTimestamp() time.Time { return time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC) }

// parameters returns the arguments, "now" (D1) and the bounds of a series as BigQuery takes
// them.
func parameters(statement sqlq.Statement) []bigquery.QueryParameter {
	list := make([]bigquery.QueryParameter, 0, len(statement.Args)+3) // "now" and the bounds
	for _, arg := range statement.Args {
		list = append(list, bigquery.QueryParameter{Name: arg.Name, Value: parameterValue(arg)})
	}
	moment := func(name string, value time.Time) {
		if last := lastTimestamp(); value.After(last) {
			value = last
		}
		list = append(list, bigquery.QueryParameter{Name: name, Value: value.UTC()})
	}
	if statement.Query.Series != nil {
		moment(sqlq.FromParam, statement.Range.From)
		moment(sqlq.ToParam, statement.Range.To)
	}
	moment(sqlq.NowParam, statement.Now)
	return list
}

// parameterValue returns an argument so that its type is known even where its value is NULL,
// or an array is empty. A TIMESTAMP is bound as text, which the SQL reads with
// TIMESTAMP(@name): so every argument but "now" is of a type that a caller can paste into the
// console.
func parameterValue(arg sqlq.Arg) any {
	if elements, ok := arg.Value.([]any); ok {
		return arrayValue(arg.Type.Element(), elements)
	}
	if arg.Value != nil {
		return scalarValue(arg.Type, arg.Value)
	}
	switch arg.Type { //nolint:exhaustive // The others are bound as texts.
	case sqlq.Int64:
		return bigquery.NullInt64{}
	case sqlq.Float64:
		return bigquery.NullFloat64{}
	case sqlq.Bool:
		return bigquery.NullBool{}
	case sqlq.Date:
		return bigquery.NullDate{}
	}
	return bigquery.NullString{}
}

// scalarValue returns a single value that is not NULL.
func scalarValue(paramType sqlq.Type, value any) any {
	moment, ok := value.(time.Time)
	switch {
	case !ok:
		return value
	case paramType == sqlq.Date:
		return civil.DateOf(moment)
	}
	return moment.UTC().Format(timestampLayout)
}

// arrayValue returns a slice whose type tells that of its elements.
func arrayValue(element sqlq.Type, elements []any) any {
	switch element { //nolint:exhaustive // The others are bound as texts.
	case sqlq.Int64:
		return sliceOf[int64](element, elements)
	case sqlq.Float64:
		return sliceOf[float64](element, elements)
	case sqlq.Bool:
		return sliceOf[bool](element, elements)
	case sqlq.Date:
		return sliceOf[civil.Date](element, elements)
	}
	return sliceOf[string](element, elements)
}

func sliceOf[T any](element sqlq.Type, elements []any) []T {
	values := make([]T, len(elements))
	for i, value := range elements {
		values[i], _ = scalarValue(element, value).(T) // Bind gives no other type
	}
	return values
}
