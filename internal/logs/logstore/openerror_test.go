package logstore

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// For an intact store, the message only explains why it does not open. Only the message
// for a damaged store recommends replacing it. The texts are DuckDB's.
func TestOpenError(t *testing.T) {
	t.Parallel()
	const advice = "restore a copy into an empty directory"
	for name, test := range map[string]struct {
		kind       duckdb.ErrorType
		text, want string
		broken     bool
	}{
		"in use": {
			text: `Could not set lock on file "/data/savedq.duckdb": Conflicting lock is held in /usr/bin/savedq (PID 6886). See also https://duckdb.org/docs/stable/connect/concurrency`,
			want: "the store in data is in use by another process (PID 6886); stop it first, or choose another --data directory",
		},
		"in use by a program with a number in its name": {
			text: `Could not set lock on file "/data/savedq.duckdb": Conflicting lock is held in /usr/bin/PID 1 (PID 6886) by user savedq. See also https://duckdb.org/docs/stable/connect/concurrency`,
			want: "the store in data is in use by another process (PID 6886); stop it first, or choose another --data directory",
		},
		"in use by an unknown process": {
			text: `Could not set lock on file "/data/savedq.duckdb": Conflicting lock is held in PID 6886. See also https://duckdb.org/docs/stable/connect/concurrency`,
			want: "the store in data is in use by another process (PID 6886); stop it first, or choose another --data directory",
		},
		"in use in another container": {
			text: `Could not set lock on file "/data/savedq.duckdb": Conflicting lock is held in PID 0. See also https://duckdb.org/docs/stable/connect/concurrency`,
			want: "the store in data is in use by another process, which may run in another container; stop it first, or choose another --data directory",
		},
		"of another user": {
			text: `Cannot open file "/data/savedq.duckdb": Permission denied`,
			want: `the store in data belongs to another user or is not writable; change the owner of its files to the user of this process, or choose another --data directory (IO Error: Cannot open file "/data/savedq.duckdb": Permission denied)`,
		},
		"on a read-only file system": {
			text: `Cannot open file "/data/savedq.duckdb": Read-only file system`,
			want: `the store in data is on a read-only file system; make it writable, or choose another --data directory (IO Error: Cannot open file "/data/savedq.duckdb": Read-only file system)`,
		},
		"a full disk": {
			text: `Could not write file "/data/savedq.duckdb": No space left on device`,
			want: `open the store in data: the disk that holds data is full; free some space on it and try again: IO Error: Could not write file "/data/savedq.duckdb": No space left on device`,
		},
		"too many open files": {
			text: `Cannot open file "/data/savedq.duckdb.wal": Too many open files`,
			want: `open the store in data: IO Error: Cannot open file "/data/savedq.duckdb.wal": Too many open files`,
		},
		"of a newer DuckDB": {
			text: "Trying to read a database file with version number 99, but we can only read versions between 64 and 68.",
			want: "the store in data was written by another version of DuckDB; use the savedq that wrote it, or choose another --data directory (IO Error: Trying to read a database file with version number 99, but we can only read versions between 64 and 68.)",
		},
		"no store":             {text: `The file "/data/savedq.duckdb" exists, but it is not a valid DuckDB database file!`, broken: true},
		"a store that was cut": {text: `Could not read enough bytes from file "/data/savedq.duckdb": attempted to read 3192 bytes from location 5000`, broken: true},
		"a store that rotted":  {text: "Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 4096", broken: true},
		"anything else":        {kind: duckdb.ErrorTypeSerialization, text: "Permission denied", broken: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cause := &duckdb.Error{Type: duckdb.ErrorTypeIO, Msg: "IO Error: " + test.text}
			if test.kind != 0 {
				cause.Type = test.kind
			}
			err := openError("data", fmt.Errorf("could not connect to database: %w", cause))
			if test.broken {
				require.ErrorContains(t, err, "open the store in data: ")
				assert.ErrorContains(t, err, test.text+"; it was not changed: "+advice+", or move it away, or choose another --data directory")
				return
			}
			require.EqualError(t, err, test.want)
			assert.NotContains(t, err.Error(), advice)
		})
	}
}

// DuckDB's error for a file of another user is the one that [TestOpenError] expects.
func TestOpenOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may open the files of every user")
	}
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, fileName), nil, 0o400))
	_, err := Open(t.Context(), directory, "")
	require.ErrorContains(t, err, "the store in "+directory+" belongs to another user or is not writable")
	var cause *duckdb.Error
	require.ErrorAs(t, err, &cause)
}
