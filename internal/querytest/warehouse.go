package querytest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/sqlq"
	"savedq/sqlq/bigquery"
)

// Warehouse runs cases on BigQuery: with rows of the cases, and the columns of the dataset's
// tables.
type Warehouse struct {
	engine *bigquery.Engine
	rows   *bigquery.GivenRows
}

var _ Backend = (*Warehouse)(nil)

// NewWarehouse returns a backend on an engine, which it closes.
func NewWarehouse(engine *bigquery.Engine) *Warehouse {
	return &Warehouse{engine: engine, rows: bigquery.NewGivenRows(engine)}
}

// Close closes the engine.
func (w *Warehouse) Close() error { return w.engine.Close() }

// Check checks a saved query, as [sqlq.Engine] does.
func (w *Warehouse) Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error) {
	return w.engine.Check(ctx, query)
}

// Run implements [Backend]. A failure to prepare the rows is one of the test.
func (w *Warehouse) Run(ctx context.Context, statement sqlq.Statement, data Data) (*sqlq.Result, error) {
	tables, err := givenTables(statement.Query.Tables, data)
	if err != nil {
		return nil, &dataError{err}
	}
	prepared, err := w.rows.Prepare(ctx, statement, tables)
	if err != nil {
		return nil, &dataError{err}
	}
	return w.engine.Run(ctx, prepared)
}

// TypedMetadata implements [Backend].
func (w *Warehouse) TypedMetadata() bool { return true }

// givenTables returns the rows of the log sources that a saved query reads and a case has, some of which are
// empty, and of the tables of the case.
func givenTables(read sqlq.Tables, data Data) ([]bigquery.GivenTable, error) {
	rows := make(map[string][]json.RawMessage)
	for _, source := range data.Events {
		for _, event := range source.Events {
			values := eventrow.FieldsOf(source.Source, event.Metadata)
			maps.Copy(values, map[string]any{
				"id": event.ID, "timestamp": event.Timestamp.Format(time.RFC3339Nano), "event_message": event.EventMessage,
				"project": event.Project, "metadata": event.Metadata,
			})
			row, err := json.Marshal(values)
			if err != nil {
				return nil, err
			}
			rows[source.Source.Name] = append(rows[source.Source.Name], row)
		}
		if _, found := read.FindSource(source.Source.Name); !found {
			read = append(slices.Clip(read), source.Source)
		}
	}
	var tables []bigquery.GivenTable
	for _, source := range read.Sources() {
		tables = append(tables, bigquery.GivenTable{Name: source.Name, Rows: rows[source.Name]})
	}
	for _, table := range data.Tables {
		given := bigquery.GivenTable{Name: table.Table}
		for _, row := range table.Rows {
			object := make(map[string]json.RawMessage, len(row.Values))
			for _, value := range row.Values {
				object[value.Column] = value.JSON
			}
			text, err := json.Marshal(object)
			if err != nil {
				return nil, err
			}
			given.Rows = append(given.Rows, text)
		}
		replaced := false
		for i := range tables {
			if tables[i].Name == given.Name {
				tables[i], replaced = given, true
			}
		}
		if !replaced {
			tables = append(tables, given)
		}
	}
	return tables, nil
}
