package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
)

// namedColumns is a saved query with names of columns as SQL of other services has them.
const namedColumns = `
description: Names.
params: [{name: p, type: INT64, default: 1, description: P.}]
columns:
  - {name: n_GET, type: INT64, description: One.}
  - {name: requestMethod, type: STRING, description: Two.}
  - {name: Start Time, type: TIMESTAMP, description: Three.}
  - {name: größe, type: FLOAT64, description: Four.}
  - {name: 5xx, type: INT64, description: Five.}
  - {name: 数量, type: INT64, description: Six.}
  - name: Some Struct
    type: STRUCT
    description: Seven.
    fields: [{name: Inner Field, type: INT64, description: Inner.}]
alerts:
  quoted: {when: {first: '"Start Time" > 2020-01-01'}, every: 1m}
  plain: {when: {first: 'größe > 5'}, every: 1m}
`

// A column has its own name in each interface, in both dialects; GraphQL and Prometheus have a valid one made of it.
func TestNamesOfColumns(t *testing.T) {
	t.Parallel()
	sql := map[string]string{
		"query.sql":  "SELECT @p AS n_GET, 'a' AS requestMethod, TIMESTAMP '2026-01-01 00:00:00+00' AS `Start Time`, 2.5 AS `größe`, 3 AS `5xx`, 4 AS `数量`, STRUCT(1 AS `Inner Field`) AS `Some Struct`",
		"duckdb.sql": `SELECT $p AS n_GET, 'a' AS requestMethod, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS "Start Time", 2.5::DOUBLE AS "größe", 3 AS "5xx", 4 AS "数量", {'Inner Field': 1} AS "Some Struct"`,
	}
	for name, text := range sql {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := "id: 00000000-0000-4000-8000-000000000077\nname: named.columns\naliases: [My Endpoint, 'Ünï (v2)?']" + namedColumns
			r := newReloads(t, func(config *Config) {
				folder := filepath.Join(config.Queries.Directories[0], "named.columns")
				require.NoError(t, os.MkdirAll(folder, 0o750))
				require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte(yaml), 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
			})
			get := func(path string) *httptest.ResponseRecorder {
				response := r.get(path)
				require.Equal(t, http.StatusOK, response.Code, "%s: %s", path, response.Body)
				return response
			}
			const row = `{"n_GET":1,"requestMethod":"a","Start Time":1767225600000000,"größe":2.5,"5xx":3,"数量":4,"Some Struct":{"Inner Field":1}}`
			const path = "/api/endpoints/named.columns"
			assert.Equal(t, `{"result":[`+row+`]}`, strings.TrimSpace(get(path).Body.String()))
			for _, alias := range []string{"My Endpoint", "Ünï (v2)?"} {
				for _, prefix := range []string{"/api/endpoints/", "/api/endpoints/query/", "/api/endpoints/query/name/"} {
					assert.Equal(t, `{"result":[`+row+`]}`, strings.TrimSpace(get(prefix+url.PathEscape(alias)).Body.String()), alias)
				}
			}
			assert.Equal(t, row+"\n", get(path+"?format=ndjson").Body.String())
			header, _, _ := strings.Cut(get(path+"?format=csv").Body.String(), "\n")
			assert.Equal(t, "n_GET,requestMethod,Start Time,größe,5xx,数量,Some Struct", strings.TrimSpace(header))
			metrics := get(path + "?format=prometheus").Body.String()
			for _, sample := range []string{`savedq_named_columns_n_GET{requestMethod="a"} 1`, `savedq_named_columns_gr__e{requestMethod="a"} 2.5`, `savedq_named_columns_5xx{requestMethod="a"} 3`} {
				assert.Contains(t, metrics, sample)
			}
			names := []string{"n_GET", "requestMethod", "Start Time", "größe", "5xx", "数量", "Some Struct"}
			body := get(path + "?format=parquet").Body.Bytes()
			opened, err := file.NewParquetReader(bytes.NewReader(body))
			require.NoError(t, err)
			var got []string
			for i := range opened.MetaData().Schema.Root().NumFields() {
				got = append(got, opened.MetaData().Schema.Root().Field(i).Name())
			}
			assert.Equal(t, names, got)
			arrow, err := ipc.NewReader(get(path + "?format=arrow").Body)
			require.NoError(t, err)
			got = nil
			for _, field := range arrow.Schema().Fields() {
				got = append(got, field.Name)
			}
			assert.Equal(t, names, got)
			assert.Contains(t, get("/openapi.json").Body.String(), `"Start Time"`)
			assert.Contains(t, get("/api/endpoints").Body.String(), `"name":"Start Time"`)

			response := r.graphQL(`{ namedColumns { nGET requestMethod StartTime grE n5xx u6570U91cf SomeStruct { InnerField } } }`)
			assert.JSONEq(t, `{"data":{"namedColumns":[{"nGET":1,"requestMethod":"a","StartTime":"2026-01-01T00:00:00Z","grE":2.5,"n5xx":3,"u6570U91cf":4,"SomeStruct":{"InnerField":1}}]}}`, withoutExtensions(t, response.Body.Bytes()))
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"named_columns","arguments":{"_columns":["Start Time","数量"]}}}`))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "*/*")
			recorder := httptest.NewRecorder()
			r.handler.ServeHTTP(recorder, request)
			assert.Contains(t, recorder.Body.String(), `"structuredContent":{"rows":[{"Start Time":"2026-01-01T00:00:00Z","数量":4}]`)
		})
	}
}

// Columns of a series and of a cursor have any names: closed buckets are reused, and pages go on after their rows.
func TestNamesOfSeriesAndPages(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 12, 30, 0, 0, time.UTC)
	clock := &atomic.Int64{}
	clock.Store(now.UnixNano())
	r := newReloads(t, func(config *Config) {
		config.Clock = func() time.Time { return time.Unix(0, clock.Load()) }
		write := func(name, id, yaml, sql string) {
			folder := filepath.Join(config.Queries.Directories[0], name)
			require.NoError(t, os.MkdirAll(folder, 0o750))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte("id: 00000000-0000-4000-8000-0000000000"+id+"\nname: "+name+"\ndescription: Names.\nmax_rows: 100\n"+yaml), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "query.sql"), []byte(sql), 0o600))
		}
		write("named.series", "78", `
cache: 1s
columns:
  - {name: Start Time, type: TIMESTAMP, nullable: false, description: One.}
  - {name: größe, type: INT64, description: Two.}
series:
  column: Start Time
  windows: [{length: 1d, bucket: 1h}]
`, "SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS `Start Time`, COUNT(*) AS `größe` FROM edge_logs GROUP BY 1 ORDER BY 1")
		write("named.pages", "79", `
params:
  - {name: limit, type: INT64, default: 2, min: 1, max: 10, description: Rows.}
  - {name: before_time, type: TIMESTAMP, description: Time.}
  - {name: before_no, type: STRING, description: Number.}
columns:
  - {name: Start Time, type: TIMESTAMP, nullable: false, description: One.}
  - {name: 数量, type: STRING, nullable: false, description: Two.}
pages:
  limit: limit
  after: {before_time: Start Time, before_no: 数量}
`, "SELECT timestamp AS `Start Time`, id AS `数量` FROM edge_logs\nWHERE @before_time IS NULL OR timestamp < @before_time OR timestamp = @before_time AND id < @before_no ORDER BY timestamp DESC, id DESC LIMIT @limit")
	})
	var events strings.Builder
	for hours, id := range []string{"a", "b", "c", "d", "e"} {
		_, _ = fmt.Fprintf(&events, `{"id":"%s","timestamp":"%s","event_message":"x"}`+"\n", id, now.Add(-time.Duration(hours)*time.Hour).Format(time.RFC3339))
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/logs?source=edge_logs", strings.NewReader(events.String()))
	request.Header.Set("Content-Type", "application/x-ndjson")
	response := httptest.NewRecorder()
	auth.NoAuth(r.handlers().Ingest.JSON).ServeHTTP(response, request)
	require.Equal(t, http.StatusOK, response.Code, response.Body)
	require.NoError(t, r.writer.WaitStored(t.Context()))

	var got []string
	for path := "/api/endpoints/named.pages"; path != ""; {
		response := r.get(path)
		require.Equal(t, http.StatusOK, response.Code, response.Body)
		var page struct{ Result []map[string]any }
		require.NoError(t, json.Unmarshal(response.Body.Bytes(), &page))
		for _, row := range page.Result {
			got = append(got, row["数量"].(string))
		}
		path = ""
		if next := response.Header().Get("X-Next"); next != "" {
			path = "/api/endpoints/named.pages?after=" + url.QueryEscape(next)
		}
	}
	assert.Equal(t, []string{"a", "b", "c", "d", "e"}, got)
	first := r.graphQL(`{ namedPages { u6570U91cf } }`).Body.String()
	var decoded struct {
		Extensions struct{ Next map[string]string }
	}
	require.NoError(t, json.Unmarshal([]byte(first), &decoded))
	second := r.graphQL(`{ namedPages(after: ` + strconv.Quote(decoded.Extensions.Next["namedPages"]) + `) { u6570U91cf StartTime } }`)
	assert.JSONEq(t, `{"data":{"namedPages":[{"u6570U91cf":"c","StartTime":"2026-01-01T10:30:00Z"},{"u6570U91cf":"d","StartTime":"2026-01-01T09:30:00Z"}]}}`, withoutExtensions(t, second.Body.Bytes()))

	series := func() string { return r.graphQL(`{ namedSeries { StartTime grE } }`).Body.String() }
	before := series()
	assert.Contains(t, before, `"rowsReused":0`)
	clock.Add(int64(2 * time.Second))
	after := series()
	assert.NotContains(t, after, `"rowsReused":0`, "closed buckets are not computed again")
	assert.Equal(t, withoutExtensions(t, []byte(before)), withoutExtensions(t, []byte(after)))
	assert.Contains(t, after, `{"StartTime":"2026-01-01T08:00:00Z","grE":1}`)
}

func withoutExtensions(t *testing.T, body []byte) string {
	t.Helper()
	var response map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &response))
	delete(response, "extensions")
	text, err := json.Marshal(response)
	require.NoError(t, err)
	return string(text)
}
