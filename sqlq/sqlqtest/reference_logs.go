package sqlqtest

import (
	"cmp"
	"slices"
	"time"

	"savedq/sqlq"
)

// logsLimit is the most rows that logs.all gives (2.4 rule 1). It is the query's
// own limit: reaching it is no truncation (D24).
const logsLimit = 100

// retentionOf maps a tier to its retention (specification 2.4). Any value that is
// not listed behaves as FREE.
func retentionOf(tier string) time.Duration {
	switch tier {
	case "PRO":
		return 7 * day
	case "PAYG", "ENTERPRISE":
		return 90 * day
	default:
		return day
	}
}

// logColumns are the columns of 2.4, with the types of D13 and D23.
func logColumns() []sqlq.Column {
	return []sqlq.Column{
		{Name: "id", Type: sqlq.String},
		{Name: "timestamp", Type: sqlq.Timestamp},
		{Name: "event_message", Type: sqlq.String, Nullable: true},
		{Name: "metadata", Type: sqlq.JSON, Nullable: true},
	}
}

// logBounds are the bounds of 2.4 rule 3.
type logBounds struct {
	project          string
	start, end       time.Time
	hasStart, hasEnd bool
	cutOff           time.Time
}

// newLogBounds reads the bounds of the arguments.
func newLogBounds(args *arguments, now time.Time) logBounds {
	bounds := logBounds{project: args.text("project"), cutOff: now.Add(-retentionOf(args.text("project_tier")))}
	bounds.start, bounds.hasStart = args.instant("iso_timestamp_start")
	bounds.end, bounds.hasEnd = args.instant("iso_timestamp_end")
	return bounds
}

// hold reports whether the event is included: all four conditions of rule 3.
func (b logBounds) hold(event Event) bool {
	switch {
	case event.Project == nil || *event.Project != b.project:
		return false
	case b.hasStart && !event.Timestamp.After(b.start):
		return false
	case b.hasEnd && event.Timestamp.After(b.end):
		return false
	default:
		return event.Timestamp.After(b.cutOff)
	}
}

// referenceLogsAll computes logs.all. It needs only the edge logs, because rows of the
// other sources are never returned (rules 1 and 2).
func referenceLogsAll(events []Event, args *arguments, now time.Time) *Expected {
	bounds := newLogBounds(args, now)
	var included []Event
	for _, event := range events {
		if bounds.hold(event) {
			included = append(included, event)
		}
	}
	slices.SortFunc(included, func(a, b Event) int { // D7
		return cmp.Or(b.Timestamp.Compare(a.Timestamp), cmp.Compare(a.ID, b.ID))
	})
	if len(included) > logsLimit {
		included = included[:logsLimit]
	}

	expected := &Expected{Result: sqlq.Result{Columns: logColumns(), Rows: [][]any{}}}
	for _, event := range included {
		row := []any{event.ID, event.Timestamp.UTC(), nil, nil}
		if event.EventMessage != nil {
			row[2] = *event.EventMessage
		}
		if event.Metadata != nil {
			row[3] = event.Metadata
		}
		expected.Rows = append(expected.Rows, row)
	}
	return expected
}
