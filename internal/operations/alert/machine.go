package alert

import (
	"time"

	"savedq/sqlq"
)

// State is what an alert is in.
type State string

// The states. Firing, no data and failing are announced: a message is sent when they begin, and one
// when they end.
const (
	// Unknown is the state before the first check.
	Unknown State = "unknown"
	OK      State = "ok"
	// Pending means that checks showed something else, but not yet often enough in a row.
	Pending State = "pending"
	Firing  State = "firing"
	NoData  State = "no_data"
	Failing State = "failing"
)

// States returns every state.
func States() []State { return []State{Unknown, OK, Pending, Firing, NoData, Failing} }

func (s State) announced() bool { return s == Firing || s == NoData || s == Failing }

// knowledge ranks what a check that leads to the state shows about the condition: a failed check shows nothing, and
// one without data only that the query runs.
func (s State) knowledge() int {
	switch s { //nolint:exhaustive // The others are about the condition.
	case Failing:
		return 0
	case NoData:
		return 1
	}
	return 2
}

// Outcome is what one check showed: what the condition says, or Failed.
type Outcome = sqlq.Verdict

// Failed is the outcome of a check without rows.
const Failed Outcome = "failed"

// stateOf returns the state that an outcome leads to.
func stateOf(outcome Outcome) State {
	switch outcome {
	case sqlq.Met:
		return Firing
	case sqlq.NoData:
		return NoData
	case Failed:
		return Failing
	case sqlq.Unmet:
	}
	return OK
}

// Status is where the state machine of an alert is.
type Status struct {
	State State     `json:"state"`
	Since time.Time `json:"since"`
	// Outcome is the outcome of the last Count checks in a row, at most as many as the alert needs.
	Outcome Outcome `json:"outcome,omitempty"`
	Count   int     `json:"count"`
	// Checked is the time of the last check.
	Checked time.Time `json:"checked"`
}

// after returns the status after a check. An announced state ends with the first check that says
// something else, and lasts through checks that say less, until these have been enough in a row.
// After a longer time without checks, and after a step of the clock, counting begins again, but the
// state stays: the check decides.
func (s Status) after(outcome Outcome, now time.Time, alert *sqlq.Alert) Status {
	longestGap := 3*alert.Every + time.Minute // A check can be late because the engine is busy.
	gap := now.Sub(s.Checked)
	next := Status{State: s.State, Since: s.Since, Outcome: outcome, Count: 1, Checked: now}
	if s.Outcome == outcome && -alert.Every <= gap && gap <= longestGap {
		next.Count = min(s.Count+1, alert.For)
	}
	switch to := stateOf(outcome); {
	case outcome == sqlq.Unmet || next.Count >= alert.For:
		next.State = to
	case s.State == to:
	case s.State.announced() && to.knowledge() < s.State.knowledge():
	default:
		next.State = Pending
	}
	if next.State != s.State {
		next.Since = now
	}
	return next
}
