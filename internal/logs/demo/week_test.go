package demo

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/sqlq/tables"
)

const week = 7 * 24 * time.Hour

func projectNames() []string { return []string{"default", "acme", "globex"} }

// Every week has about the same number of events: enough for lively charts, but not too many for the first start. This one
// passes a new year and the epoch.
func TestAWeekFollowsTheScript(t *testing.T) {
	t.Parallel()
	from := time.Date(1969, time.December, 29, 3, 30, 0, 1000, time.UTC)
	var all []invocation
	count := 0
	for _, source := range tables.Shipped() {
		ofSource, ids := 0, make(map[string]bool)
		previous := from
		for event := range seeded(3).Events(source, from, from.Add(week)) {
			ofSource++
			if event.Timestamp.Before(previous) || !event.Timestamp.Before(from.Add(week)) {
				require.Failf(t, "out of order or of range", "%s after %s", event.Timestamp, previous)
			}
			if event.Timestamp.Nanosecond()%1000 != 0 || event.Timestamp.Location() != time.UTC {
				require.Failf(t, "not cut to microseconds of UTC", "%s", event.Timestamp)
			}
			if ids[event.ID] {
				require.Failf(t, "an id twice", "%s", event.ID)
			}
			ids[event.ID] = true
			previous = event.Timestamp
			if source.Name == "function_edge_logs" {
				all = append(all, invocationOf(t, &event))
			}
		}
		assert.Greater(t, ofSource, 1500, source.Name)
		count += ofSource
	}
	assert.GreaterOrEqual(t, count, 350_000)
	assert.LessOrEqual(t, count, 450_000)
	checkInvocations(t, from.Truncate(time.Minute), all)
}

func TestIDsAreUUIDs(t *testing.T) {
	t.Parallel()
	for _, source := range tables.Shipped() {
		for event := range seeded(1).Events(source, friday(), friday().Add(time.Hour)) {
			id, err := uuid.Parse(event.ID)
			require.NoError(t, err)
			require.Equal(t, event.ID, id.String())
			require.Equal(t, uuid.Version(7), id.Version())
			require.Equal(t, uuid.RFC4122, id.Variant())
		}
	}
}

// invocation is what functions.invocation-stats reads of a function's record.
type invocation struct {
	project, function    string
	at                   time.Time
	status, milliseconds int
}

// invocationOf searches the JSON as text, which is many times as fast as decoding a week of it.
func invocationOf(tb testing.TB, event *logevent.Event) invocation {
	tb.Helper()
	metadata := string(event.Metadata)
	return invocation{
		project: between(tb, metadata, `"project_ref":"`, `"`), function: between(tb, metadata, `"function_id":"`, `"`), at: event.Timestamp,
		status:       number(tb, between(tb, metadata, `"status_code":`, "}")),
		milliseconds: number(tb, between(tb, metadata, `"execution_time_ms":`, ",")),
	}
}

// between returns the text between two others.
func between(tb testing.TB, text, before, after string) string {
	tb.Helper()
	_, rest, foundBefore := strings.Cut(text, before)
	value, _, foundAfter := strings.Cut(rest, after)
	if !foundBefore || !foundAfter {
		require.Failf(tb, "a field is missing", "%s in %s", before, text)
	}
	return value
}

func number(tb testing.TB, text string) int {
	tb.Helper()
	value, err := strconv.Atoi(text)
	if err != nil || value <= 0 {
		require.Failf(tb, "not a positive number", "%q", text)
	}
	return value
}

