package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"savedq/internal/querytest"
	"savedq/internal/secretfile"
	"savedq/sqlq"
	"savedq/sqlq/bigquery"
	"savedq/sqlq/bigquery/googlesql"
)

// bigQueryFlags configure the BigQuery engine.
type bigQueryFlags struct {
	BigQueryProject    string            `name:"bigquery-project" placeholder:"PROJECT" needs:"engine=bigquery" help:"BigQuery: project that pays for the jobs and holds the dataset."`
	BigQueryDataset    string            `name:"bigquery-dataset" placeholder:"DATASET" needs:"engine=bigquery" help:"BigQuery: dataset of the tables that saved queries name."`
	BigQueryLocation   string            `name:"bigquery-location" placeholder:"LOCATION" needs:"engine=bigquery" help:"BigQuery: where jobs run, such as EU. Default: where the dataset is."`
	BigQueryLabels     map[string]string `name:"bigquery-labels" placeholder:"KEY=VALUE;…" needs:"engine=bigquery" help:"BigQuery: labels of every query, beside savedq_endpoint."`
	BigQueryJobTimeout time.Duration     `name:"bigquery-job-timeout" default:"25s" placeholder:"DURATION" needs:"engine=bigquery" help:"BigQuery: longest time that a job may take. Default: ${default}."`
	MaxBytesBilled     byteSize          `default:"10GiB" placeholder:"SIZE" needs:"engine=bigquery" help:"BigQuery: most bytes that one run of a saved query may be billed for; a run that needs more fails without cost. Default: ${default}."`
}

// Dialect implements engineSetup.
func (f *bigQueryFlags) Dialect() sqlq.Dialect { return googlesql.Dialect{} }

// Validate implements engineSetup.
func (f *bigQueryFlags) Validate() error {
	switch {
	case f.BigQueryProject == "":
		return errors.New("--bigquery-project: is required with --engine bigquery")
	case f.BigQueryDataset == "":
		return errors.New("--bigquery-dataset: is required with --engine bigquery")
	case f.MaxBytesBilled < 1:
		return errors.New("--max-bytes-billed: must be at least 1 byte")
	case f.BigQueryJobTimeout < time.Second:
		return fmt.Errorf("--bigquery-job-timeout: %s is not a duration of at least 1s", f.BigQueryJobTimeout)
	}
	return nil
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

// Memory implements engineSetup.
func (f *bigQueryFlags) Memory() int64 { return 0 }

// LimitMemory implements engineSetup.
func (f *bigQueryFlags) LimitMemory(int64) {}

// KnowsChanges implements engineSetup.
func (f *bigQueryFlags) KnowsChanges() bool { return false }

// TestBackend implements engineSetup. Cases run as jobs on their own rows.
func (f *bigQueryFlags) TestBackend(ctx context.Context, term *terminal) (testBackend, error) {
	engine, err := f.connect(ctx, term, slog.New(slog.NewTextHandler(term.stderr, nil)))
	if err != nil {
		return nil, err
	}
	return querytest.NewWarehouse(engine), nil
}

// Declare implements engineSetup.
func (f *bigQueryFlags) Declare(column sqlq.PlannedColumn) sqlq.Column {
	return bigquery.Declare(column)
}

// OfflineChecker implements engineSetup.
func (f *bigQueryFlags) OfflineChecker() queryChecker { return nil }

// Checker implements engineSetup.
func (f *bigQueryFlags) Checker(ctx context.Context, term *terminal) (queryChecker, error) {
	return f.connect(ctx, term, slog.New(slog.NewTextHandler(term.stderr, nil)))
}

// Open implements engineSetup. It checks that the saved queries can run.
func (f *bigQueryFlags) Open(ctx context.Context, opening engineOpening) (*openedEngine, error) {
	engine, err := f.connect(ctx, opening.term, opening.logger)
	if err != nil {
		return nil, err
	}
	check := func(ctx context.Context, queries []*sqlq.SavedQuery) (sqlq.FileErrors, error) {
		if err := engine.CheckTables(ctx, queries); err != nil {
			return nil, err
		}
		return checkQueries(ctx, engine, queries)
	}
	found, err := check(ctx, opening.catalog.Queries())
	if err == nil {
		err = unusable(found)
	}
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return &openedEngine{Engine: engine, ping: engine.Ping, check: check, close: engine.Close}, nil
}

// connect returns an engine on BigQuery.
func (f *bigQueryFlags) connect(ctx context.Context, term *terminal, logger *slog.Logger) (*bigquery.Engine, error) {
	if err := checkCredentials(term.getenv(credentialsVariable), logger); err != nil {
		return nil, err
	}
	return bigquery.New(ctx, bigquery.Config{
		Project:        f.BigQueryProject,
		Dataset:        f.BigQueryDataset,
		Location:       f.BigQueryLocation,
		MaxBytesBilled: int64(f.MaxBytesBilled),
		JobTimeout:     f.BigQueryJobTimeout,
		Labels:         f.BigQueryLabels,
		Clock:          term.clock,
		Logger:         logger,
	})
}

// credentialsVariable names the file of credentials that Google's client reads.
const credentialsVariable = "GOOGLE_APPLICATION_CREDENTIALS" //nolint:gosec // It is a name.

// checkCredentials returns an error if others can change the credentials file, and warns if
// they can read it, because it holds a private key. Google's client reports a missing file.
func checkCredentials(path string, logger *slog.Logger) error {
	if path == "" {
		return nil
	}
	readable, err := secretfile.Check(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the variable %s: %s cannot be used: %w", credentialsVariable, path, err)
	case readable:
		logger.Warn("every user of this machine can read the credentials for BigQuery", slog.String("file", path), slog.String("run", "chmod o-r "+path))
	}
	return nil
}
