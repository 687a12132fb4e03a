package randomcatalog

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

// maxExact is the largest integer that GraphQL's Int64 returns (D27).
const maxExact = 1<<53 - 1

// value returns a random value of a column, as [sqlq.Result] documents it.
func (g *generator) value(column *sqlq.Column) any {
	switch {
	case column.Type.IsArray():
		elements := make([]any, g.IntN(4))
		element := column.Element()
		element.Nullable = false // BigQuery has no arrays with NULL
		for i := range elements {
			elements[i] = g.value(element)
		}
		return elements
	case column.Nullable && g.IntN(4) == 0:
		return nil
	case column.Type != sqlq.Struct:
		return g.scalar(column.Type)
	}
	fields := make([]any, len(column.Fields))
	for i := range column.Fields {
		fields[i] = g.value(&column.Fields[i])
	}
	return fields
}

// scalar returns a random value of a type that is not nested.
func (g *generator) scalar(of sqlq.Type) any {
	moment := time.Date(1900+g.IntN(300), time.Month(1+g.IntN(12)), 1+g.IntN(28), g.IntN(24), g.IntN(60), g.IntN(60), g.IntN(1_000_000)*1000, time.UTC)
	switch of { //nolint:exhaustive // The others are nested.
	case sqlq.Int64:
		return pick(g, []int64{0, -1, maxExact, -maxExact, g.Int64N(1000)})
	case sqlq.Float64:
		return pick(g, []float64{0, -0.5, 1e21, 1e-7, g.Float64()})
	case sqlq.Numeric:
		return pick(g, []sqlq.Decimal{"0", "-0.000000001", "99999999999999999999999999999.999999999", sqlq.Decimal(strconv.Itoa(g.IntN(1000)) + ".5")})
	case sqlq.Bool:
		return g.IntN(2) == 0
	case sqlq.Timestamp:
		return pick(g, []time.Time{moment, moment.Truncate(time.Second)})
	case sqlq.Datetime:
		return pick(g, []time.Time{moment, moment.Truncate(time.Second)})
	case sqlq.Date:
		return moment.Truncate(24 * time.Hour)
	case sqlq.JSON:
		return json.RawMessage(pick(g, []string{`{"b":[1,null],"a":{}}`, `[]`, `"text"`, `12.5`, `true`}))
	}
	return pick(g, []string{"", "plain", `it's "quoted" \ and`, "line\nbreak", "ünïcode 😀", "a,b", "null"})
}

// dialect spells types and values in SQL.
type dialect struct {
	// array and object are formats of types around those inside, and typeOf returns the others.
	array, object string
	typeOf        func(of sqlq.Type) string
	text          func(text string) string
	list          func(column *sqlq.Column, elements []string) string
	fields        func(column *sqlq.Column, values []string) string
	scalar        func(of sqlq.Type, quoted string) string
	quote         string
	param         func(param *sqlq.Param) string
}

// literal spells a value of a column.
func (d *dialect) literal(column *sqlq.Column, value any) string {
	values, nested := value.([]any)
	switch {
	case value == nil:
		return "CAST(NULL AS " + d.typeName(column) + ")"
	case !nested:
		return d.scalar(column.Type, d.text(textOf(column.Type, value)))
	}
	spelled := make([]string, len(values))
	if column.Type.IsArray() {
		for i, value := range values {
			spelled[i] = d.literal(column.Element(), value)
		}
		return d.list(column, spelled)
	}
	for i, value := range values {
		spelled[i] = d.literal(&column.Fields[i], value)
	}
	return d.fields(column, spelled)
}

// textOf returns the text of a value that is not nested.
func textOf(of sqlq.Type, value any) string {
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	case json.RawMessage:
		return string(value)
	case time.Time:
		if of == sqlq.Date {
			return value.Format(time.DateOnly)
		}
		return value.Format("2006-01-02 15:04:05.000000")
	}
	return fmt.Sprint(value)
}

func pick[T any](g *generator, values []T) T { return values[g.IntN(len(values))] }

// duckDB is DuckDB's dialect.
func duckDB() *dialect {
	names := map[sqlq.Type]string{
		sqlq.String: "VARCHAR", sqlq.Int64: "BIGINT", sqlq.Float64: "DOUBLE", sqlq.Numeric: "DECIMAL(38, 9)", sqlq.Bool: "BOOLEAN", sqlq.Timestamp: "TIMESTAMP",
		sqlq.Datetime: "TIMESTAMP", sqlq.Date: "DATE", sqlq.JSON: "JSON",
	}
	d := &dialect{quote: `"`, array: "%s[]", object: "STRUCT(%s)", typeOf: func(of sqlq.Type) string { return names[of] }}
	d.text = func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	d.list = func(column *sqlq.Column, elements []string) string {
		return "CAST([" + strings.Join(elements, ", ") + "] AS " + d.typeName(column) + ")"
	}
	d.fields = func(column *sqlq.Column, values []string) string {
		for i := range values {
			values[i] = d.quote + column.Fields[i].Name + d.quote + " := " + values[i]
		}
		return "struct_pack(" + strings.Join(values, ", ") + ")"
	}
	d.scalar = func(of sqlq.Type, quoted string) string { return "CAST(" + quoted + " AS " + names[of] + ")" }
	d.param = func(param *sqlq.Param) string { return "$" + param.Name }
	return d
}

// googleSQL is BigQuery's dialect.
func googleSQL() *dialect {
	d := &dialect{quote: "`", array: "ARRAY<%s>", object: "STRUCT<%s>", typeOf: func(of sqlq.Type) string { return string(of) }}
	d.text = strconv.QuoteToASCII
	d.list = func(column *sqlq.Column, elements []string) string {
		return d.typeName(column) + "[" + strings.Join(elements, ", ") + "]"
	}
	d.fields = func(column *sqlq.Column, values []string) string {
		return d.typeName(column) + "(" + strings.Join(values, ", ") + ")"
	}
	d.scalar = func(of sqlq.Type, quoted string) string {
		switch of { //nolint:exhaustive // The others are cast.
		case sqlq.String:
			return quoted
		case sqlq.JSON, sqlq.Timestamp, sqlq.Datetime, sqlq.Date:
			return string(of) + " " + quoted
		}
		return "CAST(" + quoted + " AS " + string(of) + ")"
	}
	d.param = func(param *sqlq.Param) string {
		element, value := param.Type.Element(), "@"+param.Name
		if param.Type.IsArray() {
			value = "value"
		}
		converted := "CAST(" + value + " AS " + string(element) + ")"
		if element == sqlq.Timestamp {
			converted = "TIMESTAMP(" + value + ")"
		}
		if param.Type.IsArray() {
			return "ARRAY(SELECT " + converted + " FROM UNNEST(@" + param.Name + ") AS value WITH OFFSET AS i ORDER BY i)"
		}
		return converted
	}
	return d
}

// typeName spells the type of a column.
func (d *dialect) typeName(column *sqlq.Column) string {
	switch {
	case column.Type.IsArray():
		return fmt.Sprintf(d.array, d.typeName(column.Element()))
	case column.Type != sqlq.Struct:
		return d.typeOf(column.Type)
	}
	fields := make([]string, len(column.Fields))
	for i := range column.Fields {
		fields[i] = d.quote + column.Fields[i].Name + d.quote + " " + d.typeName(&column.Fields[i])
	}
	return fmt.Sprintf(d.object, strings.Join(fields, ", "))
}

// generator draws random numbers.
type generator struct {
	*rand.Rand
	options Options
}
