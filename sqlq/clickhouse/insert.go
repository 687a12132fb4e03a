package clickhouse

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"

	"savedq/sqlq"
)

// Insertion are rows for a table.
type Insertion struct {
	// Table is the name of the table, with its database unless that is the engine's.
	Table string
	// Token identifies the rows: a second insertion with it adds nothing, as long as the table remembers it.
	Token   string
	Columns []string
	// Rows have a value for each column: nil for NULL, a string, a number, a bool or a time.
	Rows iter.Seq2[[]any, error]
}

// Insert adds rows, all or none. After an error the rows can be there; then it must be repeated with the same token.
func (e *Engine) Insert(ctx context.Context, insertion Insertion) error {
	within, end, err := e.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	bounded, stop := withTimeout(within, e.config.Timeout)
	defer stop()
	bounded = clickhouse.Context(bounded, clickhouse.WithSettings(clickhouse.Settings{
		"insert_deduplicate": 1, "insert_deduplication_token": insertion.Token, "async_insert": 0,
	}))
	if err := e.insert(bounded, insertion); err != nil {
		return fmt.Errorf("insert into %s: %w", insertion.Table, err)
	}
	return nil
}

func (e *Engine) insert(ctx context.Context, insertion Insertion) error {
	var names []string
	for _, column := range insertion.Columns {
		names = append(names, quoteName(column))
	}
	batch, err := e.client.PrepareBatch(ctx, "INSERT INTO "+e.qualified(insertion.Table)+" ("+strings.Join(names, ", ")+")")
	if err != nil {
		return err
	}
	defer func() { _ = batch.Close() }() // It was sent, or it is not needed.
	for row, err := range insertion.Rows {
		if err == nil {
			err = batch.Append(row...)
		}
		if err != nil {
			return err
		}
	}
	return batch.Send()
}

// IDsSince calls each for the rows of a table that were accepted since a time, with their ids and when that was.
func (e *Engine) IDsSince(ctx context.Context, table string, since time.Time, each func(id string, accepted time.Time)) error {
	within, end, err := e.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	bounded := clickhouse.Context(within, clickhouse.WithParameters(clickhouse.Parameters{"since": strconv.FormatInt(since.UnixMicro(), 10)}))
	rows, err := e.client.Query(bounded, "SELECT id, accepted FROM "+e.qualified(table)+" WHERE accepted >= fromUnixTimestamp64Micro({since:Int64}, 'UTC')")
	if err != nil {
		return fmt.Errorf("read ids of %s: %w", table, err)
	}
	defer func() { _ = rows.Close() }() // Err returns the same error.
	for rows.Next() {
		var id string
		var accepted time.Time
		if err := rows.Scan(&id, &accepted); err != nil {
			return fmt.Errorf("read ids of %s: %w", table, err)
		}
		each(id, accepted)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read ids of %s: %w", table, err)
	}
	return nil
}

// CheckInsertable returns an error unless rows with certain columns can be inserted into a table.
func (e *Engine) CheckInsertable(ctx context.Context, table string, columns []string) error {
	query := &sqlq.SavedQuery{Name: "ingest"}
	found, err := e.describe(ctx, query, sqlq.Statement{Query: query, Now: e.config.Clock()}, e.qualified(table))
	if failed, _ := failureOf(err); failed.code == unknownTable {
		return fmt.Errorf("ClickHouse has no table %s; create it with what \"savedq clickhouse schema\" prints", table)
	}
	if err != nil {
		return e.config.setupError(err)
	}
	var missing []string
	for _, name := range columns {
		if !slices.ContainsFunc(found, func(c column) bool { return c.name == name }) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return fmt.Errorf("the table %s on ClickHouse lacks %s, which events have; add what \"savedq clickhouse schema\" prints", table, strings.Join(missing, ", "))
	}
	return nil
}
