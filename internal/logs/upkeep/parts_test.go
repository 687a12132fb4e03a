package upkeep_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/upkeep"
)

// partStore is an [upkeep.PartStore].
type partStore struct {
	seal  func(than time.Time) error
	merge func(ctx context.Context, now time.Time, between func(ctx context.Context) error) (int, error)
}

func (s *partStore) SealOlder(_ context.Context, than time.Time) error { return s.seal(than) }

func (s *partStore) Merge(ctx context.Context, now time.Time, between func(ctx context.Context) error) (int, error) {
	return s.merge(ctx, now, between)
}

// mergeCount is an [upkeep.PartObserver].
type mergeCount struct{ steps int }

func (c *mergeCount) PartsMerged(steps int) { c.steps += steps }

// startParts runs a keeper until a context ends, and returns what waits for its end.
func startParts(ctx context.Context, store upkeep.PartStore, counted *mergeCount, log *bytes.Buffer) (wait func()) {
	keeper := &upkeep.PartKeeper{Store: store, Clock: time.Now, Logger: slog.New(slog.NewTextHandler(log, nil)), Observer: counted}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		keeper.Run(ctx)
	}()
	return func() { <-ended }
}

// At the start and every 15 seconds, what is in memory for 30 seconds becomes a part, and parts are merged. What fails is logged, keeps
// nothing else from being done, and is tried again.
func TestPartKeeper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var sealed, merged []time.Duration
		counted, log := new(mergeCount), new(bytes.Buffer)
		ctx, stop := context.WithCancel(t.Context())
		wait := startParts(ctx, &partStore{
			seal: func(than time.Time) error {
				sealed = append(sealed, than.Sub(began))
				if len(sealed) == 1 {
					return errors.New("the disk is full")
				}
				return nil
			},
			merge: func(_ context.Context, now time.Time, _ func(ctx context.Context) error) (int, error) {
				merged = append(merged, now.Sub(began))
				if len(merged) == 2 {
					return 1, errors.New("the disk is still full")
				}
				return 2, nil
			},
		}, counted, log)
		time.Sleep(35 * time.Second)
		stop()
		wait()
		assert.Equal(t, []time.Duration{-30 * time.Second, -15 * time.Second, 0}, sealed)
		assert.Equal(t, []time.Duration{0, 15 * time.Second, 30 * time.Second}, merged)
		assert.Equal(t, 5, counted.steps)
		assert.Contains(t, log.String(), `level=WARN msg="recent events were not written to a part" error="the disk is full"`)
		assert.Contains(t, log.String(), `level=WARN msg="parts were not merged" error="the disk is still full"`)
	})
}

// Between two merges there is a pause, which ends with the server, without a warning.
func TestPartKeeperPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		counted, log := new(mergeCount), new(bytes.Buffer)
		var pauses []time.Duration
		ctx, stop := context.WithCancel(t.Context())
		wait := startParts(ctx, &partStore{
			seal: func(time.Time) error { return nil },
			merge: func(ctx context.Context, _ time.Time, between func(ctx context.Context) error) (int, error) {
				for _, took := range []time.Duration{0, time.Second, time.Minute} {
					time.Sleep(took)
					began := time.Now()
					require.NoError(t, between(ctx))
					pauses = append(pauses, time.Since(began))
				}
				stop()
				return 3, between(ctx)
			},
		}, counted, log)
		wait()
		assert.Equal(t, []time.Duration{50 * time.Millisecond, 3 * time.Second, 5 * time.Second}, pauses)
		assert.Equal(t, 3, counted.steps)
		assert.Empty(t, log.String())
	})
}
