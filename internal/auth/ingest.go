package auth

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"savedq/sqlq"
)

// MayIngestAny returns an error unless the token of a request may ingest events. [MayIngest] checks
// the source.
func MayIngestAny(r *http.Request) error {
	if !Ingests(r.Context()) {
		return sqlq.Errorf(sqlq.PermissionDenied, "the token may not send log events; use one with ingest")
	}
	return nil
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
