// Package demo generates demo logs: a week of all nine log sources, and live events that
// continue it, so that a new user sees results at once. They vary one recorded day.
//
// The events of a minute are a pure function of the seed, the source and the minute. Any
// period can be generated again, event for event. After a restart a gap is filled without
// a record of what was written before, and live events are the ones that a later fill
// would generate.
package demo

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// weekend is the traffic of Saturdays and Sundays, relative to the recorded working day.
const weekend = 0.52

// Generator generates demo logs. It does not change and is safe for concurrent use.
type Generator struct {
	seed  uint64
	hours map[slot][]*recordedHour
}

// New returns the generator of the seed.
func New(seed uint64) *Generator {
	hours, err := decode(dayNDJSON)
	if err != nil {
		panic(fmt.Sprintf("day.ndjson.zst: %v", err)) // it is a part of the program
	}
	return &Generator{seed: seed, hours: hours}
}

// Events yields the source's events whose timestamps lie in [from, to), in ascending
// order. They are the same for every call, however the time is divided. An unknown
// source has no events.
func (g *Generator) Events(source *sqlq.Table, from, to time.Time) iter.Seq[logevent.Event] {
	return func(yield func(logevent.Event) bool) {
		variation := newVariation()
		var moments []moment
		for minute := from.UTC().Truncate(time.Minute); minute.Before(to); minute = minute.Add(time.Minute) {
			variation.seed(g.seed, source.Name, minute)
			moments = g.moments(moments[:0], variation, source, minute)
			for _, moment := range moments {
				if !moment.time.Before(to) {
					return
				}
				// Events before from are generated as well, because each event continues
				// the minute's random sequence.
				event := variation.event(moment, source)
				if !moment.time.Before(from) && !yield(event) {
					return
				}
			}
		}
	}
}

// all yields the events of all sources in [from, to), one source after another.
func (g *Generator) all(from, to time.Time) iter.Seq2[*sqlq.Table, logevent.Event] {
	return func(yield func(*sqlq.Table, logevent.Event) bool) {
		for _, source := range tables.Shipped() {
			for event := range g.Events(source, from, to) {
				if !yield(source, event) {
					return
				}
			}
		}
	}
}

// moment is when something like a recorded event happens again.
type moment struct {
	time     time.Time
	hour     *recordedHour
	recorded *recordedEvent
}

// moments appends the moments of a minute in ascending order. The recorded hour determines
// about how many each project has.
func (g *Generator) moments(moments []moment, variation *variation, source *sqlq.Table, minute time.Time) []moment {
	level := 1.0
	if day := minute.Weekday(); day == time.Saturday || day == time.Sunday {
		level = weekend
	}
	for _, hour := range g.hours[slot{source.Name, minute.Weekday(), minute.Hour()}] {
		for range hour.AtLeast + variation.around(hour.PerMinute*level-float64(hour.AtLeast)) {
			offset := time.Duration(variation.Int64N(int64(time.Minute/time.Microsecond))) * time.Microsecond
			recorded := &hour.events[variation.IntN(len(hour.events))]
			moments = append(moments, moment{time: minute.Add(offset), hour: hour, recorded: recorded})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return a.time.Compare(b.time) })
	return moments
}
