package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/duckdb/duckdb-go/v2"
)

// instance is an instance of DuckDB that has the store open.
type instance struct {
	duckdb *duckdb.Connector
	// invalid is set once it refuses to work.
	invalid atomic.Bool
	// connections counts those that are open. The connector's mutex guards it.
	connections int
}

// openInstance opens the store's file and prepares it for use. From here on its
// configuration is locked. It sets the default of the spill limit, which stays the same
// when the store is opened again.
func (c *config) openInstance(ctx context.Context) (_ *duckdb.Connector, _ Recovery, err error) {
	options := append([]string{"autoinstall_known_extensions=false", "autoload_known_extensions=false"}, c.duckdb...)
	opened, err := duckdb.NewConnector(c.file+"?"+strings.Join(options, "&"), nil)
	if err != nil {
		return nil, Recovery{}, openError(c.directory, err)
	}
	if err := c.limitSpill(); err != nil {
		return nil, Recovery{}, errors.Join(err, opened.Close())
	}
	setup := &Store{db: sql.OpenDB(leftOpen{opened}), directory: c.directory, writer: newWriter()}
	err = setup.prepare(ctx, c)
	if err = errors.Join(err, setup.db.Close()); err != nil {
		return nil, Recovery{}, errors.Join(err, opened.Close())
	}
	return opened, setup.recovery, nil
}

// leftOpen is a connector that a pool does not close.
type leftOpen struct{ driver.Connector }

// afterInvalid returns the configuration for a store that is opened again. A checkpoint
// that failed would fail again after the next commit, and each time readers would be
// interrupted. So the write-ahead log may grow to twice its size before the next one.
func (c config) afterInvalid() *config {
	const usualThreshold = 16 << 20
	threshold := int64(usualThreshold)
	if log, err := os.Stat(c.file + ".wal"); err == nil {
		threshold = max(threshold, 2*log.Size())
	}
	c.settings = append(c.settings[:len(c.settings):len(c.settings)], "SET GLOBAL checkpoint_threshold = '"+strconv.FormatInt(threshold, 10)+"B'")
	return &c
}
