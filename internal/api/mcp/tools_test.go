package mcp_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"unicode/utf16"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// toolsOf returns the tools of a token, by name.
func toolsOf(t *testing.T, s *service, secret string) map[string]*sdk.Tool {
	t.Helper()
	listed, err := s.connect(t, secret).ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "private", listed.CacheScope)
	tools := make(map[string]*sdk.Tool)
	for _, tool := range listed.Tools {
		tools[tool.Name] = tool
	}
	return tools
}

// D45: a saved query is a tool if the token may run it and its author does not hide it.
func TestToolsOfTokens(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	for secret, want := range map[string][]string{
		"full": {
			"describe_tool", "every_rule", "every_type", "explore", "functions_invocation-stats", "functions_list", "logs_all", "logs_facets", "logs_histogram", "logs_search",
			"long_text", "many_rows", "projects_list", "texts", "uncached_rows", "usage_api-counts",
		},
		"acme": {
			"describe_tool", "functions_invocation-stats", "functions_list", "logs_all", "logs_facets", "logs_histogram", "logs_search",
			"many_rows", "projects_list", "usage_api-counts",
		},
		"other":  {"logs_all"},
		"none":   {},
		"hidden": {},
		"sql":    {"describe_tool", "explore"},
	} {
		t.Run(secret, func(t *testing.T) {
			t.Parallel()
			names := []string{}
			for name, tool := range toolsOf(t, s, secret) {
				names = append(names, name)
				assert.True(t, tool.Annotations.ReadOnlyHint)
				assert.NotEmpty(t, tool.Description)
				assertPortable(t, tool)
			}
			assert.ElementsMatch(t, want, names)
		})
	}
}

// assertPortable asserts that the interfaces of all models take a tool. Each rejects all tools for one that it does not
// take: OpenAI's for a long description, Gemini's for an enum of numbers, an unknown format or an object without
// properties.
func assertPortable(t *testing.T, tool *sdk.Tool) {
	t.Helper()
	assert.Regexp(t, `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`, tool.Name)
	assert.LessOrEqual(t, len(utf16.Encode([]rune(tool.Description))), 1024, tool.Name)
	var check func(place string, schema map[string]any)
	check = func(place string, schema map[string]any) {
		for _, value := range listOf(schema["enum"]) {
			assert.IsType(t, "", value, place)
			assert.NotEmpty(t, value, place)
			assert.Equal(t, "string", schema["type"], place)
		}
		assert.IsType(t, "", schema["type"], place)
		if format, has := schema["format"]; has {
			known := map[string][]any{"string": {"date-time", "enum"}, "integer": {"int32", "int64"}, "number": {"float", "double"}}
			assert.Contains(t, known[schema["type"].(string)], format, place)
		}
		for _, key := range []string{"minimum", "maximum", "default"} {
			if number, isNumber := schema[key].(float64); isNumber {
				assert.LessOrEqual(t, math.Abs(number), float64(1<<53-1), "%s: %s", place, key)
			}
		}
		if schema["type"] == "object" {
			assert.NotEmpty(t, schema["properties"], place)
		}
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			assert.Regexp(t, `^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`, name)
			check(place+"."+name, property.(map[string]any))
		}
		if items, has := schema["items"]; has {
			check(place+"[]", items.(map[string]any))
		} else {
			assert.NotEqual(t, "array", schema["type"], place)
		}
	}
	check(tool.Name, tool.InputSchema.(map[string]any))
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// What a schema cannot say to all clients is in the description: values of numbers, and limits that readers would round.
func TestRulesInWords(t *testing.T) {
	t.Parallel()
	tool := toolsOf(t, newService(t, countTo(1)), "full")["every_rule"]
	input, err := json.Marshal(tool.InputSchema.(map[string]any)["properties"])
	require.NoError(t, err)
	var properties map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(input, &properties))
	for name, want := range map[string]string{
		"step":       `{"type":"integer","format":"int64","description":"A step. One of 5, 10."}`,
		"steps":      `{"type":"array","maxItems":3,"default":[],"description":"Steps.","items":{"type":"integer","format":"int64","description":"One of 5, 10."}}`,
		"factor":     `{"type":"number","format":"double","description":"A factor. One of 0.5, 10."}`,
		"spelled":    `{"type":"string","enum":["0.50","1.00"],"description":"As written."}`,
		"huge":       `{"type":"integer","format":"int64","description":"A huge number. Default: 9007199254740993. At least -9007199254740993. At most 9223372036854775807."}`,
		"hugest":     `{"type":"string","enum":["9007199254740993"],"description":"Another one."}`,
		"digits":     `{"type":"number","minimum":0.1,"description":"Digits. At most 12345678901234567890.123456789. An exact decimal number, with at most 29 digits before and 9 after the point."}`,
		"expression": `{"type":"string","maxLength":256,"description":"An expression. A regular expression of RE2."}`,
		"day":        `{"type":"string","description":"A day. A time relative to the run, such as now-1d, is accepted, too. Format: YYYY-MM-DD."}`,
		"flags":      `{"type":"boolean","description":"A flag. One of true."}`,
	} {
		assert.JSONEq(t, want, string(properties[name]), name)
	}
}

