package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// connection is a connection to an instance of DuckDB. When the instance fails, it notifies the connector, and the pool
// drops the connection.
type connection struct {
	*duckdb.Conn
	connector *connector
	instance  *instance
}

var (
	_ driver.QueryerContext     = (*connection)(nil)
	_ driver.ExecerContext      = (*connection)(nil)
	_ driver.ConnPrepareContext = (*connection)(nil)
	_ driver.ConnBeginTx        = (*connection)(nil)
	_ driver.NamedValueChecker  = (*connection)(nil)
	_ driver.SessionResetter    = (*connection)(nil)
	_ driver.Validator          = (*connection)(nil)
)

// connectionOf returns the connection of a store that a connection of the pool is.
func connectionOf(conn *sql.Conn) (found *connection, err error) {
	err = conn.Raw(func(raw any) error {
		var ok bool
		if found, ok = raw.(*connection); !ok {
			return fmt.Errorf("a connection of type %T is not the store's", raw)
		}
		return nil
	})
	return found, err
}

// QueryContext runs a query. The driver reads all of its rows, so the query has ended when it returns.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.Conn.QueryContext(ctx, query, args)
	return rows, c.checkRead(ctx, err)
}

// ExecContext runs a statement that returns no rows.
func (c *connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	result, err := c.Conn.ExecContext(ctx, query, args)
	return result, c.check(ctx, err)
}

// PrepareContext prepares a statement.
func (c *connection) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	prepared, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.checkRead(ctx, err)
	}
	return &statement{Stmt: prepared.(*duckdb.Stmt), connection: c}, nil //nolint:forcetypeassert // DuckDB has no other.
}

// IsValid reports whether the pool may keep the connection.
func (c *connection) IsValid() bool { return !c.instance.invalid.Load() }

// ResetSession is called before the pool hands out a connection that was idle.
func (c *connection) ResetSession(context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

// Close closes the connection.
func (c *connection) Close() error {
	defer c.connector.release(c.instance)
	return c.Conn.Close()
}

// BeginTx begins a transaction.
func (c *connection) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	transaction, err := c.Conn.BeginTx(ctx, options)
	return transaction, c.check(ctx, err)
}

// check returns a fatal error of DuckDB as UNAVAILABLE, and mentions a full disk.
func (c *connection) check(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		c.endAbandoned(ctx)
	}
	err = c.connector.config.nameFullDisk(err)
	if isFatal(err) {
		c.connector.invalidate(ctx, c.instance, err)
		return unavailable(err)
	}
	return err
}

// endAbandoned ends a statement that DuckDB has begun, but that the driver does not execute because its context has
// ended. DuckDB would end it with the next statement of the connection. Until then its snapshot stays, and if the
// connection is closed first, so does the instance.
func (c *connection) endAbandoned(ctx context.Context) {
	if next, err := c.Conn.PrepareContext(context.WithoutCancel(ctx), "SELECT 1"); err == nil {
		_ = next.Close() // It never fails.
	}
}

// isFatal reports whether DuckDB rejects all further work. Only its own functions return the type of an error.
func isFatal(err error) bool {
	failure, ok := errors.AsType[*duckdb.Error](err)
	return ok && failure.Type == duckdb.ErrorTypeFatal || strings.Contains(err.Error(), "database has been invalidated because of a previous fatal error")
}

// checkRead is check for what changes nothing: after a failure on an instance that refuses to work, the pool runs it on
// another connection before it returns the error.
func (c *connection) checkRead(ctx context.Context, err error) error {
	err = c.check(ctx, err)
	if err != nil && !c.IsValid() {
		return errors.Join(err, driver.ErrBadConn)
	}
	return err
}

// statement is a prepared statement of a connection.
type statement struct {
	*duckdb.Stmt
	connection *connection
}

var (
	_ driver.StmtQueryContext = (*statement)(nil)
	_ driver.StmtExecContext  = (*statement)(nil)
)

// QueryContext runs a prepared query.
func (s *statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.Stmt.QueryContext(ctx, args)
	return rows, s.connection.checkRead(ctx, err)
}

// ExecContext runs a prepared statement that returns no rows.
func (s *statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	result, err := s.Stmt.ExecContext(ctx, args)
	return result, s.connection.check(ctx, err)
}
