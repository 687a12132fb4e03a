package openapi_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/openapi"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/sqlq/sqlqtest"
)

// ask requests the document with a token.
func ask(t *testing.T, token auth.Token, method, etag string) *httptest.ResponseRecorder {
	t.Helper()
	service := newService(t, &sqlqtest.FakeEngine{}, nil)
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: token, Hash: auth.HashOf("secret")}}, nil
	})
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	errors := httperror.NewWriter(logger)
	handler := auth.Handler(openapi.NewHandler(service.queries, func(context.Context) openapi.Caller { return openapi.Caller{} }, "test", errors), auth.HandlerConfig{
		Keyring: keyring, Clock: time.Now, Logger: logger, WriteError: errors.Write,
	})
	request := httptest.NewRequestWithContext(t.Context(), method, "/openapi.json", nil)
	request.Header.Set(auth.KeyHeader, "secret")
	request.Header.Set("If-None-Match", etag)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

func TestHandler(t *testing.T) {
	t.Parallel()
	full := auth.FullAccess("full")
	first := ask(t, full, http.MethodGet, "")
	require.Equal(t, http.StatusOK, first.Code)
	assert.Equal(t, string(describe(t)), first.Body.String())
	assert.Equal(t, "application/json; charset=utf-8", first.Header().Get("Content-Type"))
	assert.Equal(t, "private, no-cache", first.Header().Get("Cache-Control"))
	etag := first.Header().Get("ETag")
	for name, test := range map[string]struct {
		method, etag string
		status       int
		hasBody      bool
	}{
		"GET":            {http.MethodGet, "", http.StatusOK, true},
		"HEAD":           {http.MethodHead, "", http.StatusOK, true}, // net/http leaves the body out
		"the same ETag":  {http.MethodGet, etag, http.StatusNotModified, false},
		"another ETag":   {http.MethodGet, `"other"`, http.StatusOK, true},
		"another method": {http.MethodPost, "", http.StatusMethodNotAllowed, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := ask(t, full, test.method, test.etag)
			assert.Equal(t, test.status, response.Code)
			assert.Equal(t, test.hasBody, response.Body.Len() > 0)
			if test.status == http.StatusMethodNotAllowed {
				assert.Equal(t, "GET, HEAD", response.Header().Get("Allow"))
				return
			}
			assert.Equal(t, etag, response.Header().Get("ETag"))
		})
	}
}

// D17: a token cannot see saved queries that it may not use.
func TestHandlerListsQueriesOfTheToken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		endpoints []string
		paths     []string
	}{
		"one":  {[]string{"usage.api-counts"}, []string{"/api/endpoints/query/7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21", "/api/endpoints/query/usage.api-counts", "/api/endpoints/usage.api-counts"}},
		"none": {[]string{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := ask(t, auth.Token{Name: "narrow", Endpoints: test.endpoints}, http.MethodGet, "")
			require.Equal(t, http.StatusOK, response.Code)
			assert.ElementsMatch(t, append(test.paths, "/api/alerts", "/api/endpoints", "/api/viewer"), readDocument(t, response.Body.Bytes()).Paths.Keys())
			for _, query := range readCatalog(t).Queries() {
				assert.Equal(t, slices.Contains(test.endpoints, query.Name), strings.Contains(response.Body.String(), query.Name))
			}
		})
	}
}
