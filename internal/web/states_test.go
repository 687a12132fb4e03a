package web_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeAPI responds to each request, counted from 1.
type fakeAPI func(number int64, w http.ResponseWriter, r *http.Request)

func serveFake(t *testing.T, respond fakeAPI) string {
	t.Helper()
	var requests atomic.Int64
	return serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		w.Header().Set("X-Request-Id", "request-1234")
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte("query Viewer")) {
			_, _ = io.WriteString(w, fakeViewer)
			return
		}
		respond(requests.Add(1), w, r)
	}))
}

// operationOf returns the name of the operation that a request runs.
func operationOf(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	found := regexp.MustCompile(`query (\w+)`).FindSubmatch(body)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// fakeViewer is the viewer of an unlimited token.
const fakeViewer = `{"data":{"viewer":{"projects":null,"projectTier":null,"refresh":true},
	"endpoints":[{"name":"functions.invocation-stats"},{"name":"logs.all"},{"name":"usage.api-counts"}]}}`

// waitFor delays a response until it is released, or until the client or the test
// is gone.
func waitFor(t *testing.T, r *http.Request, release <-chan struct{}) {
	t.Helper()
	select {
	case <-release:
	case <-r.Context().Done():
	case <-t.Context().Done():
	}
}

// writeStats responds with one bucket of count invocations.
func writeStats(w io.Writer, count int64, cache string, ageSeconds int, truncated bool) {
	_, _ = fmt.Fprintf(w, `{"data":{"rows":[
		{"timestamp":"2026-11-20T11:00:00Z","minExecutionTime":null,"maxExecutionTime":null,"avgExecutionTime":null,"p95ExecutionTime":null,"p99ExecutionTime":null,"count":0,"errorCount":0},
		{"timestamp":"2026-11-20T12:00:00Z","minExecutionTime":1,"maxExecutionTime":9,"avgExecutionTime":5,"p95ExecutionTime":8,"p99ExecutionTime":9,"count":%d,"errorCount":1}],
		"endpoint":{"cacheSeconds":900,"warmSeconds":300}},
		"extensions":{"freshness":{"rows":{"cache":%q,"ageSeconds":%d,"asOf":"2026-11-20T12:03:21Z","truncated":%t,"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0}}}}`,
		count, cache, ageSeconds, truncated)
}

// writeCounts responds with count REST requests in the first hour of a day.
func writeCounts(w io.Writer, count int64) {
	_, _ = fmt.Fprintf(w, `{"data":{"rows":[
		{"timestamp":"2026-11-20T00:00:00Z","totalRestRequests":%d,"totalStorageRequests":0,"totalAuthRequests":0,"totalRealtimeRequests":0}],
		"endpoint":{"cacheSeconds":900,"warmSeconds":300}},
		"extensions":{"freshness":{"rows":{"cache":"MISS","ageSeconds":0,"asOf":"2026-11-20T00:03:21Z","truncated":false,"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0}}}}`, count)
}

// writeLogs responds with one entry for each message, newest first.
func writeLogs(w io.Writer, messages ...string) {
	entries := make([]string, len(messages))
	for i, message := range messages {
		entries[i] = fmt.Sprintf(`{"id":"e%d","timestamp":"2026-11-20T12:00:00Z","eventMessage":%s,"metadata":null}`, i, quote(message))
	}
	_, _ = fmt.Fprintf(w, `{"data":{"logs":[%s]},
		"extensions":{"freshness":{"logs":{"cache":"OFF","ageSeconds":0,"asOf":"2026-11-20T12:03:21Z","truncated":false,"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0}}}}`, strings.Join(entries, ","))
}

// heightOfHistogram is the height of the histogram of the logs, in pixels.
const heightOfHistogram = 104

// serveSearch serves a search that finds one log entry, and no facets.
func serveSearch(t *testing.T, histogram http.HandlerFunc) string {
	t.Helper()
	viewer := strings.Replace(fakeViewer, `"endpoints":[`, `"endpoints":[{"name":"logs.search"},{"name":"logs.histogram"},{"name":"logs.facets"},`, 1)
	return serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		switch operationOf(r) {
		case "Viewer":
			_, _ = io.WriteString(w, viewer)
		case "LogSearch":
			writeRows(w, `{"id":"e1","timestamp":"2026-11-20T12:00:00Z","source":"auth_logs","eventMessage":"the only message","status":null,"method":null,"path":null,"level":null,"metadata":null}`)
		case "LogHistogram":
			histogram(w, r)
		default:
			writeRows(w)
		}
	}))
}

// writeRows responds with rows that are not cached.
func writeRows(w io.Writer, rows ...string) {
	_, _ = fmt.Fprintf(w, `{"data":{"rows":[%s]},
		"extensions":{"freshness":{"rows":{"cache":"OFF","ageSeconds":0,"asOf":"2026-11-20T12:03:21Z","truncated":false,"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0}}}}`, strings.Join(rows, ","))
}

