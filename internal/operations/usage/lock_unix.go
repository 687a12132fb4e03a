//go:build unix

package usage

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockFile opens and locks a file, so that two processes do not overwrite each other's files.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, ownerOnly)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("another server uses it; give each server a directory of its own")
		}
		return nil, errors.Join(err, file.Close())
	}
	// Unlike the lock above, this one tells other processes which process holds it.
	_ = syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}) // File systems may not have both.
	return file, nil
}

// ServerOf returns the process whose ledger is open in a directory, if that is known. Processes in other
// containers are not. It must not be called by that process.
func ServerOf(directory string) (pid int, known bool) {
	file, err := os.OpenFile(filepath.Join(directory, lockName), os.O_RDWR, 0)
	if err != nil {
		return 0, false
	}
	defer func() { _ = file.Close() }()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock); err != nil || lock.Type == syscall.F_UNLCK {
		return 0, false
	}
	return int(lock.Pid), lock.Pid > 0
}
