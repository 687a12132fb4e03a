package faults_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/explorehttp"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/engines"
	"savedq/internal/http/httpserver"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/upkeep"
	savedqserver "savedq/internal/server"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/connect"
	"savedq/sqlq/runner"
)

const (
	// poison is in SQL of a caller that makes DuckDB fail.
	poison = "poison"
	// poisonMessage is in the message of DuckDB.
	poisonMessage = "INTERNAL Error: Unknown comparison type"
)

// poisonSQL returns SQL on which DuckDB fails with an internal error while it runs, which invalidates the instance: the tree of the
// SQL in it has a comparison of a type that is none. No caller can use this function.
func poisonSQL(t *testing.T) string {
	t.Helper()
	connector, err := connect.New("", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	defer func() { assert.NoError(t, db.Close()) }()
	var tree string
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT CAST(json_serialize_sql('SELECT a = b AS x FROM (VALUES (1, 2), (3, 4)) AS t(a, b)') AS VARCHAR)").Scan(&tree))
	return "SELECT * FROM json_execute_serialized_sql('" + strings.Replace(tree, "COMPARE_EQUAL", "SUBQUERY", 1) + "')"
}

// poisonable is the embedded engine, on which some SQL of callers meets a fault of DuckDB. It checks in the process of the test.
type poisonable struct {
	engines.Engine
	sql string
}

func (poisonable) OfflineChecker() engines.Checker { return nil }

func (p poisonable) Checker(ctx context.Context, environment engines.Environment) (engines.Checker, error) {
	return p.TestBackend(ctx, environment)
}

func (p poisonable) Open(ctx context.Context, opening engines.Opening) (*engines.Opened, error) {
	opened, err := p.Engine.Open(ctx, opening)
	if err == nil {
		opened.Engine = poisoned{opened.Engine, p.sql}
	}
	return opened, err
}

type poisoned struct {
	sqlq.Engine
	sql string
}

// Run returns the failure as that of SQL which fails by itself, without the function around it.
func (p poisoned) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	if statement.Query.Callers == nil || !strings.Contains(statement.Query.SQL, poison) {
		return p.Engine.Run(ctx, statement)
	}
	query := *statement.Query
	query.SQL = p.sql
	statement.Query = &query
	result, err := p.Engine.Run(ctx, statement)
	if mistake := new(sqlq.Error); errors.As(err, &mistake) && strings.Contains(fmt.Sprint(mistake.Unwrap()), poisonMessage) {
		err = fmt.Errorf("run: %w: %s", sqlq.ErrEngineFault, poisonMessage)
	}
	return result, err
}

// running is a whole server that listens.
type running struct {
	t   *testing.T
	url string
	log *log
}

// log has the lines of the server's log, but for successful requests. It is safe for concurrent use.
type log struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (l *log) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if strings.Contains(string(line), " msg=request ") && strings.Contains(string(line), " status=200 ") {
		return len(line), nil
	}
	return l.text.Write(line)
}

func (l *log) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// start runs a server with the tokens guilty, which may explore, and other, which may do everything.
// Further tokens may do everything, too, and further changes of the configuration are made.
func start(t *testing.T, further []string, changes ...func(config *savedqserver.Config)) *running {
	t.Helper()
	data, queries := t.TempDir(), t.TempDir()
	tokens := filepath.Join(data, "tokens.yaml")
	require.NoError(t, auth.AddToFile(tokens, auth.Token{Name: "guilty", Explore: true}, auth.HashOf("guilty")))
	require.NoError(t, auth.AddToFile(tokens, auth.FullAccess("other"), auth.HashOf("other")))
	for _, name := range further {
		require.NoError(t, auth.AddToFile(tokens, auth.FullAccess(name), auth.HashOf(name)))
	}
	require.NoError(t, os.Mkdir(filepath.Join(queries, "mine.count"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(queries, "mine.count", "query.yaml"), []byte(`id: 00000000-0000-4000-8000-000000000001
name: mine.count
description: How many events there are.
cache: disabled
params: [{name: caller, type: INT64, required: true, description: Keeps the runs of callers apart.}]
columns:
  - {name: events, type: INT64, description: Events.}
  - {name: ids, type: INT64, description: Different ids.}
`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(queries, "mine.count", "query.sql"), []byte("SELECT COUNT(*) AS events, COUNT(DISTINCT id) AS ids FROM edge_logs WHERE @caller IS NOT NULL"), 0o600))
	const memory = 256 << 20
	output, printed := io.Pipe()
	r := &running{t: t, log: &log{}}
	config := savedqserver.Config{
		Address: "127.0.0.1:0", Tokens: tokens, MaxRequests: 100, Data: data,
		Limits:      httpserver.Limits{QueryTimeout: time.Minute, Drain: 10 * time.Second},
		Connections: httpserver.ConnectionLimits{Total: 100, PerClient: 100},
		Engine:      poisonable{engines.DuckDB{Store: engines.Store{Directory: data, MemoryBytes: memory}, CallersProcess: true}, poisonSQL(t)}, Queries: engines.Folders{Directories: []string{queries}},
		Runner:  runner.Config{QueryTimeout: time.Minute, SandboxTimeout: time.Minute, EngineConcurrency: 4, QueueTimeout: time.Minute, QueueTarget: time.Minute, QueueLength: 100, CacheBytes: 1 << 20, WarmConcurrency: 1},
		GraphQL: graphqlhttp.Config{BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()},
		Ingest:  ingest.Config{WaitingBytes: 1 << 20, IDBytes: 1 << 20}, IngestHTTP: ingesthttp.Config{MemoryBytes: ingesthttp.MinMemoryBytes},
		Retention: &upkeep.RetentionPolicy{}, Registry: prometheus.NewRegistry(), Logger: slog.New(slog.NewTextHandler(r.log, nil)), DroppedLogLines: func() int64 { return 0 },
		Output: printed, Clock: time.Now, Getenv: func(string) string { return "" }, RunMore: func(int) {},
	}
	for _, change := range changes {
		change(&config)
	}
	s := savedqserver.New(config)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		err := s.Run(ctx)
		_ = printed.CloseWithError(fmt.Errorf("the server has ended: %w", err))
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		http.DefaultClient.CloseIdleConnections()
		assert.NoError(t, <-ended)
	})
	lines := bufio.NewReader(output)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	r.url = strings.TrimSpace(strings.TrimPrefix(first, "savedq is ready on "))
	return r
}

