// Package bigquery is the engine that runs saved queries on BigQuery. It is the
// only user of the BigQuery SDK.
package bigquery

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cloud.google.com/go/bigquery"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// Engine runs saved queries as jobs of one project, on the tables of one
// dataset. Any number of goroutines may use it.
type Engine struct {
	config Config
	client *bigquery.Client
	// service is the layer under client. Rows are read through it, because the
	// client cannot read every type in every place (a RANGE in a STRUCT) and
	// panics at rows that do not match their schema; and jobs are cancelled
	// through it, because the client can only cancel a job that it has seen.
	service *rest.Service
	// closing ends with Close, which waits until nothing holds running.
	closing context.Context //nolint:containedctx // It lasts as long as the engine.
	stop    context.CancelCauseFunc
	running sync.RWMutex
}

// errClosed is the reason of a run whose engine was closed.
var errClosed = errors.New("the engine is closed")

var _ sqlq.Engine = (*Engine)(nil)

// New returns an engine that acts with the application default credentials, or,
// where the variable BIGQUERY_EMULATOR_HOST is set, without any on an emulator.
// It sends no request yet: [Engine.CheckTables] does. The error is one line
// with what is missing and the remedy.
func New(ctx context.Context, config Config) (*Engine, error) {
	config, err := config.checked()
	if err != nil {
		return nil, err
	}
	options := config.clientOptions()
	client, err := bigquery.NewClient(ctx, config.Project, options...)
	if err != nil {
		return nil, credentialsError(err)
	}
	client.Location = config.Location
	service, err := rest.NewService(ctx, options...)
	if err != nil {
		return nil, credentialsError(err)
	}
	engine := &Engine{config: config, client: client, service: service}
	engine.closing, engine.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return engine, nil
}

// Close cancels the jobs that are still running, waits for the service to confirm, and
// releases the client. Every later run fails.
func (e *Engine) Close() error {
	e.stop(errClosed)
	e.running.Lock()
	defer e.running.Unlock()
	if err := e.client.Close(); err != nil {
		return fmt.Errorf("close the BigQuery client: %w", err)
	}
	return nil
}

// begin starts a run. Its context ends with the engine; end must be called after the run.
func (e *Engine) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	if !e.running.TryRLock() { // Close waits
		return nil, nil, errClosed
	}
	if e.closing.Err() != nil {
		e.running.RUnlock()
		return nil, nil, errClosed
	}
	bounded, cancel := context.WithCancelCause(ctx)
	leave := context.AfterFunc(e.closing, func() { cancel(errClosed) })
	return bounded, func() {
		leave()
		cancel(nil)
		e.running.RUnlock()
	}, nil
}

// Dialect returns GoogleSQL.
func (e *Engine) Dialect() sqlq.Dialect { return googlesql.Dialect{} }
