package bigquery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
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

// patiently sends a request until the service responds or the context ends. An address that is not known is not
// tried again.
func patiently[T any](ctx context.Context, send func(...googleapi.CallOption) (T, error)) (T, error) {
	backoff := newBackoff()
	for {
		response, err := send()
		var unknown *net.DNSError
		if err == nil || ctx.Err() != nil || !isTransient(err) || errors.As(err, &unknown) || pause(ctx, backoff.Pause()) != nil {
			return response, err
		}
	}
}
