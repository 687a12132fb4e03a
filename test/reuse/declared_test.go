package reuse

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

const declaredYAML = `id: 0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d12
name: declared
description: Rows by hour and name.
max_rows: 10000
cache: 60s
columns:
  - {name: hour, type: TIMESTAMP, description: Start of the bucket.}
  - {name: name, type: STRING, description: Name.}
  - {name: n, type: INT64, description: Number.}
series:
  column: hour
  windows:
    - {length: 6h, bucket: 1h}
`

// declaredCTE counts events by hour and name.
const declaredCTE = `WITH e AS (
  SELECT date_trunc('hour', timestamp) AS hour, event_message AS name, count(*) AS n
  FROM edge_logs WHERE timestamp >= $from::TIMESTAMP AND timestamp < $to::TIMESTAMP
  GROUP BY ALL
), a AS (
  SELECT date_trunc('hour', timestamp) AS hour, event_message AS name, count(*) AS n
  FROM auth_logs WHERE timestamp >= $from::TIMESTAMP AND timestamp < $to::TIMESTAMP
  GROUP BY ALL
)
`

const declaredEvents = `(FROM edge_logs WHERE timestamp >= $from::TIMESTAMP AND timestamp < $to::TIMESTAMP)`

// D31: rows of a series whose SQL shows that it is declared wrongly are never reused.
func TestWronglyDeclaredSeries(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"buckets shifted by EXCEPT": declaredCTE + `SELECT hour, name, 1 AS n FROM e
			EXCEPT SELECT hour + INTERVAL 1 HOUR, name, 1 FROM e ORDER BY 1, 2`,
		"buckets shifted by UNION ALL": declaredCTE + `SELECT hour, name, sum(n)::BIGINT AS n
			FROM range($from::TIMESTAMP, $to::TIMESTAMP, INTERVAL 1 HOUR) s(hour)
			JOIN (FROM e UNION ALL SELECT hour + INTERVAL 1 HOUR, name, n FROM e WHERE name = 'rare') USING (hour)
			GROUP BY ALL ORDER BY ALL`,
		"buckets shifted by a join with a list": declaredCTE + `SELECT s.hour, name, n
			FROM range($from::TIMESTAMP, $to::TIMESTAMP, INTERVAL 1 HOUR) s(hour)
			JOIN e ON e.hour = s.hour OR name = 'rare' AND e.hour = s.hour - INTERVAL 1 HOUR ORDER BY ALL`,
		"first seen": `SELECT date_trunc('hour', first) AS hour, name, count(*) AS n
			FROM (SELECT event_message AS name, min(timestamp) AS first FROM ` + declaredEvents + ` GROUP BY ALL) GROUP BY ALL ORDER BY ALL`,
		"dedupe by user": `SELECT date_trunc('hour', timestamp) AS hour, name, count(*) AS n
			FROM (SELECT DISTINCT ON (event_message) timestamp, event_message AS name FROM ` + declaredEvents + ` ORDER BY timestamp) GROUP BY ALL ORDER BY ALL`,
		"dedupe by arg_max": `SELECT date_trunc('hour', chosen) AS hour, name, 1 AS n
			FROM (SELECT event_message AS name, arg_max(timestamp, id) AS chosen FROM ` + declaredEvents + ` GROUP BY name) ORDER BY ALL`,
		"rolling distinct": declaredCTE + `SELECT s.hour, '' AS name, count(DISTINCT name) AS n
			FROM range($from::TIMESTAMP, $to::TIMESTAMP, INTERVAL 1 HOUR) s(hour)
			LEFT JOIN e ON e.hour = s.hour OR name < 'x' AND e.hour < s.hour AND e.hour > s.hour - INTERVAL 3 HOUR AND length(name) = 1 GROUP BY ALL ORDER BY ALL`,
		"order by the total of the window": declaredCTE + `SELECT r.hour, name, r.n
			FROM (SELECT name, sum(n) AS total, unnest(list({hour: hour, n: n})) AS r FROM e GROUP BY name)
			ORDER BY r.hour, total DESC, name`,
		"last seen": `SELECT date_trunc('hour', timestamp) AS hour, name, count(*) AS n
			FROM (SELECT event_message AS name, max(timestamp) AS timestamp FROM ` + declaredEvents + ` GROUP BY ALL) GROUP BY ALL ORDER BY ALL`,
		"the maximum of the window": declaredCTE + `SELECT r.hour, r.name, most AS n
			FROM (SELECT max(n) AS most, unnest(list({hour: hour, name: name})) AS r FROM e) ORDER BY ALL`,
		"local day": `SELECT s.hour, name, count(*) AS n FROM range($from::TIMESTAMP, $to::TIMESTAMP, INTERVAL 1 HOUR) s(hour)
			JOIN (SELECT date_trunc('hour', timestamp - INTERVAL 30 MINUTE) AS hour, event_message AS name FROM ` + declaredEvents + `) USING (hour) GROUP BY ALL ORDER BY ALL`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong, reuses := runDeclared(t, sql, quietSteps+8)
			assert.Empty(t, wrong)
			assert.Empty(t, reuses)
		})
	}
}

