package graphqlhttp_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// target returns the URL of a document for GET.
func target(document string) string { return "/graphql?" + url.Values{"query": {document}}.Encode() }

func TestHeadersOfGet(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	first := s.get(t, countsDocument).Header()
	assert.Equal(t, "MISS", first.Get("X-Cache"))
	assert.Equal(t, "0", first.Get("Age"))
	assert.Equal(t, "private, max-age=60", first.Get("Cache-Control"))
	assert.Equal(t, "Accept, Accept-Encoding, Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key", first.Get("Vary"))
	assert.Regexp(t, `^W/"[0-9a-f]{32}"$`, first.Get("ETag"))

	s.clock.advance(12 * time.Second)
	response := s.get(t, countsDocument)
	later := response.Header()
	assert.Equal(t, "HIT", later.Get("X-Cache"))
	assert.Equal(t, "12", later.Get("Age"))
	assert.Equal(t, "private, max-age=60", later.Get("Cache-Control"), "D34: a cache subtracts Age from the full lifetime")
	assert.Equal(t, "Fri, 20 Nov 2026 10:01:00 GMT", later.Get("Expires"))
	assert.Equal(t, later.Get("Expires"), first.Get("Expires"))
	assert.Equal(t, first.Get("ETag"), later.Get("ETag"), "it means the same as before")
	assert.Equal(t, strconv.Itoa(response.Body.Len()), later.Get("Content-Length"))

	s.clock.advance(48 * time.Second)
	assert.NotEqual(t, first.Get("ETag"), s.get(t, countsDocument).Header().Get("ETag"), "the rows are others")
}

// The rows are the same, but were computed at another time.
func TestETagDependsOnAsOf(t *testing.T) {
	t.Parallel()
	s := newServer(t, 0)
	first := s.get(t, countsDocument).Header().Get("ETag")
	s.clock.advance(time.Minute)
	assert.NotEqual(t, first, s.get(t, countsDocument).Header().Get("ETag"))
}

// The rows are the same and were computed at the same time, but different fields are
// selected.
func TestETagDependsOnData(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	assert.NotEqual(t, s.get(t, `{ apiCounts(project: "p", interval: DAILY) { timestamp } }`).Header().Get("ETag"),
		s.get(t, countsDocument).Header().Get("ETag"))
}

// A response of two saved queries is as fresh as its oldest rows.
func TestHeadersOfTwoEndpoints(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	s.get(t, countsDocument)
	s.clock.advance(20 * time.Second)
	header := s.get(t, `{ apiCounts(project: "p", interval: DAILY) { timestamp } invocationStats(project: "p") { count } }`).Header()
	assert.Equal(t, "MISS", header.Get("X-Cache"))
	assert.Equal(t, "20", header.Get("Age"))
	assert.Equal(t, "private, max-age=60", header.Get("Cache-Control"))
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	s := newServer(t, 100)
	tag := s.get(t, countsDocument).Header().Get("ETag")
	s.clock.advance(12 * time.Second)
	for name, test := range map[string]struct {
		method, ifNoneMatch string
		want                int
	}{
		"GET with a matching tag":      {http.MethodGet, tag, http.StatusNotModified},
		"GET with one of several tags": {http.MethodGet, `"x", ` + tag, http.StatusNotModified},
		"GET with another tag":         {http.MethodGet, `W/"x"`, http.StatusOK},
		"HEAD with a matching tag":     {http.MethodHead, tag, http.StatusNotModified},
		"HEAD":                         {http.MethodHead, "", http.StatusOK},
		"GET in a coding, same tag":    {http.MethodGet, tag, http.StatusNotModified},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := send(t, s, test.method, target(countsDocument), "", "If-None-Match", test.ifNoneMatch, "Accept-Encoding", "gzip")
			header := response.Header()
			assert.Equal(t, test.want, response.Code)
			assert.Equal(t, tag, header.Get("ETag"))
			assert.Equal(t, "HIT", header.Get("X-Cache"))
			assert.Equal(t, "12", header.Get("Age"))
			assert.Equal(t, "private, max-age=60", header.Get("Cache-Control"))
			assert.Equal(t, "Fri, 20 Nov 2026 10:01:00 GMT", header.Get("Expires"))
			assert.Equal(t, "Accept, Accept-Encoding, Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key", header.Get("Vary"))
			if test.want == http.StatusNotModified {
				assert.Zero(t, response.Body.Len())
				assert.Empty(t, header.Get("Content-Encoding"))
				assert.Empty(t, header.Get("Content-Length"))
				return
			}
			assert.Equal(t, "gzip", header.Get("Content-Encoding"))
			assert.NotEmpty(t, header.Get("Content-Length"))
		})
	}
}

// An HTTP server must send no body in response to HEAD.
func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	listening := httptest.NewServer(newServer(t, 1))
	defer listening.Close()
	response, err := http.Head(listening.URL + target(countsDocument))
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Empty(t, body)
	assert.Equal(t, http.StatusOK, response.StatusCode)
	assert.Positive(t, response.ContentLength)
}

