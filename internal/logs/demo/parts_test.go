package demo

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestQuotedTextReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		var got string
		require.NoError(t, json.Unmarshal(appendQuoted(nil, want), &got))
		require.Equal(t, want, got)
	})
}

func TestMetadataWriter(t *testing.T) {
	t.Parallel()
	var writer metadataWriter
	writer.begin()
	writer.text("host", "say \"hi\"\n")
	writer.open("request")
	writer.open("headers")
	writer.close()
	writer.number("count", -3)
	writer.texts("names", "a", "b")
	writer.close()
	writer.flag("last", true)
	first := writer.finish()

	writer.begin()
	writer.text("host", "x")
	second := writer.finish()

	assert.Equal(t, `[{"host":"say \"hi\"\n","request":[{"headers":[{}],"count":-3,"names":["a","b"]}],"last":true}]`, string(first))
	assert.JSONEq(t, `[{"host":"x"}]`, string(second))
}

func TestRhythmAveragesOneOverAWeek(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, time.November, 16, 0, 0, 0, 0, time.UTC)
	for _, peakHour := range []float64{0, 9.5, 15, 17} {
		sum, minutes := 0.0, int(history/time.Minute)
		for i := range minutes {
			sum += rhythm(monday.Add(time.Duration(i)*time.Minute), peakHour)
		}
		assert.InDelta(t, 1, sum/float64(minutes), 1e-9, "peak at %g", peakHour)
	}
	peak, trough := monday.Add(15*time.Hour), monday.Add(3*time.Hour)
	assert.InDelta(t, night*workday, rhythm(trough, 15), 1e-9)
	assert.Greater(t, rhythm(peak, 15), rhythm(peak.Add(time.Minute), 15))
	assert.Greater(t, rhythm(peak, 15), rhythm(peak.Add(-time.Minute), 15))
	assert.InDelta(t, rhythm(peak, 15)*weekend/workday, rhythm(peak.AddDate(0, 0, 5), 15), 1e-9)
}

func TestIncidentIsAnOfficeHourOfEveryWeek(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.November, 19, 13, 30, 0, 0, time.UTC)
	hours := make(map[incident]bool)
	for key := range uint64(200) {
		incident := newIncident(mix(key, 5))
		hours[incident] = true
		minutes := 0
		for at := start; at.Before(start.Add(history)); at = at.Add(time.Minute) {
			if incident.covers(at) {
				minutes++
				require.NotContains(t, []time.Weekday{time.Saturday, time.Sunday}, at.Weekday())
				require.GreaterOrEqual(t, at.Hour(), 9)
				require.LessOrEqual(t, at.Hour(), 16)
			}
		}
		require.Equal(t, 60, minutes)
	}
	assert.Greater(t, len(hours), 30, "seeds choose different hours")
}

func TestSharesOfTheProjectsAddUp(t *testing.T) {
	t.Parallel()
	sum := 0.0
	for _, project := range projects(1) {
		sum += project.share
	}
	assert.InDelta(t, 1, sum, 1e-9)
}

func TestDiceThrowWhatTheirNamesSay(t *testing.T) {
	t.Parallel()
	dice := newDice()
	dice.seed(1, time.Date(2026, time.November, 20, 10, 0, 0, 0, time.UTC))
	const throws = 20_000
	var words weighted[string]
	words.add(1, "rare")
	words.add(3, "common")
	lowest, highest, rare, hits, sum, logs := 5, 5, 0, 0, 0, 0.0
	for range throws {
		number := dice.between(3, 7)
		lowest, highest = min(lowest, number), max(highest, number)
		if words.draw(dice) == "rare" {
			rare++
		}
		if dice.chance(0.1) {
			hits++
		}
		sum += dice.poisson(4)
		logs += math.Log(dice.logNormal(50, 0.4) / 50)
		require.Zero(t, dice.poisson(-1))
	}
	assert.Equal(t, 3, lowest)
	assert.Equal(t, 7, highest)
	assert.InDelta(t, 0.25, float64(rare)/throws, 0.02)
	assert.InDelta(t, 0.1, float64(hits)/throws, 0.01)
	assert.InDelta(t, 4, float64(sum)/throws, 0.1)
	assert.InDelta(t, 0, logs/throws, 0.02, "half of the values lie below the median")
	assert.Regexp(t, "^[0-9a-f]{4}$", dice.hex(4))
	assert.Regexp(t, "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", dice.uuid())
}

// Each source of randomness of a minute is seeded apart: neighbours must not
// look alike.
func TestNeighbouringSeedsHaveNothingInCommon(t *testing.T) {
	t.Parallel()
	dice, first := newDice(), make(map[uint64]bool)
	minute := time.Date(2026, time.November, 20, 10, 0, 0, 0, time.UTC)
	low := 0
	const keys, minutes = 20, 500
	for key := range uint64(keys) {
		for i := range minutes {
			dice.seed(key, minute.Add(time.Duration(i)*time.Minute))
			throw := dice.Uint64()
			first[throw] = true
			if throw < math.MaxUint64/2 {
				low++
			}
		}
	}
	assert.Len(t, first, keys*minutes)
	assert.InDelta(t, 0.5, float64(low)/(keys*minutes), 0.03)
}
