package ingesthttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/http/contentcoding"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

const sourceList = "edge_logs (cloudflare.logs.prod), postgres_logs (postgres.logs), function_edge_logs (deno-relay-logs), " +
	"function_logs (deno-subhosting-events), auth_logs (gotrue.logs.prod), realtime_logs (realtime.logs.prod), " +
	"storage_logs (storage.logs.prod.2), postgrest_logs (postgREST.logs.prod), pgbouncer_logs (pgbouncer.logs.prod)"

// What is accepted, what is not, and with which response (D15, D22, D30).
func TestResponses(t *testing.T) {
	t.Parallel()
	const (
		body  = `{"id":"1","message":"m"}`
		mixed = `[{"id":"1","message":"m"},{"id":7},{"id":"1","message":"m"},8]`
		edge  = "/logs?source=edge_logs"
	)
	gzip, zstandard := string(contentcoding.Gzip.Encode([]byte(body))), string(contentcoding.Zstd.Encode([]byte(body)))
	logged := func(accepted, duplicates int) string {
		return fmt.Sprintf(`{"message":"Logged!","accepted":%d,"duplicates":%d,"rejected":0}`, accepted, duplicates)
	}
	failed := func(message string) string {
		body := sqlq.AppendValue([]byte(`{"error":{"code":"INVALID_ARGUMENT","message":`), sqlq.String, message)
		if argument, _, ok := strings.Cut(message, ": "); ok && slices.Contains([]string{"source", "project", "strict"}, argument) {
			body = append(body, `,"argument":"`+argument+`"`...)
		}
		return string(body) + "}}"
	}
	for name, test := range map[string]struct {
		target, body string
		headers      []string
		status       int
		want         string
		// events and rejected are how many reach the committer.
		events, rejected int
	}{
		"table name":        {target: edge, body: body, status: 200, want: logged(1, 0), events: 1},
		"senders' name":     {target: "/logs?source=cloudflare.logs.prod", body: body, status: 200, want: logged(1, 0), events: 1},
		"source_name":       {target: "/logs?source_name=edge_logs", body: body, status: 200, want: logged(1, 0), events: 1},
		"header":            {target: "/logs", body: body, headers: []string{"x-source", "edge_logs"}, status: 200, want: logged(1, 0), events: 1},
		"both, equal":       {target: edge, body: body, headers: []string{"x-source", "cloudflare.logs.prod"}, status: 200, want: logged(1, 0), events: 1},
		"both, different":   {target: edge, body: body, headers: []string{"x-source", "auth_logs"}, status: 400, want: failed("source: the request names both edge_logs and auth_logs; name one")},
		"no source":         {target: "/logs", body: body, status: 400, want: failed("source: is missing; name a log source in the query string, as in ?source=edge_logs, or in the header X-Source. The log sources are " + sourceList)},
		"empty source":      {target: "/logs?source=", body: body, status: 400, want: failed("source: is missing; name a log source in the query string, as in ?source=edge_logs, or in the header X-Source. The log sources are " + sourceList)},
		"mistyped source":   {target: "/logs?source=edge_log", body: body, status: 400, want: failed(`source: "edge_log" is not a log source; did you mean edge_logs?`)},
		"unknown source":    {target: "/logs?source=nosuch", body: body, status: 400, want: failed(`source: "nosuch" is not a log source; the log sources are ` + sourceList)},
		"bad query string":  {target: "/logs?source=%zz", body: body, status: 400, want: failed("the query string is not valid")},
		"unknown strict":    {target: edge + "&strict=1", body: body, status: 400, want: failed(`strict: "1" is not allowed; use true or false`)},
		"empty strict":      {target: edge + "&strict=", body: body, status: 400, want: failed(`strict: "" is not allowed; use true or false`)},
		"strict twice":      {target: edge + "&strict=true&strict=false", body: body, status: 400, want: failed("strict: is given 2 times; give it once")},
		"project twice":     {target: edge + "&project=a&project=b", body: body, status: 400, want: failed("project: is given 2 times; give it once")},
		"binary project":    {target: edge + "&project=a%ffb", body: body, status: 400, want: failed("project: is not valid UTF-8")},
		"project with NUL":  {target: edge + "&project=a%00b", body: body, status: 400, want: failed("project: contains the character NUL")},
		"a long project":    {target: edge + "&project=" + strings.Repeat("%C3%A4", 257), body: body, status: 400, want: failed("project: is longer than 256 characters")},
		"gzip":              {target: edge, body: gzip, headers: []string{"Content-Encoding", "gzip"}, status: 200, want: logged(1, 0), events: 1},
		"zstd":              {target: edge, body: zstandard, headers: []string{"Content-Encoding", "zstd"}, status: 200, want: logged(1, 0), events: 1},
		"not gzip":          {target: edge, body: body, headers: []string{"Content-Encoding", "gzip"}, status: 400, want: failed("the request body is not valid gzip, although its Content-Encoding is gzip")},
		"truncated gzip":    {target: edge, body: gzip[:len(gzip)-1], headers: []string{"Content-Encoding", "gzip"}, status: 400, want: failed("the request body is not valid gzip, although its Content-Encoding is gzip")},
		"not zstd":          {target: edge, body: body, headers: []string{"Content-Encoding", "zstd"}, status: 400, want: failed("the request body is not valid zstd, although its Content-Encoding is zstd")},
		"truncated zstd":    {target: edge, body: zstandard[:len(zstandard)-1], headers: []string{"Content-Encoding", "zstd"}, status: 400, want: failed("the request body is not valid zstd, although its Content-Encoding is zstd")},
		"brotli":            {target: edge, body: body, headers: []string{"Content-Encoding", "br"}, status: 415, want: failed("the request body has a Content-Encoding that is not supported; use one of gzip, zstd, deflate, snappy, or none")},
		"no body":           {target: edge, status: 400, want: failed("the request body has no events")},
		"not readable":      {target: edge, body: "hello", status: 400, want: failed("the request body cannot be read: event: is not valid JSON at byte 1: invalid character 'h' looking for beginning of value")},
		"only duplicates":   {target: edge, body: `[` + body + `,` + body + `]`, status: 200, want: logged(1, 1), events: 2},
		"some are rejected": {target: edge, body: mixed, status: 200, events: 2, rejected: 2, want: `{"message":"Logged!","accepted":1,"duplicates":1,"rejected":2,"errors":[{"position":1,"reason":"id: is a number; it must be a string"},{"position":3,"reason":"event: is a number; an event is a JSON object"}]}`},
		"all are rejected":  {target: edge, body: `[{"id":7}]`, status: 422, rejected: 1, want: `{"error":{"code":"INVALID_ARGUMENT","message":"every event is rejected; at position 0: id: is a number; it must be a string"},"accepted":0,"duplicates":0,"rejected":1,"errors":[{"position":0,"reason":"id: is a number; it must be a string"}]}`},
		"strict, rejected":  {target: edge + "&strict=true", body: `[` + body + `,{"id":7}]`, status: 422, want: `{"error":{"code":"INVALID_ARGUMENT","message":"nothing is stored, because the request is strict and 1 event is rejected; at position 1: id: is a number; it must be a string"},"accepted":0,"duplicates":0,"rejected":1,"errors":[{"position":1,"reason":"id: is a number; it must be a string"}]}`},
		"strict, accepted":  {target: edge + "&strict=true", body: body, status: 200, want: logged(1, 0), events: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			committer := &fakeCommitter{}
			response := post(t, newHandlers(committer, nil).JSON, test.target, test.body, test.headers...)
			assert.Equal(t, test.status, response.Code)
			assert.Equal(t, test.want, response.Body.String())
			assert.Equal(t, "application/json; charset=utf-8", response.Header().Get("Content-Type"))
			assert.Equal(t, "no-store", response.Header().Get("Cache-Control"))
			assert.Len(t, committer.events(), test.events)
			if test.events+test.rejected == 0 {
				assert.Empty(t, committer.batches)
				return
			}
			assert.Len(t, committer.batches[0].Rejected, test.rejected)
			assert.Equal(t, clock(), committer.batches[0].Received)
		})
	}
}

