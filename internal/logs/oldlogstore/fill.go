package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/appender"
	"savedq/sqlq/duckdb/duckdbsql"
)

// A field that is declared when its table has events is NULL in them until Fill has read their metadata. Fill
// goes through the events by their time, in short steps. Each is one transaction, which also records the time
// up to which the field is filled, so it continues there after a crash. Events that arrive meanwhile have
// their field from the start; to read them again changes nothing.

// fillRows is how many events a step of Fill reads, so that the other writers wait for it for a fraction of a
// second.
const fillRows = 20_000

// unfilled are the fields of a table that are not filled.
type unfilled struct {
	fields []string
	// until is the time before which events have their values; the zero time at the beginning.
	until time.Time
	// done is the part of the events that have their values, from 0 to 1.
	done float64
}

// filling are the fields that are not filled, by table. It is safe for concurrent use.
type filling struct {
	mutex  sync.Mutex
	tables map[string]unfilled
}

func (f *filling) of(table string) (unfilled, bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	found, ok := f.tables[table]
	return found, ok
}

// progress notes how far the fields of a table are filled.
func (f *filling) progress(table string, done float64) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	state := f.tables[table]
	state.done = done
	f.tables[table] = state
}

// use replaces the tables with fields that are not filled.
func (f *filling) use(tables map[string]unfilled) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.tables = maps.Clone(tables)
}

// readFilling reads which fields are not filled, and returns the tables that have them.
func (s *Store) readFilling(ctx context.Context) (map[string]unfilled, error) {
	tables, err := readUnfilled(ctx, s.db)
	if err == nil {
		s.filling.use(tables)
	}
	return tables, err
}

