package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/alerthttp"
	"savedq/internal/auth"
)

// previewQuery counts events of a day, without an end of the day.
const previewQuery = `id: 11111111-1111-4111-8111-111111111111
name: mine.changing
description: Events of a day.
params:
  - {name: since, type: TIMESTAMP, default: now-1d, description: Since.}
columns:
  - {name: n, type: INT64, description: N.}
alerts:
  high: {every: 10s, when: {first: "n > 1"}}
`

// A preview counts what checks would have counted: only the events until their times.
func TestPreviewAlert(t *testing.T) {
	t.Parallel()
	var folder string
	a := newAlertServer(t, func(config *Config) {
		folder = filepath.Join(config.Queries.Directories[0], "mine.changing")
		require.NoError(t, os.WriteFile(filepath.Join(folder, queryFile), []byte(previewQuery), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "duckdb.sql"),
			[]byte("WITH e AS (SELECT * FROM edge_logs)\nSELECT count(*) AS n FROM e JOIN (SELECT 1 AS one) ON true WHERE e.timestamp > $since::TIMESTAMP"), 0o600))
	})
	now := a.config.Clock().UTC()
	var lines strings.Builder
	for i, age := range []time.Duration{time.Hour, 74 * time.Hour, 74 * time.Hour} {
		_, _ = fmt.Fprintf(&lines, `{"id":"e%d","timestamp":%q,"project":"acme","event_message":"x"}`+"\n", i, now.Add(-age).Format(time.RFC3339))
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/logs?source=edge_logs", strings.NewReader(lines.String()))
	request.Header.Set("Content-Type", "application/x-ndjson")
	response := httptest.NewRecorder()
	auth.NoAuth(a.handlers().Ingest.JSON).ServeHTTP(response, request)
	require.Equal(t, http.StatusOK, response.Code, response.Body)
	require.NoError(t, a.writer.WaitStored(t.Context()))

	status, body := a.post("full", alerthttp.PreviewPath, `{"query":"mine.changing","every":"1m","condition":"first: n > 1"}`)
	require.Equal(t, http.StatusOK, status, body)
	var preview alerthttp.Preview
	require.NoError(t, json.Unmarshal([]byte(body), &preview))
	assert.Equal(t, []any{"n", 1.0, 10800, false}, []any{preview.Measured, *preview.Threshold, preview.StepSeconds, preview.Partial})
	require.Len(t, preview.Points, 56)
	for _, point := range preview.Points {
		age, want := now.Sub(point.At), 0.0
		switch {
		case age < time.Hour:
			want = 1
		case age > 50*time.Hour && age < 74*time.Hour:
			want = 2
		}
		assert.InDelta(t, want, *point.Value, 0, age)
		assert.Equal(t, want > 1, point.Outcome == "met")
	}
	status, body = a.post("full", alerthttp.PreviewPath, `{"query":"mine.changing","every":"1m","condition":"first: n > 1","range":"1d"}`)
	require.Equal(t, http.StatusOK, status, body)
	require.NoError(t, json.Unmarshal([]byte(body), &preview))
	assert.Equal(t, []any{1800, 48}, []any{preview.StepSeconds, len(preview.Points)})

	// One check in a row more than an hour has: the newest met one has an unmet one before it.
	needs := func(checks int) (met, firing int) {
		_, body := a.post("full", alerthttp.PreviewPath, fmt.Sprintf(`{"query":"mine.changing","every":"3h","condition":"first: n > 1","for":%d}`, checks))
		var preview alerthttp.Preview
		require.NoError(t, json.Unmarshal([]byte(body), &preview), body)
		for _, point := range preview.Points {
			if point.Outcome == "met" {
				met++
			}
			if point.Firing {
				firing++
			}
		}
		return met, firing
	}
	met, firing := needs(1)
	assert.Equal(t, met, firing)
	met, firing = needs(3)
	assert.Equal(t, met-2, firing, "the first two met checks are not enough")

	for want, body := range map[string]string{
		`"message":"for must be a whole number from 1 to 1000"`:                 `{"query":"mine.changing","every":"1m","condition":"any","for":0}`,
		`"mistakes":[{"field":"every","message":"every must be at least 10s"}]`: `{"query":"mine.changing","every":"1s","condition":"any"}`,
		"range: must be 1d or 7d":                                               `{"query":"mine.changing","every":"1m","condition":"any","range":"1y"}`,
		"query: is required":                                                    `{"every":"1m"}`,
	} {
		_, got := a.post("full", alerthttp.PreviewPath, body)
		assert.Contains(t, got, want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "duckdb.sql"), []byte("SELECT 1 AS n WHERE $since IS NOT NULL"), 0o600))
	a.reload(t.Context(), false)
	_, got := a.post("full", alerthttp.PreviewPath, `{"query":"mine.changing","every":"1m","condition":"any"}`)
	assert.Contains(t, got, "mine.changing has no preview, because it reads no events")
}
