package demo

import (
	"cmp"
	"hash/fnv"
	"iter"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

// Generator makes demo logs. It holds no state but its tables and is safe for
// concurrent use.
type Generator struct {
	seed     uint64
	projects []project
	streams  map[string]stream
}

// New returns the generator of the seed.
func New(seed uint64) *Generator {
	return &Generator{seed: seed, projects: projects(seed), streams: streams()}
}

// Events yields the source's events whose timestamps lie in [from, to), in
// ascending order. They are the same however often and in whatever pieces the
// time is asked for. A source that the generator does not know has none.
func (g *Generator) Events(source logstore.Source, from, to time.Time) iter.Seq[logevent.Event] {
	return func(yield func(logevent.Event) bool) {
		stream, known := g.streams[source.Table]
		if !known {
			return
		}
		key := mix(g.seed, hashName(source.Table))
		scene := &scene{dice: newDice()}
		var moments []moment
		for minute := from.UTC().Truncate(time.Minute); minute.Before(to); minute = minute.Add(time.Minute) {
			scene.dice.seed(key, minute)
			moments = g.moments(moments[:0], scene.dice, stream, minute)
			for _, moment := range moments {
				if !moment.at.Before(to) {
					return
				}
				// An event before from is made all the same: the next one
				// goes on where its throws of the dice ended.
				event := scene.play(stream, moment)
				if !moment.at.Before(from) && !yield(event) {
					return
				}
			}
		}
	}
}

// moment is when something happens in a project.
type moment struct {
	at      time.Time
	project *project
}

// moments appends the moments of a minute in ascending order: for each project
// as many as the stream's rate and the project's rhythm make likely.
func (g *Generator) moments(moments []moment, dice *dice, stream stream, minute time.Time) []moment {
	for i := range g.projects {
		project := &g.projects[i]
		mean := stream.perMinute * project.share * rhythm(minute, project.peakHour)
		count := stream.atLeast + dice.poisson(mean-float64(stream.atLeast))
		for range count {
			offset := time.Duration(dice.Int64N(int64(time.Minute/time.Microsecond))) * time.Microsecond
			moments = append(moments, moment{at: minute.Add(offset), project: project})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		return cmp.Compare(a.at.UnixMicro(), b.at.UnixMicro())
	})
	return moments
}

// scene is what a stream needs to write one event. It is used again for the
// next event, because the events of a week are many.
type scene struct {
	dice     *dice
	metadata metadataWriter
	at       time.Time
	project  *project
	// trouble says that the project has its incident.
	trouble bool
}

// play makes the event of the moment.
func (s *scene) play(stream stream, moment moment) logevent.Event {
	s.at, s.project = moment.at, moment.project
	s.trouble = moment.project.incident.covers(moment.at)
	event := logevent.Event{ID: s.dice.eventID(s.at), Timestamp: s.at}
	s.metadata.begin()
	message := stream.write(s)
	event.EventMessage = &message
	event.Metadata = s.metadata.finish()
	if stream.namesProject {
		event.Project = &s.project.name
	}
	return event
}

func hashName(name string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	return hash.Sum64()
}