// readUnfilled returns the tables with fields that are not filled.
func readUnfilled(ctx context.Context, reader rowsReader) (map[string]unfilled, error) {
	tables := make(map[string]unfilled)
	var table, field string
	var until sql.NullTime
	err := eachRow(ctx, reader, "SELECT table_name, field, until FROM unfilled_fields ORDER BY ALL", nil, []any{&table, &field, &until}, func() error {
		state, found := tables[table]
		if !found || until.Time.Before(state.until) {
			state.until = until.Time.UTC()
		}
		state.fields = append(state.fields, field)
		tables[table] = state
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find fields that are not filled: %w", err)
	}
	return tables, nil
}

// CheckFilled returns an UNAVAILABLE error if a saved query names a field that is not filled yet: it would
// read NULL in its place.
func (s *Store) CheckFilled(query *sqlq.SavedQuery) error {
	const retryAfter = 10 * time.Second
	written, _ := query.Written()
	lower := strings.ToLower(written)
	for _, table := range query.Tables {
		state, filling := s.filling.of(table.Name)
		if !filling {
			continue
		}
		for _, field := range state.fields {
			inResult := func(column sqlq.Column) bool { return column.Name == field }
			if strings.Contains(lower, field) || slices.ContainsFunc(query.Columns, inResult) {
				const percent = 100
				return sqlq.Rejectf(sqlq.Unavailable, retryAfter, "the new field %s of %s is being filled from the metadata of its events, of which %d %% are done; try again later",
					field, table.Name, int(percent*state.done))
			}
		}
	}
	return nil
}

// Fill fills the fields that were declared when their tables had events. It takes many short steps, between
// which other writers have their turn. It returns the tables that are filled now. Between is called between two
// steps; nil means that the next one follows at once. After an error, another call continues.
func (s *Store) Fill(ctx context.Context, between func(ctx context.Context) error) (filled []string, err error) {
	for {
		waiting, err := s.readFilling(ctx)
		if err != nil || len(waiting) == 0 {
			return filled, err
		}
		next := slices.Min(slices.Collect(maps.Keys(waiting)))
		if err := s.fillTable(ctx, next, waiting[next], between); err != nil {
			return filled, fmt.Errorf("fill the fields %s of %s: %w", strings.Join(waiting[next].fields, ", "), next, err)
		}
		filled = append(filled, next)
	}
}

// fillTable fills the fields of a table from a time on.
func (s *Store) fillTable(ctx context.Context, name string, state unfilled, between func(ctx context.Context) error) error {
	table, found := s.Tables().FindSource(name)
	if !found {
		return errors.New("it is no table of the store")
	}
	table = withFields(table, state.fields)
	events := &Deletion{Source: table}
	span, err := s.spanOf(ctx, events)
	if err != nil {
		return err
	}
	events.Between = func(ctx context.Context) error {
		if between == nil || span.end.IsZero() { // after the last step nothing is left
			return nil
		}
		return between(ctx)
	}
	if span.start.Before(state.until) {
		span.start = state.until
	}
	var all, done int64
	counts := "SELECT count(*), count(*) FILTER (WHERE timestamp < ?) FROM " + name
	if err := s.db.QueryRowContext(ctx, counts, span.start.UTC()).Scan(&all, &done); err != nil {
		return err
	}
	err = s.eachSpan(ctx, events, &span, fillRows, func(rows int64) error {
		if err := s.fillSpan(ctx, table, state.fields, &span); err != nil {
			return err
		}
		done += rows
		s.filling.progress(name, min(float64(done)/float64(max(all, 1)), 1))
		return nil
	})
	if err != nil {
		return err
	}
	return s.deleteWhere(ctx, "unfilled_fields", "table_name = ? AND field IN (SELECT unnest(?::VARCHAR[]))", name, state.fields)
}

// withFields returns a table with only some of its fields.
func withFields(table *sqlq.Table, fields []string) *sqlq.Table {
	narrow := *table
	narrow.Fields = slices.DeleteFunc(slices.Clone(table.Fields), func(field sqlq.Field) bool { return !slices.Contains(fields, field.Name) })
	return &narrow
}

// fillSpan fills the fields of a table in the events of a span, in one transaction. Until it ends, no event is
// clustered: a copy of it would have no values.
func (s *Store) fillSpan(ctx context.Context, table *sqlq.Table, fields []string, span *span) error {
	s.rewriting.Lock()
	defer s.rewriting.Unlock()
	s.changes.noteRange(table, span.changed())
	defer s.changes.noteRange(table, span.changed())
	_, err := s.deleteStep(ctx, func(conn *sql.Conn) (int64, error) {
		condition, args := span.condition()
		chunks, err := chunksOf(ctx, conn, table, condition, args...)
		if err != nil {
			return 0, err
		}
		for _, chunk := range chunks {
			if err := fillChunk(ctx, conn, table, chunk); err != nil {
				return 0, err
			}
		}
		if span.end.IsZero() { // the last one, after which the table is filled
			return 0, nil
		}
		_, err = conn.ExecContext(ctx, "UPDATE unfilled_fields SET until = ? WHERE table_name = ? AND field IN (SELECT unnest(?::VARCHAR[]))",
			span.end.UTC(), table.Name, fields)
		return 0, err
	})
	return err
}

// filledRows is a temporary table. Its name must not hide a table of the store.
const filledRows = "savedq_filled_rows"

// fillChunk fills the fields of a table in events, by their row ids.
func fillChunk(ctx context.Context, conn *sql.Conn, table *sqlq.Table, chunk chunk) error {
	columns, assignments := []string{"event BIGINT"}, make([]string, 0, len(table.Fields))
	for _, field := range table.Fields {
		columns = append(columns, fmt.Sprintf(`"%s" %s`, field.Name, duckdbsql.StorageType(field.Type)))
		assignments = append(assignments, fmt.Sprintf(`"%[1]s" = filled."%[1]s"`, field.Name))
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s (%s)", filledRows, strings.Join(columns, ", "))); err != nil {
		return err
	}
	var values [][]driver.Value
	reader := eventrow.NewFields(table.Fields)
	err := chunk.read(ctx, conn, table, "rowid", func(id driver.Value, metadata []byte) {
		values = append(values, append([]driver.Value{id}, reader.Read(metadata)...))
	})
	if err != nil {
		return err
	}
	next := appender.RowsAt(len(values), func(i int) []driver.Value { return values[i] })
	if _, err := appender.Append(ctx, conn, appender.Target{Catalog: "temp", Table: filledRows}, len(values), next); err != nil {
		return err
	}
	// The first and the last row id spare reading the rest of the table.
	statement := fmt.Sprintf("UPDATE %[1]s SET %[2]s FROM temp.%[3]s AS filled WHERE %[1]s.rowid = filled.event AND %[1]s.rowid BETWEEN %[4]s AND %[5]s", //nolint:gosec // Names of tables and fields have letters, digits and underscores.
		table.Name, strings.Join(assignments, ", "), filledRows, chunk[0], chunk[len(chunk)-1])
	if _, err := conn.ExecContext(ctx, statement); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "DROP TABLE temp."+filledRows)
	return err
}