func TestHeadersThatOtherResponsesLack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method, target, body string
		wantCacheControl     string
	}{
		"POST":                       {http.MethodPost, "/graphql", `{"query":"{ apiCounts(project: \"p\", interval: DAILY) { timestamp } }"}`, ""},
		"GET without a saved query":  {http.MethodGet, target(`{ __typename }`), "", "private, no-cache"},
		"GET with an error":          {http.MethodGet, target(`{ endpoint { name } }`), "", "no-store"},
		"GET with error and rows":    {http.MethodGet, target(`{ endpoint { name } apiCounts(project: "p", interval: DAILY) { timestamp } }`), "", "no-store"},
		"GET of an invalid document": {http.MethodGet, target(`{`), "", "no-store"},
		"GET without a document":     {http.MethodGet, "/graphql", "", "no-store"},
		"POST without a document":    {http.MethodPost, "/graphql", `{}`, "no-store"},
		"another method":             {http.MethodPut, "/graphql", `{}`, "no-store"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := send(t, newServer(t, 1), test.method, test.target, test.body, "Content-Type", "application/json").Header()
			assert.Equal(t, test.wantCacheControl, header.Get("Cache-Control"))
			for _, name := range []string{"ETag", "Age", "Expires", "X-Cache"} {
				assert.Empty(t, header.Get(name), name)
			}
			assert.Equal(t, "Accept, Accept-Encoding, Authorization, DD-API-KEY, LF-API-KEY, X-API-KEY, X-ClickHouse-Key", header.Get("Vary"))
		})
	}
}

// A stale response is marked as stale, and must be revalidated before reuse.
func TestStaleHeaders(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	s.get(t, countsDocument)
	s.clock.advance(70 * time.Second)
	s.engine.RunFunc = nil // the engine fails from now on
	for range 2 {
		header := s.get(t, countsDocument).Header()
		assert.Equal(t, "STALE", header.Get("X-Cache"))
		assert.Equal(t, "70", header.Get("Age"))
		assert.Equal(t, "private, max-age=0", header.Get("Cache-Control"))
		assert.Empty(t, header.Get("Expires"))
	}
}

// An encoded body decodes to the same body at any time.
func TestContentCodings(t *testing.T) {
	t.Parallel()
	for _, coding := range []string{"gzip", "zstd"} {
		t.Run(coding, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, 100)
			for _, passed := range []time.Duration{0, 0, time.Second, 0, 30 * time.Second} {
				s.clock.advance(passed)
				response := s.get(t, countsDocument, "Accept-Encoding", coding)
				assert.Equal(t, coding, response.Header().Get("Content-Encoding"))
				assert.Equal(t, strconv.Itoa(response.Body.Len()), response.Header().Get("Content-Length"))
				whole := s.get(t, countsDocument)
				assert.Less(t, response.Body.Len(), whole.Body.Len())
				if strings.Contains(response.Header().Get("X-Cache"), "HIT") {
					assert.Equal(t, whole.Body.String(), decoded(t, response))
				} else {
					assert.Equal(t, dataIn(t, whole.Body.String()), dataIn(t, decoded(t, response)))
				}
			}
		})
	}
}

func TestSmallBodiesHaveNoCoding(t *testing.T) {
	t.Parallel()
	response := newServer(t, 1).get(t, countsDocument, "Accept-Encoding", "gzip")
	assert.Empty(t, response.Header().Get("Content-Encoding"))
	assert.Len(t, dataIn(t, response.Body.String()), 1)
}

// Responses that are not cached are encoded too.
func TestContentCodingOfOtherResponses(t *testing.T) {
	t.Parallel()
	document := target(`{ endpoints { sql description parameters { description } } }`)
	handler := newHandler(t, runnerReturning(t), silent())
	whole := send(t, handler, http.MethodGet, document, "")
	response := send(t, handler, http.MethodGet, document, "", "Accept-Encoding", "gzip")
	assert.Equal(t, "gzip", response.Header().Get("Content-Encoding"))
	assert.Equal(t, whole.Body.String(), decoded(t, response))
}

// decoded returns the body of a response without its content coding.
func decoded(t *testing.T, response *httptest.ResponseRecorder) string {
	t.Helper()
	var reader io.Reader = bytes.NewReader(response.Body.Bytes())
	var err error
	switch response.Header().Get("Content-Encoding") {
	case "gzip":
		reader, err = gzip.NewReader(reader)
	case "zstd":
		var decoder *zstd.Decoder
		decoder, err = zstd.NewReader(reader, zstd.WithDecoderConcurrency(1))
		defer decoder.Close()
		reader = decoder
	}
	require.NoError(t, err)
	body, err := io.ReadAll(reader)
	require.NoError(t, err)
	return string(body)
}