// Clients of the original service name the source in the body: of a batch, or beside log_entry. Any other
// field of that name is one that is ignored.
func TestSourceInTheBody(t *testing.T) {
	t.Parallel()
	const (
		missing = `"message":"source: is missing; name a log source in the query string, as in ?source=edge_logs, or in the header X-Source. The log sources are `
		differ  = `"message":"source: the request names both edge_logs and auth_logs; name one"`
		batch   = `{"batch":[{"message":"m","source":"web"}],"source":"gotrue.logs.prod"}`
		entry   = `{"source":"auth_logs","log_entry":"m","metadata":{"source":"web"}}`
	)
	for name, test := range map[string]struct{ target, body, source, err string }{
		"of a batch":                   {"/logs", batch, "auth_logs", ""},
		"of a batch, before it":        {"/logs", "\uFEFF\n{ \"source\" : \"auth_logs\",\n\"batch\" : [\n{\"message\":\"m\"}\n] }\n", "auth_logs", ""},
		"beside log_entry":             {"/logs", entry, "auth_logs", ""},
		"both, equal":                  {"/logs?source=gotrue.logs.prod", entry, "auth_logs", ""},
		"both, different":              {"/logs?source=edge_logs", entry, "", differ},
		"both, different, of a batch":  {"/logs?source_name=edge_logs", batch, "", differ},
		"unknown":                      {"/logs", strings.Replace(batch, "gotrue.logs.prod", "web", 1), "", `"message":"source: \"web\" is not a log source; the log sources are `},
		"both, unknown":                {"/logs?source=edge_logs", strings.Replace(entry, "auth_logs", "web", 1), "", `"message":"source: \"web\" is not a log source; the log sources are `},
		"a number":                     {"/logs", `{"batch":[],"source":7}`, "", `"message":"source: \"7\" is not a log source; the log sources are `},
		"null":                         {"/logs?source=edge_logs", `{"log_entry":"m","source":null}`, "edge_logs", ""},
		"an empty one":                 {"/logs", `{"log_entry":"m","source":""}`, "", missing},
		"a field of an event":          {"/logs?source=edge_logs", `{"message":"m","source":"auth_logs"}`, "edge_logs", ""},
		"a field of an event, alone":   {"/logs", `{"message":"m","source":"auth_logs"}`, "", missing},
		"a field in a batch":           {"/logs?source=edge_logs", `{"batch":[{"log_entry":"m","source":"auth_logs"}]}`, "edge_logs", ""},
		"a field in a list":            {"/logs?source=edge_logs", `[` + entry + `]`, "edge_logs", ""},
		"a field in NDJSON":            {"/logs?source=edge_logs", entry + "\n" + entry, "edge_logs", ""},
		"a field in NDJSON, alone":     {"/logs", entry + "\n" + entry, "", missing},
		"a field beside another batch": {"/logs?source=edge_logs", `{"message":"m","batch":7,"source":"auth_logs"}`, "edge_logs", ""},
		"not readable":                 {"/logs", `{"log_entry":"m","source":"auth_logs"`, "", "the request body cannot be read: event: is not valid JSON at byte 37: unexpected end of JSON input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			committer := &fakeCommitter{}
			response := post(t, newHandlers(committer, nil).JSON, test.target, test.body)
			if test.err != "" {
				assert.Equal(t, http.StatusBadRequest, response.Code)
				assert.Contains(t, response.Body.String(), test.err)
				assert.Empty(t, committer.batches)
				return
			}
			require.Equal(t, http.StatusOK, response.Code, response.Body)
			for _, event := range committer.events() {
				assert.Equal(t, test.source, event.Source.Name)
			}
		})
	}

	// It is the source that the token must be allowed to send to.
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: auth.Token{Name: "limited", Ingest: true, Sources: []string{"edge_logs"}}, Hash: auth.HashOf(sendersToken)}}, nil
	})
	require.NoError(t, err)
	committer := &fakeCommitter{}
	handlers := newHandlers(committer, nil)
	handler := auth.Handler(handlers.JSON, auth.HandlerConfig{Keyring: keyring, Clock: clock, Logger: discard(), WriteError: handlers.WriteOTLPError})
	for body, status := range map[string]int{batch: http.StatusForbidden, strings.Replace(batch, "gotrue.logs.prod", "edge_logs", 1): http.StatusOK} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/logs", strings.NewReader(body))
		request.Header.Set("X-Api-Key", sendersToken)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		assert.Equal(t, status, recorder.Code, recorder.Body)
	}
	assert.Len(t, committer.events(), 1)
}

