package logstore

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/logs/parts"
)

// volume is what a part has: the bytes of each day.
type volume map[int64]int64

// merging is a store without files.
type merging struct {
	all     []parts.Part
	content map[uint64]volume
	next    uint64
	// added and written are the bytes that arrived, and that were written to parts.
	added, written int64
	most           int
}

func (m *merging) add(has volume, level int, accepted time.Time) {
	m.next++
	part := parts.Part{Number: m.next, Level: level, Accepted: accepted}
	for day, bytes := range has {
		part.Bytes += bytes
		at := time.UnixMicro(day * microsecondsPerDay).UTC()
		part.Sources = append(part.Sources, parts.Source{Oldest: at, Newest: at})
	}
	m.content[part.Number] = has
	m.all = append(m.all, part)
	m.written += part.Bytes
}

// arrive seals events, and then merges what is due.
func (m *merging) arrive(has volume, now time.Time) {
	for _, bytes := range has {
		m.added += bytes
	}
	m.add(has, 0, now)
	m.merge(now)
}

func (m *merging) merge(now time.Time) {
	limits := newConfig("", "").limits
	for {
		old, into := nextMerge(m.all, &limits, now)
		if len(old) == 0 {
			m.most = max(m.most, len(m.all))
			return
		}
		total := make(volume)
		level, accepted := 0, time.Time{}
		for _, part := range old {
			for day, bytes := range m.content[part.Number] {
				total[day] += bytes
			}
			level = max(level, part.Level+1)
			if part.Accepted.After(accepted) {
				accepted = part.Accepted
			}
		}
		m.all = slices.DeleteFunc(m.all, func(part parts.Part) bool {
			return slices.ContainsFunc(old, func(other parts.Part) bool { return other.Number == part.Number })
		})
		if len(into) == 0 {
			into = []days{everyDay()}
		}
		for _, of := range into {
			has := make(volume)
			for day, bytes := range total {
				if of.from <= day && day < of.to {
					has[day] = bytes
				}
			}
			if len(has) > 0 {
				m.add(has, level, accepted)
			}
		}
	}
}

// A store has few parts and writes each event a few times, in whatever order events arrive, and however many.
func TestMergesAreFew(t *testing.T) {
	t.Parallel()
	const sealEvery = 4 * time.Minute
	first := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		arriving func(at time.Time, random *rand.Rand) volume
		writes   float64
		most     int
	}{
		"in order": {func(at time.Time, _ *rand.Rand) volume { return volume{dayOf(at): 1000} }, 8, 36},
		"a few a day late": {func(at time.Time, _ *rand.Rand) volume {
			return volume{dayOf(at): 1000, dayOf(at) - 1: 5}
		}, 9, 50},
		"of seven days, in no order": {func(time.Time, *rand.Rand) volume {
			has := make(volume)
			for back := range int64(7) {
				has[dayOf(first)-back] = 150
			}
			return has
		}, 8, 150},
		"in bursts": {func(at time.Time, random *rand.Rand) volume {
			if at.Minute()%40 > 11 {
				return nil
			}
			return volume{dayOf(at): int64(random.IntN(1000))}
		}, 14, 36},
	} {
		for size, scale := range map[string]struct {
			bytes  int64
			atRest int
		}{
			"small":               {1, 2},    // 3 MB in 8 days
			"as large as a range": {100, 4},  // 288 MB
			"large":               {1000, 9}, // 2.9 GB
		} {
			t.Run(name+", "+size, func(t *testing.T) {
				random := rand.New(rand.NewPCG(1, 0))
				m := merging{content: make(map[uint64]volume)}
				end := first.AddDate(0, 0, 8)
				for at := first; at.Before(end); at = at.Add(sealEvery) {
					if has := test.arriving(at, random); has != nil {
						for day := range has {
							has[day] *= scale.bytes
						}
						m.arrive(has, at)
					} else {
						m.merge(at)
					}
				}
				m.merge(end.Add(closedAfter + time.Second))
				writes := float64(m.written) / float64(m.added)
				t.Logf("each byte was written %.1f times; at most %d parts, %d at rest", writes, m.most, len(m.all))
				assert.Less(t, writes, test.writes)
				assert.Less(t, m.most, test.most)
				assert.LessOrEqual(t, len(m.all), scale.atRest, "at rest, a range of days has a part, and a few that are much smaller")
				sum := int64(0)
				for i := range m.all {
					sum += m.all[i].Bytes
				}
				assert.Equal(t, m.added, sum)
			})
		}
	}
}
