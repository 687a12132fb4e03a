package openapi

import (
	"strings"

	"savedq/internal/api/describe"
	"savedq/internal/api/format"
	"savedq/internal/api/rest"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// Names of components that every path refers to.
const (
	notModified  = "NotModified"
	cacheControl = "Cache-Control"
	ifNoneMatch  = "If-None-Match"
)

// requestOptions returns the request headers and parameters that affect the response.
func requestOptions() map[string]parameter {
	return map[string]parameter{
		cacheControl: {
			Name: "Cache-Control", In: "header", Schema: schema{Type: "string"}, Example: "no-cache",
			Description: "no-cache bypasses the cache, at most once in " + describe.Seconds(cache.NoCacheInterval) + " for the same request.",
		},
		ifNoneMatch: {
			Name: "If-None-Match", In: "header", Schema: schema{Type: "string"},
			Description: "ETags of responses that the caller has. The status is 304 if one of them matches.",
		},
		rest.FormatParam: {
			Name: rest.FormatParam, In: "query", Schema: schema{Type: "string", Enum: formatNames()},
			Description: "Format of the response, in place of the one that the header Accept prefers.",
		},
		rest.BOMParam: {
			Name: rest.BOMParam, In: "query", Schema: schema{Type: "string", Enum: []any{"1"}},
			Description: "1 writes CSV for spreadsheets: with a byte order mark, and with an apostrophe before texts that would be formulas.",
		},
	}
}

// formatNames returns the names of the formats of responses.
func formatNames() (names []any) {
	for name := range strings.SplitSeq(format.Served(false), ", ") {
		names = append(names, name)
	}
	return names
}

// headers returns the response headers.
func headers() map[string]header {
	text, zero := "string", 0
	return map[string]header{
		"X-Cache": {
			Required: true,
			Description: "Where the rows come from: HIT the cache, MISS a run for this request, JOINED a run for another request at the same time, " +
				"STALE an expired cache entry because the run failed, REFRESHED a run because the request bypassed the cache, OFF a run that is not cached.",
			Schema: schema{Type: text, Enum: []any{runner.Hit, runner.Miss, runner.Joined, runner.Stale, runner.Refreshed, runner.Off}},
		},
		"Age":              {Required: true, Description: "Seconds since the rows were computed.", Schema: schema{Type: "integer", Minimum: &zero}},
		"Cache-Control":    {Required: true, Description: "max-age is the lifetime of the rows in seconds since they were computed: callers may reuse them for max-age minus Age. With 0, no-cache or no-store they must not be reused.", Schema: schema{Type: text, Pattern: `^(private, max-age=\d+|private, no-cache|no-store)$`}},
		"Expires":          {Description: "When the lifetime of the rows ends. Absent if they must not be reused.", Schema: schema{Type: text}},
		"ETag":             {Required: true, Description: "Strong validator of the body in its content coding.", Schema: schema{Type: text, Pattern: `^"[0-9a-f]{32}(-gzip|-zstd)?"$`}},
		"X-Rows":           {Description: "How many rows the engine has computed, and how many were reused from an earlier run, such as read=1, reused=7.", Schema: schema{Type: text}},
		"X-Bytes":          {Description: "How many bytes the engine has read, and how many it did not because rows were reused. Absent if the engine does not count them.", Schema: schema{Type: text}},
		"X-Truncated":      {Description: "Present if the result was cut to the maximum number of rows.", Schema: schema{Type: text, Enum: []any{"true"}}},
		"X-Next":           {Description: "Cursor of a page that can have rows after it: the parameter after of the next request.", Schema: schema{Type: text}},
		"Link":             {Description: "The URL of the next page, with rel=\"next\".", Schema: schema{Type: text}},
		"X-Request-Id":     {Required: true, Description: "Id of the request in the server's log: the one that the caller sent in this header, or a new one.", Schema: schema{Type: text, Pattern: `^[A-Za-z0-9._-]{1,128}$`}},
		"Retry-After":      {Description: "Seconds to wait before retrying.", Schema: schema{Type: "integer", Minimum: &zero}},
		"Allow":            {Required: true, Description: "Methods that the path supports.", Schema: schema{Type: text}},
		"WWW-Authenticate": {Required: true, Description: "The authentication scheme.", Schema: schema{Type: text}},
	}
}

// headerReferences returns references to headers.
func headerReferences(names ...string) map[string]reference {
	references := make(map[string]reference, len(names))
	for _, name := range names {
		references[name] = refer("headers", name)
	}
	return references
}

func notModifiedResponse() response {
	return response{
		Description: "The caller has the response already: its ETag is in If-None-Match.",
		Headers:     headerReferences("X-Cache", "Age", "Cache-Control", "Expires", "ETag", "X-Truncated", "X-Rows", "X-Bytes", "X-Request-Id"),
	}
}
