package cache

import (
	"time"

	"savedq/sqlq"
	"savedq/sqlq/series"
)

// value is what a [Cache] keeps: an [*Entry] or an [*Encoded]. Values must not change once they
// are stored.
type value interface{ size() int64 }

// Entry is the result of a run of a saved query with some arguments: what every caller with
// the same request shares.
type Entry struct {
	// Key is the key of the entry. It holds everything that the rows depend on (D29).
	Key   string
	Query *sqlq.SavedQuery
	// Args holds a value for each declared parameter, in declared order.
	Args   []sqlq.Arg
	Result *sqlq.Result
	// Series says which rows later runs can reuse; nil for none.
	Series *series.State
	// FilesVersion is the version of the files that the rows were computed from; empty if there are none.
	FilesVersion string
	// Bytes is the memory that the entry takes, or zero if it was not measured.
	Bytes int64
	// AsOf is the "now" that the rows were computed with (D1).
	AsOf time.Time
	// ComputedAt is when the engine had finished, and FreshUntil the end of the caching time.
	ComputedAt, FreshUntil time.Time
}

// Measure sets the memory that the entry takes.
func (e *Entry) Measure() { e.Bytes = e.size() }

// Fresh reports whether the entry is within its caching time.
func (e *Entry) Fresh(now time.Time) bool { return now.Before(e.FreshUntil) }

// Encoded is what an interface encoded from entries. It is cached for as long as all of them
// are.
type Encoded struct {
	// Key holds everything else that the encoding depends on. It must not begin with an id
	// unless it begins with the key of an entry.
	Key     string
	Entries []*Entry
	Body    []byte
	// Texts belong to the body, such as the values of headers, by name.
	Texts map[string][]string
}

// freshUntil is when the first of the entries expires.
func (e *Encoded) freshUntil() time.Time {
	first := e.Entries[0].FreshUntil
	for _, entry := range e.Entries[1:] {
		if entry.FreshUntil.Before(first) {
			first = entry.FreshUntil
		}
	}
	return first
}
