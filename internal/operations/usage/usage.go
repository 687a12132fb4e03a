// Package usage accounts for what callers use, by day, token and saved query, and holds them
// to their budgets. It stores both in files of the data directory, whatever the engine.
package usage

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// ID identifies whose usage it is.
type ID struct {
	// Token is the name of the token, or of the issuer of signed tokens.
	Token string `json:"token"`
	// Subject is whom an issuer signed the token for. It is empty for static tokens.
	Subject string `json:"subject,omitempty"`
}

// Server is the id of the server's own work, the refreshes in the background. No token has
// its name; see [savedq/internal/auth.CheckName].
func Server() ID { return ID{Token: "(server)"} }

// other is the subject for which further subjects of a token are counted when there are too
// many.
const other = "(other)"

// maxSubjectBytes bounds a subject. Longer ones are shortened, and stay different.
const maxSubjectBytes = 128

// bounded returns the id with a subject of bounded length, in UTF-8 as the files are.
func (id ID) bounded() ID {
	id.Subject = strings.ToValidUTF8(id.Subject, "\ufffd")
	if len(id.Subject) > maxSubjectBytes {
		const kept, hashed = 64, 16
		sum := sha256.Sum256([]byte(id.Subject))
		id.Subject = strings.ToValidUTF8(id.Subject[:kept], "") + "…" + hex.EncodeToString(sum[:hashed])
	}
	return id
}

// Totals are sums over the requests of a day.
type Totals struct {
	// Requests counts requests for saved queries. A GraphQL field is one.
	Requests int64 `json:"requests"`
	// Hits are the requests that were served from the cache, stale entries included.
	Hits int64 `json:"hits,omitempty"`
	// Errors are the requests that ended with an error, mistakes of the caller included.
	Errors int64 `json:"errors,omitempty"`
	// Rows is the number of rows of all responses, cached ones included.
	Rows int64 `json:"rows,omitempty"`
	// Runs counts the runs of the engine.
	Runs int64 `json:"runs,omitempty"`
	// Bytes is what the engine bills for; zero for engines that do not count.
	Bytes int64 `json:"bytes,omitempty"`
	// EngineTime is how long the engine ran.
	EngineTime time.Duration `json:"engine_ns,omitempty"`
}

func (t *Totals) add(more Totals) {
	t.Requests += more.Requests
	t.Hits += more.Hits
	t.Errors += more.Errors
	t.Rows += more.Rows
	t.Runs += more.Runs
	t.Bytes += more.Bytes
	t.EngineTime += more.EngineTime
}
