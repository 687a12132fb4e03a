package logstore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"

	"github.com/duckdb/duckdb-go/v2"
)

// DamagedLog is a part of DuckDB's write-ahead log that could not be read, and what follows
// it. DuckDB does not open a store with that log.
type DamagedLog struct {
	// Offset and Bytes are its place in the log.
	Offset, Bytes int64
	// Copy is the path of a copy of the whole log.
	Copy string
}

// damagedEntry finds the place of the damage in DuckDB's error.
var damagedEntry = regexp.MustCompile(`Corrupt WAL file: .*at byte position (\d+)`)

// cutDamagedLog cuts DuckDB's write-ahead log off at the damage that an error of opening the
// store reports, so that what was committed before it is kept. It returns nil if the error
// reports no damage of this kind. Events that were ingested after it are still in the write-ahead log
// of ingest.
func cutDamagedLog(file string, cause error) (*DamagedLog, error) {
	var failure *duckdb.Error
	if !errors.As(cause, &failure) {
		return nil, nil //nolint:nilnil // There is no damage.
	}
	found := damagedEntry.FindStringSubmatch(failure.Msg)
	if found == nil {
		return nil, nil //nolint:nilnil // There is no damage.
	}
	offset, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return nil, err
	}
	log := file + ".wal"
	info, err := os.Stat(log)
	if err != nil {
		return nil, err
	}
	if offset >= info.Size() {
		return nil, nil //nolint:nilnil // The error is about another file.
	}
	damaged := &DamagedLog{Offset: offset, Bytes: info.Size() - offset}
	if damaged.Copy, err = copyAside(log); err != nil {
		return nil, err
	}
	return damaged, os.Truncate(log, offset)
}

// copyAside copies a file beside itself, under a new name.
func copyAside(path string) (name string, err error) {
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }()
	const ownerOnly = 0o600
	for number := 1; ; number++ {
		name = fmt.Sprintf("%s.damaged.%d", path, number)
		to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(to, from)
		if err == nil {
			err = to.Sync()
		}
		return name, errors.Join(err, to.Close())
	}
}
