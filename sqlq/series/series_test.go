package series_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/series"
)

// noon is when tests begin.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // A date is no constant.

// newQuery returns a saved query with buckets of ten minutes in windows of two hours.
func newQuery(change func(*sqlq.Series)) *sqlq.SavedQuery {
	declared := &sqlq.Series{
		Param:    -1,
		Windows:  map[string]sqlq.Window{"": {Length: 2 * time.Hour, Bucket: 10 * time.Minute}},
		Lateness: 5 * time.Minute,
	}
	if change != nil {
		change(declared)
	}
	return &sqlq.SavedQuery{
		Columns: []sqlq.Column{{Name: "timestamp", Type: sqlq.Timestamp}, {Name: "count", Type: sqlq.Int64}},
		Series:  declared, MaxRows: 1000,
	}
}

// table is a table of events that knows what has changed.
type table struct {
	events  []time.Time
	version uint64
	changes []sqlq.Range
}

func (t *table) add(events ...time.Time) {
	for _, event := range events {
		t.version++
		t.events = append(t.events, event)
		second := event.Truncate(time.Second)
		t.changes = append(t.changes, sqlq.Range{From: second, To: second.Add(time.Second)})
	}
}

// run returns the number of events in each bucket that has any.
func (t *table) run(statement sqlq.Statement) *sqlq.Result {
	window, _ := statement.Query.Window(nil)
	counts := make(map[time.Time]int64)
	for _, event := range t.events {
		if !event.Before(statement.Range.From) && event.Before(statement.Range.To) {
			counts[window.Start(event)]++
		}
	}
	result := &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}}
	for bucket, count := range counts {
		result.Rows = append(result.Rows, []any{bucket, count})
	}
	slices.SortFunc(result.Rows, func(a, b []any) int {
		order := a[0].(time.Time).Compare(b[0].(time.Time))
		if statement.Query.Series.Descending {
			return -order
		}
		return order
	})
	return result
}

// mutation is a mistake that a runner could make.
type mutation struct {
	fresh func(*series.Freshness)
	plan  func(*series.Plan, *sqlq.SavedQuery)
	state func(*series.State)
}

// walk lets a clock advance and events arrive at random, and returns the first difference of a
// run with reuse from a run of the whole window; empty if there is none. It also returns how
// many runs have reused rows.
func walk(seed uint64, steps int, query *sqlq.SavedQuery, mutation mutation) (difference string, reuses int) {
	random := rand.New(rand.NewPCG(seed, 1))
	data, now := &table{}, noon
	var state *series.State
	var previous *sqlq.Result
	for step := range steps {
		now = now.Add(time.Duration(random.ExpFloat64() * float64(4*time.Minute))).Truncate(time.Microsecond)
		for range random.IntN(4) {
			data.add(arrival(random, now))
		}
		statement := sqlq.NewStatement(query, nil, now)
		whole := data.run(statement)
		version := data.version
		result := whole
		if state != nil {
			fresh := series.Freshness{Changed: data.changes[state.Version:]}
			if mutation.fresh != nil {
				mutation.fresh(&fresh)
			}
			plan := state.Plan(statement, fresh)
			if plan != nil {
				reuses++
				if mutation.plan != nil {
					mutation.plan(plan, query)
				}
				result, state = merge(data, statement, plan, previous, state, version)
			} else {
				state = series.NewState(statement, whole, version)
			}
		} else {
			state = series.NewState(statement, whole, version)
		}
		if mutation.state != nil {
			mutation.state(state)
		}
		if !assert.ObjectsAreEqual(whole.Rows, result.Rows) {
			return fmt.Sprintf("step %d, %s:\n%v\n%v", step, now, whole.Rows, result.Rows), reuses
		}
		previous = result
	}
	return "", reuses
}

func merge(data *table, statement sqlq.Statement, plan *series.Plan, previous *sqlq.Result, state *series.State, version uint64) (*sqlq.Result, *series.State) {
	var results []*sqlq.Result
	for _, missing := range plan.Missing {
		part := statement
		part.Range = missing
		results = append(results, data.run(part))
	}
	return plan.Merge(statement.Query.Series, previous, results), plan.Next(state, statement, version)
}

// arrival is the time of an event that arrives now: most are a few seconds old, some have the
// time of a bucket's edge, some are old, and a few are of the future.
func arrival(random *rand.Rand, now time.Time) time.Time {
	switch random.IntN(10) {
	case 0:
		return now.Truncate(10 * time.Minute).Add(-time.Duration(random.IntN(3)) * 10 * time.Minute)
	case 1:
		return now.Add(-time.Duration(random.Int64N(int64(150 * time.Minute)))).Truncate(time.Microsecond)
	case 2:
		return now.Add(time.Duration(random.Int64N(int64(30 * time.Minute)))).Truncate(time.Microsecond)
	case 3:
		return now.Truncate(10 * time.Minute).Add(-time.Microsecond)
	}
	return now.Add(-time.Duration(random.Int64N(int64(time.Minute)))).Truncate(time.Microsecond)
}