// Only the first rejected events are listed, but all are counted and kept.
func TestListedErrorsAreLimited(t *testing.T) {
	t.Parallel()
	committer := &fakeCommitter{}
	response := post(t, newHandlers(committer, nil).JSON, "/logs?source=edge_logs", strings.Repeat("{}\n", logbody.MaxListedErrors+1)+`{"message":"m"}`)
	var body struct {
		Rejected int
		Errors   []struct{ Position int }
	}
	require.NoError(t, json.Unmarshal(response.Body.Bytes(), &body))
	assert.Equal(t, logbody.MaxListedErrors+1, body.Rejected)
	assert.Len(t, body.Errors, logbody.MaxListedErrors)
	assert.Len(t, committer.batches[0].Rejected, logbody.MaxListedErrors+1)
}

// Each handler reads the bodies of its sender.
func TestFormats(t *testing.T) {
	t.Parallel()
	committer := &fakeCommitter{}
	handlers := newHandlers(committer, func(config *ingesthttp.Config) { config.VercelVerify = "secret" })
	for name, test := range map[string]struct {
		handler http.Handler
		body    string
		message string
		status  int
	}{
		"Cloudflare's test": {handlers.Cloudflare, `{"content":"tests"}`, "", 200},
		"Cloudflare":        {handlers.Cloudflare, `{"EdgeStartTimestamp":"2026-11-22T09:00:00Z","ClientRequestMethod":"GET"}`, "GET | https://", 200},
		"Vector":            {handlers.Vector, `[{"message":"v","host":"h"}]`, "v", 200},
		"Vercel":            {handlers.Vercel, `[{"id":"vc","message":"vercel"}]`, "vercel", 200},
		"syslog":            {handlers.Syslog, "<1>1 - h p - - - s\n", "s", 200},
	} {
		before := len(committer.events())
		response := post(t, test.handler, "/?source=edge_logs&project=acme", test.body)
		assert.Equal(t, test.status, response.Code, name)
		events := committer.events()[before:]
		if test.message == "" {
			assert.Empty(t, events, name)
			continue
		}
		require.Len(t, events, 1, name)
		assert.Equal(t, test.message, *events[0].EventMessage)
		assert.Equal(t, "acme", *events[0].Project)
		assert.Equal(t, name == "Vercel", response.Header().Get("X-Vercel-Verify") == "secret", name)
	}
}

