package sqlq_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

func TestAsError(t *testing.T) {
	t.Parallel()
	coded := sqlq.ParamErrorf("project", "is required")
	secret := errors.New("Binder Error: table secrets")
	tests := map[string]struct {
		err  error
		code sqlq.Code
		text string
	}{
		"a coded error stays":           {fmt.Errorf("run: %w", coded), sqlq.InvalidArgument, "projectName: is required"},
		"a caller left":                 {fmt.Errorf("run: %w", context.Canceled), sqlq.Cancelled, "the request was cancelled by its caller"},
		"a deadline":                    {fmt.Errorf("run: %w", context.DeadlineExceeded), sqlq.DeadlineExceeded, "the query took longer than the server allows"},
		"any other error is INTERNAL":   {secret, sqlq.Internal, "internal server error; the server's log has the cause under this request's id"},
		"a cause is not in the message": {sqlq.Errorf(sqlq.Unavailable, "try again").WithCause(secret), sqlq.Unavailable, "try again"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sqlq.AsError(test.err)
			assert.Equal(t, test.code, got.Code)
			paramName := ""
			if got.Param != "" {
				paramName = "projectName"
			}
			assert.Equal(t, test.text, got.PublicText(paramName))
		})
	}
	assert.Nil(t, sqlq.AsError(nil))
	require.ErrorIs(t, sqlq.AsError(secret), secret, "the log gets the cause")
	assert.ErrorContains(t, sqlq.AsError(secret), "table secrets")
}

// The server's reason to cancel a request takes the place of the error that the cancellation caused, and of no other.
func TestErrorIn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancelled, invalid := fmt.Errorf("run: %w", context.Canceled), sqlq.ParamErrorf("project", "is required")
	require.NoError(t, sqlq.ErrorIn(ctx, nil))
	assert.Equal(t, cancelled, sqlq.ErrorIn(ctx, cancelled))
	reason := sqlq.Errorf(sqlq.Unavailable, "the server is shutting down")
	cancel(reason)
	require.NoError(t, sqlq.ErrorIn(ctx, nil))
	assert.Equal(t, reason, sqlq.ErrorIn(ctx, cancelled))
	assert.Equal(t, invalid, sqlq.ErrorIn(ctx, invalid))
	left, leave := context.WithCancel(t.Context())
	leave()
	assert.Equal(t, sqlq.Cancelled, sqlq.AsError(sqlq.ErrorIn(left, cancelled)).Code)
}
