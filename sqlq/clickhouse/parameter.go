package clickhouse

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"

	"savedq/sqlq"
)

// null is NULL as a parameter has it.
const null = `\N`

// parameters returns the values of the arguments, "now" (D1) and the bounds of a series. Their types are in the SQL.
func parameters(statement sqlq.Statement) clickhouse.Parameters {
	values := clickhouse.Parameters{sqlq.NowParam: timeText(sqlq.Timestamp, statement.Now)}
	if statement.Query.Series != nil {
		values[sqlq.FromParam] = timeText(sqlq.Timestamp, statement.Range.From)
		values[sqlq.ToParam] = timeText(sqlq.Timestamp, statement.Range.To)
	}
	for _, arg := range statement.Args {
		values[arg.Name] = parameter(arg.Type, arg.Value)
	}
	return values
}

// parameter returns a value as a parameter of a request: with the escapes of tab-separated values, or for an array as the
// list of its elements.
func parameter(declared sqlq.Type, value any) string {
	elements, isArray := value.([]any)
	switch {
	case isArray:
		texts := make([]string, len(elements))
		for i, element := range elements {
			texts[i] = elementText(declared.Element(), element)
		}
		return "[" + strings.Join(texts, ",") + "]"
	case value == nil && declared.IsArray():
		return "[]"
	case value == nil:
		return null
	}
	return escape(scalarText(declared, value))
}

// elementText returns an element of an array.
func elementText(declared sqlq.Type, value any) string {
	switch declared { //nolint:exhaustive // The others are in quotes.
	case sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Bool:
		if value != nil {
			return scalarText(declared, value)
		}
	}
	if value == nil {
		return "NULL"
	}
	return "'" + escape(scalarText(declared, value)) + "'"
}

// escape returns a text with ClickHouse's escapes.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "'", `\'`).Replace(text)
}

// scalarText returns a value that is not NULL.
func scalarText(declared sqlq.Type, value any) string {
	switch value := value.(type) {
	case time.Time:
		return timeText(declared, value)
	case float64:
		switch {
		case math.IsNaN(value):
			return "nan"
		case math.IsInf(value, 1):
			return "inf"
		case math.IsInf(value, -1):
			return "-inf"
		}
		return strconv.FormatFloat(value, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}

// timeText returns a time in UTC. Times outside of what a DateTime64 has become its ends.
func timeText(declared sqlq.Type, value time.Time) string {
	if declared == sqlq.Date {
		return value.Format(time.DateOnly)
	}
	first := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(2299, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	switch {
	case value.Before(first):
		value = first
	case value.After(last):
		value = last
	}
	return value.UTC().Format("2006-01-02 15:04:05.999999")
}
