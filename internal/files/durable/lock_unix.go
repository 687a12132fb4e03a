//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// LockDirectory waits until no other process, and nothing else in this one, holds the lock of a directory, and locks
// it. Whoever reads a file, changes it and replaces it holds the lock, so that no change is lost.
func LockDirectory(path string) (unlock func(), err error) {
	directory, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(directory.Fd()), syscall.LOCK_EX); err != nil && !errors.Is(err, syscall.ENOTSUP) && !errors.Is(err, syscall.ENOLCK) {
		return nil, errors.Join(err, directory.Close())
	}
	return func() { _ = directory.Close() }, nil // which unlocks it
}

// CanReplace reports whether this process may replace a file of a directory.
func CanReplace(directory string) bool {
	const write, search = 2, 1
	return syscall.Access(directory, write|search) == nil
}
