// Package requestlog logs requests. It assigns an id to each request, writes one line
// about it, and adds the request's attributes to all other lines about it.
package requestlog

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

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
