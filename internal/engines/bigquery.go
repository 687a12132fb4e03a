package engines

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"savedq/internal/authoring/querytest"
	"savedq/internal/files/secretfile"
	"savedq/sqlq"
	"savedq/sqlq/bigquery"
	"savedq/sqlq/googlesql"
)

// BigQuery is the engine on BigQuery. It uses the clock and the logger of the environment.
type BigQuery struct{ bigquery.Config }

var (
	_ Engine        = BigQuery{}
	_ ColumnChecker = (*bigquery.Engine)(nil)
)

// Dialect implements [Engine].
func (BigQuery) Dialect() sqlq.Dialect { return googlesql.Dialect{} }

// KnowsChanges implements [Engine].
func (BigQuery) KnowsChanges() bool { return false }

// Declare implements [Engine].
func (BigQuery) Declare(column sqlq.PlannedColumn) sqlq.Column { return bigquery.Declare(column) }

// OfflineChecker implements [Engine].
func (BigQuery) OfflineChecker() Checker { return nil }

// Checker implements [Engine].
func (b BigQuery) Checker(ctx context.Context, environment Environment) (Checker, error) {
	return b.connect(ctx, environment)
}

// TestBackend implements [Engine]. Cases run as jobs on their own rows.
func (b BigQuery) TestBackend(ctx context.Context, environment Environment) (TestBackend, error) {
	engine, err := b.connect(ctx, environment)
	if err != nil {
		return nil, err
	}
	return querytest.NewWarehouse(engine), nil
}

// Open implements [Engine]. It checks that the saved queries can run.
func (b BigQuery) Open(ctx context.Context, opening Opening) (*Opened, error) {
	engine, err := b.connect(ctx, opening.Environment)
	if err != nil {
		return nil, err
	}
	check := func(ctx context.Context, queries []*sqlq.SavedQuery) (sqlq.FileErrors, error) {
		if err := engine.CheckTables(ctx, queries); err != nil {
			return nil, err
		}
		return Check(ctx, engine, queries)
	}
	found, err := check(ctx, opening.Queries)
	if err == nil {
		err = Unusable(found)
	}
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return &Opened{Engine: engine, Ping: engine.Ping, CheckQueries: check, Close: engine.Close}, nil
}

// connect returns an engine on BigQuery.
func (b BigQuery) connect(ctx context.Context, environment Environment) (*bigquery.Engine, error) {
	if err := checkCredentials(environment.Getenv(credentialsVariable), environment.Logger); err != nil {
		return nil, err
	}
	b.Clock, b.Logger = environment.Clock, environment.Logger
	return bigquery.New(ctx, b.Config)
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
