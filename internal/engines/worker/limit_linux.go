package worker

import (
	"fmt"
	"os"
	"syscall"

	"savedq/internal/operations/memory"
)

// attributes makes the process end with the thread that started it, and keeps it away from the signals of the terminal.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// limit limits the memory of this process to some more than it has now, and makes it the first one that the kernel ends
// when there is no memory left. It leaves no core dump, which would have rows.
func limit(more int64) error {
	const mostLikely = "1000"
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte(mostLikely), 0); err != nil {
		return fmt.Errorf("let the kernel end this process first: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("leave no core dump: %w", err)
	}
	size, known := memory.Data()
	if !known {
		return nil // the watch does not know it either
	}
	const data = 2              // RLIMIT_DATA, which package syscall has on some architectures only
	most := uint64(size + more) //nolint:gosec // They are not negative.
	if err := syscall.Setrlimit(data, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limit the memory of this process: %w", err)
	}
	return nil
}
