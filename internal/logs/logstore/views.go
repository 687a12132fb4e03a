package logstore

import (
	"strings"
	"sync/atomic"

	"savedq/sqlq"
)

// Views knows which parts have the rows of a view in a range of time, so that a query names only those: DuckDB plans each
// part that a query names (ADR 068). It is safe for concurrent use.
type Views struct{ shown atomic.Pointer[shownViews] }

// shownViews are the views, and what they read.
type shownViews struct {
	views    []view
	branches []branch
}

// Views knows what the views read.
func (s *Store) Views() *Views { return &s.views }

// show notes what the views read from now on.
func (v *Views) show(sources sqlq.Tables, branches []branch) {
	v.shown.Store(&shownViews{allViews(sources), branches})
}

// Within returns a query in parentheses that has the rows of a view with a timestamp in a range, and can have others. It
// returns an empty text where the view itself reads no more. The query names parts and tables in memory, which DuckDB
// has at least for some seconds, or not any more after a change of the views: the caller reads the view then.
func (v *Views) Within(name string, during sqlq.Range) string {
	shown := v.shown.Load()
	if shown == nil {
		return ""
	}
	for i := range shown.views {
		if view := &shown.views[i]; strings.EqualFold(view.name, name) {
			return shown.within(view, during)
		}
	}
	return ""
}

func (s *shownViews) within(view *view, during sqlq.Range) string {
	needed, left := make([]branch, 0, len(s.branches)), false
	for i := range s.branches {
		branch := &s.branches[i]
		switch {
		case !view.has(branch):
		case branch.hasDuring(view.source, during):
			needed = append(needed, *branch)
		default:
			left = true
		}
	}
	if !left || len(needed) == 0 {
		return ""
	}
	return "(" + view.of(needed) + ")"
}

// hasDuring reports whether the branch can have events of a source, or of any, with a timestamp in a range.
func (b *branch) hasDuring(source string, during sqlq.Range) bool {
	if b.part == nil {
		return true
	}
	for _, of := range b.part.Sources {
		if (source == "" || of.Name == source) && of.Oldest.Before(during.To) && !of.Newest.Before(during.From) {
			return true
		}
	}
	return false
}
