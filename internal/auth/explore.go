package auth

import (
	"context"
	"net/http"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Explores reports whether the token of a request may run any SELECT over the tables.
func Explores(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.token.Explore
}

// Explore runs SQL of a caller over the tables, as Run does with a sandbox. The saved query of
// the request must have a parameter for each one that the token binds, which excludes rows of other values.
func (r *Runner) Explore(ctx context.Context, request runner.Request) (*runner.Response, error) {
	return r.run(ctx, request, func(g *grant) error {
		if !g.token.Explore {
			return errExplore()
		}
		return nil
	})
}

// MayExplore returns an error unless the token of a request may run any SELECT over the tables.
func MayExplore(r *http.Request) error {
	if !Explores(r.Context()) {
		return errExplore()
	}
	return nil
}

func errExplore() error {
	return sqlq.Errorf(sqlq.PermissionDenied, "the token may not explore; use one with explore")
}
