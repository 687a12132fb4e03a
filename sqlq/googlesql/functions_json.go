package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq/googlesql/googlejson"
)

func jsonFunctions() []function {
	const params = "STRING | STRING, STRING | JSON | JSON, STRING"
	functions := slices.Concat(jsonConversions(), jsonChanges())
	return append(functions, []function{
		{name: "TO_JSON_STRING", params: "ANY", result: "STRING", size: sizeOfJSON, check: checkToJSON, duckdb: form{by: toJSON}},
		{name: "TO_JSON_STRING", params: "ANY, BOOL", result: "STRING", size: sizeOfPretty, check: checkToJSON, duckdb: form{by: toJSON}},
		{name: "TO_JSON", params: "ANY", result: "JSON", named: "stringify_wide_numbers BOOL", size: sizeOfJSON, check: checkToJSON, duckdb: form{by: toJSON}},
		{name: "PARSE_JSON", params: "STRING", result: "JSON", named: wideNumberMode, check: checkParseJSON, duckdb: form{by: parseJSON}},
		{name: "JSON_TYPE", params: "JSON", result: "STRING", duckdb: form{sql: "CASE json_type({0}) WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'ARRAY' THEN 'array' WHEN 'OBJECT' THEN 'object' WHEN 'NULL' THEN 'null' WHEN NULL THEN NULL ELSE CASE WHEN {0} IS NOT NULL THEN 'number' END END"}},
		{name: "JSON_VALUE JSON_EXTRACT_SCALAR", params: params, result: "STRING", check: checkPath, duckdb: form{by: jsonValue}},
		{name: "JSON_QUERY JSON_EXTRACT", params: params, result: "STRING | STRING | JSON | JSON", check: checkPath, duckdb: form{by: jsonQuery}},
		{name: "JSON_VALUE_ARRAY JSON_EXTRACT_STRING_ARRAY", params: params, result: "ARRAY<STRING>", size: sizeOfFirst(elementBytes / 2), check: checkPath, duckdb: form{by: jsonValueArray}},
		{name: "JSON_QUERY_ARRAY JSON_EXTRACT_ARRAY", params: params, result: "ARRAY<STRING> | ARRAY<STRING> | ARRAY<JSON> | ARRAY<JSON>", size: sizeOfFirst(elementBytes / 2), check: checkPath, duckdb: form{by: jsonQueryArray}},
	}...)
}

func checkToJSON(c *call) { useAsJSON(c.args[0].typ) }

// jsonPath returns the constant path of a call in DuckDB's spelling.
func (c *call) jsonPath() string {
	if len(c.args) < 2 {
		return "'$'"
	}
	at := c.args[1].at
	var path strings.Builder
	path.WriteString("$")
	for _, step := range c.steps(c.args[1]) {
		switch {
		case step.IsIndex:
			path.WriteString("[" + itoa(step.Index) + "]")
		case strings.Contains(step.Name, `"`):
			fail(at, "%s does not take a name with a quote", c.name)
		default:
			path.WriteString(`."` + step.Name + `"`)
		}
	}
	return quoteText(path.String())
}

// checkPath fails for a path that is not supported.
func checkPath(c *call) { c.jsonPath() }

// steps returns the steps of a constant path.
func (c *call) steps(path value) []googlejson.Step {
	if path.constant == nil {
		fail(path.at, "the path of %s must be a constant", c.name)
	}
	steps, err := googlejson.ParsePath(path.constant.text)
	if err != nil {
		fail(path.at, "%s does not take %s", c.name, err)
	}
	return steps
}
