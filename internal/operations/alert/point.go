package alert

import "time"

// mostPoints bounds the checks whose values are kept.
const mostPoints = 240

// keepPoints is how long values of checks that changed nothing are only in memory. They are for people, so a crash may
// lose them, and an alert in order costs a write in this time.
const keepPoints = 10 * time.Minute

// Point is what a check measured.
type Point struct {
	At      time.Time `json:"at" doc:"When."`
	Value   *float64  `json:"value" doc:"The value of the condition's column, or the number of rows. Null if there is none."`
	Outcome Outcome   `json:"outcome" enum:"met,unmet,no_data,failed" doc:"What the condition said."`
}

// measured returns the points with one more.
func (r *Record) measured(check Check) []Point {
	kept := r.Points[max(0, len(r.Points)+1-mostPoints):]
	points := make([]Point, 0, len(kept)+1)
	return append(append(points, kept...), Point{At: check.At, Value: check.Value, Outcome: check.Outcome})
}
