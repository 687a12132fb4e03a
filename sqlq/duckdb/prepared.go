package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// maxPrepared is how many prepared statements of a saved query are kept: one for each set
// of parameters that are NULL. A saved query with more sets prepares the others each time.
const maxPrepared = 16

// preparedStatements are the prepared statements of a saved query, which last as long as
// the database. The zero value has none.
type preparedStatements struct {
	mu sync.Mutex
	// byNulls has a statement for each set of arguments that are NULL, as [nullsOf] names it.
	byNulls map[string]*sql.Stmt
}

// nullsOf names the set of arguments that are NULL.
func nullsOf(args []sqlq.Arg) string {
	nulls := make([]byte, len(args))
	for i, arg := range args {
		nulls[i] = '1'
		if arg.Value == nil {
			nulls[i] = '0'
		}
	}
	return string(nulls)
}

func (p *preparedStatements) find(nulls string) *sql.Stmt {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byNulls[nulls]
}

// keep keeps a statement that compiles; false where it cannot, because there is one
// already or there are too many, and the caller has to close it.
func (p *preparedStatements) keep(nulls string, statement *sql.Stmt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byNulls[nulls] != nil || len(p.byNulls) == maxPrepared {
		return false
	}
	if p.byNulls == nil {
		p.byNulls = make(map[string]*sql.Stmt)
	}
	p.byNulls[nulls] = statement
	return true
}

// query runs a statement with a prepared statement that is kept, or that is made and kept.
func (e *Engine) query(ctx context.Context, statement sqlq.Statement) (*sql.Rows, error) {
	found, _ := e.statements.LoadOrStore(statement.Query, &preparedStatements{})
	prepared, nulls := found.(*preparedStatements), nullsOf(statement.Args) // nothing else is stored
	if kept := prepared.find(nulls); kept != nil {
		return kept.QueryContext(ctx, bindings(statement)...)
	}
	var rows *sql.Rows
	var err error
	for _, text := range sqlTexts(statement.Query, statement.Args) {
		var made *sql.Stmt
		if made, err = e.db.PrepareContext(ctx, cappedSQL(statement.Query, text)); err == nil {
			rows, err = made.QueryContext(ctx, bindings(statement)...)
			if err != nil || !prepared.keep(nulls, made) {
				err = errors.Join(err, made.Close()) // It stays open until the rows are closed.
			}
		}
		if !isBinderError(err) {
			return rows, err
		}
	}
	return nil, err
}

// isBinderError reports whether DuckDB could not make sense of names and types.
func isBinderError(err error) bool {
	var failure *duckdb.Error
	return errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeBinder
}
