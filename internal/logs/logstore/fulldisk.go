package logstore

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// fullDiskError is an error for want of space on the disk. It is [syscall.ENOSPC], too.
type fullDiskError struct {
	directory string
	cause     error
}

// Error names the store's directory.
func (e *fullDiskError) Error() string {
	return fmt.Sprintf("the disk that holds %s is full; free some space on it and try again: %s", e.directory, e.cause)
}

// Unwrap returns the error of what wrote, and the operating system's.
func (e *fullDiskError) Unwrap() []error { return []error{e.cause, syscall.ENOSPC} }

// nameFullDisk returns an error of what writes files with the directory whose disk is full, if that is the cause.
func (c *config) nameFullDisk(err error) error {
	if named := (*fullDiskError)(nil); err == nil || errors.As(err, &named) {
		return err
	}
	if !errors.Is(err, syscall.ENOSPC) && !strings.Contains(err.Error(), "No space left on device") { // as DuckDB says it
		return err
	}
	return &fullDiskError{directory: c.directory, cause: err}
}