// A number means the same in all its spellings, exactly.
func TestSpellingsOfNumbers(t *testing.T) {
	t.Parallel()
	var args map[string]any
	s := newService(t, func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		args = make(map[string]any)
		for _, arg := range statement.Args {
			args[arg.Name] = arg.Value
		}
		return countTo(1)(ctx, statement)
	})
	session := s.connect(t, "full")
	for _, test := range []struct {
		arguments, name string
		want            any
	}{
		{`{"step":10.0}`, "step", int64(10)},
		{`{"step":1e1}`, "step", int64(10)},
		{`{"step":100E-1}`, "step", int64(10)},
		{`{"steps":[5.0,10.00]}`, "steps", []any{int64(5), int64(10)}},
		{`{"huge":9007199254740993.0}`, "huge", int64(9007199254740993)},
		{`{"huge":9.223372036854775807e18}`, "huge", int64(math.MaxInt64)},
		{`{"huge":-0.0}`, "huge", int64(0)},
		{`{"factor":10.0}`, "factor", 10.0},
		{`{"factor":5e-1}`, "factor", 0.5},
		{`{"spelled":"0.50"}`, "spelled", 0.5},
		{`{"digits":1.5e1}`, "digits", sqlq.Decimal("15")},
	} {
		rows(t, session, "every_rule", json.RawMessage(test.arguments))
		assert.Equal(t, test.want, args[test.name], test.arguments)
	}
	for arguments, want := range map[string]string{
		`{"step":10.5}`:                `step: "10.5" is not allowed; use one of 5, 10`,
		`{"step":15.0}`:                `step: "15" is not allowed; use one of 5, 10`,
		`{"huge":1.5}`:                 `huge: "1.5" is not a whole number`,
		`{"huge":0.1e0}`:               `huge: "0.1" is not a whole number`,
		`{"huge":1e19}`:                `huge: "10000000000000000000" is too large`,
		`{"huge":1e999999999}`:         `huge: "1e999999999" is not a whole number`,
		`{"huge":9223372036854775808}`: `huge: "9223372036854775808" is too large`,
		`{"huge":-9007199254740994.0}`: `huge: "-9007199254740994" is less than the minimum`,
		`{"spelled":"0.5"}`:            `spelled: "0.5" is not allowed; use one of 0.50, 1.00`,
	} {
		_, body := s.send(t, "full", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"every_rule","arguments":`+arguments+`}}`)
		var message struct {
			Result struct{ Content []struct{ Text string } }
		}
		require.NoError(t, json.Unmarshal([]byte(body), &message), body)
		require.Len(t, message.Result.Content, 1, body)
		var failure struct{ Error struct{ Message string } }
		require.NoError(t, json.Unmarshal([]byte(message.Result.Content[0].Text), &failure))
		assert.Contains(t, failure.Error.Message, want)
	}
}

// A description that is too long keeps whole sentences, the limits, and as much about the columns as fits. Another tool
// has all of it.
func TestLongDescriptions(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	tools := toolsOf(t, s, "full")
	long := tools["long_text"].Description
	assert.Regexp(t, `^Rows of long\.text\.\n\nAt most 1000 rows\. .*\n\nColumns: column_0, column_1, .* and \d+ others\.\n\nThis is shortened; the tool describe_tool has the rest\.$`, long)
	search := tools["logs_search"].Description
	assert.Contains(t, search, "newest first, by default of the last hour.")
	assert.Contains(t, search, "metadata", "the last column")
	session := s.connect(t, "acme")
	_, described := call(t, session, "describe_tool", map[string]any{"tool": "logs_search"})
	assert.Contains(t, described, "Entries of the same time are ordered by id")
	assert.Contains(t, described, "- `metadata` (JSON): Details of the entry")
	assert.NotContains(t, described, "- `project` (", "bound parameters are no arguments")
	for arguments, want := range map[string]string{
		`{"tool":"log_search"}`:       `{"code":"INVALID_ARGUMENT","message":"tool: there is no tool \"log_search\"; did you mean logs_search?","argument":"tool"}`,
		`{"tool":"every_type"}`:       `{"code":"INVALID_ARGUMENT","message":"tool: there is no tool \"every_type\"; tools/list has the tools of your token","argument":"tool"}`,
		`{"tool":"explore"}`:          `{"code":"INVALID_ARGUMENT","message":"tool: there is no tool \"explore\"; tools/list has the tools of your token","argument":"tool"}`,
		`{"tool":1}`:                  `{"code":"INVALID_ARGUMENT","message":"tool: must be the name of a tool","argument":"tool"}`,
		`{}`:                          `{"code":"INVALID_ARGUMENT","message":"tool: must be the name of a tool","argument":"tool"}`,
		`{"tool":"logs_all","tol":1}`: `{"code":"INVALID_ARGUMENT","message":"tol: is not an argument of this tool; its input schema has them","argument":"tol"}`,
	} {
		result, text := call(t, session, "describe_tool", json.RawMessage(arguments))
		assert.True(t, result.IsError, arguments)
		assert.JSONEq(t, `{"error":`+want+`}`, text, arguments)
	}
}

// The schemas say what binding accepts, and what the rows are.
func TestSchemas(t *testing.T) {
	t.Parallel()
	tool := toolsOf(t, newService(t, countTo(1)), "full")["every_type"]
	assert.Equal(t, "every.type", tool.Title)
	assert.Contains(t, tool.Description, "Rows of every.type.\n\nAt most 1000 rows. Responses are cached for 60 s.\n\nColumns:\n- text: The text.\n")
	assert.Contains(t, tool.Description, "\n- ratio: In percent.\n")
	assert.Contains(t, tool.Description, "\n- at: A time.\n")
	input, err := json.Marshal(tool.InputSchema)
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"properties":{
		"word":{"type":"string","enum":["one","two"],"default":"one","description":"A word."},
		"whole":{"type":"integer","format":"int64","minimum":1,"maximum":10,"default":2,"description":"A number."},
		"share":{"type":"number","format":"double","description":"A share."},
		"exact":{"type":"number","description":"Exact. An exact decimal number, with at most 29 digits before and 9 after the point."},
		"flag":{"type":"boolean","description":"A flag."},
		"at":{"type":"string","format":"date-time","description":"A time. Format: RFC 3339. A date without a time, a space instead of T, and a time without seconds or offset (UTC) are accepted, too. A time relative to the run, such as now-1d, is accepted, too."},
		"day":{"type":"string","description":"A day. A time relative to the run, such as now-1d, is accepted, too. Format: YYYY-MM-DD."},
		"code":{"type":"string","maxLength":256,"pattern":"^(?:[a-z]+)$","description":"A code. The whole value must match the RE2 expression `+"`[a-z]+`"+`."},
		"many":{"type":"array","maxItems":3,"default":[],"items":{"type":"integer","format":"int64"},"description":"Numbers."},
		"_columns":{"type":"array","items":{"type":"string"},"description":"The names of the columns that the rows have. Absent or empty means all. Fewer columns make room for more rows."},
		"_cursor":{"type":"string","description":"The _cursor of a truncated result, to get the rows after it. The other arguments must be the same."}}}`, string(input))
	output, err := json.Marshal(tool.OutputSchema)
	require.NoError(t, err)
	var schema struct {
		Properties struct {
			Rows struct{ Items json.RawMessage }
		}
		Required []string
	}
	require.NoError(t, json.Unmarshal(output, &schema))
	assert.Equal(t, []string{"rows", "truncated", "freshness"}, schema.Required)
	assert.Contains(t, string(schema.Properties.Rows.Items), `"big":{"description":"A big number.","format":"int64","type":"integer"}`)
	assert.Contains(t, string(schema.Properties.Rows.Items), `"at":{"description":"A time.","format":"date-time","type":["string","null"]}`)
	assert.NotContains(t, string(schema.Properties.Rows.Items), `"required":["text"`, "the caller can choose columns")
	assert.Contains(t, string(schema.Properties.Rows.Items), `"ratio":{"description":"In percent.","format":"double","type":["number","null"]}`)
}

// D45: a parameter that the token binds to one value is no argument. With several values, these are
// the allowed ones.
func TestBoundArguments(t *testing.T) {
	t.Parallel()
	s := newService(t, countTo(1))
	project := func(secret string) (schema any, required any) {
		input, isMap := toolsOf(t, s, secret)["many_rows"].InputSchema.(map[string]any)
		require.True(t, isMap)
		properties, isMap := input["properties"].(map[string]any)
		require.True(t, isMap)
		return properties["project"], input["required"]
	}
	schema, required := project("full")
	assert.Contains(t, schema, "maxLength")
	assert.Equal(t, []any{"project"}, required)
	schema, required = project("acme")
	assert.Nil(t, schema)
	assert.Nil(t, required)
	schema, required = project("two")
	assert.Subset(t, schema, map[string]any{"enum": []any{"acme", "globex"}})
	assert.Equal(t, []any{"project"}, required)
}
