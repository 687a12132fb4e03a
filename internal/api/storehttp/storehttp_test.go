package storehttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/storehttp"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123_456_000, time.UTC) //nolint:gochecknoglobals // It is a constant.

// fake is a store that a test describes.
type fake struct {
	stats    logstore.Stats
	deleted  func(upkeep.Erasure) ([]upkeep.Deleted, error)
	rejected func(logstore.RejectedFilter, func(logevent.Rejected) error) error
	backup   func(logstore.HeldParts, func(logstore.BackupFile) error) error
}

func (f *fake) Stats(context.Context) (logstore.Stats, error) { return f.stats, nil }

func (f *fake) Delete(_ context.Context, erasure upkeep.Erasure) ([]upkeep.Deleted, error) {
	return f.deleted(erasure)
}

func (f *fake) Rejected(_ context.Context, filter logstore.RejectedFilter, each func(logevent.Rejected) error) error {
	return f.rejected(filter, each)
}

func (f *fake) Backup(_ context.Context, held logstore.HeldParts, each func(logstore.BackupFile) error) error {
	return f.backup(held, each)
}

func handlerOf(maintained upkeep.Maintenance) http.Handler {
	logger := slog.New(slog.DiscardHandler)
	purge := func(query, project string) (int, error) {
		if query == "nosuch" {
			return 0, sqlq.Errorf(sqlq.NotFound, "there is no %s", query)
		}
		return len(query) + len(project), nil
	}
	return storehttp.NewHandler(storehttp.Config{Maintenance: maintained, Purge: purge, Clock: time.Now, Errors: httperror.NewWriter(logger), Logger: logger})
}

func serve(t *testing.T, handler http.Handler) *storehttp.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &storehttp.Client{HTTP: server.Client(), URL: server.URL + "/", Token: "secret"}
}

// manyParts are more parts than fit into the body of other requests.
func manyParts() logstore.HeldParts {
	held := make(logstore.HeldParts)
	for i := range 10_000 {
		held[fmt.Sprintf("%08d.events", i)] = strings.Repeat("a", 64)
	}
	return held
}

// The client receives what the handler sends.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	edge, postgres, auth := "edge_logs", "postgres_logs", "auth_logs"
	events := []logevent.Rejected{
		{Received: noon, RequestID: "r", Source: "edge_logs", Position: 7, Reason: "no <id>", Event: "{\"a\":\"\u2028\"\n"},
		{Received: noon.Add(time.Second), Source: "x"},
	}
	store := &fake{
		stats: logstore.Stats{
			Sources:  []logstore.SourceStats{{Source: edge, Events: 1 << 60, Bytes: 2, Oldest: &noon, Newest: new(noon.Add(time.Hour)), LastHour: 3, LastDay: 4}, {Source: auth}, {Source: postgres, Events: 1}},
			Rejected: 5, Parts: 6, FileBytes: 7, RecentBytes: 8,
		},
		deleted: func(erasure upkeep.Erasure) ([]upkeep.Deleted, error) {
			assert.Equal(t, upkeep.Erasure{Project: "acme", Sources: []string{edge, auth}, Before: noon, DryRun: true}, erasure)
			return []upkeep.Deleted{{Source: edge, Events: 3}, {Source: auth}}, nil
		},
		rejected: func(filter logstore.RejectedFilter, each func(logevent.Rejected) error) error {
			assert.Equal(t, logstore.RejectedFilter{Source: "ü&x", Since: noon, Most: 9}, filter)
			return errors.Join(each(events[0]), each(events[1]))
		},
		backup: func(held logstore.HeldParts, each func(logstore.BackupFile) error) error {
			assert.Equal(t, manyParts(), held)
			return errors.Join(
				each(logstore.BackupFile{Name: "parts/00000001.events", Size: 3, Content: strings.NewReader("abc")}),
				each(logstore.BackupFile{Name: "manifest.json", Size: 0, Content: strings.NewReader("")}),
			)
		},
	}
	client := serve(t, handlerOf(store))
	stats, err := client.Stats(t.Context())
	require.NoError(t, err)
	assert.Equal(t, store.stats, stats)
	deleted, err := client.Delete(t.Context(), upkeep.Erasure{Project: "acme", Sources: []string{edge, auth}, Before: noon, DryRun: true})
	require.NoError(t, err)
	assert.Equal(t, []upkeep.Deleted{{Source: edge, Events: 3}, {Source: auth}}, deleted)
	var received []logevent.Rejected
	require.NoError(t, client.Rejected(t.Context(), logstore.RejectedFilter{Source: "ü&x", Since: noon, Most: 9}, func(event logevent.Rejected) error {
		received = append(received, event)
		return nil
	}))
	assert.Equal(t, events, received)
	var files []string
	require.NoError(t, client.Backup(t.Context(), manyParts(), func(file logstore.BackupFile) error {
		content, err := io.ReadAll(file.Content)
		files = append(files, file.Name+" "+string(content))
		return err
	}))
	assert.Equal(t, []string{"parts/00000001.events abc", "manifest.json "}, files)
}

