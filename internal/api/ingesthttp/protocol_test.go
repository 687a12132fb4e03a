package ingesthttp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/http/contentcoding"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

// protocolsHandler serves the paths of the protocols, as the server does.
func protocolsHandler(handlers *ingesthttp.Handlers) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, protocol := range handlers.Protocols {
			for _, path := range append(protocol.Sends, protocol.Others...) {
				suffix, isSuffix := strings.CutPrefix(path, "*")
				if r.URL.Path == path || isSuffix && strings.HasSuffix(r.URL.Path, suffix) || strings.HasSuffix(path, "/") && strings.HasPrefix(r.URL.Path, path) {
					protocol.Handler.ServeHTTP(w, r)
					return
				}
			}
		}
		http.NotFound(w, r)
	})
}

// lokiBody returns a push request of Loki in Protobuf, without compression.
func lokiBody(labels string, messages ...string) string {
	field := func(number protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), content)
	}
	stream := field(1, []byte(labels))
	for _, message := range messages {
		stream = append(stream, field(2, field(2, []byte(message)))...)
	}
	return string(field(1, stream))
}

const (
	jsonType     = "application/json"
	protobufType = "application/x-protobuf"
	journalType  = "application/vnd.fdo.journal"
)

// What the protocols of other log stores accept and reject, in the form that their clients expect.
func TestProtocols(t *testing.T) {
	t.Parallel()
	const (
		push         = "/loki/api/v1/push"
		lokiJSON     = `{"streams":[{"stream":{"app":"edge_logs"},"values":[["1795258675123456789","m"]]}]}`
		datadogBody  = `[{"message":"m","service":"edge_logs"}]`
		bulkBody     = `{"create":{"_index":"edge_logs","_id":"1"}}` + "\n" + `{"message":"m"}` + "\n"
		journalBody  = "MESSAGE=m\n\n"
		created      = `{"create":{"_index":"edge_logs","_id":"1","result":"created","status":201}}`
		badTime      = `timestamp: is outside the years 0001 to 9999`
		unsupported  = "the request body has a Content-Encoding that is not supported; use one of gzip, zstd, deflate, snappy, or none"
		noSnappy     = "the request body is not valid snappy, in which clients of Loki send Protobuf, with or without the header Content-Encoding\n"
		otherJournal = "the Content-Type is not that of a journal; use application/vnd.fdo.journal\n"
	)
	snappyBody := string(snappy.Encode(nil, []byte(lokiBody(`{app="edge_logs"}`, "m"))))
	gzipped := func(body string) string { return string(contentcoding.Gzip.Encode([]byte(body))) }
	zstandard := func(body string) string { return string(contentcoding.Zstd.Encode([]byte(body))) }
	for name, test := range map[string]struct {
		method, target, body string
		headers              []string
		status               int
		want                 string
		events, rejected     int
	}{
		"Loki, JSON":                 {target: push, body: lokiJSON, headers: []string{"Content-Type", jsonType + "; charset=utf-8"}, status: 204, events: 1},
		"Loki, gzip":                 {target: push, body: gzipped(lokiJSON), headers: []string{"Content-Type", jsonType, "Content-Encoding", "gzip"}, status: 204, events: 1},
		"Loki, Protobuf":             {target: push, body: snappyBody, headers: []string{"Content-Type", protobufType}, status: 204, events: 1},
		"Loki, named snappy":         {target: push, body: snappyBody, headers: []string{"Content-Type", protobufType, "Content-Encoding", "snappy"}, status: 204, events: 1},
		"Loki, gzip and snappy":      {target: push, body: gzipped(snappyBody), headers: []string{"Content-Type", protobufType, "Content-Encoding", "gzip"}, status: 204, events: 1},
		"Loki, no type":              {target: push, body: snappyBody, status: 204, events: 1},
		"Loki, a tenant":             {target: push, body: lokiJSON, headers: []string{"Content-Type", jsonType, "X-Scope-OrgID", "acme"}, status: 204, events: 1},
		"Loki, empty":                {target: push, body: `{"streams":[]}`, headers: []string{"Content-Type", jsonType}, status: 204},
		"Loki, another type":         {target: push, body: lokiJSON, headers: []string{"Content-Type", "text/plain"}, status: 415, want: "the Content-Type is not one of Loki; use application/x-protobuf, compressed with snappy, or application/json\n"},
		"Loki, brotli":               {target: push, body: lokiJSON, headers: []string{"Content-Type", jsonType, "Content-Encoding", "br"}, status: 415, want: unsupported + "\n"},
		"Loki, no snappy":            {target: push, body: lokiBody("", "m"), headers: []string{"Content-Type", protobufType}, status: 400, want: noSnappy},
		"Loki, truncated snappy":     {target: push, body: snappyBody[:len(snappyBody)-1], headers: []string{"Content-Type", protobufType}, status: 400, want: noSnappy},
		"Loki, snappy of nothing":    {target: push, headers: []string{"Content-Type", protobufType}, status: 400, want: noSnappy},
		"Loki, truncated Protobuf":   {target: push, body: string(snappy.Encode(nil, []byte(lokiBody("", "m")[:5]))), headers: []string{"Content-Type", protobufType}, status: 400, want: "the request body is not a PushRequest of Loki in Protobuf\n"},
		"Loki, a bomb":               {target: push, body: "\xff\xff\xff\xff\x0f", headers: []string{"Content-Type", protobufType}, status: 413, want: "the request body is larger than 12582912 bytes, the limit for a compressed body and for a decompressed one; send smaller batches\n"},
		"Loki, some rejected":        {target: push + "?source=edge_logs", body: `{"streams":[{"values":[["1","m"],["9999999999999999999999","m"]]}]}`, headers: []string{"Content-Type", jsonType}, status: 400, want: "1 event is rejected, and all others are stored; at position 1: " + badTime + "\n", events: 1, rejected: 1},
		"Loki, all rejected":         {target: push + "?source=edge_logs", body: `{"streams":[{"values":[["9999999999999999999999","m"]]}]}`, headers: []string{"Content-Type", jsonType}, status: 400, want: "every event is rejected; at position 0: " + badTime + "\n", rejected: 1},
		"Loki, reading":              {method: http.MethodGet, target: "/loki/api/v1/query_range?query=x", status: 404, want: "of Loki's API, only /loki/api/v1/push is served, which receives logs; they are read with saved queries, and not with LogQL\n"},
		"Loki, GET":                  {method: http.MethodGet, target: push, status: 405, want: "this path does not support the method GET; use POST\n"},
		"Loki, an unknown source":    {target: push + "?source=nosuch", body: lokiJSON, headers: []string{"Content-Type", jsonType}, status: 400, want: `source: "nosuch" is not a log source; the log sources are ` + sourceList + "\n"},
		"Datadog":                    {target: "/api/v2/logs", body: datadogBody, status: 202, want: "{}", events: 1},
		"Datadog, old":               {target: "/v1/input", body: datadogBody, status: 200, want: "{}", events: 1},
		"Datadog, zstd":              {target: "/api/v2/logs", body: zstandard(datadogBody), headers: []string{"Content-Encoding", "zstd"}, status: 202, want: "{}", events: 1},
		"Datadog, a test":            {target: "/api/v2/logs", body: "{}", status: 202, want: "{}"},
		"Datadog, some rejected":     {target: "/api/v2/logs?source=edge_logs", body: `[{"message":"m"},7]`, status: 202, want: "{}", events: 1, rejected: 1},
		"Datadog, all rejected":      {target: "/api/v2/logs?source=edge_logs", body: `[{"message":"m","timestamp":true}]`, status: 400, want: `{"errors":[{"status":"400","title":"Bad Request","detail":"every event is rejected; at position 0: timestamp: is a boolean; it must be an ISO 8601 string such as 2026-11-20T10:00:00Z or a number since 1970 in seconds, milliseconds, microseconds or nanoseconds"}]}`, rejected: 1},
		"Datadog, text":              {target: "/v1/input?source=edge_logs", body: "hello", headers: []string{"Content-Type", "text/plain"}, status: 400, want: `{"errors":[{"status":"400","title":"Bad Request","detail":"the request body cannot be read: event: is not valid JSON at byte 1: invalid character 'h' looking for beginning of value"}]}`},
		"Datadog, GET":               {method: http.MethodGet, target: "/api/v2/logs", status: 405, want: `{"errors":[{"status":"405","title":"Method Not Allowed","detail":"this path does not support the method GET; use POST"}]}`},
		"bulk":                       {target: "/_bulk", body: bulkBody, status: 200, want: `{"took":0,"errors":false,"items":[` + created + `]}`, events: 1},
		"bulk, an index":             {target: "/elasticsearch/edge_logs/_bulk", body: `{"index":{}}` + "\n" + `{"message":"m"}` + "\n", status: 200, want: `{"took":0,"errors":false,"items":[{"index":{"_index":"edge_logs","_id":"new-1","result":"created","status":201}}]}`, events: 1},
		"bulk, an index at the root": {target: "/edge_logs-2026.11.28/_bulk", body: `{"index":{}}` + "\n" + `{"message":"m"}`, status: 200, want: `{"took":0,"errors":false,"items":[{"index":{"_index":"edge_logs-2026.11.28","_id":"new-1","result":"created","status":201}}]}`, events: 1},
		"bulk, gzip":                 {target: "/elasticsearch/_bulk", body: gzipped(bulkBody), headers: []string{"Content-Encoding", "gzip"}, status: 200, want: `{"took":0,"errors":false,"items":[` + created + `]}`, events: 1},
		"bulk, twice":                {target: "/_bulk", body: bulkBody + bulkBody, status: 200, want: `{"took":0,"errors":false,"items":[` + created + "," + created + `]}`, events: 2},
		"bulk, some rejected": {
			target: "/_bulk", body: bulkBody + `{"delete":{"_index":"edge_logs","_id":"2"}}` + "\n" + `{"index":{"_index":"nosuch"}}` + "\n{}\n" + `{"index":{"_index":"edge_logs"}}` + "\n{}\n", status: 200, events: 1, rejected: 3,
			want: `{"took":0,"errors":true,"items":[` + created +
				`,{"delete":{"_index":"edge_logs","_id":"2","status":400,"error":{"type":"illegal_argument_exception","reason":"action: delete is not supported, because events do not change; use create or index"}}}` +
				`,{"index":{"_index":"nosuch","status":404,"error":{"type":"index_not_found_exception","reason":"source: \"nosuch\", from the index, is not a log source, and the request names none; name a log source there, in ?source=edge_logs or in the header X-Source"}}}` +
				`,{"index":{"_index":"edge_logs","status":400,"error":{"type":"document_parsing_exception","reason":"event: has neither event_message nor metadata; one of them is required"}}}]}`,
		},
		"bulk, all rejected":      {target: "/edge_logs/_bulk", body: `{"index":{}}` + "\n7\n", status: 200, rejected: 1, want: `{"took":0,"errors":true,"items":[{"index":{"_index":"edge_logs","status":400,"error":{"type":"document_parsing_exception","reason":"event: is a number; an event is a JSON object"}}}]}`},
		"bulk, strict":            {target: "/edge_logs/_bulk?strict=true", body: `{"index":{}}` + "\n7\n" + bulkBody, status: 400, want: elasticError(400, "illegal_argument_exception", "nothing is stored, because the request is strict and 1 event is rejected; at position 0: event: is a number; an event is a JSON object")},
		"bulk, an unknown action": {target: "/_bulk", body: `{"upsert":{}}` + "\n{}\n", status: 400, want: elasticError(400, "illegal_argument_exception", `line 1 of the request body must be an action of the bulk API, an object with one of create, index, update and delete, such as {"create":{}}`)},
		"bulk, GET":               {method: http.MethodGet, target: "/_bulk", status: 405, want: elasticError(405, "illegal_argument_exception", "this path does not support the method GET; use POST")},
		"version":                 {method: http.MethodGet, target: "/elasticsearch", status: 200, want: `{"cluster_name":"savedq","name":"savedq","tagline":"You Know, for Search","version":{"build_flavor":"default","number":"8.19.0"}}`},
		"license":                 {method: http.MethodGet, target: "/elasticsearch/_license", status: 200, want: `{"license":{"mode":"basic","status":"active","type":"basic"}}`},
		"health":                  {method: http.MethodGet, target: "/_cat/health", status: 200, want: `[{"cluster_name":"savedq","number_of_nodes":1,"status":"green"}]`},
		"license, PUT":            {method: http.MethodPut, target: "/elasticsearch/_license", status: 405, want: elasticError(405, "illegal_argument_exception", "this path does not support the method PUT; use GET")},
		"refresh":                 {target: "/elasticsearch/edge_logs/_refresh", status: 200, want: `{"_shards":{"total":1,"successful":1,"failed":0}}`},
		"template":                {method: http.MethodPut, target: "/elasticsearch/_index_template/logs", status: 404, want: elasticError(404, "index_not_found_exception", "of Elasticsearch's API, only /_bulk and <index>/_bulk are served, which receive logs; turn the setup of templates, index lifecycles and pipelines off")},
		"journal":                 {target: "/upload?source=edge_logs", body: journalBody, headers: []string{"Content-Type", journalType}, status: 202, want: "entries are stored: 1; duplicates: 0; rejected: 0\n", events: 1},
		"journal, in the path":    {target: "/journald/edge_logs/upload", body: journalBody, headers: []string{"Content-Type", journalType}, status: 202, want: "entries are stored: 1; duplicates: 0; rejected: 0\n", events: 1},
		"journal, zstd":           {target: "/journald/edge_logs/upload", body: zstandard(journalBody), headers: []string{"Content-Type", journalType, "Content-Encoding", "zstd"}, status: 202, want: "entries are stored: 1; duplicates: 0; rejected: 0\n", events: 1},
		"journal, twice":          {target: "/upload?source=edge_logs", body: strings.Repeat("__CURSOR=c\n"+journalBody, 2), headers: []string{"Content-Type", journalType}, status: 202, want: "entries are stored: 1; duplicates: 1; rejected: 0\n", events: 2},
		"journal, rejected":       {target: "/upload?source=edge_logs", body: "MESSAGE=m\n__REALTIME_TIMESTAMP=9999999999999999999999\n\n", headers: []string{"Content-Type", journalType}, status: 202, want: "entries are stored: 0; duplicates: 0; rejected: 1, the first one because of " + badTime + "\n", rejected: 1},
		"journal, empty":          {target: "/upload?source=edge_logs", headers: []string{"Content-Type", journalType}, status: 202, want: "entries are stored: 0; duplicates: 0; rejected: 0\n"},
		"journal, truncated":      {target: "/upload?source=edge_logs", body: "MESSAGE=m", headers: []string{"Content-Type", journalType}, status: 400, want: "the request body is truncated: it ends inside a field of a journal entry\n"},
		"journal, no journal":     {target: "/upload?source=edge_logs", body: "{}\n\n", headers: []string{"Content-Type", journalType}, status: 400, want: "the request body is not in the export format of systemd's journal: lines such as MESSAGE=text, and an empty line between entries\n"},
		"journal, another type":   {target: "/upload?source=edge_logs", body: journalBody, headers: []string{"Content-Type", jsonType}, status: 415, want: otherJournal},
		"journal, no type":        {target: "/upload?source=edge_logs", body: journalBody, status: 415, want: otherJournal},
		"journal, lz4":            {target: "/upload?source=edge_logs", body: journalBody, headers: []string{"Content-Type", journalType, "Content-Encoding", "lz4"}, status: 415, want: unsupported + "\n"},
		"journal, no source":      {target: "/upload", body: journalBody, headers: []string{"Content-Type", journalType}, status: 400, want: "source: is missing; name a log source in the query string, as in ?source=edge_logs, or in the header X-Source. The log sources are " + sourceList + "\n"},
		"journal, two sources":    {target: "/journald/edge_logs/upload", body: journalBody, headers: []string{"Content-Type", journalType, "X-Source", "auth_logs"}, status: 400, want: "source: the request names both auth_logs and edge_logs; name one\n"},
		"journal, another path":   {target: "/a/b/upload", body: journalBody, headers: []string{"Content-Type", journalType}, status: 404, want: "journals are received at /upload and /journald/<source>/upload\n"},
		"journal, a longer path":  {target: "/journald/edge_logs/x/upload", body: journalBody, headers: []string{"Content-Type", journalType}, status: 404, want: "journals are received at /upload and /journald/<source>/upload\n"},
		"journal, strict":         {target: "/upload?source=edge_logs&strict=true", body: journalBody, headers: []string{"Content-Type", journalType}, status: 400, want: "strict: is not supported here, because the entries of a journal are stored part by part\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			committer := &fakeCommitter{}
			handlers := newHandlers(committer, nil)
			method := test.method
			if method == "" {
				method = http.MethodPost
			}
			request := httptest.NewRequestWithContext(t.Context(), method, test.target, strings.NewReader(test.body))
			for i := 0; i < len(test.headers); i += 2 {
				request.Header.Add(test.headers[i], test.headers[i+1])
			}
			response := httptest.NewRecorder()
			auth.NoAuth(protocolsHandler(handlers)).ServeHTTP(response, request)
			assert.Equal(t, test.status, response.Code)
			assert.Equal(t, test.want, response.Body.String())
			assert.Equal(t, "no-store", response.Header().Get("Cache-Control"))
			if test.status == http.StatusMethodNotAllowed && test.method == http.MethodGet {
				assert.Equal(t, "POST", response.Header().Get("Allow"))
			}
			assert.Len(t, committer.events(), test.events)
			rejected := 0
			for _, batch := range committer.batches {
				rejected += len(batch.Rejected)
			}
			assert.Equal(t, test.rejected, rejected)
			isElasticsearch := strings.Contains(test.target, "_bulk") || strings.HasPrefix(test.target, "/elasticsearch") || strings.HasPrefix(test.target, "/_cat")
			assert.Equal(t, isElasticsearch, response.Header().Get("X-Elastic-Product") == "Elasticsearch")
		})
	}
}

