package querytest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/authoring/querytest"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// orders is a log source of an author.
func orders() *sqlq.Table {
	return &sqlq.Table{Name: "orders", Aliases: []string{"shop.orders.prod"}, ProjectMember: "tenant", Fields: []sqlq.Field{
		{Name: "amount", Type: sqlq.Float64, Path: []string{"order", "amount"}},
		{Name: "paid", Type: sqlq.Bool, Path: []string{"paid"}},
		{Name: "day", Type: sqlq.Date, Path: []string{"day"}},
		{Name: "kind", Type: sqlq.String, Path: []string{"kind"}},
		{Name: "exact", Type: sqlq.Numeric, Path: []string{"exact"}},
		{Name: "moment", Type: sqlq.Timestamp, Path: []string{"moment"}},
		{Name: "count", Type: sqlq.Int64, Path: []string{"count"}},
	}}
}

// Rows are as their case gives them: columns that it leaves out are NULL, a field need not be what metadata says, and
// nothing of an event has to be there but its id and its time. All log sources together have them, too.
func TestRowsAreAsGiven(t *testing.T) {
	t.Parallel()
	known := append(tables.Shipped(), orders())
	for name, test := range map[string]struct{ sql, given, want string }{
		"fields of an author": {
			"SELECT concat_ws(' ', id, coalesce(amount::VARCHAR, '-'), coalesce(paid::VARCHAR, '-'), coalesce(day::VARCHAR, '-'), coalesce(kind, '-'), coalesce(exact::VARCHAR, '-'), coalesce(moment::VARCHAR, '-'), coalesce(count::VARCHAR, '-'), coalesce(project, '-'), coalesce(event_message, '-'), coalesce(metadata, '-')) AS x FROM orders ORDER BY id",
			"orders: [{id: a, timestamp: 0, amount: 1.5, paid: true, day: 2026-11-20, kind: web, exact: 12345678901234567890.123456789, moment: 2026-11-20T01:02:03.000004Z, count: 9007199254740993}, " +
				"{id: b, timestamp: 0, metadata: [{order: [{amount: 2}]}], project: p, event_message: m}, {id: c, timestamp: 0, amount: null, kind: '', metadata: '[]'}, {id: '', timestamp: 0}]",
			" - - - - - - - - - -|a 1.5 true 2026-11-20 web 12345678901234567890.123456789 2026-11-20 01:02:03.000004 9007199254740993 - - -|" +
				`b - - - - - - - p m [{"order":[{"amount":2}]}]|c - - -  - - - - - []`,
		},
		"events of an author": {
			"SELECT concat_ws(' ', id, amount, coalesce(kind, '-'), paid) AS x FROM orders ORDER BY id",
			"", // its events are below
			"e 2.5 - true",
		},
		"all log sources": {
			"SELECT concat_ws(' ', source, coalesce(source_alias, '-'), id, coalesce(project, array_to_string(projects, '+'), '-'), coalesce(status, '-'), coalesce(method, '-'), coalesce(path, '-'), coalesce(level, '-')) AS x FROM all_logs ORDER BY id",
			"edge_logs: [{id: a, timestamp: 0, project: p, metadata: [{request: [{method: GET, path: /x}], response: [{status_code: 404}]}]}, {id: b, timestamp: 0}]\n" +
				"      orders: [{id: c, timestamp: 0, project: p, metadata: [{tenant: t, level: warn}]}, {id: d, timestamp: 0, metadata: [{tenant: t}, {tenant: u}]}]",
			"edge_logs cloudflare.logs.prod a p 404 GET /x -|edge_logs cloudflare.logs.prod b - - - - -|orders shop.orders.prod c t - - - warn|orders shop.orders.prod d t+u - - - -",
		},
		"sources have no records": {
			"SELECT count(*)::VARCHAR AS x FROM edge_requests",
			"edge_logs: [{id: a, timestamp: 0, metadata: [{request: [{url: u}]}]}]",
			"0",
		},
		"records": {
			"SELECT concat_ws(' ', epoch_us(timestamp), coalesce(url, '-'), coalesce(path, '-')) AS x FROM edge_requests ORDER BY ALL",
			"edge_requests: [{timestamp: 7, url: u}, {timestamp: 8, path: /p}]",
			"7 u -|8 - /p",
		},
		"records of functions": {
			"SELECT concat_ws(' ', coalesce(project_ref, '-'), coalesce(function_id, '-'), coalesce(execution_time_ms::VARCHAR, '-'), coalesce(status_code::VARCHAR, '-'), project_key) AS x FROM function_invocations ORDER BY timestamp",
			"function_invocations: [{timestamp: 1, project_ref: p, execution_time_ms: 0.25}, {timestamp: 2, function_id: f, status_code: 500, project_key: 18446744073709551615}]",
			"p - 0.25 - 8846380938781789998|- f - 500 18446744073709551615",
		},
		"rejected events": {
			"SELECT source || position AS x FROM rejected_events",
			"rejected_events: [{received: 0, request_id: r, source: s, position: 3, reason: r, event: e}]",
			"s3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory := openMemory(t) // as in the first case that has rows
			query := &sqlq.SavedQuery{
				Name: "q", MaxRows: 10, SQL: "SELECT string_agg(x, '|') AS x FROM (" + test.sql + ") WHERE $now IS NOT NULL", Tables: known,
				Columns: []sqlq.Column{{Name: "x", Type: sqlq.String, Nullable: true}},
			}
			data := "    tables:\n      " + test.given + "\n"
			if test.given == "" {
				data = "    events:\n      orders: [{id: e, timestamp: 1970-01-01T00:00:00Z, metadata: {order: {amount: 2.5}, paid: 'TRUE'}}]\n"
			}
			text := "cases:\n  - name: given\n    now: 2026-11-20T12:00:00Z\n" + data + "    expect: {rows: [{x: '" + strings.ReplaceAll(test.want, "'", "''") + "'}]}\n" +
				"  - name: empty\n    now: 2026-11-20T12:00:00Z\n    expect: {rows: [{x: " + map[bool]string{true: "'0'", false: "null"}[name == "sources have no records"] + "}]}\n"
			file, mistakes := querytest.ReadFile("q/tests/a.yaml", []byte(text), known)
			require.Empty(t, mistakes)
			for i := range file.Cases {
				outcome, err := querytest.Run(t.Context(), memory, query, &file.Cases[i], time.Now)
				require.NoError(t, err)
				assert.Empty(t, outcome.Differences, file.Cases[i].Name)
			}
		})
	}
}
