package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
	"savedq/internal/operations/usage"
)

// viewerDocument asks for all that a token allows.
const viewerDocument = `{ viewer { token endpoints boundParameters { name values } projects projectTier refresh sandbox tail usage
	limits { rate burst expires }
	budget { period allowed { requests rows bytes engineSeconds } spent { requests rows bytes engineSeconds } resetsAt } } }`

// The viewer in GraphQL has the values of the token, and what it has spent, for a token of the file
// and for a signed one.
func TestViewerInGraphQL(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(directory, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	expires := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	const secret = "static-secret-static-secret-static-secret"
	tokens := write("tokens.yaml", "tokens:\n"+auth.EntryYAML(auth.Token{
		Name: "web", Expires: expires, Endpoints: []string{"logs.all", "functions.list"}, Projects: []string{"globex", "acme"}, MaxTier: "PRO", Rate: 50, Burst: 200, Refresh: true, Sandbox: true,
		Budget: usage.Budget{Hour: usage.Amounts{Rows: 100}, Day: usage.Amounts{Requests: 10, Bytes: 2 << 30, EngineTime: 90 * time.Second}},
	}, auth.HashOf(secret)))
	write("secret", strings.Repeat("s", 32))
	issuers := write("jwt.yaml", "issuers:\n  - issuer: https://app.example.com\n    audience: savedq\n    algorithms: [HS256]\n    keys: secret\n"+
		"    bind: {project: project, method: method}\n    endpoints: [functions.list]\n    budget: {hour: {requests: 1}}\n")
	signed, err := jwt.Sign([]byte(strings.Repeat("s", 32)), "", map[string]any{
		"iss": "https://app.example.com", "aud": "savedq", "sub": "user-1", "project": "acme", "method": []string{"POST", "GET"}, "exp": expires.Unix(),
	})
	require.NoError(t, err)
	address := serveWith(t, "--data", directory, "--tokens", tokens, "--jwt", issuers)
	date := func(value time.Time) string { return value.UTC().Format(time.RFC3339) }
	for name, test := range map[string]struct {
		token, header, project, want string
	}{
		"static": {secret, "X-Api-Key", "globex", `{"token":"web","endpoints":["functions.list","logs.all"],"boundParameters":[{"name":"project","values":["globex","acme"]}],
			"projects":["acme","globex"],"projectTier":"PRO","refresh":true,"sandbox":true,"tail":false,"usage":false,"limits":{"rate":50,"burst":200,"expires":"` + date(expires) + `"},
			"budget":[
				{"period":"day","allowed":{"requests":10,"rows":0,"bytes":2147483648,"engineSeconds":90},"spent":{"requests":1,"rows":0,"bytes":0}},
				{"period":"hour","allowed":{"requests":0,"rows":100,"bytes":0,"engineSeconds":0},"spent":{"requests":1,"rows":0,"bytes":0}}]}`},
		"signed": {signed, "Authorization", "acme", `{"token":"jwt:user-1","endpoints":["functions.list"],"boundParameters":[{"name":"method","values":["POST","GET"]},{"name":"project","values":["acme"]}],
			"projects":["acme"],"projectTier":null,"refresh":false,"sandbox":false,"tail":false,"usage":false,"limits":{"rate":null,"burst":null,"expires":"` + date(expires) + `"},
			"budget":[{"period":"hour","allowed":{"requests":1,"rows":0,"bytes":0,"engineSeconds":0},"spent":{"requests":1,"rows":0,"bytes":0}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ask := func(path string) (int, []byte) {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, http.NoBody)
				require.NoError(t, err)
				value := test.token
				if test.header == "Authorization" {
					value = "Bearer " + value
				}
				request.Header.Set(test.header, value)
				return send(t, request)
			}
			before := time.Now().UTC()
			// A run that the token pays for, and a response from the cache.
			for range 2 {
				status, body := ask("/api/endpoints/functions.list?project=" + test.project)
				require.Equal(t, http.StatusOK, status, string(body))
			}
			_, body := ask("/graphql?query=" + url.QueryEscape(viewerDocument))
			var response struct {
				Data struct{ Viewer map[string]any }
			}
			require.NoError(t, json.Unmarshal(body, &response), string(body))
			viewer := response.Data.Viewer
			parts, ok := viewer["budget"].([]any)
			require.True(t, ok, string(body))
			for _, part := range parts {
				part := part.(map[string]any)
				spent := part["spent"].(map[string]any)
				assert.Positive(t, spent["engineSeconds"])
				delete(spent, "engineSeconds")
				period := map[any]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}[part["period"]]
				ends := func(at time.Time) string { return date(at.Truncate(period).Add(period)) }
				assert.Contains(t, []any{ends(before), ends(time.Now().UTC())}, part["resetsAt"])
				delete(part, "resetsAt")
			}
			got, err := json.Marshal(viewer)
			require.NoError(t, err)
			assert.JSONEq(t, test.want, string(got))
		})
	}
}

// send sends a request, and returns the status and the body of the response.
func send(t *testing.T, request *http.Request) (status int, body []byte) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { assert.NoError(t, response.Body.Close()) }()
	body, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, body
}
