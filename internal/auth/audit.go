package auth

import (
	"context"
	"log/slog"

	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// logDenied writes the audit line of a request that is denied. Neither a secret nor
// its hash is ever part of it, nor is the query string, which may hold what a
// caller sent in the wrong place. The request's id and the name of its token are
// added as to all lines (see [requestlog.LogHandler]).
func logDenied(ctx context.Context, logger *slog.Logger, err error, further ...slog.Attr) {
	failure := sqlq.AsError(err)
	attrs := []slog.Attr{slog.String("code", string(failure.Code)), slog.String("reason", failure.PublicText(failure.Param))}
	attrs = append(append(attrs, requestlog.Origin(ctx)...), further...)
	logger.LogAttrs(ctx, slog.LevelWarn, "request denied", attrs...)
}
