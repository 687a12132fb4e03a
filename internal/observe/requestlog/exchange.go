package requestlog

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"savedq/sqlq/runner"
)

// exchange is what is known of a request and its answer.
type exchange struct {
	id, method, path, remote string
	answer                   answer
	limiter                  *Limiter

	// mutex guards what follows: fields of a GraphQL request run side by side.
	mutex sync.Mutex
	token string
	// admitted reports whether the request was let in. Lines about others are limited.
	admitted bool
	// responses are those of the saved queries that were answered; one is the usual
	// number.
	responses []*runner.Response
	one       [1]*runner.Response
}

type exchangeKey struct{}

// of returns what is known of the request whose context it is; nil where nothing is.
func of(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// NoteToken notes the name of the request's token, for all further lines about the
// request, and whether the request was let in. The name is empty where there is none.
func NoteToken(ctx context.Context, name string, admitted bool) {
	if e := of(ctx); e != nil {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		e.token, e.admitted = name, admitted
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

// Origin returns what a line about the request tells of where it came from: its
// method, its path and the address of its caller.
func Origin(ctx context.Context) []slog.Attr {
	e := of(ctx)
	if e == nil {
		return nil
	}
	return []slog.Attr{slog.String("method", e.method), slog.String("path", e.path), slog.String("remote", e.remote)}
}

// note notes that a saved query was answered.
func (e *exchange) note(response *runner.Response) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.responses == nil {
		e.responses = e.one[:0]
	}
	e.responses = append(e.responses, response)
}

// log writes the line of the request, with all that is known of it: the context is
// that of the outside, for which [LogHandler] has nothing to add. The record goes to
// the handler as it is: the logger would look up where in the source it was written.
func (e *exchange) log(ctx context.Context, logger *slog.Logger, ended time.Time, duration time.Duration) {
	const message = "request"
	if !logger.Enabled(ctx, slog.LevelInfo) || !e.mayLog(message, ended) {
		return
	}
	const most = 12
	var attrs [most]slog.Attr
	record := slog.NewRecord(ended, slog.LevelInfo, message, 0)
	record.AddAttrs(e.appendCaller(e.appendAsked(append(attrs[:0],
		slog.String("method", e.method), slog.String("path", e.path),
		slog.Int("status", e.answer.status), slog.Int64("bytes", e.answer.bytes),
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

// appendAsked appends what was asked. Where a request asked several saved queries,
// names stand beside each other, and numbers are added up.
func (e *exchange) appendAsked(attrs []slog.Attr) []slog.Attr {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if len(e.responses) == 0 {
		return attrs
	}
	var endpoints, params, caches list
	rows, bytesProcessed := 0, int64(0)
	for _, response := range e.responses {
		endpoints.add(response.Query.Name)
		for _, arg := range response.Args {
			if arg.Value != nil {
				params.add(arg.Name)
			}
		}
		caches.add(string(response.Cache))
		rows += len(response.Result.Rows)
		if response.Cache != runner.Hit {
			bytesProcessed += response.Result.BytesProcessed
		}
	}
	return append(attrs, slog.String("endpoint", string(endpoints)), slog.String("params", string(params)),
		slog.String("cache", string(caches)), slog.Int("rows", rows), slog.Int64("bytes_processed", bytesProcessed))
}

// list is names with commas between them.
type list string

func (l *list) add(name string) {
	if *l != "" {
		*l += ","
	}
	*l += list(name)
}
