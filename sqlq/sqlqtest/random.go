package sqlqtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// dataSet is random logs and random questions about them.
type dataSet struct {
	now       time.Time
	logs      Logs
	questions []randomQuestion
}

// GoString renders the data set in the shape of a case file, so that a failing
// one can become a case.
func (d dataSet) GoString() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nnow: %s\nlogs:\n", d.now.Format(time.RFC3339Nano))
	for _, table := range slices.Sorted(maps.Keys(d.logs)) {
		fmt.Fprintf(&text, "  %s:\n", table)
		for _, event := range d.logs[table] {
			fmt.Fprintf(&text, "    - {%s}\n", eventText(event))
		}
	}
	text.WriteString("questions:\n")
	for _, question := range d.questions {
		fmt.Fprintf(&text, "  - %s\n", question)
	}
	return text.String()
}

// eventText renders an event as a line of a case file.
func eventText(event Event) string {
	text := fmt.Sprintf("id: %s, at: %s", event.ID, event.Timestamp.Format(time.RFC3339Nano))
	if event.Project != nil {
		text += ", project: " + strconv.Quote(*event.Project)
	}
	if event.EventMessage != nil {
		text += ", message: " + strconv.Quote(*event.EventMessage)
	}
	if event.Metadata != nil {
		text += ", metadata: '" + strings.ReplaceAll(string(event.Metadata), "'", "''") + "'"
	}
	return text
}

// randomQuestion is a question about a data set.
type randomQuestion struct {
	query  string
	params map[string]string
	// maxRows replaces the saved query's max rows; zero leaves it as it is.
	maxRows int
}

// String renders the question.
func (q randomQuestion) String() string {
	text := []string{q.query}
	for _, name := range slices.Sorted(maps.Keys(q.params)) {
		text = append(text, fmt.Sprintf("%s=%q", name, q.params[name]))
	}
	if q.maxRows > 0 {
		text = append(text, fmt.Sprintf("(max rows %d)", q.maxRows))
	}
	return strings.Join(text, " ")
}

// randomDataSets makes data sets.
func randomDataSets() *rapid.Generator[dataSet] {
	return rapid.Custom(func(t *rapid.T) dataSet {
		now := randomNow().Draw(t, "now")
		// Few distinct times, shared by events and questions, make ties and hits
		// of a bound common.
		instants := rapid.SliceOfN(randomInstants(now), 6, 16).Draw(t, "instants")
		logs := Logs{
			edgeLogs:         randomEvents("e", instants, randomEdgeMetadata()).Draw(t, edgeLogs),
			functionEdgeLogs: randomEvents("f", instants, randomFunctionMetadata()).Draw(t, functionEdgeLogs),
		}
		other := rapid.SampledFrom(Tables()[1:]).Draw(t, "other table")
		if other != functionEdgeLogs { // 2.4 rule 2: never returned
			metadata := randomEdgeMetadata()
			if other == "function_logs" {
				metadata = randomFunctionMetadata()
			}
			logs[other] = randomEvents("o", instants, metadata).Draw(t, other)
		}
		return dataSet{
			now: now, logs: logs,
			questions: rapid.SliceOfN(randomQuestions(instants), 12, 24).Draw(t, "questions"),
		}
	})
}

// randomNow makes times of asking: round ones, ones with microseconds, and ones
// whose windows reach over the end of a month, a leap day or a year.
func randomNow() *rapid.Generator[time.Time] {
	chosen := rapid.SampledFrom([]time.Time{
		time.Date(2024, time.February, 29, 0, 0, 0, 0, time.UTC),
		time.Date(2024, time.February, 29, 12, 34, 56, 789012000, time.UTC),
		time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2024, time.March, 1, 0, 30, 0, 1000, time.UTC),
		time.Date(2023, time.March, 1, 6, 0, 0, 0, time.UTC),
		time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, time.April, 30, 23, 59, 59, 999999000, time.UTC),
		time.Date(2026, time.May, 1, 10, 15, 0, 0, time.UTC),
		time.Date(2026, time.November, 20, 10, 0, 0, 0, time.UTC),
	})
	anywhere := rapid.Map(
		rapid.Int64Range(
			time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMicro(),
			time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMicro(),
		),
		func(microseconds int64) time.Time { return time.UnixMicro(microseconds).UTC() },
	)
	return rapid.OneOf(chosen, chosen, anywhere)
}

