package faults_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/explorehttp"
	"savedq/internal/operations/memory"
	savedqserver "savedq/internal/server"
)

// attacks are SQL of callers that takes more memory than there is, or crashes DuckDB, by the name of the caller's token. No limit
// of the translation protects from SQL in DuckDB's own dialect.
func attacks() map[string]string {
	return map[string]string{
		"texts":          "SELECT repeat('x', 100000) || i AS x FROM range(1000000) AS t(i)",
		"sorted":         "SELECT repeat('x', 100000) || i AS x FROM range(100000) AS t(i) ORDER BY x DESC",
		"arrays":         "SELECT range(0, 10000000 + i) AS x FROM range(1000) AS t(i)",
		"distinct":       "SELECT count(DISTINCT repeat('x', 100000) || i) AS x FROM range(100000) AS t(i)",
		"one-text":       "SELECT string_agg(repeat('x', 1000000) || i, ',') AS x FROM range(10000) AS t(i)",
		"one-large-text": "SELECT length(repeat('x', 1000000000 + i::INTEGER)) AS x FROM range(100) AS t(i)",
		"deep-json":      "SELECT json_extract(repeat('[', 10000000 + i::INTEGER) || repeat(']', 10000000 + i::INTEGER), '$[0]')::VARCHAR AS x FROM range(8) AS t(i)",
		"window":         "SELECT lag(x) OVER (ORDER BY i) AS x FROM (SELECT i, repeat('x', 100000) || i AS x FROM range(100000) AS t(i))",
	}
}

// SQL of callers that takes more memory than there is costs its caller the request. The server takes little memory for it, and
// all others get their responses. The memory of the process is measured, so no other test runs meanwhile.
func TestAttacksOfCallers(t *testing.T) { //nolint:paralleltest // See above.
	const most = 256 << 20
	names := make([]string, 0, len(attacks()))
	for name := range attacks() {
		names = append(names, name)
	}
	r := start(t, names, func(config *savedqserver.Config) { config.Dev = true })
	explore := func(token, sql string) (int, string) {
		body, err := json.Marshal(map[string]string{"sql": sql, "dialect": explorehttp.DuckDB})
		if err != nil {
			return 0, err.Error()
		}
		return r.send(token, http.MethodPost, explorehttp.Path, string(body))
	}
	status, body := explore("other", "SELECT 1 AS x") // what it takes at first is no memory of an attack
	require.Equal(t, http.StatusOK, status, body)
	before, known := memory.Resident()
	if !known {
		t.Skip("only Linux tells the memory of a process cheaply")
	}
	done := make(chan struct{})
	var others sync.WaitGroup
	var sent, responses, largest atomic.Int64
	others.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			status, body := r.send("other", http.MethodPost, "/api/logs?source=edge_logs", fmt.Sprintf(`{"id":"%d","event_message":"x"}`, i))
			if assert.Equal(t, http.StatusOK, status, body) {
				sent.Add(1)
			}
			status, body = r.send("other", http.MethodGet, "/api/endpoints/mine.count?caller=1", "")
			assert.Equal(t, http.StatusOK, status, body)
			status, body = r.send("other", http.MethodGet, "/readyz", "")
			assert.Equal(t, http.StatusOK, status, body)
			responses.Add(1)
			now, _ := memory.Resident()
			largest.Store(max(largest.Load(), now))
		}
	})
	// One after the other, and then all together.
	for name, sql := range attacks() {
		started := time.Now()
		status, body := explore(name, sql)
		assert.Contains(t, []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadRequest}, status, "%s: %s", name, body)
		t.Logf("%s: %d after %s: %s", name, status, time.Since(started).Round(time.Millisecond), body[:min(len(body), 200)])
		status, body = explore("other", "SELECT count(*) AS x FROM edge_logs")
		assert.Equal(t, http.StatusOK, status, "after %s: %s", name, body)
	}
	var together sync.WaitGroup
	for name, sql := range attacks() {
		together.Go(func() {
			status, body := explore(name, strings.Replace(sql, " AS x", "  AS x", 1)) // another text, which is not refused yet
			assert.NotEqual(t, http.StatusOK, status, "%s: %s", name, body)
		})
	}
	for range 3 { // a token may compile four at a time
		together.Go(func() {
			status, body := explore("other", "SELECT count(*) AS x FROM edge_logs")
			assert.Equal(t, http.StatusOK, status, body)
		})
	}
	together.Wait()
	require.Eventually(t, func() bool { return responses.Load() > 10 }, time.Minute, time.Millisecond)
	close(done)
	others.Wait()
	assert.Less(t, largest.Load()-before, int64(most))
	t.Logf("the server took %d MiB more, and responded to %d rounds of others", (largest.Load()-before)>>20, responses.Load())
	require.Eventually(t, func() bool {
		_, body := explore("other", "SELECT count(*) AS x FROM edge_logs")
		return strings.Contains(body, fmt.Sprintf(`"x":%d}`, sent.Load()))
	}, time.Minute, 10*time.Millisecond, "events of others are stored")
}