func shapes() map[string]func(*sqlq.Series) {
	return map[string]func(*sqlq.Series){
		"by bucket":  nil,
		"exact":      func(s *sqlq.Series) { s.Exact = true },
		"endless":    func(s *sqlq.Series) { s.Exact, s.Endless = true, true },
		"descending": func(s *sqlq.Series) { s.Descending = true },
	}
}

// D31: where all changes are known, a run with reuse equals a run of the whole window.
func TestReuseEqualsWholeRun(t *testing.T) {
	t.Parallel()
	for name, shape := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const steps = 2000
			difference, reuses := walk(1, steps, newQuery(shape), mutation{})
			assert.Empty(t, difference)
			assert.Greater(t, reuses, steps/4)
		})
	}
}

// The test above would find these mistakes.
func TestReuseFindsMistakes(t *testing.T) {
	t.Parallel()
	last := func(plan *series.Plan) *series.Part { return &plan.Reused[len(plan.Reused)-1] }
	mutations := map[string]mutation{
		"changes are missed": {fresh: func(f *series.Freshness) { f.Changed = nil }},
		"the first change is missed": {fresh: func(f *series.Freshness) {
			f.Changed = f.Changed[min(1, len(f.Changed)):]
		}},
		"a range begins late": {plan: func(p *series.Plan, _ *sqlq.SavedQuery) {
			p.Missing[len(p.Missing)-1].From = p.Missing[len(p.Missing)-1].From.Add(time.Microsecond)
		}},
		"a range ends early": {plan: func(p *series.Plan, _ *sqlq.SavedQuery) {
			p.Missing[0].To = p.Missing[0].To.Add(-time.Microsecond)
		}},
		"the open bucket is reused": {state: func(s *series.State) {
			s.Parts[len(s.Parts)-1].AsOf = s.Parts[len(s.Parts)-1].To
		}, fresh: func(f *series.Freshness) { f.Changed = nil }},
		"a bucket is computed twice": {plan: func(p *series.Plan, query *sqlq.SavedQuery) {
			window, _ := query.Window(nil)
			p.Missing[len(p.Missing)-1].From = last(p).To.Add(-window.Bucket)
		}},
		"a bucket is left out": {plan: func(p *series.Plan, query *sqlq.SavedQuery) {
			window, _ := query.Window(nil)
			last(p).To = last(p).To.Add(-window.Bucket)
		}},
	}
	for name, mutation := range mutations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			difference, _ := walk(1, 2000, newQuery(nil), mutation)
			assert.NotEmpty(t, difference)
		})
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	between := func(from, to int) sqlq.Range { return sqlq.Range{From: at(from), To: at(to)} }
	lateness := 5 * time.Minute
	tests := map[string]struct {
		shape           func(*sqlq.Series)
		ran, now        int
		fresh           series.Freshness
		reused, missing []sqlq.Range
	}{
		"only the open bucket is computed":            {ran: 5, now: 7, reused: []sqlq.Range{between(-120, 0)}, missing: []sqlq.Range{between(0, 10)}},
		"buckets that have closed are computed":       {ran: 5, now: 25, reused: []sqlq.Range{between(-100, 0)}, missing: []sqlq.Range{between(0, 30)}},
		"a bucket that closes now is open until then": {ran: 10, now: 11, reused: []sqlq.Range{between(-110, 10)}, missing: []sqlq.Range{between(10, 20)}},
		"a late event": {
			ran: 5, now: 7, fresh: series.Freshness{Changed: []sqlq.Range{{From: at(-55), To: at(-55).Add(time.Second)}}},
			reused: []sqlq.Range{between(-120, -60), between(-50, 0)}, missing: []sqlq.Range{between(-60, -50), between(0, 10)},
		},
		"a late event at the end of a bucket": {
			ran: 5, now: 7, fresh: series.Freshness{Changed: []sqlq.Range{{From: at(-60).Add(-time.Second), To: at(-60)}}},
			reused: []sqlq.Range{between(-120, -70), between(-60, 0)}, missing: []sqlq.Range{between(-70, -60), between(0, 10)},
		},
		"many late events are computed in few runs": {
			ran: 5, now: 7, fresh: series.Freshness{Changed: []sqlq.Range{between(-100, -99), between(-80, -79), between(-60, -59), between(-40, -39)}},
			reused: []sqlq.Range{between(-120, -100), between(-50, -40), between(-30, 0)}, missing: []sqlq.Range{between(-100, -50), between(-40, -30), between(0, 10)},
		},
		"everything has changed":  {ran: 5, now: 7, fresh: series.Freshness{Changed: []sqlq.Range{between(-1000, 1000)}}},
		"the window has moved on": {ran: 5, now: 200},
		"time goes back":          {ran: 60, now: 5, reused: []sqlq.Range{between(-60, 10)}, missing: []sqlq.Range{between(-120, -60)}},
		"time goes back, late events": {
			ran: 60, now: 5, fresh: series.Freshness{Lateness: &lateness},
			reused: []sqlq.Range{between(-60, 0)}, missing: []sqlq.Range{between(-120, -60), between(0, 10)},
		},
		"a partial first bucket":         {shape: func(s *sqlq.Series) { s.Exact = true }, ran: 5, now: 7, reused: []sqlq.Range{between(-110, 0)}, missing: []sqlq.Range{between(-113, -110), between(0, 10)}},
		"a bucket that is not settled":   {ran: 2, now: 4, fresh: series.Freshness{Lateness: &lateness}, reused: []sqlq.Range{between(-120, -10)}, missing: []sqlq.Range{between(-10, 10)}},
		"a bucket whose age has doubled": {ran: 2, now: 14, fresh: series.Freshness{Lateness: &lateness}, reused: []sqlq.Range{between(-110, -10)}, missing: []sqlq.Range{between(-10, 20)}},
		"a bucket that was old":          {ran: 2, now: 24, fresh: series.Freshness{Lateness: &lateness}, reused: []sqlq.Range{between(-100, -20)}, missing: []sqlq.Range{between(-20, 30)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := newQuery(test.shape)
			state := series.NewState(sqlq.NewStatement(query, nil, at(test.ran)), &sqlq.Result{}, 1)
			plan := state.Plan(sqlq.NewStatement(query, nil, at(test.now)), test.fresh)
			if test.missing == nil {
				assert.Nil(t, plan)
				return
			}
			require.NotNil(t, plan)
			var reused []sqlq.Range
			for _, part := range plan.Reused {
				reused = append(reused, part.Range)
			}
			assert.Equal(t, test.reused, reused)
			assert.Equal(t, test.missing, plan.Missing)
		})
	}
}

