package logging_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logging"
)

// writes are the writes that a log made.
type writes struct {
	mutex sync.Mutex
	all   []string
}

func (w *writes) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.all = append(w.all, string(text))
	return len(text), nil
}

func (w *writes) lines() []int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	counts := make([]int, len(w.all))
	for i, text := range w.all {
		counts[i] = strings.Count(text, "\n")
	}
	return counts
}

func unchanged(handler slog.Handler) slog.Handler { return handler }

// Programs read the log, so it is JSON wherever it is not a terminal.
func TestLogIsJSON(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	log := logging.New(&written, logging.Auto, slog.LevelInfo, func(handler slog.Handler) slog.Handler {
		return handler.WithAttrs([]slog.Attr{slog.String("wrapped", "yes")})
	})
	log.Debug("unseen")
	log.With(slog.Int("n", 1)).WithGroup("g").Info("seen", slog.Int("m", 2))
	log.Close()
	var line map[string]any
	require.NoError(t, json.Unmarshal(written.Bytes(), &line))
	delete(line, "time")
	assert.Equal(t, map[string]any{"level": "INFO", "msg": "seen", "wrapped": "yes", "n": 1.0, "g": map[string]any{"m": 2.0}}, line)
}

// Lines wait a moment for others; what is wrong is written at once, and so is what
// would take too much room.
func TestLogGathersLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		written := &writes{}
		log := logging.New(written, logging.JSON, slog.LevelInfo, unchanged)
		log.Info("one")
		time.Sleep(99 * time.Millisecond)
		log.Info("two")
		assert.Empty(t, written.lines())
		time.Sleep(time.Millisecond)
		synctest.Wait()
		assert.Equal(t, []int{2}, written.lines())

		log.Info("three")
		log.Warn("four")
		assert.Equal(t, []int{2, 2}, written.lines())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []int{2, 2}, written.lines(), "nothing is written when nothing waits")

		log.Info("long", slog.String("text", strings.Repeat("x", 64<<10)))
		assert.Equal(t, []int{2, 2, 1}, written.lines())
		log.Info("five")
		log.Close()
		assert.Equal(t, []int{2, 2, 1, 1}, written.lines())
		time.Sleep(time.Second)
	})
}
