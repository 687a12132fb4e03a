package querytest

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"savedq/sqlq"
)

// equal reports whether a value of a column is the expected one, which is decoded JSON.
func (c *comparison) equal(column *sqlq.Column, want, got any) bool {
	if text, ok := got.(json.RawMessage); ok && c.typedMetadata {
		return c.equalJSON(want, decode(text))
	}
	if sqlq.IsNull(got) || want == nil {
		return sqlq.IsNull(got) && want == nil
	}
	switch got := got.(type) {
	case []any:
		return c.equalNested(column, want, got)
	case time.Time:
		return equalTime(column.Type, want, got)
	case json.RawMessage:
		return c.equalJSON(want, decode(got))
	case float64:
		number, ok := want.(json.Number)
		return ok && c.equalFloat(number, got)
	case sqlq.Decimal:
		return equalDecimal(want, got)
	case int64:
		number, ok := want.(json.Number)
		return ok && canonicalNumber(number).String() == strconv.FormatInt(got, 10)
	}
	return want == got // string, bool
}

// equalNested compares a list, or an object with the fields of a STRUCT in any order.
func (c *comparison) equalNested(column *sqlq.Column, want any, got []any) bool {
	if column.Type.IsArray() {
		list, ok := want.([]any)
		if !ok || len(list) != len(got) {
			return false
		}
		element := column.Element()
		for i := range list {
			if !c.equal(element, list[i], got[i]) {
				return false
			}
		}
		return true
	}
	object, ok := want.(map[string]any)
	if !ok || len(object) != len(column.Fields) {
		return false
	}
	for i := range column.Fields {
		value, ok := object[column.Fields[i].Name]
		if !ok || !c.equal(&column.Fields[i], value, got[i]) {
			return false
		}
	}
	return true
}

// equalTime compares a time with its text, or a TIMESTAMP with microseconds.
func equalTime(columnType sqlq.Type, want any, got time.Time) bool {
	switch want := want.(type) {
	case json.Number:
		return columnType == sqlq.Timestamp && want.String() == strconv.FormatInt(got.UnixMicro(), 10)
	case string:
		if columnType == sqlq.Date {
			return want == sqlq.FormatTime(columnType, got)
		}
		moment, err := sqlq.ParseTimestamp(want)
		return err == nil && moment.Equal(got)
	}
	return false
}

// equalDecimal compares a NUMERIC with a number, or with a string of digits.
func equalDecimal(want any, got sqlq.Decimal) bool {
	text, isText := want.(string)
	if number, ok := want.(json.Number); ok {
		text, isText = number.String(), true
	}
	number, err := sqlq.ParseDecimal(text)
	return isText && err == nil && number == got
}

func (c *comparison) equalFloat(want json.Number, got float64) bool {
	number, err := want.Float64()
	return err == nil && math.Abs(number-got) <= c.tolerance
}

// equalJSON compares decoded JSON.
func (c *comparison) equalJSON(want, got any) bool {
	return reflect.DeepEqual(c.canonical(want), c.canonical(got))
}

// canonical returns JSON with numbers in one spelling. With typed metadata, it has no fields of
// objects that are null or an empty list, at every level, and an empty list for null.
func (c *comparison) canonical(value any) any {
	switch value := value.(type) {
	case nil:
		if c.typedMetadata {
			return []any{}
		}
	case json.Number:
		return canonicalNumber(value)
	case []any:
		elements := make([]any, len(value))
		for i, element := range value {
			elements[i] = c.canonical(element)
		}
		return elements
	case map[string]any:
		fields := make(map[string]any, len(value))
		for key, field := range value {
			field = c.canonical(field)
			if list, isList := field.([]any); !c.typedMetadata || !isList || len(list) > 0 {
				fields[key] = field
			}
		}
		return fields
	}
	return value
}

// canonicalNumber returns a number exactly, in one spelling: 1 and 1.0 are equal.
func canonicalNumber(number json.Number) json.Number {
	const mostDigits = 400 // a larger exponent would take long
	if len(number) <= mostDigits {
		if exact, ok := new(big.Rat).SetString(number.String()); ok {
			return json.Number(exact.RatString())
		}
	}
	return number
}

// show returns a value as a case file has it.
func show(column *sqlq.Column, value any) string { return string(appendValue(nil, column, value)) }

// appendValue appends a value as JSON, with each TIMESTAMP as text.
func appendValue(dst []byte, column *sqlq.Column, value any) []byte {
	if moment, ok := value.(time.Time); ok && column.Type == sqlq.Timestamp {
		return strconv.AppendQuote(dst, moment.Format(time.RFC3339Nano))
	}
	values, nested := value.([]any)
	if !nested {
		return column.AppendJSON(dst, value)
	}
	opening, closing := byte('{'), byte('}')
	if column.Type.IsArray() {
		opening, closing = '[', ']'
	}
	dst = append(dst, opening)
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if column.Type.IsArray() {
			dst = appendValue(dst, column.Element(), value)
			continue
		}
		field := &column.Fields[i]
		dst = append(strconv.AppendQuote(dst, field.Name), ": "...)
		dst = appendValue(dst, field, value)
	}
	return append(dst, closing)
}
