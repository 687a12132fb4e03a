package load_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/load"
)

// manyEvents returns lines of events, every third one without an id, and every hundredth one
// malformed.
func manyEvents(count int) string {
	var content strings.Builder
	for i := range count {
		switch {
		case i%100 == 99:
			fmt.Fprintf(&content, "nonsense %d\n", i)
		case i%3 == 0:
			fmt.Fprintf(&content, `{"event_message":"m%d","metadata":{"number":%d,"nested":{"a":["é"]}}}`+"\n", i, i)
		default:
			fmt.Fprintf(&content, `{"id":"id%d","timestamp":1795258675%06d,"message":"m%d","project":"acme"}`+"\n", i, i, i)
		}
	}
	return content.String()
}

// A file that is sent gives the same events with the same ids as one that is loaded.
func TestSendIsLikeLoad(t *testing.T) {
	t.Parallel()
	server, store := newFakeServer(t), newFakeStore()
	path := writeInput(t, manyEvents(5000))
	options := optionsFor(store)
	options.Now = func() time.Time { return time.Date(2026, 11, 20, 10, 0, 0, 123456789, time.UTC) }
	loaded, err := load.File(t.Context(), path, edgeLogs(t), options)
	require.NoError(t, err)
	wantRejected, err := os.ReadFile(loaded.RejectedPath)
	require.NoError(t, err)

	sent, err := load.Send(t.Context(), path, edgeLogs(t), sendOptions(server, &delays{}))
	require.NoError(t, err)
	assert.Equal(t, loaded, sent)
	assert.Equal(t, 4950, sent.Loaded)
	gotRejected, err := os.ReadFile(sent.RejectedPath)
	require.NoError(t, err)
	assert.Equal(t, string(wantRejected), string(gotRejected))
	assert.NoFileExists(t, load.SentPath(path))
	assert.Len(t, server.events, len(store.events))
	for key, want := range store.events {
		got := server.events[key]
		assert.Equal(t, want.ID, got.ID)
		assert.Equal(t, want.Timestamp.Format("2006-01-02T15:04:05.000000Z"), got.Timestamp)
		assert.Equal(t, want.EventMessage, got.EventMessage)
		assert.Equal(t, want.Project, got.Project)
		assert.Equal(t, string(want.Metadata), string(got.Metadata))
	}

	again, err := load.Send(t.Context(), path, edgeLogs(t), sendOptions(server, &delays{}))
	require.NoError(t, err)
	assert.Equal(t, "0 4950 50", fmt.Sprint(again.Loaded, again.Duplicates, again.Rejected), "sending again adds nothing")
	assert.Len(t, server.events, 4950)
}

// A request is repeated while the server is busy or out of reach, and also if the connection
// ends before the response arrives. Nothing is stored twice.
func TestSendRetries(t *testing.T) {
	t.Parallel()
	server := newFakeServer(t)
	server.before = func(number int, w http.ResponseWriter) bool {
		switch number {
		case 1:
			w.Header().Set("Retry-After", "7")
			return fail(w, http.StatusServiceUnavailable, "the memory for events is used up")
		case 2:
			w.Header().Set("Retry-After", "Fri, 20 Nov 2026 10:00:20 GMT")
			return fail(w, http.StatusTooManyRequests, "too many requests")
		case 3:
			return fail(w, http.StatusBadGateway, "")
		case 4:
			cut(t, w)
			return true
		}
		return false
	}
	server.after = func(number int, w http.ResponseWriter) bool {
		if number == 5 {
			cut(t, w) // the events are stored
		}
		return number == 5
	}
	var waits delays
	options := sendOptions(server, &waits)
	options.Parallel = 1
	var reasons []string
	options.Server.Retrying = func(reason error, _ time.Duration) { reasons = append(reasons, reason.Error()) }
	path := writeInput(t, manyEvents(2000))
	summary, err := load.Send(t.Context(), path, edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, "990 990 20", fmt.Sprint(summary.Loaded, summary.Duplicates, summary.Rejected))
	assert.Len(t, server.events, 1980)
	assert.Equal(t, 990, server.duplicates, "those of the request whose response was lost")
	assert.Equal(t, []time.Duration{
		7*time.Second + 500*time.Millisecond,
		12376543211 + time.Second, // until 10:00:20, and the second delay
		2 * time.Second, 4 * time.Second, 8 * time.Second,
	}, waits.list())
	require.Len(t, reasons, 5)
	assert.Equal(t, server.URL+" responds with 503 Service Unavailable: the memory for events is used up", reasons[0])
	assert.Equal(t, server.URL+" responds with 429 Too Many Requests: too many requests", reasons[1])
	assert.Equal(t, server.URL+" responds with 502 Bad Gateway", reasons[2])
	assert.True(t, strings.HasPrefix(reasons[3], "reach the server: "), reasons[3])
}

