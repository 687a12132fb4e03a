package rest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/rest"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

const (
	path = "/api/endpoints/logs.all"
	// cachedPath is one that a runner of the shipped saved queries accepts.
	cachedPath = "/api/endpoints/usage.api-counts?project=acme&interval=daily"
)

// D34: every response to GET and HEAD carries its cache status, its age and its full
// lifetime.
func TestHandlerSetsFreshness(t *testing.T) {
	t.Parallel()
	for _, status := range []runner.CacheStatus{runner.Hit, runner.Miss, runner.Joined, runner.Stale, runner.Refreshed, runner.Off} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				response, _ := request(t, respondWith(1, func(response *runner.Response) { response.Cache = status }), method, path)
				assert.Equal(t, string(status), response.Header.Get("X-Cache"))
				assert.Equal(t, "100", response.Header.Get("Age"))
				assert.Equal(t, "private, max-age=900", response.Header.Get("Cache-Control"))
				assert.Equal(t, "Fri, 20 Nov 2026 12:00:00 GMT", response.Header.Get("Expires"))
				assert.Regexp(t, `^"[0-9a-f]{32}"$`, response.Header.Get("ETag"))
				assert.Equal(t, "Accept, Accept-Encoding, Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key", response.Header.Get("Vary"))
			}
		})
	}
}

func TestHandlerPassesNoCacheOn(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"no-cache": true, "max-age=0, No-Cache": true, "max-age=0": false, "no-cachet": false, "": false,
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			queryRunner := runnerFunc(func(request runner.Request) (*runner.Response, error) {
				assert.Equal(t, want, request.NoCache)
				return respondWith(1, nil)(request)
			})
			request(t, queryRunner, http.MethodGet, path, "Cache-Control", header)
		})
	}
}

// encodingOnce is a runner that takes the rows of an entry away once it has returned the entry: whatever is
// encoded from it again is empty.
type encodingOnce struct {
	rest.Runner
	entries map[*cache.Entry]struct{}
}

func (e *encodingOnce) Run(ctx context.Context, request runner.Request) (*runner.Response, error) {
	response, err := e.Runner.Run(ctx, request)
	if err != nil {
		return nil, err
	}
	if _, returned := e.entries[response.Entry]; returned {
		response.Result.Rows = nil
	}
	e.entries[response.Entry] = struct{}{}
	return response, nil
}

// cachingRunner returns a runner of the shipped saved queries whose entries can be encoded only once, and its
// engine, which returns 300 rows for each.
func cachingRunner(t *testing.T) (*encodingOnce, *sqlqtest.FakeEngine) {
	t.Helper()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	result, err := respondWith(300, nil)(runner.Request{})
	require.NoError(t, err)
	engine := &sqlqtest.FakeEngine{RunFunc: func(context.Context, sqlq.Statement) (*sqlq.Result, error) {
		return &sqlq.Result{Columns: result.Result.Columns, Rows: slices.Clone(result.Result.Rows)}, nil
	}}
	return &encodingOnce{Runner: runner.New(sqlqtest.Config(catalog, engine, time.Now)), entries: make(map[*cache.Entry]struct{})}, engine
}

// A flood of no-cache requests is served from one encoded body: the runner refreshes an
// entry at most once in ten seconds, and meanwhile returns one that is already encoded.
func TestHandlerEncodesOnceForNoCache(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		queryRunner, engine := cachingRunner(t)
		_, first := request(t, queryRunner, http.MethodGet, cachedPath)
		for range 200 {
			response, body := request(t, queryRunner, http.MethodGet, cachedPath, "Cache-Control", "no-cache")
			assert.Equal(t, http.StatusOK, response.StatusCode)
			assert.Equal(t, first, body)
			time.Sleep(100 * time.Millisecond)
		}
		assert.Len(t, queryRunner.entries, 2, "in twenty seconds")
		assert.Equal(t, 2, engine.Runs())
	})
}

// A response uses the coding that the client prefers. Each coding has its own strong
// ETag.
func TestHandlerNegotiatesContentCoding(t *testing.T) {
	t.Parallel()
	const rows = 300
	queryRunner := respondWith(rows, nil)
	identity, body := request(t, queryRunner, http.MethodGet, path)
	tests := map[string]struct {
		accept, coding string
		decode         func(*testing.T, string) string
	}{
		"gzip": {"gzip", "gzip", func(t *testing.T, coded string) string {
			t.Helper()
			reader, err := gzip.NewReader(bytes.NewReader([]byte(coded)))
			require.NoError(t, err)
			plain, err := io.ReadAll(reader)
			require.NoError(t, err)
			return string(plain)
		}},
		"zstd": {"zstd, gzip", "zstd", func(t *testing.T, coded string) string {
			t.Helper()
			reader, err := zstd.NewReader(nil)
			require.NoError(t, err)
			defer reader.Close()
			plain, err := reader.DecodeAll([]byte(coded), nil)
			require.NoError(t, err)
			return string(plain)
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, coded := request(t, queryRunner, http.MethodGet, path, "Accept-Encoding", test.accept)
			assert.Equal(t, test.coding, response.Header.Get("Content-Encoding"))
			assert.Less(t, len(coded), len(body))
			assert.Equal(t, body, test.decode(t, coded))
			assert.NotEqual(t, identity.Header.Get("ETag"), response.Header.Get("ETag"))
			notModified, empty := request(t, queryRunner, http.MethodGet, path,
				"Accept-Encoding", test.accept, "If-None-Match", response.Header.Get("ETag"))
			assert.Equal(t, http.StatusNotModified, notModified.StatusCode)
			assert.Empty(t, empty)
		})
	}
}

