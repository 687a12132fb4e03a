package requestlog

import (
	"context"
	"log/slog"
)

// LogHandler adds the id of a request, and the name of its token where that is
// known, to every record that is logged with the request's context. It limits the
// records about requests that were not let in.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ slog.Handler }

// Handle is part of [slog.Handler].
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if e := exchangeFrom(ctx); e != nil {
		if !e.mayLog(record.Message, record.Time) {
			return nil
		}
		record.AddAttrs(e.appendCaller(nil)...)
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs is part of [slog.Handler].
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup is part of [slog.Handler].
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
