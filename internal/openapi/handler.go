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
	return errors.ForGet(func(w http.ResponseWriter, r *http.Request) error {
		text, err := Document(queries(r.Context()), caller(r.Context()), version)
		if err != nil {
			return err
		}
		httpcache.WriteRevalidated(w, r, "application/json; charset=utf-8", text)
		return nil
	})
}
