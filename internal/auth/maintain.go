package auth

import (
	"log/slog"
	"net/http"

	"savedq/sqlq"
)

// Maintain passes requests on whose token may do everything, and denies and logs all others.
// It is for what shows or deletes the data of all projects.
func Maintain(next http.Handler, logger *slog.Logger, writeError func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := grantOf(r.Context())
		if g == nil || g.scope != "" || !g.token.Ingest || g.token.Sources != nil {
			err := sqlq.Errorf(sqlq.PermissionDenied, "the token may not maintain the store; use one with ingest and without limits, such as that of SAVEDQ_TOKEN")
			logDenied(r.Context(), logger, err)
			writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
