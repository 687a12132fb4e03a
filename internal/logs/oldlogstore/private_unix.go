//go:build linux || darwin

package logstore

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepPrivate lets only the owner of the process read a file of DuckDB, its write-ahead log, and what
// DuckDB creates later. The umask of the process is the only way to do so: DuckDB creates its log
// again after each checkpoint, with any mode that the umask leaves.
func keepPrivate(file string) error {
	const others, ownerOnly = 0o077, 0o600
	syscall.Umask(others)
	for _, name := range []string{file, file + ".wal"} {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&others != 0 {
			err = os.Chmod(name, ownerOnly)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
