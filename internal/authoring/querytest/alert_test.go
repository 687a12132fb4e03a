package querytest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/authoring/querytest"
	"savedq/sqlq"
)

func TestCasesOfAlerts(t *testing.T) {
	t.Parallel()
	columns := []sqlq.Column{{Name: "n", Type: sqlq.Int64}}
	when, err := sqlq.ParseComparison("n > 1", columns)
	require.NoError(t, err)
	query := &sqlq.SavedQuery{
		Name: "events", MaxRows: 10, SQLFile: "events/duckdb.sql", Columns: columns,
		SQL:    `SELECT nullif(count(*), 0)::BIGINT AS n FROM edge_logs WHERE timestamp > $since::TIMESTAMP`,
		Params: []sqlq.Param{{Name: "since", Type: sqlq.Timestamp, Required: true}},
		Alerts: []sqlq.Alert{{Name: "many", Params: map[string][]string{"since": {"now-1h"}}, When: when}},
	}
	file, outcomes := runCases(t, query, `cases:
  - name: two
    now: 2026-11-20T12:30:00Z
    alert: many
    tables: {edge_logs: [{id: a, timestamp: 2026-11-20T12:10:00Z}, {id: b, timestamp: 2026-11-20T12:11:00Z}, {id: c, timestamp: 2026-11-20T11:11:00Z}]}
    expect: {state: firing, rows: [{n: 2}]}
  - name: one
    now: 2026-11-20T12:30:00Z
    alert: many
    tables: {edge_logs: [{id: a, timestamp: 2026-11-20T12:10:00Z}]}
    expect: {state: ok}
  - name: none
    now: 2026-11-20T12:30:00Z
    alert: many
    expect: {state: no_data}
  - name: wrong
    now: 2026-11-20T12:30:00Z
    alert: many
    expect: {state: firing}
  - name: unknown
    now: 2026-11-20T12:30:00Z
    alert: many_
    expect: {state: firing}
`)
	for _, outcome := range outcomes[:3] {
		assert.Empty(t, outcome.Differences)
	}
	assert.Equal(t, []string{"expected the alert many to be firing after enough checks, but it is no_data: first: n > 1"}, outcomes[3].Differences)
	assert.Equal(t, []string{`events has no alert "many_"; did you mean many?`}, outcomes[4].Differences)
	file.Cases = file.Cases[:4]
	updated, err := querytest.Update(file, outcomes[:4])
	require.NoError(t, err)
	assert.Contains(t, string(updated), "  - name: wrong\n    now: 2026-11-20T12:30:00Z\n    alert: many\n    expect:\n      state: no_data\n")
}

func TestMistakesInCasesOfAlerts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"alert: many\n    params: {a: b}\n    expect: {state: ok}": "a case of an alert runs with the parameters of the alert; leave params out",
		"expect: {state: ok}":                                              "state needs alert, which names the alert whose condition is checked",
		"alert: many\n    expect: {state: met}":                            `state "met" is unknown; use one of firing, ok, no_data`,
		"alert: many\n    expect: {state: ok, error: {code: UNAVAILABLE}}": "state is for rows",
		"alert: many\n    expect: {truncated: false}":                      "expect needs rows or error",
	} {
		_, mistakes := querytest.ReadFile("a.yaml", []byte("cases:\n  - name: a\n    now: 2026-11-20T12:30:00Z\n    "+text+"\n"), nil)
		assert.ErrorContains(t, mistakes, want)
	}
}
