// Package clickhouse is the engine that runs saved queries on ClickHouse. It is the only user of ClickHouse's client.
package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"savedq/sqlq"
)

// Engine runs saved queries on the tables of one database. Any number of goroutines may use it.
type Engine struct {
	config Config
	// database has the tables whose names have no database.
	database string
	client   driver.Conn
	// closing ends with Close, which waits until nothing holds running.
	closing context.Context //nolint:containedctx // It lasts as long as the engine.
	stop    context.CancelCauseFunc
	running sync.RWMutex
	untyped untypedTables
	// translations are for certain arguments.
	translations fixedTranslations
}

// errClosed is the reason of a run whose engine was closed.
var errClosed = errors.New("the engine is closed")

var _ sqlq.Engine = (*Engine)(nil)

// New returns an engine. It sends no request yet: [Engine.CheckServer] does.
func New(ctx context.Context, config Config) (*Engine, error) {
	config, err := config.checked()
	if err != nil {
		return nil, err
	}
	options, err := config.options()
	if err != nil {
		return nil, err
	}
	client, err := clickhouse.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open the ClickHouse client: %w", err)
	}
	engine := &Engine{config: config, database: options.Auth.Database, client: client}
	engine.closing, engine.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return engine, nil
}

// Close cancels the queries that are still running, and releases the client. Every later run fails.
func (e *Engine) Close() error {
	e.stop(errClosed)
	e.running.Lock()
	defer e.running.Unlock()
	if err := e.client.Close(); err != nil {
		return fmt.Errorf("close the ClickHouse client: %w", err)
	}
	return nil
}

// begin starts a run. Its context ends with ctx and with the engine, and has no deadline, from which the client would derive
// the server's limit of time. end must be called after the run.
func (e *Engine) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	if !e.running.TryRLock() { // Close waits
		return nil, nil, errClosed
	}
	if e.closing.Err() != nil {
		e.running.RUnlock()
		return nil, nil, errClosed
	}
	bounded, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	leave := context.AfterFunc(e.closing, func() { cancel(errClosed) })
	abandon := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	return bounded, func() {
		leave()
		abandon()
		cancel(nil)
		e.running.RUnlock()
	}, nil
}

// Dialect returns ClickHouse's SQL.
func (e *Engine) Dialect() sqlq.Dialect { return Dialect{OTelLogs: e.config.OTelLogs} }

// CheckServer checks, before a server accepts requests, that ClickHouse can be reached, and lets its user set the limits of
// queries. The error is one line with what is missing and how to correct it. [Engine.Check] reports mistakes in the SQL.
func (e *Engine) CheckServer(ctx context.Context) error {
	within, end, err := e.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	query := &sqlq.SavedQuery{Name: "start"}
	rows, err := e.texts(within, e.config.settings(query), nil, "SELECT version()")
	if err != nil {
		return e.config.setupError(err)
	}
	if len(rows) == 0 {
		return fmt.Errorf("%w: no version", errRows)
	}
	e.config.Logger.InfoContext(ctx, "ClickHouse can be reached", slog.String("version", rows[0][0]), slog.String("database", e.database))
	return nil
}

// Ping returns an error if the server is unreachable.
func (e *Engine) Ping(ctx context.Context) error {
	within, end, err := e.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := e.client.Ping(within); err != nil {
		return e.config.setupError(err)
	}
	return nil
}
