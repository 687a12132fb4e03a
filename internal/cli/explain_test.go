package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	shipped, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(t, err)
	now := time.Date(2026, 11, 20, 12, 30, 15, 0, time.UTC)
	uncached := func(query *sqlq.SavedQuery) { query.Cache, query.Warm = 0, 0 }
	tests := map[string]struct {
		name, interval string
		change         func(*sqlq.SavedQuery)
		unknown        bool
		want           string
	}{
		"a week": {name: "functions.invocation-stats", interval: "7day", want: `window    2026-11-13 00:00:00 to 2026-11-21 00:00:00, in buckets of 1d
A refresh after 5m, at 2026-11-20 12:35:15:
computes  2026-11-20 00:00:00 to 2026-11-21 00:00:00
reuses    2026-11-13 00:00:00 to 2026-11-20 00:00:00
A bucket with a late event is computed again.
`},
		"a partial first bucket and no end": {name: "usage.api-counts", interval: "daily", want: `window    2026-11-13 12:30:15 to the end, in buckets of 1d
A refresh after 5m, at 2026-11-20 12:35:15:
computes  2026-11-13 12:35:15 to 2026-11-14 00:00:00
computes  2026-11-20 00:00:00 to the end
reuses    2026-11-14 00:00:00 to 2026-11-20 00:00:00
A bucket with a late event is computed again.
`},
		"an engine without changes": {name: "functions.invocation-stats", interval: "1hr", unknown: true, want: `window    2026-11-20 11:30:00 to 2026-11-20 12:31:00, in buckets of 1m
A refresh after 5m, at 2026-11-20 12:35:15:
computes  2026-11-20 12:25:00 to 2026-11-20 12:36:00
reuses    2026-11-20 11:35:00 to 2026-11-20 12:25:00
Events that are more than 5m late are seen when their bucket is computed again: each time that its age has doubled,
and in a run of the whole window once in 15m.
`},
		"a short window": {name: "functions.invocation-stats", interval: "5min", want: `window    2026-11-20 12:25:15 to 2026-11-20 12:30:16, in buckets of 1s
A refresh after 5m computes all of it, because little of it is closed by then.
`},
		"no series":  {name: "functions.list", want: "functions.list declares no series, so every run computes all of its rows.\n"},
		"not cached": {name: "usage.api-counts", interval: "daily", change: uncached, want: "usage.api-counts is not cached, so every run computes all of its rows; set cache.\n"},
		"not refreshed, without known changes": {
			name: "usage.api-counts", interval: "daily", unknown: true, change: func(query *sqlq.SavedQuery) { query.Warm = 0 },
			want: "Every run of usage.api-counts computes all of its rows, because there is a run of the whole window in each 15m (cache); set warm to at most half of it.\n",
		},
		"seldom refreshed, without known changes": {
			name: "usage.api-counts", interval: "daily", unknown: true, change: func(query *sqlq.SavedQuery) { query.Warm = 8 * time.Minute },
			want: "Every run of usage.api-counts computes all of its rows, because there is a run of the whole window in each 15m (cache); set warm to at most half of it.\n",
		},
		"with obstacles": {name: "usage.api-counts", interval: "daily", change: func(query *sqlq.SavedQuery) {
			series := *query.Series
			series.Obstacles = sqlq.FileErrors{{File: "duckdb.sql", Line: 3, Column: 1, Message: "an obstacle"}}
			query.Series = &series
		}, want: "Every run of usage.api-counts computes all of its rows, although it declares a series:\nduckdb.sql:3:1: an obstacle\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, _ := shipped.Find(test.name)
			query := *found
			if test.change != nil {
				test.change(&query)
			}
			args, err := query.Bind(map[string][]string{"project": {"acme"}, "interval": {test.interval}})
			require.NoError(t, err)
			assert.Equal(t, test.want, explain(&query, args, now, !test.unknown))
		})
	}
}

func TestLengthText(t *testing.T) {
	t.Parallel()
	for text, length := range map[string]time.Duration{
		"10s": 10 * time.Second, "5m": 5 * time.Minute, "1h": time.Hour, "1h30m": 90 * time.Minute, "1m30s": 90 * time.Second, "7d": 7 * 24 * time.Hour,
		"10m": 10 * time.Minute, "20h": 20 * time.Hour,
	} {
		assert.Equal(t, text, lengthText(length))
	}
}
