package openapi

import (
	"savedq/internal/describe"
	"savedq/sqlq"
)

// describeParam describes a parameter of a saved query in a query string.
func describeParam(param *sqlq.Param, recorded *recordedResponse) parameter {
	described := parameter{
		Name:       param.Name,
		In:         "query",
		Required:   param.Required,
		Deprecated: param.Deprecated != "",
		Schema:     describe.Param(param),
	}
	described.Description = described.Schema.Description
	described.Schema.Description, described.Schema.Deprecated = "", false
	if text := exampleText(param, recorded); text != "" {
		described.Example = describe.Value(describe.TypeOf(param), text)
	}
	if param.Type.IsArray() {
		described.Description += " Repeat the parameter for several values."
		if described.Example != nil {
			described.Example = []any{described.Example}
		}
	}
	return described
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
