package cli

import (
	"context"
	"os"

	"savedq/internal/querytest"
	"savedq/internal/sqlcheck"
)

// workerCommand is [engines.WorkerCommand].
type workerCommand struct{}

// Run checks the saved queries that it reads from the standard input.
func (c *workerCommand) Run(ctx context.Context, term *terminal) error {
	memory, err := querytest.OpenMemory(ctx)
	if err != nil {
		return err
	}
	// It is not closed, because that would wait for an abandoned check.
	return sqlcheck.Work(ctx, os.Stdin, term.stdout, memory)
}
