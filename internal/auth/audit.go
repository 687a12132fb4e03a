package auth

import (
	"context"
	"log/slog"
	"net/http"

	"savedq/sqlq"
)

// caller is what the log says of a request that is denied.
type caller struct {
	// token is the name of its token; empty where that is not known.
	token                string
	method, path, remote string
}

func callerOf(r *http.Request) caller {
	return caller{method: r.Method, path: r.URL.Path, remote: r.RemoteAddr}
}

type callerKey struct{}

func withCaller(ctx context.Context, c caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerIn returns the caller that [Handler] let in; nothing is known of any other.
func callerIn(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// logDenied writes the audit line of a request that is denied. Neither a secret nor
// its hash is ever part of it, nor is the query string, which may hold what a
// caller sent in the wrong place.
func (c caller) logDenied(ctx context.Context, logger *slog.Logger, err error, further ...slog.Attr) {
	failure := sqlq.AsError(err)
	attrs := []slog.Attr{slog.String("code", string(failure.Code)), slog.String("reason", failure.PublicText(failure.Param))}
	for _, attr := range []slog.Attr{
		slog.String(tokenAttr, c.token), slog.String("method", c.method), slog.String("path", c.path), slog.String("remote", c.remote),
	} {
		if attr.Value.String() != "" {
			attrs = append(attrs, attr)
		}
	}
	logger.LogAttrs(ctx, slog.LevelWarn, "request denied", append(attrs, further...)...)
}
