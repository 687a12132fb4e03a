package querytest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
)

// Memory is a store in memory, whose tables are emptied before each case.
type Memory struct {
	store  *logstore.Store
	engine *duckdb.Engine
	// tables are the columns of each table, and of files those of tables whose rows are in files.
	tables  map[string][]storedColumn
	ofFiles sqlq.Tables
}

var _ Backend = (*Memory)(nil)

// storedColumn is a column of a table.
type storedColumn struct{ name, dataType string }

// OpenMemory opens a store in memory. Callers must close it.
func OpenMemory(ctx context.Context) (_ *Memory, err error) {
	store, err := logstore.OpenEmpty(ctx)
	if err != nil {
		return nil, err
	}
	m := &Memory{store: store, engine: duckdb.New(store.DB()), tables: make(map[string][]storedColumn)}
	if err := m.readTables(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return m, nil
}

// Close closes the store.
func (m *Memory) Close() error { return m.store.Close() }

// Check checks a saved query, as [sqlq.Engine] does.
func (m *Memory) Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error) {
	if err := m.declare(ctx, query.Tables); err != nil {
		return nil, err
	}
	return m.engine.Check(ctx, query)
}

// declare creates the tables that saved queries read.
func (m *Memory) declare(ctx context.Context, tables sqlq.Tables) error {
	if !slices.ContainsFunc(tables, func(table *sqlq.Table) bool { return !table.Shipped }) {
		return nil
	}
	if err := m.store.Declare(ctx, tables); err != nil {
		return err
	}
	if err := duckdb.DeclareFiles(ctx, m.store.DB(), tables); err != nil {
		return err
	}
	for _, table := range tables {
		if _, known := m.ofFiles.Find(table.Name); table.Files != nil && !known {
			m.ofFiles = append(m.ofFiles, table)
		}
	}
	clear(m.tables)
	return m.readTables(ctx)
}

// readTables reads which tables of logs there are.
func (m *Memory) readTables(ctx context.Context) (err error) {
	rows, err := m.store.DB().QueryContext(ctx, `SELECT table_name, column_name, data_type FROM information_schema.columns
		WHERE table_schema = 'main' AND table_name NOT IN (?, ?) AND NOT contains(table_name, '#') ORDER BY table_name, ordinal_position`, sqlq.AllLogs, sqlq.SharedLogs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var table string
		var column storedColumn
		if err := rows.Scan(&table, &column.name, &column.dataType); err != nil {
			return err
		}
		m.tables[table] = append(m.tables[table], column)
	}
	return rows.Err()
}

// Run implements [Backend].
func (m *Memory) Run(ctx context.Context, statement sqlq.Statement, data Data) (*sqlq.Result, error) {
	tables := statement.Query.Tables
	for _, source := range data.Events {
		if _, known := tables.FindSource(source.Source.Name); !known { // a query that reads it names it
			tables = append(slices.Clip(tables), source.Source)
		}
	}
	if err := m.declare(ctx, tables); err != nil {
		return nil, &dataError{err}
	}
	if err := m.fill(ctx, data); err != nil {
		return nil, &dataError{err}
	}
	return m.engine.Run(ctx, statement)
}

// TypedMetadata implements [Backend].
func (m *Memory) TypedMetadata() bool { return false }

// fill makes the tables hold the data and nothing else.
func (m *Memory) fill(ctx context.Context, data Data) error {
	if err := m.store.Clear(ctx); err != nil {
		return fmt.Errorf("empty the tables: %w", err)
	}
	for _, table := range m.ofFiles {
		if _, err := m.store.DB().ExecContext(ctx, "DELETE FROM "+duckdbsql.QuoteName(table.Name)); err != nil {
			return fmt.Errorf("empty the tables: %w", err)
		}
	}
	if err := m.addEvents(ctx, data.Events); err != nil {
		return err
	}
	for _, table := range data.Tables {
		if err := m.insert(ctx, table); err != nil {
			return err
		}
	}
	return nil
}

