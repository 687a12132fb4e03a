package memory

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// greedy returns SQL of callers that asks for more memory than a small container has. The server tells for each how
// many bytes of a row an expression of it may take, which is then about what it asks for in place of {bytes}.
func greedy() []struct{ name, sql string } {
	const text, array = "REPEAT(id, DIV({bytes}, LENGTH(id)))", "GENERATE_ARRAY(1, DIV({bytes}, 8) + LENGTH(id) - LENGTH(event_message))"
	const distinct = "CONCAT(id, REPEAT(id, DIV({bytes}, LENGTH(id)) - 2))"
	return []struct{ name, sql string }{
		{"texts", "SELECT " + text + " AS x FROM edge_logs"},
		{"sorted texts", "SELECT " + text + " AS x FROM edge_logs ORDER BY x DESC"},
		{"joined texts", "SELECT COUNT(*) AS n FROM (SELECT " + text + " AS x FROM edge_logs) a JOIN (SELECT " + text + " AS x FROM edge_logs) b USING (x)"},
		{"one text of all", "SELECT STRING_AGG(" + text + ") AS x FROM edge_logs"},
		{"one array of texts", "SELECT ARRAY_AGG(" + text + ") AS x FROM edge_logs"},
		{"texts in a window", "SELECT LAG(x) OVER (ORDER BY id) AS x FROM (SELECT id, " + text + " AS x FROM edge_logs)"},
		{"arrays", "SELECT " + array + " AS x FROM edge_logs"},
		{"a hundred texts", "SELECT " + hundred("LPAD(id, {bytes}) AS x%d") + " FROM edge_logs"},
		{"groups of texts", "SELECT " + text + " AS x, COUNT(*) AS n FROM edge_logs GROUP BY x"},
		{"different texts", "SELECT COUNT(DISTINCT " + distinct + ") AS n FROM edge_logs"},
		{"the largest texts", "SELECT " + hundred("MAX(LPAD(id, {bytes})) AS x%d") + " FROM edge_logs"},
		{"padded texts", "SELECT LPAD(id, {bytes}) AS x FROM edge_logs"},
		{"replaced texts", "SELECT REPLACE(" + text + ", '-', '++') AS x FROM edge_logs"},
		{"characters", "SELECT SPLIT(" + text + ", '') AS x FROM edge_logs"},
		{"one array of arrays", "SELECT ARRAY_CONCAT_AGG(" + array + ") AS x FROM edge_logs"},
		{"arrays as JSON", "SELECT TO_JSON_STRING(" + array + ") AS x FROM edge_logs"},
		{"arrays of structs", "SELECT ARRAY(SELECT AS STRUCT n, " + text + " AS x FROM UNNEST(GENERATE_ARRAY(1, 100)) AS n) AS x FROM edge_logs"},
		{"the same array for each", "SELECT GENERATE_ARRAY(1, 262144) AS x FROM edge_logs"},
		{"times", "SELECT GENERATE_TIMESTAMP_ARRAY('2026-01-01', '2026-01-03', INTERVAL 1 SECOND) AS x FROM edge_logs"},
		{"metadata as JSON, as one array", "SELECT ARRAY_AGG(TO_JSON_STRING(metadata)) AS x FROM edge_logs"},
	}
}

func hundred(column string) string {
	columns := make([]string, 100)
	for i := range columns {
		columns[i] = fmt.Sprintf(column, i)
	}
	return strings.Join(columns, ", ")
}

// testGreedyCallers runs a server in small containers, with callers whose SQL asks for more memory than there is.
// It costs them their request, and the server nothing.
func testGreedyCallers(t *testing.T, binary string) {
	t.Helper()
	newContainer(t, 1<<30) // skips the test before the events are loaded
	directory := t.TempDir()
	data, tokens := filepath.Join(directory, "data"), filepath.Join(directory, "tokens.yaml")
	loadEvents(t, binary, data)
	require.NoError(t, os.WriteFile(tokens, fmt.Appendf(nil, `tokens:
  - {name: "greedy", sha256: "%x", projects: ["acme"], explore: true}
  - {name: "ordinary", sha256: "%x"}
`, sha256.Sum256([]byte(greedyToken)), sha256.Sum256([]byte(ordinaryToken))), 0o600))
	for _, mebibytes := range []int64{256, 512, 1024} {
		t.Run(fmt.Sprintf("%d MiB", mebibytes), func(t *testing.T) {
			group := newContainer(t, mebibytes<<20)
			s := startContained(t, group, binary, "--data", data, "--tokens", tokens)
			var texts []string
			for _, text := range greedy() {
				texts = append(texts, s.requireServed(t, text.name, text.sql))
			}
			var together sync.WaitGroup
			for n, sql := range texts[:8] {
				together.Go(func() { s.assertServed(t, greedy()[n].name+", together", sql) })
			}
			together.Wait()
			status, body, err := s.send(t.Context(), http.MethodGet, "/api/endpoints/usage.api-counts?interval=daily&project=acme", ordinaryToken, nil)
			require.NoError(t, err, "%s", s.logged())
			require.Equal(t, http.StatusOK, status, "%s\n%s", body, s.logged())
			require.Equal(t, "0", group.killed(), "processes that the kernel has killed")
			s.stop(t)
		})
	}
}

