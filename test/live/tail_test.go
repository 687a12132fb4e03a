package live_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A posted event reaches the subscriptions to the logs, and a shutdown does not wait for
// them.
func TestFollowLogs(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", t.TempDir(), "--drain", "1h")
	request := func(path, accept, body string) *http.Response {
		t.Helper()
		response := ask(t, http.MethodPost, s.url+path, strings.NewReader(body),
			"X-Api-Key", s.token, "Accept", accept, "Content-Type", "application/json")
		t.Cleanup(func() { _ = response.Body.Close() })
		require.Equal(t, http.StatusOK, response.StatusCode)
		return response
	}
	stream := request("/graphql", "text/event-stream",
		`{"query":"subscription { logsTail(project: \"acme\", source: \"cloudflare.logs.prod\", filter: \"HELLO\") { events { id source project eventMessage } dropped } }"}`)
	lines := bufio.NewScanner(stream.Body)
	next := func() string {
		t.Helper()
		for lines.Scan() {
			if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
				return data
			}
		}
		require.Fail(t, "the stream has ended")
		return ""
	}
	assert.Equal(t, `{"data":{"logsTail":{"events":[],"dropped":0}}}`, next())
	request("/api/logs?source=edge_logs", "*/*", `{"batch":[
		{"id":"1","event_message":"hello globex","project":"globex"},
		{"id":"2","event_message":"bye acme","project":"acme"},
		{"id":"3","event_message":"hello acme","project":"acme"}]}`)
	assert.Equal(t, `{"data":{"logsTail":{"events":[{"id":"edge_logs:3","source":"edge_logs","project":"acme","eventMessage":"hello acme"}],"dropped":0}}}`, next())
	assert.Zero(t, s.stop(t), "long before the server would have drained for an hour")
}
