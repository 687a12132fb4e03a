package openapi_test

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/explorehttp"
	"savedq/internal/api/openapi"
	"savedq/internal/http/httperror"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// Explore is described to those who may use it: with the bodies that its handler reads and writes, and the formats of
// its rows.
func TestExploreIsDescribed(t *testing.T) {
	t.Parallel()
	assert.NotContains(t, string(describe(t)), explorehttp.Path)
	read, _ := documentOf(t, nil, openapi.Caller{Explore: true})
	post := read.Paths.Value(explorehttp.Path).Post
	assert.Equal(t, []string{"200", "400", "401", "403", "429", "499", "500", "503", "504"}, slices.Sorted(maps.Keys(post.Responses.Map())))
	fields := []sqlq.Column{{Name: "a", Type: sqlq.ArrayOf(sqlq.Int64)}}
	handler := explorehttp.NewHandler(explorehttp.Config{
		Run: func(context.Context, explorehttp.Request) (*sqlq.Result, error) {
			return &sqlq.Result{
				Columns:   []sqlq.Column{{Name: "s", Type: sqlq.Struct, Fields: fields}, {Name: "n", Type: sqlq.Numeric}},
				Rows:      [][]any{{[]any{[]any{int64(1)}}, sqlq.Decimal("1.5")}, {nil, nil}},
				Truncated: true,
			}, nil
		},
		Clock: pinned, Errors: httperror.NewWriter(slog.New(slog.DiscardHandler)),
	})
	body := post.RequestBody.Value.Content["application/json"].Schema.Value
	for sent, status := range map[string]int{
		`{"sql":"SELECT 1 AS a"}`: http.StatusOK,
		`{"sql":"SELECT @a AS a","params":{"a":1,"b":["x",true],"c":null}}`: http.StatusOK,
		`{"sql":"SELECT @a AS a","params":{"a":[null]}}`:                    http.StatusBadRequest,
		`{"sql":1}`:      http.StatusBadRequest,
		`{"params":{}}`:  http.StatusBadRequest,
		`["SELECT 1 a"]`: http.StatusBadRequest,
	} {
		assert.Equal(t, status == http.StatusOK, body.VisitJSON(decoded(t, sent)) == nil, sent)
		for mediaType, described := range post.Responses.Status(http.StatusOK).Value.Content {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, explorehttp.Path, strings.NewReader(sent))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", mediaType)
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			if status == http.StatusOK {
				assert.Equal(t, "true", response.Header().Get("X-Truncated"))
				assert.Contains(t, response.Header().Get("Content-Type"), mediaType)
			} else {
				mediaType, described = "application/json", post.Responses.Status(status).Value.Content["application/json"]
			}
			require.Equal(t, status, response.Code, "%s: %s", sent, response.Body)
			if mediaType == "application/json" {
				assert.NoError(t, described.Schema.Value.VisitJSON(decoded(t, response.Body.String())), "%s: %s", sent, response.Body)
			}
		}
	}
}

// So are the paths beside it: each response has the schema of its status.
func TestPathsOfExploreAreDescribed(t *testing.T) {
	t.Parallel()
	read, _ := documentOf(t, nil, openapi.Caller{Explore: true})
	paths, shipped := read.Paths, tables.Shipped()
	for _, written := range []bool{false, true} {
		handler := explorehttp.NewHandler(explorehttp.Config{
			Check: func(context.Context, explorehttp.Request) (explorehttp.Checked, error) {
				return explorehttp.Checked{Parameters: []explorehttp.Parameter{{Name: "a", Type: "INT64", Required: true}}, Bytes: new(int64(1))}, nil
			},
			Schema: func(_ context.Context, dialect string) explorehttp.Schema {
				tables := append(explorehttp.TablesOf(shipped), explorehttp.LogsTable(shipped.Sources()))
				tables[0].Size = &explorehttp.Size{Bytes: 1, Rows: 1}
				return explorehttp.Schema{Tables: tables, Functions: explorehttp.FunctionsOf(dialect), Withheld: []string{"a"}, Parameters: []string{"b"}, Dialects: []string{"googlesql"}}
			},
			Save: func(context.Context, explorehttp.SaveRequest) (*explorehttp.Saved, error) {
				return &explorehttp.Saved{Name: "mine", Files: map[string][]byte{"query.yaml": nil}, Written: written}, nil
			},
			Clock: pinned, Errors: httperror.NewWriter(slog.New(slog.DiscardHandler)),
		})
		for _, path := range []string{explorehttp.SchemaPath, explorehttp.SchemaPath + "?dialect=clickhouse", explorehttp.SchemaPath + "?dialect=sql", explorehttp.ParametersPath, explorehttp.CheckPath, explorehttp.SavePath} {
			described, _, _ := strings.Cut(path, "?")
			for method, operation := range paths.Value(described).Operations() {
				succeeded := false
				for _, sent := range []string{`{"name":"mine","sql":"SELECT @a AS a"}`, `{"sql":"SELECT @a AS a"}`, `{"sql":1}`} {
					request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(sent))
					request.Header.Set("Content-Type", "application/json")
					response := httptest.NewRecorder()
					handler.ServeHTTP(response, request)
					succeeded = succeeded || response.Code < http.StatusMultipleChoices
					mediaType, _, _ := strings.Cut(response.Header().Get("Content-Type"), ";")
					described := operation.Responses.Status(response.Code)
					require.NotNil(t, described, "%s: %d", path, response.Code)
					require.Contains(t, described.Value.Content, mediaType, path)
					if mediaType == "application/json" {
						require.NoError(t, described.Value.Content[mediaType].Schema.Value.VisitJSON(decoded(t, response.Body.String())), path)
					}
				}
				assert.Equal(t, !strings.HasSuffix(path, "?dialect=sql"), succeeded, path)
			}
		}
	}
}