// Rows of rightly declared series are reused, whatever names and clauses the SQL has.
func TestRightlyDeclaredSeries(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"ranks in a bucket":  declaredCTE + `SELECT hour, name, row_number() OVER (PARTITION BY hour ORDER BY n DESC, name) AS n FROM e ORDER BY ALL`,
		"shares of a bucket": declaredCTE + `SELECT hour, name, (100 * n / sum(n) OVER (PARTITION BY name, e.hour))::BIGINT AS n FROM e ORDER BY ALL`,
		"names like clauses": declaredCTE + `SELECT hour, "fetch" AS name, "cube" AS n FROM (SELECT hour, name AS fetch, n AS cube FROM e) ORDER BY ALL`,
		"LIMIT of a list":    declaredCTE + `SELECT hour, name, n FROM e WHERE name IN (SELECT x FROM (VALUES ('a'), ('b'), ('c')) AS v(x) ORDER BY 1 LIMIT 2) ORDER BY ALL`,
		"USING another name": `SELECT t AS hour, name, n + m AS n FROM (
			SELECT CAST(date_trunc('hour', timestamp) AS TIMESTAMP) AS t, event_message AS name, count(*) AS n FROM ` + declaredEvents + ` GROUP BY ALL) e JOIN (
			SELECT CAST(date_trunc('hour', timestamp) AS TIMESTAMP) AS t, count(*) AS m FROM ` + strings.Replace(declaredEvents, "edge", "auth", 1) + ` GROUP BY ALL) a USING (t) ORDER BY ALL`,
		"a comma join": declaredCTE + `SELECT e.hour, e.name, e.n + a.n AS n FROM e, a WHERE e.hour = a.hour AND e.name = a.name ORDER BY ALL`,
		"a table named by a continued string": `SELECT date_trunc('hour', timestamp) AS hour, event_message AS name, count(*) AS n FROM ` + declaredEvents + ` GROUP BY ALL
			UNION ALL SELECT date_trunc('hour', timestamp) AS hour, event_message AS name, -count(*) AS n FROM 'auth_'
			'logs' WHERE timestamp >= $from::TIMESTAMP AND timestamp < $to::TIMESTAMP GROUP BY ALL ORDER BY ALL`,
		"a table in capitals": strings.ReplaceAll(declaredCTE, "edge_logs", "Edge_LOGS") + `SELECT hour, name, n FROM E ORDER BY ALL`,
		"shifted nowhere":     declaredCTE + `SELECT hour, name, n FROM e UNION ALL SELECT hour, name, -n FROM a ORDER BY ALL`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong, reuses := runDeclared(t, sql, quietSteps+14)
			assert.Empty(t, wrong)
			assert.Less(t, slices.Min(reuses), quietSteps+8, "those that are declared wrongly would be reused by then")
		})
	}
}

// runDeclared makes a number of requests. It returns the differences between responses and runs of the whole window
// while events arrive, and in which
// steps responses reused rows.
func runDeclared(t *testing.T, sql string, steps int) (wrong []string, reuses []int) {
	t.Helper()
	w := newWorld(t, 1, catalog.Options{Omitted: catalog.ShippedNames()}, catalog.Directory{Path: "declared", FS: fstest.MapFS{
		"declared/query.yaml": {Data: []byte(declaredYAML)}, "declared/duckdb.sql": {Data: []byte(sql)},
	}})
	w.random = rand.New(rand.NewPCG(7, 7))
	for i := range steps {
		before := w.reuses
		step := 5 * time.Minute
		if i < quietSteps/2 {
			step = time.Hour
		}
		w.now = w.now.Add(time.Duration(w.random.Int64N(int64(step)))).Truncate(time.Microsecond)
		if i < quietSteps/2 {
			w.now = w.now.Truncate(time.Hour).Add(time.Hour + 50*time.Minute)
		}
		w.clock.Store(w.now.UnixMicro())
		w.addDeclared(t, i)
		if found := w.compare(t, runner.Request{Query: &sqlq.SavedQuery{Name: "declared"}}); found != "" {
			wrong = append(wrong, found)
		}
		if w.reuses > before {
			reuses = append(reuses, i)
		}
	}
	return wrong, reuses
}

// quietSteps is for how many steps each hour has one event, so that wrong declarations are right by accident.
const quietSteps = 16

// addDeclared adds events of few names, now and then one of an earlier hour.
func (w *world) addDeclared(t *testing.T, step int) {
	t.Helper()
	if step < quietSteps {
		if step < quietSteps/2 {
			w.addNamed(t, "edge_logs", w.now.Format("15:00"), w.now.Add(-5*time.Minute))
			w.addNamed(t, "auth_logs", w.now.Format("15:00"), w.now.Add(-5*time.Minute))
		}
		return
	}
	for range 1 + w.random.IntN(4) {
		ago := 10 * time.Minute
		if w.random.IntN(4) == 0 {
			ago = 6 * time.Hour
		}
		name := []string{"a", "b", "rare", w.now.Add(-time.Duration(w.random.IntN(6)) * time.Hour).Format("15:00")}[w.random.IntN(4)]
		w.addNamed(t, []string{"edge_logs", "auth_logs"}[w.random.IntN(2)], name, w.now.Add(-time.Duration(w.random.Int64N(int64(ago)))))
	}
}

// addNamed adds an event in a commit of its own.
func (w *world) addNamed(t *testing.T, table, name string, at time.Time) {
	t.Helper()
	source, _ := w.store.Tables().FindSource(table)
	transaction, err := w.store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	w.events++
	require.NoError(t, transaction.Add(t.Context(), source, logevent.Event{ID: strconv.Itoa(w.events), Timestamp: at, EventMessage: &name}))
	require.NoError(t, transaction.Commit(t.Context()))
}
