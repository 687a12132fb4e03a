package logstore_test

import (
	"fmt"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// For an old store that may be intact, the message only explains why it does not open. Only the message for a damaged one
// recommends to replace it. The texts are DuckDB's.
func TestAttachError(t *testing.T) {
	t.Parallel()
	const locked = `Could not set lock on file "/data/savedq.duckdb": Conflicting lock is held in %s. See also https://duckdb.org/docs/stable/connect/concurrency`
	for name, test := range map[string]struct {
		kind       duckdb.ErrorType
		text, want string
		inUse      bool
	}{
		"in use": {0, fmt.Sprintf(locked, "/usr/bin/savedq (PID 6886)"), "the store is in use by another process (PID 6886); stop it first, or choose another --data directory", true},
		"in use by a program with a number in its name": {0, fmt.Sprintf(locked, "/usr/bin/PID 1 (PID 6886) by user savedq"), "the store is in use by another process (PID 6886); stop it first, or choose another --data directory", true},
		"in use in another container":                   {0, fmt.Sprintf(locked, "PID 0"), "the store is in use by another process (which may run in another container); stop it first, or choose another --data directory", true},
		"of another user":                               {0, `Cannot open file "/data/savedq.duckdb": Permission denied`, `it belongs to another user; change the owner of its files to the user of this process, or choose another --data directory (IO Error: Cannot open file "/data/savedq.duckdb": Permission denied)`, false},
		"too many open files":                           {0, `Cannot open file "/data/savedq.duckdb.wal": Too many open files`, `IO Error: Cannot open file "/data/savedq.duckdb.wal": Too many open files`, false},
		"of a newer DuckDB":                             {0, "Trying to read a database file with version number 99, but we can only read versions between 64 and 68.", "it was written by another version of DuckDB; use the savedq that wrote it, or choose another --data directory (IO Error: Trying to read a database file with version number 99, but we can only read versions between 64 and 68.)", false},
		"a damaged log":                                 {0, `Failure while replaying WAL file "/data/savedq.duckdb.wal": x`, `its DuckDB log data/savedq.duckdb.wal is damaged (IO Error: Failure while replaying WAL file "/data/savedq.duckdb.wal": x); start savedq 0.1 on it once, which repairs it, or restore a backup`, false},
		"no store":                                      {0, `The file "/data/savedq.duckdb" exists, but it is not a valid DuckDB database file!`, `IO Error: The file "/data/savedq.duckdb" exists, but it is not a valid DuckDB database file!; restore it from a backup, or choose another --data directory`, false},
		"a store that was cut":                          {0, `Could not read enough bytes from file "/data/savedq.duckdb": attempted to read 3192 bytes from location 5000`, `IO Error: Could not read enough bytes from file "/data/savedq.duckdb": attempted to read 3192 bytes from location 5000; restore it from a backup, or choose another --data directory`, false},
		"a store that rotted":                           {0, "Corrupt database file: computed checksum 1 does not match", "IO Error: Corrupt database file: computed checksum 1 does not match; restore it from a backup, or choose another --data directory", false},
		"not of the operating system":                   {duckdb.ErrorTypeSerialization, "Permission denied", "IO Error: Permission denied; restore it from a backup, or choose another --data directory", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cause := &duckdb.Error{Type: duckdb.ErrorTypeIO, Msg: "IO Error: " + test.text}
			if test.kind != 0 {
				cause.Type = test.kind
			}
			err := logstore.AttachError("data", fmt.Errorf("attach: %w", cause))
			require.EqualError(t, err, test.want)
			if test.inUse {
				assert.ErrorIs(t, err, logstore.ErrInUse)
			}
		})
	}
}
