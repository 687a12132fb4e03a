package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// eventTemplate is an event of about 300 bytes, whose id is left open.
const eventTemplate = `{"id":"%s","event_message":"request of a function","project":"acme","metadata":{"project_ref":"acme","function_id":"0d1e8b4e-5a1f-4c3b-9d2e-0123456789ab","execution_time_ms":123.5,"request":{"method":"GET","url":"https://acme.example.com/functions/v1/hello"},"response":{"status_code":200}}}` + "\n"

// idLength is the length of an event's id: the number of its request and its own.
const idLength = len("00000000-0000-000")

// events makes requests with events that have ids of their own.
type events struct {
	head []byte
	body []byte
	// places are where the ids start.
	places []int
}

func newEvents(perRequest int) *events { return newEventsOf("function_edge_logs", perRequest) }

func newEventsOf(source string, perRequest int) *events {
	e := &events{}
	for range perRequest {
		e.places = append(e.places, len(e.body)+len(`{"id":"`))
		e.body = fmt.Appendf(e.body, eventTemplate, bytes.Repeat([]byte("0"), idLength))
	}
	e.head = fmt.Appendf(nil, "POST /api/logs?source=%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n", source, len(e.body))
	return e
}

// request returns the n-th request.
func (e *events) request(n int) []byte {
	request := append(append(make([]byte, 0, len(e.head)+len(e.body)), e.head...), e.body...)
	for i, place := range e.places {
		place += len(e.head)
		_ = fmt.Appendf(request[place:place], "%08x-%04x-%03x", n, i, len(e.places)&0xfff)
	}
	return request
}

// startServer runs the program on an empty store until the benchmark ends, with more arguments, and returns
// its address.
func startServer(tb testing.TB, more ...string) string {
	tb.Helper()
	binary := filepath.Join(tb.TempDir(), "savedq")
	output, err := exec.CommandContext(tb.Context(), "go", "build", "-o", binary, "savedq").CombinedOutput()
	require.NoError(tb, err, "%s", output)
	arguments := append([]string{"serve", "--no-auth", "--addr", "127.0.0.1:0", "--data", tb.TempDir(), "--log-level", "warn"}, more...)
	command := exec.CommandContext(tb.Context(), binary, arguments...)
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, command.Start())
	tb.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	lines, address := bufio.NewScanner(stdout), regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`)
	for lines.Scan() {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return found[1]
		}
	}
	require.FailNow(tb, "the server did not start")
	return ""
}

// plainIngest returns a handler that makes each request durable in the simplest way: it
// appends the body to a file and calls fsync. It neither reads nor stores the events.
func plainIngest(tb testing.TB) http.Handler {
	tb.Helper()
	file, err := os.Create(filepath.Join(tb.TempDir(), "events"))
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = file.Close() })
	var mutex sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mutex.Lock()
		defer mutex.Unlock()
		if err == nil {
			_, err = file.Write(body)
		}
		if err == nil {
			err = file.Sync()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"message":"Logged!"}`)
	})
}

// Events over HTTP, beside the plain handler: the events per second of each, and the 99th
// percentile of the time until the response, at half of what savedq can do.
func BenchmarkIngest(b *testing.B) {
	for _, test := range []struct{ perRequest, connections, requests int }{{500, 16, 160}, {1, 200, 4000}} {
		b.Run(fmt.Sprintf("%d_per_request", test.perRequest), func(b *testing.B) {
			made := newEvents(test.perRequest)
			ours := newLoadOver(b, startServer(b), test.connections, made.request)
			plain := newLoadOver(b, servePlainly(b, plainIngest(b)), test.connections, made.request)
			ours.full(b, test.requests)
			plain.full(b, test.requests)
			rate, _ := takeTurns(b, test.requests*test.perRequest, "fsync",
				func() { plain.full(b, test.requests) }, func() { ours.full(b, test.requests) })
			rate /= float64(test.perRequest)
			paced := int(5 * rate) // ten seconds
			b.ReportMetric(p99(ours.paced(b, paced, rate/2)).Seconds()/p99(plain.paced(b, paced, rate/2)).Seconds(), "p99-ratio")
		})
	}
}

// The time until the response of dashboards, 100 requests for statistics a second, at 50,000 events
// a second, beside the same without ingest: of requests that are cached, and of those that the engine runs.
func BenchmarkIngestBesideDashboards(b *testing.B) {
	const perRequest, rate, dashboardRate, seconds, quiet = 500, 100, 100, 10, 3
	const statistics = "/api/endpoints/functions.invocation-stats?project=acme&interval=1hr"
	for name, request := range map[string]func(n int) []byte{
		"cached":   func(int) []byte { return get(statistics) },
		"uncached": func(n int) []byte { return get(statistics + "&function_id=" + strconv.Itoa(n)) },
	} {
		b.Run(name, func(b *testing.B) {
			address := startServer(b)
			ours := newLoadOver(b, address, connections, newEvents(perRequest).request)
			dashboards := newLoadOver(b, address, connections, request)
			ours.full(b, 10*connections)
			for b.Loop() {
				dashboards.paced(b, quiet*dashboardRate, dashboardRate) // meanwhile all events are stored
				alone := p99(dashboards.paced(b, seconds*dashboardRate, dashboardRate))
				var beside, acknowledged time.Duration
				var both sync.WaitGroup
				both.Go(func() { acknowledged = p99(ours.paced(b, seconds*rate, rate)) })
				both.Go(func() { beside = p99(dashboards.paced(b, seconds*dashboardRate, dashboardRate)) })
				both.Wait()
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(alone.Microseconds())/1000, "alone-ms")
				b.ReportMetric(float64(beside.Microseconds())/1000, "savedq-ms")
				b.ReportMetric(beside.Seconds()/alone.Seconds(), "p99-ratio")
				b.Logf("acknowledged after %s (p99)", acknowledged)
			}
		})
	}
}
