package describe

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

// Param returns the schema of a parameter's value. Rules that a schema cannot express, or would
// make too strict, are in its description.
func Param(param *sqlq.Param) Schema {
	valueType := TypeOf(param)
	described := valueSchema(valueType)
	description := param.Description
	add := func(format string, arguments ...any) {
		description += " " + fmt.Sprintf(format, arguments...)
	}
	for _, text := range param.Allowed {
		described.Enum = append(described.Enum, Value(valueType, text))
	}
	if param.Fallback != nil {
		add("Unlisted values are accepted and mean %s.", *param.Fallback)
	}
	switch {
	case param.Default == nil || param.Required:
	case !allExact(valueType, param.Default):
		add("Default: %s.", strings.Join(param.Default, ", "))
	case param.Type.IsArray():
	case param.HasRelativeDefault():
		add("Default: %s, relative to the time of the run.", param.Default[0])
	default:
		described.Default = Value(valueType, param.Default[0])
	}
	description += describeBounds(&described, param, valueType)
	if valueType == sqlq.Numeric {
		add("An exact decimal number, with at most 29 digits before and 9 after the point.")
	}
	if valueType == sqlq.Timestamp {
		add("Format: RFC 3339. A date without a time, a space instead of T, and a time without seconds or offset (UTC) are accepted, too.")
	}
	if param.TakesRelative() {
		add("A time relative to the run, such as now-1d, is accepted, too.")
	}
	if valueType == sqlq.String && len(param.Allowed) == 0 {
		described.MaxLength = param.MaxLength
		if param.Required || param.Type.IsArray() {
			described.MinLength = 1
		}
		if param.Regex {
			described.Format = "re2" // the format regex means ECMAScript
		}
	}
	if param.Pattern != "" {
		add("The whole value must match the RE2 expression %s", "`"+param.Pattern+"`.")
		if valueType == sqlq.String && portable(param.Pattern) {
			described.Pattern = "^(?:" + param.Pattern + ")$"
		}
	}
	if param.Type.IsArray() {
		described = arrayOf(described, param, valueType)
	}
	described.Description, described.Deprecated = WithDeprecation(description, param.Deprecated), param.Deprecated != ""
	return described
}

// describeBounds describes the least and the greatest value: in the schema for numbers, and in
// the returned words for times and for numbers that readers of the schema would round.
func describeBounds(described *Schema, param *sqlq.Param, valueType sqlq.Type) (words string) {
	isNumber := valueType == sqlq.Int64 || valueType == sqlq.Float64 || valueType == sqlq.Numeric
	for _, bound := range [...]struct {
		words string
		bound *sqlq.Bound
		key   *any
	}{{"At least", param.Min, &described.Minimum}, {"At most", param.Max, &described.Maximum}} {
		switch {
		case bound.bound == nil:
		case isNumber && isExact(valueType, bound.bound.Text):
			*bound.key = Value(valueType, bound.bound.Text)
		default:
			words += " " + bound.words + " " + bound.bound.Text + "."
		}
	}
	return words
}

// arrayOf returns the schema of an array whose elements have a schema.
func arrayOf(element Schema, param *sqlq.Param, valueType sqlq.Type) Schema {
	described := Schema{Type: "array", Items: &element, MaxItems: param.MaxItems}
	if param.Required {
		described.MinItems = 1
		return described
	}
	if !allExact(valueType, param.Default) {
		return described // the description has it
	}
	defaults := make([]any, len(param.Default))
	for i, text := range param.Default {
		defaults[i] = Value(valueType, text)
	}
	described.Default = defaults
	return described
}

// valueSchema returns the schema of a parameter's value.
func valueSchema(valueType sqlq.Type) Schema {
	switch valueType { //nolint:exhaustive // The others are strings in JSON.
	case sqlq.Int64:
		return Schema{Type: "integer", Format: "int64"}
	case sqlq.Float64:
		return Schema{Type: "number", Format: "double"}
	case sqlq.Numeric:
		return Schema{Type: "number"}
	case sqlq.Bool:
		return Schema{Type: "boolean"}
	case sqlq.Timestamp:
		return Schema{Type: "string", Format: "date-time"}
	case sqlq.Date:
		return Schema{Type: "string", Format: "date"}
	}
	return Schema{Type: "string"}
}

