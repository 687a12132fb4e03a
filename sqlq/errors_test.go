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
