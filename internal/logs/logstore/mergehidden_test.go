package logstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

// Events that are deleted while their parts are merged do not come back with the merged part, whether all or some of the
// events of a part are deleted.
func TestDeleteWhileMerging(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before time.Time
		left   string
	}{
		"some events of a part": {noon.Add(90 * time.Second), holds(2)},
		"a whole part":          {noon.Add(150 * time.Second), holds(1)},
		"all parts":             {noon.Add(time.Hour), holds(0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var onStep func(step string)
			store := open(t, t.TempDir(), logstore.WithSteps(func(step string) error {
				if onStep != nil {
					onStep(step)
				}
				return nil
			}))
			defer func() { require.NoError(t, store.Close()) }()
			for i := range 3 { // two parts: of the first and the second event, and of the third
				added := event(i)
				added.Timestamp = noon.Add(time.Duration(i+1) * time.Minute)
				ingestEvents(t, store, source(t, "edge_logs"), added)
				if i > 0 {
					_, err := store.Checkpoint(t.Context())
					require.NoError(t, err)
				}
			}
			// Something else that stays, so that the merged part does.
			addEvents(t, store, "auth_logs", logevent.Event{ID: "a", Timestamp: noon})
			ctx, deletion := context.WithoutCancel(t.Context()), logstore.Deletion{Source: source(t, "edge_logs"), Before: test.before}
			deleted := make(chan error, 1)
			onStep = func(step string) {
				if step != "checkpoint a part" {
					return
				}
				onStep = nil
				go func() {
					_, err := store.Delete(ctx, deletion)
					deleted <- err
				}()
				require.Eventually(t, func() bool { return contents(t, store, "edge_logs", "edge_requests") == test.left }, time.Minute, time.Millisecond)
			}
			_, err := store.Merge(t.Context(), noon.AddDate(0, 0, 2), nil)
			require.NoError(t, err)
			assert.Nil(t, onStep, "parts were merged")
			require.NoError(t, <-deleted)
			assert.Equal(t, test.left, contents(t, store, "edge_logs", "edge_requests"))
			assert.Equal(t, []string{"1"}, texts(t, store, "SELECT count(*) FROM auth_logs"))
		})
	}
}
