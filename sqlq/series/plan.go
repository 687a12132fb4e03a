package series

import (
	"slices"
	"time"

	"savedq/sqlq"
)

const (
	// mostMissing is the most ranges that a plan computes. Each is a run of the engine.
	mostMissing = 3
	// worthwhile is the part of the window that must be reused at least.
	worthwhile = 0.25
)

// Plan says how the window of a statement is put together.
type Plan struct {
	// Reused are the ranges whose rows are there already, and Missing those to compute,
	// oldest first. Together they are the window.
	Reused  []Part
	Missing []sqlq.Range
}

// Freshness decides which buckets can be reused.
type Freshness struct {
	// Changed are the ranges that have changed since the state's version, where the engine
	// knows them.
	Changed []sqlq.Range
	// Lateness is nil where the engine knows the changes. Otherwise a bucket is computed again
	// until events that are as late as that have arrived, and then each time that its age has
	// doubled.
	Lateness *time.Duration
}

// Plan returns how the window of a statement is put together from the state's rows. It
// returns nil if too little can be reused.
func (s *State) Plan(statement sqlq.Statement, fresh Freshness) *Plan {
	bucket := s.Window.Bucket
	plan := &Plan{}
	for _, part := range s.Parts {
		reused := Part{AsOf: part.AsOf, Range: sqlq.Range{
			From: s.ceiling(later(part.From, statement.Range.From)),
			To:   s.Window.Start(earlier(earlier(part.To, part.AsOf), statement.Range.To)),
		}}
		if fresh.Lateness != nil {
			reused.To = earlier(reused.To, s.settled(part.AsOf, statement.Now, *fresh.Lateness))
		}
		for _, kept := range without(reused.Range, fresh.Changed, s.widen) {
			plan.Reused = append(plan.Reused, Part{kept, reused.AsOf})
		}
	}
	if fresh.Lateness != nil {
		plan.Reused = withoutGaps(plan.Reused)
	}
	plan.findMissing(statement.Range)
	plan.limitMissing(statement.Range)
	length := time.Duration(0)
	for _, part := range plan.Reused {
		length += part.To.Sub(part.From)
	}
	if length < bucket || float64(length) < worthwhile*float64(s.Window.Length) {
		return nil
	}
	return plan
}

// settled returns the time before which the buckets of a part need not be computed again.
// Those whose age, when they were computed, was less than the lateness are not settled, and
// those of which it was less than the time that has passed since then. If the clock went back, they were
// computed before now.
func (s *State) settled(asOf, now time.Time, lateness time.Duration) time.Time {
	return s.Window.Start(earlier(asOf, now).Add(-max(lateness, now.Sub(asOf))))
}

// widen returns the range of whole buckets that have a part in a range.
func (s *State) widen(changed sqlq.Range) sqlq.Range {
	return sqlq.Range{From: s.Window.Start(changed.From), To: s.ceiling(changed.To)}
}

// ceiling returns the start of the first bucket that starts at a moment or later.
func (s *State) ceiling(moment time.Time) time.Time {
	start := s.Window.Start(moment)
	if start.Before(moment) {
		start = start.Add(s.Window.Bucket)
	}
	return start
}

// without returns what is left of a range without others, which are widened first.
func without(whole sqlq.Range, removed []sqlq.Range, widen func(sqlq.Range) sqlq.Range) []sqlq.Range {
	if whole.Empty() {
		return nil
	}
	left := []sqlq.Range{whole}
	for _, hole := range removed {
		if !hole.Overlaps(whole) {
			continue
		}
		hole = widen(sqlq.Range{From: later(hole.From, whole.From), To: earlier(hole.To, whole.To)})
		var next []sqlq.Range
		for _, piece := range left {
			for _, rest := range []sqlq.Range{{From: piece.From, To: earlier(piece.To, hole.From)}, {From: later(piece.From, hole.To), To: piece.To}} {
				if !rest.Empty() {
					next = append(next, rest)
				}
			}
		}
		left = next
	}
	return left
}

// withoutGaps returns the parts before the first gap. A warehouse reads whole partitions, so
// that several ranges can cost more than one that includes them.
func withoutGaps(parts []Part) []Part {
	for i := 1; i < len(parts); i++ {
		if !parts[i].From.Equal(parts[i-1].To) {
			return parts[:i]
		}
	}
	return parts
}

// findMissing finds the ranges between those that are reused.
func (p *Plan) findMissing(window sqlq.Range) {
	p.Missing = nil
	from := window.From
	for _, part := range p.Reused {
		if from.Before(part.From) {
			p.Missing = append(p.Missing, sqlq.Range{From: from, To: part.From})
		}
		from = part.To
	}
	if from.Before(window.To) {
		p.Missing = append(p.Missing, sqlq.Range{From: from, To: window.To})
	}
}

// limitMissing computes the shortest reused ranges again, until few ranges are missing.
func (p *Plan) limitMissing(window sqlq.Range) {
	for len(p.Missing) > mostMissing {
		shortest := 0
		for i, part := range p.Reused {
			if part.To.Sub(part.From) < p.Reused[shortest].To.Sub(p.Reused[shortest].From) {
				shortest = i
			}
		}
		p.Reused = slices.Delete(p.Reused, shortest, shortest+1)
		p.findMissing(window)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
