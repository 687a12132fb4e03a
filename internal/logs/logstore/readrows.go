package logstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// readRows runs a query without database/sql, which would take half of the time.
func readRows(ctx context.Context, conn any, query string, columns int, each func(row []driver.Value) error) (err error) {
	queryer, ok := conn.(driver.QueryerContext)
	if !ok {
		return fmt.Errorf("a connection of type %T is not DuckDB's", conn)
	}
	rows, err := queryer.QueryContext(ctx, query, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	row := make([]driver.Value, columns)
	for {
		if err := rows.Next(row); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}
