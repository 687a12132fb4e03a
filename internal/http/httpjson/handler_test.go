package httpjson_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"

	"savedq/internal/http/httperror"
	"savedq/internal/http/httpjson"
	"savedq/internal/http/httpstatus"
)

// A body that arrives too slowly has a status of its own.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	handler := &httpjson.Handler{
		Routes: map[string]httpjson.Route{"/": {http.MethodPost, func(_ http.ResponseWriter, r *http.Request) error {
			return httpjson.Read(r, &struct{}{}, 10, "{}")
		}}},
		Errors: httperror.NewWriter(slog.New(slog.DiscardHandler)),
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", iotest.ErrReader(httpstatus.ErrSlowBody))
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	assert.Equal(t, http.StatusRequestTimeout, response.Code)
	assert.Contains(t, response.Body.String(), `"code":"INVALID_ARGUMENT","message":"the request body did not arrive in time`)
}
