package graphqlhttp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/graphqlhttp"
)

// FuzzGraphQLHTTP sends arbitrary requests: the handler never panics, responds with JSON and
// an expected status, and never repeats the secret, which replaces the sign § in a
// request. The request is built from its parts, or sent unchanged if raw is set.
func FuzzGraphQLHTTP(f *testing.F) {
	const secret = "<5ecret-te<t>"
	f.Add("POST", "", "application/json", false, `{ logs(project: "§") { id } }`, `{}`, "", "")
	f.Add("POST", "application/graphql-response+json", "application/json", false, `query A($v: Time) { logs(project: 5, isoTimestampStart: $v) { id } }`, `{"v":"§"}`, "A", "")
	f.Add("POST", "*/*;q=0.1", "application/json", false, `query($i: InvocationInterval) { invocationStats(project: ["§"], interval: $i) { count @skip(if: "§") } }`, `{"i":"§"}`, "§", "")
	f.Add("POST", "text/html", "application/json", false, `query($i: ProjectTier = "§") { logs(project: {a: "§"}, projectTier: $i) { id } }`, `{}`, "", "")
	f.Add("POST", "", "application/json", false, `{ "§" logs }`, `{"§":1}`, "", "")
	f.Add("POST", "", "application/json", false, `{ endpoint(id: 99999999999999999999, name: """§""") { id } }`, `null`, "", "")
	f.Add("GET", "", "", false, `query($v: String!) { logs(project: $v) { ...f } } fragment f on LogEntry { id }`, `{"v":["§"]}`, "", "")
	f.Add("HEAD", "application/json;q=0", "", false, `{ endpoints { name } }`, ``, "", "")
	f.Add("GET", "", "", true, "", "", "", "query={__typename}%zz&variables={%22a%22:%22\xff%22}")
	f.Add("POST", "", "application/json; charset=utf-8", true, "", "", "", `[{"query":"§"}]`)
	f.Add("POST", "", "application/json", true, "", "", "", `{"query":"{__typename}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"§"}}}`)
	f.Add("PUT", "", "text/plain", true, "", "", "", "§")
	f.Add("GET", "", "", true, "", "", "", "query={__typename}&query=§&variables={}&variables={}")
	f.Add("POST", "", "application/json", false, `{ logs(project: "\u{1F600}\ud83d\ude00§\u{22}") { id } } # "\ud83d`, `{}`, "", "")
	f.Add("GET", "", "", false, `{ logs(project: """\ud83d "§" \u{x} \"""""") { id } }`, `{}`, "", "")
	f.Add("POST", "", "application/json", false, `{ logs(project: "\u{d83d}§") { id } }`, `{}`, "", "")
	statuses := []int{200, 304, 400, 405, 406, 413, 414, 415}
	runner := runnerReturning(f)
	handler := graphqlhttp.NewHandler(newConfig(f, runner, silent()))
	f.Fuzz(func(t *testing.T, method, accept, contentType string, raw bool, document, variables, operationName, rest string) {
		runner.stored, runner.lookedUp = nil, nil
		fill := func(text string) string { return strings.ReplaceAll(text, "§", secret) }
		query, body := fill(rest), fill(rest)
		if !raw {
			query = url.Values{"query": {fill(document)}, "variables": {fill(variables)}, "operationName": {fill(operationName)}}.Encode()
			if !json.Valid([]byte(fill(variables))) {
				variables = `null`
			}
			encoded, err := json.Marshal(map[string]any{"query": fill(document), "variables": json.RawMessage(fill(variables)), "operationName": fill(operationName)})
			require.NoError(t, err)
			body = string(encoded)
		}
		request := &http.Request{
			Method: method, URL: &url.URL{Path: "/graphql"}, Body: io.NopCloser(strings.NewReader(body)),
			Header: http.Header{"Accept": {accept}, "Content-Type": {contentType}},
		}
		if method != http.MethodPost {
			request.URL.RawQuery = query
		}
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request.WithContext(context.Background()))
		assert.True(t, slices.Contains(statuses, response.Code), "%d %s", response.Code, response.Body)
		assert.True(t, json.Valid(response.Body.Bytes()), response.Body)
		assert.NotContains(t, response.Body.String(), secret)
		assert.NotContains(t, response.Body.String(), `"INTERNAL"`)
		for name := range response.Header() {
			assert.NotContains(t, response.Header().Get(name), secret)
		}
	})
}
