package clickhousesql_test

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/clickhousesql/clickhousesqltest"
	"savedq/sqlq/googlesql/googlesqltest/duckdbtest"
	"savedq/sqlq/tables"
)

// openStore returns a store with the events of the cases.
func openStore(tb testing.TB) *logstore.Store {
	tb.Helper()
	events, err := clickhousesqltest.Events(filepath.Join("testdata", "events.ndjson"))
	require.NoError(tb, err)
	store, err := logstore.OpenEmpty(tb.Context())
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, store.Close()) })
	transaction, err := store.Begin(tb.Context(), logstore.Sent)
	require.NoError(tb, err)
	for _, event := range events {
		source, ok := store.Tables().FindSource(event.Source)
		require.True(tb, ok, event.Source)
		stored := logevent.Event{ID: event.ID, Timestamp: event.Time, EventMessage: event.Message, Project: event.Project, Metadata: event.Metadata}
		require.NoError(tb, transaction.Add(tb.Context(), source, stored))
	}
	require.NoError(tb, transaction.Commit(tb.Context()))
	return store
}

// environment is what the cases can name.
func environment() clickhousesql.Environment {
	return clickhousesql.Environment{Sources: tables.Shipped().Sources(), Params: []clickhousesql.Param{{Name: "now", Type: sqlq.Timestamp}}}
}

// rowsOf runs a text on DuckDB, and returns its rows.
func rowsOf(tb testing.TB, db *sql.DB, text string, env clickhousesql.Environment, args ...any) ([]string, error) {
	tb.Helper()
	described, err := clickhousesql.Describe(text, env)
	if err != nil {
		return nil, err
	}
	translated, err := clickhousesql.Translate(text, env)
	require.NoError(tb, err)
	if strings.Contains(translated.SQL, "$now") {
		args = append(args, sql.Named("now", clickhousesqltest.Now()))
	}
	rows, err := db.QueryContext(tb.Context(), translated.SQL, args...)
	if err != nil {
		return nil, err
	}
	defer func() { assert.NoError(tb, rows.Close()) }()
	types, err := rows.ColumnTypes()
	require.NoError(tb, err)
	require.Len(tb, types, len(described.Columns), translated.SQL)
	all := [][]any{}
	for rows.Next() {
		row := make([]any, len(types))
		into := make([]any, len(types))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(tb, rows.Scan(into...))
		for i, column := range described.Columns {
			assert.Equal(tb, column.Name, types[i].Name())
			row[i] = valueOf(duckdbtest.Value(row[i], types[i].DatabaseTypeName()), column.Type)
		}
		all = append(all, row)
	}
	return clickhousesqltest.Rows(text, all), rows.Err()
}

// valueOf returns a value of DuckDB as JSON has it.
func valueOf(value any, typ sqlq.Type) any {
	switch value := value.(type) {
	case time.Time:
		if typ == sqlq.Date {
			return value.Format(time.DateOnly)
		}
	case int64, int32:
		text, _ := json.Marshal(value)
		return json.Number(text)
	case string:
		if typ == sqlq.JSON {
			var decoded any
			decoder := json.NewDecoder(strings.NewReader(value))
			decoder.UseNumber()
			if decoder.Decode(&decoded) == nil {
				return decoded
			}
		}
	case map[string]any, []any:
		text, _ := json.Marshal(value)
		var decoded any
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		if decoder.Decode(&decoded) == nil {
			return decoded
		}
	}
	return value
}

// Each query returns on DuckDB the rows that ClickHouse returns, which its test on ClickHouse writes.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := clickhousesqltest.Read(filepath.Join("testdata", "cases"))
	require.NoError(t, err)
	store := openStore(t)
	for _, file := range files {
		t.Run(filepath.Base(file.Path), func(t *testing.T) {
			for _, c := range file.Cases {
				got, err := rowsOf(t, store.DB(), c.SQL, environment())
				if c.Refused != "" {
					if assert.Error(t, err, c.SQL) {
						assert.Contains(t, err.Error(), c.Refused, c.SQL)
					}
					continue
				}
				if assert.NoError(t, err, c.SQL) {
					assert.Equal(t, c.Want, append([]string(nil), got...), c.SQL)
				}
			}
		})
	}
}
