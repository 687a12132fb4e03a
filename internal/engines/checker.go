package engines

import (
	"os"
	"os/exec"

	"savedq/internal/sqlcheck"
)

// WorkerCommand is the command of this program that checks DuckDB's SQL for the others. See
// package sqlcheck.
const WorkerCommand = "check-worker"

// newChecker returns a checker of DuckDB's SQL that runs this program as its worker.
func newChecker() *sqlcheck.Checker {
	return sqlcheck.New(func() *exec.Cmd {
		return exec.Command(ownProgram(), WorkerCommand) //nolint:gosec,noctx // It is this program, and the checker ends it.
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
