package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
)

// maxPrepared is how many prepared statements a saved query has: one for each set of
// arguments that are absent, and for what has the rows of the range of a series.
const maxPrepared = 16

// statements holds the prepared statements of the saved queries that were run. It is safe
// for concurrent use.
type statements struct {
	mutex   sync.Mutex
	byQuery map[*sqlq.SavedQuery]*preparedStatements
	// retained is the set of saved queries whose statements are kept; nil means all.
	retained map[*sqlq.SavedQuery]bool
}

// Retain closes the prepared statements of all other saved queries, once no run uses them.
// Other saved queries and the SQL of callers can still be run, but are prepared each time.
func (e *Engine) Retain(queries []*sqlq.SavedQuery) {
	s := &e.statements
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.retained = make(map[*sqlq.SavedQuery]bool, len(queries))
	for _, query := range queries {
		s.retained[query] = true
	}
	for query, prepared := range s.byQuery {
		if !s.retained[query] {
			delete(s.byQuery, query)
			prepared.retired = true
			prepared.closeUnused()
		}
	}
}

// acquire returns the statements of a saved query for one run, which must release them.
func (s *statements) acquire(query *sqlq.SavedQuery) *preparedStatements {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	found := s.byQuery[query]
	if found == nil {
		found = &preparedStatements{retired: query.Callers != nil || s.retained != nil && !s.retained[query]}
		if !found.retired {
			if s.byQuery == nil {
				s.byQuery = make(map[*sqlq.SavedQuery]*preparedStatements)
			}
			s.byQuery[query] = found
		}
	}
	found.runs++
	return found
}

// release ends the use of a run. Rows that are still being read keep their statement open.
func (s *statements) release(prepared *preparedStatements) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	prepared.runs--
	prepared.closeUnused()
}

// preparedStatements are the prepared statements of a saved query, which last as long as
// the database, or until they are retired. The zero value has none. The mutex of [statements] guards them.
type preparedStatements struct {
	// byKey has a statement for each set of arguments that are absent, as [absentOf] names it, and for what hides the tables.
	byKey map[string]*sql.Stmt
	// runs is how many runs use the statements. The last one closes them if they are retired.
	runs    int
	retired bool
	// guarded is set once [Engine.guard] has found nothing wrong.
	guarded atomic.Bool
}

// closeUnused closes retired statements that no run uses.
func (p *preparedStatements) closeUnused() {
	if !p.retired || p.runs > 0 {
		return
	}
	for _, statement := range p.byKey {
		_ = statement.Close() // on an error the connection closes it
	}
	p.byKey = nil
}

// absentOf names the set of arguments that are absent.
func absentOf(args []sqlq.Arg) string {
	absent := make([]byte, len(args))
	for i, arg := range args {
		absent[i] = '1'
		if isAbsent(arg) {
			absent[i] = '0'
		}
	}
	return string(absent)
}

func (s *statements) find(p *preparedStatements, key string) *sql.Stmt {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return p.byKey[key]
}

// add adds a statement, in the place of any other if there are too many. It reports false if there is one already, or others
// can be in use, or they are retired; the caller must close the statement then.
func (s *statements) add(p *preparedStatements, key string, statement *sql.Stmt) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if p.retired || p.byKey[key] != nil {
		return false
	}
	if len(p.byKey) == maxPrepared {
		if p.runs > 1 {
			return false
		}
		for other, unused := range p.byKey {
			_ = unused.Close() // on an error the connection closes it
			delete(p.byKey, other)
			break
		}
	}
	if p.byKey == nil {
		p.byKey = make(map[string]*sql.Stmt)
	}
	p.byKey[key] = statement
	return true
}

// query runs a statement with its prepared statement, which it prepares and adds if there is
// none.
func (e *Engine) query(ctx context.Context, statement sqlq.Statement, files scans) (rows *sql.Rows, err error) {
	prepared := e.statements.acquire(statement.Query)
	defer e.statements.release(prepared)
	if err := e.guard(ctx, statement.Query, prepared); err != nil {
		return nil, err
	}
	for _, tables := range e.tablesOf(statement, files) {
		rows, err = e.queryOn(ctx, statement, tables, files, prepared) //nolint:sqlclosecheck // The caller closes them.
		if !hasType(err, duckdb.ErrorTypeBinder, duckdb.ErrorTypeCatalog) {
			break
		}
	}
	return rows, err
}

// tablesOf returns the changes that hide the tables of a statement, to be tried in this order: for a series, what has the rows
// of its range may be gone when it runs.
func (e *Engine) tablesOf(statement sqlq.Statement, files scans) []sqltext.Change {
	whole := files.bounded(statement.Query)
	if e.views == nil || statement.Query.Series == nil {
		return []sqltext.Change{whole}
	}
	within := sqltext.Bounded(duckdbsql.Dialect{}, statement.Query, func(table string) string {
		return cmp.Or(files.from(table), e.views.Within(table, statement.Range))
	})
	if within == whole {
		return []sqltext.Change{whole}
	}
	return []sqltext.Change{within, whole}
}

// queryOn runs a statement on the tables of a change.
func (e *Engine) queryOn(ctx context.Context, statement sqlq.Statement, tables sqltext.Change, files scans, prepared *preparedStatements) (rows *sql.Rows, err error) {
	key := absentOf(statement.Args) + tables.Text
	if stored := e.statements.find(prepared, key); stored != nil { //nolint:sqlclosecheck // It stays for the next run.
		return stored.QueryContext(ctx, bindings(statement)...)
	}
	for _, text := range sqlTexts(statement.Query, statement.Args, tables) {
		rows, err = e.prepareAndQuery(ctx, statement, text, files, prepared, key)
		if !hasType(err, duckdb.ErrorTypeBinder) {
			break
		}
	}
	return rows, err
}

// prepareAndQuery runs a statement in a form of its SQL and, if that works, adds what it
// prepared under the key, unless it reads files.
func (e *Engine) prepareAndQuery(ctx context.Context, statement sqlq.Statement, text sqltext.Rewritten, files scans, prepared *preparedStatements, key string) (_ *sql.Rows, err error) {
	created, err := e.db.PrepareContext(ctx, cappedSQL(statement, text, files))
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
	// The next run may read other files.
	added = len(files.tables) == 0 && e.statements.add(prepared, key, created)
	return rows, nil
}

// guard returns an error for SQL that must not run, such as that with a function that reads files, although
// [Engine.Check] refuses it, too. It matters where the database can read files: a query that nobody checked must
// not read any files but those of its tables. It parses a saved query once.
func (e *Engine) guard(ctx context.Context, query *sqlq.SavedQuery, prepared *preparedStatements) error {
	if e.files == nil || prepared.guarded.Load() {
		return nil
	}
	mistakes, err := e.notAllowed(ctx, query)
	if err != nil {
		return err
	}
	if len(mistakes) > 0 {
		return sqlq.Errorf(sqlq.Internal, "the SQL of %s is not allowed", query.Name).WithCause(mistakes)
	}
	prepared.guarded.Store(true)
	return nil
}
