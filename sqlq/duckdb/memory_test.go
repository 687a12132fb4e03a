package duckdb_test

import (
	"crypto/md5"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// Events that are too large for DuckDB's memory or for a result are an error that says
// what to do, and do not affect other queries.
func TestRunOfLargeEvents(t *testing.T) {
	t.Parallel()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	query, _ := catalog.Find("logs.all")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	directory := t.TempDir()
	filled, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	logs := make(sqlqtest.Logs)
	for i := range 40 {
		project := "acme"
		digest := md5.Sum([]byte(strconv.Itoa(i)))
		logs["edge_logs"] = append(logs["edge_logs"], sqlqtest.Event{
			ID: strconv.Itoa(i), Timestamp: time.Date(2026, 3, 1, 11, 0, i, 0, time.UTC), Project: &project,
			Metadata: []byte(`[{"a":"` + strings.Repeat(hex.EncodeToString(digest[:]), 65536) + `"}]`),
		})
	}
	fill(t, filled, logs)
	require.NoError(t, filled.Close())
	for limit, want := range map[string]string{
		"64MiB": "the rows take more memory than the server has for a query; ask for a shorter time range",
		"2GiB":  "the rows take more than 64 MiB; ask for a shorter time range",
	} {
		t.Run(limit, func(t *testing.T) {
			store, err := logstore.Open(t.Context(), directory, limit)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, store.Close()) })
			engine := duckdb.New(store.DB())
			for start, wantRows := range map[string]int{"2026-03-01T11:00:00Z": 0, "2026-03-01T11:00:37Z": 2} {
				args, err := query.Bind(map[string][]string{"project": {"acme"}, "iso_timestamp_start": {start}})
				require.NoError(t, err)
				result, err := engine.Run(t.Context(), sqlq.Statement{Query: query, Args: args, Now: now})
				if wantRows > 0 {
					require.NoError(t, err)
					assert.Len(t, result.Rows, wantRows)
					continue
				}
				coded := sqlq.AsError(err)
				assert.Equal(t, sqlq.ResourceExhausted, coded.Code)
				assert.Equal(t, want, coded.PublicText(""))
			}
		})
	}
}
