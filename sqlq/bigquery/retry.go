package bigquery

import (
	"context"
	"fmt"
	"time"

	"github.com/googleapis/gax-go/v2"
)

// newBackoff returns growing, jittered pauses between attempts.
func newBackoff() *gax.Backoff {
	return &gax.Backoff{Initial: 200 * time.Millisecond, Max: 4 * time.Second, Multiplier: 2}
}

// pause waits. It returns an error with the reason if the context ends first.
func pause(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait for another attempt: %w", context.Cause(ctx))
	case <-timer.C:
		return nil
	}
}
