package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/clickhousesql/clickhousesqltest"
)

// logsColumns declares the columns of the table logs.
const logsColumns = "id String, timestamp DateTime64(6, 'UTC'), event_message String, severity_text String, source String, log_attributes Map(String, String)"

// updateVariable names the variable that makes the test write the rows of ClickHouse as the expected ones.
const updateVariable = "SAVEDQ_UPDATE_CASES"

// TestClickHouseSQLCases checks that ClickHouse returns the rows that the cases of its SQL expect.
func TestClickHouseSQLCases(t *testing.T) {
	directory := filepath.Join("..", "..", "clickhousesql", "testdata")
	server := startServer(t)
	execute(t, server, "CREATE TABLE logs ("+logsColumns+") ENGINE = MergeTree ORDER BY timestamp")
	events, err := clickhousesqltest.Events(filepath.Join(directory, "events.ndjson"))
	require.NoError(t, err)
	var rows strings.Builder
	for i := range events {
		row, err := events[i].Row()
		require.NoError(t, err)
		rows.WriteString(row + "\n")
	}
	status, text := post(t, server, "query=INSERT INTO logs FORMAT JSONEachRow", rows.String())
	require.Equal(t, http.StatusOK, status, text)
	files, err := clickhousesqltest.Read(filepath.Join(directory, "cases"))
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file.Path), func(t *testing.T) {
			for i, c := range file.Cases {
				if c.Refused != "" {
					continue
				}
				got := rowsOfCase(t, server, c.SQL)
				if os.Getenv(updateVariable) != "" {
					file.Cases[i].Want = got
					continue
				}
				assert.Equal(t, c.Want, got, c.SQL)
			}
			if os.Getenv(updateVariable) != "" {
				require.NoError(t, file.Write())
			}
		})
	}
}

// rowsOfCase returns the rows of a query on ClickHouse.
func rowsOfCase(t *testing.T, server *testServer, sql string) []string {
	t.Helper()
	const settings = "session_timezone=UTC&output_format_json_quote_denormals=1&output_format_json_quote_64bit_integers=0&allow_experimental_correlated_subqueries=1"
	status, text := post(t, server, settings, strings.TrimSuffix(sql, ";")+"\nFORMAT JSONCompactEachRow")
	if !assert.Equal(t, http.StatusOK, status, "%s\n%s", sql, text) {
		return []string{"failed: " + text}
	}
	var all [][]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	for decoder.More() {
		var row []any
		require.NoError(t, decoder.Decode(&row))
		all = append(all, row)
	}
	return clickhousesqltest.Rows(sql, all)
}
