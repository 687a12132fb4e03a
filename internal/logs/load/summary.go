package load

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/sqlq"
)

// Summary is the result of loading a file.
type Summary struct {
	Path   string
	Source *sqlq.Table
	// Loaded is the number of added events.
	Loaded int
	// Duplicates is the number of events whose ids the source already had.
	Duplicates int
	// Rejected is the number of malformed events. They are in the file RejectedPath, which
	// is empty if there are none.
	Rejected     int
	RejectedPath string
	// Rejections are why the first of them were rejected.
	Rejections []Rejection
	// Ignored lists the unknown fields, most frequent first. IgnoredMore counts the
	// occurrences of fields that are not listed.
	Ignored     []IgnoredField
	IgnoredMore int
	// Mistyped lists the fields that statistics ignore because of their type, most frequent
	// first.
	Mistyped []MistypedField
	Duration time.Duration
	// SentEarlier is how many of the events a run that was interrupted has sent.
	SentEarlier int
}

// EventsPerSecond is the speed of the load in events per second, or 0 if it took no
// measurable time.
func (s Summary) EventsPerSecond() float64 {
	if s.Duration <= 0 {
		return 0
	}
	return float64(s.Loaded+s.Duplicates+s.Rejected-s.SentEarlier) / s.Duration.Seconds()
}

// String returns the summary as one line.
func (s Summary) String() string {
	var line strings.Builder
	fmt.Fprintf(&line, "%s ← %s: %s loaded, %s rejected", s.Source.Name, s.Path, events(s.Loaded), thousands(s.Rejected))
	if s.RejectedPath != "" {
		fmt.Fprintf(&line, " (%s)", s.RejectedPath)
	}
	if s.Duplicates > 0 {
		fmt.Fprintf(&line, ", %s already stored", thousands(s.Duplicates))
	}
	if s.SentEarlier > 0 {
		fmt.Fprintf(&line, ", %s of them sent by a run that was interrupted", thousands(s.SentEarlier))
	}
	if speed := s.EventsPerSecond(); speed > 0 {
		fmt.Fprintf(&line, ", %s events/s", thousands(int(speed)))
	}
	return line.String()
}

// Notes returns warnings about likely mistakes of the sender, one per line.
func (s Summary) Notes() []string {
	var notes []string
	for _, rejection := range s.Rejections {
		notes = append(notes, fmt.Sprintf("line %d was rejected: %s", rejection.Line, rejection.Reason))
	}
	if more := s.Rejected - len(s.Rejections); more > 0 && len(s.Rejections) > 0 {
		notes = append(notes, "and "+events(more)+" more; see "+s.RejectedPath)
	}
	if len(s.Ignored) > 0 {
		notes = append(notes, s.ignoredNote())
	}
	if len(s.Mistyped) > 0 {
		notes = append(notes, s.mistypedNote())
	}
	return notes
}

// ignoredNote returns the warning about ignored fields.
func (s Summary) ignoredNote() string {
	notes := make([]string, 0, len(s.Ignored)+1)
	for _, field := range s.Ignored {
		notes = append(notes, fmt.Sprintf("%q (%s)", field.Name, events(field.Count)))
	}
	if s.IgnoredMore > 0 {
		notes = append(notes, "and others ("+thousands(s.IgnoredMore)+"×)")
	}
	return "fields left out, because events have only id, timestamp, event_message, project and metadata: " + strings.Join(notes, ", ")
}

// mistypedNote returns the warning about values that statistics ignore.
func (s Summary) mistypedNote() string {
	notes := make([]string, 0, len(s.Mistyped))
	for _, field := range s.Mistyped {
		notes = append(notes, fmt.Sprintf("%s is not %s (%s)", field.Name, field.Want, events(field.Count)))
	}
	if s.Source.Fields != nil {
		return "fields are NULL where the value has another type: " + strings.Join(notes, ", ")
	}
	return "statistics ignore values of another type: " + strings.Join(notes, ", ") +
		`; have the sender write numbers without quotes, as in 200, and strings with them, as in "/rest"`
}

func events(count int) string {
	if count == 1 {
		return "1 event"
	}
	return thousands(count) + " events"
}

// thousands formats a number with a comma between groups of three digits.
func thousands(number int) string {
	digits := strconv.Itoa(number)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Total sums the summaries of several files.
type Total struct {
	summary Summary
	files   int
	now     func() time.Time
	started time.Time
}

// NewTotal returns a total of no files. The clock gives the duration of all of them.
func NewTotal(now func() time.Time) *Total { return &Total{now: now, started: now()} }

// Add adds the summary of a file. All files must have the same source.
func (t *Total) Add(summary Summary) {
	t.files++
	t.summary.Source = summary.Source
	t.summary.Loaded += summary.Loaded
	t.summary.Duplicates += summary.Duplicates
	t.summary.Rejected += summary.Rejected
	t.summary.SentEarlier += summary.SentEarlier
}

// Empty reports whether no file was added.
func (t *Total) Empty() bool { return t.files == 0 }

// String returns the total as one line.
func (t *Total) String() string {
	total := t.summary
	total.Path = fmt.Sprintf("%s files in total", thousands(t.files))
	if t.files == 1 {
		total.Path = "1 file in total"
	}
	total.Duration = t.now().Sub(t.started)
	return total.String()
}

// MistypedField is a field whose values statistics ignore because of their type.
type MistypedField struct {
	eventrow.MistypedField
	// Count is the number of events that had it.
	Count int
}

// mistypedFields returns the counted fields, the most frequent ones first.
func mistypedFields(counts map[eventrow.MistypedField]int) []MistypedField {
	var fields []MistypedField
	for field, count := range counts {
		fields = append(fields, MistypedField{MistypedField: field, Count: count})
	}
	slices.SortFunc(fields, func(a, b MistypedField) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return fields
}

const (
	// maxIgnoredNames limits the number of names, because hostile input could have a new
	// name in every event.
	maxIgnoredNames = 20
	maxIgnoredName  = 64
)

// IgnoredField is a field of an event that is not one of the known fields.
type IgnoredField struct {
	Name string
	// Count is the number of events that had it.
	Count int
}

// fieldCounter counts the fields that were ignored, up to maxIgnoredNames.
type fieldCounter struct {
	counts map[string]int
	// more counts the occurrences of further names.
	more int
}

func (c *fieldCounter) add(names []string) {
	for _, name := range names {
		if len(name) > maxIgnoredName {
			name = strings.ToValidUTF8(name[:maxIgnoredName], "") + "…"
		}
		if _, known := c.counts[name]; !known && len(c.counts) == maxIgnoredNames {
			c.more++
			continue
		}
		c.counts[name]++
	}
}

// fields returns the counted fields, the most frequent ones first.
func (c *fieldCounter) fields() []IgnoredField {
	fields := make([]IgnoredField, 0, len(c.counts))
	for name, count := range c.counts {
		fields = append(fields, IgnoredField{Name: name, Count: count})
	}
	slices.SortFunc(fields, func(a, b IgnoredField) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return fields
}
