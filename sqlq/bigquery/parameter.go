package bigquery

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigquery"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// timestampLayout formats a TIMESTAMP argument in UTC with microseconds, the precision of
// arguments.
const timestampLayout = "2006-01-02T15:04:05.000000Z07:00"

// lastTimestamp is the greatest TIMESTAMP that the service has. An endless window ends before it.
func lastTimestamp() time.Time { return time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC) }

// parameter is an argument with the type that it has on the service, which is known even where
// the value is NULL, or an array is empty.
type parameter struct {
	name, kind string
	isArray    bool
	// values are the elements of an array, or a single value, or none for NULL.
	values []string
}

// parameters returns the arguments, "now" (D1) and the bounds of a series.
func parameters(statement sqlq.Statement) []parameter {
	list := make([]parameter, 0, len(statement.Args)+3) // "now" and the bounds
	for _, arg := range statement.Args {
		list = append(list, parameterOf(arg))
	}
	moment := func(name string, value time.Time) {
		if last := lastTimestamp(); value.After(last) {
			value = last
		}
		list = append(list, parameter{name: name, kind: "TIMESTAMP", values: []string{value.UTC().Format("2006-01-02 15:04:05.999999-07:00")}})
	}
	if statement.Query.Series != nil {
		moment(sqlq.FromParam, statement.Range.From)
		moment(sqlq.ToParam, statement.Range.To)
	}
	moment(sqlq.NowParam, statement.Now)
	return list
}

// parameterOf returns an argument. A TIMESTAMP is bound as text, which the SQL reads with
// TIMESTAMP(@name): so every argument but "now" is of a type that a caller can paste into the
// console.
func parameterOf(arg sqlq.Arg) parameter {
	elements, isArray := arg.Value.([]any)
	if !isArray && arg.Value != nil {
		elements = []any{arg.Value}
	}
	single := arg.Type.Element()
	bound := parameter{name: arg.Name, kind: "STRING", isArray: isArray, values: make([]string, len(elements))}
	switch single { //nolint:exhaustive // The others are bound as texts.
	case sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Bool, sqlq.Date:
		bound.kind = string(single)
	}
	for i, value := range elements {
		switch moment, ok := value.(time.Time); {
		case !ok:
			bound.values[i] = fmt.Sprint(value)
		case single == sqlq.Date:
			bound.values[i] = moment.Format(time.DateOnly)
		default:
			bound.values[i] = moment.UTC().Format(timestampLayout)
		}
	}
	return bound
}

// forClient returns the parameter as the client takes it.
func (p *parameter) forClient() bigquery.QueryParameter {
	value := &bigquery.QueryParameterValue{Type: bigquery.StandardSQLDataType{TypeKind: p.kind}}
	switch {
	case p.isArray:
		value.Type = bigquery.StandardSQLDataType{TypeKind: "ARRAY", ArrayElementType: &bigquery.StandardSQLDataType{TypeKind: p.kind}}
		value.Value = p.values
	case len(p.values) == 0:
		value.Value = bigquery.NullString{}
	default:
		value.Value = p.values[0]
	}
	return bigquery.QueryParameter{Name: p.name, Value: value}
}

// forService returns the parameter as the layer under the client takes it. An array has its elements
// even if there are none: the service reads an array without them as NULL, whose ARRAY_LENGTH is
// not 0.
func (p *parameter) forService() *rest.QueryParameter {
	kind := &rest.QueryParameterType{Type: p.kind}
	value := &rest.QueryParameterValue{}
	switch {
	case p.isArray:
		kind = &rest.QueryParameterType{Type: "ARRAY", ArrayType: kind}
		value.ForceSendFields = []string{"ArrayValues"}
		for _, element := range p.values {
			value.ArrayValues = append(value.ArrayValues, scalarValue(element))
		}
	case len(p.values) == 0:
		value.NullFields = []string{"Value"}
	default:
		value = scalarValue(p.values[0])
	}
	return &rest.QueryParameter{Name: p.name, ParameterType: kind, ParameterValue: value}
}

// scalarValue returns a single value, which may be an empty string.
func scalarValue(text string) *rest.QueryParameterValue {
	return &rest.QueryParameterValue{Value: text, ForceSendFields: []string{"Value"}}
}
