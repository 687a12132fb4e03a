package requestlog

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"savedq/sqlq/runner"
)

// exchange collects what the log says about a request and its response.
type exchange struct {
	id, method, path, remote string
	written                  responseWriter
	limiter                  *Limiter

	// mutex guards the fields below. Fields of a GraphQL request run concurrently.
	mutex sync.Mutex
	token string
	// admitted is true if the request was admitted. Lines about other requests are limited.
	admitted bool
	// responses are the responses of saved queries. one avoids an allocation for the usual number.
	responses []*runner.Response
	one       [1]*runner.Response
}

type exchangeKey struct{}

// exchangeFrom returns the exchange of a request's context, or nil if there is none.
func exchangeFrom(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// ID returns the id of a request, or an empty string if it has none.
func ID(ctx context.Context) string {
	if e := exchangeFrom(ctx); e != nil {
		return e.id
	}
	return ""
}

// NoteToken records the name of the request's token, for all further lines about the
// request, and whether the request was admitted. The name is empty if there is no token.
func NoteToken(ctx context.Context, name string, admitted bool) {
	if e := exchangeFrom(ctx); e != nil {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		e.token, e.admitted = name, admitted
	}
}

// NoteDenied records that a request was denied after it had been admitted, so that further
// lines about it are limited.
func NoteDenied(ctx context.Context) {
	if e := exchangeFrom(ctx); e != nil {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		e.admitted = false
	}
}

// mayLog reports whether a line about the request may be written: those about requests
// that were not let in are limited.
func (e *exchange) mayLog(message string, at time.Time) bool {
	e.mutex.Lock()
	token, admitted := e.token, e.admitted
	e.mutex.Unlock()
	return admitted || e.limiter.allow(lineKind{message, token}, e.remote, at)
}

// Origin returns the attributes of a request's origin: its method, its path and the
// address of its caller.
func Origin(ctx context.Context) []slog.Attr {
	e := exchangeFrom(ctx)
	if e == nil {
		return nil
	}
	return []slog.Attr{slog.String("method", e.method), slog.String("path", e.path), slog.String("remote", e.remote)}
}

// note records the response of a saved query.
func (e *exchange) note(response *runner.Response) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.responses == nil {
		e.responses = e.one[:0]
	}
	e.responses = append(e.responses, response)
}

// log writes the line of the request. The context is the outer one, so [LogHandler] adds
// nothing. The record goes directly to the handler, because the logger would look up its
// position in the source.
func (e *exchange) log(ctx context.Context, logger *slog.Logger, ended time.Time, duration time.Duration) {
	const message = "request"
	if !logger.Enabled(ctx, slog.LevelInfo) || !e.mayLog(message, ended) {
		return
	}
	const most = 12
	var attrs [most]slog.Attr
	record := slog.NewRecord(ended, slog.LevelInfo, message, 0)
	record.AddAttrs(e.appendCaller(e.appendQueries(append(attrs[:0],
		slog.String("method", e.method), slog.String("path", e.path),
		slog.Int("status", e.written.status), slog.Int64("bytes", e.written.bytes),
		slog.Float64("duration_ms", float64(duration.Microseconds())/1000))))...)
	_ = logger.Handler().Handle(ctx, record)
}

// appendCaller appends the request's id, and the name of its token where that is
// known.
func (e *exchange) appendCaller(attrs []slog.Attr) []slog.Attr {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	attrs = append(attrs, slog.String("request_id", e.id))
	if e.token != "" {
		attrs = append(attrs, slog.String("token", e.token))
	}
	return attrs
}

// appendQueries appends the saved queries of the request. For several queries it lists the
// names and adds up the numbers.
func (e *exchange) appendQueries(attrs []slog.Attr) []slog.Attr {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if len(e.responses) == 0 {
		return attrs
	}
	var endpoints, params, caches []string
	rows, bytesProcessed := 0, int64(0)
	for _, response := range e.responses {
		endpoints = append(endpoints, response.Query.Name)
		for _, arg := range response.Args {
			if arg.Value != nil {
				params = append(params, arg.Name)
			}
		}
		caches = append(caches, string(response.Cache))
		rows += response.Result.RowCount()
		if response.Cache != runner.Hit {
			bytesProcessed += response.Result.BytesProcessed
		}
	}
	list := func(key string, names []string) slog.Attr { return slog.String(key, strings.Join(names, ",")) }
	return append(attrs, list("endpoint", endpoints), list("params", params), list("cache", caches),
		slog.Int("rows", rows), slog.Int64("bytes_processed", bytesProcessed))
}

// mostTextBytes bounds the method and the path of a request in the log: a caller may
// send tens of kilobytes of either.
const mostTextBytes = 512

// clip truncates a string that is too long for the log.
func clip(text string) string {
	if len(text) <= mostTextBytes {
		return text
	}
	return strings.ToValidUTF8(text[:mostTextBytes], "") + "…"
}

// printable returns a path as it is, or percent-encoded where it holds a character that
// changes what a terminal shows.
func printable(path string) string {
	for i := range len(path) {
		if path[i] < ' ' || path[i] > '~' { // not plain ASCII: check each character
			if !utf8.ValidString(path) || strings.ContainsFunc(path, func(c rune) bool { return !unicode.IsPrint(c) }) {
				return (&url.URL{Path: path}).EscapedPath()
			}
			break
		}
	}
	return path
}