const failure = `{"errors":[{"message":"the store is busy; try again in 5 s","extensions":{"code":"UNAVAILABLE"}}],"data":null}`

// failedAttempt is a failure that names its attempt.
const failedAttempt = `{"errors":[{"message":"attempt %d failed; try again in 5 s","extensions":{"code":"UNAVAILABLE"}}],"data":null}`

// panelTop returns the top of a page's panel.
const panelTop = "document.querySelector('.panel').getBoundingClientRect().top"

func testStates(t *testing.T, b browser) {
	t.Helper()
	t.Run("loading the project", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		p := b.openPage(t, serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if operationOf(r) == "Viewer" {
				waitFor(t, r, release)
				_, _ = io.WriteString(w, fakeViewer)
				return
			}
			writeStats(w, 7, "MISS", 0, false)
		})))
		p.open("/")
		p.waitText("h1", "Functions")
		p.waitText(".skeleton", "Loading")
		p.pictures("state-loading-project")
		close(release)
		p.waitText(".figure-value", "7")
	})
	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, r *http.Request) {
			waitFor(t, r, release)
			writeStats(w, 7, "MISS", 0, false)
		}))
		p.open("/?project=acme")
		p.waitText(".skeleton", "Loading the invocations")
		p.pictures("state-loading")
		assert.Zero(t, eval[int](p, "document.getAnimations().length"), "nothing moves with reduced motion")
		p.motion("no-preference")
		p.wait("document.getAnimations().length > 0")
		p.look(390, 844, "light")
		before := eval[float64](p, panelTop)
		close(release)
		p.wait("document.querySelector('.chart')")
		assert.InDelta(t, before, eval[float64](p, panelTop), 1, "nothing jumps when the response arrives, even on a phone")
		assert.Equal(t, 1, eval[int](p, "new Set([...document.querySelectorAll('.page-head button')].map((e) => e.offsetTop)).size"), "the buttons are in one row")
	})
	for name, test := range map[string]struct {
		address string
		// write responds to a request, counted from 1.
		write func(w io.Writer, number int64)
		// choice is what is clicked to make another request.
		choice string
		// first and second are texts of the responses, in elements of a selector.
		selector, first, second string
		loading                 string
	}{
		"functions": {
			"/?project=acme&interval=1hr", func(w io.Writer, number int64) { writeStats(w, 6+number, "MISS", 0, false) },
			"1 day", ".figure", "7Copy", "8Copy", "Loading the invocations",
		},
		"usage": {
			"/usage?project=acme&interval=hourly", func(w io.Writer, number int64) { writeCounts(w, 6+number) },
			"Last 7 days", ".figure", "7Copy", "8Copy", "Loading the requests",
		},
		"logs": {
			"/logs?project=acme", func(w io.Writer, number int64) { writeLogs(w, fmt.Sprintf("message %d", number)) },
			"1 hour", ".log-row", "message 1", "message 2", "Loading its log entries",
		},
		"empty logs": {
			"/logs?project=acme", func(w io.Writer, number int64) { writeLogs(w, []string{"message 2"}[:number-1]...) },
			"1 hour", ".empty, .log-row", "The project acme has no entries", "message 2", "Loading its log entries",
		},
	} {
		t.Run("the previous data stays until the next response arrives: "+name, func(t *testing.T) {
			t.Parallel()
			release := make(chan struct{})
			p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
				if number > 1 {
					waitFor(t, r, release)
				}
				test.write(w, number)
			}))
			p.open(test.address)
			p.waitText(test.selector, test.first)
			top := eval[float64](p, panelTop)
			p.click(".segmented span", test.choice)
			p.wait("document.querySelector('.previous[aria-busy=true]')")
			p.wait("getComputedStyle(document.querySelector('.previous')).filter === 'grayscale(1)'")
			p.waitText("[role=status]", test.loading)
			p.waitText(".previous", test.first)
			assert.False(t, eval[bool](p, "document.querySelector('.skeleton') !== null"))
			assert.InDelta(t, top, eval[float64](p, panelTop), 1)
			p.pictures("state-previous-" + strings.ReplaceAll(name, " ", "-"))
			close(release)
			p.waitText(test.selector, test.second)
			assert.True(t, eval[bool](p, "document.querySelector('.previous, [aria-busy=true]') === null"))
			assert.InDelta(t, top, eval[float64](p, panelTop), 1)
		})
	}
	t.Run("a failure replaces the previous chart", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, _ *http.Request) {
			if number == 1 {
				writeStats(w, 7, "MISS", 0, false)
				return
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, failure)
		}))
		p.expect("status of 503")
		p.open("/?project=acme")
		p.waitText(".figure-value", "7")
		p.fill("input[value=acme]", "globex\r")
		p.waitText(".failure", "the store is busy")
		assert.False(t, eval[bool](p, "document.querySelector('.chart') !== null"), "the chart of another project")
	})
	t.Run("failure and retry", func(t *testing.T) {
		t.Parallel()
		const byVisibility, byRefresh, last = 3, 4, 5
		released := map[int64]chan struct{}{2: make(chan struct{}), byVisibility: make(chan struct{}), byRefresh: make(chan struct{}), last: make(chan struct{})}
		arrivals := make(chan int64, last)
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
			arrivals <- number
			if release, waits := released[number]; waits {
				waitFor(t, r, release)
			}
			if number == last {
				writeStats(w, 7, "MISS", 0, false)
				return
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprintf(w, failedAttempt, number)
		}))
		// arrives checks which request is the next one that arrives.
		arrives := func(number int64) {
			t.Helper()
			select {
			case arrived := <-arrivals:
				assert.Equal(t, number, arrived)
			case <-time.After(patience):
				require.Fail(t, "no request arrives")
			}
		}
		// stays checks that the panel shows the failure of an attempt while the next one loads.
		stays := func(attempt int) {
			t.Helper()
			p.waitText(".failure button[aria-disabled=true]", "Retrying …")
			p.waitText(".failure", fmt.Sprintf("attempt %d failed; try again in 5 s", attempt))
			assert.False(t, eval[bool](p, "document.querySelector('.skeleton, .chart') !== null"), "the panel gives way to nothing")
		}
		p.expect("status of 503")
		p.open("/?project=acme")
		p.waitText(".failure", "attempt 1 failed; try again in 5 s")
		p.waitText(".failure", "UNAVAILABLE")
		p.waitText(".failure", "request-1234")
		p.pictures("state-failure")
		arrives(1)

		p.click("button", "Try again")
		stays(1)
		arrives(2)
		p.pictures("state-retrying")
		p.click("button", "Retrying …") // does nothing: one attempt at a time
		assert.Equal(t, "Retrying …", eval[string](p, "document.activeElement.textContent"), "the focus stays")
		close(released[2])
		p.waitText(".failure", "attempt 2 failed")
		p.waitText(".failure button[aria-disabled=false]", "Try again")

		// A page that becomes visible retries by itself.
		eval[bool](p, "document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))")
		stays(2)
		arrives(byVisibility)
		p.click(".failure button", "Retrying …") // the automatic attempt goes on
		p.click("button", "Refresh")
		stays(2)
		arrives(byRefresh)
		close(released[byRefresh])
		p.waitText(".failure", "attempt 4 failed")

		p.click("button", "Try again")
		stays(byRefresh)
		close(released[last])
		p.waitText(".figure-value", "7")
		assert.False(t, eval[bool](p, "document.querySelector('.failure, .warning') !== null"))
	})
	t.Run("another server responds", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html>Bad gateway</html>")
		}))
		p.expect("status of 502")
		p.open("/logs?project=acme")
		p.waitText(".failure", "UNEXPECTED_RESPONSE")
	})
	t.Run("stale", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			writeStats(w, 7, "STALE", 1980, true)
		}))
		p.open("/?project=acme")
		p.waitText(".age", "33 min old")
		p.waitText(".warning", "could not refresh these rows")
		p.waitText(".warning", "Result truncated.")
		p.pictures("state-stale")
	})
	t.Run("work", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			var written bytes.Buffer
			writeStats(&written, 7, "REFRESHED", 0, false)
			_, _ = io.WriteString(w, strings.Replace(written.String(), `"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0`,
				`"rowsRead":1,"rowsReused":24,"bytesProcessed":10000000,"bytesReused":80000000`, 1))
		}))
		p.open("/?project=acme")
		p.waitText(".age", "1 row read · 24 reused · 10.0 MB processed · 80.0 MB reused")
		p.pictures("state-work")
	})
	t.Run("a failed refresh leaves the data", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
			if number == 1 {
				writeStats(w, 7, "MISS", 0, false)
				return
			}
			assert.Equal(t, "no-cache", r.Header.Get("Cache-Control"), "the refresh button bypasses the cache")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, failure)
		}))
		p.expect("status of 503")
		p.open("/?project=acme")
		p.waitText(".figure-value", "7")
		p.click("button", "Refresh")
		p.waitText(".warning", "Refresh failed.")
		p.wait("document.querySelector('.chart')")
		p.pictures("state-refresh-failed")
	})
	t.Run("live", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
			assert.Empty(t, r.Header.Get("Cache-Control"), "the cache is used")
			writeStats(w, 40+number, "HIT", 299, false) // they change in a second
		}))
		p.open("/?project=acme")
		p.waitText(".figure-value", "41")
		p.waitText("button[aria-pressed=true]", "Auto-refresh · 5 min")
		eval[bool](p, "document.querySelector('[role=slider]').focus(); true")
		p.press(arrowLeft)
		p.waitText(".figure-value", "42")
		assert.Equal(t, "slider", eval[string](p, "document.activeElement.role"), "a refresh leaves the focus where it is")
		assert.True(t, eval[bool](p, "document.querySelector('.tooltip') !== null"), "and what is looked at")
		assert.Equal(t, 1, eval[int](p, "document.querySelectorAll('.chart-dot').length / 4"), "each value has a marker: the bucket before has none")
	})
	t.Run("live by the second", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
			if number == 1 {
				assert.Empty(t, r.Header.Get("Cache-Control"), "cached rows are shown first")
				writeStats(w, 41, "HIT", 240, false)
				return
			}
			assert.Equal(t, "no-cache", r.Header.Get("Cache-Control"), "then the cache is bypassed")
			writeStats(w, 40+number, "REFRESHED", 9, false) // 10 s old in a second
		}))
		p.open("/?project=acme&interval=5min")
		p.waitText("button[aria-pressed=true]", "Auto-refresh · 10 s")
		p.waitText(".figure-value", "43")
		eval[bool](p, `Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true}); true`)
		// A hidden page requests nothing: it was due 2 s after it was 9 s old.
		p.wait(`/, (\d+) s old/.exec(document.querySelector(".age").textContent)[1] >= 13`)
		before := eval[string](p, "document.querySelector('.figure-value').textContent")
		eval[bool](p, `delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))`)
		p.wait("document.querySelector('.figure-value').textContent !== " + quote(before))
	})
	t.Run("not live without permission to refresh", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.Empty(t, r.Header.Get("Cache-Control"))
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte("query Viewer")) {
				_, _ = io.WriteString(w, strings.Replace(fakeViewer, `"refresh":true`, `"refresh":false`, 1))
				return
			}
			writeStats(w, 41, "HIT", 0, false)
		})))
		p.open("/?project=acme&interval=5min")
		p.waitText("button[aria-pressed=true]", "Auto-refresh · 5 min")
	})
	t.Run("the histogram loads after the entries", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		p := b.openPage(t, serveSearch(t, func(w http.ResponseWriter, r *http.Request) {
			waitFor(t, r, release)
			writeRows(w, `{"timestamp":"2026-11-20T12:00:00Z","count":3,"errors":1,"warnings":1}`)
		}))
		p.open("/logs?project=acme&range=custom&start=2026-11-20T11:00:00Z&end=2026-11-20T12:30:00Z&tier=ENTERPRISE")
		p.waitText(".log-row", "the only message")
		p.wait("document.querySelector('.log-histogram .skeleton')")
		p.pictures("state-loading-histogram")
		for _, width := range []int64{1440, 390} {
			p.look(width, 900, "light")
			assert.InDelta(t, heightOfHistogram, eval[float64](p, "document.querySelector('.log-histogram').getBoundingClientRect().height"), 1)
		}
		close(release)
		p.wait("document.querySelector('.log-histogram .chart')")
		assert.InDelta(t, heightOfHistogram, eval[float64](p, "document.querySelector('.log-histogram').getBoundingClientRect().height"), 1, "the list stays where it is")
	})
	t.Run("the histogram fails", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveSearch(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, failure)
		}))
		p.expect("status of 503")
		p.open("/logs?project=acme")
		p.waitText(".log-row", "the only message")
		p.waitText(".warning", "The histogram could not be loaded. the store is busy")
		p.pictures("state-histogram-failed")
	})
	t.Run("no saved queries", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"endpoints":[],"catalog":{"loadedAt":"2026-11-20T12:00:00Z","mistakes":[]}}}`)
		}))
		p.open("/endpoints")
		p.waitText(".empty", "No saved queries")
		p.pictures("state-no-endpoints")
	})
	t.Run("digits of large numbers", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"logs":[{"id":"e1","timestamp":"2026-11-20T12:00:00Z","eventMessage":null,"metadata":[{"big":12345678901234567890}]}]},
				"extensions":{"freshness":{"logs":{"cache":"OFF","ageSeconds":0,"asOf":"2026-11-20T12:03:21Z","truncated":false,"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0}}}}`)
		}))
		p.open("/logs?project=acme")
		p.waitText(".log-row", "(no text)")
		p.click(".log-row", "")
		p.waitText(".tree", "12345678901234567890")
		p.waitText(".list-end", "No older entries")
	})
	t.Run("no project", func(t *testing.T) {
		t.Parallel()
		p := b.openPage(t, serveFake(t, func(_ int64, _ http.ResponseWriter, r *http.Request) {
			assert.Fail(t, "nothing must be requested", r.URL.Path)
		}))
		p.open("/?project=")
		p.waitText(".empty", "No project selected")
	})
}
