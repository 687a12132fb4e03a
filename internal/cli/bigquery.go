package cli

import (
	"errors"
	"fmt"
	"time"

	"savedq/internal/engines"
	"savedq/sqlq/bigquery"
)

// bigQueryFlags configure the BigQuery engine.
type bigQueryFlags struct {
	BigQueryProject    string            `name:"bigquery-project" placeholder:"PROJECT" needs:"engine=bigquery" with:"engine=bigquery" help:"BigQuery: project that pays for the jobs and holds the dataset."`
	BigQueryDataset    string            `name:"bigquery-dataset" placeholder:"DATASET" needs:"engine=bigquery" with:"engine=bigquery" help:"BigQuery: dataset of the tables that saved queries name."`
	BigQueryLocation   string            `name:"bigquery-location" placeholder:"LOCATION" needs:"engine=bigquery" help:"BigQuery: where jobs run, such as EU. Default: where the dataset is."`
	BigQueryLabels     map[string]string `name:"bigquery-labels" placeholder:"KEY=VALUE;…" needs:"engine=bigquery" help:"BigQuery: labels of every query, besides savedq_endpoint."`
	BigQueryJobTimeout time.Duration     `name:"bigquery-job-timeout" default:"25s" min:"1s" placeholder:"DURATION" needs:"engine=bigquery" help:"BigQuery: longest time that a job may take. Default: ${default}."`
	MaxBytesBilled     byteSize          `default:"10GiB" min:"1B" placeholder:"SIZE" needs:"engine=bigquery" help:"BigQuery: most bytes that one run of a saved query may be billed for; a run that needs more fails without cost. Default: ${default}."`
}

// ValidateServe implements engineSetup.
func (f *bigQueryFlags) ValidateServe(serve *serveCommand) error {
	switch {
	case serve.Demo:
		return errors.New("--demo: demo logs are for the embedded store, not for --engine bigquery")
	case serve.Retention != 0 || serve.RetentionFile != "":
		return errNoRetention
	case serve.QueryTimeout <= f.BigQueryJobTimeout:
		return fmt.Errorf("--query-timeout: %s must be longer than --bigquery-job-timeout, %s", serve.QueryTimeout, f.BigQueryJobTimeout)
	}
	return nil
}

// memory implements engineSetup.
func (f *bigQueryFlags) memory() **byteSize { return nil }

// concurrency implements engineSetup.
func (f *bigQueryFlags) concurrency() int { return mostConcurrency }

// engine implements engineSetup.
func (f *bigQueryFlags) engine() engines.Engine {
	return engines.BigQuery{Config: bigquery.Config{
		Project:        f.BigQueryProject,
		Dataset:        f.BigQueryDataset,
		Location:       f.BigQueryLocation,
		MaxBytesBilled: int64(f.MaxBytesBilled),
		JobTimeout:     f.BigQueryJobTimeout,
		Labels:         f.BigQueryLabels,
	}}
}
