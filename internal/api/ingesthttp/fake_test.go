package ingesthttp_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logevent"
	"savedq/sqlq/tables"
)

// fakeCommitter keeps batches in memory. Ids that a source already has are duplicates.
type fakeCommitter struct {
	// commit, if set, replaces the commit.
	commit func(ctx context.Context, batch ingest.Batch) (ingest.Counts, error)

	mutex   sync.Mutex
	batches []ingest.Batch
	seen    map[string]bool
}

var _ ingest.Committer = (*fakeCommitter)(nil)

func (c *fakeCommitter) Commit(ctx context.Context, batch ingest.Batch) (ingest.Counts, error) {
	if c.commit != nil {
		return c.commit(ctx, batch)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.batches = append(c.batches, batch)
	if c.seen == nil {
		c.seen = make(map[string]bool)
	}
	counts := ingest.Counts{}
	for _, event := range batch.Events {
		key := event.Source.Name + " " + event.ID
		if c.seen[key] {
			counts.Duplicates++
			continue
		}
		c.seen[key] = true
		counts.Accepted++
	}
	return counts, nil
}

// events returns all committed events.
func (c *fakeCommitter) events() []logevent.Sourced {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var events []logevent.Sourced
	for _, batch := range c.batches {
		events = append(events, batch.Events...)
	}
	return events
}

func clock() time.Time { return time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC) }

// newHandlers returns handlers that commit to the committer. Tests change the configuration
// as needed.
func newHandlers(committer ingest.Committer, change func(*ingesthttp.Config)) *ingesthttp.Handlers {
	logger := slog.New(slog.DiscardHandler)
	var mutex sync.Mutex
	made := 0
	config := ingesthttp.Config{
		Tables:    tables.Shipped,
		Committer: committer, MemoryBytes: ingesthttp.DefaultMemoryBytes, Clock: clock, Logger: logger, Errors: httperror.NewWriter(logger),
		NewID: func() string {
			mutex.Lock()
			defer mutex.Unlock()
			made++
			return "new-" + strconv.Itoa(made)
		},
	}
	if change != nil {
		change(&config)
	}
	return ingesthttp.New(config)
}

// post sends a request, whose headers are pairs, with a token that may do everything.
func post(t *testing.T, handler http.Handler, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	auth.NoAuth(handler).ServeHTTP(recorder, request)
	return recorder
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
