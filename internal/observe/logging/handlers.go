package logging

import (
	"context"
	"fmt"
	"log/slog"
)

// urgent is a handler that does not let warnings wait for further lines.
type urgent struct {
	slog.Handler
	lines *lines
}

// Handle writes a record.
func (h urgent) Handle(ctx context.Context, record slog.Record) error {
	err := h.Handler.Handle(ctx, record)
	if record.Level >= slog.LevelWarn {
		h.lines.hurry()
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

// maxTextBytes bounds the message and each text of a warning or an error. Stacks fit.
const maxTextBytes = 16 << 10

// bounded is a handler that truncates strings in warnings and errors, which may contain
// data of callers. Package requestlog bounds the lines of requests.
type bounded struct{ slog.Handler }

// Handle writes a record.
func (h bounded) Handle(ctx context.Context, record slog.Record) error {
	if record.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, record)
	}
	cut := slog.NewRecord(record.Time, record.Level, cutText(record.Message), record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		cut.AddAttrs(slog.Attr{Key: attr.Key, Value: cutValue(attr.Value.Resolve())})
		return true
	})
	return h.Handler.Handle(ctx, cut)
}

// WithAttrs is part of [slog.Handler].
func (h bounded) WithAttrs(attrs []slog.Attr) slog.Handler {
	return bounded{h.Handler.WithAttrs(attrs)}
}

// WithGroup is part of [slog.Handler].
func (h bounded) WithGroup(name string) slog.Handler { return bounded{h.Handler.WithGroup(name)} }

// cutValue returns a value with its string, or the text of its error, truncated.
func cutValue(value slog.Value) slog.Value {
	switch value.Kind() {
	case slog.KindString:
		return slog.StringValue(cutText(value.String()))
	case slog.KindAny:
		if err, ok := value.Any().(error); ok && err != nil {
			return slog.StringValue(cutText(err.Error()))
		}
	default:
	}
	return value
}

func cutText(text string) string {
	if len(text) <= maxTextBytes {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:maxTextBytes], len(text))
}
