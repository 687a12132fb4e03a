package rest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/rest"
	"savedq/internal/http/httperror"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// Any request gets a JSON response of one of two shapes, with a matching status. The
// response never repeats a request header, because one of them holds the secret.
func FuzzREST(f *testing.F) {
	catalog := sqlqtest.Shipped(f, duckdbsql.Dialect{})
	now := time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)
	config := sqlqtest.Config(catalog, sqlqtest.ReferenceEngine(nil), func() time.Time { return now })
	config.CacheBytes = 1 << 20
	handler := rest.NewHandler(runner.New(config), nil, slog.New(slog.DiscardHandler))
	for _, seed := range [][5]string{
		{"GET", "/api/endpoints/logs.all", "project=acme&project_tier=PRO&iso_timestamp_start=2026-03-01T00:00:00+02:00", "Accept", "*/*"},
		{"GET", "/api/endpoints/usage.api-counts", "project=(a|b&interval=daily", "X-API-KEY", "savedq_secret"},
		{"GET", "/api/endpoints/query/functions.invocation-stats", "project='; DROP TABLE logs; --&interval=5min", "Accept-Encoding", "zstd, gzip;q=0.5"},
		{"HEAD", "/api/endpoints/query/2F2C0F2E-6b0e-4c39-9d0e-2a4c5d6f7a10", "project=%ff%00", "If-None-Match", "*"},
		{"GET", "/api/endpoints/logs.all", "project=a&project=b", "Cache-Control", "no-cache"},
		{"GET", "/api/endpoints/logs.all", "project=%zz", "Cookie", "session=secret"},
		{"POST", "/api/endpoints/logs.all", "", "Content-Type", "application/json"},
		{"\x00 /", "/api/endpoints/\xff/../", ";;&=%", "X-Forwarded-For", "127.0.0.1, secret"},
		{"", "", "", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, method, path, query, header, value string) {
		serve := func(headers http.Header) *httptest.ResponseRecorder {
			response := httptest.NewRecorder()
			request := &http.Request{Method: method, URL: &url.URL{Path: path, RawQuery: query}, Header: headers}
			handler.ServeHTTP(response, request.WithContext(t.Context()))
			return response
		}
		plain, response := serve(http.Header{}), serve(http.Header{http.CanonicalHeaderKey(header): {value}})
		checkResponse(t, plain)
		checkResponse(t, response)
		const minSecret = 10 // a shorter string may occur in a response by chance
		if len(value) >= minSecret && !strings.Contains(contentOf(t, plain), value) {
			assert.NotContains(t, contentOf(t, response), value)
		}
	})
}

// checkResponse asserts what holds for every response.
func checkResponse(t *testing.T, response *httptest.ResponseRecorder) {
	t.Helper()
	body := decoded(t, response)
	if response.Code == http.StatusNotModified {
		assert.Empty(t, body)
		return
	}
	assert.Equal(t, "application/json; charset=utf-8", response.Header().Get("Content-Type"))
	assert.True(t, utf8.Valid(body), "%q", body)
	var keys map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &keys), "%q", body)
	if response.Code == http.StatusOK {
		assert.Len(t, keys, 1)
		assert.Contains(t, keys, "result")
		return
	}
	var failure httperror.Body
	require.NoError(t, json.Unmarshal(body, &failure))
	assert.Len(t, keys, 1)
	assert.NotEmpty(t, failure.Error.Message)
	want := map[sqlq.Code]int{
		sqlq.InvalidArgument: http.StatusBadRequest, sqlq.NotFound: http.StatusNotFound, sqlq.MethodNotAllowed: http.StatusMethodNotAllowed,
	}
	assert.Equal(t, want[failure.Error.Code], response.Code, "%s", body)
}

// decoded returns the body with its content coding removed.
func decoded(t *testing.T, response *httptest.ResponseRecorder) []byte {
	t.Helper()
	var reader io.Reader = bytes.NewReader(response.Body.Bytes())
	var err error
	switch coding := response.Header().Get("Content-Encoding"); coding {
	case "gzip":
		reader, err = gzip.NewReader(reader)
	case "zstd":
		var decoder *zstd.Decoder
		decoder, err = zstd.NewReader(reader, zstd.WithDecoderConcurrency(1))
		if err == nil {
			defer decoder.Close()
		}
		reader = decoder
	default:
		assert.Empty(t, coding)
	}
	require.NoError(t, err)
	body, err := io.ReadAll(reader)
	require.NoError(t, err)
	return body
}

// contentOf returns all headers and the decoded body of a response as one string.
func contentOf(t *testing.T, response *httptest.ResponseRecorder) string {
	t.Helper()
	var content strings.Builder
	for name, values := range response.Header() {
		content.WriteString(name + ": " + strings.Join(values, ", ") + "\n")
	}
	content.Write(decoded(t, response))
	return content.String()
}
