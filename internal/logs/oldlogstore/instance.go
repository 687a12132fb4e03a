package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/duckdb/duckdb-go/v2"
	"golang.org/x/sync/semaphore"

	"savedq/sqlq/duckdb/connect"
	"savedq/sqlq/duckdb/functions"
)

// instance is an instance of DuckDB that has the store open.
type instance struct {
	duckdb *duckdb.Connector
	// invalid is set once it refuses to work.
	invalid atomic.Bool
	// connections is the number of open connections. The connector's mutex guards it.
	connections int
}

// openInstance opens the store's file and prepares it for use. From here on its
// configuration is locked. It sets the default of the spill limit, which stays the same
// when the store is opened again.
func (c *config) openInstance(ctx context.Context) (_ *duckdb.Connector, _ Recovery, err error) {
	options := slices.Concat(c.duckdb, []string{ // DuckDB uses the first of two values
		"autoinstall_known_extensions=false", "autoload_known_extensions=false", fmt.Sprintf("checkpoint_threshold=%dB", c.checkpointBytes),
	})
	_, err = os.Stat(c.file)
	isNew := errors.Is(err, fs.ErrNotExist)
	opened, damaged, err := openRepaired(c.file, options)
	if err != nil {
		err = openError(c.directory, err)
		if isNew && errors.Is(err, syscall.ENOSPC) {
			removeEmpty(c.file)
		}
		return nil, Recovery{}, err
	}
	if err := c.limitSpill(); err != nil {
		return nil, Recovery{}, errors.Join(err, opened.Close())
	}
	setup := &Store{db: sql.OpenDB(leftOpen{opened}), directory: c.directory, writer: semaphore.NewWeighted(1)}
	if err = functions.Register(ctx, setup.db); err == nil {
		err = setup.prepare(ctx, c)
	}
	if err = errors.Join(err, setup.db.Close()); err != nil {
		return nil, Recovery{}, errors.Join(err, opened.Close())
	}
	setup.recovery.DamagedLog = damaged
	return opened, setup.recovery, nil
}

// removeEmpty removes a file that DuckDB has created on a full disk. It would not open any more.
func removeEmpty(file string) {
	if info, err := os.Stat(file); err == nil && info.Size() == 0 {
		_ = os.Remove(file) // It only fails if the file is gone, or nothing can be written here.
	}
}

// openRepaired opens a file of DuckDB. If its write-ahead log is damaged, the log is cut off
// there first.
func openRepaired(file string, options []string) (opened *duckdb.Connector, damaged *DamagedLog, err error) {
	name := file + "?" + strings.Join(options, "&")
	if opened, err = connect.New(name, nil); err == nil {
		return opened, nil, nil
	}
	damaged, cutErr := cutDamagedLog(file, err)
	if damaged == nil || cutErr != nil {
		return nil, nil, errors.Join(err, cutErr)
	}
	opened, err = connect.New(name, nil)
	return opened, damaged, err
}

// leftOpen is a connector that a pool does not close.
type leftOpen struct{ driver.Connector }

// afterInvalid returns the configuration for a store that is opened again. A checkpoint
// that failed would fail again after the next commit, and each time readers would be
// interrupted. So the write-ahead log may grow to twice its size before the next one.
func (c config) afterInvalid() *config {
	if log, err := os.Stat(c.file + ".wal"); err == nil {
		c.checkpointBytes = max(c.checkpointBytes, 2*log.Size())
		c.settings = append(slices.Clone(c.settings), fmt.Sprintf("SET GLOBAL checkpoint_threshold = '%dB'", c.checkpointBytes))
	}
	return &c
}
