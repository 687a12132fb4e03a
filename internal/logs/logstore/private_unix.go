//go:build linux || darwin

package logstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"savedq/internal/logs/parts"
)

// keepPrivate lets only the owner of the process read the store in a directory, and the files that DuckDB creates.
func keepPrivate(directory string) error {
	const others = 0o077
	syscall.Umask(others)
	for _, name := range []string{parts.Directory, parts.ManifestName, lockName} {
		path := filepath.Join(directory, name)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Mode().Perm()&others != 0 {
			err = os.Chmod(path, info.Mode().Perm()&^others)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lockDirectory makes sure that no other process uses the data directory. The lock ends with the process.
func lockDirectory(directory string) (*os.File, error) {
	const ownerOnly = 0o600
	file, err := os.OpenFile(filepath.Join(directory, lockName), os.O_RDWR|os.O_CREATE, ownerOnly)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("the store in %s: %w; stop it first, or choose another --data directory", directory, ErrInUse), file.Close())
	}
	return file, nil
}
