package web_test

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// fakeAPI answers each request with what a test wants the page to meet. It counts
// from 1.
type fakeAPI func(number int64, w http.ResponseWriter, r *http.Request)

func serveFake(t *testing.T, answer fakeAPI) string {
	t.Helper()
	var requests atomic.Int64
	return serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		w.Header().Set("X-Request-Id", "request-1234")
		answer(requests.Add(1), w, r)
	}))
}

// writeStats answers with one bucket of so many invocations, as fresh as told.
func writeStats(w io.Writer, count int64, cache string, ageSeconds int, truncated bool) {
	_, _ = fmt.Fprintf(w, `{"data":{"rows":[
		{"timestamp":"2026-11-20T11:00:00Z","minExecutionTime":null,"maxExecutionTime":null,"avgExecutionTime":null,"p95ExecutionTime":null,"p99ExecutionTime":null,"count":0,"errorCount":0},
		{"timestamp":"2026-11-20T12:00:00Z","minExecutionTime":1,"maxExecutionTime":9,"avgExecutionTime":5,"p95ExecutionTime":8,"p99ExecutionTime":9,"count":%d,"errorCount":1}],
		"endpoint":{"cacheSeconds":900,"warmSeconds":300}},
		"extensions":{"freshness":{"rows":{"cache":%q,"ageSeconds":%d,"asOf":"2026-11-20T12:03:21Z","truncated":%t,"bytesProcessed":0}}}}`,
		count, cache, ageSeconds, truncated)
}

const failure = `{"errors":[{"message":"the store is busy; try again in 5 s","extensions":{"code":"UNAVAILABLE"}}],"data":null}`

// panelTop is where the panel of a page begins.
const panelTop = "document.querySelector('.panel').getBoundingClientRect().top"

