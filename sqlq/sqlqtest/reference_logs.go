package sqlqtest

import (
	"cmp"
	"slices"
	"time"
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

// logsAllRows computes logs.all. It needs only the edge logs, because rows of the
// other sources are never returned (rules 1 and 2).
func logsAllRows(expected *Expected, logs Logs, args *arguments, now time.Time) error {
	project, within, cutOff := args.text("project"), rangeOf(args), now.Add(-retentionOf(args.text("project_tier")))
	var included []Event
	for _, event := range logs[edgeLogs] {
		if event.Project != nil && *event.Project == project && within.holds(event) && event.Timestamp.After(cutOff) { // rule 3
			included = append(included, event)
		}
	}
	slices.SortFunc(included, func(a, b Event) int { // D7
		return cmp.Or(b.Timestamp.Compare(a.Timestamp), cmp.Compare(a.ID, b.ID))
	})
	for _, event := range included[:min(logsLimit, len(included))] {
		expected.Rows = append(expected.Rows, []any{event.ID, event.Timestamp.UTC(), valueOf(event.EventMessage), metadataOf(event)})
	}
	return nil
}

// valueOf returns the value of a STRING column.
func valueOf(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

// metadataOf returns the value of the column of an event's metadata.
func metadataOf(event Event) any {
	if event.Metadata == nil {
		return nil
	}
	return event.Metadata
}
