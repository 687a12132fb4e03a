package random_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/api/format/formattest"
	"savedq/sqlq"
	"savedq/test/random/randomcatalog"
)

// The functions below return the rows of a saved query as canonical JSON, in the form of REST, except for overGraphQL.

func (s *service) overREST(t *testing.T, query randomcatalog.Query) string {
	t.Helper()
	var rows struct {
		Result json.RawMessage `json:"result"`
	}
	decode(t, s.inFormat(t, query, "application/json"), &rows)
	return canonical(t, rows.Result)
}

func (s *service) inLines(t *testing.T, query randomcatalog.Query) string {
	t.Helper()
	lines := bytes.ReplaceAll(bytes.TrimSpace(s.inFormat(t, query, "application/x-ndjson")), []byte{'\n'}, []byte{','})
	return canonical(t, []byte("["+string(lines)+"]"))
}

func (s *service) inCSV(t *testing.T, db *sql.DB, query randomcatalog.Query) string {
	t.Helper()
	objects := []any{}
	for _, cells := range formattest.CSV(t, db, s.inFormat(t, query, "text/csv"), len(query.Columns)) {
		object := make(map[string]any)
		for i, column := range query.Columns {
			object[column.Name] = fromCell(t, column.Type, cells[i])
		}
		objects = append(objects, object)
	}
	return canonical(t, []byte(encode(t, objects)))
}

// fromCell returns the value of a cell as REST encodes it.
func fromCell(t *testing.T, of sqlq.Type, cell any) any {
	t.Helper()
	text, isText := cell.(string)
	if !isText { // NULL
		return nil
	}
	switch of { //nolint:exhaustive // The others are JSON.
	case sqlq.String, sqlq.Datetime, sqlq.Date:
		return text
	case sqlq.Float64: // without an exponent
		number, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return number
	case sqlq.Timestamp:
		moment, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return moment.UnixMicro()
	}
	return json.RawMessage(text)
}

func (s *service) inArrow(t *testing.T, query randomcatalog.Query) string {
	t.Helper()
	query.Rows = formattest.Arrow(t, s.inFormat(t, query, "application/vnd.apache.arrow.stream"), query.Columns)
	return canonical(t, []byte(encode(t, restObjects(query))))
}

func (s *service) inParquet(t *testing.T, db *sql.DB, query randomcatalog.Query) string {
	t.Helper()
	query.Rows = formattest.Parquet(t, db, s.inFormat(t, query, "application/vnd.apache.parquet"), query.Columns)
	return canonical(t, []byte(encode(t, restObjects(query))))
}

// inFormat returns the rows over REST in a format.
func (s *service) inFormat(t *testing.T, query randomcatalog.Query, mediaType string) []byte {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/endpoints/"+query.Name+"?"+url.Values(query.Params).Encode(), nil)
	request.Header.Set("Accept", mediaType)
	recorder := httptest.NewRecorder()
	s.rest.ServeHTTP(recorder, request)
	body, err := io.ReadAll(recorder.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, recorder.Code, string(body))
	require.Contains(t, recorder.Header().Get("Content-Type"), mediaType)
	return body
}

// overMCP calls the tool of the saved query, with arguments of the types of its schema.
func (s *service) overMCP(t *testing.T, query randomcatalog.Query) string {
	t.Helper()
	saved, found := s.catalog.Find(query.Name)
	require.True(t, found)
	arguments := make(map[string]any)
	for name, texts := range query.Params {
		of := saved.Param(name).Type
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = typed(of.Element(), text)
		}
		arguments[name] = list
		if !of.IsArray() {
			arguments[name] = list[0]
		}
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": saved.Tool, "arguments": arguments},
	})
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	var response struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
	}
	decode(t, respond(t, s.mcp, request), &response)
	require.Len(t, response.Result.Content, 1)
	require.False(t, response.Result.IsError, response.Result.Content[0].Text)
	require.JSONEq(t, response.Result.Content[0].Text, string(response.Result.StructuredContent))
	var rows struct{ Rows json.RawMessage }
	decode(t, response.Result.StructuredContent, &rows)
	return canonical(t, rows.Rows)
}

func (s *service) overGraphQL(t *testing.T, query randomcatalog.Query) string {
	t.Helper()
	field := s.field(query.Name)
	variables, declarations, arguments := s.variables(t, field, query.Params)
	document := fmt.Sprintf("query%s { rows: %s%s { %s } }", declarations, field.Name, arguments, selection(field.Columns))
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	var response struct {
		Data struct {
			Rows json.RawMessage `json:"rows"`
		} `json:"data"`
	}
	decode(t, respond(t, s.graphQL, request), &response)
	return canonical(t, response.Data.Rows)
}
