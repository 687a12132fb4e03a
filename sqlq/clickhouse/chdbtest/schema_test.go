package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	engine "savedq/sqlq/clickhouse"
	"savedq/sqlq/tables"
)

// TestSchema checks that the tables of savedq's own can be created, and read fields from metadata.
func TestSchema(t *testing.T) {
	server := startServer(t)
	shipped, err := tables.Read()
	require.NoError(t, err)
	const decades = 50 * 365 * 24 * time.Hour // ClickHouse deletes earlier events at any time
	orders := &sqlq.Table{Name: "orders", ProjectMember: "shop", Retention: decades}
	for _, kind := range sqlq.FieldTypes() {
		orders.Fields = append(orders.Fields, sqlq.Field{Name: "f_" + strings.ToLower(string(kind)), Type: kind, Path: []string{"a", "f_" + strings.ToLower(string(kind))}})
	}
	sources := append(shipped.Sources(), orders)
	for statement := range strings.SplitSeq(strings.TrimSuffix(engine.Schema(sources, engine.SchemaOptions{Retention: decades}), ";\n"), ";\n") {
		execute(t, server, statement)
	}
	opened := open(t, config(server))
	own := *orders
	mistakes, err := opened.CheckColumns(t.Context(), sqlq.Tables{&own})
	require.NoError(t, err)
	assert.Empty(t, mistakes)

	insert := func(statement string) { // events that no TTL deletes
		execute(t, server, strings.ReplaceAll(statement, "NOW", time.Now().UTC().Format(time.DateTime)))
	}
	insert(`INSERT INTO orders (id, timestamp, metadata) FORMAT JSONEachRow
{"id": "1", "timestamp": "NOW", "metadata": "{\"shop\": \"acme\", \"a\": {\"f_string\": \"x\", \"f_int64\": 5, \"f_float64\": \"1.5\", \"f_numeric\": 12.50, \"f_bool\": true, \"f_timestamp\": \"2026-01-02T03:04:05.5Z\", \"f_date\": \"2026-01-02\"}}"}
{"id": "2", "timestamp": "NOW", "metadata": "[{\"shop\": \"globex\", \"a\": [{\"f_string\": [1], \"f_int64\": \"x\", \"f_bool\": \"x\", \"f_date\": \"x\"}]}]"}
{"id": "3", "timestamp": "NOW", "metadata": "no JSON"}`)
	query := queryOf("SELECT id, project AS p, f_string AS a, f_int64 AS b, f_float64 AS c, f_numeric AS d, f_bool AS e, f_timestamp AS f, f_date AS g FROM orders ORDER BY id",
		"id STRING", "p STRING", "a STRING", "b INT64", "c FLOAT64", "d NUMERIC", "e BOOL", "f TIMESTAMP", "g DATE")
	result, err := runQuery(t.Context(), opened, query)
	require.NoError(t, err)
	assert.Equal(t, [][]any{
		{"1", "acme", "x", int64(5), 1.5, sqlq.Decimal("12.5"), true, time.Date(2026, 1, 2, 3, 4, 5, 500000000, time.UTC), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)},
		{"2", "globex", nil, nil, nil, nil, nil, nil, nil},
		{"3", nil, nil, nil, nil, nil, nil, nil, nil},
	}, result.Rows)

	insert(`INSERT INTO edge_logs (id, timestamp, project, metadata) FORMAT JSONEachRow
{"id": "1", "timestamp": "NOW", "project": "acme", "metadata": "{\"request\": {\"method\": \"GET\", \"path\": \"/a\"}, \"response\": {\"status_code\": 404}, \"level\": \"info\"}"}
{"id": "2", "timestamp": "NOW", "project": "acme", "metadata": "[{\"method\": \"POST\", \"request\": [{\"pathname\": \"/b\"}], \"status\": \"500\", \"parsed\": [{\"error_severity\": \"ERROR\"}]}]"}
{"id": "3", "timestamp": "NOW", "project": "acme", "metadata": "{\"status\": 12, \"level\": {}}"}`)
	result, err = runQuery(t.Context(), opened, queryOf("SELECT status AS s, method AS m, path AS p, level AS l FROM edge_logs ORDER BY id", "s INT64", "m STRING", "p STRING", "l STRING"))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{int64(404), "GET", "/a", "info"}, {int64(500), "POST", "/b", "ERROR"}, {nil, nil, nil, nil}}, result.Rows)

	// Deletion of a project and another retention, as docs/clickhouse.md has them.
	insert(`INSERT INTO orders (id, timestamp, project, metadata) FORMAT JSONEachRow
{"id": "5", "timestamp": "NOW", "project": null, "metadata": "[{\"shop\": \"globex\"}, {\"shop\": \"acme\"}]"}
{"id": "6", "timestamp": "NOW", "project": null, "metadata": "{\"shop\": \"acme\"}"}`)
	execute(t, server, "DELETE FROM orders WHERE project = 'acme' OR has(metadata_projects, 'acme')", "ALTER TABLE orders MODIFY TTL toDateTime(timestamp) + toIntervalDay(30)",
		"INSERT INTO orders (id, timestamp) VALUES ('4', now() - INTERVAL 31 DAY)", "OPTIMIZE TABLE orders FINAL")
	result, err = runQuery(t.Context(), opened, queryOf("SELECT id AS i FROM orders ORDER BY id", "i STRING"))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{"2"}, {"3"}}, result.Rows)
}
