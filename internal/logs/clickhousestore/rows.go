package clickhousestore

import (
	"database/sql/driver"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// eventColumns are the columns that the table of each log source has, as [eventrow.Columns] calls them. Those of its
// fields follow.
var eventColumns = []string{"id", "timestamp", "event_message", "project", "metadata", "accepted"} //nolint:gochecknoglobals // It is constant.

// Columns returns the columns of the table of a log source that events have values for.
func Columns(source *sqlq.Table) []string {
	columns := slices.Clone(eventColumns)
	for _, field := range source.Fields {
		columns = append(columns, field.Name)
	}
	return columns
}

// rowsOf returns the rows of events of one source.
func rowsOf(source *sqlq.Table, events []logstore.Accepted) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		tables := sqlq.Tables{source}
		reader, at := eventrow.NewReader(tables), make(map[string]int)
		for i, column := range eventrow.Columns(tables) {
			at[column.Name] = i
		}
		var places []int
		for _, column := range eventColumns {
			places = append(places, at[column])
		}
		for _, field := range source.Fields {
			places = append(places, at[eventrow.FieldColumn(source, field)])
		}
		row := make([]any, len(places))
		for i := range events {
			// A source that was declared again is another one, with the same name.
			values, err := reader.Row(source, events[i].Event, events[i].At)
			if err != nil {
				yield(nil, err)
				return
			}
			for i, place := range places {
				row[i] = plain(values[place])
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// plain returns a value without pointers; nil is NULL.
func plain(value driver.Value) any {
	switch value := value.(type) {
	case *string:
		if value == nil {
			return nil
		}
		return *value
	case *json.RawMessage:
		if value == nil || *value == nil {
			return nil
		}
		return string(*value)
	case *time.Time:
		if value == nil {
			return nil
		}
		return *value
	case sqlq.EpochDay:
		return value.Time()
	case sqlq.Decimal:
		return string(value)
	}
	return value
}
