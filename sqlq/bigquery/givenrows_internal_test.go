package bigquery

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"
)

// Tables are found outside of strings and comments, and those with a dataset are told apart.
func TestUsesTable(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string][2]bool{
		"SELECT 1 FROM edge_logs":                     {true, false},
		"SELECT 1 FROM `edge_logs` AS t":              {true, false},
		"SELECT 'edge_logs' -- edge_logs\nFROM other": {false, false},
		"SELECT 1 FROM edge_logs_2":                   {false, false},
		"SELECT 1 FROM logs.edge_logs":                {true, true},
		"SELECT 1 FROM logs . `edge_logs`":            {true, true},
		"SELECT 1 FROM `project.logs.edge_logs`":      {true, true},
		"SELECT edge_logs.id FROM edge_logs":          {true, false},
	} {
		used, qualified := usesTable(sql, "edge_logs")
		assert.Equal(t, want, [2]bool{used, qualified}, sql)
	}
}

// Values become literals of the types of their columns; what a column cannot hold is an error.
func TestLiteral(t *testing.T) {
	t.Parallel()
	row := &rest.TableFieldSchema{Name: "edge_logs", Type: "RECORD", Fields: []*rest.TableFieldSchema{
		{Name: "id", Type: "STRING"},
		{Name: "at", Type: "TIMESTAMP"},
		{Name: "n", Type: "INTEGER"},
		{Name: "f", Type: "FLOAT"},
		{Name: "yes", Type: "BOOLEAN"},
		{Name: "json", Type: "JSON"},
		{Name: "list", Type: "RECORD", Mode: repeated, Fields: []*rest.TableFieldSchema{{Name: "order", Type: "STRING", Mode: repeated}}},
	}}
	assert.Equal(t, "STRUCT<`id` STRING, `at` TIMESTAMP, `n` INT64, `f` FLOAT64, `yes` BOOL, `json` JSON, `list` ARRAY<STRUCT<`order` ARRAY<STRING>>>>", typeSQL(row))
	for text, want := range map[string]string{
		`{"id":"a\"b","at":"2026-11-20 10:00:00+01:00","n":1,"f":1.5,"yes":true,"json":{"a":[1]},"list":[{"order":["x"]}]}`: `STRUCT("a\"b", TIMESTAMP '2026-11-20 09:00:00.000000+00', CAST("1" AS INT64), CAST("1.5" AS FLOAT64), CAST("true" AS BOOL), JSON "{\"a\":[1]}", ` +
			"ARRAY<STRUCT<`order` ARRAY<STRING>>>[STRUCT(ARRAY<STRING>[\"x\"])])",
		`{"at":5}`: "STRUCT(NULL, TIMESTAMP_MICROS(5), NULL, NULL, NULL, NULL, ARRAY<STRUCT<`order` ARRAY<STRING>>>[])",
	} {
		got, err := literal(row, decodeRow(json.RawMessage(text)))
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
	}
	for text, want := range map[string]string{
		`{"id":1}`:               "column id is of type STRING in BigQuery; the row has 1",
		`{"n":[1]}`:              "column n is of type INT64 in BigQuery; the row has [1]",
		`{"at":"noon"}`:          "column at: ",
		`{"list":{}}`:            "column list is a list in BigQuery; the row has another value",
		`{"list":[1]}`:           "column list is a STRUCT in BigQuery; the row has another value",
		`{"list":[{"other":1}]}`: "list has no column other in BigQuery",
	} {
		_, err := literal(row, decodeRow(json.RawMessage(text)))
		require.ErrorContains(t, err, want, text)
	}
}
