package cli

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/engines"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// DuckDB gets the memory limit of the flag without the part for SQL of callers, and runs the saved queries within the minimum.
func TestDuckDBMemoryLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[byteSize]string{minDuckDBMemory: "64.0 MiB", 2 << 30: "1.5 GiB"} {
		flags := duckDBFlags{DuckDBMemory: &limit, storeFlags: storeFlags{Data: t.TempDir()}}
		catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
		engine, err := flags.engine().Open(t.Context(), engines.Opening{Environment: engines.Environment{Logger: slog.New(slog.DiscardHandler)}, Serving: true})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, engine.Close()) })
		var got string
		require.NoError(t, engine.Store.DB().QueryRowContext(t.Context(), "SELECT current_setting('memory_limit')").Scan(&got))
		assert.Equal(t, want, got)
		for _, query := range catalog.Queries() {
			args, err := query.Bind(map[string][]string{"project": {"acme"}, "interval": {"daily"}})
			require.NoError(t, err)
			_, err = engine.Run(t.Context(), sqlq.Statement{Query: query, Args: args, Now: time.Unix(0, 0).UTC()})
			require.NoError(t, err, query.Name)
		}
	}
}

// "check" does a dry run of every saved query and prints its estimated cost.
func TestCheckOnBigQuery(t *testing.T) {
	columns := map[string]string{
		"functions.invocation-stats": "timestamp TIMESTAMP, min_execution_time FLOAT, max_execution_time FLOAT, avg_execution_time FLOAT, p95_execution_time FLOAT, p99_execution_time FLOAT, count INTEGER, error_count INTEGER",
		"logs.all":                   "id STRING, timestamp TIMESTAMP, event_message STRING, metadata JSON",
		"usage.api-counts":           "timestamp DATETIME, total_rest_requests INTEGER, total_storage_requests INTEGER, total_auth_requests INTEGER",
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var job struct {
			Configuration struct {
				DryRun bool              `json:"dryRun"`
				Labels map[string]string `json:"labels"`
			} `json:"configuration"`
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&job))
		assert.True(t, job.Configuration.DryRun)
		label := job.Configuration.Labels["savedq_endpoint"]
		var fields []map[string]string
		for name, list := range columns {
			if strings.NewReplacer(".", "_", "-", "_").Replace(name) == strings.NewReplacer(".", "_", "-", "_").Replace(label) {
				for column := range strings.SplitSeq(list, ", ") {
					parts := strings.Fields(column)
					fields = append(fields, map[string]string{"name": parts[0], "type": parts[1], "mode": "NULLABLE"})
				}
			}
		}
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{
			"jobReference": map[string]string{"projectId": "p", "jobId": "j"},
			"status":       map[string]string{"state": "DONE"},
			"statistics": map[string]any{
				"totalBytesProcessed": "1572864",
				"query":               map[string]any{"schema": map[string]any{"fields": fields}, "statementType": "SELECT"},
			},
		}))
	}))
	defer service.Close()
	t.Setenv("BIGQUERY_EMULATOR_HOST", service.URL)
	var stdout, stderr strings.Builder
	status := Run(t.Context(), []string{"check", "--engine=bigquery", "--bigquery-project=p", "--bigquery-dataset=d"}, &stdout, &stderr)
	assert.Equal(t, statusFailed, status, "a column is missing: %s", stderr.String())
	assert.Contains(t, stdout.String(), "functions.invocation-stats  1.5 MiB          timestamp TIMESTAMP, min_execution_time FLOAT64")
	assert.Contains(t, stderr.String(), "queries/usage.api-counts/query.yaml:89:5: declares the columns")
	assert.NotContains(t, stderr.String(), "logs.all")
}
