package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// yoga is a server of graphql-yoga with its response cache, which has the rows of one response of savedq in
// memory. It stores no events: the methods of a product that it lacks are not called.
type yoga struct {
	product

	script, rows string
}

func (yoga) name() string { return "yoga" }

func (y yoga) command(address, _ string) (arguments, environment []string) {
	return []string{"node", y.script, address, y.rows}, []string{"NODE_ENV=production"}
}

func (yoga) readyPath() string { return "/health" }

func (yoga) authorize(*http.Request) {}

func (y yoga) version(context.Context) (string, error) {
	content, err := os.ReadFile(filepath.Join(filepath.Dir(y.script), "node_modules", "graphql-yoga", "package.json"))
	if err != nil {
		return "", fmt.Errorf("graphql-yoga is not installed; run npm ci in %s, or leave out the step %q: %w",
			filepath.Dir(y.script), stepResponses, err)
	}
	var about struct {
		Version string `json:"version"`
	}
	err = json.Unmarshal(content, &about)
	return "graphql-yoga " + about.Version, err
}

const (
	// Each server responds for responseTime in each of responseTurns.
	responseTime  = 2 * time.Second
	responseTurns = 5

	document = `{invocationStats(project:"project01",interval:ONE_DAY){timestamp minExecutionTime maxExecutionTime ` +
		`avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount}}`
)

// measureResponses asks savedq and graphql-yoga for the same cached response, alternately, as often as they respond.
func (r *run) measureResponses(ctx context.Context, savedq *server, script string) (comparison, error) {
	body, err := json.Marshal(map[string]string{"query": document})
	if err != nil {
		return comparison{}, err
	}
	want, err := rowsOf(ctx, savedq, body)
	if err != nil {
		return comparison{}, err
	}
	y := yoga{script: script, rows: filepath.Join(r.directory, "rows.json")}
	version, err := y.version(ctx)
	if err != nil {
		return comparison{}, err
	}
	if err := os.WriteFile(y.rows, want, 0o600); err != nil {
		return comparison{}, err
	}
	other, err := r.start(ctx, y)
	if err != nil {
		return comparison{}, err
	}
	defer r.stop(other)
	got, err := rowsOf(ctx, other, body)
	if err != nil {
		return comparison{}, err
	}
	if !bytes.Equal(want, got) {
		return comparison{}, fmt.Errorf("the rows differ: savedq has %s, and %s %s", want, version, got)
	}
	servers := [2]*server{savedq, other}
	var responses, processor [2]float64
	for turn := range 2 * responseTurns {
		which := (turn + turn/2) % 2 // each is the first in every other turn
		r.progress("cached responses of %s", servers[which].name())
		count, used, err := servers[which].respond(ctx, body)
		if err != nil {
			return comparison{}, err
		}
		responses[which] += float64(count)
		processor[which] += used.Seconds()
	}
	seconds := responseTurns * responseTime.Seconds()
	return comparison{other: version, rows: []row{
		{"cached GraphQL responses", in("/s", whole), responses[0] / seconds, responses[1] / seconds},
		{"processor time of a response", in("µs", significant), 1e6 * processor[0] / responses[0], 1e6 * processor[1] / responses[1]},
	}}, nil
}

// rowsOf returns the rows of a response as compact JSON.
func rowsOf(ctx context.Context, s *server, body []byte) ([]byte, error) {
	_, content, err := s.post(ctx, body)
	if err != nil {
		return nil, err
	}
	var response struct {
		Data struct {
			InvocationStats []json.RawMessage `json:"invocationStats"`
		} `json:"data"`
	}
	if err := json.Unmarshal(content, &response); err != nil {
		return nil, err
	}
	if len(response.Data.InvocationStats) == 0 {
		return nil, fmt.Errorf("%s has no rows: %s", s.name(), content)
	}
	return json.Marshal(response.Data.InvocationStats)
}

func (s *server) post(ctx context.Context, body []byte) (http.Header, []byte, error) {
	return s.doAs(ctx, http.MethodPost, "/graphql", "application/json", body)
}

// respond sends requests over some connections for [responseTime]. It returns the number of responses, and the
// processor time of the server.
func (s *server) respond(ctx context.Context, body []byte) (int64, time.Duration, error) {
	before, err := s.resources()
	if err != nil {
		return 0, 0, err
	}
	end := time.Now().Add(responseTime)
	var count atomic.Int64
	failures := make([]error, connections)
	var callers sync.WaitGroup
	for i := range connections {
		callers.Go(func() {
			for time.Now().Before(end) && failures[i] == nil {
				_, _, failures[i] = s.post(ctx, body)
				count.Add(1)
			}
		})
	}
	callers.Wait()
	after, err := s.resources()
	return count.Load(), after.processor - before.processor, errors.Join(append(failures, err)...)
}
