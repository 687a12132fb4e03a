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

	"savedq/internal/explorehttp"
	"savedq/internal/http/httperror"
	"savedq/internal/openapi"
	"savedq/sqlq"
)

// Explore is described to those who may use it: with the bodies that its handler reads and writes, and the formats of
// its rows.
func TestExploreIsDescribed(t *testing.T) {
	t.Parallel()
	assert.NotContains(t, string(describe(t)), explorehttp.Path)
	text, err := openapi.Document(nil, openapi.Caller{Explore: true}, "test")
	require.NoError(t, err)
	post := readDocument(t, text).Paths.Value(explorehttp.Path).Post
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
