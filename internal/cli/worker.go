package cli

import (
	"context"
	"os"
	"os/exec"

	"savedq/internal/logs/logstore"
	"savedq/internal/sqlcheck"
	"savedq/sqlq/duckdb"
)

// workerCommand is "savedq check-worker", which checks DuckDB's SQL for the other commands.
// See package sqlcheck.
type workerCommand struct{}

// workerName is the name of the command.
const workerName = "check-worker"

// Run checks the saved queries that it reads from the standard input.
func (c *workerCommand) Run(ctx context.Context, term *terminal) error {
	store, err := logstore.OpenEmpty(ctx)
	if err != nil {
		return err
	}
	// The store is not closed, because that would wait for an abandoned check.
	return sqlcheck.Work(ctx, os.Stdin, term.stdout, duckdb.New(store.DB()))
}

// newChecker returns a checker of DuckDB's SQL that runs this program as its worker.
// Callers must close it.
func newChecker() *sqlcheck.Checker {
	return sqlcheck.New(func() *exec.Cmd {
		return exec.Command(ownProgram(), workerName) //nolint:gosec,noctx // It is this program, and the checker ends it.
	})
}

// ownProgram returns a path of the running program. On Linux the path works even if a newer
// version has replaced the file.
func ownProgram() string {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err == nil {
		return own
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
