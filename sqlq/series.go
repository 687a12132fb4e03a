package sqlq

import (
	"time"
)

// FromParam and ToParam are the extra parameters of a series: the time range that a run
// computes. The SQL must only use rows at or after the one and before the other.
const (
	FromParam = "from"
	ToParam   = "to"
)

// Series declares that each row of a saved query belongs to one bucket of time, and depends
// on nothing but the rows of its tables in that bucket. So the rows of buckets that cannot
// change any more are reused, and a run computes only the others (D31).
type Series struct {
	// Column is the index of the column with the start of the row's bucket, in UTC.
	Column int
	// Param is the index of the parameter whose value selects the window; -1 if there is one
	// window for all.
	Param int
	// Windows holds the window for each value of Param, or a single one for "".
	Windows map[string]Window
	// Exact windows begin exactly their length before now, so that the first bucket can be
	// partial. Others begin with the bucket of that moment.
	Exact bool
	// Endless windows have no upper bound. Others end with the bucket of now.
	Endless bool
	// Descending reports whether the rows of the newest bucket are first.
	Descending bool
	// Lateness is how much later than its timestamp an event may arrive, where the engine does
	// not know which buckets have changed.
	Lateness time.Duration
	// Tables are the names of the tables that the SQL reads, as it spells them. Each run reads only their rows of its
	// range.
	Tables []string
	// Approximate reports whether the SQL calls functions whose values can differ in each run (D5).
	Approximate bool
	// Obstacles are why rows cannot be reused although the series is declared. Such a saved
	// query always runs whole.
	Obstacles FileErrors
}

// Window is how far a series goes back.
type Window struct {
	Length time.Duration
	// Bucket is the width of a bucket, which divides a day. Buckets are counted from midnight,
	// in UTC.
	Bucket time.Duration
}

// Range is a range of time: from its start, and before its end.
type Range struct{ From, To time.Time }

// endOfTime returns the end of an endless window. Every event is before it (D35).
func endOfTime() time.Time { return time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }

// Empty reports whether no time is in the range.
func (r Range) Empty() bool { return !r.From.Before(r.To) }

// Within reports whether another range includes all of the range.
func (r Range) Within(other Range) bool { return !r.From.Before(other.From) && !r.To.After(other.To) }

// Overlaps reports whether a time is in both ranges.
func (r Range) Overlaps(other Range) bool { return r.From.Before(other.To) && other.From.Before(r.To) }

// Window returns the window that arguments of the saved query select.
func (q *SavedQuery) Window(args []Arg) (Window, bool) {
	if q.Series == nil {
		return Window{}, false
	}
	value := ""
	if q.Series.Param >= 0 {
		value, _ = args[q.Series.Param].Value.(string)
	}
	window, ok := q.Series.Windows[value]
	return window, ok
}

// Range returns the time range of a window at a time.
func (s *Series) Range(window Window, now time.Time) Range {
	whole := Range{From: now.Add(-window.Length), To: window.Start(now).Add(window.Bucket)}
	if !s.Exact {
		whole.From = window.Start(whole.From)
	}
	if s.Endless {
		whole.To = endOfTime()
	}
	return whole
}

// Start returns the start of the bucket of a moment.
func (w Window) Start(moment time.Time) time.Time {
	width := w.Bucket.Microseconds()
	past := moment.UnixMicro() % width
	if past < 0 {
		past += width
	}
	return time.UnixMicro(moment.UnixMicro() - past).UTC()
}

// Changes knows in which times the tables of an engine have changed. An engine that knows of
// every change has one. It is safe for concurrent use.
type Changes interface {
	// Version returns the number of the last change.
	Version() uint64
	// Since returns the times in which tables with one of the names, in any letter case, have changed
	// after a version. It reports false if that is not known any more.
	Since(version uint64, names []string) (changed []Range, known bool)
}