// A caller that prefers another format receives it, from the same cache entry. Each format
// has its own strong ETag, in each content coding. Other callers receive JSON (D12).
func TestHandlerNegotiatesFormat(t *testing.T) {
	t.Parallel()
	const rows = 300
	queryRunner := respondWith(rows, nil)
	tests := map[string]struct{ accept, contentType, beginning string }{
		"absent":       {"", "application/json; charset=utf-8", `{"result":[{"n":1},{"n":2}`},
		"any":          {"*/*", "application/json; charset=utf-8", `{"result":[{"n":1},{"n":2}`},
		"a browser":    {"text/html,application/xml;q=0.9,*/*;q=0.8", "application/json; charset=utf-8", `{"result":[{"n":1},{"n":2}`},
		"malformed":    {"text/csv;q=x", "application/json; charset=utf-8", `{"result":[{"n":1},{"n":2}`},
		"not accepted": {"image/png", "application/json; charset=utf-8", `{"result":[{"n":1},{"n":2}`},
		"CSV":          {"text/csv", "text/csv; charset=utf-8", "n\n1\n2\n"},
		"NDJSON":       {"application/x-ndjson, */*;q=0.1", "application/x-ndjson; charset=utf-8", "{\"n\":1}\n{\"n\":2}\n"},
	}
	tags := make(map[string]string)
	for name, test := range tests {
		for _, coding := range []string{"", "gzip", "zstd"} {
			response, body := request(t, queryRunner, http.MethodGet, path, "Accept", test.accept, "Accept-Encoding", coding)
			assert.Equal(t, test.contentType, response.Header.Get("Content-Type"), name)
			assert.Equal(t, coding, response.Header.Get("Content-Encoding"), name)
			assert.Equal(t, "Accept, Accept-Encoding, Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key", response.Header.Get("Vary"), name)
			assert.Equal(t, strconv.Itoa(len(body)), response.Header.Get("Content-Length"), name)
			if coding == "" {
				assert.True(t, strings.HasPrefix(body, test.beginning), "%s: %.40s", name, body)
			}
			tag := response.Header.Get("ETag")
			representation := test.contentType + " " + coding
			other, known := tags[tag]
			assert.True(t, !known || other == representation, "%s and %s share a tag", other, representation)
			tags[tag] = representation
			notModified, empty := request(t, queryRunner, http.MethodGet, path,
				"Accept", test.accept, "Accept-Encoding", coding, "If-None-Match", tag)
			assert.Equal(t, http.StatusNotModified, notModified.StatusCode, name)
			assert.Empty(t, empty, name)
		}
	}
	assert.Len(t, tags, 3*3, "three formats in three codings")
}

// An error is JSON in every format (D15).
func TestErrorsAreJSONInEveryFormat(t *testing.T) {
	t.Parallel()
	failing := runnerFunc(func(runner.Request) (*runner.Response, error) {
		return nil, sqlq.Errorf(sqlq.NotFound, "there is none")
	})
	response, body := request(t, failing, http.MethodGet, path, "Accept", "text/csv")
	assert.Equal(t, http.StatusNotFound, response.StatusCode)
	assert.Equal(t, "application/json; charset=utf-8", response.Header.Get("Content-Type"))
	assert.Contains(t, body, `"code":"NOT_FOUND"`)
}

// A 304 response has no body, but all headers that a cache needs to reuse its copy.
func TestHandlerReturnsNotModified(t *testing.T) {
	t.Parallel()
	queryRunner := respondWith(1, nil)
	first, _ := request(t, queryRunner, http.MethodGet, path)
	tag := first.Header.Get("ETag")
	tests := map[string]struct {
		tags   string
		status int
	}{
		"the tag":          {tag, http.StatusNotModified},
		"a weak tag":       {"W/" + tag, http.StatusNotModified},
		"one of many tags": {`"other", ` + tag, http.StatusNotModified},
		"any tag":          {"*", http.StatusNotModified},
		"another tag":      {`"other"`, http.StatusOK},
		"an unquoted tag":  {"other", http.StatusOK},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response, body := request(t, queryRunner, http.MethodGet, path, "If-None-Match", test.tags)
			assert.Equal(t, test.status, response.StatusCode)
			assert.Equal(t, test.status == http.StatusOK, body != "")
			for _, header := range []string{"ETag", "Age", "Cache-Control", "Expires", "X-Cache", "Vary"} {
				assert.Equal(t, first.Header.Get(header), response.Header.Get(header), header)
			}
		})
	}
}

// Requests that share a cache entry share its encoded rows.
func TestHandlerEncodesOnce(t *testing.T) {
	t.Parallel()
	for _, coding := range []string{"", "gzip"} {
		queryRunner, engine := cachingRunner(t)
		_, body := request(t, queryRunner, http.MethodGet, cachedPath, "Accept-Encoding", coding)
		require.NotEmpty(t, body)
		_, again := request(t, queryRunner, http.MethodGet, cachedPath, "Accept-Encoding", coding)
		assert.Equal(t, body, again)
		assert.Len(t, queryRunner.entries, 1)
		assert.Equal(t, 1, engine.Runs())
	}
}

// The handler adds to a Vary header that another handler has set.
func TestHandlerAddsToVary(t *testing.T) {
	t.Parallel()
	handler := rest.NewHandler(respondWith(300, nil), nil, slog.New(slog.DiscardHandler))
	for _, coding := range []string{"", "gzip"} {
		recorder := httptest.NewRecorder()
		recorder.Header().Set("Vary", "Origin")
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		request.Header.Set("Accept-Encoding", coding)
		handler.ServeHTTP(recorder, request)
		assert.Equal(t, []string{"Origin, Accept, Accept-Encoding, Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key"}, recorder.Header()["Vary"])
	}
}
