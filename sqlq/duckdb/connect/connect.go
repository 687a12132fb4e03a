// Package connect opens DuckDB: every connection of savedq comes from it.
package connect

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"
)

// AllowLater is the statement that lets [New] prepare connections after the configuration is locked.
// It must run before that.
const AllowLater = "SET GLOBAL allowed_configs = ['enable_caching_operators']"

// New returns a connector of a database by its name and options. more prepares each connection further;
// it may be nil.
//
// DuckDB's caching operators keep small chunks of rows for later. A chunk can refer to rows that a hash join
// over a cross product has released, when a LIMIT ends the run early: DuckDB then reads freed memory, so that
// rows are wrong, error texts quote what others asked, or the process dies. So the operators are disabled.
func New(name string, more func(driver.ExecerContext) error) (*duckdb.Connector, error) {
	return duckdb.NewConnector(name, preparation{more}.prepare)
}

// preparation prepares each connection.
type preparation struct {
	more func(driver.ExecerContext) error
}

func (p preparation) prepare(connection driver.ExecerContext) error {
	const setting = "SET SESSION enable_caching_operators = false"
	if _, err := connection.ExecContext(context.Background(), setting, nil); err != nil {
		return fmt.Errorf("%s: %w", setting, err)
	}
	if p.more == nil {
		return nil
	}
	return p.more(connection)
}
