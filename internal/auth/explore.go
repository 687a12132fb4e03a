package auth

import (
	"context"
	"log/slog"
	"net/http"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Explores reports whether the token of a request may run any SELECT over the tables.
func Explores(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.token.Explore
}

// Explore runs SQL of a caller over the tables, as Run runs that of a saved query with a sandbox. The saved query of
// the request must have a parameter for each one that the token binds, which excludes rows of other values.
func (r *Runner) Explore(ctx context.Context, request runner.Request) (*runner.Response, error) {
	return r.run(ctx, request, func(g *grant) error {
		if !g.token.Explore {
			return errExplore()
		}
		return nil
	})
}

// Exploring passes on requests whose token may run any SELECT over the tables. It denies and logs all others.
func Exploring(next http.Handler, logger *slog.Logger, writeError func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Explores(r.Context()) {
			err := errExplore()
			logDenied(r.Context(), logger, err)
			writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func errExplore() error {
	return sqlq.Errorf(sqlq.PermissionDenied, "the token may not explore; use one with explore")
}
