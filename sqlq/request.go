package sqlq

import "time"

// Request asks for the rows of a saved query.
type Request struct {
	// Endpoint is the name or the id of the saved query.
	Endpoint string
	// Params are raw parameters, as they stand in a query string.
	Params map[string][]string
	// NoCache asks for rows that are computed anew although kept ones could still
	// be served. A question is computed anew at most once in [NoCachePause].
	NoCache bool
}

// NoCachePause is for how long a question is not computed anew again, however
// many callers ask for that.
const NoCachePause = 10 * time.Second

// CacheStatus says how a caller came by an answer.
type CacheStatus string

// The ways to come by an answer. The values are those of the header X-Cache.
const (
	// Hit is an answer that was kept, within its caching time.
	Hit CacheStatus = "HIT"
	// Miss is an answer that the engine computed for this caller.
	Miss CacheStatus = "MISS"
	// Joined is an answer that the engine computed for another caller, who asked
	// the same a moment before.
	Joined CacheStatus = "JOINED"
	// Stale is a kept answer that the engine failed to make anew.
	Stale CacheStatus = "STALE"
	// Refreshed is an answer that the engine computed because the caller did not
	// want a kept one.
	Refreshed CacheStatus = "REFRESHED"
	// Off is an answer of a saved query whose caching is disabled.
	Off CacheStatus = "OFF"
)

// Reply is an answer as one caller gets it.
type Reply struct {
	*Answer
	Cache CacheStatus
	// Age is how long ago the answer was computed.
	Age time.Duration
	// Left is how long the answer may be used without asking again: what is left
	// of its caching time, and zero where there is none. Age and Left add up to the
	// caching time.
	Left time.Duration
	// Expires is the end of the caching time; the zero time where Left is zero.
	Expires time.Time
}
