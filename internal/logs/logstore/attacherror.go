package logstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// attachError explains why an old store cannot be read. Only the text of DuckDB's error distinguishes a store that may be
// intact from a damaged one. Only the message for a damaged one recommends to replace it.
func attachError(directory string, err error) error {
	var failure *duckdb.Error
	if !errors.As(err, &failure) {
		return err
	}
	// The reason of the operating system follows the name of the file.
	reason := regexp.MustCompile(`": ([A-Z][^"]*)$`).FindStringSubmatch(failure.Msg)
	holder := regexp.MustCompile(`Conflicting lock is held in .*\bPID (\d+)`).FindStringSubmatch(failure.Msg)
	switch {
	case holder != nil:
		process := "PID " + holder[1]
		if holder[1] == "0" { // Linux reports this for a process in another namespace.
			process = "which may run in another container"
		}
		return fmt.Errorf("%w (%s); stop it first, or choose another --data directory", ErrInUse, process)
	case strings.Contains(failure.Msg, "WAL file"):
		return fmt.Errorf("its DuckDB log %s is damaged (%w); start savedq 0.1 on it once, which repairs it, or restore a backup", filepath.Join(directory, oldName+".wal"), failure)
	case strings.Contains(failure.Msg, "Trying to read a database file with version number"):
		return fmt.Errorf("it was written by another version of DuckDB; use the savedq that wrote it, or choose another --data directory (%w)", failure)
	case failure.Type != duckdb.ErrorTypeIO || reason == nil:
		return fmt.Errorf("%w; restore it from a backup, or choose another --data directory", failure)
	case reason[1] == "Permission denied":
		return fmt.Errorf("it belongs to another user; change the owner of its files to the user of this process, or choose another --data directory (%w)", failure)
	}
	return failure
}
