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

	"savedq/internal/rest"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// Whatever is asked, the answer is JSON of one of two shapes, with a status that fits
// a caller's request, and says nothing of the request's headers: one of them is a
// secret.
func FuzzREST(f *testing.F) {
	catalog, err := catalog.Shipped(duckdbsql.Dialect{})
	require.NoError(f, err)
	now := time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)
	config := sqlqtest.Config(catalog, sqlqtest.ReferenceEngine(nil), func() time.Time { return now })
	config.CacheBytes = 1 << 20
	handler := rest.NewHandler(runner.New(config), slog.New(slog.DiscardHandler))
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
		ask := func(headers http.Header) *httptest.ResponseRecorder {
			answer := httptest.NewRecorder()
			request := &http.Request{Method: method, URL: &url.URL{Path: path, RawQuery: query}, Header: headers}
			handler.ServeHTTP(answer, request.WithContext(t.Context()))
			return answer
		}
		plain, answer := ask(http.Header{}), ask(http.Header{http.CanonicalHeaderKey(header): {value}})
		checkAnswer(t, plain)
		checkAnswer(t, answer)
		const leastSecret = 10 // shorter texts stand in an answer by chance
		if len(value) >= leastSecret && !strings.Contains(textOf(t, plain), value) {
			assert.NotContains(t, textOf(t, answer), value)
		}
	})
}

// checkAnswer asserts what holds for every answer.
func checkAnswer(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	body := decoded(t, answer)
	if answer.Code == http.StatusNotModified {
		assert.Empty(t, body)
		return
	}
	assert.Equal(t, "application/json; charset=utf-8", answer.Header().Get("Content-Type"))
	assert.True(t, utf8.Valid(body), "%q", body)
	var keys map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &keys), "%q", body)
	if answer.Code == http.StatusOK {
		assert.Len(t, keys, 1)
		assert.Contains(t, keys, "result")
		return
	}
	var failure struct {
		Error string
		Code  sqlq.Code
	}
	require.NoError(t, json.Unmarshal(body, &failure))
	assert.Len(t, keys, 2)
	assert.NotEmpty(t, failure.Error)
	wanted := map[sqlq.Code]int{
		sqlq.InvalidArgument: http.StatusBadRequest, sqlq.NotFound: http.StatusNotFound, sqlq.MethodNotAllowed: http.StatusMethodNotAllowed,
	}
	assert.Equal(t, wanted[failure.Code], answer.Code, "%s", body)
}

// decoded returns the body without its coding.
func decoded(t *testing.T, answer *httptest.ResponseRecorder) []byte {
	t.Helper()
	var reader io.Reader = bytes.NewReader(answer.Body.Bytes())
	var err error
	switch coding := answer.Header().Get("Content-Encoding"); coding {
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

// textOf is all that an answer tells its caller: headers, and body without its coding.
func textOf(t *testing.T, answer *httptest.ResponseRecorder) string {
	t.Helper()
	var text strings.Builder
	for name, values := range answer.Header() {
		text.WriteString(name + ": " + strings.Join(values, ", ") + "\n")
	}
	text.Write(decoded(t, answer))
	return text.String()
}
