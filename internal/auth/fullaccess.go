package auth

import (
	"context"
	"log/slog"
	"net/http"

	"savedq/sqlq"
)

// HasFullAccess reports whether the token of a request may do everything.
func HasFullAccess(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.scope == "" && g.token.Ingest && g.token.Sources == nil
}

// FullAccessTo passes on requests whose token may do everything, and denies and logs all others.
// It is for what shows or deletes the data of all projects. The action is a part of the error,
// such as "maintain the store".
func FullAccessTo(action string, next http.Handler, logger *slog.Logger, writeError func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !HasFullAccess(r.Context()) {
			err := sqlq.Errorf(sqlq.PermissionDenied, "the token may not %s; use one with ingest and without limits, such as that of SAVEDQ_TOKEN", action)
			logDenied(r.Context(), logger, err)
			writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
