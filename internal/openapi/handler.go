package openapi

import (
	"context"
	"net/http"

	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/sqlq"
)

// NewHandler returns a handler that serves the document, on GET and HEAD, with the saved
// queries that the caller may see, as the caller may use them. Caches must revalidate it.
func NewHandler(queries func(ctx context.Context) []*sqlq.SavedQuery, caller func(ctx context.Context) Caller, version string, errors *httperror.Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			errors.WriteMethodNotAllowed(w, r, http.MethodGet, http.MethodHead)
			return
		}
		text, err := Document(queries(r.Context()), caller(r.Context()), version)
		if err != nil {
			errors.Write(w, r, err)
			return
		}
		httpcache.WriteRevalidated(w, r, "application/json; charset=utf-8", text)
	})
}
