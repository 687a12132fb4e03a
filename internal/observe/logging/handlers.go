package logging

import (
	"context"
	"fmt"
	"log/slog"
)

// Intercept returns a handler whose records handle changes, drops or passes on to next.
func Intercept(next slog.Handler, handle func(ctx context.Context, record slog.Record, next slog.Handler) error) slog.Handler {
	return interceptor{next, handle}
}

type interceptor struct {
	slog.Handler
	handle func(ctx context.Context, record slog.Record, next slog.Handler) error
}

// Handle writes a record.
func (i interceptor) Handle(ctx context.Context, record slog.Record) error {
	return i.handle(ctx, record, i.Handler)
}

// WithAttrs is part of [slog.Handler].
func (i interceptor) WithAttrs(attrs []slog.Attr) slog.Handler {
	return interceptor{i.Handler.WithAttrs(attrs), i.handle}
}

// WithGroup is part of [slog.Handler].
func (i interceptor) WithGroup(name string) slog.Handler {
	return interceptor{i.Handler.WithGroup(name), i.handle}
}

// hurryWarnings does not let warnings wait for further lines.
func (l *lines) hurryWarnings(ctx context.Context, record slog.Record, next slog.Handler) error {
	err := next.Handle(ctx, record)
	if record.Level >= slog.LevelWarn {
		l.hurry()
	}
	return err
}

// maxTextBytes bounds the message and each text of a warning or an error. Stacks fit.
const maxTextBytes = 16 << 10

// cutTexts truncates strings in warnings and errors, which may contain
// data of callers. Package requestlog bounds the lines of requests.
func cutTexts(ctx context.Context, record slog.Record, next slog.Handler) error {
	if record.Level < slog.LevelWarn {
		return next.Handle(ctx, record)
	}
	cut := slog.NewRecord(record.Time, record.Level, cutText(record.Message), record.PC)
	record.Attrs(func(attr slog.Attr) bool {
		cut.AddAttrs(slog.Attr{Key: attr.Key, Value: cutValue(attr.Value.Resolve())})
		return true
	})
	return next.Handle(ctx, cut)
}

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
