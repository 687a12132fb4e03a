package mcp_test

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
			"every_type", "functions_invocation-stats", "functions_list", "logs_all", "logs_facets", "logs_histogram", "logs_search",
			"many_rows", "projects_list", "texts", "uncached_rows", "usage_api-counts",
		},
		"acme": {
			"functions_invocation-stats", "functions_list", "logs_all", "logs_facets", "logs_histogram", "logs_search",
			"many_rows", "projects_list", "usage_api-counts",
		},
		"other":  {"logs_all"},
		"none":   {},
		"hidden": {},
	} {
		t.Run(secret, func(t *testing.T) {
			t.Parallel()
			names := []string{}
			for name, tool := range toolsOf(t, s, secret) {
				names = append(names, name)
				assert.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, name)
				assert.True(t, tool.Annotations.ReadOnlyHint)
				assert.NotEmpty(t, tool.Description)
			}
			assert.ElementsMatch(t, want, names)
		})
	}
}

// The schemas say what binding accepts, and what the rows are.
func TestSchemas(t *testing.T) {
	t.Parallel()
	tool := toolsOf(t, newService(t, countTo(1)), "full")["every_type"]
	assert.Equal(t, "every.type", tool.Title)
	assert.Contains(t, tool.Description, "Rows of every.type.\n\nAt most 1000 rows. Responses are cached for 60 s.\n\nColumns:\n- text: The text.\n")
	assert.Contains(t, tool.Description, "\n- ratio: In percent.\n")
	assert.Contains(t, tool.Description, "\n- at: A time. In microseconds since 1970-01-01T00:00:00Z.\n")
	input, err := json.Marshal(tool.InputSchema)
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"properties":{
		"word":{"type":"string","enum":["one","two"],"default":"one","description":"A word."},
		"whole":{"type":"integer","format":"int64","minimum":1,"maximum":10,"default":2,"description":"A number."},
		"share":{"type":"number","format":"double","description":"A share."},
		"exact":{"type":"number","description":"Exact. An exact decimal number, with at most 29 digits before and 9 after the point."},
		"flag":{"type":"boolean","description":"A flag."},
		"at":{"type":"string","format":"date-time","description":"A time. Format: RFC 3339. A date without a time, a space instead of T, and a time without seconds or offset (UTC) are accepted, too."},
		"day":{"type":"string","format":"date","description":"A day."},
		"code":{"type":"string","maxLength":256,"pattern":"^(?:[a-z]+)$","description":"A code. The whole value must match the RE2 expression `+"`[a-z]+`"+`."},
		"many":{"type":"array","maxItems":3,"default":[],"items":{"type":"integer","format":"int64"},"description":"Numbers."},
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
