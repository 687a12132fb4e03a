package httpcache_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/http/httpcache"
	"savedq/sqlq/runner"
)

func TestNoCache(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		headers []string
		want    bool
	}{
		"none":              {nil, false},
		"no-cache":          {[]string{"no-cache"}, true},
		"in a list":         {[]string{"max-age=0 , No-Cache"}, true},
		"in a later header": {[]string{"max-age=0", "no-cache"}, true},
		"another directive": {[]string{"no-store, max-age=0"}, false},
		"part of a word":    {[]string{"no-cache-please"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			request.Header["Cache-Control"] = test.headers
			assert.Equal(t, test.want, httpcache.NoCache(request))
		})
	}
}

// D34: max-age is the full lifetime, and Age is the time since the run. A combination of
// several responses has the headers of the least fresh.
func TestSetFreshness(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.FixedZone("", 3600))
	response := func(status runner.CacheStatus, age, left time.Duration) *runner.Response {
		response := &runner.Response{Cache: status, Age: age, Left: left}
		if left > 0 {
			response.Expires = now.Add(left)
		}
		return response
	}
	tests := map[string]struct {
		responses                    []*runner.Response
		status, age, maxAge, expires string
	}{
		"two thirds of 900 s":     {[]*runner.Response{response(runner.Hit, 10*time.Minute, 5*time.Minute)}, "HIT", "600", "900", "Fri, 20 Nov 2026 11:05:00 GMT"},
		"just computed":           {[]*runner.Response{response(runner.Miss, 0, 15*time.Minute)}, "MISS", "0", "900", "Fri, 20 Nov 2026 11:15:00 GMT"},
		"fractional seconds":      {[]*runner.Response{response(runner.Hit, 1999*time.Millisecond, 898001*time.Millisecond)}, "HIT", "1", "900", "Fri, 20 Nov 2026 11:14:58 GMT"},
		"about to expire":         {[]*runner.Response{response(runner.Hit, 15*time.Minute-1, 1)}, "HIT", "899", "900", "Fri, 20 Nov 2026 11:00:00 GMT"},
		"the older expires first": {[]*runner.Response{response(runner.Hit, time.Minute, time.Second), response(runner.Miss, 0, time.Minute)}, "MISS", "60", "61", "Fri, 20 Nov 2026 11:00:01 GMT"},
		"the newer expires first": {[]*runner.Response{response(runner.Hit, time.Minute, time.Hour), response(runner.Miss, 0, time.Second)}, "MISS", "60", "61", "Fri, 20 Nov 2026 11:00:01 GMT"},
		"one is not cached":       {[]*runner.Response{response(runner.Off, 0, 0), response(runner.Hit, time.Minute, time.Minute)}, "OFF", "60", "0", ""},
		"the other is not cached": {[]*runner.Response{response(runner.Hit, time.Minute, time.Minute), response(runner.Off, 0, 0)}, "OFF", "60", "0", ""},
		"one is stale":            {[]*runner.Response{response(runner.Stale, time.Hour, 0), response(runner.Off, 0, 0)}, "STALE", "3600", "0", ""},
		"joined and hit":          {[]*runner.Response{response(runner.Hit, 0, time.Minute), response(runner.Joined, 0, time.Minute)}, "JOINED", "0", "60", "Fri, 20 Nov 2026 11:01:00 GMT"},
		"refreshed and joined":    {[]*runner.Response{response(runner.Refreshed, 0, time.Minute), response(runner.Joined, 0, time.Minute)}, "REFRESHED", "0", "60", "Fri, 20 Nov 2026 11:01:00 GMT"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := make(http.Header)
			httpcache.SetFreshness(header, test.responses...)
			want := http.Header{"X-Cache": {test.status}, "Age": {test.age}, "Cache-Control": {"private, max-age=" + test.maxAge}}
			if test.expires != "" {
				want["Expires"] = []string{test.expires}
			}
			assert.Equal(t, want, header)
		})
	}
}

// The headers are set on each request, so they may cost at most two allocations.
func TestSetFreshnessAllocatesLittle(t *testing.T) {
	response := &runner.Response{Cache: runner.Hit, Age: 10 * time.Minute, Left: 5 * time.Minute, Expires: time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)}
	header := make(http.Header)
	allocations := testing.AllocsPerRun(100, func() { httpcache.SetFreshness(header, response) })
	assert.InDelta(t, 2, allocations, 0)
}

func TestAddVary(t *testing.T) {
	t.Parallel()
	header := make(http.Header)
	httpcache.AddVary(header, "Accept, X-API-KEY")
	assert.Equal(t, http.Header{"Vary": {"Accept, X-API-KEY"}}, header)
	header = http.Header{"Vary": {"Origin", "Cookie"}}
	httpcache.AddVary(header, "Accept")
	assert.Equal(t, http.Header{"Vary": {"Origin, Cookie, Accept"}}, header)
}

func TestETag(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `"ba7816bf8f01cfea414140de5dae2223"`, httpcache.ETag([]byte("abc")))
	assert.NotEqual(t, httpcache.ETag([]byte("abc")), httpcache.ETag([]byte("abd")))
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ifNoneMatch []string
		etag        string
		want        bool
	}{
		"no header":           {nil, `"a"`, false},
		"the tag":             {[]string{`"a"`}, `"a"`, true},
		"weak against strong": {[]string{`W/"a"`}, `"a"`, true},
		"strong against weak": {[]string{`"a"`}, `W/"a"`, true},
		"in a list":           {[]string{`"b" , "a"`}, `"a"`, true},
		"in a later header":   {[]string{`"b"`, `"a"`}, `"a"`, true},
		"any":                 {[]string{"*"}, `"a"`, true},
		"another":             {[]string{`"b"`}, `"a"`, false},
		"without quotes":      {[]string{"a"}, `"a"`, false},
		"empty":               {[]string{""}, `"a"`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			request.Header["If-None-Match"] = test.ifNoneMatch
			assert.Equal(t, test.want, httpcache.NotModified(request, test.etag))
		})
	}
}

// A large document is compressed for callers that accept it, and each coding has its own tag.
func TestWriteRevalidatedCompresses(t *testing.T) {
	t.Parallel()
	document := []byte(strings.Repeat("type Query ", 1000))
	serve := func(accepted, tag string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/schema.graphql", nil)
		request.Header.Set("Accept-Encoding", accepted)
		request.Header.Set("If-None-Match", tag)
		response := httptest.NewRecorder()
		httpcache.WriteRevalidated(response, request, "text/plain", document)
		return response
	}
	tags := map[string]bool{}
	for _, accepted := range []string{"", "gzip", "zstd"} {
		response := serve(accepted, "")
		assert.Equal(t, http.StatusOK, response.Code)
		assert.Equal(t, accepted, response.Header().Get("Content-Encoding"))
		assert.Equal(t, "text/plain", response.Header().Get("Content-Type"))
		assert.Contains(t, response.Header().Get("Vary"), "Accept-Encoding")
		assert.Equal(t, strconv.Itoa(response.Body.Len()), response.Header().Get("Content-Length"))
		assert.Equal(t, accepted == "", response.Body.Len() == len(document))
		tag := response.Header().Get("ETag")
		tags[tag] = true
		repeated := serve(accepted, tag)
		assert.Equal(t, http.StatusNotModified, repeated.Code)
		assert.Empty(t, repeated.Header().Get("Content-Encoding"))
	}
	assert.Len(t, tags, 3)
}