// Without a store, the paths say so.
func TestWithoutStore(t *testing.T) {
	t.Parallel()
	handlers := newHandlers(nil, nil)
	const message = "this server does not receive log events: its engine is not the embedded store; send them to where that engine reads them from"
	response := post(t, handlers.JSON, "/logs?source=edge_logs", "{}")
	assert.Equal(t, http.StatusNotFound, response.Code)
	assert.JSONEq(t, `{"error":{"code":"NOT_FOUND","message":"`+message+`"}}`, response.Body.String())
	response = post(t, handlers.OTLP, "/v1/logs", "{}", "Content-Type", "application/json")
	assert.Equal(t, http.StatusNotFound, response.Code)
	assert.JSONEq(t, `{"message":"`+message+`","code":5}`, response.Body.String())
}

func TestMethods(t *testing.T) {
	t.Parallel()
	handlers := newHandlers(&fakeCommitter{}, nil)
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		for _, handler := range []http.Handler{handlers.JSON, handlers.OTLP} {
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, "/logs?source=edge_logs", nil))
			assert.Equal(t, http.StatusMethodNotAllowed, recorder.Code)
			assert.Equal(t, "POST", recorder.Header().Get("Allow"))
		}
	}
}

// A token can be limited to sources.
func TestSourcesOfTokens(t *testing.T) {
	t.Parallel()
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: auth.Token{Name: "narrow", Ingest: true, Sources: []string{"auth_logs"}}, Hash: auth.HashOf("narrow")}}, nil
	})
	require.NoError(t, err)
	committer := &fakeCommitter{}
	logger := newHandlers(committer, nil)
	guard := func(handler http.Handler) http.Handler {
		return auth.Handler(handler, auth.HandlerConfig{Keyring: keyring, Clock: clock, Logger: discard(), WriteError: logger.WriteOTLPError})
	}
	send := func(handler http.Handler, target, body string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader(body))
		request.Header.Set("X-Api-Key", "narrow")
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		guard(handler).ServeHTTP(recorder, request)
		return recorder
	}
	assert.Equal(t, http.StatusOK, send(logger.JSON, "/logs?source=gotrue.logs.prod", `{"message":"m"}`).Code)
	denied := send(logger.JSON, "/logs?source=edge_logs", `{"message":"m"}`)
	assert.Equal(t, http.StatusForbidden, denied.Code)
	assert.JSONEq(t, `{"error":{"code":"PERMISSION_DENIED","message":"source: the token may not send events of edge_logs","argument":"source"}}`, denied.Body.String())
	const otlp = `{"resourceLogs":[{"resource":{"attributes":[{"key":"source","value":{"stringValue":"edge_logs"}}]},"scopeLogs":[{"logRecords":[{"body":{"stringValue":"m"}}]}]}]}`
	denied = send(logger.OTLP, "/v1/logs?source=auth_logs", otlp)
	assert.Equal(t, http.StatusForbidden, denied.Code)
	assert.JSONEq(t, `{"message":"source: the token may not send events of edge_logs","code":7}`, denied.Body.String())
	assert.Len(t, committer.events(), 1)
	partly := send(logger.OTLP, "/v1/logs?source=auth_logs", strings.Replace(otlp, `[{"resource"`, `[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"m"}},{"attributes":[{"key":"log.record.uid","value":{"intValue":"7"}}]}]}]},{"resource"`, 1))
	assert.Equal(t, http.StatusOK, partly.Code)
	assert.JSONEq(t, `{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"log records are rejected: 1; the first one is at position 2: source: the token may not send events of edge_logs"}}`, partly.Body.String())
	assert.Len(t, committer.events(), 3)
	for _, batch := range committer.batches {
		assert.Empty(t, batch.Rejected, "it is not kept as an event of edge_logs")
	}
}

