package runlog

import (
	"context"
	"database/sql/driver"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

const (
	// mostWaiting limits the runs that wait to be written. Further ones are dropped.
	mostWaiting = 10_000
	// interval is how often runs are written.
	interval = 3 * time.Second
	// drain is how long the last runs may take to be written.
	drain = 10 * time.Second
)

// The interfaces of runs that the server itself requests.
const (
	Refresh = "refresh"
	Alert   = "alert"
)

// Store keeps runs. Each has a value for each column of [savedq/sqlq/tables.Runs].
type Store interface {
	AddRuns(ctx context.Context, runs [][]driver.Value) error
}

// Log notes runs. Nil notes nothing. It is safe for concurrent use.
type Log struct {
	store  Store
	clock  func() time.Time
	logger *slog.Logger

	// writing is locked while runs are written.
	writing sync.Mutex
	mutex   sync.Mutex
	waiting []run
	// halfFull is sent to when half of the runs that can wait do.
	halfFull chan struct{}
	dropped  atomic.Int64
}

// New returns a log. While its [Log.Maintain] runs, runs are written to the store.
func New(store Store, clock func() time.Time, logger *slog.Logger) *Log {
	return &Log{store: store, clock: clock, logger: logger, halfFull: make(chan struct{}, 1)}
}

// Begin returns the time at which a run begins.
func (l *Log) Begin() time.Time {
	if l == nil {
		return time.Time{}
	}
	return l.clock()
}

// Run runs a request, and notes its response or its error.
func (l *Log) Run(ctx context.Context, caller Caller, next runner.QueryRunner, request runner.Request) (*runner.Response, error) {
	if l == nil {
		return next.Run(ctx, request)
	}
	began, sent := l.clock(), 0
	if emit := request.Emit; emit != nil {
		request.Emit = func(batch *sqlq.Batch) error {
			err := emit(batch)
			if err == nil {
				sent += batch.Len()
			}
			return err
		}
	}
	response, err := next.Run(ctx, request)
	l.responded(caller, began, request, response, sent, err)
	return response, err
}

// responded notes the response to a request that began at a time, or its error after some rows were sent.
func (l *Log) responded(caller Caller, began time.Time, request runner.Request, response *runner.Response, sent int, err error) {
	noted := run{Caller: caller, began: began, duration: l.clock().Sub(began), query: request.Query.Name}
	if err == nil {
		noted.setResponse(response)
	} else {
		noted.rows, noted.code = int64(sent), string(sqlq.AsError(err).Code)
		if args, invalid := request.Bind(); invalid == nil {
			noted.project = projectOf(args, request.Query.Params)
			noted.setArguments(runner.KeyOfArgs(args) + request.SQL)
		}
	}
	l.add(&noted)
}

// Hit notes a response that began at a time and was found encoded in the cache.
func (l *Log) Hit(caller Caller, began time.Time, response *runner.Response) {
	if l != nil {
		l.responded(caller, began, runner.Request{Query: response.Query}, response, 0, nil)
	}
}

// Refreshed notes a refresh in the background; see [runner.Observer].
func (l *Log) Refreshed(entry *cache.Entry, err error) {
	if l == nil {
		return
	}
	noted := run{Caller: Caller{Interface: Refresh}, began: l.clock(), query: entry.Query.Name}
	noted.setResponse(&runner.Response{Entry: entry, Cache: runner.Refreshed})
	if err == nil {
		noted.began, noted.duration = entry.AsOf, entry.ComputedAt.Sub(entry.AsOf)
	} else {
		noted.cache, noted.rows, noted.bytes, noted.code = "", 0, 0, string(sqlq.AsError(err).Code)
	}
	l.add(&noted)
}

// setResponse notes what a response says.
func (r *run) setResponse(response *runner.Response) {
	r.project = projectOf(response.Args, response.Query.Params)
	r.setArguments(argumentsOf(response))
	r.cache, r.rows, r.bytes = string(response.Cache), int64(response.Result.RowCount()), response.Bytes
}

// add adds a run to those that wait, unless there are too many.
func (l *Log) add(noted *run) {
	l.mutex.Lock()
	waiting := len(l.waiting)
	if waiting < mostWaiting {
		l.waiting = append(l.waiting, *noted)
	}
	l.mutex.Unlock()
	switch waiting {
	case mostWaiting:
		l.dropped.Add(1)
	case mostWaiting / 2:
		select {
		case l.halfFull <- struct{}{}:
		default:
		}
	}
}

// Dropped returns how many runs were not written, because too many waited or the store failed.
func (l *Log) Dropped() int64 {
	if l == nil {
		return 0
	}
	return l.dropped.Load()
}

// Maintain writes runs until the context ends, and then the last ones.
func (l *Log) Maintain(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			within, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
			defer cancel()
			l.Write(within)
			return
		case <-l.halfFull:
		case <-ticker.C:
		}
		l.Write(ctx)
	}
}

// Write writes the runs that wait. Maintain calls it; so do callers that want to read them at once.
func (l *Log) Write(ctx context.Context) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mutex.Lock()
	waiting := l.waiting
	l.waiting = make([]run, 0, len(waiting))
	l.mutex.Unlock()
	if len(waiting) == 0 {
		return
	}
	rows := make([][]driver.Value, len(waiting))
	for i := range waiting {
		rows[i] = waiting[i].row()
	}
	if err := l.store.AddRuns(ctx, rows); err != nil {
		l.dropped.Add(int64(len(rows)))
		l.logger.WarnContext(ctx, "runs could not be added to savedq_runs", slog.Int("runs", len(rows)), slog.Any("error", err))
	}
}