// send sends a request of a token and returns the status and the body of the response. It can be called from any goroutine.
func (r *running) send(token, method, path, body string) (status int, text string) {
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("X-Api-Key", token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(read)
}

// counted returns the rows of mine.count.
func counted(body string) (events, ids int) {
	var decoded struct{ Result []struct{ Events, IDs int } }
	if json.Unmarshal([]byte(body), &decoded) != nil || len(decoded.Result) != 1 {
		return -1, -1
	}
	return decoded.Result[0].Events, decoded.Result[0].IDs
}

// SQL of a caller on which DuckDB fails invalidates the instance of the process for such SQL, and nothing else: the store is not
// opened again, others get rows, no acknowledged event is lost or stored twice, and the caller cannot repeat it.
func TestInvalidatedByCaller(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	var reads, acknowledged, probes atomic.Int64
	done := make(chan struct{})
	var others sync.WaitGroup
	repeat := func(work func(i int)) {
		others.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
					work(i)
				}
			}
		})
	}
	for caller := range 3 {
		least := 0
		repeat(func(int) {
			status, body := r.send("other", http.MethodGet, fmt.Sprintf("/api/endpoints/mine.count?caller=%d", caller), "")
			events, ids := counted(body)
			if assert.Equal(t, http.StatusOK, status, body) {
				assert.GreaterOrEqual(t, events, least, "no event disappears")
				assert.Equal(t, events, ids, "no event is stored twice")
				least = events
			}
			reads.Add(1)
		})
	}
	for sender := range 2 {
		repeat(func(i int) {
			status, body := r.send("other", http.MethodPost, "/api/logs?source=edge_logs", fmt.Sprintf(`{"id":"%d-%d","event_message":"x"}`, sender, i))
			if assert.Equal(t, http.StatusOK, status, body) {
				acknowledged.Add(1)
			}
		})
	}
	repeat(func(int) {
		status, body := r.send("other", http.MethodGet, "/readyz", "")
		assert.Equal(t, http.StatusOK, status, "a wait is no reason to send requests elsewhere: %s", body)
		probes.Add(1)
	})
	progress := func() {
		t.Helper()
		for _, counter := range []*atomic.Int64{&reads, &acknowledged, &probes} {
			before := counter.Load()
			require.Eventually(t, func() bool { return counter.Load() >= before+10 }, time.Minute, 10*time.Millisecond)
		}
	}
	explore := func(sql string) (int, string) {
		t.Helper()
		body, err := json.Marshal(map[string]string{"sql": sql})
		require.NoError(t, err)
		return r.send("guilty", http.MethodPost, explorehttp.Path, string(body))
	}
	progress()
	const texts = 2
	for i := range texts {
		sql := fmt.Sprintf("SELECT '%s-%d' AS x", poison, i)
		status, body := explore(sql)
		assert.Equal(t, http.StatusInternalServerError, status, body)
		assert.NotContains(t, body, "Stack Trace")
		progress()
		status, body = explore(sql)
		assert.Equal(t, http.StatusBadRequest, status, body)
		assert.Contains(t, body, "the engine failed on this SQL, so it is refused until ")
		assert.Contains(t, body, `"argument":"sql"`)
	}
	status, body := explore("SELECT 1 AS x")
	assert.Equal(t, http.StatusOK, status, "other SQL of the caller is not refused: %s", body)
	progress()
	close(done)
	others.Wait()

	require.Eventually(t, func() bool {
		_, body := r.send("other", http.MethodGet, "/api/endpoints/mine.count?caller=9", "")
		events, ids := counted(body)
		return events == int(acknowledged.Load()) && ids == events
	}, time.Minute, 10*time.Millisecond, "all acknowledged events are stored, once")
	assert.NotContains(t, r.log.String(), `msg="the store was reopened"`)
	status, body = r.send("other", http.MethodGet, "/metrics", "")
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "\nsavedq_engine_reachable 1\n")
	assert.Contains(t, body, "\n"+`savedq_callers_process_ends_total{reason="fault"} `+strconv.Itoa(texts)+"\n")
	assert.Contains(t, body, "\n"+`savedq_engine_queries_total{endpoint="explore",outcome="internal"} `+strconv.Itoa(texts)+"\n")
	assert.NotContains(t, body, `savedq_engine_queries_total{endpoint="mine.count",outcome="internal"}`)
	assert.NotContains(t, body, `savedq_engine_queries_total{endpoint="mine.count",outcome="unavailable"}`)
}