// elasticError is the body of an error of Elasticsearch.
func elasticError(status int, kind, reason string) string {
	base := `{"type":"` + kind + `","reason":` + string(sqlq.AppendValue(nil, sqlq.String, reason))
	encoded, _ := json.Marshal(status)
	return `{"error":` + base + `,"root_cause":[` + base + `}]},"status":` + string(encoded) + `}`
}

// What holds for each protocol: who may send, and the form of the errors before the request reaches the protocol, and of
// those that its clients repeat a request after.
func TestProtocolsErrors(t *testing.T) {
	t.Parallel()
	credentials := []auth.Credential{
		{Token: auth.FullAccess("full"), Hash: auth.HashOf("token-of-full-access")},
		{Token: auth.Token{Name: "limited", Ingest: true, Sources: []string{"auth_logs"}}, Hash: auth.HashOf("token-of-another-source")},
	}
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) { return credentials, nil })
	require.NoError(t, err)
	apiKey := "ApiKey " + base64.StdEncoding.EncodeToString([]byte("id:token-of-full-access"))
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("tenant:token-of-full-access"))
	for name, protocol := range map[string]struct {
		target, body, contentType string
		// header and token are how its clients send the token.
		header, token string
		// form is the form of an error, with STATUS and MESSAGE.
		form     string
		accepted int
		types    map[int]string
	}{
		"Loki":    {"/loki/api/v1/push", `{"streams":[{"stream":{"app":"edge_logs"},"values":[["1","m"]]}]}`, jsonType, "Authorization", basic, "MESSAGE\n", 204, nil},
		"Datadog": {"/api/v2/logs", `[{"message":"m","service":"edge_logs"}]`, jsonType, "Dd-Api-Key", "token-of-full-access", `{"errors":[{"status":"STATUS","title":"TITLE","detail":"MESSAGE"}]}`, 202, nil},
		"bulk": {
			"/edge_logs/_bulk", `{"index":{}}` + "\n" + `{"message":"m"}`, "application/x-ndjson", "Authorization", apiKey,
			`{"error":{"type":"TYPE","reason":"MESSAGE","root_cause":[{"type":"TYPE","reason":"MESSAGE"}]},"status":STATUS}`, 200,
			map[int]string{401: "security_exception", 403: "security_exception", 429: "es_rejected_execution_exception", 503: "es_rejected_execution_exception", 500: "internal_server_error"},
		},
		"journal": {"/journald/edge_logs/upload", "MESSAGE=m\n\n", journalType, "Authorization", basic, "MESSAGE\n", 202, nil},
	} {
		for failure, test := range map[string]struct {
			token   string
			commit  error
			follows bool
			status  int
			message string
			retry   string
		}{
			"none":        {token: protocol.token, status: protocol.accepted},
			"no token":    {status: 401, message: "a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>"},
			"a token":     {token: "another", status: 403, message: "source: the token may not send events of edge_logs"},
			"a full disk": {token: protocol.token, commit: sqlq.Errorf(sqlq.Unavailable, "the disk is full"), status: 503, message: "the disk is full", retry: "5"},
			"a rate":      {token: protocol.token, commit: sqlq.Rejectf(sqlq.ResourceExhausted, 3*time.Second, "too many"), status: 429, message: "too many", retry: "3"},
			"a fault":     {token: protocol.token, commit: io.ErrClosedPipe, status: 500, message: "internal server error; the server's log has the cause under this request's id"},
			"a standby":   {token: protocol.token, follows: true, status: 503, message: "this server is a standby, which only reads the store that another server writes; send log events to that server", retry: "10"},
		} {
			t.Run(name+", "+failure, func(t *testing.T) {
				t.Parallel()
				committer := &fakeCommitter{}
				if test.commit != nil {
					committer.commit = func(context.Context, ingest.Batch) (ingest.Counts, error) { return ingest.Counts{}, test.commit }
				}
				handlers := newHandlers(committer, func(config *ingesthttp.Config) { config.Follows = test.follows })
				handler := auth.Handler(protocolsHandler(handlers), auth.HandlerConfig{
					Keyring: keyring, Clock: clock, Logger: discard(), WriteError: handlers.ErrorWriter(protocol.target),
				})
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, protocol.target, strings.NewReader(protocol.body))
				request.Header.Set("Content-Type", protocol.contentType)
				switch test.token {
				case "":
				case "another":
					request.Header.Set("X-Api-Key", "token-of-another-source")
				default:
					request.Header.Set(protocol.header, test.token)
				}
				response := httptest.NewRecorder()
				handler.ServeHTTP(response, request)
				assert.Equal(t, test.status, response.Code, response.Body)
				assert.Equal(t, test.retry, response.Header().Get("Retry-After"))
				if test.message == "" {
					assert.Len(t, committer.events(), 1)
					return
				}
				status, _ := json.Marshal(test.status)
				want := strings.NewReplacer("STATUS", string(status), "MESSAGE", test.message, "TITLE", http.StatusText(test.status), "TYPE", protocol.types[test.status]).Replace(protocol.form)
				assert.Equal(t, want, response.Body.String())
				assert.Empty(t, committer.events())
			})
		}
	}
}

