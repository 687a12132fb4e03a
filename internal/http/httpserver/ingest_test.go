package httpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/internal/logs/ingest"
	"savedq/internal/web"
	"savedq/sqlq/tables"
)

// countingCommitter counts events.
type countingCommitter struct {
	mutex  sync.Mutex
	events int
}

var _ ingest.Committer = (*countingCommitter)(nil)

func (c *countingCommitter) Commit(_ context.Context, batch ingest.Batch) (ingest.Counts, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.events += len(batch.Events)
	return ingest.Counts{Accepted: len(batch.Events)}, nil
}

// ingesting returns a change of a server's configuration that adds the ingest paths.
func ingesting(committer ingest.Committer, memory int64) func(*httpserver.Config) {
	return func(config *httpserver.Config) {
		config.Ingest = ingesthttp.New(ingesthttp.Config{
			Tables:    tables.Shipped,
			Committer: committer, MemoryBytes: memory, NewID: func() string { return "id" },
			Clock: config.Clock, Errors: httperror.NewWriter(config.Logger), Logger: config.Logger,
		})
		config.Pages, config.PagePaths = web.Handler(""), web.Paths()
	}
}

// Who may send events: each path with each kind of token. /logs is also a page, which needs
// none.
func TestIngestAccess(t *testing.T) {
	t.Parallel()
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		var credentials []auth.Credential
		for _, token := range []auth.Token{
			auth.FullAccess("full"),
			{Name: "reader"},
			{Name: "sender", Ingest: true, Endpoints: []string{}},
			{Name: "edge", Ingest: true, Sources: []string{"edge_logs"}},
			{Name: "other", Ingest: true, Sources: []string{"auth_logs"}},
			{Name: "expired", Ingest: true, Expires: time.Unix(1, 0)},
		} {
			credentials = append(credentials, auth.Credential{Token: token, Hash: auth.HashOf(token.Name)})
		}
		return credentials, nil
	})
	require.NoError(t, err)
	const otlp = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"m"}}]}]}]}`
	bodies := map[string]string{
		"/api/logs": `{"message":"m"}`, "/api/logs/json": `{"message":"m"}`, "/api/events": `{"message":"m"}`, "/api/events/json": `{"message":"m"}`,
		"/logs": `{"message":"m"}`, "/logs/json": `{"message":"m"}`, "/v1/logs": otlp,
	}
	for _, prefix := range []string{"/logs", "/api/logs", "/api/events"} {
		bodies[prefix+"/cloudflare"], bodies[prefix+"/syslog"] = `{"RayID":"1"}`, "<1>1 - - - - - - m"
		bodies[prefix+"/vector"], bodies[prefix+"/vercel"] = `[{"message":"m"}]`, `[{"message":"m"}]`
	}
	for path, body := range bodies {
		for token, want := range map[string]string{
			"": "401 UNAUTHENTICATED", "wrong": "401 UNAUTHENTICATED", "expired": "401 UNAUTHENTICATED",
			"reader": "403 PERMISSION_DENIED", "other": "403 PERMISSION_DENIED",
			"full": "200", "sender": "200", "edge": "200",
		} {
			t.Run(path+" with "+token, func(t *testing.T) {
				t.Parallel()
				var log strings.Builder
				committer := &countingCommitter{}
				handler := newServer(slog.New(slog.NewJSONHandler(&log, nil)), func(config *httpserver.Config) {
					config.Keyring = keyring
					ingesting(committer, ingesthttp.DefaultMemoryBytes)(config)
				})
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path+"?source=edge_logs", strings.NewReader(body))
				request.Header.Set("Content-Type", "application/json")
				if token != "" {
					request.Header.Set("X-Api-Key", token)
				}
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				status, code, _ := strings.Cut(want, " ")
				assert.Equal(t, status, recorder.Result().Status[:3], recorder.Body)
				assert.Equal(t, code == "", committer.events == 1)
				assert.Equal(t, code != "", strings.Contains(log.String(), "request denied"), "the audit line")
				switch {
				case code == "":
				case path == "/v1/logs":
					assert.Contains(t, recorder.Body.String(), `"message":`, "OTLP has errors of its own form")
				default:
					assert.Contains(t, recorder.Body.String(), `"code":"`+code+`"`)
				}
			})
		}
	}
}

// The paths of other log stores are served, also below a base path, and have errors of their own form for every token.
func TestProtocolPaths(t *testing.T) {
	t.Parallel()
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{
			{Token: auth.FullAccess("full"), Hash: auth.HashOf("full")}, {Token: auth.Token{Name: "reader"}, Hash: auth.HashOf("reader")},
		}, nil
	})
	require.NoError(t, err)
	const loki, datadog, elasticsearch, text = "of Loki's API", `{"errors":[{"status":"`, `{"error":{"type":"`, "the token may not send log events; use one with ingest\n"
	for name, test := range map[string]struct {
		method, path, contentType, body string
		status                          int
		// reader is how a response to a token begins that may not send, and readerStatus its status.
		readerStatus int
		reader       string
	}{
		"Loki":                 {http.MethodPost, "/loki/api/v1/push?source=edge_logs", "application/json", `{"streams":[{"values":[["1","m"]]}]}`, 204, 403, text},
		"Loki, reading":        {http.MethodGet, "/loki/api/v1/labels", "", "", 404, 404, loki},
		"Datadog":              {http.MethodPost, "/api/v2/logs?source=edge_logs", "application/json", `[{"message":"m"}]`, 202, 403, datadog},
		"Datadog, old":         {http.MethodPost, "/v1/input?source=edge_logs", "application/json", `[{"message":"m"}]`, 200, 403, datadog},
		"bulk":                 {http.MethodPost, "/_bulk", "application/x-ndjson", `{"index":{"_index":"edge_logs"}}` + "\n" + `{"message":"m"}` + "\n", 200, 403, elasticsearch},
		"bulk of an index":     {http.MethodPost, "/edge_logs/_bulk", "application/x-ndjson", `{"index":{}}` + "\n" + `{"message":"m"}` + "\n", 200, 403, elasticsearch},
		"bulk with the prefix": {http.MethodPost, "/elasticsearch/edge_logs/_bulk", "application/x-ndjson", `{"index":{}}` + "\n" + `{"message":"m"}` + "\n", 200, 403, elasticsearch},
		"version":              {http.MethodGet, "/elasticsearch/", "", "", 200, 200, `{"cluster_name":"savedq"`},
		"health":               {http.MethodGet, "/_cat/health", "", "", 200, 200, `[{"cluster_name":"savedq"`},
		"journal":              {http.MethodPost, "/journald/edge_logs/upload", "application/vnd.fdo.journal", "MESSAGE=m\n\n", 202, 403, text},
	} {
		for _, base := range []string{"", "/base"} {
			t.Run(name+base, func(t *testing.T) {
				t.Parallel()
				served := make(chan string, 2)
				handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
					config.Keyring, config.BasePath = keyring, base
					config.Served = func(servedBy string, _ int, _ time.Duration) { served <- servedBy }
					ingesting(&countingCommitter{}, ingesthttp.DefaultMemoryBytes)(config)
				})
				for token, want := range map[string]int{"full": test.status, "reader": test.readerStatus} {
					request := httptest.NewRequestWithContext(t.Context(), test.method, base+test.path, strings.NewReader(test.body))
					request.Header.Set("Content-Type", test.contentType)
					request.Header.Set("X-Api-Key", token)
					recorder := httptest.NewRecorder()
					handler.ServeHTTP(recorder, request)
					assert.Equal(t, want, recorder.Code, recorder.Body)
					assert.Equal(t, "ingest", <-served)
					if token == "reader" {
						assert.True(t, strings.HasPrefix(recorder.Body.String(), test.reader), recorder.Body)
					}
				}
			})
		}
	}
}

// /logs is a page for browsers that open it, and receives events by POST.
func TestLogsPath(t *testing.T) {
	t.Parallel()
	var mutex sync.Mutex
	served := map[string]string{}
	handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
		ingesting(&countingCommitter{}, ingesthttp.DefaultMemoryBytes)(config)
		config.Served = func(servedBy string, status int, _ time.Duration) {
			mutex.Lock()
			defer mutex.Unlock()
			served[strconv.Itoa(len(served))] = fmt.Sprint(servedBy, " ", status)
		}
	})
	page := serveOne(t, handler, http.MethodGet, "/logs", "")
	assert.Equal(t, http.StatusOK, page.Code)
	assert.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
	assert.Equal(t, http.StatusOK, serveOne(t, handler, http.MethodHead, "/logs", "").Code)
	put := serveOne(t, handler, http.MethodPut, "/logs", "")
	assert.Equal(t, http.StatusMethodNotAllowed, put.Code)
	assert.Equal(t, "GET, HEAD, POST", put.Header().Get("Allow"))
	assert.Equal(t, http.StatusBadRequest, serveOne(t, handler, http.MethodPost, "/logs", "").Code, "no source")
	get := serveOne(t, handler, http.MethodGet, "/api/logs", "")
	assert.Equal(t, http.StatusMethodNotAllowed, get.Code)
	assert.Equal(t, "POST", get.Header().Get("Allow"))
	assert.Equal(t, map[string]string{"0": "pages 200", "1": "pages 200", "2": "pages 405", "3": "ingest 400", "4": "ingest 405"}, served)
}

// A page of another origin cannot send events, even to a server that needs no token, unless
// its origin is allowed. A browser sends such a request without a preflight.
func TestIngestFromOtherOrigins(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		headers []string
		status  int
	}{
		"no browser":          {nil, 200},
		"the same origin":     {[]string{"Sec-Fetch-Site", "same-origin", "Origin", "http://localhost"}, 200},
		"an old browser":      {[]string{"Origin", "http://localhost"}, 200},
		"another origin":      {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example.com"}, 403},
		"another, old":        {[]string{"Origin", "https://evil.example.com"}, 403},
		"an allowed origin":   {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://app.example.com"}, 200},
		"a sandboxed page":    {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, 403},
		"a site of this host": {[]string{"Sec-Fetch-Site", "same-site", "Origin", "http://localhost:81"}, 403},
	} {
		committer := &countingCommitter{}
		handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
			config.Origins = allowedOrigins(t, "https://app.example.com")
			ingesting(committer, ingesthttp.DefaultMemoryBytes)(config)
		})
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/logs?source=edge_logs", strings.NewReader(`{"message":"m"}`))
		request.Host = "localhost"
		for i := 0; i < len(test.headers); i += 2 {
			request.Header.Set(test.headers[i], test.headers[i+1])
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		assert.Equal(t, test.status, recorder.Code, name)
		assert.Equal(t, test.status == 200, committer.events == 1, name)
	}
}

const postHead = "POST /logs?source=edge_logs HTTP/1.1\r\nHost: localhost\r\n"

// A sender that announces large bodies and sends them slowly holds little memory, however many connections it has, and
// is cut off in time. Meanwhile, events of other senders are accepted at once.
func TestIngestFromSlowSenders(t *testing.T) {
	t.Parallel()
	const connections = 400
	keyring, err := auth.NewKeyring(func() (credentials []auth.Credential, err error) {
		for _, name := range []string{"flood", "other"} {
			credentials = append(credentials, auth.Credential{Token: auth.Token{Name: name, Ingest: true}, Hash: auth.HashOf(name)})
		}
		return credentials, nil
	})
	require.NoError(t, err)
	head := func(token string, length int) string {
		return fmt.Sprintf("%sX-Api-Key: %s\r\nContent-Length: %d\r\n\r\n", postHead, token, length)
	}
	for name, test := range map[string]struct {
		// sends is what each connection sends at once, before one byte a second.
		sends string
		// slow is about how many requests are cut off because they are too slow. The others exceed the sender's share.
		slow, variation int
		// after is how long that takes.
		after time.Duration
	}{
		"one byte":            {"[", connections, 0, 5 * time.Second},
		"more than its share": {"[" + strings.Repeat(" ", 160<<10), 96, 20, 25 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				committer := &countingCommitter{}
				handler := newServer(slog.New(slog.DiscardHandler), func(config *httpserver.Config) {
					config.MaxRequests, config.Keyring = 2*connections, keyring
					ingesting(committer, ingesthttp.MinMemoryBytes)(config)
				})
				ctx, stop := context.WithCancel(t.Context())
				listener := newPipes()
				done := serve(ctx, listener, handler.ServeHTTP)
				began := time.Now()
				var sending sync.WaitGroup
				var slow, beyondShare atomic.Int64
				for range connections {
					client := listener.dial()
					sending.Go(func() {
						defer func() { _ = client.Close() }()
						sending.Go(func() {
							_, _ = io.WriteString(client, head("flood", 12_000_000)+test.sends)
							sendSlowly(client, strings.Repeat(" ", 1000))
						})
						status, body, retryAfter, err := readResponse(client)
						switch status {
						case http.StatusRequestTimeout:
							slow.Add(1)
							assert.Contains(t, body, "did not arrive in time")
							assert.InDelta(t, test.after.Seconds(), time.Since(began).Seconds(), 1)
						case http.StatusServiceUnavailable:
							beyondShare.Add(1)
							assert.Contains(t, body, "this token use its share of the memory")
							assert.Equal(t, "1", retryAfter)
						default:
							assert.Fail(t, "another status", status)
						}
						assert.NoError(t, err)
					})
				}
				synctest.Wait()
				event := `{"message":"` + strings.Repeat("m", 1<<20) + `"}`
				const others = 3
				for range others {
					client := listener.dial()
					sending.Go(func() { _, _ = io.WriteString(client, head("other", len(event))+event) })
					response, err := http.ReadResponse(bufio.NewReader(client), nil)
					require.NoError(t, err)
					assert.Equal(t, http.StatusOK, response.StatusCode)
					require.NoError(t, response.Body.Close())
					require.NoError(t, client.Close())
				}
				assert.Zero(t, time.Since(began))
				sending.Wait()
				stop()
				require.NoError(t, <-done)
				assert.Equal(t, others, committer.events)
				assert.InDelta(t, test.slow, slow.Load(), float64(test.variation))
				assert.EqualValues(t, connections, slow.Load()+beyondShare.Load())
			})
		})
	}
}

// readResponse reads a response from a connection.
func readResponse(client net.Conn) (status int, body, retryAfter string, err error) {
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		return 0, "", "", err
	}
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), response.Header.Get("Retry-After"), errors.Join(err, response.Body.Close())
}

// Without memory, a request is rejected before its body is read: the client that waits for
// "100 Continue" need not send it. Otherwise it is told to continue.
func TestIngestContinues(t *testing.T) {
	t.Parallel()
	const event = `{"message":"m"}`
	for name, test := range map[string]struct {
		memory int64
		target string
		want   string
	}{
		"accepted":    {ingesthttp.DefaultMemoryBytes, postHead, "100 200"},
		"no memory":   {10, postHead, "503"},
		"bad request": {ingesthttp.DefaultMemoryBytes, strings.Replace(postHead, "edge_logs", "nosuch", 1), "400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := newServer(slog.New(slog.DiscardHandler), ingesting(&countingCommitter{}, test.memory))
			server := httptest.NewServer(handler)
			defer server.Close()
			client, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			defer func() { _ = client.Close() }()
			_, err = fmt.Fprintf(client, "%sExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", test.target, len(event))
			require.NoError(t, err)
			reader := bufio.NewReader(client)
			var statuses []string
			for range strings.FieldsSeq(test.want) {
				response, err := http.ReadResponse(reader, nil)
				require.NoError(t, err)
				statuses = append(statuses, response.Status[:3])
				if response.StatusCode == http.StatusContinue {
					_, err = io.WriteString(client, event)
					require.NoError(t, err)
					continue
				}
				if response.StatusCode == http.StatusServiceUnavailable {
					assert.Equal(t, "1", response.Header.Get("Retry-After"))
				}
				require.NoError(t, response.Body.Close())
			}
			assert.Equal(t, test.want, strings.Join(statuses, " "))
		})
	}
}

// Exporters of traces and metrics learn in their own encoding that only logs are received.
func TestOtherSignals(t *testing.T) {
	t.Parallel()
	handler := newServer(slog.New(slog.DiscardHandler), ingesting(&countingCommitter{}, 1<<20))
	const message = "only logs are received, at /v1/logs; turn the exporter of this signal off"
	for _, path := range []string{"/v1/traces", "/v1/metrics", "/v1/traces/"} {
		for media, want := range map[string]string{
			"application/json":       `{"code":5,"message":"` + message + `"}`,
			"application/x-protobuf": "\x08\x05\x12" + string(rune(len(message))) + message,
		} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader("{}"))
			request.Host = "localhost"
			request.Header.Set("Content-Type", media)
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			assert.Equal(t, http.StatusNotFound, response.Code)
			assert.Equal(t, media, response.Header().Get("Content-Type"))
			assert.Equal(t, want, strings.ReplaceAll(response.Body.String(), `5, "`, `5,"`), path)
		}
	}
}
