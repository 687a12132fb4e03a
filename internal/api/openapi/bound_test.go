package openapi_test

import (
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/openapi"
	"savedq/sqlq"
)

// D32: a parameter that the token binds has the values of the token, and is not required if the
// server fills it in.
func TestBoundParameters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		query, param string
		values       []string
		required     bool
		schema       string
	}{
		"one value":              {"logs.all", "project", []string{"globex"}, false, `{"type":"string","enum":["globex"],"default":"globex"}`},
		"several values":         {"logs.all", "project", []string{"acme", "globex"}, true, `{"type":"string","enum":["acme","globex"]}`},
		"an expression":          {"usage.api-counts", "project", []string{"a.b"}, false, `{"type":"string","enum":["a.b"],"default":"a.b"}`},
		"the default is allowed": {"functions.invocation-stats", "interval", []string{"1day", "1hr"}, false, `{"type":"string","enum":["1day","1hr"],"default":"1day"}`},
		"the default is not":     {"functions.invocation-stats", "interval", []string{"15min", "1hr"}, true, `{"type":"string","enum":["15min","1hr"]}`},
		"a number":               {"every.type", "whole", []string{"10"}, false, `{"type":"integer","format":"int64","enum":[10],"default":10}`},
		"a list":                 {"projects.list", "projects", []string{"acme", "globex"}, false, `{"type":"array","maxItems":10000,"items":{"type":"string","enum":["acme","globex"]},"default":["acme","globex"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, _ := documentOf(t, readCatalog(t), openapi.Caller{Bound: func(param *sqlq.Param) (values []string, limited bool) {
				return test.values, param.Name == test.param
			}}, test.query)
			param := read.Components.Parameters[test.query+"."+test.param].Value
			assert.Equal(t, test.required, param.Required)
			schema, err := param.Schema.Value.MarshalJSON()
			require.NoError(t, err)
			assert.JSONEq(t, test.schema, string(schema))
			assert.Contains(t, param.Description, "The token allows only "+test.values[0])
			posted := read.Components.Schemas[test.query+".Parameters"].Value
			if test.required {
				assert.Contains(t, posted.Required, test.param)
			} else {
				assert.NotContains(t, posted.Required, test.param)
			}
		})
	}
}

// A document shows no request that its token may not send.
func TestBoundExamples(t *testing.T) {
	t.Parallel()
	limited := func(value string) *openapi3.T {
		read, _ := documentOf(t, readCatalog(t), openapi.Caller{Bound: func(param *sqlq.Param) (values []string, limited bool) {
			return []string{value}, param.Name == "project"
		}}, "logs.all")
		return read
	}
	rows := func(read *openapi3.T) openapi3.Examples {
		return read.Components.Responses["logs.all"].Value.Content.Get("application/json").Examples
	}
	recorded := rows(readDescribed(t))["rows"].Value.Summary
	assert.Contains(t, recorded, "project=acme")
	assert.NotEmpty(t, rows(limited("acme")))
	other := limited("globex")
	assert.Empty(t, rows(other))
	assert.NotContains(t, other.Components.Responses["logs.all.InvalidArgument"].Value.Content.Get("application/json").Examples, "project")
}

// A value that a parameter cannot have is not offered.
func TestNoUsableValue(t *testing.T) {
	t.Parallel()
	read, _ := documentOf(t, readCatalog(t), openapi.Caller{Bound: func(param *sqlq.Param) (values []string, limited bool) {
		return nil, param.Name == "interval"
	}}, "functions.invocation-stats")
	assert.Contains(t, read.Components.Parameters["functions.invocation-stats.interval"].Value.Description, "The token allows none of its values.")
}

// The viewer is described as it is served.
func TestViewerIsDescribed(t *testing.T) {
	t.Parallel()
	read := readDescribed(t)
	assert.NotNil(t, read.Paths.Value("/api/viewer").Get.Responses.Status(http.StatusOK))
	schema := read.Components.Schemas["Viewer"].Value
	for body, valid := range map[string]bool{
		`{"token":"jwt:a","subject":"a","expires":"2026-11-20T12:00:00Z","endpoints":["logs.all"],"boundParameters":{"project":["acme"]},
			"limits":{"rate":2.5,"burst":3,"projectTier":null,"refresh":true,"sandbox":false,"explore":false,"alerts":false,"tail":false,"usage":true,"manageTokens":false},
			"budget":[{"period":"day","allowed":{"requests":10,"rows":0,"bytes":0,"engineSeconds":0},
				"spent":{"requests":2,"rows":0,"bytes":0,"engineSeconds":0.5},"resetsAt":"2026-11-20T12:00:00Z"}]}`: true,
		`{"token":"a","expires":null,"endpoints":[],"boundParameters":{},"limits":{"rate":null,"burst":null,"projectTier":null,"refresh":true,"sandbox":false,"explore":false,"alerts":false,"tail":true,"usage":true,"manageTokens":false},"budget":[]}`:                 true,
		`{"token":"a","expires":null,"endpoints":[],"boundParameters":{"project":"acme"},"limits":{"rate":null,"burst":null,"projectTier":null,"refresh":true,"sandbox":false,"explore":false,"alerts":false,"tail":true,"usage":true,"manageTokens":false},"budget":[]}`: false,
		`{"token":"a"}`: false,
	} {
		err := schema.VisitJSON(decoded(t, body))
		assert.Equal(t, valid, err == nil, "%s: %v", body, err)
	}
}
