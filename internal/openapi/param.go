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
	if param.Default != nil && !param.Required {
		described.Schema.Default = typed(valueType, *param.Default)
	}
	if valueType == sqlq.Timestamp {
		add("Format: RFC 3339. A date without a time, a space instead of T, and a time without seconds or offset (UTC) are accepted, too.")
	}
	if valueType == sqlq.String && len(param.Allowed) == 0 {
		described.Schema.MaxLength = param.MaxLength
		if param.Required {
			described.Schema.MinLength = 1
		}
		if param.Regex {
			described.Schema.Format = "re2" // the format regex is that of ECMAScript
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
	return described
}

// valueSchema returns the schema of a parameter's value.
func valueSchema(valueType sqlq.Type) schema {
	switch valueType {
	case sqlq.Int64:
		return schema{Type: "integer", Format: "int64"}
	case sqlq.Float64:
		return schema{Type: "number", Format: "double"}
	case sqlq.Bool:
		return schema{Type: "boolean"}
	case sqlq.Timestamp:
		return schema{Type: "string", Format: "date-time"}
	case sqlq.String, sqlq.Datetime, sqlq.Date, sqlq.JSON: // only columns have the last three
	}
	return schema{Type: "string"}
}

// typeOf returns the type with which a parameter is described. It is STRING if an allowed
// value has a spelling that tools would not produce for the parameter's type, such as 2.50
// or 2026-11-20.
func typeOf(param *sqlq.Param) sqlq.Type {
	for _, text := range param.Allowed {
		if fmt.Sprintf("%s", typed(param.Type, text)) != text {
			return sqlq.String
		}
	}
	return param.Type
}

// typed returns a value as JSON of the type. The catalog has validated it.
func typed(valueType sqlq.Type, text string) any {
	switch valueType {
	case sqlq.Int64:
		if number, err := strconv.ParseInt(text, 10, 64); err == nil {
			return json.RawMessage(sqlq.AppendValue(nil, valueType, number))
		}
	case sqlq.Float64:
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			return json.RawMessage(sqlq.AppendValue(nil, valueType, number))
		}
	case sqlq.Bool:
		return json.RawMessage(text)
	case sqlq.Timestamp:
		if timestamp, err := sqlq.ParseTimestamp(text); err == nil {
			return timestamp.Format(time.RFC3339Nano)
		}
	case sqlq.String, sqlq.Datetime, sqlq.Date, sqlq.JSON: // are strings in JSON
	}
	return text
}

// exampleText returns a value that the parameter accepts, or "" if none is known.
func exampleText(param *sqlq.Param, recorded *recordedResponse) string {
	if text := recorded.value(param.Name); text != "" {
		return text
	}
	switch {
	case param.Default != nil:
		return *param.Default
	case len(param.Allowed) > 0:
		return param.Allowed[0]
	case param.Type == sqlq.Timestamp && param.Pattern == "":
		return "2026-11-20T10:00:00Z"
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
