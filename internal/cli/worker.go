package cli

import (
	"context"
	"os"

	"savedq/internal/logs/logstore"
	"savedq/internal/sqlcheck"
	"savedq/sqlq/duckdb"
)

// workerCommand is [engines.WorkerCommand].
type workerCommand struct{}

// Run checks the saved queries that it reads from the standard input.
func (c *workerCommand) Run(ctx context.Context, term *terminal) error {
	store, err := logstore.OpenEmpty(ctx)
	if err != nil {
		return err
	}
	// The store is not closed, because that would wait for an abandoned check.
	return sqlcheck.Work(ctx, os.Stdin, term.stdout, duckdb.New(store.DB()))
}
