package requestlog

import (
	"context"
	"log/slog"

	"savedq/internal/observe/logging"
)

// LogHandler adds the id of a request, and the name of its token where that is
// known, to every record that is logged with the request's context. It limits the
// records about requests that were not let in.
func LogHandler(next slog.Handler) slog.Handler {
	return logging.Intercept(next, func(ctx context.Context, record slog.Record, next slog.Handler) error {
		if e := exchangeFrom(ctx); e != nil {
			if !e.mayLog(record.Message, record.Time) {
				return nil
			}
			record.AddAttrs(e.appendCaller(nil)...)
		}
		return next.Handle(ctx, record)
	})
}
