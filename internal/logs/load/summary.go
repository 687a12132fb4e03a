package load

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"savedq/internal/logs/logstore"
)

// Summary says what the load of a file has done.
type Summary struct {
	Path   string
	Source logstore.Source
	// Loaded counts the events that were added to the store.
	Loaded int
	// Duplicates counts the events whose ids the source had already.
	Duplicates int
	// Rejected counts the malformed events, which RejectedPath lists. The path
	// is empty if there are none.
	Rejected     int
	RejectedPath string
	// Ignored names the fields that were left out, the most frequent ones
	// first; IgnoredMore counts the occurrences of names that are not listed.
	Ignored     []IgnoredField
	IgnoredMore int
	// Mistyped names the fields whose type keeps them out of statistics, the most
	// frequent ones first.
	Mistyped []MistypedField
	// Of1970 counts the events of that year, which is where a number of seconds or
	// milliseconds leads that is read as one of microseconds.
	Of1970   int
	Duration time.Duration
}

// RowsPerSecond is how many events of the file were dealt with in a second; 0
// if the load took no measurable time.
func (s Summary) RowsPerSecond() float64 {
	if s.Duration <= 0 {
		return 0
	}
	return float64(s.Loaded+s.Duplicates+s.Rejected) / s.Duration.Seconds()
}

// String is the summary as one line.
func (s Summary) String() string {
	var line strings.Builder
	fmt.Fprintf(&line, "%s ← %s: %s loaded, %s rejected", s.Source.Table, s.Path, rows(s.Loaded), thousands(s.Rejected))
	if s.RejectedPath != "" {
		fmt.Fprintf(&line, " (%s)", s.RejectedPath)
	}
	if s.Duplicates > 0 {
		fmt.Fprintf(&line, ", %s already stored", thousands(s.Duplicates))
	}
	if speed := s.RowsPerSecond(); speed > 0 {
		fmt.Fprintf(&line, ", %s rows/s", thousands(int(speed)))
	}
	return line.String()
}

// Notes are lines about what the sender of the events may not have meant; usually there
// are none.
func (s Summary) Notes() []string {
	var notes []string
	if len(s.Ignored) > 0 {
		notes = append(notes, s.ignoredNote())
	}
	if len(s.Mistyped) > 0 {
		notes = append(notes, s.mistypedNote())
	}
	if s.Of1970 > 0 {
		notes = append(notes, rows(s.Of1970)+" of the year 1970: a timestamp that is a number counts microseconds, not seconds or milliseconds")
	}
	return notes
}

// ignoredNote is about the fields that were left out.
func (s Summary) ignoredNote() string {
	notes := make([]string, 0, len(s.Ignored)+1)
	for _, field := range s.Ignored {
		notes = append(notes, fmt.Sprintf("%q (%s)", field.Name, rows(field.Count)))
	}
	if s.IgnoredMore > 0 {
		notes = append(notes, "and others ("+thousands(s.IgnoredMore)+"×)")
	}
	return "fields left out, because events have only id, timestamp, event_message, project and metadata: " + strings.Join(notes, ", ")
}

// mistypedNote is about the values that statistics leave out.
func (s Summary) mistypedNote() string {
	notes := make([]string, 0, len(s.Mistyped))
	for _, field := range s.Mistyped {
		notes = append(notes, fmt.Sprintf("%s is not %s (%s)", field.Name, field.Want, rows(field.Count)))
	}
	return "statistics leave out values of another type: " + strings.Join(notes, ", ") +
		`; have the sender write numbers without quotes, as in 200, and strings with them, as in "/rest"`
}

func rows(count int) string {
	if count == 1 {
		return "1 row"
	}
	return thousands(count) + " rows"
}

// thousands writes a number that is not negative with a comma between groups of
// three digits.
func thousands(number int) string {
	digits := strconv.Itoa(number)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