func testStates(t *testing.T, b browser) {
	t.Helper()
	t.Run("loading", func(t *testing.T) {
		release := make(chan struct{})
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
				writeStats(w, 7, "MISS", 0, false)
			case <-r.Context().Done():
			}
		}))
		p.open("/?project=acme")
		p.wait("document.querySelector('.skeleton')")
		p.pictures("state-loading")
		assert.Zero(t, eval[int](p, "document.getAnimations().length"), "nothing moves for who does not like it")
		p.motion("no-preference")
		p.wait("document.getAnimations().length > 0")
		p.look(390, 844, "light")
		before := eval[float64](p, panelTop)
		close(release)
		p.wait("document.querySelector('.chart')")
		assert.InDelta(t, before, eval[float64](p, panelTop), 1, "nothing jumps when the answer is there, even on a phone")
	})
	t.Run("the former chart stays until the next one is there", func(t *testing.T) {
		release := make(chan struct{})
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
			if number > 1 {
				select {
				case <-release:
				case <-r.Context().Done():
					return
				}
			}
			writeStats(w, 6+number, "MISS", 0, false)
		}))
		p.open("/?project=acme&interval=1hr")
		p.waitText(".figure-value", "7")
		top := eval[float64](p, panelTop)
		p.click(".segmented span", "1 day")
		p.wait("document.querySelector('.former[aria-busy=true] .chart')")
		p.wait("getComputedStyle(document.querySelector('.former')).opacity < 1")
		p.waitText("[role=status]", "Loading the invocations")
		p.waitText(".figure-note", "last hour")
		assert.InDelta(t, top, eval[float64](p, panelTop), 1)
		p.picture("state-former")
		close(release)
		p.waitText(".figure-value", "8")
		p.waitText(".figure-note", "last day")
		assert.True(t, eval[bool](p, "document.querySelector('.former, [aria-busy=true]') === null"))
		assert.InDelta(t, top, eval[float64](p, panelTop), 1)
	})
	t.Run("the former chart gives way to a failure", func(t *testing.T) {
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
	t.Run("failure and another try", func(t *testing.T) {
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, _ *http.Request) {
			if number <= 2 { // React asks twice only in development
				w.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(w, failure)
				return
			}
			writeStats(w, 7, "MISS", 0, false)
		}))
		p.expect("status of 503")
		p.open("/?project=acme")
		p.waitText(".failure", "the store is busy; try again in 5 s")
		p.waitText(".failure", "UNAVAILABLE")
		p.waitText(".failure", "request-1234")
		p.pictures("state-failure")
		p.click("button", "Try again")
		p.click("button", "Try again")
		p.waitText(".figure-value", "7")
	})
	t.Run("another server answers", func(t *testing.T) {
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html>Bad gateway</html>")
		}))
		p.expect("status of 502")
		p.open("/logs?project=acme")
		p.waitText(".failure", "UNEXPECTED_ANSWER")
	})
	t.Run("stale", func(t *testing.T) {
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			writeStats(w, 7, "STALE", 1980, true)
		}))
		p.open("/?project=acme")
		p.waitText(".age", "33 min old")
		p.waitText(".age", "STALE")
		p.waitText(".warning", "could not compute these rows anew")
		p.waitText(".warning", "Not all rows are here.")
		p.pictures("state-stale")
	})
	t.Run("a refresh that fails leaves what was there", func(t *testing.T) {
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
			if number == 1 {
				writeStats(w, 7, "MISS", 0, false)
				return
			}
			assert.Equal(t, "no-cache", r.Header.Get("Cache-Control"), "whoever asks for a refresh wants new rows")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, failure)
		}))
		p.expect("status of 503")
		p.open("/?project=acme")
		p.waitText(".figure-value", "7")
		p.click("button", "Refresh")
		p.waitText(".warning", "The last refresh failed")
		p.wait("document.querySelector('.chart')")
		p.pictures("state-refresh-failed")
	})
	t.Run("live", func(t *testing.T) {
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
			assert.Empty(t, r.Header.Get("Cache-Control"), "kept rows will do")
			writeStats(w, 40+number, "HIT", 299, false) // they change in a second
		}))
		p.open("/?project=acme")
		p.waitText(".figure-value", "41")
		eval[bool](p, "document.querySelector('[role=slider]').focus(); true")
		p.press(arrowLeft)
		p.waitText(".figure-value", "42")
		assert.Equal(t, "slider", eval[string](p, "document.activeElement.role"), "a refresh leaves the focus where it is")
		assert.True(t, eval[bool](p, "document.querySelector('.tooltip') !== null"), "and what is looked at")
		assert.Equal(t, 1, eval[int](p, "document.querySelectorAll('.chart-dot').length / 4"), "a lone value is a dot: the bucket before has none")
	})
	t.Run("no saved queries", func(t *testing.T) {
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"endpoints":[]}}`)
		}))
		p.open("/endpoints")
		p.waitText(".empty", "No saved queries")
		p.pictures("state-no-endpoints")
	})
	t.Run("digits of large numbers", func(t *testing.T) {
		p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"logs":[{"id":"e1","timestamp":"2026-11-20T12:00:00Z","eventMessage":null,"metadata":[{"big":12345678901234567890}]}]},
				"extensions":{"freshness":{"logs":{"cache":"OFF","ageSeconds":0,"asOf":"2026-11-20T12:03:21Z","truncated":false,"bytesProcessed":0}}}}`)
		}))
		p.open("/logs?project=acme")
		p.waitText(".log-row", "(no text)")
		p.click(".log-row", "")
		p.waitText(".tree", "12345678901234567890")
		p.waitText(".list-end", "No older entries")
	})
	t.Run("no project", func(t *testing.T) {
		p := b.openPage(t, serveFake(t, func(_ int64, _ http.ResponseWriter, r *http.Request) {
			assert.Fail(t, "nothing is to be asked", r.URL.Path)
		}))
		p.open("/?project=")
		p.waitText(".empty", "Which project?")
	})
}
