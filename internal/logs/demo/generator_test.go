package demo

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// friday is an arbitrary time in a busy hour.
func friday() time.Time {
	return time.Date(2026, time.November, 20, 14, 17, 23, 456_789_000, time.UTC)
}

// recorded is decoded once, because that takes long.
var recorded = sync.OnceValue(func() *Generator { return New(0) }) //nolint:gochecknoglobals // It does not change.

// seeded returns the generator of a seed, as [New] does.
func seeded(seed uint64) *Generator { return &Generator{seed: seed, hours: recorded().hours} }

func collect(generator *Generator, source *sqlq.Table, from, to time.Time) []logevent.Event {
	return slices.Collect(generator.Events(source, from, to))
}

func sourceOf(tb testing.TB, table string) *sqlq.Table {
	tb.Helper()
	source, found := tables.Shipped().FindSource(table)
	require.True(tb, found)
	return source
}

func TestEventsDependOnlyOnTheSeed(t *testing.T) {
	t.Parallel()
	from, to := friday(), friday().Add(time.Hour)
	generator, again := seeded(7), New(7)
	for _, source := range tables.Shipped() {
		events := collect(generator, source, from, to)
		require.NotEmpty(t, events, source.Name)
		assert.Equal(t, events, collect(generator, source, from, to), "the same generator")
		assert.Equal(t, events, collect(again, source, from, to), "another generator of the same seed")
		others := collect(seeded(8), source, from, to)
		assert.NotEqual(t, events, others, "another seed")
		assert.Empty(t, commonIDs(events, others), "another seed")
	}
}

func commonIDs(a, b []logevent.Event) []string {
	seen := make(map[string]bool, len(a))
	for _, event := range a {
		seen[event.ID] = true
	}
	var common []string
	for _, event := range b {
		if seen[event.ID] {
			common = append(common, event.ID)
		}
	}
	return common
}

// However a period is divided, its parts have the events of the whole.
func TestEventsDoNotDependOnHowTimeIsCut(t *testing.T) {
	t.Parallel()
	generator := seeded(42)
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.SampledFrom(tables.Shipped()).Draw(t, "source")
		minutes := rapid.Int64Range(1, 15).Draw(t, "minutes")
		from := friday().Add(time.Duration(rapid.Int64Range(0, 7*24*60*60*1e6).Draw(t, "offset")) * time.Microsecond)
		to := from.Add(time.Duration(minutes) * time.Minute)
		whole := collect(generator, source, from, to)

		cuts := []time.Time{from, to}
		for _, microseconds := range rapid.SliceOfN(rapid.Int64Range(0, minutes*60*1e6), 0, 6).Draw(t, "cuts") {
			cuts = append(cuts, from.Add(time.Duration(microseconds)*time.Microsecond))
		}
		if len(whole) > 0 {
			// A cut at an event's own timestamp belongs to the later piece.
			cuts = append(cuts, rapid.SampledFrom(whole).Draw(t, "cut at").Timestamp)
		}
		slices.SortFunc(cuts, time.Time.Compare)
		var pieces []logevent.Event
		for i := 1; i < len(cuts); i++ {
			pieces = append(pieces, collect(generator, source, cuts[i-1], cuts[i])...)
		}
		require.Equal(t, whole, pieces)
	})
}

func TestEventsLieInTheHalfOpenRange(t *testing.T) {
	t.Parallel()
	generator, source := seeded(1), sourceOf(t, "function_edge_logs")
	events := collect(generator, source, friday(), friday().Add(time.Hour))
	require.Greater(t, len(events), 10)
	first, last := events[0], events[len(events)-1]

	tests := []struct {
		name     string
		from, to time.Time
		want     []logevent.Event
	}{
		{"from the first event", first.Timestamp, last.Timestamp.Add(time.Microsecond), events},
		{"a microsecond after the first event", first.Timestamp.Add(time.Microsecond), last.Timestamp.Add(time.Microsecond), events[1:]},
		{"to the last event", first.Timestamp, last.Timestamp, events[:len(events)-1]},
		{"in another time zone", first.Timestamp.In(time.FixedZone("", 5400)), last.Timestamp.In(time.FixedZone("", -12600)), events[:len(events)-1]},
		{"nothing", first.Timestamp, first.Timestamp, nil},
		{"backwards", last.Timestamp, first.Timestamp, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, collect(generator, source, test.from, test.to))
		})
	}
}

func TestEventsCanBeLeftEarly(t *testing.T) {
	t.Parallel()
	generator, source := seeded(1), sourceOf(t, "edge_logs")
	want := collect(generator, source, friday(), friday().Add(time.Hour))[:3]
	var got []logevent.Event
	for event := range generator.Events(source, friday(), friday().Add(time.Hour)) {
		if got = append(got, event); len(got) == len(want) {
			break
		}
	}
	assert.Equal(t, want, got)
}

func TestUnknownSourceHasNoEvents(t *testing.T) {
	t.Parallel()
	assert.Empty(t, collect(seeded(1), &sqlq.Table{Name: "mail_logs"}, friday(), friday().Add(time.Hour)))
}