// Rows outside of the range would be in the way of others, as in Loki #7925 and #9783.
func TestCheck(t *testing.T) {
	t.Parallel()
	query := newQuery(nil)
	statement := sqlq.NewStatement(query, nil, noon)
	row := func(minutes int) []any { return []any{noon.Add(time.Duration(minutes) * time.Minute), int64(1)} }
	tests := map[string]struct {
		rows [][]any
		want string
	}{
		"a series":                {[][]any{row(-120), row(-10), row(-10), row(0)}, ""},
		"before the range":        {[][]any{row(-130)}, "timestamp of row 1 is 2026-11-20T09:50:00Z, which is not between 2026-11-20T10:00:00Z and 2026-11-20T12:10:00Z; compare the windows of the series with the SQL"},
		"after the range":         {[][]any{row(0), row(10)}, "timestamp of row 2 is 2026-11-20T12:10:00Z, which is not between 2026-11-20T10:00:00Z and 2026-11-20T12:10:00Z; compare the windows of the series with the SQL"},
		"not the start of bucket": {[][]any{row(-5)}, "timestamp of row 1 is 2026-11-20T11:55:00Z, which is not the start of a bucket of 10m0s; compare the windows of the series with the SQL"},
		"out of order":            {[][]any{row(-10), row(-20)}, "timestamp of row 2 is 2026-11-20T11:40:00Z, which is not in ascending order"},
		"without a bucket":        {[][]any{{nil, int64(1)}}, "row 1 has no timestamp"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := series.Check(statement, test.rows)
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, test.want)
		})
	}
}

// The bucket that is computed alone has the rows of the whole run, but for the order in which
// numbers are added.
func TestCompare(t *testing.T) {
	t.Parallel()
	query := newQuery(nil)
	query.Columns[1].Type = sqlq.Float64
	statement := sqlq.NewStatement(query, nil, noon)
	statement.Range = sqlq.Range{From: noon.Add(-10 * time.Minute), To: noon}
	whole := [][]any{{noon.Add(-20 * time.Minute), 1.0}, {noon.Add(-10 * time.Minute), 0.3}, {noon, 2.0}}
	require.NoError(t, series.Compare(statement, whole, [][]any{{noon.Add(-10 * time.Minute), 0.1 + 0.2}}))
	require.EqualError(t, series.Compare(statement, whole, [][]any{{noon.Add(-10 * time.Minute), 0.4}}), "count differs")
	require.EqualError(t, series.Compare(statement, whole, nil), "0 rows instead of 1")
}

// The order of rows counts (D31). If functions approximate, nothing is compared.
func TestCompareOrder(t *testing.T) {
	t.Parallel()
	query := newQuery(nil)
	statement := sqlq.NewStatement(query, nil, noon)
	rows := [][]any{{noon, int64(1)}, {noon, int64(2)}}
	swapped := [][]any{rows[1], rows[0]}
	require.ErrorContains(t, series.Compare(statement, rows, swapped), "the rows are in another order")
	query.Series.Approximate = true
	require.NoError(t, series.Compare(statement, rows, swapped))
}
