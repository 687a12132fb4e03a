package auth

import (
	"context"
	"log/slog"

	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// logDenied writes the audit line of a denied request. The line never contains a secret,
// its hash or the query string, where a caller may have put a secret by mistake.
// [requestlog.LogHandler] adds the request's id and the name of its token.
func logDenied(ctx context.Context, logger *slog.Logger, err error, extra ...slog.Attr) {
	failure := sqlq.AsError(err)
	attrs := []slog.Attr{slog.String("code", string(failure.Code)), slog.String("reason", failure.PublicText(failure.Param))}
	attrs = append(append(attrs, requestlog.Origin(ctx)...), extra...)
	logger.LogAttrs(ctx, slog.LevelWarn, "request denied", attrs...)
}
