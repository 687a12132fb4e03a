package auth

import (
	"context"
	"net/http"

	"savedq/sqlq"
)

// HasFullAccess reports whether the token of a request may do everything.
func HasFullAccess(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.scope == "" && g.token.Ingest && g.token.Sources == nil
}

// FullAccessTo returns a function that returns an error unless the token of a request may do everything.
// It is for what shows or deletes the data of all projects. The action is a part of the error,
// such as "maintain the store".
func FullAccessTo(action string) func(r *http.Request) error {
	return func(r *http.Request) error {
		if !HasFullAccess(r.Context()) {
			return sqlq.Errorf(sqlq.PermissionDenied,
				"the token may not %s; use one with ingest and without limits, such as SAVEDQ_TOKEN", action)
		}
		return nil
	}
}
