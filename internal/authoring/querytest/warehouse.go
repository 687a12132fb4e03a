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
	"savedq/sqlq/clickhouse"
)

// Warehouse runs cases on BigQuery or ClickHouse: with rows of the cases, and the columns of the tables there.
type Warehouse struct {
	engine warehouseEngine
	// prepare returns the statement that reads given rows.
	prepare func(ctx context.Context, statement sqlq.Statement, tables []givenTable) (sqlq.Statement, error)
	// typedMetadata is what TypedMetadata returns.
	typedMetadata bool
}

// warehouseEngine is an engine that can be closed.
type warehouseEngine interface {
	sqlq.Engine
	Close() error
}

// givenTable is a table whose rows are given, as JSON objects.
type givenTable struct {
	name string
	rows []json.RawMessage
}

var _ Backend = (*Warehouse)(nil)

// NewWarehouse returns a backend on BigQuery, whose engine it closes.
func NewWarehouse(engine *bigquery.Engine) *Warehouse {
	rows := bigquery.NewGivenRows(engine)
	return &Warehouse{engine: engine, typedMetadata: true, prepare: func(ctx context.Context, statement sqlq.Statement, tables []givenTable) (sqlq.Statement, error) {
		given := make([]bigquery.GivenTable, len(tables))
		for i, table := range tables {
			given[i] = bigquery.GivenTable{Name: table.name, Rows: table.rows}
		}
		return rows.Prepare(ctx, statement, given)
	}}
}

// NewClickHouse returns a backend on ClickHouse, whose engine it closes.
func NewClickHouse(engine *clickhouse.Engine) *Warehouse {
	rows := clickhouse.NewGivenRows(engine)
	return &Warehouse{engine: engine, prepare: func(ctx context.Context, statement sqlq.Statement, tables []givenTable) (sqlq.Statement, error) {
		given := make([]clickhouse.GivenTable, len(tables))
		for i, table := range tables {
			given[i] = clickhouse.GivenTable{Name: table.name, Rows: table.rows}
		}
		return rows.Prepare(ctx, statement, given)
	}}
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
	prepared, err := w.prepare(ctx, statement, tables)
	if err != nil {
		return nil, &dataError{err}
	}
	return w.engine.Run(ctx, prepared)
}

// TypedMetadata implements [Backend].
func (w *Warehouse) TypedMetadata() bool { return w.typedMetadata }

// givenTables returns the rows of the log sources that a saved query reads and a case has, some of which are
// empty, and of the tables of the case.
func givenTables(read sqlq.Tables, data Data) ([]givenTable, error) {
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
	var tables []givenTable
	for _, source := range read.Sources() {
		tables = append(tables, givenTable{name: source.Name, rows: rows[source.Name]})
	}
	for _, table := range data.Tables {
		given := givenTable{name: table.Table}
		for _, row := range table.Rows {
			object := make(map[string]json.RawMessage, len(row.Values))
			for _, value := range row.Values {
				object[value.Column] = value.JSON
			}
			text, err := json.Marshal(object)
			if err != nil {
				return nil, err
			}
			given.rows = append(given.rows, text)
		}
		replaced := false
		for i := range tables {
			if tables[i].name == given.name {
				tables[i], replaced = given, true
			}
		}
		if !replaced {
			tables = append(tables, given)
		}
	}
	return tables, nil
}