// addEvents stores events exactly as a load does.
func (m *Memory) addEvents(ctx context.Context, sources []SourceEvents) (err error) {
	if len(sources) == 0 {
		return nil
	}
	transaction, err := m.store.Begin(ctx, logstore.Sent)
	if err != nil {
		return err
	}
	for _, source := range sources {
		for _, event := range source.Events {
			if err := transaction.Add(ctx, source.Source, event); err != nil {
				return errors.Join(err, transaction.Rollback()) //nolint:contextcheck // Rollback works after the context has ended.
			}
		}
	}
	return transaction.Commit(ctx)
}

// insert inserts rows as they are stored.
func (m *Memory) insert(ctx context.Context, table TableRows) error {
	columns, ok := m.tables[table.Table]
	if !ok {
		names := make([]string, 0, len(m.tables))
		for name := range m.tables {
			names = append(names, name)
		}
		slices.Sort(names)
		return sqlq.FileErrors{table.Place.Mistakef("the store has no table %q; its tables are %s", table.Table, strings.Join(names, ", "))}
	}
	for _, row := range table.Rows {
		if len(row.Values) == 0 {
			return sqlq.FileErrors{row.Place.Mistakef("a row needs at least one column")}
		}
		names, values := make([]string, len(row.Values)), make([]any, len(row.Values))
		for i, value := range row.Values {
			at := slices.IndexFunc(columns, func(column storedColumn) bool { return column.name == value.Column })
			if at < 0 {
				return sqlq.FileErrors{value.Place.Mistakef("%s has no column %q; its columns are %s", table.Table, value.Column, joinColumns(columns))}
			}
			names[i] = value.Column
			var err error
			if values[i], err = columns[at].bind(value.JSON); err != nil {
				return sqlq.FileErrors{value.Place.Mistakef("%s: %s", value.Column, err)}
			}
		}
		if err := m.addRow(ctx, table.Table, names, values); err != nil {
			return sqlq.FileErrors{row.Place.Mistakef("the row cannot be stored: %s", err)}
		}
	}
	return nil
}

// addRow adds a row to a table of the store, or to one of its own.
func (m *Memory) addRow(ctx context.Context, table string, names []string, values []any) error {
	if slices.Contains(m.store.RowTables(), table) {
		return m.store.AddRow(ctx, table, names, values)
	}
	columns, places := make([]string, len(names)), make([]string, len(names))
	for i, name := range names {
		at := slices.IndexFunc(m.tables[table], func(column storedColumn) bool { return column.name == name })
		columns[i], places[i] = duckdbsql.QuoteName(name), "CAST(? AS "+m.tables[table][at].dataType+")"
	}
	_, err := m.store.DB().ExecContext(ctx, "INSERT INTO "+duckdbsql.QuoteName(table)+" ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(places, ", ")+")", values...)
	return err
}

// bind returns a value as DuckDB takes it. Nested values of a VARCHAR are JSON.
func (c storedColumn) bind(text json.RawMessage) (any, error) {
	value := decode(text)
	switch {
	case value == nil:
		return nil, nil //nolint:nilnil // nil is the value NULL.
	case c.dataType == "VARCHAR":
		switch value := value.(type) {
		case string:
			return value, nil
		case []any, map[string]any:
			return string(text), nil
		}
		return nil, errors.New("must be a string, or a list or a mapping that is stored as JSON")
	case strings.HasPrefix(c.dataType, "TIMESTAMP"):
		if text, ok := value.(string); ok {
			moment, err := sqlq.ParseTimestamp(text)
			return moment.Format("2006-01-02 15:04:05.000000"), err
		}
		if number, ok := value.(json.Number); ok {
			microseconds, err := number.Int64()
			return time.UnixMicro(microseconds).UTC().Format("2006-01-02 15:04:05.000000"), err
		}
		return nil, errors.New("must be a time such as 2026-11-20T12:00:00Z, or microseconds since 1970")
	}
	switch value := value.(type) {
	case json.Number:
		return value.String(), nil
	case bool:
		if c.dataType == "BOOLEAN" {
			return value, nil
		}
	case string:
		if c.dataType == "DATE" {
			day, err := sqlq.ParseDate(value)
			return day.Format(time.DateOnly), err
		}
	}
	return nil, errors.New("must be a " + cmp.Or(map[string]string{"BOOLEAN": "boolean", "DATE": "date such as 2026-11-20"}[c.dataType], "number"))
}

func joinColumns(columns []storedColumn) string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.name
	}
	return strings.Join(names, ", ")
}
