package watch

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the system cannot watch, the log has one warning with the remedy, and changes are
// reported again and again.
func TestWatchFallsBack(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := &Watcher{logger: slog.New(slog.NewTextHandler(&log, nil)), changes: make(chan struct{}, 1), ended: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	for range 2 {
		w.fail(ctx, fmt.Errorf("queries: %w", syscall.ENOSPC))
	}
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("level=WARN")))
	assert.Contains(t, log.String(), "raise the limits fs.inotify.max_user_watches")
	go w.run(ctx)
	for range 2 {
		select {
		case <-w.Changes():
		case <-time.After(time.Minute):
			require.Fail(t, "nothing was reported")
		}
	}
	stop()
	w.Wait()
}
