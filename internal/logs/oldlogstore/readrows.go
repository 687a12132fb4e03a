package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// readRows runs a query on a connection without database/sql, which would take half of the time.
func readRows(ctx context.Context, conn *sql.Conn, query string, columns int, each func(row []driver.Value) error) error {
	return conn.Raw(func(raw any) (err error) {
		queryer, ok := raw.(driver.QueryerContext)
		if !ok {
			return fmt.Errorf("a connection of type %T is not DuckDB's", raw)
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
	})
}

// rowsReader is a database or a connection.
type rowsReader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// eachRow calls each for the rows of a query, after it has scanned a row into the targets.
func eachRow(ctx context.Context, reader rowsReader, query string, args, targets []any, each func() error) (err error) {
	rows, err := reader.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
	return rows.Err()
}
