package upkeep

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPausesTakeThreeTimesAsLongAsTheirStep(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ step, want time.Duration }{
		"short step":    {time.Millisecond, 50 * time.Millisecond},
		"usual step":    {100 * time.Millisecond, 300 * time.Millisecond},
		"a step waited": {time.Minute, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				pacer := newPacer(time.Now)
				for range 3 {
					time.Sleep(test.step)
					ended := time.Now()
					require.NoError(t, pacer.pause(t.Context()))
					assert.Equal(t, test.want, time.Since(ended))
				}
			})
		})
	}
}

func TestPauseEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newPacer(time.Now).pause(ctx), context.Canceled)
}
