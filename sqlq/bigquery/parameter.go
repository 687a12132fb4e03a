package bigquery

import (
	"fmt"
	"time"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// timestampLayout formats a TIMESTAMP argument in UTC with microseconds, the precision of
// arguments.
const timestampLayout = "2006-01-02T15:04:05.000000Z07:00"

// lastTimestamp is the greatest TIMESTAMP that the service has. An endless window ends before it.
func lastTimestamp() time.Time { return time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC) }

// parameters returns the arguments, "now" (D1) and the bounds of a series.
func parameters(statement sqlq.Statement) []*rest.QueryParameter {
	list := make([]*rest.QueryParameter, 0, len(statement.Args)+3) // "now" and the bounds
	for _, arg := range statement.Args {
		list = append(list, parameterOf(arg))
	}
	moment := func(name string, value time.Time) {
		if last := lastTimestamp(); value.After(last) {
			value = last
		}
		list = append(list, &rest.QueryParameter{
			Name: name, ParameterType: &rest.QueryParameterType{Type: "TIMESTAMP"},
			ParameterValue: scalarValue(value.UTC().Format("2006-01-02 15:04:05.999999-07:00")),
		})
	}
	if statement.Query.Series != nil {
		moment(sqlq.FromParam, statement.Range.From)
		moment(sqlq.ToParam, statement.Range.To)
	}
	moment(sqlq.NowParam, statement.Now)
	return list
}

// parameterOf returns an argument with the type that it has on the service, which is known even
// where the value is NULL, or an array is empty. A TIMESTAMP is bound as text, which the SQL reads
// with TIMESTAMP(@name): so every argument but "now" is of a type that a caller can paste into the
// console. An array has its elements even if there are none: the service reads an array without
// them as NULL, whose ARRAY_LENGTH is not 0.
func parameterOf(arg sqlq.Arg) *rest.QueryParameter {
	single := arg.Type.Element()
	kind := &rest.QueryParameterType{Type: "STRING"}
	switch single { //nolint:exhaustive // The others are bound as texts.
	case sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Bool, sqlq.Date:
		kind.Type = string(single)
	}
	bound := &rest.QueryParameter{Name: arg.Name, ParameterType: kind}
	switch elements, isArray := arg.Value.([]any); {
	case isArray:
		bound.ParameterType = &rest.QueryParameterType{Type: "ARRAY", ArrayType: kind}
		bound.ParameterValue = &rest.QueryParameterValue{ForceSendFields: []string{"ArrayValues"}}
		for _, element := range elements {
			bound.ParameterValue.ArrayValues = append(bound.ParameterValue.ArrayValues, scalarValue(textOf(single, element)))
		}
	case arg.Value == nil:
		bound.ParameterValue = &rest.QueryParameterValue{NullFields: []string{"Value"}}
	default:
		bound.ParameterValue = scalarValue(textOf(single, arg.Value))
	}
	return bound
}

// textOf returns a single value as it is bound.
func textOf(single sqlq.Type, value any) string {
	switch moment, ok := value.(time.Time); {
	case !ok:
		return fmt.Sprint(value)
	case single == sqlq.Date:
		return moment.Format(time.DateOnly)
	default:
		return moment.UTC().Format(timestampLayout)
	}
}

// scalarValue returns a single value, which may be an empty string.
func scalarValue(text string) *rest.QueryParameterValue {
	return &rest.QueryParameterValue{Value: text, ForceSendFields: []string{"Value"}}
}