// A path of no protocol has no form of its own.
func TestErrorWriter(t *testing.T) {
	t.Parallel()
	handlers := newHandlers(&fakeCommitter{}, nil)
	for path, found := range map[string]bool{
		"/loki": false, "/loki/api/v1/labels": true, "/lokix": false, "/logs": false, "/v1/logs": false, "/v1/input": true, "/a/_bulk": true, "/a/_bulk/b": false,
		"/elasticsearch": true, "/elasticsearch/x": true, "/elasticsearchx": false, "/upload": true, "/x/upload": true, "/uploads": false,
	} {
		assert.Equal(t, found, handlers.ErrorWriter(path) != nil, path)
	}
	assert.Nil(t, new(ingesthttp.Handlers).ErrorWriter("/upload"))
}

// chunks is a body that arrives in pieces of a size.
type chunks struct {
	*bytes.Reader

	size int
}

// Read implements [io.Reader].
func (c chunks) Read(into []byte) (int, error) { return c.Reader.Read(into[:min(len(into), c.size)]) }

// A journal larger than the limit of a body is stored part by part, in memory of one part. One entry may be as large as a
// body.
func TestLongJournal(t *testing.T) {
	t.Parallel()
	const entries = 20
	entry := "MESSAGE=" + strings.Repeat("x", 900<<10) + "\n\n"
	for name, test := range map[string]struct {
		body    string
		fails   int
		status  int
		batches int
		want    string
	}{
		"long":               {body: strings.Repeat(entry, entries), status: 202, batches: entries, want: "entries are stored: 20; duplicates: 0; rejected: 0\n"},
		"a large entry":      {body: "MESSAGE=a\n\nMESSAGE=" + strings.Repeat("x", 5<<20) + "\n\n" + entry + "MESSAGE=b\n", status: 202, batches: 3, want: "entries are stored: 4; duplicates: 0; rejected: 0\n"},
		"too large an entry": {body: entry + "MESSAGE=" + strings.Repeat("x", logbody.MaxBytes) + "\n\n", status: 413, batches: 1, want: "the request body is larger than 12582912 bytes, the limit for a compressed body and for a decompressed one; send smaller batches\n"},
		"broken at its end":  {body: entry + entry + "no journal\n", status: 400, batches: 1, want: "the request body is not in the export format of systemd's journal: lines such as MESSAGE=text, and an empty line between entries\n"},
		"fails at its end":   {body: strings.Repeat(entry, 3), fails: 3, status: 503, batches: 3, want: "the disk is full\n"},
		"rejected":           {body: entry + "MESSAGE=a\n__REALTIME_TIMESTAMP=soon\n\n" + entry + "MESSAGE=a\n__REALTIME_TIMESTAMP=soon\n\n", status: 202, batches: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			batches, positions := 0, []int(nil)
			kept := &fakeCommitter{}
			committer := &fakeCommitter{commit: func(ctx context.Context, batch ingest.Batch) (ingest.Counts, error) {
				batches++
				for _, rejected := range batch.Rejected {
					positions = append(positions, rejected.Position)
				}
				if batches == test.fails {
					return ingest.Counts{}, sqlq.Errorf(sqlq.Unavailable, "the disk is full")
				}
				return kept.Commit(ctx, batch)
			}}
			handlers := newHandlers(committer, func(config *ingesthttp.Config) { config.MemoryBytes = ingesthttp.MinMemoryBytes })
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/upload?source=edge_logs", chunks{bytes.NewReader([]byte(test.body)), 100_000})
			request.Header.Set("Content-Type", journalType)
			response := httptest.NewRecorder()
			auth.NoAuth(protocolsHandler(handlers)).ServeHTTP(response, request)
			assert.Equal(t, test.status, response.Code)
			assert.Equal(t, test.batches, batches)
			if test.want != "" {
				assert.Equal(t, test.want, response.Body.String())
			} else {
				assert.Equal(t, []int{1, 3}, positions, "positions are those in the request")
			}
		})
	}
}
