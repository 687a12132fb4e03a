package logflare_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/authoring/logflare"
)

const id = "8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f"

func readOne(t *testing.T, text string) *logflare.Endpoint {
	t.Helper()
	endpoints, err := logflare.Read("export.json", []byte(text))
	require.NoError(t, err)
	require.Len(t, endpoints, 1)
	return endpoints[0]
}

// Each key of an endpoint has its place in a saved query.
func TestRead(t *testing.T) {
	t.Parallel()
	got := readOne(t, `[{"token": "`+strings.ToUpper(id)+`", "name": "a.b", "query": "SELECT 1", "source_mapping": {"a": "b"}, "sandboxable": false,
		"cache_duration_seconds": 900, "proactive_requerying_seconds": 300, "max_limit": 5, "enable_auth": true, "description": " Rows. ", "labels": 7}]`)
	assert.Equal(t, &logflare.Endpoint{
		WrittenName: "a.b", Token: id, ID: uuid.MustParse(id), Name: "a.b", Description: "Rows.", SQL: "SELECT 1", MaxRows: 5,
		Cache: 15 * time.Minute, Warm: 5 * time.Minute, Sources: map[string]string{"a": "b"},
	}, got)
}

// An export is a list, an object with one, or an endpoint.
func TestReadForms(t *testing.T) {
	t.Parallel()
	const endpoint = `{"token": "` + id + `", "name": "a", "query": "SELECT 1", "description": null}`
	for _, form := range []string{"%s", "[%s]", `{"endpoints": [%s]}`, `{"data": [%s], "total": 1}`, "\uFEFF [%s]\n"} {
		got := readOne(t, fmt.Sprintf(form, endpoint))
		assert.Empty(t, got.Reasons, form)
		assert.Equal(t, 1000, got.MaxRows)
	}
}

func TestReadRejects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                       "export.json: is empty; it must be the JSON that Logflare's API returns for your endpoints",
		"[":                                      "export.json:1:1: is not JSON: unexpected end of JSON input",
		"[\n {\"name\": x}]":                     "export.json:2:11: is not JSON: invalid character 'x' looking for beginning of value",
		"[]":                                     "export.json: holds no endpoints",
		"null":                                   "export.json: is JSON, but not a list of endpoints",
		"7":                                      "export.json: is JSON, but not a list of endpoints",
		"{}":                                     `export.json: is a JSON object without "name" and "query"; an export is a list of endpoints`,
		`{"data": 7}`:                            "export.json: is JSON, but not a list of endpoints",
		`[{"name": "a"}, 7]`:                     "export.json: entry 2 of the list is not a JSON object; each entry must be an endpoint",
		`[{"name": "` + "\xff" + `"}]`:           "export.json: is not valid UTF-8, or escapes half of a character",
		`[` + strings.Repeat(" ", 10<<20) + `7]`: "export.json: is larger than 10 MB; split it",
	} {
		_, err := logflare.Read("export.json", []byte(text))
		assert.EqualError(t, err, want)
	}
}

