package logstore

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// ErrInUse is the error for a store that another process has open.
var ErrInUse = errors.New("the store is in use by another process")

// inUseError is [ErrInUse] with what is known about the process.
type inUseError struct{ message string }

// Error returns the message.
func (e *inUseError) Error() string { return e.message }

// Is reports whether the target is [ErrInUse].
func (e *inUseError) Is(target error) bool { return target == ErrInUse }

// openError explains why a store does not open. Only the text of DuckDB's error
// distinguishes an unreachable store from a damaged one. Only the message for a damaged
// one recommends replacing it.
func openError(directory string, err error) error {
	var failure *duckdb.Error
	if errors.As(err, &failure) && isFullDisk(failure) {
		return fmt.Errorf("open the store in %s: %w", directory, &fullDiskError{directory: directory, cause: failure})
	}
	if failure != nil && failure.Type == duckdb.ErrorTypeIO {
		if reason := unreachable(directory, failure); reason != nil {
			return reason
		}
	}
	if failure != nil {
		err = failure
	}
	return fmt.Errorf("open the store in %s: %w; it was not changed: restore a copy into an empty directory, or move it away, or choose another --data directory", directory, err)
}

// unreachable returns why a store that may be intact does not open, or nil if it is
// damaged.
func unreachable(directory string, failure *duckdb.Error) error {
	if holder := regexp.MustCompile(`Conflicting lock is held in .*\bPID (\d+)`).FindStringSubmatch(failure.Msg); holder != nil {
		process := "another process (PID " + holder[1] + ")"
		if holder[1] == "0" { // Linux reports this for a process in another namespace.
			process = "another process, which may run in another container"
		}
		return &inUseError{fmt.Sprintf("the store in %s is in use by %s; stop it first, or choose another --data directory", directory, process)}
	}
	if strings.Contains(failure.Msg, "Trying to read a database file with version number") {
		return fmt.Errorf("the store in %s was written by another version of DuckDB; use the savedq that wrote it, or choose another --data directory (%w)", directory, failure)
	}
	// The reason of the operating system follows the name of the file.
	reason := regexp.MustCompile(`": ([A-Z][^"]*)$`).FindStringSubmatch(failure.Msg)
	switch {
	case reason == nil:
		return nil
	case reason[1] == "Permission denied":
		return fmt.Errorf("the store in %s belongs to another user or is not writable; change the owner of its files to the user of this process, or choose another --data directory (%w)", directory, failure)
	case reason[1] == "Read-only file system":
		return fmt.Errorf("the store in %s is on a read-only file system; make it writable, or choose another --data directory (%w)", directory, failure)
	}
	return fmt.Errorf("open the store in %s: %w", directory, failure)
}