// TypeOf returns the type with which the values of a parameter are described. It is STRING if an allowed
// value has a spelling that tools would not produce for the parameter's type, such as 2.50,
// 2026-11-20 or a number that they would round.
func TypeOf(param *sqlq.Param) sqlq.Type {
	valueType := param.Type.Element()
	for _, text := range param.Allowed {
		if fmt.Sprintf("%s", Value(valueType, text)) != text || !isExact(valueType, text) {
			return sqlq.String
		}
	}
	return valueType
}

// allExact reports whether [isExact] is true for all texts.
func allExact(valueType sqlq.Type, texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !isExact(valueType, text) })
}

// isExact reports whether readers of JSON that hold each number in a double, as in JavaScript, read the
// number that a text is. Others would send or compare another one.
func isExact(valueType sqlq.Type, text string) bool {
	switch valueType { //nolint:exhaustive // The others are doubles, or strings in JSON.
	case sqlq.Int64:
		const most = 1<<53 - 1
		number, err := strconv.ParseInt(text, 10, 64)
		return err != nil || -most <= number && number <= most
	case sqlq.Numeric:
		number, err := sqlq.ParseDecimal(text)
		if err != nil {
			return true
		}
		double, _ := strconv.ParseFloat(string(number), 64)
		return strconv.FormatFloat(double, 'f', -1, 64) == string(number)
	}
	return true
}

// Text returns a number of a JSON document as the parameter spells it, if it is equal to one: in JSON Schema 10,
// 10.0 and 1e1 are the same integer.
func Text(param *sqlq.Param, text string) string {
	valueType := TypeOf(param)
	if valueType != sqlq.Int64 && valueType != sqlq.Float64 || !json.Valid([]byte(text)) {
		return text
	}
	if number, err := sqlq.ParseDecimal(text); err == nil && (valueType == sqlq.Int64 || slices.Contains(param.Allowed, string(number))) {
		return string(number)
	}
	return text
}

// Value returns a value as JSON of the type. The catalog has validated it.
func Value(valueType sqlq.Type, text string) any {
	switch valueType { //nolint:exhaustive // The others are strings in JSON.
	case sqlq.Int64:
		if number, err := strconv.ParseInt(text, 10, 64); err == nil {
			return json.RawMessage(sqlq.AppendValue(nil, valueType, number))
		}
	case sqlq.Float64:
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			return json.RawMessage(sqlq.AppendValue(nil, valueType, number))
		}
	case sqlq.Numeric:
		if number, err := sqlq.ParseDecimal(text); err == nil {
			return json.RawMessage(number)
		}
	case sqlq.Bool:
		return json.RawMessage(text)
	case sqlq.Timestamp:
		if timestamp, err := sqlq.ParseTimestamp(text); err == nil {
			return timestamp.Format(time.RFC3339Nano)
		}
	}
	return text
}

// portable reports whether an RE2 expression certainly means the same in ECMAScript, whose
// syntax JSON Schema uses.
func portable(expression string) bool {
	const (
		plain  = `[A-Za-z0-9_ ,:;@#%&=~<>!"'/.*+?|()^$-]`
		escape = `\\[dDwW.*+?()\[\]{}|/^$\\]`
		set    = `\[\^?(?:[A-Za-z0-9_ ,:;@#%&=~<>!"'/.*+?|()-]|` + escape + `)+\]`
		repeat = `\{[0-9]+(?:,[0-9]*)?\}`
	)
	// Groups that begin with a question mark differ, except for (?:.
	expression = strings.ReplaceAll(expression, "(?:", "(")
	return !strings.Contains(expression, "(?") &&
		regexp.MustCompile(`^(?:`+plain+`|`+escape+`|`+set+`|`+repeat+`)*$`).MatchString(expression)
}