// A wrong value rejects its endpoint, and what savedq does not have is a remark.
func TestReadValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, value, reason, remark string }{
		{"name", `null`, "it has no name", ""},
		{"name", `""`, "it has no name", ""},
		{"name", `7`, "name must be a string, not 7", ""},
		{"name", `"…!"`, `the name "…!" has no letter or digit`, ""},
		{"name", `"` + id + `"`, "the name must not be a UUID, since it could be mistaken for an id", ""},
		{"name", `"` + strings.Repeat("a", 129) + `"`, `the name "` + strings.Repeat("a", 129) + `" is not a name of lower-case letters and digits, joined by dots, dashes or underscores, such as usage.api-counts (at most 128)`, ""},
		{"name", `"SlowFunctions"`, "", "the name is slow-functions; SlowFunctions is an alias, so callers can keep it"},
		{"name", `"a..b-"`, "", "the name is a.b; a..b- is an alias, so callers can keep it"},
		{"name", `"Slow functions (v2)"`, "", `the name is slow-functions-v2; Slow functions (v2) is an alias, so callers can keep it`},
		{"token", `null`, "", "it has no token, so the saved query has a new id"},
		{"token", `7`, "token must be a string, not 7", ""},
		{"token", `"x"`, `token "x" is not a UUID`, ""},
		{"token", `"` + uuid.Nil.String() + `"`, `token "` + uuid.Nil.String() + `" is not a UUID`, ""},
		{"query", `null`, "it has no query", ""},
		{"query", `" \n"`, "it has no query", ""},
		{"query", `["SELECT 1"]`, `query must be a string, not ["SELECT 1"]`, ""},
		{"query", `"` + strings.Repeat("a", 64<<10+1) + `"`, "the query is longer than 64 KB", ""},
		{"language", `"pg_sql"`, "its language is pg_sql; savedq imports GoogleSQL (bq_sql) and ClickHouse's SQL over the table logs (ch_sql)", ""},
		{"language", `"bq_sql"`, "", ""},
		{"language", `"ch_sql"`, "", ""},
		{"language", `7`, "language must be a string, not 7", ""},
		{"description", `{"text": "a long text that is cut off in messages"}`, `description must be a string, not {"text": "a long text that is cut off in…`, ""},
		{"source_mapping", `["a"]`, `source_mapping must be an object whose values are strings, not ["a"]`, ""},
		{"source_mapping", `{"a": 7}`, `source_mapping must be an object whose values are strings, not {"a": 7}`, ""},
		{"sandboxable", `"true"`, `sandboxable must be true or false, not "true"`, ""},
		{"enable_auth", `false`, "", "callers need a token: enable_auth is false in Logflare"},
		{"enable_auth", `null`, "", ""},
		{"enable_auth", `0`, "enable_auth must be true or false, not 0", ""},
		{"redact_pii", `true`, "", "IP addresses are not redacted: savedq does not have redact_pii"},
		{"redact_pii", `1`, "redact_pii must be true or false, not 1", ""},
		{"cache_duration_seconds", `0`, "", ""},
		{"cache_duration_seconds", `-1`, "cache_duration_seconds must be from 0 to 31622400, not -1", ""},
		{"cache_duration_seconds", `1e99`, "cache_duration_seconds must be a whole number of seconds, not 1e99", ""},
		{"cache_duration_seconds", `"60"`, `cache_duration_seconds must be a whole number of seconds, not "60"`, ""},
		{"proactive_requerying_seconds", `1.5`, "proactive_requerying_seconds must be a whole number of seconds, not 1.5", ""},
		{"proactive_requerying_seconds", `31622401`, "proactive_requerying_seconds must be from 0 to 31622400, not 31622401", ""},
		{"proactive_requerying_seconds", `60`, "", "it is not refreshed ahead of time: proactive_requerying_seconds (60) must be less than cache_duration_seconds (60)"},
		{"max_limit", `null`, "", ""},
		{"max_limit", `0`, "max_limit must be at least 1, not 0", ""},
		{"max_limit", `true`, "max_limit must be a whole number of rows, not true", ""},
		{"max_limit", `100001`, "", "it has at most 100000 rows: max_limit is 100001"},
	} {
		defaults := map[string]string{"token": `"` + id + `"`, "name": `"a"`, "query": `"SELECT 1"`, "cache_duration_seconds": "60"}
		defaults[test.key] = test.value
		var fields []string
		for key, value := range defaults {
			fields = append(fields, fmt.Sprintf("%q: %s", key, value))
		}
		got := readOne(t, "[{"+strings.Join(fields, ", ")+"}]")
		assert.Equal(t, test.reason, strings.Join(got.Reasons, "\n"), test)
		if test.reason == "" {
			assert.Equal(t, test.remark, strings.Join(got.Remarks, "\n"), test)
		}
	}
}

// The first of two endpoints keeps a name and an id.
func TestReadDuplicates(t *testing.T) {
	t.Parallel()
	endpoints, err := logflare.Read("export.json", []byte(`[
		{"token": "`+id+`", "name": "a-b", "query": "SELECT 1"},
		{"token": "9a25f56a-dffb-4780-8c3e-2b3c4d5e6f70", "name": "A-B", "query": "SELECT 1"},
		{"token": "`+id+`", "name": "c", "query": "SELECT 1"},
		{"query": "SELECT 1"}]`))
	require.NoError(t, err)
	assert.Empty(t, endpoints[0].Reasons)
	assert.Equal(t, []string{"an endpoint before it (a-b) has the name a-b, too; rename one"}, endpoints[1].Reasons)
	assert.Equal(t, []string{"an endpoint before it (a-b) has the same token"}, endpoints[2].Reasons)
	assert.Equal(t, "(endpoint 4)", endpoints[3].WrittenName)
}