// A server that stays busy ends the sending after five minutes.
func TestSendGivesUp(t *testing.T) {
	t.Parallel()
	server := newFakeServer(t)
	server.before = func(_ int, w http.ResponseWriter) bool {
		return fail(w, http.StatusServiceUnavailable, "the disk is full")
	}
	var waits delays
	path := writeInput(t, `{"event_message":"m"}`)
	_, err := load.Send(t.Context(), path, edgeLogs(t), sendOptions(server, &waits))
	require.EqualError(t, err, "send "+path+": no success in 5m0s: "+server.URL+" responds with 503 Service Unavailable: the disk is full")
	assert.Equal(t, 30*time.Second, waits.list()[len(waits.list())-1], "the delay is limited")
	assert.NoFileExists(t, load.SentPath(path), "nothing is acknowledged")
}

// Other responses are no reason to try again.
func TestSendStops(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		respond func(w http.ResponseWriter) bool
		want    string
	}{
		"a wrong token": {func(w http.ResponseWriter) bool { return fail(w, http.StatusUnauthorized, "no") }, "SERVER does not accept the token; set the variable SAVEDQ_TOKEN to one of its tokens that may send events"},
		"a limited token": {func(w http.ResponseWriter) bool {
			return fail(w, http.StatusForbidden, "the token may not send events")
		}, "SERVER responds with 403 Forbidden: the token may not send events"},
		"no such route": {func(w http.ResponseWriter) bool {
			return fail(w, http.StatusNotFound, "this server receives no events")
		}, "SERVER responds with 404 Not Found: this server receives no events"},
		"a bad request": {func(w http.ResponseWriter) bool { return fail(w, http.StatusBadRequest, "source: is required") }, "SERVER responds with 400 Bad Request: source: is required"},
		"a failure":     {func(w http.ResponseWriter) bool { return fail(w, http.StatusInternalServerError, "it failed") }, "SERVER responds with 500 Internal Server Error: it failed"},
		"a redirect": {func(w http.ResponseWriter) bool {
			w.Header().Set("Location", "https://other/")
			return fail(w, http.StatusMovedPermanently, "")
		}, "SERVER redirects to https://other/; use the URL of the server itself"},
		"a page":     {func(w http.ResponseWriter) bool { _, _ = w.Write([]byte("<html>")); return true }, "SERVER does not respond like a savedq server; is the URL right?"},
		"other JSON": {func(w http.ResponseWriter) bool { _, _ = w.Write([]byte(`{"ok":true}`)); return true }, "SERVER does not respond like a savedq server; is the URL right?"},
		"too few":    {func(w http.ResponseWriter) bool { _, _ = w.Write([]byte(`{"message":"Logged!"}`)); return true }, "SERVER acknowledges 0 of 1 events; is it another program than savedq?"},
		"a rejected nothing": {func(w http.ResponseWriter) bool {
			_, _ = w.Write([]byte(`{"message":"Logged!","rejected":1,"errors":[{"position":7}]}`))
			return true
		}, "SERVER rejects an event that was not sent: position 7 of 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFakeServer(t)
			server.before = func(_ int, w http.ResponseWriter) bool { return test.respond(w) }
			path := writeInput(t, `{"event_message":"m"}`)
			_, err := load.Send(t.Context(), path, edgeLogs(t), sendOptions(server, &delays{}))
			require.EqualError(t, err, "send "+path+": "+strings.ReplaceAll(test.want, "SERVER", server.URL))
			assert.Equal(t, 1, server.requests)
			assert.NoFileExists(t, load.SentPath(path))
		})
	}
}

