package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

// describeParam describes a parameter of a saved query. Rules that a schema cannot
// express, or would make too strict, are in its description.
func describeParam(param *sqlq.Param, recorded *recordedResponse) parameter {
	valueType := typeOf(param)
	described := parameter{
		Name:        param.Name,
		In:          "query",
		Description: param.Description,
		Required:    param.Required,
		Schema:      valueSchema(valueType),
	}
	add := func(format string, arguments ...any) {
		described.Description += " " + fmt.Sprintf(format, arguments...)
	}
	for _, text := range param.Allowed {
		described.Schema.Enum = append(described.Schema.Enum, typed(valueType, text))
	}
	if param.Fallback != nil {
		add("Unlisted values are accepted and mean %s.", *param.Fallback)
	}
	switch {
	case param.Default == nil || param.Required || param.Type.IsArray():
	case param.HasRelativeDefault():
		add("Default: %s, relative to the time of the run.", param.Default[0])
	default:
		described.Schema.Default = typed(valueType, param.Default[0])
	}
	describeBounds(&described, param, valueType)
	if valueType == sqlq.Numeric {
		add("An exact decimal number, with at most 29 digits before and 9 after the point.")
	}
	if valueType == sqlq.Timestamp {
		add("Format: RFC 3339. A date without a time, a space instead of T, and a time without seconds or offset (UTC) are accepted, too.")
	}
	if valueType == sqlq.String && len(param.Allowed) == 0 {
		described.Schema.MaxLength = param.MaxLength
		if param.Required || param.Type.IsArray() {
			described.Schema.MinLength = 1
		}
		if param.Regex {
			described.Schema.Format = "re2" // the format regex means ECMAScript
		}
	}
	if param.Pattern != "" {
		add("The whole value must match the RE2 expression %s", "`"+param.Pattern+"`.")
		if valueType == sqlq.String && portable(param.Pattern) {
			described.Schema.Pattern = "^(?:" + param.Pattern + ")$"
		}
	}
	if text := exampleText(param, recorded); text != "" {
		described.Example = typed(valueType, text)
	}
	described.Deprecated = param.Deprecated != ""
	described.Description = withDeprecation(described.Description, param.Deprecated)
	if param.Type.IsArray() {
		describeArray(&described, param, valueType)
	}
	return described
}

// describeBounds describes the least and the greatest value: in the schema for numbers, and in
// words for times.
func describeBounds(described *parameter, param *sqlq.Param, valueType sqlq.Type) {
	isNumber := valueType == sqlq.Int64 || valueType == sqlq.Float64 || valueType == sqlq.Numeric
	if param.Min != nil {
		if isNumber {
			described.Schema.Minimum = typed(valueType, param.Min.Text)
		} else {
			described.Description += " At least " + param.Min.Text + "."
		}
	}
	if param.Max != nil {
		if isNumber {
			described.Schema.Maximum = typed(valueType, param.Max.Text)
		} else {
			described.Description += " At most " + param.Max.Text + "."
		}
	}
}

// describeArray turns the description of a value into that of an array, which callers give by
// repeating the parameter.
func describeArray(described *parameter, param *sqlq.Param, valueType sqlq.Type) {
	element := described.Schema
	described.Schema = schema{Type: "array", Items: &element, MaxItems: param.MaxItems}
	if param.Required {
		described.Schema.MinItems = 1
	} else {
		defaults := make([]any, len(param.Default))
		for i, text := range param.Default {
			defaults[i] = typed(valueType, text)
		}
		described.Schema.Default = defaults
	}
	described.Description += " Repeat the parameter for several values."
	if described.Example != nil {
		described.Example = []any{described.Example}
	}
}

// valueSchema returns the schema of a parameter's value.
func valueSchema(valueType sqlq.Type) schema {
	switch valueType { //nolint:exhaustive // The others are strings in JSON.
	case sqlq.Int64:
		return schema{Type: "integer", Format: "int64"}
	case sqlq.Float64:
		return schema{Type: "number", Format: "double"}
	case sqlq.Numeric:
		return schema{Type: "number"}
	case sqlq.Bool:
		return schema{Type: "boolean"}
	case sqlq.Timestamp:
		return schema{Type: "string", Format: "date-time"}
	case sqlq.Date:
		return schema{Type: "string", Format: "date"}
	}
	return schema{Type: "string"}
}

// typeOf returns the type with which the values of a parameter are described. It is STRING if an allowed
// value has a spelling that tools would not produce for the parameter's type, such as 2.50
// or 2026-11-20.
func typeOf(param *sqlq.Param) sqlq.Type {
	for _, text := range param.Allowed {
		if fmt.Sprintf("%s", typed(param.Type.Element(), text)) != text {
			return sqlq.String
		}
	}
	return param.Type.Element()
}

// typed returns a value as JSON of the type. The catalog has validated it.
func typed(valueType sqlq.Type, text string) any {
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

// exampleText returns a value that the parameter accepts, or "" if none is known.
func exampleText(param *sqlq.Param, recorded *recordedResponse) string {
	if text := recorded.value(param.Name); text != "" {
		return text
	}
	switch {
	case len(param.Default) > 0 && !param.HasRelativeDefault():
		return param.Default[0]
	case len(param.Allowed) > 0:
		return param.Allowed[0]
	case param.Min != nil:
		return param.Min.Text
	case param.Type.Element() == sqlq.Timestamp && param.Pattern == "":
		return "2026-11-20T10:00:00Z"
	case param.Type.Element() == sqlq.Date && param.Pattern == "":
		return "2026-11-20"
	}
	return ""
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
