// Package requestid gives each request an id, by which an answer and the log
// lines about it find each other (D15).
package requestid

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/google/uuid"
)

// Header carries the id, in requests and in answers.
const Header = "X-Request-Id"

type contextKey struct{}

// Handler gives each request an id and returns it with the answer. An id that
// the caller sends is kept if it is fit for a log.
func Handler(next http.Handler) http.Handler {
	fit := regexp.MustCompile(`\A[A-Za-z0-9._-]{1,128}\z`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(Header)
		if !fit.MatchString(id) {
			id = uuid.NewString()
		}
		w.Header().Set(Header, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, id)))
	})
}

// LogHandler adds the id to every record that is logged with a request's
// context.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(contextKey{}).(string); ok {
		record.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
