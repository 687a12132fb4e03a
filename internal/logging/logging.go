// Package logging writes the log: lines of JSON for programs, or lines of text for
// people at a terminal.
package logging

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	// delay is how long a line waits for others, so that a busy server does not
	// write each line on its own. Warnings and errors do not wait.
	delay = 100 * time.Millisecond
	// maxWaiting is how many bytes wait at most.
	maxWaiting = 64 << 10
)

// Log is a log. It is to be closed, so that its last lines are written.
type Log struct {
	*slog.Logger
	lines *lines
}

// Format is the format of the lines.
type Format string

// The formats of lines. Auto is text on a terminal, and JSON elsewhere.
const (
	Auto Format = "auto"
	JSON Format = "json"
	Text Format = "text"
)

// New returns a log of lines from a level on. Wrap adds to the handler of the lines.
func New(w io.Writer, format Format, level slog.Leveler, wrap func(slog.Handler) slog.Handler) *Log {
	lines := &lines{w: w}
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewJSONHandler(lines, options)
	if format == Text || format == Auto && IsTerminal(w) {
		handler = slog.NewTextHandler(lines, options)
	}
	return &Log{Logger: slog.New(urgent{wrap(handler), lines}), lines: lines}
}

// Close writes the lines that wait. The log can still be used.
func (l *Log) Close() { l.lines.flush() }

// IsTerminal says whether a person looks at what is written.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// urgent is a handler that lets no warning wait.
type urgent struct {
	slog.Handler
	lines *lines
}

// Handle writes a record.
func (h urgent) Handle(ctx context.Context, record slog.Record) error {
	err := h.Handler.Handle(ctx, record)
	if record.Level >= slog.LevelWarn {
		h.lines.flush()
	}
	return err
}

// WithAttrs is part of [slog.Handler].
func (h urgent) WithAttrs(attrs []slog.Attr) slog.Handler {
	return urgent{h.Handler.WithAttrs(attrs), h.lines}
}

// WithGroup is part of [slog.Handler].
func (h urgent) WithGroup(name string) slog.Handler {
	return urgent{h.Handler.WithGroup(name), h.lines}
}

// lines gathers lines before it writes them.
type lines struct {
	w       io.Writer
	mutex   sync.Mutex
	waiting []byte
	// due says that a flush is to come.
	due bool
}

// Write takes a line.
func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.waiting = append(l.waiting, line...)
	switch {
	case len(l.waiting) >= maxWaiting:
		l.write()
	case !l.due:
		l.due = true
		time.AfterFunc(delay, l.flush)
	}
	return len(line), nil
}

// flush writes the lines that wait.
func (l *lines) flush() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.due = false
	l.write()
}

// write writes the lines that wait. Nobody could be told of a log that fails.
func (l *lines) write() {
	if len(l.waiting) > 0 {
		_, _ = l.w.Write(l.waiting)
		l.waiting = l.waiting[:0]
	}
}
