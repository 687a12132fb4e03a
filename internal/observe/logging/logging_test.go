package logging_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/observe/logging"
)

// writes records the writes of a log. A write waits for release and fails with err, if
// these are set.
type writes struct {
	release chan struct{}
	mutex   sync.Mutex
	all     []string
	err     error
}

func (w *writes) Write(text []byte) (int, error) {
	if w.release != nil {
		<-w.release
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	w.all = append(w.all, string(text))
	return len(text), nil
}

func (w *writes) fail(err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.err = err
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

// text is everything that was written.
func (w *writes) text() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return strings.Join(w.all, "")
}

func unchanged(handler slog.Handler) slog.Handler { return handler }

// The log is JSON unless it is a terminal.
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

// Lines wait briefly for others. Warnings and full buffers do not.
func TestLogBatchesLines(t *testing.T) {
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
		synctest.Wait()
		assert.Equal(t, []int{2, 2}, written.lines())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []int{2, 2}, written.lines(), "nothing is written when nothing waits")

		log.Info("long", slog.String("text", strings.Repeat("x", 64<<10)))
		synctest.Wait()
		assert.Equal(t, []int{2, 2, 1}, written.lines())
		log.Info("five")
		log.Close()
		assert.Equal(t, []int{2, 2, 1, 1}, written.lines())
		log.Info("six")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []int{2, 2, 1, 1, 1}, written.lines(), "a closed log can still be used")
	})
}

// A reader that stops reading, such as a full pipe, never blocks logging. Dropped lines
// are counted, and reported once there is room again.
func TestLogNeverWaitsForItsWriter(t *testing.T) {
	t.Parallel()
	for _, format := range []logging.Format{logging.JSON, logging.Text} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				written := &writes{release: make(chan struct{})}
				log := logging.New(written, format, slog.LevelInfo, unchanged)
				log.Warn("stuck")
				synctest.Wait()
				began := time.Now()
				const lines = 10_000
				text := strings.Repeat("x", 1<<10)
				for range lines {
					log.Warn("request denied", slog.String("text", text))
				}
				assert.Zero(t, time.Since(began))
				dropped := log.Dropped()
				assert.Greater(t, dropped, int64(lines/2), "4 MiB wait")
				assert.Less(t, dropped, int64(lines*3/4))

				log.Close()
				assert.Equal(t, 3*time.Second, time.Since(began), "a stuck writer does not keep the server from ending")
				assert.Empty(t, written.lines())

				close(written.release)
				time.Sleep(time.Second)
				synctest.Wait()
				assert.Equal(t, lines+1-int(dropped), strings.Count(written.text(), "stuck")+strings.Count(written.text(), "request denied"))
				assert.Equal(t, 1, strings.Count(written.text(), "log lines were dropped, because they could not be written in time"))
				log.Info("further")
				log.Close()
				assert.Equal(t, dropped, log.Dropped())
			})
		})
	}
}

// Lines of failed writes, as on a full disk, are counted as dropped.
func TestLogCountsLinesOfFailedWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		written := &writes{}
		log := logging.New(written, logging.JSON, slog.LevelInfo, unchanged)
		written.fail(errors.New("no space left on device"))
		log.Info("one")
		log.Info("two")
		log.Close()
		log.Info("three")
		log.Close()
		assert.Equal(t, int64(3), log.Dropped())
		written.fail(nil)
		log.Info("four")
		log.Close()
		assert.Contains(t, written.text(), `"msg":"four"`)
		assert.Contains(t, written.text(), `"msg":"log lines were dropped, because they could not be written in time","lines":3}`)
		assert.Equal(t, int64(3), log.Dropped())
	})
}

// Warnings and errors may hold what others sent; one line of them is of bounded size.
func TestLogBoundsWarnings(t *testing.T) {
	t.Parallel()
	warn := func(logger *slog.Logger, message string) {
		_ = logger.Handler().Handle(t.Context(), slog.NewRecord(time.Time{}, slog.LevelWarn, message, 0))
	}
	long := strings.Repeat("\x1b", 1<<20)
	tests := map[string]func(*slog.Logger){
		"message": func(logger *slog.Logger) { warn(logger, long) },
		"text":    func(logger *slog.Logger) { logger.Error("m", slog.String("text", long)) },
		"error":   func(logger *slog.Logger) { logger.Error("m", slog.Any("error", errors.New(long))) },
		"attrs":   func(logger *slog.Logger) { warn(logger.With(slog.Int("n", 1)).WithGroup("g"), long) },
	}
	for name, write := range tests {
		for _, format := range []logging.Format{logging.JSON, logging.Text} {
			t.Run(name+" "+string(format), func(t *testing.T) {
				t.Parallel()
				var written bytes.Buffer
				log := logging.New(&written, format, slog.LevelInfo, unchanged)
				write(log.Logger)
				log.Close()
				assert.Contains(t, written.String(), "… (1048576 bytes)")
				assert.Less(t, written.Len(), 7*16<<10)
				assert.NotContains(t, written.String(), "\x1b", "control characters are escaped")
				assert.Equal(t, 1, strings.Count(written.String(), "\n"))
			})
		}
	}
	var written bytes.Buffer
	log := logging.New(&written, logging.JSON, slog.LevelInfo, unchanged)
	log.Error("short", slog.Any("error", errors.New("wrong")), slog.Any("nothing", nil), slog.Any("list", []int{1}))
	log.Close()
	assert.Contains(t, written.String(), `"msg":"short","error":"wrong","nothing":null,"list":[1]}`)
}

// A value from outside cannot control the terminal that shows the log, in either format.
func TestLogEscapesControlCharacters(t *testing.T) {
	t.Parallel()
	for _, format := range []logging.Format{logging.Text, logging.JSON} {
		var written bytes.Buffer
		log := logging.New(&written, format, slog.LevelInfo, unchanged)
		log.Info("a value", slog.String("value", "\x1b[31m \u009b31m \u202e \u2028"))
		log.Close()
		assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f-\x{9f}\x{202e}\x{2028}]`, written.String())
		assert.Contains(t, written.String(), `\u009b31m \u202e \u2028`)
	}
}
