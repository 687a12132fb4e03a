package openapi

import (
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// Names of components that every path refers to.
const (
	notModified  = "NotModified"
	cacheControl = "Cache-Control"
	ifNoneMatch  = "If-None-Match"
)

// requestHeaders returns the request headers that affect the response.
func requestHeaders() map[string]parameter {
	return map[string]parameter{
		cacheControl: {
			Name: "Cache-Control", In: "header", Schema: schema{Type: "string"}, Example: "no-cache",
			Description: "no-cache asks for rows that are computed anew, which is done at most once in " + seconds(cache.NoCacheInterval) + " for the same request.",
		},
		ifNoneMatch: {
			Name: "If-None-Match", In: "header", Schema: schema{Type: "string"},
			Description: "ETags of answers that the caller has; the answer is 304 if one of them is what it would be.",
		},
	}
}

// headers returns the response headers.
func headers() map[string]header {
	text, zero := "string", 0
	return map[string]header{
		"X-Cache": {
			Required: true,
			Description: "How the rows were come by: HIT kept, MISS computed for this request, JOINED computed for another one at the same time, " +
				"STALE kept beyond their time because computing them anew failed, REFRESHED computed because the request did not want kept ones, OFF not kept at all.",
			Schema: schema{Type: text, Enum: []any{runner.Hit, runner.Miss, runner.Joined, runner.Stale, runner.Refreshed, runner.Off}},
		},
		"Age":              {Required: true, Description: "Seconds since the rows were computed.", Schema: schema{Type: "integer", Minimum: &zero}},
		"Cache-Control":    {Required: true, Description: "max-age is the lifetime of the rows in seconds, from when they were computed: the caller may reuse them for max-age minus Age. 0 or no-store: they must not be reused.", Schema: schema{Type: text, Pattern: `^(private, max-age=\d+|no-store)$`}},
		"Expires":          {Description: "The time at which the lifetime of the rows ends. Absent where they must not be reused.", Schema: schema{Type: text}},
		"ETag":             {Required: true, Description: "Strong tag of the body in the coding that it was sent in.", Schema: schema{Type: text, Pattern: `^"[0-9a-f]{32}(-gzip|-zstd)?"$`}},
		"X-Truncated":      {Description: "Present where rows beyond the most that an answer holds were cut off.", Schema: schema{Type: text, Enum: []any{"true"}}},
		"X-Request-Id":     {Required: true, Description: "Id of the request, by which the server's log knows it: the one that the caller sent in this header, or a new one.", Schema: schema{Type: text, Pattern: `^[A-Za-z0-9._-]{1,128}$`}},
		"Retry-After":      {Description: "In how many seconds to try again.", Schema: schema{Type: "integer", Minimum: &zero}},
		"Allow":            {Required: true, Description: "Methods that the path takes.", Schema: schema{Type: text}},
		"WWW-Authenticate": {Required: true, Description: "That a token is wanted.", Schema: schema{Type: text}},
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
		Description: "The caller has the answer already: its ETag is among those of If-None-Match.",
		Headers:     headerReferences("X-Cache", "Age", "Cache-Control", "Expires", "ETag", "X-Truncated", "X-Request-Id"),
	}
}
