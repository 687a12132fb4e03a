package auth

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"savedq/sqlq"
	"savedq/sqlq/runner"
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

// MayManageTokens returns an error unless the token of a request may list, create and revoke tokens.
func MayManageTokens(r *http.Request) error {
	if !ManagesTokens(r.Context()) {
		return sqlq.Errorf(sqlq.PermissionDenied, "the token may not manage tokens; use one with manage_tokens, such as SAVEDQ_TOKEN")
	}
	return nil
}

// ManagesTokens reports whether the token of a request may list, create and revoke tokens.
func ManagesTokens(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.token.ManageTokens && !g.token.signed()
}

// Explores reports whether the token of a request may run any SELECT over the tables.
func Explores(ctx context.Context) bool { return grantOf(ctx).permitExplore(nil) == nil }

// MayExplore returns an error unless the token of a request may run any SELECT over the tables.
func MayExplore(r *http.Request) error { return grantOf(r.Context()).permitExplore(nil) }

func (g *grant) permitExplore(*runner.Request) error {
	if g == nil || !g.token.Explore {
		return sqlq.Errorf(sqlq.PermissionDenied, "the token may not explore; use one with explore")
	}
	return nil
}

// ManagesAlerts reports whether the token of a request may silence and acknowledge the alerts that it sees.
func ManagesAlerts(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.token.Alerts
}

// Ingests reports whether the token of the request may ingest events of any source.
func Ingests(ctx context.Context) bool {
	g := grantOf(ctx)
	return g != nil && g.token.Ingest
}

// MayIngestAny returns an error unless the token of a request may ingest events. [MayIngest] checks
// the source.
func MayIngestAny(r *http.Request) error {
	if !Ingests(r.Context()) {
		return sqlq.Errorf(sqlq.PermissionDenied, "the token may not send log events; use one with ingest")
	}
	return nil
}

// MayIngest returns an error unless the token of the request may ingest events of the source
// with the table. The error is PERMISSION_DENIED and has been logged.
func MayIngest(ctx context.Context, table string, logger *slog.Logger) error {
	if g := grantOf(ctx); Ingests(ctx) && (g.token.Sources == nil || slices.Contains(g.token.Sources, table)) {
		return nil
	}
	err := &sqlq.Error{Code: sqlq.PermissionDenied, Param: "source", Message: "the token may not send events of " + table}
	logDenied(ctx, logger, err, slog.String("source", table))
	return err
}
