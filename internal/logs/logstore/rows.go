package logstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

// Tests of saved queries give rows as the views have them, which no event needs to have: a field of an author's source can
// differ from metadata, and a row of a source has no records.

// RowTables returns the tables to which [Store.AddRow] adds rows: the log sources and the records.
func (s *Store) RowTables() []string {
	names := s.Tables().Names()
	for _, view := range recordViews() {
		names = append(names, view.name)
	}
	return names
}

// AddRow adds a row to one of [Store.RowTables] of a store in memory. The columns are those of the view. DuckDB casts the
// values to their types; columns that are left out have NULL.
func (s *Store) AddRow(ctx context.Context, table string, columns []string, values []any) error {
	return holding(ctx, s.appending, func() error {
		row, err := s.rowOf(table, columns, values)
		if err != nil {
			return err
		}
		return s.insertRow(ctx, row)
	})
}

// storedRow is a row of a table of events or records.
type storedRow struct {
	table   string
	columns []string
	values  []any
}

func (r *storedRow) set(column string, value any) {
	r.columns, r.values = append(r.columns, column), append(r.values, value)
}

// rowOf returns the row of the table in memory for a row of a view. The caller holds appending.
func (s *Store) rowOf(name string, columns []string, values []any) (*storedRow, error) {
	given := make(map[string]any, len(columns))
	for i, column := range columns {
		given[column] = values[i]
	}
	if source, found := s.Tables().FindSource(name); found {
		return s.eventRow(source, given)
	}
	at := slices.IndexFunc(recordViews(), func(view recordView) bool { return view.name == name })
	if at < 0 {
		return nil, fmt.Errorf("%s is not a log source, and has no records", name)
	}
	return recordRow(&recordViews()[at], given)
}

// eventRow returns the row of an event. What [sqlq.AllLogs] has besides the columns of the source is computed.
func (s *Store) eventRow(source *sqlq.Table, given map[string]any) (*storedRow, error) {
	if err := needs(given, "id", "timestamp"); err != nil {
		return nil, err
	}
	event := logevent.Event{EventMessage: textOf(given["event_message"]), Project: textOf(given["project"])}
	if metadata := textOf(given["metadata"]); metadata != nil && json.Valid([]byte(*metadata)) {
		event.Metadata = json.RawMessage(*metadata)
	}
	computed, err := s.last().reader.Row(source, &event, time.Time{})
	if err != nil {
		return nil, err
	}
	row := &storedRow{table: eventsTable}
	for i, column := range eventrow.Columns(s.Tables()) {
		switch column.Name {
		case "id", "timestamp", "event_message", "project", "metadata":
			row.set(column.Name, given[column.Name])
		case "source", "project_key", "of_project", "of_projects", "status", "method", "path", "level", sqlq.PlacesColumn, eventrow.TypedColumn:
			row.set(column.Name, plain(computed[i]))
		}
	}
	for _, field := range source.Fields {
		row.set(eventrow.FieldColumn(source, field), given[field.Name])
	}
	return row, nil
}

// recordRow returns the row of a record.
func recordRow(view *recordView, given map[string]any) (*storedRow, error) {
	if err := needs(given, "timestamp"); err != nil {
		return nil, err
	}
	row := &storedRow{table: recordsTable}
	row.set("source", view.source)
	row.set("timestamp", given["timestamp"])
	key := given[keyColumn]
	if project := textOf(given["project_ref"]); key == nil && project != nil {
		key = eventrow.ProjectKey(*project)
	} else if key == nil {
		key = uint64(0)
	}
	row.set(keyColumn, key)
	for column := range strings.SplitSeq(view.columns, ", ") {
		stored, name, renamed := strings.Cut(column, " AS ")
		if !renamed {
			name = stored
		}
		if stored != keyColumn {
			row.set(stored, given[name])
		}
	}
	return row, nil
}

// keyColumn is the column with the number of the project.
const keyColumn = "project_key"

// needs returns an error if a column has no value.
func needs(given map[string]any, columns ...string) error {
	for _, column := range columns {
		if given[column] == nil {
			return fmt.Errorf("%s must not be NULL", column)
		}
	}
	return nil
}

// textOf returns a text, or nil for anything else.
func textOf(value any) *string {
	if text, ok := value.(string); ok {
		return &text
	}
	return nil
}

// plain returns a value of [eventrow.Reader.Row] as database/sql takes it.
func plain(value any) any {
	switch value := value.(type) {
	case *string:
		if value == nil {
			return nil
		}
		return *value
	case *json.RawMessage:
		return string(*value)
	case uint64: // database/sql takes none that is larger than an int64
		return strconv.FormatUint(value, 10)
	}
	return value
}

// insertRow inserts a row. The caller holds appending.
func (s *Store) insertRow(ctx context.Context, row *storedRow) error {
	types := make(map[string]string)
	for _, column := range append(eventrow.Columns(s.Tables()), eventrow.RecordColumns()...) {
		types[column.Name] = column.Type
	}
	names, places := make([]string, len(row.columns)), make([]string, len(row.columns))
	for i, column := range row.columns {
		names[i], places[i] = duckdbsql.QuoteName(column), "CAST(? AS "+types[column]+")"
	}
	table := s.last()
	_, err := s.db.ExecContext(ctx, "INSERT INTO "+table.place()+"."+row.table+ //nolint:gosec // Names of columns.
		" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(places, ", ")+")", row.values...)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	table.hasRows = true
	return err
}

// errClearDirectory is the error of [Store.Clear] for a store that is not in memory.
var errClearDirectory = errors.New("only a store in memory can be cleared")

// Clear removes all rows of a store in memory.
func (s *Store) Clear(ctx context.Context) error {
	if s.config.directory != "" {
		return errClearDirectory
	}
	for name := range stateTables() {
		if err := s.deleteWhere(ctx, name, "true"); err != nil {
			return err
		}
	}
	return holding(ctx, s.appending, func() error {
		var old []*recent
		_, err := s.newRecent(ctx, s.Tables(), func(fresh *recent) {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			old, s.recent = s.recent, []*recent{fresh}
		})
		if err != nil {
			return err
		}
		return s.publish(ctx, old...)
	})
}
