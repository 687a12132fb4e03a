// Package requestlog writes one line for each request: what was asked, how it was
// answered, and what that took.
package requestlog

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"savedq/sqlq"
)

// Handler logs each request once it is answered, and calls served with what it
// took. Outside of it a caller's name for the request is known; inside of it
// [Runner] notes which saved queries were asked.
func Handler(next http.Handler, logger *slog.Logger, clock func() time.Time, served func(r *http.Request, status int, duration time.Duration)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := clock()
		noted := &note{}
		r = r.WithContext(context.WithValue(r.Context(), noteKey{}, noted))
		counter := &responseCounter{ResponseWriter: w, status: http.StatusOK}
		defer func() { // a panic that ends the connection is a request as well
			duration := clock().Sub(began)
			noted.log(logger, r, counter, duration)
			served(r, counter.status, duration)
		}()
		next.ServeHTTP(counter, r)
	})
}

type noteKey struct{}

// note is what is known of a request's saved queries.
type note struct {
	mutex          sync.Mutex
	endpoints      []string
	params         []string
	caches         []string
	rows           int
	bytesProcessed int64
}

// add notes that a saved query was answered.
func (n *note) add(reply *sqlq.Reply) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.endpoints = append(n.endpoints, reply.Query.Name)
	for _, arg := range reply.Args {
		if arg.Value != nil {
			n.params = append(n.params, arg.Name)
		}
	}
	n.caches = append(n.caches, string(reply.Cache))
	n.rows += len(reply.Result.Rows)
	if reply.Cache != sqlq.Hit {
		n.bytesProcessed += reply.Result.BytesProcessed
	}
}

// log writes the line of a request.
func (n *note) log(logger *slog.Logger, r *http.Request, answer *responseCounter, duration time.Duration) {
	const most = 10 // attributes
	attrs := make([]slog.Attr, 0, most)
	attrs = append(attrs, slog.String("method", r.Method), slog.String("path", r.URL.Path),
		slog.Int("status", answer.status), slog.Int64("bytes", answer.bytes),
		slog.Float64("duration_ms", float64(duration.Microseconds())/1000))
	logger.LogAttrs(r.Context(), slog.LevelInfo, "request", n.append(attrs)...)
}

// append appends what is noted to the attributes of the request's line. Where a
// request asked several saved queries, names stand beside each other, and numbers
// are added up.
func (n *note) append(attrs []slog.Attr) []slog.Attr {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if len(n.endpoints) == 0 {
		return attrs
	}
	return append(attrs, slog.String("endpoint", strings.Join(n.endpoints, ",")), slog.String("params", strings.Join(n.params, ",")),
		slog.String("cache", strings.Join(n.caches, ",")), slog.Int("rows", n.rows), slog.Int64("bytes_processed", n.bytesProcessed))
}

// responseCounter remembers what was answered.
type responseCounter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (c *responseCounter) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *responseCounter) Write(body []byte) (int, error) {
	n, err := c.ResponseWriter.Write(body)
	c.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the real writer.
func (c *responseCounter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
