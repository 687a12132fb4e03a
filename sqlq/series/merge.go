package series

import (
	"slices"

	"savedq/sqlq"
)

// Merge returns the result of a plan: reused rows of the previous result, and the results of
// the missing ranges, in the order of the plan. The rows of all must have passed [Check].
func (p *Plan) Merge(series *sqlq.Series, previous *sqlq.Result, missing []*sqlq.Result) *sqlq.Result {
	merged := &sqlq.Result{Columns: previous.Columns, Rows: make([][]any, 0, len(previous.Rows)+1)}
	for _, result := range missing {
		merged.BytesProcessed += result.BytesProcessed
	}
	reused, computed := p.Reused, 0
	var pieces [][][]any
	for len(reused) > 0 || computed < len(missing) {
		if computed == len(missing) || len(reused) > 0 && reused[0].From.Before(p.Missing[computed].From) {
			rows := within(series, previous.Rows, reused[0].Range)
			merged.ReusedRows += len(rows)
			pieces, reused = append(pieces, rows), reused[1:]
			continue
		}
		pieces = append(pieces, missing[computed].Rows)
		computed++
	}
	if series.Descending {
		slices.Reverse(pieces)
	}
	for _, rows := range pieces {
		merged.Rows = append(merged.Rows, rows...)
	}
	return merged
}

// Next returns the state after a run of the plan. The version describes the tables before
// the run.
func (p *Plan) Next(previous *State, statement sqlq.Statement, version uint64) *State {
	next := &State{Window: previous.Window, Version: version, Whole: previous.Whole, WholeBytes: previous.WholeBytes, Reuses: previous.Reuses + 1}
	next.Parts = slices.Clone(p.Reused)
	for _, missing := range p.Missing {
		next.Parts = append(next.Parts, Part{missing, statement.Now})
	}
	slices.SortFunc(next.Parts, func(a, b Part) int { return a.From.Compare(b.From) })
	next.Parts = joined(next.Parts)
	return next
}

// joined joins neighbours that were computed at the same time.
func joined(parts []Part) []Part {
	kept := parts[:0]
	for _, part := range parts {
		if last := len(kept) - 1; last >= 0 && kept[last].AsOf.Equal(part.AsOf) && kept[last].To.Equal(part.From) {
			kept[last].To = part.To
			continue
		}
		kept = append(kept, part)
	}
	return kept
}