// randomInstants makes times around the boundaries that now gives the queries:
// exactly at one, a microsecond beside it, or somewhere near. There are few
// boundaries, so that ties are common.
func randomInstants(now time.Time) *rapid.Generator[time.Time] {
	boundaries := boundariesOf(now)
	return rapid.Custom(func(t *rapid.T) time.Time {
		boundary := rapid.SampledFrom(boundaries).Draw(t, "boundary")
		exact := rapid.SampledFrom([]time.Duration{0, 0, -time.Microsecond, time.Microsecond, -time.Second, time.Second})
		offset := rapid.OneOf(
			exact, exact, exact,
			rapid.Map(rapid.Int64Range(-300_000_000, 300_000_000), microseconds),
			rapid.Map(rapid.Int64Range(-2*24*3600, 2*24*3600), func(n int64) time.Duration { return time.Duration(n) * time.Second }),
		).Draw(t, "offset")
		return boundary.Add(offset)
	})
}

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// boundariesOf lists the boundaries of every interval and every tier.
func boundariesOf(now time.Time) []time.Time {
	boundaries := []time.Time{now}
	for _, interval := range invocationIntervals() {
		chosen := seriesOf(interval)
		boundaries = append(boundaries, chosen.first(now), chosen.first(now).Add(chosen.step), chosen.last(now))
	}
	for _, interval := range countIntervals() {
		window, _ := countWindowOf(interval)
		boundaries = append(boundaries, window.start(now), window.start(now).Truncate(window.bucket).Add(window.bucket))
	}
	for _, tier := range tiers() {
		boundaries = append(boundaries, now.Add(-retentionOf(tier)))
	}
	return boundaries
}

func invocationIntervals() []string { return []string{"5min", "15min", "1hr", "1day", "7day"} }

func countIntervals() []string { return []string{"hourly", "daily", "minutely"} }

func tiers() []string { return []string{"FREE", "PRO", "PAYG", "ENTERPRISE"} }

// randomEvents makes the events of a table, at the instants or a microsecond
// beside them. Their ids do not ascend with their position, so that a tie on the
// timestamp has something to order.
func randomEvents(prefix string, instants []time.Time, metadata *rapid.Generator[json.RawMessage]) *rapid.Generator[[]Event] {
	return rapid.Custom(func(t *rapid.T) []Event {
		// Rapid itself prefers small numbers: without these few sizes hardly a
		// data set has more than a handful of events.
		size := rapid.SampledFrom([]int{0, 2, 8, 20, 40, 40, 80, 300}).Draw(t, "size")
		ids := rapid.Permutation(numbers(size)).Draw(t, "ids")
		events := make([]Event, size)
		for i, id := range ids {
			beside := rapid.SampledFrom([]time.Duration{0, 0, 0, 0, -time.Microsecond, time.Microsecond}).Draw(t, "beside")
			events[i] = Event{
				ID:           fmt.Sprintf("%s%03d", rapid.SampledFrom([]string{prefix, strings.ToUpper(prefix)}).Draw(t, "case"), id),
				Timestamp:    rapid.SampledFrom(instants).Draw(t, "instant").Add(beside),
				EventMessage: rapid.SampledFrom(messages()).Draw(t, "event_message"),
				Project:      rapid.SampledFrom(eventProjects()).Draw(t, "project"),
				Metadata:     metadata.Draw(t, "metadata"),
			}
		}
		return events
	})
}

// numbers counts from 0 up to n.
func numbers(n int) []int {
	counted := make([]int, n)
	for i := range counted {
		counted[i] = i
	}
	return counted
}

func messages() []*string {
	return []*string{nil, new(""), new("GET | 200"), new(`it's "quoted" \ back`), new("two\nlines 🦆")}
}

// eventProjects are the projects of events; those that are also regular
// expressions match others, which only usage.api-counts may notice.
func eventProjects() []*string {
	return []*string{
		nil, new(""), new("acme"), new("acme"), new("acme"), new("acme"), new("acme"), new("acme"),
		new("ACME"), new("acme2"), new(" acme"), new("a.c"), new("abc"), new("a%"),
	}
}
