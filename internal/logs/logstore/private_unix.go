//go:build linux || darwin

package logstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
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

// lockDirectory makes sure that no other process uses the data directory. The lock ends with the process, whose number is
// in the file.
func lockDirectory(directory string) (*os.File, error) {
	const ownerOnly = 0o600
	path := filepath.Join(directory, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, ownerOnly)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		process := "another process"
		if content, err := os.ReadFile(path); err == nil {
			if number, err := strconv.Atoi(string(content)); err == nil {
				process = fmt.Sprintf("another process (PID %d)", number)
			}
		}
		return nil, errors.Join(&inUseError{fmt.Sprintf("the store in %s is in use by %s; stop it first, or choose another --data directory", directory, process)}, file.Close())
	}
	if file.Truncate(0) == nil {
		_, _ = file.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0) // a full disk is no reason to refuse the store
	}
	return file, nil
}

// inUseError is [ErrInUse] with a message.
type inUseError struct{ message string }

func (e *inUseError) Error() string { return e.message }

// Is reports whether the target is [ErrInUse].
func (e *inUseError) Is(target error) bool { return target == ErrInUse }
