package querytest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// A case computes buckets of a series alone. It shows that a share of the whole window is no
// series, which the SQL alone does not.
func TestCasesOfSeries(t *testing.T) {
	t.Parallel()
	const (
		bounded = ` FROM edge_logs WHERE timestamp >= $from::TIMESTAMP AND timestamp < $to::TIMESTAMP`
		series  = `SELECT date_trunc('hour', timestamp) AS at, count(*)::BIGINT AS n` + bounded + ` AND $now IS NOT NULL GROUP BY 1 ORDER BY 1`
		share   = `SELECT date_trunc('hour', timestamp) AS at, (10 * count(*) / (SELECT count(*)` + bounded + `))::BIGINT AS n` + bounded + ` GROUP BY 1 ORDER BY 1`
		shifted = `SELECT date_trunc('hour', timestamp) - INTERVAL 1 HOUR AS at, count(*)::BIGINT AS n` + bounded + ` GROUP BY 1 ORDER BY 1`
	)
	tests := map[string]struct{ sql, rows, want string }{
		"a series":            {series, `{at: 2026-11-20T10:00:00Z, n: 1}, {at: 2026-11-20T11:00:00Z, n: 1}`, ""},
		"a share of all rows": {share, `{at: 2026-11-20T10:00:00Z, n: 5}, {at: 2026-11-20T11:00:00Z, n: 5}`, "computed alone, the bucket 2026-11-20T10:00:00Z has other rows, so that the saved query is not the series that query.yaml declares: n differs"},
		"other buckets":       {shifted, `{at: 2026-11-20T09:00:00Z, n: 1}, {at: 2026-11-20T10:00:00Z, n: 1}`, "the rows do not form the series that query.yaml declares: at of row 1 is 2026-11-20T09:00:00Z, which is not between 2026-11-20T10:00:00Z and 2026-11-20T13:00:00Z; compare the windows of the series with the SQL"},
	}
	memory := openMemory(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			query := &sqlq.SavedQuery{
				Name: "series", MaxRows: 10, SQLFile: "series/duckdb.sql", SQL: test.sql,
				Columns: []sqlq.Column{{Name: "at", Type: sqlq.Timestamp}, {Name: "n", Type: sqlq.Int64}},
				Series:  &sqlq.Series{Param: -1, Windows: map[string]sqlq.Window{"": {Length: 2 * time.Hour, Bucket: time.Hour}}},
			}
			_, outcomes := runCasesIn(t, memory, query, `cases:
  - name: one
    now: 2026-11-20T12:30:00Z
    tables: {edge_logs: [{id: a, timestamp: 2026-11-20T10:10:00Z}, {id: b, timestamp: 2026-11-20T11:10:00Z}]}
    expect: {rows: [`+test.rows+`]}
`)
			if test.want == "" {
				assert.Empty(t, outcomes[0].Differences)
				return
			}
			assert.Equal(t, []string{test.want}, outcomes[0].Differences)
		})
	}
}
