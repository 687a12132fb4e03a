// Package requestlog logs requests. It assigns an id to each request, writes one line
// about it, and adds the request's attributes to all other lines about it.
package requestlog

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"savedq/internal/observe/logging"
	"savedq/sqlq/runner"
)

// IDHeader is the header for the id of a request, in requests and responses. The id
// connects a response with its log lines (D15).
const IDHeader = "X-Request-Id"

// Handler assigns an id to each request, sets it in the response (D15), and logs the
// request when it has ended. It calls served with the duration. [Runner] records the saved
// queries of the request, and [NoteToken] its token. The limiter limits the lines about
// requests that were not admitted according to [NoteToken].
func Handler(next http.Handler, logger *slog.Logger, limiter *Limiter, clock func() time.Time, served func(r *http.Request, status int, duration time.Duration)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := clock()
		e := &exchange{
			id: idOf(r), method: clip(r.Method), path: printable(clip(r.URL.Path)), remote: r.RemoteAddr, limiter: limiter,
			written: responseWriter{ResponseWriter: w, status: http.StatusOK},
		}
		w.Header().Set(IDHeader, e.id)
		outside := r.Context()
		r = r.WithContext(context.WithValue(outside, exchangeKey{}, e))
		defer func() { // a panic that ends the connection is a request as well
			ended := clock()
			duration := ended.Sub(began)
			e.log(outside, logger, ended, duration)
			served(r, e.written.status, duration)
		}()
		next.ServeHTTP(&e.written, r)
	})
}

// idOf returns the id that the caller sends if it is fit for a log, or else a new one.
func idOf(r *http.Request) string {
	const (
		maxBytes = 128
		fit      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	)
	if id := r.Header.Get(IDHeader); id != "" && len(id) <= maxBytes && strings.Trim(id, fit) == "" {
		return id
	}
	return uuid.NewString()
}

// LogHandler adds the id of a request, and the name of its token where that is
// known, to every record that is logged with the request's context. It limits the
// records about requests that were not let in.
func LogHandler(next slog.Handler) slog.Handler {
	return logging.Intercept(next, func(ctx context.Context, record slog.Record, next slog.Handler) error {
		if e := exchangeFrom(ctx); e != nil {
			if !e.mayLog(record.Message, record.Time) {
				return nil
			}
			record.AddAttrs(e.appendCaller(nil)...)
		}
		return next.Handle(ctx, record)
	})
}

// Note records the response of a saved query, for the line of [Handler]. Arguments are logged
// only at the level DEBUG.
func Note(ctx context.Context, logger *slog.Logger, response *runner.Response) {
	if e := exchangeFrom(ctx); e != nil {
		e.note(response)
	}
	if !logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	values := make([]slog.Attr, len(response.Args))
	for i, arg := range response.Args {
		values[i] = slog.Any(arg.Name, arg.Value)
	}
	logger.LogAttrs(ctx, slog.LevelDebug, "saved query served", slog.String("endpoint", response.Query.Name),
		slog.String("cache", string(response.Cache)), slog.GroupAttrs("args", values...))
}

// responseWriter records the status and size of a response.
type responseWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader is part of [http.ResponseWriter].
func (w *responseWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write is part of [http.ResponseWriter].
func (w *responseWriter) Write(body []byte) (int, error) {
	n, err := w.ResponseWriter.Write(body)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets [http.ResponseController] reach the real writer.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
