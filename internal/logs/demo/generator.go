// Package demo generates demo logs: a week of all nine log sources, and live events that
// continue it, so that a new user sees results at once.
//
// The events of a minute are a pure function of the seed, the source and the minute. Any
// period can be generated again, event for event. After a restart a gap is filled without
// a record of what was written before, and live events are the ones that a later fill
// would generate.
package demo

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
)

// Generator generates demo logs. It does not change and is safe for concurrent use.
type Generator struct {
	seed     uint64
	projects []project
	streams  map[string]*stream
}

// New returns the generator of the seed.
func New(seed uint64) *Generator {
	generator := &Generator{seed: seed}
	if err := generator.load(eventsYAML); err != nil {
		panic(fmt.Sprintf("events.yaml: %v", err)) // it is a part of the program
	}
	return generator
}

// Events yields the source's events whose timestamps lie in [from, to), in ascending
// order. They are the same for every call, however the time is divided. An unknown
// source has no events.
func (g *Generator) Events(source logevent.Source, from, to time.Time) iter.Seq[logevent.Event] {
	return func(yield func(logevent.Event) bool) {
		stream, known := g.streams[source.Table]
		if !known {
			return
		}
		key := g.key(source.Table)
		scene := newScene()
		var moments []moment
		for minute := from.UTC().Truncate(time.Minute); minute.Before(to); minute = minute.Add(time.Minute) {
			scene.dice.seed(key, minute)
			moments = g.moments(moments[:0], scene.dice, stream, minute)
			for _, moment := range moments {
				if !moment.time.Before(to) {
					return
				}
				// Events before from are generated as well, because each event continues
				// the minute's random sequence.
				event := scene.event(stream, moment)
				if !moment.time.Before(from) && !yield(event) {
					return
				}
			}
		}
	}
}

// all yields the events of all sources in [from, to), one source after another.
func (g *Generator) all(from, to time.Time) iter.Seq2[logevent.Source, logevent.Event] {
	return func(yield func(logevent.Source, logevent.Event) bool) {
		for _, source := range logevent.Sources() {
			for event := range g.Events(source, from, to) {
				if !yield(source, event) {
					return
				}
			}
		}
	}
}

// moment is when something happens in a project.
type moment struct {
	time    time.Time
	project *project
}

// moments appends the moments of a minute in ascending order. The stream's rate and the
// project's rhythm determine how many each project has.
func (g *Generator) moments(moments []moment, dice *dice, stream *stream, minute time.Time) []moment {
	for i := range g.projects {
		project := &g.projects[i]
		mean := stream.PerMinute * project.Share * rhythm(minute, project.PeakHour)
		count := stream.AtLeast + dice.poisson(mean-float64(stream.AtLeast))
		for range count {
			offset := time.Duration(dice.Int64N(int64(time.Minute/time.Microsecond))) * time.Microsecond
			moments = append(moments, moment{time: minute.Add(offset), project: project})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return a.time.Compare(b.time) })
	return moments
}

// scene is what templates read to write one event. It is reused for the next event.
type scene struct {
	dice    *dice
	time    time.Time
	rows    map[string]*row
	values  map[string][]byte
	outcome outcome
}

func newScene() *scene {
	return &scene{dice: newDice(), rows: make(map[string]*row), values: make(map[string][]byte)}
}

func (s *scene) event(stream *stream, moment moment) logevent.Event {
	s.time = moment.time
	id := s.dice.eventID(s.time)
	trouble := moment.project.incident.covers(s.time)
	s.rows["project"] = moment.project.row
	for _, table := range stream.Draw {
		rows := moment.project.tables[table].healthy
		if trouble {
			rows = moment.project.tables[table].trouble
		}
		s.rows[table] = pick(s.dice, rows)
	}
	s.outcome = outcome{}
	if task := s.rows[stream.Draw[0]].Task; task.Success != 0 {
		s.outcome = task.execute(s.dice, trouble)
	}
	for _, value := range stream.values {
		s.values[value.name] = value.template.appendTo(s.values[value.name][:0], s)
	}
	message := string(s.values["message"])
	event := logevent.Event{ID: id, Timestamp: s.time, Metadata: bytes.Clone(s.values["metadata"]), EventMessage: &message}
	if stream.NamesProject {
		event.Project = &moment.project.Name
	}
	return event
}

// key returns the key of the random numbers for a name.
func (g *Generator) key(name string) uint64 {
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s %d", name, g.seed)
	return hash.Sum64()
}