// Events that the server rejects are in the file of rejected events, with their lines.
func TestSendRecordsRejectedEvents(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"one of several": `{"id":"a","event_message":"m"}` + "\n\n" + `{"id":"b","timestamp":1,"event_message":"reject"}` + "\n",
		"all":            "\n\n" + `{"id":"b","timestamp":1,"event_message":"reject"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeInput(t, content)
			summary, err := load.Send(t.Context(), path, edgeLogs(t), sendOptions(newFakeServer(t), &delays{}))
			require.NoError(t, err)
			assert.Equal(t, 1, summary.Rejected)
			rejected, err := os.ReadFile(summary.RejectedPath)
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprintf(`{"file":%q,"line":3,"reason":"event_message: is not accepted","event":"{\"id\":\"b\",\"timestamp\":\"1970-01-01T00:00:01.000000Z\",\"event_message\":\"reject\"}"}`+"\n", path), string(rejected))
		})
	}
}

// An event that does not fit beside the others is in the next request.
func TestSendDividesRequestsBeforeALongEvent(t *testing.T) {
	t.Parallel()
	line := func(length int) string { return `{"event_message":"` + strings.Repeat("x", length) + `"}` + "\n" }
	path := writeInput(t, strings.Repeat(line(2000), 900)+line(11<<20)+line(1))
	options := sendOptions(newFakeServer(t), &delays{})
	options.MaxEventBytes = 12 << 20
	summary, err := load.Send(t.Context(), path, edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, "902 0", fmt.Sprint(summary.Loaded, summary.Rejected))
}

// An event that fits into no request is rejected. Others are sent.
func TestSendRejectsEventsLargerThanARequest(t *testing.T) {
	t.Parallel()
	path := writeInput(t, `{"event_message":"`+strings.Repeat("x", 12<<20)+`"}`+"\n"+`{"event_message":"m"}`)
	options := sendOptions(newFakeServer(t), &delays{})
	options.MaxEventBytes = 0
	summary, err := load.Send(t.Context(), path, edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, "1 1", fmt.Sprint(summary.Loaded, summary.Rejected))
	rejected, err := os.ReadFile(summary.RejectedPath)
	require.NoError(t, err)
	assert.Contains(t, string(rejected[:1000]), `"line":1,"reason":"event: has 12583019 bytes; a request to a server has at most 12 MiB"`)
}

// A run that was interrupted is continued: what was acknowledged is not sent again, and the
// summary covers both runs.
func TestSendContinues(t *testing.T) {
	t.Parallel()
	content := `{"id":"r","event_message":"reject"}` + "\n" + manyEvents(2_500)
	interrupt := func(t *testing.T) (*fakeServer, string) {
		t.Helper()
		server := newFakeServer(t)
		server.before = func(number int, w http.ResponseWriter) bool {
			return number > 2 && fail(w, http.StatusForbidden, "the token has expired")
		}
		path := writeInput(t, content)
		options := sendOptions(server, &delays{})
		options.Parallel = 1
		_, err := load.Send(t.Context(), path, edgeLogs(t), options)
		require.ErrorContains(t, err, "the token has expired; acknowledged so far: 1,981 events; run the same command again to continue")
		assert.FileExists(t, load.SentPath(path))
		assert.NoFileExists(t, load.RejectedPath(path))
		server.before = func(int, http.ResponseWriter) bool { return false }
		return server, path
	}
	for name, test := range map[string]struct {
		change     func(t *testing.T, path string)
		duplicates int
	}{
		"nothing has changed": {func(*testing.T, string) {}, 0},
		"the last line of the record was cut off": {func(t *testing.T, path string) {
			t.Helper()
			record, err := os.ReadFile(load.SentPath(path))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(load.SentPath(path), record[:len(record)-3], 0o600))
		}, 990},
		"the file has grown": {func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.WriteFile(path, []byte(content+"\n"), 0o600))
		}, 1980},
		"the file was written again": {func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
		}, 1980},
		"the record is something else": {func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.WriteFile(load.SentPath(path), []byte("nonsense\n"), 0o600))
		}, 1980},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, path := interrupt(t)
			test.change(t, path)
			options := sendOptions(server, &delays{})
			options.Parallel = 1
			summary, err := load.Send(t.Context(), path, edgeLogs(t), options)
			require.NoError(t, err)
			assert.InDelta(t, test.duplicates, server.duplicates, 1, "an event that is sent again")
			assert.Len(t, server.events, 2475)
			assert.Equal(t, 26, summary.Rejected)
			rejected, err := os.ReadFile(summary.RejectedPath)
			require.NoError(t, err)
			assert.Equal(t, 26, strings.Count(string(rejected), "\n"))
			assert.Contains(t, string(rejected), `"line":1,"reason":"event_message: is not accepted"`)
			assert.NoFileExists(t, load.SentPath(path))
			if name == "nothing has changed" {
				assert.Equal(t, "2475 0 1981", fmt.Sprint(summary.Loaded, summary.Duplicates, summary.SentEarlier))
				assert.Contains(t, summary.String(), "2,475 events loaded, 26 rejected ("+load.RejectedPath(path)+"), 1,981 of them sent by a run that was interrupted")
			}
		})
	}
	t.Run("another source", func(t *testing.T) {
		t.Parallel()
		server, path := interrupt(t)
		_, err := load.Send(t.Context(), path, authLogs(t), sendOptions(server, &delays{}))
		require.NoError(t, err)
		assert.Len(t, server.events, 1980+2475)
	})
	t.Run("another server", func(t *testing.T) {
		t.Parallel()
		_, path := interrupt(t)
		other := newFakeServer(t)
		_, err := load.Send(t.Context(), path, edgeLogs(t), sendOptions(other, &delays{}))
		require.NoError(t, err)
		assert.Len(t, other.events, 2475)
	})
}

// Whatever fails and however often a run is interrupted, in the end each event is stored once.
func TestSendThroughFailures(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			const events = 5_000
			random := rand.New(rand.NewPCG(seed, 1))
			path := writeInput(t, manyEvents(events))
			server := newFakeServer(t)
			disturb := func(interrupt context.CancelFunc) {
				server.before = func(_ int, w http.ResponseWriter) bool {
					switch random.IntN(8) {
					case 0:
						return fail(w, http.StatusServiceUnavailable, "busy")
					case 1:
						cut(t, w)
						return true
					}
					return false
				}
				server.after = func(_ int, w http.ResponseWriter) bool {
					switch random.IntN(8) {
					case 0:
						interrupt()
					case 1:
						cut(t, w)
						return true
					}
					return false
				}
			}
			var summary load.Summary
			var err error
			for range 1000 {
				ctx, interrupt := context.WithCancel(t.Context())
				server.mutex.Lock()
				disturb(interrupt)
				server.mutex.Unlock()
				summary, err = load.Send(ctx, path, edgeLogs(t), sendOptions(server, &delays{}))
				interrupt()
				if err == nil {
					break
				}
				require.ErrorIs(t, err, context.Canceled)
			}
			require.NoError(t, err)
			assert.Len(t, server.events, events/100*99)
			assert.Equal(t, events/100*99, summary.Loaded+summary.Duplicates)
			assert.Equal(t, events/100, summary.Rejected)
			assert.NoFileExists(t, load.SentPath(path))
		})
	}
}

// The standard input is sent, too, and cannot be continued.
func TestSendStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	server := newFakeServer(t)
	options := sendOptions(server, &delays{})
	options.Input = strings.NewReader(manyEvents(1000))
	summary, err := load.Send(t.Context(), load.StandardInput, edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, "edge_logs ← standard input: 990 events loaded, 10 rejected (stdin.rejected.ndjson)", summary.String())
	assert.Len(t, server.events, 990)
	assert.FileExists(t, "stdin.rejected.ndjson")
	assert.NoFileExists(t, load.SentPath(load.StandardInput))
}

// An event that was rejected before the interruption for its size is sent after it, if the limit
// was raised: batches that are acknowledged have it.
func TestSendContinuesWithAnotherLimit(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(strings.Repeat(`{"event_message":"small"}`+"\n", 3000), "\n")
	lines[500] = `{"id":"large","event_message":"` + strings.Repeat("x", 2<<20) + `"}` + "\n"
	for name, test := range map[string]struct {
		limit    int
		large    bool
		warning  string
		rejected int
	}{
		"the same limit": {1 << 20, false, "", 1},
		"a larger limit": {12 << 20, true, "because it was written with --max-event 1 MiB, and this is 12 MiB: all events are sent again, and the server drops those that it has", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeInput(t, strings.Join(lines, ""))
			server := newFakeServer(t)
			server.before = func(number int, w http.ResponseWriter) bool {
				return number > 1 && fail(w, http.StatusForbidden, "the token has expired")
			}
			options := sendOptions(server, &delays{})
			options.Parallel = 1
			_, err := load.Send(t.Context(), path, edgeLogs(t), options)
			require.ErrorContains(t, err, "acknowledged so far: 500 events")
			server.before = func(int, http.ResponseWriter) bool { return false }
			var warnings []string
			options.MaxEventBytes = test.limit
			options.Warn = func(warning string) { warnings = append(warnings, warning) }
			summary, err := load.Send(t.Context(), path, edgeLogs(t), options)
			require.NoError(t, err)
			_, large := server.events["edge_logs large"]
			assert.Equal(t, test.large, large)
			assert.Equal(t, test.rejected, summary.Rejected)
			assert.Equal(t, 3000-test.rejected, summary.Loaded+summary.Duplicates)
			if test.warning == "" {
				assert.Empty(t, warnings)
				return
			}
			require.Len(t, warnings, 1)
			assert.Contains(t, warnings[0], load.SentPath(path)+" cannot be continued, ")
			assert.Contains(t, warnings[0], test.warning)
		})
	}
}

// Where no record can be written, as in a read-only directory, events are sent without one.
func TestSendWithoutARecord(t *testing.T) {
	t.Parallel()
	path := writeInput(t, manyEvents(50))
	require.NoError(t, os.MkdirAll(filepath.Join(load.SentPath(path), "in the way"), 0o700))
	var warnings []string
	options := sendOptions(newFakeServer(t), &delays{})
	options.Warn = func(warning string) { warnings = append(warnings, warning) }
	summary, err := load.Send(t.Context(), path, edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, 50, summary.Loaded)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "what is sent cannot be recorded in "+filepath.Dir(path)+" (directory not empty), so after an interruption all events of the file are sent again")
	assert.DirExists(t, load.SentPath(path))
}

// failingTransport fails the requests for which failure returns an error.
type failingTransport struct {
	http.RoundTripper

	failure func() error
}

func (t *failingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.failure(); err != nil {
		return nil, err
	}
	return t.RoundTripper.RoundTrip(request)
}

// A server that cannot be reached at all is an error at once, because its URL is likely wrong.
func TestSendFailsAtOnce(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	plain := newFakeServer(t)
	encrypted := httptest.NewUnstartedServer(http.NotFoundHandler())
	encrypted.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshakes fail on purpose
	encrypted.StartTLS()
	t.Cleanup(encrypted.Close)
	unknown := &failingTransport{failure: func() error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nosuch", IsNotFound: true}}
	}}
	for name, test := range map[string]struct {
		url       string
		transport http.RoundTripper
		want      string
	}{
		"a refused connection":     {closed.URL, http.DefaultTransport, "connect: connection refused; start the server, or correct the URL; nothing was sent"},
		"https to an http port":    {strings.Replace(plain.URL, "http:", "https:", 1), http.DefaultTransport, "http: server gave HTTP response to HTTPS client; nothing was sent"},
		"an unknown host":          {"http://nosuch", unknown, "dial tcp: lookup nosuch: no such host; nothing was sent"},
		"an untrusted certificate": {encrypted.URL, http.DefaultTransport, "tls: failed to verify certificate: x509: certificate signed by unknown authority; nothing was sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var waits delays
			options := sendOptions(plain, &waits)
			options.Server.Client = &http.Client{Transport: test.transport}
			options.Server.URL = test.url
			path := writeInput(t, `{"event_message":"m"}`)
			_, err := load.Send(t.Context(), path, edgeLogs(t), options)
			require.ErrorContains(t, err, "send "+path+": reach the server: ")
			require.ErrorContains(t, err, test.want)
			assert.Empty(t, waits.list())
			assert.NoFileExists(t, load.SentPath(path))
		})
	}
}

// A server that was reached once, and is out of reach later, is expected to come back.
func TestSendWaitsForAServerThatWasReached(t *testing.T) {
	t.Parallel()
	server := newFakeServer(t)
	var waits delays
	options := sendOptions(server, &waits)
	options.Parallel = 1
	requests := 0
	options.Server.Client.Transport = &failingTransport{RoundTripper: options.Server.Client.Transport, failure: func() error {
		if requests++; requests == 2 || requests == 3 {
			return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		return nil
	}}
	summary, err := load.Send(t.Context(), writeInput(t, manyEvents(3000)), edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, 2970, summary.Loaded)
	assert.Len(t, waits.list(), 2)
}

// A lasting failure in the middle names what is acknowledged.
func TestSendFailsLater(t *testing.T) {
	t.Parallel()
	var waits delays
	options := sendOptions(newFakeServer(t), &waits)
	options.Parallel = 1
	requests := 0
	options.Server.Client.Transport = &failingTransport{RoundTripper: options.Server.Client.Transport, failure: func() error {
		if requests++; requests == 2 {
			return &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
		}
		return nil
	}}
	_, err := load.Send(context.WithoutCancel(t.Context()), writeInput(t, manyEvents(3000)), edgeLogs(t), options)
	require.ErrorContains(t, err, "x509: certificate signed by unknown authority; acknowledged so far: 990 events; run the same command again to continue")
	assert.Empty(t, waits.list())
}