// D15: wrong requests say what is wrong, and delete nothing.
func TestWrongRequests(t *testing.T) {
	t.Parallel()
	const json = "application/json"
	for name, test := range map[string]struct {
		method, path, contentType, body string
		status                          int
		want                            string
	}{
		"another path":          {http.MethodGet, "/api/store/x", "", "", 404, "paths of the store end in /api/store/stats, /api/store/rejected, /api/store/delete or /api/store/backup"},
		"a wrong method":        {http.MethodGet, "/api/store/delete", "", "", 405, "this path does not support the method GET; use POST"},
		"posting statistics":    {http.MethodPost, "/api/store/stats", json, "{}", 405, "use GET"},
		"a form":                {http.MethodPost, "/api/store/delete", "text/plain", `{"project":"acme"}`, 400, "the header Content-Type must be application/json"},
		"a backup with a key":   {http.MethodPost, "/api/store/backup", json, `{"project":"acme"}`, 400, `the body must be a JSON object such as {\"held\": {\"00000001.events\": \"<checksum>\"}}`},
		"a backup by a form":    {http.MethodPost, "/api/store/backup", "", "", 400, "the header Content-Type must be application/json"},
		"no project":            {http.MethodPost, "/api/store/delete", json, `{}`, 400, "project: is required"},
		"an empty project":      {http.MethodPost, "/api/store/delete", json, `{"project":""}`, 400, "project: is required"},
		"an unknown key":        {http.MethodPost, "/api/store/delete", json, `{"project":"acme","befor":"2026-01-01T00:00:00Z"}`, 400, "the body must be a JSON object such as"},
		"a wrong time":          {http.MethodPost, "/api/store/delete", json, `{"project":"acme","before":"today"}`, 400, `before: \"today\" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`},
		"the zero time":         {http.MethodPost, "/api/store/delete", json, `{"project":"acme","before":"0001-01-01T00:00:00Z"}`, 400, "before: 0001-01-01T00:00:00Z is earlier than every event; name a later time, or leave it out to delete all events"},
		"no sources":            {http.MethodPost, "/api/store/delete", json, `{"project":"acme","sources":[]}`, 400, "sources: is empty; name sources, or leave it out for all"},
		"a repeated key":        {http.MethodPost, "/api/store/delete", json, `{"project":"acme","Project":"globex"}`, 400, "Project: is not known; write project"},
		"a stray bracket":       {http.MethodPost, "/api/store/delete", json, `{"project":"acme"}]`, 400, "the body must be a JSON object such as"},
		"two values":            {http.MethodPost, "/api/store/delete", json, `{"project":"acme"}{}`, 400, "the body must be a JSON object such as"},
		"not JSON":              {http.MethodPost, "/api/store/delete", json, `acme`, 400, "the body must be a JSON object such as"},
		"a large body":          {http.MethodPost, "/api/store/delete", json, `{"project":"` + strings.Repeat("x", 64<<10) + `"}`, 400, "the body is larger than 64 KiB"},
		"an unknown parameter":  {http.MethodGet, "/api/store/rejected?sorce=edge_logs", "", "", 400, `\"sorce\" is not a parameter; the parameters are source, since and limit`},
		"a repeated parameter":  {http.MethodGet, "/api/store/rejected?source=edge_logs&source=auth_logs", "", "", 400, "source: is given 2 times; it has one value"},
		"a malformed query":     {http.MethodGet, "/api/store/rejected?source=%zz", "", "", 400, "the query string is malformed"},
		"a wrong limit":         {http.MethodGet, "/api/store/rejected?limit=-1", "", "", 400, `limit: \"-1\" is not a number of events, or 0 for all`},
		"a wrong time to start": {http.MethodGet, "/api/store/rejected?since=today", "", "", 400, `since: \"today\" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body))
			request.Header.Set("Content-Type", test.contentType)
			response := httptest.NewRecorder()
			handlerOf(&fake{}).ServeHTTP(response, request)
			assert.Equal(t, test.status, response.Code)
			assert.Contains(t, response.Body.String(), test.want)
		})
	}
	response := httptest.NewRecorder()
	handlerOf(nil).ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/store/stats", http.NoBody))
	assert.Equal(t, http.StatusNotFound, response.Code)
	assert.Contains(t, response.Body.String(), "this server has no store of its own")
}

// A response that is cut off is not taken for a whole one.
func TestCutOff(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"between files": 100_000, "within a file": 200_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, handlerOf(&fake{
				rejected: func(_ logstore.RejectedFilter, each func(logevent.Rejected) error) error {
					return errors.Join(each(logevent.Rejected{}), assert.AnError)
				},
				backup: func(_ logstore.HeldParts, each func(logstore.BackupFile) error) error {
					content := strings.NewReader(strings.Repeat("x", 100_000))
					return errors.Join(each(logstore.BackupFile{Name: "parts/00000001.events", Size: size, Content: content}), assert.AnError)
				},
			}))
			require.Error(t, client.Rejected(t.Context(), logstore.RejectedFilter{}, func(logevent.Rejected) error { return nil }))
			err := client.Backup(t.Context(), nil, func(file logstore.BackupFile) error {
				_, err := io.Copy(io.Discard, file.Content)
				return err
			})
			require.ErrorContains(t, err, "the backup of "+client.URL+" is incomplete")
		})
	}
}

// An error before the first byte is an error response.
func TestErrors(t *testing.T) {
	t.Parallel()
	client := serve(t, handlerOf(&fake{
		deleted:  func(upkeep.Erasure) ([]upkeep.Deleted, error) { return nil, assert.AnError },
		rejected: func(logstore.RejectedFilter, func(logevent.Rejected) error) error { return assert.AnError },
		backup:   func(logstore.HeldParts, func(logstore.BackupFile) error) error { return assert.AnError },
	}))
	const want = "responds: internal server error; the server's log has the cause under this request's id"
	_, err := client.Delete(t.Context(), upkeep.Erasure{Project: "acme"})
	require.ErrorContains(t, err, want)
	require.ErrorContains(t, client.Rejected(t.Context(), logstore.RejectedFilter{}, nil), want)
	require.ErrorContains(t, client.Backup(t.Context(), nil, nil), want)

	for name, test := range map[string]struct {
		status     int
		body, want string
	}{
		"no token":       {http.StatusUnauthorized, "{}", "does not accept the token; set the variable SAVEDQ_TOKEN to one of its tokens"},
		"another server": {http.StatusNotFound, "<html>", "is not a savedq server: it responds with 404 Not Found"},
		"another format": {http.StatusOK, "<html>", "is not a savedq server, or its response was cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "secret", r.Header.Get("X-Api-Key"))
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			_, err := client.Stats(t.Context())
			require.ErrorContains(t, err, test.want)
		})
	}
}

// Cached rows are purged of servers with and without a store of their own, and after a deletion.
func TestPurge(t *testing.T) {
	t.Parallel()
	client := serve(t, handlerOf(nil))
	purged, err := client.Purge(t.Context(), "logs.all", "acme")
	require.NoError(t, err)
	assert.Equal(t, len("logs.all")+len("acme"), purged)
	_, err = client.Purge(t.Context(), "nosuch", "")
	require.ErrorContains(t, err, "there is no nosuch")

	var of []string
	logger := slog.New(slog.DiscardHandler)
	maintained := &fake{deleted: func(upkeep.Erasure) ([]upkeep.Deleted, error) { return nil, nil }}
	client = serve(t, storehttp.NewHandler(storehttp.Config{
		Maintenance: maintained, Clock: time.Now, Errors: httperror.NewWriter(logger), Logger: logger,
		Purge: func(query, project string) (int, error) { of = append(of, query+"/"+project); return 0, nil },
	}))
	for _, dryRun := range []bool{true, false} {
		_, err := client.Delete(t.Context(), upkeep.Erasure{Project: "acme", DryRun: dryRun})
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"/acme"}, of)
}
