package logstore

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/logs/parts"
)

// days are the events of a part: the bytes of each day.
type days map[string]int64

// merging is a store without files.
type merging struct {
	all     []parts.Part
	content map[uint64]days
	next    uint64
	// added and written are the bytes that arrived, and that were written to parts.
	added, written int64
	most           int
}

func (m *merging) add(content days, level int, accepted time.Time) {
	m.next++
	part := parts.Part{Number: m.next, Level: level, Accepted: accepted}
	for day, bytes := range content {
		part.Bytes += bytes
		part.Day = day
		at, _ := time.Parse(time.DateOnly, day)
		part.Sources = append(part.Sources, parts.Source{Oldest: at, Newest: at})
	}
	if len(content) > 1 {
		part.Day = ""
	}
	m.content[part.Number] = content
	m.all = append(m.all, part)
	m.written += part.Bytes
}

// arrive seals events, and then merges what is due.
func (m *merging) arrive(content days, now time.Time) {
	for _, bytes := range content {
		m.added += bytes
	}
	m.add(content, 0, now)
	m.merge(now)
}

func (m *merging) merge(now time.Time) {
	for {
		old, bucket := nextMerge(m.all, 8, now)
		if len(old) == 0 {
			m.most = max(m.most, len(m.all))
			return
		}
		total := make(days)
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
		if bucket == "" {
			for day, bytes := range total {
				m.add(days{day: bytes}, level, accepted)
			}
			continue
		}
		m.add(total, level, accepted)
		m.all[len(m.all)-1].Day = bucket
	}
}

// A store has few parts and writes each event a few times, in whatever order events arrive.
func TestMergesAreFew(t *testing.T) {
	t.Parallel()
	const sealEvery = 4 * time.Minute
	first := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	day := func(at time.Time) string { return at.Format(time.DateOnly) }
	random := rand.New(rand.NewPCG(1, 0))
	for name, test := range map[string]struct {
		arriving func(at time.Time) days
		writes   float64
		most     int
	}{
		"in order": {func(at time.Time) days { return days{day(at): 1000} }, 6, 30},
		"a few a day late": {func(at time.Time) days {
			return days{day(at): 1000, day(at.AddDate(0, 0, -1)): 5}
		}, 6, 50},
		"of seven days, in no order": {func(time.Time) days {
			content := make(days)
			for back := range 7 {
				content[day(first.AddDate(0, 0, -back))] = 150
			}
			return content
		}, 7, 150},
		"in bursts": {func(at time.Time) days {
			if at.Minute()%40 > 11 {
				return nil
			}
			return days{day(at): int64(random.IntN(1000))}
		}, 12, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := merging{content: make(map[uint64]days)}
			end := first.AddDate(0, 0, 8)
			for at := first; at.Before(end); at = at.Add(sealEvery) {
				if content := test.arriving(at); content != nil {
					m.arrive(content, at)
				} else {
					m.merge(at)
				}
			}
			m.merge(end.Add(closedAfter + time.Second))
			writes := float64(m.written) / float64(m.added)
			t.Logf("each byte was written %.1f times; at most %d parts, %d at rest", writes, m.most, len(m.all))
			assert.Less(t, writes, test.writes)
			assert.Less(t, m.most, test.most)
			assert.LessOrEqual(t, len(m.all), 9, "at rest, a day has a part")
			sum := int64(0)
			for i := range m.all {
				sum += m.all[i].Bytes
			}
			assert.Equal(t, m.added, sum)
		})
	}
}
