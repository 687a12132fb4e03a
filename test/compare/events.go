package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	projectCount = 20
	period       = 7 * 24 * time.Hour

	// rareWord is in a ten-thousandth of the messages, commonWord in a tenth.
	rareWord   = "quokka"
	commonWord = "timeout"
)

// Events are JSON lines. Each begins with an id and a time of fixed length, so that relive can
// replace both without decoding.
const (
	idOffset   = len(`{"id":"`)
	idLength   = 36
	timeOffset = idOffset + idLength + len(`","timestamp":"`)
	timeLayout = "2006-01-02T15:04:05.000000Z"
)

// generator generates the events of the seven days before end. An event is a function of the
// seed, its number and end.
type generator struct {
	seed  uint64
	count int
	end   time.Time

	random *rand.Rand
	pcg    *rand.PCG
}

func newGenerator(seed uint64, count int, end time.Time) *generator {
	pcg := rand.NewPCG(seed, 0)
	//nolint:gosec // Events must be repeatable, not secret.
	return &generator{seed: seed, count: count, end: end.UTC(), pcg: pcg, random: rand.New(pcg)}
}

// origin is what the queries need to know about an event.
type origin struct {
	source, project int
	time            time.Time
}

func projectName(project int) string { return fmt.Sprintf("project%02d", project) }

// append appends the line of an event with a number from 0 to count-1. Times ascend with the
// numbers, and no two events share a microsecond.
func (g *generator) append(line []byte, number int) ([]byte, origin) {
	g.pcg.Seed(g.seed, uint64(number)*0x9e3779b97f4a7c15) //nolint:gosec // The number is not negative.
	step := period.Microseconds() / int64(g.count)
	offset := time.Duration(int64(number)*step+g.random.Int64N(step)) * time.Microsecond
	origin := origin{
		source:  pickSource(g.random.IntN(100)),
		project: g.random.IntN(projectCount),
		time:    g.end.Add(offset - period),
	}
	source := &sources()[origin.source]
	message, metadata := source.event(details{
		Rand:    g.random,
		project: projectName(origin.project),
		time:    origin.time,
	})
	if g.random.IntN(10) == 0 {
		message += " " + commonWord
	}
	if g.random.IntN(10_000) == 0 {
		message += " " + rareWord
	}
	line = fmt.Appendf(line, `{"id":"%08x-%04x-4%03x-9%03x-%012x","timestamp":"`,
		g.random.Uint32(), g.random.IntN(1<<16), g.random.IntN(1<<12), g.random.IntN(1<<12), g.random.Int64N(1<<48))
	line = origin.time.AppendFormat(line, timeLayout)
	line = fmt.Appendf(line, `","source":"%s","project":"%s","event_message":%q,"metadata":%s}`+"\n",
		source.name, projectName(origin.project), message, metadata)
	return line, origin
}

// order returns the numbers of the events in the order in which they are sent.
func (g *generator) order(shuffled bool) func(position int) int {
	if !shuffled {
		return func(position int) int { return position }
	}
	permutation := rand.New(rand.NewPCG(g.seed, 1)).Perm(g.count) //nolint:gosec // It must be repeatable, not secret.
	return func(position int) int { return permutation[position] }
}
