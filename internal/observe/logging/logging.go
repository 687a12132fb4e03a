// Package logging writes the log: JSON lines for programs, or text lines for a terminal.
// Logging never blocks on the reader of the log.
package logging

import (
	"bytes"
	"io"
	"log/slog"
	"time"

	"savedq/internal/text/printable"
)

// closeTimeout bounds how long [Log.Close] waits for a reader that has stopped reading.
const closeTimeout = 3 * time.Second

// Log is a log. Callers must close it, so that its last lines are written.
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
	options := &slog.HandlerOptions{Level: level}
	text := format == Text || format == Auto && printable.IsTerminal(w)
	newHandler := func(w io.Writer) slog.Handler {
		if text {
			return slog.NewTextHandler(w, options)
		}
		return slog.NewJSONHandler(w, options)
	}
	lines := newLines(w, func(dropped int64) []byte {
		var line bytes.Buffer
		slog.New(newHandler(&line)).Warn("log lines were dropped, because they could not be written in time",
			slog.Int64("lines", dropped))
		return line.Bytes()
	})
	return &Log{Logger: slog.New(Intercept(Intercept(wrap(newHandler(printable.Writer(lines))), cutTexts), lines.hurryWarnings)), lines: lines}
}

// Close writes the lines that wait, unless the writer is stuck. The log can still be
// used.
func (l *Log) Close() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		l.lines.flush()
	}()
	select {
	case <-written:
	case <-time.After(closeTimeout):
	}
}

// Dropped returns how many lines were dropped because the writer was too slow or failed.
func (l *Log) Dropped() int64 { return l.lines.droppedTotal() }
