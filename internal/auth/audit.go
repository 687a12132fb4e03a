package auth

import (
	"context"
	"log/slog"
	"net/http"

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

// Require passes on requests for which check returns no error. It denies and logs all others.
func Require(
	next http.Handler, check func(r *http.Request) error, logger *slog.Logger,
	writeError func(w http.ResponseWriter, r *http.Request, err error),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := check(r); err != nil {
			logDenied(r.Context(), logger, err)
			writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
