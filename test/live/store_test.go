package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// store runs "savedq store" with the server's token.
func (s *server) store(t *testing.T, args ...string) outcome {
	t.Helper()
	return s.run(t, append([]string{"store"}, args...)...)
}

// post sends events of acme to a running server.
func (s *server) post(t *testing.T, from, to int) {
	t.Helper()
	var events []string
	for i := from; i < to; i++ {
		events = append(events, fmt.Sprintf(`{"id":"%d","project":"acme","event_message":"m","timestamp":%d,"metadata":{"request":{"url":"https://acme.example.com/rest/v1/x","path":"/rest/v1/x"}}}`, i, 1_772_366_400_000_000+i*1_000_000))
	}
	body(t, s.send(t, http.MethodPost, "/api/logs?source=edge_logs", strings.NewReader("["+strings.Join(events, ",")+"]")))
}

// While a server has the store open, commands on its directory suggest --url, and do the
// same work with it. A backup has all events acknowledged before it, and so has the store
// of a killed server.
func TestStoreOfARunningServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := serve(t, "--data", data)
	s.post(t, 0, 500)
	for _, command := range [][]string{{"stats"}, {"delete", "--project=acme"}, {"backup", filepath.Join(t.TempDir(), "x")}, {"rejected"}} {
		refused := s.store(t, append(command, "--data", data)...)
		assert.Equal(t, 1, refused.status)
		assert.Contains(t, refused.stderr, "is in use by another process (PID ")
		assert.Contains(t, refused.stderr, "--url")
	}
	query := run(t, "query", "logs.all", "project=acme", "--data", data)
	assert.Equal(t, 1, query.status)
	assert.Contains(t, query.stderr, "; or ask that server: GET /api/endpoints/logs.all\n")
	withoutToken := run(t, "store", "stats", "--url", s.url)
	assert.Equal(t, 1, withoutToken.status)
	assert.Contains(t, withoutToken.stderr, "does not accept the token; set the variable SAVEDQ_TOKEN")

	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	backedUp := s.store(t, "backup", first, "--url", s.url)
	require.Equal(t, 0, backedUp.status, backedUp.stderr)
	assert.Contains(t, backedUp.stdout, first+": 500 events, ")
	s.post(t, 500, 700)
	deleted := s.store(t, "delete", "--project=acme", "--before=2026-03-01T12:01:40Z", "--url", s.url)
	require.Equal(t, 0, deleted.status, deleted.stderr)
	assert.Equal(t, "edge_logs: 100 events deleted\nacme: 100 events deleted\n", deleted.stdout)
	s.post(t, 700, 800)
	require.NoError(t, s.command.Process.Kill())
	_ = s.command.Wait()
	backedUp = run(t, "store", "backup", second, "--data", data)
	require.Equal(t, 0, backedUp.status, backedUp.stderr)
	assert.Contains(t, backedUp.stdout, second+": 700 events, ", "with what the killed server had not stored yet")

	for directory, want := range map[string]int{first: 500, second: 700} {
		restored := serve(t, "--data", directory)
		var stats struct{ Result []struct{ Events int } }
		require.NoError(t, json.Unmarshal([]byte(restored.store(t, "stats", "--format=json", "--url", restored.url).stdout), &stats))
		assert.Equal(t, want, stats.Result[0].Events)
		response := body(t, restored.send(t, http.MethodPost, "/api/logs?source=edge_logs", strings.NewReader(`[{"id":"499","event_message":"m"},{"id":"new","event_message":"m"}]`)))
		assert.Contains(t, response, `"accepted":1,"duplicates":1`, "the backup has the ids of recent events")
		assert.Equal(t, 0, restored.stop(t))
	}
}
