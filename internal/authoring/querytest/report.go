package querytest

import (
	"fmt"
	"io"
	"time"

	"savedq/sqlq"
)

// Report is what came of the cases of a saved query.
type Report struct {
	Query    *sqlq.SavedQuery
	Outcomes []*Outcome
}

// Failed returns the number of cases that failed.
func (r *Report) Failed() int {
	failed := 0
	for _, outcome := range r.Outcomes {
		if !outcome.Passed() {
			failed++
		}
	}
	return failed
}

// Duration returns how long the cases took.
func (r *Report) Duration() time.Duration {
	var sum time.Duration
	for _, outcome := range r.Outcomes {
		sum += outcome.Duration
	}
	return sum
}

// Write writes a line for the saved query, and how the cases that failed differ from what they
// expect.
func (r *Report) Write(w io.Writer) error {
	status := "ok  "
	if r.Failed() > 0 {
		status = "FAIL"
	}
	if _, err := fmt.Fprintf(w, "%s  %s  %s in %s\n", status, r.Query.Name, counts(len(r.Outcomes), r.Failed()), milliseconds(r.Duration())); err != nil {
		return err
	}
	for _, outcome := range r.Outcomes {
		if outcome.Passed() {
			continue
		}
		if _, err := fmt.Fprintf(w, "  %s: %s\n", outcome.Case.Place, outcome.Case.Name); err != nil {
			return err
		}
		for _, difference := range outcome.Differences {
			if _, err := fmt.Fprintf(w, "    %s\n", difference); err != nil {
				return err
			}
		}
	}
	return nil
}

// Summary returns one line about all reports.
func Summary(reports []*Report) string {
	var cases, failed int
	var duration time.Duration
	for _, report := range reports {
		cases += len(report.Outcomes)
		failed += report.Failed()
		duration += report.Duration()
	}
	return fmt.Sprintf("%s in %s", counts(cases, failed), milliseconds(duration))
}

func counts(cases, failed int) string {
	text := fmt.Sprintf("%d cases", cases)
	if cases == 1 {
		text = "1 case"
	}
	if failed > 0 {
		return fmt.Sprintf("%s, %d failed,", text, failed)
	}
	return text + " passed"
}

func milliseconds(duration time.Duration) string {
	return fmt.Sprintf("%d ms", duration.Round(time.Millisecond).Milliseconds())
}
