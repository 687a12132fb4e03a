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
var eventColumns = []string{"id", "timestamp", "event_message", "project", "metadata", "of_project", "status", "method", "path", "level", "accepted"} //nolint:gochecknoglobals // It is constant.

// rows makes rows of events.
type rows struct {
	reader *eventrow.Reader
	// at are the places of columns in what the reader returns, by name.
	at map[string]int
}

func newRows(tables sqlq.Tables) *rows {
	r := &rows{reader: eventrow.NewReader(tables), at: make(map[string]int)}
	for i, column := range eventrow.Columns(tables) {
		r.at[column.Name] = i
	}
	return r
}

// columns returns the columns of a table with events.
func (*rows) columns(source *sqlq.Table) []string {
	columns := slices.Clone(eventColumns)
	for _, field := range source.Fields {
		columns = append(columns, field.Name)
	}
	return columns
}

// of returns the rows of events of one source.
func (r *rows) of(events []logstore.Accepted) iter.Seq2[[]any, error] {
	source := events[0].Source
	places := make([]int, 0, len(eventColumns)+len(source.Fields))
	for _, column := range eventColumns {
		places = append(places, r.at[column])
	}
	for _, field := range source.Fields {
		places = append(places, r.at[eventrow.FieldColumn(source, field)])
	}
	row := make([]any, len(places))
	return func(yield func([]any, error) bool) {
		for i := range events {
			values, err := r.reader.Row(source, events[i].Event, events[i].At)
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
