package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// errWritersBusy is the error for a step that did nothing, because another writer was busy for
// long, has changed the same rows or has added too many to them.
var errWritersBusy = errors.New("the store's other writers are busy")

const (
	// writerPatience limits how long a step waits for the other writers. Meanwhile it keeps
	// rows in memory, and checkpoints cannot free space.
	writerPatience = 250 * time.Millisecond
	// shortWrite and longWrite are times to write the rows of a step. After a shorter or a longer
	// one, the next step has more or fewer rows. The time to find the rows does not depend on
	// their number.
	shortWrite = 40 * time.Millisecond
	longWrite  = 100 * time.Millisecond
	// fewestRecords, fewestEvents and mostRows limit the rows of a step. Records are narrow, and
	// a step of few of them would take longer to find than to write them. See [commitRows].
	fewestRecords = 32_768
	fewestEvents  = 2048
	mostRows      = commitRows
)

// stepSize is the number of rows of the next step. It is safe for concurrent use.
type stepSize struct{ rows, fewest atomic.Int64 }

// start sets the fewest rows of a step, which the first one has.
func (s *stepSize) start(fewest int64) {
	s.fewest.Store(fewest)
	s.rows.Store(fewest)
}

func (s *stepSize) most() int64 { return s.rows.Load() }

// adapt changes the number after a step whose rows took so long to write.
func (s *stepSize) adapt(write time.Duration) {
	switch rows := s.most(); {
	case write > longWrite:
		s.rows.Store(max(rows/2, s.fewest.Load()))
	case write < shortWrite:
		s.rows.Store(min(rows*2, mostRows))
	}
}

// moveStep moves the rows of a step to the end of the table, sorted, in one transaction. Others
// can write while it sorts the rows. If one of them changes the same rows, DuckDB reports a
// conflict.
func (s *Store) moveStep(ctx context.Context, day *clusteredDay, step *clusterStep) (moved int64, err error) {
	if err := s.freeing.queries.begin(ctx); err != nil {
		return 0, err
	}
	defer s.freeing.queries.end()
	s.rewriting.Lock()
	defer s.rewriting.Unlock()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return 0, err
	}
	release := func() {}
	defer func() { //nolint:contextcheck // It works after the context has ended.
		if err != nil {
			err = errors.Join(err, rollBack(conn))
		}
		release() // not earlier, because the next writer could have a conflict with this one
	}()
	if err := step.sort(ctx, conn, day.table); err != nil {
		return 0, asBusy(ctx, err)
	}
	waiting, cancel := context.WithTimeout(ctx, writerPatience)
	defer cancel()
	if err := s.beginWriting(waiting); err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return 0, errWritersBusy
		}
		return 0, err
	}
	release = func() { s.writer.Release(1) }
	next := *day
	next.position = step.end()
	deleted, err := step.remove(ctx, conn, day.table)
	if err != nil {
		return 0, asBusy(ctx, err)
	}
	if deleted > mostRows { // rows have arrived since they were counted
		return 0, errWritersBusy
	}
	began := time.Now() //nolint:forbidigo // Steps adapt to how long they take, whatever the clock of the events says.
	moved, err = step.insert(ctx, conn, day.table)
	if err == nil && moved != deleted {
		err = fmt.Errorf("%d rows would be replaced with %d", deleted, moved)
	}
	if err == nil {
		err = next.record(ctx, conn)
	}
	if err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		return 0, asBusy(ctx, err)
	}
	s.stepSize.adapt(time.Since(began)) //nolint:forbidigo // As above.
	next.moved += moved
	*day = next
	return moved, nil
}

// asBusy returns a conflict with another writer as errWritersBusy.
func asBusy(ctx context.Context, err error) error {
	var failure *duckdb.Error
	if errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeTransaction && ctx.Err() == nil {
		return errWritersBusy
	}
	return err
}

// clusterStep selects rows of a slice: those of some projects, which are in order, or a part of
// those of one.
type clusterStep struct {
	projects []string
	from, to time.Time
}

// end returns the position after the step.
func (s *clusterStep) end() clusterPosition {
	return clusterPosition{project: sql.NullString{String: s.projects[len(s.projects)-1], Valid: true}, until: s.to}
}

// condition returns the SQL condition for the rows, with its arguments.
func (s *clusterStep) condition(table clusteredTable) (condition string, args []any) {
	return table.project + " IN (SELECT unnest(?::VARCHAR[])) AND timestamp >= ? AND timestamp < ?", []any{s.projects, s.from, s.to}
}

// sortedRows is a temporary table. Its name must not hide a table of the store.
const sortedRows = "temp.savedq_sorted_rows"

// sort copies the rows into a temporary table, in their order.
func (s *clusterStep) sort(ctx context.Context, conn *sql.Conn, table clusteredTable) error {
	condition, args := s.condition(table)
	_, err := conn.ExecContext(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT %s FROM %s WHERE %s ORDER BY %s, timestamp",
		sortedRows, table.columns(), table.name, condition, table.order(table.project)), args...)
	return err
}

// remove deletes the rows and returns how many.
func (s *clusterStep) remove(ctx context.Context, conn *sql.Conn, table clusteredTable) (deleted int64, err error) {
	condition, args := s.condition(table)
	deleted, err = changeRows(ctx, conn, "DELETE FROM "+table.name+" WHERE "+condition, args...)
	if err != nil {
		return 0, err
	}
	return deleted, forgetIndexed(ctx, conn, table.name, deleted)
}

// insert inserts the sorted rows and returns how many.
func (s *clusterStep) insert(ctx context.Context, conn *sql.Conn, table clusteredTable) (inserted int64, err error) {
	inserted, err = changeRows(ctx, conn, "INSERT INTO "+table.name+" FROM "+sortedRows)
	if err != nil {
		return 0, err
	}
	_, err = conn.ExecContext(ctx, "DROP TABLE "+sortedRows)
	return inserted, err
}
