package httperror_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/http/httperror"
	"savedq/sqlq"
)

// A request that the server cancels gets the reason, and not 499 as one whose caller left.
func TestCancelledByTheServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(sqlq.Errorf(sqlq.Unavailable, "the server is shutting down"))
	response := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodPost, "/api/store/delete", nil).WithContext(ctx)
	httperror.NewWriter(slog.New(slog.DiscardHandler)).Write(response, request, fmt.Errorf("delete: %w", ctx.Err()))
	assert.Equal(t, http.StatusServiceUnavailable, response.Code)
	assert.Contains(t, response.Body.String(), "the server is shutting down")
}
