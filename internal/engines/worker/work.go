package worker

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"savedq/internal/operations/memory"
)

const (
	// statusMemory is the exit status of a process that takes too much memory.
	statusMemory = 3
	// MemoryMargin is how much more memory than DuckDB may take by its own limit the process may have. DuckDB does not count
	// what functions allocate for the rows at hand.
	MemoryMargin = 96 << 20
	// goMemory limits Go's part of that, as far as it is garbage.
	goMemory = MemoryMargin / 3
	// addressMargin is how much more than that the process may reserve: stacks of threads are 8 MiB each, and allocators
	// reserve more than they use.
	addressMargin = 512 << 20
)

// Work serves the requests that arrive through a socket, usually the standard input, until the other end is closed. It then
// returns even if statements still run, because nobody reads their rows. The process then has to end. memoryBytes is DuckDB's
// memory limit; a statement that takes much more ends the process.
func Work(socket *os.File, backend Backend, memoryBytes int64) error {
	// Only the server ends this process, after the requests that are running.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	through, err := connectionOf(socket)
	if err != nil {
		return fmt.Errorf("serve SQL of callers: %w; the server starts this command by itself", err)
	}
	if err := limit(memoryBytes + MemoryMargin + addressMargin); err != nil {
		return err
	}
	debug.SetMemoryLimit(goMemory)
	watch := memory.NewWatch(memoryBytes + MemoryMargin)
	watched := func() (end func()) { return watch.Start(func() { os.Exit(statusMemory) }) }
	return serve(&listener{through}, backend, watched)
}