const (
	greedyToken   = "greedy-token-of-the-test"
	ordinaryToken = "ordinary-token-of-the-test"
)

// loadEvents loads 400,000 events: a text of 4 KiB for each takes 1.6 GB.
func loadEvents(t *testing.T, binary, data string) {
	t.Helper()
	const events = 400_000
	path, now := filepath.Join(t.TempDir(), "events.ndjson"), time.Now().UnixMicro()
	file, err := os.Create(path)
	require.NoError(t, err)
	written := bufio.NewWriter(file)
	for n := range events {
		_, _ = fmt.Fprintf(written, `{"id":"%08x-0000-4000-8000-%012x","timestamp":%d,"event_message":"GET | 200 | 192.0.2.1 | /rest/v1/items?id=%d","project":"acme","metadata":{"request":{"method":"GET","path":"/rest/v1/items","url":"https://acme.example.com/rest/v1/items"},"response":{"status_code":200}}}`+"\n",
			n, n, now-int64(n)*200_000, n)
	}
	require.NoError(t, written.Flush())
	require.NoError(t, file.Close())
	output, err := exec.CommandContext(t.Context(), binary, "load", "--source", "edge_logs", "--data", data, path).CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "400,000 events loaded, 0 rejected")
}

// contained is a server in a container.
type contained struct {
	group   container
	address string
	command *exec.Cmd
	stdout  *bufio.Reader
	log     *os.File
}

func startContained(t *testing.T, group container, binary string, flags ...string) *contained {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	// Other work on this machine must not end requests with 503 or 504.
	patient := []string{"serve", "--addr", "127.0.0.1:0", "--query-timeout", "2m", "--sandbox-timeout", "2m", "--queue-target", "1m", "--queue-timeout", "2m"}
	s := &contained{group: group, log: log, command: group.run(t, binary, append(patient, flags...)...)}
	s.command.Stderr = log
	stdout, err := s.command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.command.Start())
	t.Cleanup(func() {
		if s.command.ProcessState == nil {
			_ = s.command.Process.Kill()
			_ = s.command.Wait()
		}
	})
	s.stdout = bufio.NewReader(stdout)
	for s.address == "" {
		line, err := s.stdout.ReadString('\n')
		require.NoError(t, err, "the server ended early: %s", s.logged())
		s.address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line)
	}
	return s
}

// logged returns the last lines of the log, for the messages of failures.
func (s *contained) logged() string {
	text, _ := os.ReadFile(s.log.Name())
	lines := strings.SplitAfter(string(text), "\n")
	return fmt.Sprintf("the kernel has killed %s processes for their memory; the last lines of the log:\n", s.group.killed()) + strings.Join(lines[max(0, len(lines)-12):], "")
}

func (s *contained) send(ctx context.Context, method, path, token string, body []byte) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.address+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("X-API-KEY", token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	begin, err := io.ReadAll(io.LimitReader(response.Body, 300))
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	return response.StatusCode, begin, err
}

func (s *contained) explore(ctx context.Context, sql string) (int, []byte, error) {
	body, err := json.Marshal(map[string]string{"sql": sql})
	if err != nil {
		return 0, nil, err
	}
	return s.send(ctx, http.MethodPost, "/api/explore", greedyToken, body)
}

// requireServed sends SQL that asks for ever fewer bytes of a row, until it asks for no more than it may, which it returns.
func (s *contained) requireServed(t *testing.T, name, text string) string {
	t.Helper()
	for size := 10_000_000; ; {
		sql := strings.ReplaceAll(text, "{bytes}", strconv.Itoa(size))
		response, served := s.assertServed(t, name, sql)
		if !served {
			t.FailNow()
		}
		most := regexp.MustCompile(`needs more than (\d+) bytes`).FindStringSubmatch(response)
		if most == nil {
			return sql
		}
		share, err := strconv.Atoi(most[1])
		require.NoError(t, err)
		size = min(size/2, share)
		require.Positive(t, size, "%s: %s", name, response)
	}
}

// assertServed asserts that the server has served SQL of a caller, or has refused it for what it takes, and returns the
// beginning of the response.
func (s *contained) assertServed(t *testing.T, name, sql string) (string, bool) {
	t.Helper()
	start := time.Now()
	status, response, err := s.explore(t.Context(), sql)
	if err != nil {
		return "", assert.Fail(t, "the server has not responded", "%s: %v\n%s\n%s", name, err, sql, s.logged())
	}
	t.Logf("%s: %d in %v, the largest memory is %s: %.200s", name, status, time.Since(start).Round(time.Millisecond), s.group.largest(), response)
	return string(response), assert.NotContains(t, string(response), "line 1", "%s: %s is wrong SQL", name, sql) &&
		assert.Contains(t, []int{http.StatusOK, http.StatusBadRequest, http.StatusTooManyRequests}, status, "%s: %s\n%s\n%s", name, sql, response, s.logged())
}

func (s *contained) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, s.command.Process.Signal(syscall.SIGTERM), "%s", s.logged())
	_, _ = io.Copy(io.Discard, s.stdout)
	require.NoError(t, s.command.Wait(), "%s", s.logged())
	log, err := os.ReadFile(s.log.Name())
	require.NoError(t, err)
	require.Contains(t, string(log), `"of":"container"`, "the server has not seen the limit of its memory")
}
