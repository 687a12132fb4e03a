package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/series"
)

// explain describes what the refresh of a response computes and what it reuses.
func explain(query *sqlq.SavedQuery, args []sqlq.Arg, now time.Time, knowsChanges bool) string {
	every := cmp.Or(query.Warm, query.Cache)
	switch {
	case query.Series == nil:
		return fmt.Sprintf("%s declares no series, so every run computes all of its rows.\n", query.Name)
	case len(query.Series.Obstacles) > 0:
		return fmt.Sprintf("Every run of %s computes all of its rows, although it declares a series:\n%s\n", query.Name, query.Series.Obstacles)
	case every == 0:
		return fmt.Sprintf("%s is not cached, so every run computes all of its rows; set cache.\n", query.Name)
	case !knowsChanges && (query.Warm == 0 || 2*query.Warm > query.Cache):
		return fmt.Sprintf("Every run of %s computes all of its rows, because there is a run of the whole window in each %s (cache); set warm to at most half of it.\n",
			query.Name, lengthText(query.Cache))
	}
	first := sqlq.NewStatement(query, args, now)
	next := sqlq.NewStatement(query, args, now.Add(every))
	window, _ := query.Window(args)
	fresh := series.Freshness{}
	if !knowsChanges {
		fresh.Lateness = &query.Series.Lateness
	}
	plan := series.NewState(first, &sqlq.Result{}, 0).Plan(next, fresh)
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "window    %s, in buckets of %s\n", rangeText(query.Series, first.Range), lengthText(window.Bucket))
	if plan == nil {
		_, _ = fmt.Fprintf(&text, "A refresh after %s computes all of it, because little of it is closed by then.\n", lengthText(every))
		return text.String()
	}
	_, _ = fmt.Fprintf(&text, "A refresh after %s, at %s:\n", lengthText(every), next.Now.Format(time.DateTime))
	for _, missing := range plan.Missing {
		_, _ = fmt.Fprintf(&text, "computes  %s\n", rangeText(query.Series, missing))
	}
	for _, reused := range plan.Reused {
		_, _ = fmt.Fprintf(&text, "reuses    %s\n", rangeText(query.Series, reused.Range))
	}
	if knowsChanges {
		text.WriteString("A bucket with a late event is computed again.\n")
	} else {
		_, _ = fmt.Fprintf(&text, "Events that are more than %s late are seen when their bucket is computed again: each time that its age has doubled,\nand in a run of the whole window once in %s.\n",
			lengthText(query.Series.Lateness), lengthText(query.Cache))
	}
	return text.String()
}

// rangeText formats a range; the end of one without a bound is left out.
func rangeText(declared *sqlq.Series, of sqlq.Range) string {
	to := of.To.Format(time.DateTime)
	const lastYear = 9999
	if declared.Endless && of.To.Year() > lastYear {
		to = "the end"
	}
	return of.From.Format(time.DateTime) + " to " + to
}

// lengthText formats a duration as query.yaml has it, such as 7d or 5m.
func lengthText(length time.Duration) string {
	const day = 24 * time.Hour
	if length >= day && length%day == 0 {
		return fmt.Sprintf("%dd", length/day)
	}
	text := length.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-len("0s")]
		}
	}
	return text
}
