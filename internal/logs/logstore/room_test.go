package logstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// Who waits until earlier events are in a part goes on when writing it fails, and when it is written after all.
func TestIngestWhileSealingFails(t *testing.T) {
	t.Parallel()
	const repeats = 5 // the wait begins shortly before or after the failure
	for range repeats {
		model := newModel(1)
		failures, sealing := 0, make(chan error)
		store := open(t, t.TempDir(), logstore.WithRecentBytes(1), logstore.WithSteps(func(step string) error {
			if step != "create a part" || failures > 0 {
				return nil
			}
			failures++
			return <-sealing
		}))
		require.NoError(t, model.tryIngest(t, store, model.batch(10))) // it fills the memory
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		waited := make(chan error)
		events := model.batch(10)
		go func() {
			waited <- store.Ingest(ctx, logstore.Ingestion{Events: sequence(events), Position: model.position + 1})
		}()
		sealing <- assert.AnError
		err := <-waited
		if err != nil {
			require.ErrorIs(t, err, assert.AnError)
		}
		require.Eventually(t, func() bool {
			return err == nil || store.Ingest(ctx, logstore.Ingestion{Events: sequence(events), Position: model.position + 1}) == nil
		}, time.Minute, 10*time.Millisecond)
		model.position++
		model.add(events...)
		model.check(t, store)
		cancel()
		require.NoError(t, store.Close())
	}
}
