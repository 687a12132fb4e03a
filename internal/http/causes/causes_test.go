package causes_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/http/causes"
	"savedq/sqlq"
)

func TestOf(t *testing.T) {
	t.Parallel()
	without := sqlq.Errorf(sqlq.Internal, "no")
	with := without.WithCause(errors.New("the engine's message"))
	assert.Empty(t, causes.Of(t.Context(), with), "D15")
	assert.Empty(t, causes.Of(causes.Show(t.Context()), without))
	assert.Equal(t, "the engine's message", causes.Of(causes.Show(t.Context()), with))
}
