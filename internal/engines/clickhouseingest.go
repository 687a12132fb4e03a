package engines

import (
	"context"
	"fmt"
	"time"

	"savedq/internal/logs/clickhousestore"
	"savedq/sqlq"
	"savedq/sqlq/clickhouse"
)

// takeEvents makes the tables of log sources on ClickHouse the ones to which a server adds events.
func (o *Opened) takeEvents(ctx context.Context, engine *clickhouse.Engine, opening Opening) error {
	into := eventTables{engine}
	if err := into.check(ctx, opening.Tables); err != nil {
		return fmt.Errorf("--clickhouse-ingest: %w", err)
	}
	store, err := clickhousestore.Open(clickhousestore.Config{Directory: opening.Data, Inserter: into, Tables: opening.Tables, Logger: opening.Logger})
	if err != nil {
		return err
	}
	o.Ingest, o.Complete = store, store.Complete
	o.Declare = func(ctx context.Context, tables sqlq.Tables) error {
		if err := into.check(ctx, tables); err != nil {
			return err
		}
		store.Declare(tables)
		return nil
	}
	return nil
}

// eventTables are the tables of log sources on ClickHouse.
type eventTables struct{ engine *clickhouse.Engine }

var _ clickhousestore.Inserter = eventTables{}

// check returns an error unless events can be added to the tables of all log sources.
func (t eventTables) check(ctx context.Context, tables sqlq.Tables) error {
	for _, source := range tables.Sources() {
		if mapping := source.ClickHouse; mapping != nil && (mapping.Where != "" || mapping.Columns != nil || mapping.HasMap()) {
			return fmt.Errorf("%s: the rows of %s are read with expressions of other columns, so events cannot be added to them; name a table that \"savedq clickhouse schema\" prints", mapping.Place, source.Name)
		}
		if err := t.engine.CheckInsertable(ctx, source.ClickHouse.Name(source.Name), clickhousestore.Columns(source)); err != nil {
			return err
		}
	}
	return nil
}

// Insert implements [clickhousestore.Inserter].
func (t eventTables) Insert(ctx context.Context, insertion clickhousestore.Insertion) error {
	return t.engine.Insert(ctx, clickhouse.Insertion{
		Table: insertion.Source.ClickHouse.Name(insertion.Source.Name), Token: insertion.Token, Columns: clickhousestore.Columns(insertion.Source), Rows: insertion.Rows,
	})
}

// IDsSince implements [clickhousestore.Inserter].
func (t eventTables) IDsSince(ctx context.Context, source *sqlq.Table, since time.Time, each func(id string, accepted time.Time)) error {
	return t.engine.IDsSince(ctx, source.ClickHouse.Name(source.Name), since, each)
}
