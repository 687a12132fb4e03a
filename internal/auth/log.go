package auth

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
)

// tokenAttr is the attribute that holds a token's name.
const tokenAttr = "token"

type noteKey struct{}

// note is where [Handler] writes down the name of a request's token, for those who
// log the request outside of it. It says nothing about whether the token is good.
type note struct{ name atomic.Pointer[string] }

func (n *note) set(name string) { n.name.Store(&name) }

// noted returns the note of a context, or a context with a new one.
func noted(ctx context.Context) (context.Context, *note) {
	if n, ok := ctx.Value(noteKey{}).(*note); ok {
		return ctx, n
	}
	n := &note{}
	return context.WithValue(ctx, noteKey{}, n), n
}

// NoteHandler makes [LogHandler] know the name of a request's token outside of
// [Handler], too, where the line of each request is logged.
func NoteHandler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, _ := noted(r.Context())
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// LogHandler adds the name of the token to every record that is logged with a
// request's context.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if n, ok := ctx.Value(noteKey{}).(*note); ok {
		if name := n.name.Load(); name != nil && !namesToken(record) {
			record.AddAttrs(slog.String(tokenAttr, *name))
		}
	}
	return h.Handler.Handle(ctx, record)
}

// namesToken says whether a record names a token already.
func namesToken(record slog.Record) bool {
	found := false
	record.Attrs(func(attr slog.Attr) bool {
		found = attr.Key == tokenAttr
		return !found
	})
	return found
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
