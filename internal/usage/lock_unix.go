//go:build unix

package usage

import (
	"errors"
	"os"
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
	return file, nil
}