func checkInvocations(t *testing.T, from time.Time, all []invocation) {
	t.Helper()
	ofProject, functions := make(map[string]int), make(map[string]map[string]int)
	ofMinute := make(map[string]map[time.Time]int)
	type hour struct {
		project string
		start   time.Time
	}
	ofHour, errorsOfHour, timeOfHour := make(map[hour]int), make(map[hour]int), make(map[hour]int)
	afternoon, night, weekend, workday := 0, 0, 0, 0
	clientErrors, serverErrors := 0, 0
	for _, invocation := range all {
		project := invocation.project
		if functions[project] == nil {
			functions[project], ofMinute[project] = make(map[string]int), make(map[time.Time]int)
		}
		ofProject[project]++
		functions[project][invocation.function]++
		ofMinute[project][invocation.at.Truncate(time.Minute)]++
		start := hour{project, invocation.at.Truncate(time.Hour)}
		ofHour[start]++
		timeOfHour[start] += invocation.milliseconds
		switch invocation.at.Hour() {
		case 15, 16:
			afternoon++
		case 3, 4:
			night++
		}
		if day := invocation.at.Weekday(); day == time.Saturday || day == time.Sunday {
			weekend++
		} else {
			workday++
		}
		if invocation.status >= http.StatusBadRequest && invocation.status < http.StatusInternalServerError {
			clientErrors++
		}
		if invocation.status >= http.StatusInternalServerError {
			serverErrors++
			errorsOfHour[start]++
		}
	}

	require.Len(t, ofProject, len(projectNames()))
	assert.Greater(t, ofProject["default"], ofProject["acme"]*5/4)
	assert.Greater(t, ofProject["acme"], ofProject["globex"]*5/4)
	for _, project := range projectNames() {
		assert.GreaterOrEqual(t, len(functions[project]), 3, project)
		for id, count := range functions[project] {
			require.NoError(t, uuid.Validate(id), project)
			assert.Greater(t, count, 1000, id)
		}
	}

	assert.Greater(t, afternoon, 3*night, "afternoons are busy, nights are quiet")
	assert.Greater(t, float64(workday)/5, 1.3*float64(weekend)/2, "weekends dip")

	rate := func(count int) float64 { return float64(count) / float64(len(all)) }
	assert.Greater(t, rate(clientErrors), 0.01)
	assert.Less(t, rate(clientErrors), 0.05)
	assert.Greater(t, rate(serverErrors), 0.003)
	assert.Less(t, rate(serverErrors), 0.03)

	for _, project := range projectNames() {
		// Every minute has invocations, even at night.
		for minute := from; minute.Before(from.Add(week)); minute = minute.Add(time.Minute) {
			if ofMinute[project][minute] < 2 {
				require.Failf(t, "a minute without invocations", "%s %s", project, minute)
			}
		}
		// The week has one hour of trouble, with many errors and slow responses.
		troubled, average := 0, 0.0
		for start, count := range ofHour {
			if start.project == project {
				average += float64(timeOfHour[start]) / float64(count) / (week.Hours() + 1)
			}
		}
		for start, count := range errorsOfHour {
			if start.project != project || float64(count) < 0.2*float64(ofHour[start]) {
				continue
			}
			troubled++
			assert.Greater(t, float64(timeOfHour[start])/float64(ofHour[start]), 2*average, project)
		}
		assert.Equal(t, 1, troubled, project)
	}
}

// Execution times have a tail: the slowest of a hundred calls takes far longer
// than the one in the middle, and cold starts stand out.
func TestFunctionsHaveProfilesOfTheirOwn(t *testing.T) {
	t.Parallel()
	night := time.Date(2026, time.November, 18, 18, 0, 0, 0, time.UTC)
	times := make(map[string][]int)
	for event := range seeded(1).Events(sourceOf(t, "function_edge_logs"), night, night.Add(12*time.Hour)) {
		invocation := invocationOf(t, &event)
		times[invocation.function] = append(times[invocation.function], invocation.milliseconds)
	}
	medians := make(map[int]bool)
	for id, milliseconds := range times {
		slices.Sort(milliseconds)
		median, slow := milliseconds[len(milliseconds)/2], milliseconds[len(milliseconds)*99/100]
		assert.Greater(t, slow, 2*median, id)
		medians[median] = true
	}
	assert.GreaterOrEqual(t, len(medians), len(times)-1, "latencies differ from function to function")
}
