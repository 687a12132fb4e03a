// Package bigquery is the engine that runs saved queries on BigQuery. It is the
// only user of the BigQuery SDK.
package bigquery

import (
	"context"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// Engine runs saved queries as jobs of one project, on the tables of one
// dataset. Any number of goroutines may use it.
type Engine struct {
	config Config
	// service is the layer under Google's client, which cannot read every type in every place
	// (a RANGE in a STRUCT), panics at rows that do not match their schema, and can only cancel
	// a job that it has seen.
	service *rest.Service
	runs    runs
}

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
	service, err := rest.NewService(ctx, config.clientOptions()...)
	if err != nil {
		return nil, credentialsError(err)
	}
	return &Engine{config: config, service: service}, nil
}

// Close cancels the jobs that are still running, and waits for the service to confirm. Every
// later run fails.
func (e *Engine) Close() error {
	e.runs.close()
	return nil
}

// Dialect returns GoogleSQL.
func (e *Engine) Dialect() sqlq.Dialect { return googlesql.Dialect{} }
