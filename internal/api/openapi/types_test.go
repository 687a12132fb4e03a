package openapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/api/openapi"
)

// Nested columns, arrays, dates, limits, relative defaults and deprecations are in the
// document, which stays valid.
func TestTypesOfAUserQuery(t *testing.T) {
	t.Parallel()
	catalog, err := graphtest.Catalog(map[string]string{"my.requests": `
deprecated: Use others.
params:
  - {param: paths, type: ARRAY<STRING>, default: [/a, /b], max_items: 5, description: The paths.}
  - {param: kinds, type: ARRAY<STRING>, allowed: [get, put], description: The kinds.}
  - {param: sizes, type: ARRAY<INT64>, required: true, min: 1, description: The sizes.}
  - {param: day, type: DATE, min: 2026-01-01, description: The day.}
  - {param: share, type: FLOAT64, min: 0, max: 1.5, description: The share., deprecated: Unused.}
  - {param: since, type: TIMESTAMP, default: now-7d, description: The start.}
columns:
  - name: slowest
    type: ARRAY<STRUCT>
    description: The slowest.
    fields:
      - {name: z_path, type: STRING, nullable: false, description: The path.}
      - {name: a_tags, type: ARRAY<ARRAY<INT64>>, description: The tags., deprecated: Unused.}
  - {name: parent, type: STRUCT, description: The parent., fields: [{name: id, type: DATE, description: The id.}]}
`})
	require.NoError(t, err)
	read, text := documentOf(t, catalog, openapi.Caller{}, "my.requests")
	var document struct {
		Components struct {
			Parameters map[string]json.RawMessage `json:"parameters"`
			Schemas    map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	require.NoError(t, json.Unmarshal(text, &document))
	for name, want := range map[string]string{
		"paths": `{"name":"paths","in":"query","description":"The paths. Repeat the parameter for several values.","schema":{"type":"array","default":["/a","/b"],"maxItems":5,"items":{"type":"string","minLength":1,"maxLength":256}},"example":["/a"]}`,
		"kinds": `{"name":"kinds","in":"query","description":"The kinds. Repeat the parameter for several values.","schema":{"type":"array","default":[],"maxItems":100,"items":{"type":"string","enum":["get","put"]}},"example":["get"]}`,
		"sizes": `{"name":"sizes","in":"query","description":"The sizes. Repeat the parameter for several values.","required":true,"schema":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"integer","format":"int64","minimum":1}},"example":[1]}`,
		"day":   `{"name":"day","in":"query","description":"The day. At least 2026-01-01. A time relative to the run, such as now-1d, is accepted, too.","schema":{"type":"string","format":"date"},"example":"2026-01-01"}`,
		"share": `{"name":"share","in":"query","description":"The share. Deprecated: Unused.","deprecated":true,"schema":{"type":"number","format":"double","minimum":0,"maximum":1.5},"example":0}`,
	} {
		assert.JSONEq(t, want, string(document.Components.Parameters["my.requests."+name]))
	}
	assert.Contains(t, string(document.Components.Parameters["my.requests.since"]), "Default: now-7d, relative to the time of the run.")
	assert.JSONEq(t, `{"type":"object","required":["slowest","parent"],"properties":{
		"slowest":{"type":"array","description":"The slowest.","items":{"type":["object","null"],"required":["z_path","a_tags"],"properties":{
			"z_path":{"type":"string","description":"The path."},
			"a_tags":{"type":"array","description":"The tags. Deprecated: Unused.","deprecated":true,"items":{"type":"array","items":{"type":["integer","null"],"format":"int64"}}}}}},
		"parent":{"type":["object","null"],"description":"The parent.","required":["id"],"properties":{"id":{"type":["string","null"],"format":"date","description":"The id."}}}}}`,
		string(document.Components.Schemas["my.requests.Row"]))
	assert.Regexp(t, `"z_path".*"a_tags"`, string(document.Components.Schemas["my.requests.Row"]), "fields keep their order")
	assert.True(t, read.Paths.Value("/api/endpoints/my.requests").Get.Deprecated)
}

// A stream has neither a validator nor an age, and nothing but its rows.
func TestStream(t *testing.T) {
	t.Parallel()
	catalog, err := graphtest.Catalog(map[string]string{"my.stream": `
stream: true
columns: [{name: n, type: INT64, description: The number.}]
`})
	require.NoError(t, err)
	document, _ := documentOf(t, catalog, openapi.Caller{}, "my.stream")
	get := document.Paths.Value("/api/endpoints/my.stream").Get
	assert.Nil(t, get.Responses.Value("304"))
	for _, parameter := range get.Parameters {
		assert.NotContains(t, []string{"If-None-Match", "Cache-Control"}, parameter.Value.Name)
	}
	rows := get.Responses.Value("200").Value
	var headers []string
	for name := range rows.Headers {
		headers = append(headers, name)
	}
	assert.ElementsMatch(t, []string{"X-Cache", "Cache-Control", "X-Truncated", "X-Request-Id"}, headers)
	assert.NotContains(t, rows.Content, "application/json")
	assert.Contains(t, rows.Content, "text/csv")
}
