// Package connect opens DuckDB: every connection of savedq comes from it.
package connect

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"
)

// allowed are the settings of connections that [New] changes.
const allowed = "['enable_caching_operators', 'streaming_buffer_size']"

const (
	// AllowLater is the statement that lets [New] prepare connections after the configuration is locked.
	// It must run before that.
	AllowLater = "SET GLOBAL allowed_configs = " + allowed
	// AllowLaterOption is the same as an option of the name of a database.
	AllowLaterOption = "allowed_configs=" + allowed
)

// New returns a connector of a database by its name and options. more prepares each connection further;
// it may be nil.
//
// DuckDB's caching operators keep small chunks of rows for later. A chunk can refer to rows that a hash join
// over a cross product has released, when a LIMIT ends the run early: DuckDB then reads freed memory, so that
// rows are wrong, error texts quote what others asked, or the process dies. So the operators are disabled.
//
// DuckDB computes the rows of a stream ahead until they take a buffer of 1 MB, in which it counts no texts: 32 chunks of
// 2,048 rows for a column of texts, which are 6 GB if each has 100 kB. A smaller buffer has two of these chunks, or one with
// more columns. (DuckDB 1.5.6 waits for ever if there is no room in its parts of the buffer.)
func New(name string, more func(driver.ExecerContext) error) (*duckdb.Connector, error) {
	if err := keepFreed(); err != nil {
		return nil, err
	}
	return duckdb.NewConnector(name, preparation{more}.prepare)
}

// preparation prepares each connection.
type preparation struct {
	more func(driver.ExecerContext) error
}

func (p preparation) prepare(connection driver.ExecerContext) error {
	const settings = "SET SESSION enable_caching_operators = false; SET SESSION streaming_buffer_size = '64KiB'"
	if _, err := connection.ExecContext(context.Background(), settings, nil); err != nil {
		return fmt.Errorf("%s: %w", settings, err)
	}
	if p.more == nil {
		return nil
	}
	return p.more(connection)
}
