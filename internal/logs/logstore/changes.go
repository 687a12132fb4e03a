package logstore

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/tables"
)

const (
	// mostChanges limits the changes that are remembered. Steady ingest of current events makes
	// about twenty a second.
	mostChanges = 1 << 18
	// mostSpans limits the spans of time of a commit. A commit that needs more is noted in
	// wider ones.
	mostSpans = 64
)

// Changes remembers in which times the tables have changed, to the second. It lets readers
// reuse what they have read of all other times. It is safe for concurrent use.
//
// A commit is noted before it, so that no reader sees it and takes what it changes for
// unchanged; and after it, so that what a reader has read between the two is not reused.
type Changes struct {
	mutex   sync.Mutex
	version uint64
	// forgotten is the version up to which changes are no longer known.
	forgotten uint64
	log       []change
	// sources returns the log sources.
	sources func() sqlq.Tables
}

var _ sqlq.Changes = (*Changes)(nil)

// change is a span of time in which a source has changed: seconds since the epoch, from a
// first one to before a last one.
type change struct {
	version  uint64
	source   string
	from, to int64
}

// Version implements [sqlq.Changes].
func (c *Changes) Version() uint64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.version
}

// Since implements [sqlq.Changes]. A table of records changes with its source. Changes of the
// store's other tables are not known, nor what is read if the names have no table.
func (c *Changes) Since(version uint64, names []string) (changed []sqlq.Range, known bool) {
	names = slices.Clone(names)
	for i, name := range names {
		names[i] = strings.ToLower(name)
	}
	if slices.ContainsFunc(names, sqlq.IsAllLogs) {
		names = append(names, c.sources().Names()...)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if version < c.forgotten || !c.areNoted(names) {
		return nil, false
	}
	first := sort.Search(len(c.log), func(i int) bool { return c.log[i].version > version })
	concerned := make(map[string]bool)
	for _, change := range c.log[first:] {
		concerns, seen := concerned[change.source]
		if !seen {
			concerns = reads(names, change.source)
			concerned[change.source] = concerns
		}
		if !concerns {
			continue
		}
		span := sqlq.Range{From: time.Unix(change.from, 0).UTC(), To: time.Unix(change.to, 0).UTC()}
		if last := len(changed) - 1; last >= 0 && changed[last].From.Equal(span.From) && changed[last].To.Equal(span.To) {
			continue
		}
		changed = append(changed, span)
	}
	return changed, true
}

// areNoted reports whether a table is among the names, and only tables whose changes are noted.
func (c *Changes) areNoted(names []string) bool {
	for _, other := range []string{rejectedTable, tables.RunsName} {
		if slices.Contains(names, other) {
			return false
		}
	}
	return slices.ContainsFunc(c.sources(), func(source *sqlq.Table) bool { return reads(names, source.Name) })
}

// reads reports whether a source is among the names of tables, or a view of its typed or other events, or of its records.
func reads(names []string, source string) bool {
	return slices.Contains(names, source) || slices.Contains(names, sqlq.TypedRows(source)) || slices.Contains(names, sqlq.UntypedRows(source)) ||
		slices.ContainsFunc(recordViews(), func(view recordView) bool { return view.source == source && slices.Contains(names, view.name) })
}

// note notes that sources have changed in some seconds.
func (c *Changes) note(touched touched) {
	if len(touched.seconds) == 0 {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.version++
	for source, seconds := range touched.seconds {
		for _, span := range spansOf(seconds) {
			c.log = append(c.log, change{c.version, source, span.from, span.to})
		}
	}
	c.limit()
}

// noteRange notes that a source has changed in a range.
func (c *Changes) noteRange(source *sqlq.Table, changed sqlq.Range) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.version++
	c.log = append(c.log, change{c.version, source.Name, changed.From.Unix(), changed.To.Unix() + 1})
	c.limit()
}

// forget notes that anything can have changed.
func (c *Changes) forget() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.version++
	c.forgotten, c.log = c.version, nil
}

// limit forgets the older half of too many changes.
func (c *Changes) limit() {
	if len(c.log) <= mostChanges {
		return
	}
	half := len(c.log) / 2
	c.forgotten = c.log[half-1].version
	c.log = slices.Clone(c.log[half:])
}

// touched are the seconds of events that a transaction has appended, by source.
type touched struct {
	seconds map[string]map[int64]struct{}
	// source and second are from the last event: the next one often has the same.
	source string
	second int64
}

func (t *touched) add(source *sqlq.Table, moment time.Time) {
	second := moment.Unix()
	if t.source == source.Name && t.second == second {
		return
	}
	if t.seconds == nil {
		t.seconds = make(map[string]map[int64]struct{})
	}
	if t.seconds[source.Name] == nil {
		t.seconds[source.Name] = make(map[int64]struct{})
	}
	t.seconds[source.Name][second] = struct{}{}
	t.source, t.second = source.Name, second
}

// seconds is a span of time.
type seconds struct{ from, to int64 }

// spansOf returns the spans that cover some seconds: exact ones, or wider ones if there are
// too many.
func spansOf(touched map[int64]struct{}) []seconds {
	sorted := slices.Sorted(maps.Keys(touched))
	for _, width := range []int64{1, 60, 3600, 86400} {
		var spans []seconds
		for _, second := range sorted {
			from := second - ((second%width)+width)%width
			switch last := len(spans) - 1; {
			case last >= 0 && from < spans[last].to:
			case last >= 0 && from == spans[last].to:
				spans[last].to = from + width
			default:
				spans = append(spans, seconds{from, from + width})
			}
		}
		if len(spans) <= mostSpans {
			return spans
		}
	}
	return []seconds{{sorted[0], sorted[len(sorted)-1] + 1}}
}
