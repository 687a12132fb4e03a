package load_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/load"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// received is an event as a server receives it.
type received struct {
	ID           string          `json:"id"`
	Timestamp    string          `json:"timestamp"`
	EventMessage *string         `json:"event_message"`
	Project      *string         `json:"project"`
	Metadata     json.RawMessage `json:"metadata"`
}

// fakeServer receives events like a server, and stores them in memory. It rejects events whose
// message is "reject".
type fakeServer struct {
	*httptest.Server

	mutex  sync.Mutex
	events map[string]received // by source and id
	// requests counts the requests, and duplicates the events that were sent again.
	requests, duplicates int
	// before is called before a request is read, with its number from 1. It reports whether it
	// has responded.
	before func(number int, w http.ResponseWriter) bool
	// after is the same after its events are stored.
	after func(number int, w http.ResponseWriter) bool
}

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	none := func(int, http.ResponseWriter) bool { return false }
	server := &fakeServer{events: make(map[string]received), before: none, after: none}
	server.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.serve(t, w, r) }))
	t.Cleanup(server.Close)
	return server
}

func (s *fakeServer) serve(t *testing.T, w http.ResponseWriter, r *http.Request) {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests++
	assert.Equal(t, "POST /api/logs", r.Method+" "+r.URL.Path)
	assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
	assert.Equal(t, "application/x-ndjson", r.Header.Get("Content-Type"))
	if s.before(s.requests, w) {
		return
	}
	response := struct {
		Message    string           `json:"message"`
		Accepted   int              `json:"accepted"`
		Duplicates int              `json:"duplicates"`
		Rejected   int              `json:"rejected"`
		Errors     []map[string]any `json:"errors,omitempty"`
	}{Message: "Logged!"}
	unpacked, err := zstd.NewReader(r.Body)
	if err != nil {
		t.Error(err)
		return
	}
	defer unpacked.Close()
	lines, position, bytes := bufio.NewReader(unpacked), 0, 0
	for ; ; position++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		bytes += len(line)
		var event received
		if err := errors.Join(err, json.Unmarshal(line, &event)); err != nil {
			t.Error(err)
			return
		}
		key := r.URL.Query().Get("source") + " " + event.ID
		_, stored := s.events[key]
		switch {
		case event.EventMessage != nil && *event.EventMessage == "reject":
			response.Rejected++
			response.Errors = append(response.Errors, map[string]any{"position": position, "reason": "event_message: is not accepted"})
		case stored:
			response.Duplicates++
			s.duplicates++
		default:
			response.Accepted++
			s.events[key] = event
		}
	}
	assert.LessOrEqual(t, position, 1000)
	assert.LessOrEqual(t, bytes, 12<<20)
	if s.after(s.requests, w) {
		return
	}
	if response.Rejected == position {
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
	assert.NoError(t, json.NewEncoder(w).Encode(response))
}

// cut ends the connection without a response.
func cut(t *testing.T, w http.ResponseWriter) {
	t.Helper()
	connection, _, err := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // It is a server for HTTP/1.
	require.NoError(t, err)
	assert.NoError(t, connection.Close())
}

// fail responds with an error.
func fail(w http.ResponseWriter, status int, message string) bool {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":{"code":"CODE","message":%q}}`, message)
	return true
}

// delays records how long a client waits, without waiting.
type delays struct {
	mutex sync.Mutex
	all   []time.Duration
	now   time.Time
}

func (d *delays) wait(ctx context.Context, delay time.Duration) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.all = append(d.all, delay)
	d.now = d.now.Add(delay)
	return ctx.Err()
}

func (d *delays) clock() time.Time {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.now
}

func (d *delays) list() []time.Duration {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.all
}

func sendOptions(server *fakeServer, delays *delays) load.SendOptions {
	delays.now = time.Date(2026, 11, 20, 10, 0, 0, 123456789, time.UTC)
	return load.SendOptions{
		Server: &load.Server{
			Client: &http.Client{
				Transport:     server.Client().Transport,
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			},
			URL: server.URL, Token: "secret", Wait: delays.wait, Now: delays.clock,
			Random: func() float64 { return 0.5 }, Retrying: func(error, time.Duration) {},
		},
		Options:  load.Options{Now: delays.clock, MaxEventBytes: 1 << 20},
		Parallel: 4, Warn: func(string) {},
	}
}

// fakeStore stores events in memory.
type fakeStore struct {
	events   map[string]logevent.Event // by table and id
	begun    int
	rollback int
	// onBegin, onAdd and onCommit are called before the operation. Their errors make it
	// fail.
	onBegin  func() error
	onAdd    func(event logevent.Event) error
	onCommit func() error
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		events:   make(map[string]logevent.Event),
		onBegin:  func() error { return nil },
		onAdd:    func(logevent.Event) error { return nil },
		onCommit: func() error { return nil },
	}
}

func (s *fakeStore) begin(context.Context) (load.Transaction, error) {
	s.begun++
	if err := s.onBegin(); err != nil {
		return nil, err
	}
	return &fakeTransaction{store: s, pending: make(map[string]logevent.Event), mistyped: make(map[eventrow.MistypedField]int)}, nil
}

type fakeTransaction struct {
	store      *fakeStore
	pending    map[string]logevent.Event
	duplicates int
	mistyped   map[eventrow.MistypedField]int
}

func (t *fakeTransaction) Add(ctx context.Context, source *sqlq.Table, event logevent.Event) error {
	if err := t.store.onAdd(event); err != nil {
		return err
	}
	key := source.Name + " " + event.ID
	_, stored := t.store.events[key]
	if _, pending := t.pending[key]; stored || pending {
		t.duplicates++
		return ctx.Err()
	}
	t.pending[key] = event
	for _, field := range eventrow.NewTypeCheck(source).Mistyped(&event) {
		t.mistyped[field]++
	}
	return ctx.Err()
}

func (t *fakeTransaction) Counts() (added, duplicates int) { return len(t.pending), t.duplicates }

func (t *fakeTransaction) Mistyped() map[eventrow.MistypedField]int { return t.mistyped }

func (t *fakeTransaction) Commit(ctx context.Context) error {
	if err := t.store.onCommit(); err != nil {
		return err
	}
	maps.Copy(t.store.events, t.pending)
	return ctx.Err()
}

func (t *fakeTransaction) Rollback() error {
	t.store.rollback++
	return nil
}
