package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// maxPrepared is how many prepared statements a saved query has: one for each set of
// parameters that are NULL. A saved query with more sets prepares the others each time.
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

// add adds a statement. It reports false if there is one already, or there are too many;
// the caller must close the statement then.
func (p *preparedStatements) add(nulls string, statement *sql.Stmt) bool {
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

// query runs a statement with its prepared statement, which it prepares and adds if there is
// none.
func (e *Engine) query(ctx context.Context, statement sqlq.Statement) (rows *sql.Rows, err error) {
	found, _ := e.statements.LoadOrStore(statement.Query, &preparedStatements{})
	prepared, nulls := found.(*preparedStatements), nullsOf(statement.Args) // nothing else is stored
	if stored := prepared.find(nulls); stored != nil {                      //nolint:sqlclosecheck // It stays for the next run.
		return stored.QueryContext(ctx, bindings(statement)...)
	}
	for _, text := range sqlTexts(statement.Query, statement.Args) {
		if rows, err = e.prepareAndQuery(ctx, statement, text, prepared); !isBinderError(err) {
			break
		}
	}
	return rows, err
}

// prepareAndQuery runs a statement in a form of its SQL and, if that works, adds what it
// prepared.
func (e *Engine) prepareAndQuery(ctx context.Context, statement sqlq.Statement, text sqlText, prepared *preparedStatements) (_ *sql.Rows, err error) {
	created, err := e.db.PrepareContext(ctx, cappedSQL(statement.Query, text))
	if err != nil {
		return nil, err
	}
	added := false
	defer func() {
		if !added {
			err = errors.Join(err, created.Close()) // Rows that are being read keep it open.
		}
	}()
	rows, err := created.QueryContext(ctx, bindings(statement)...) //nolint:sqlclosecheck // The caller closes them.
	if err != nil {
		return nil, err
	}
	added = prepared.add(nullsOf(statement.Args), created)
	return rows, nil
}

// isBinderError reports whether DuckDB could not make sense of names and types.
func isBinderError(err error) bool {
	var failure *duckdb.Error
	return errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeBinder
}
