// Package bigquery is the engine that runs saved queries on BigQuery. It is the
// only user of the BigQuery SDK.
package bigquery

import (
	"context"
	"fmt"

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
	return &Engine{config: config, client: client, service: service}, nil
}

// Close cancels the jobs that are still running, waits for the service to confirm, and
// releases the client. Every later run fails.
func (e *Engine) Close() error {
	e.runs.close()
	if err := e.client.Close(); err != nil {
		return fmt.Errorf("close the BigQuery client: %w", err)
	}
	return nil
}

// Dialect returns GoogleSQL.
func (e *Engine) Dialect() sqlq.Dialect { return googlesql.Dialect{} }