// Errors of the committer reach the sender (D15), in the form of the request.
func TestCommitErrors(t *testing.T) {
	t.Parallel()
	handlers := newHandlers(&fakeCommitter{commit: func(context.Context, ingest.Batch) (ingest.Counts, error) {
		return ingest.Counts{}, sqlq.Rejectf(sqlq.Unavailable, 7*time.Second, "the disk is full")
	}}, nil)
	response := post(t, handlers.JSON, "/logs?source=edge_logs", `{"message":"m"}`)
	assert.Equal(t, http.StatusServiceUnavailable, response.Code)
	assert.Equal(t, "7", response.Header().Get("Retry-After"))
	assert.JSONEq(t, `{"error":{"code":"UNAVAILABLE","message":"the disk is full"}}`, response.Body.String())
	response = post(t, handlers.OTLP, "/v1/logs?source=edge_logs", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}`, "Content-Type", "application/json")
	assert.Equal(t, http.StatusServiceUnavailable, response.Code)
	assert.Equal(t, "7", response.Header().Get("Retry-After"))
	assert.JSONEq(t, `{"message":"the disk is full","code":14}`, response.Body.String())
}

// Bodies are limited as sent and decompressed.
func TestLimits(t *testing.T) {
	t.Parallel()
	const (
		limit    = logbody.MaxBytes
		tooLarge = "the request body is larger than 12582912 bytes, the limit for a compressed body and for a decompressed one; send smaller batches"
	)
	event := func(size int) []byte {
		return []byte(`{"message":"` + strings.Repeat("m", size-len(`{"message":""}`)) + `"}`)
	}
	streamed := func(body []byte) string { // without a declared size
		var encoded bytes.Buffer
		writer, err := zstd.NewWriter(&encoded)
		require.NoError(t, err)
		_, err = writer.Write(body)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		return encoded.String()
	}
	many := strings.TrimSuffix(strings.Repeat("{}\n", logbody.MaxEvents+1), "\n")
	lie := append([]byte{}, contentcoding.Gzip.Encode(event(1<<20))...)
	copy(lie[len(lie)-4:], "\x01\x00\x00\x00")
	for name, test := range map[string]struct {
		coding, body, want string
		status             int
	}{
		"the limit":               {"", string(event(limit)), "", 200},
		"over the limit":          {"", string(event(limit + 1)), tooLarge, 413},
		"gzip at the limit":       {"gzip", string(contentcoding.Gzip.Encode(event(limit))), "", 200},
		"gzip over the limit":     {"gzip", string(contentcoding.Gzip.Encode(event(limit + 1))), tooLarge, 413},
		"gzip bomb":               {"gzip", string(contentcoding.Gzip.Encode(make([]byte, 1<<25))), tooLarge, 413},
		"gzip with a wrong size":  {"gzip", string(lie), "the request body is not valid gzip, although its Content-Encoding is gzip", 400},
		"zstd at the limit":       {"zstd", string(contentcoding.Zstd.Encode(event(limit))), "", 200},
		"zstd over the limit":     {"zstd", string(contentcoding.Zstd.Encode(event(limit + 1))), tooLarge, 413},
		"zstd, streamed":          {"zstd", streamed(event(limit)), "", 200},
		"zstd bomb":               {"zstd", string(contentcoding.Zstd.Encode(make([]byte, 1<<25))), tooLarge, 413},
		"zstd bomb, streamed":     {"zstd", streamed(make([]byte, 1<<25)), tooLarge, 413},
		"zstd bomb of two frames": {"zstd", string(contentcoding.Zstd.Encode(event(limit))) + streamed(make([]byte, 1<<25)), tooLarge, 413},
		"too many events":         {"", many, "the request body has more than 100000 events; send smaller batches", 413},
	} {
		t.Run(name, func(t *testing.T) {
			committer := &fakeCommitter{}
			var headers []string
			if test.coding != "" {
				headers = []string{"Content-Encoding", test.coding}
			}
			response := post(t, newHandlers(committer, func(config *ingesthttp.Config) { config.MemoryBytes = ingesthttp.MinMemoryBytes }).JSON,
				"/logs?source=edge_logs", test.body, headers...)
			assert.Equal(t, test.status, response.Code)
			if test.want == "" {
				assert.Len(t, committer.events(), 1)
				return
			}
			assert.JSONEq(t, `{"error":{"code":"INVALID_ARGUMENT","message":"`+test.want+`"}}`, response.Body.String())
			assert.Empty(t, committer.batches)
		})
	}
}
