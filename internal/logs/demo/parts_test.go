package demo

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// appendLine returns the output of a template for a table with a single row.
func appendLine(t *testing.T, text string) string {
	t.Helper()
	generator := &Generator{seed: 1}
	require.NoError(t, generator.load([]byte(`
tables:
  project: [{name: default, share: 1}]
  line: [{name: "say \"hi\"\n", empty: "", nested: "<${line.name}>", success: 204, server_errors: 0}]
streams:
  logs: {draw: [line], values: {client: 192.0.2.7}, message: '`+text+`'}`)))
	event := newScene().event(generator.streams["logs"], moment{
		time: time.Date(2026, time.November, 20, 10, 0, 0, 123_456_000, time.UTC), project: &generator.projects[0],
	})
	return *event.EventMessage
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, template, want string }{
		{"a literal", "$5 < {}", "$5 < {}"},
		{"a column", "a ${line.name}", "a say \"hi\"\n"},
		{"a column that is a template", "${line.nested}", "<say \"hi\"\n>"},
		{"a value", "${client}/${client}", "192.0.2.7/192.0.2.7"},
		{"an optional part", "a<< ${line.nested}>> b", "a <say \"hi\"\n> b"},
		{"an optional part without a value", "a<< ${line.nested} ${line.empty}>> b", "a b"},
		{"lines", "a,\n\n    b", "a,b"},
		{"a number of one", "${between 3 3}", "3"},
		{"a time", "${time 2006-01-02 15:04:05.000 UTC}", "2026-11-20 10:00:00.123 UTC"},
		{"microseconds", "${microseconds}", "1795168800123456"},
		{"the outcome", "${status} ${level} ${ok well done}", "204 info well done"},
		{"a duration that is rounded up", "${milliseconds}", "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, appendLine(t, test.template))
		})
	}
}

func TestScriptsWithMistakes(t *testing.T) {
	t.Parallel()
	const tables = "tables: {line: [{name: a}]}\n"
	tests := []struct{ name, script, want string }{
		{"a key", "tabels: {}", "tabels"},
		{"an expression", "tables: {line: [{name: '${hexx 8}'}]}", "table line: column name: unknown template ${hexx 8}"},
		{"a column", tables + "streams: {logs: {message: '${line.nam}'}}", `logs: message: no row of the table "line" has the column "nam"`},
		{"a table", tables + "streams: {logs: {metadata: '<<${lines.name}>>'}}", `logs: metadata: no row of the table "lines"`},
		{"a drawn table", tables + "streams: {logs: {draw: [lines]}}", `logs: draws from the unknown table "lines"`},
		{"a value", tables + "streams: {logs: {values: {a: '${b}'}}}", "logs: a: unknown template ${b}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			generator := &Generator{}
			require.ErrorContains(t, generator.load([]byte(test.script)), test.want)
		})
	}
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
		incident := newIncident(key)
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
	for _, project := range New(1).projects {
		sum += project.Share
	}
	assert.InDelta(t, 1, sum, 1e-9)
}

func TestDiceDistributions(t *testing.T) {
	t.Parallel()
	dice := newDice()
	dice.seed(1, time.Date(2026, time.November, 20, 10, 0, 0, 0, time.UTC))
	const throws = 20_000
	var words table
	words.add(&row{Name: "rare", Weight: 1})
	words.add(&row{Name: "common", Weight: 3})
	lowest, highest, rare, hits, sum, logs := 5, 5, 0, 0, 0, 0.0
	for range throws {
		number := dice.between(3, 7)
		lowest, highest = min(lowest, number), max(highest, number)
		if pick(dice, words.healthy).Name == "rare" {
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
	assert.Regexp(t, "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", dice.uuid().String())
}

// The sequences of neighbouring seeds must not be alike.
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
