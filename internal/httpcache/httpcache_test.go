package httpcache_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/httpcache"
	"savedq/sqlq"
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

// The headers of an answer made of several replies are those of the least fresh.
func TestSetFreshness(t *testing.T) {
	t.Parallel()
	reply := func(status sqlq.CacheStatus, age, left time.Duration) *sqlq.Reply {
		return &sqlq.Reply{Cache: status, Age: age, Left: left}
	}
	tests := map[string]struct {
		replies             []*sqlq.Reply
		status, age, maxAge string
	}{
		"one":                  {[]*sqlq.Reply{reply(sqlq.Hit, 1999*time.Millisecond, 898001*time.Millisecond)}, "HIT", "1", "private, max-age=898"},
		"two":                  {[]*sqlq.Reply{reply(sqlq.Hit, time.Minute, time.Second), reply(sqlq.Miss, 0, time.Minute)}, "MISS", "60", "private, max-age=1"},
		"one is not cached":    {[]*sqlq.Reply{reply(sqlq.Off, 0, 0), reply(sqlq.Hit, time.Minute, time.Minute)}, "OFF", "60", "private, max-age=0"},
		"one is stale":         {[]*sqlq.Reply{reply(sqlq.Stale, time.Hour, 0), reply(sqlq.Off, 0, 0)}, "STALE", "3600", "private, max-age=0"},
		"joined and hit":       {[]*sqlq.Reply{reply(sqlq.Hit, 0, time.Minute), reply(sqlq.Joined, 0, time.Minute)}, "JOINED", "0", "private, max-age=60"},
		"refreshed and joined": {[]*sqlq.Reply{reply(sqlq.Refreshed, 0, time.Minute), reply(sqlq.Joined, 0, time.Minute)}, "REFRESHED", "0", "private, max-age=60"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := make(http.Header)
			httpcache.SetFreshness(header, test.replies...)
			assert.Equal(t, http.Header{"X-Cache": {test.status}, "Age": {test.age}, "Cache-Control": {test.maxAge}}, header)
		})
	}
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
