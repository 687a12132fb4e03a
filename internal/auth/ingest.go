package auth

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"savedq/sqlq"
)

// Ingest passes on requests whose token may ingest events. It denies and logs all others.
// [MayIngest] checks the source.
func Ingest(next http.Handler, logger *slog.Logger, writeError func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Ingests(r.Context()) {
			err := sqlq.Errorf(sqlq.PermissionDenied, "the token may not send log events; use one with ingest")
			logDenied(r.Context(), logger, err)
			writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Ingests reports whether the token of the request may ingest events of any source.
func Ingests(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.token.Ingest
}

// MayIngest returns an error unless the token of the request may ingest events of the source
// with the table. The error is PERMISSION_DENIED and has been logged.
func MayIngest(ctx context.Context, table string, logger *slog.Logger) error {
	g := grantOf(ctx)
	if g != nil && g.token.Ingest && (g.token.Sources == nil || slices.Contains(g.token.Sources, table)) {
		return nil
	}
	err := &sqlq.Error{Code: sqlq.PermissionDenied, Param: "source", Message: "the token may not send events of " + table}
	logDenied(ctx, logger, err, slog.String("source", table))
	return err
}
