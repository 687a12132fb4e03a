package randomsql

import (
	"time"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// Param is a parameter of the queries, with its value.
type Param struct {
	Name  string
	Type  sqlq.Type
	Value any
}

// Params returns the parameters that queries can have.
func Params() []Param {
	return []Param{
		{"now", sqlq.Timestamp, time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)},
		{"project", sqlq.String, "acme"},
		{"least", sqlq.Int64, int64(3)},
		{"ratio", sqlq.Float64, -0.75},
		{"enabled", sqlq.Bool, true},
		{"day", sqlq.Date, time.Date(2024, 2, 28, 0, 0, 0, 0, time.UTC)},
		{"ids", sqlq.ArrayOf(sqlq.String), []string{"a", "ä", "acme"}},
	}
}

// Environment returns what the queries can name, with the declared columns of one query.
func Environment(columns []sqlq.Column) googlesql.Environment {
	env := googlesql.Environment{
		Tables: []googlesql.Table{{Name: "edge_logs", Columns: []googlesql.TableColumn{
			{Name: "id", Type: sqlq.String},
			{Name: "timestamp", Type: sqlq.Timestamp},
			{Name: "event_message", Type: sqlq.String},
			{Name: "project", Type: sqlq.String},
			{Name: "metadata", Type: sqlq.JSON, IsMetadata: true},
		}}},
		Columns: columns,
	}
	for _, p := range Params() {
		env.Params = append(env.Params, googlesql.Param{Name: p.Name, Type: p.Type})
	}
	return env
}

// No FLOAT64 in metadata is whole: the emulator makes an INT64 of such a number in an array.

// rows are the rows of the table of the queries, as DuckDB and ClickHouse read them.
const rows = `
	('a', '2024-02-29 10:00:00', 'one', 'acme', '[{"region":"eu","size":3,"ratio":0.5,"request":[{"method":"GET","path":"/a","time":1.5},{"method":"PUT","path":"/ä","time":0.25}],"tags":["x","y"]}]'),
	('b', '2024-02-29 10:30:00.000001', '', 'acme', '[{"region":null,"size":-7,"request":[],"tags":[]}]'),
	('c', '1969-12-31 23:59:59', 'ünï', 'globex', '[{"region":"us","size":0,"ratio":-2.25,"request":[{"method":"GET","path":"","time":10.5}]},{"region":"de","tags":["z"]}]'),
	('d', '2024-12-31 00:00:00', NULL, 'globex', NULL),
	('e', '2024-01-01 00:30:00', 'a%b', NULL, '[]')`

// DuckDB returns the statements that make the table of the queries as the store has it.
func DuckDB() []string {
	return []string{
		"CREATE TABLE edge_logs (id VARCHAR, timestamp TIMESTAMP, event_message VARCHAR, project VARCHAR, metadata JSON)",
		"INSERT INTO edge_logs VALUES" + rows,
	}
}

// ClickHouse returns the statements that make the same table on ClickHouse.
func ClickHouse() []string {
	return []string{
		"CREATE TABLE edge_logs (id String, timestamp DateTime64(6, 'UTC'), event_message Nullable(String), project Nullable(String), metadata Nullable(String)) " +
			"ENGINE = MergeTree ORDER BY timestamp",
		"INSERT INTO edge_logs VALUES" + rows,
	}
}

// BigQuery returns the script that makes the same table in a dataset.
func BigQuery(dataset string) string {
	const metadata = "ARRAY<STRUCT<region STRING, size INT64, ratio FLOAT64, request ARRAY<STRUCT<method STRING, path STRING, time FLOAT64>>, tags ARRAY<STRING>>>"
	const request = "ARRAY<STRUCT<method STRING, path STRING, time FLOAT64>>"
	return "CREATE TABLE " + dataset + ".edge_logs (id STRING, timestamp TIMESTAMP, event_message STRING, project STRING, metadata " + metadata + ");\n" +
		"INSERT INTO " + dataset + ".edge_logs (id, timestamp, event_message, project, metadata) SELECT * FROM UNNEST(ARRAY<STRUCT<id STRING, timestamp TIMESTAMP, event_message STRING, project STRING, metadata " + metadata + ">>[\n" +
		"STRUCT('a', TIMESTAMP '2024-02-29 10:00:00+00', 'one', 'acme', " + metadata + "[STRUCT('eu', 3, 0.5, " + request + "[STRUCT('GET', '/a', 1.5), STRUCT('PUT', '/ä', 0.25)], ['x', 'y'])]),\n" +
		"STRUCT('b', TIMESTAMP '2024-02-29 10:30:00.000001+00', '', 'acme', " + metadata + "[STRUCT(NULL, -7, NULL, " + request + "[], ARRAY<STRING>[])]),\n" +
		"STRUCT('c', TIMESTAMP '1969-12-31 23:59:59+00', 'ünï', 'globex', " + metadata + "[STRUCT('us', 0, -2.25, " + request + "[STRUCT('GET', '', 10.5)], ARRAY<STRING>[]), STRUCT('de', NULL, NULL, " + request + "[], ['z'])]),\n" +
		"STRUCT('d', TIMESTAMP '2024-12-31 00:00:00+00', NULL, 'globex', " + metadata + "[]),\n" +
		"STRUCT('e', TIMESTAMP '2024-01-01 00:30:00+00', 'a%b', NULL, " + metadata + "[])]);"
}
