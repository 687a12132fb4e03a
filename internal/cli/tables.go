package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"savedq/internal/engines"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
)

// tablesCommand is "savedq tables". Words of SQL are its commands, because no table has their names.
type tablesCommand struct {
	Show tablesShowCommand `cmd:"" default:"withargs" help:"List the tables, the columns of one, or some of its rows. The word show can be left out; a table that has the alias new or show needs it."`
	New  tablesNewCommand  `cmd:"" help:"Write the table.yaml of a table with the columns of a CSV, TSV, JSON, NDJSON or Parquet file, which stays where it is."`
}

// tablesShowCommand is "savedq tables show", or without a command.
type tablesShowCommand struct {
	Name   string `arg:"" optional:"" help:"Name or alias of a table, whose columns are listed. Default: list all tables."`
	Sample int    `min:"0" placeholder:"N" help:"Number of rows to show instead of the columns; a log source shows its newest. Default: none."`
	Format string `enum:"${formats}" default:"${format}" placeholder:"FORMAT" help:"Output format: ${enum}. Default: ${default}."`
	tablesFlags
	storeFlags
	memoryFlags
}

func (c *tablesShowCommand) Validate() error {
	if c.Sample > 0 && c.Name == "" {
		return errors.New("--sample: needs the name of a table")
	}
	return nil
}

// Run lists the tables, or the columns or rows of one.
func (c *tablesShowCommand) Run(ctx context.Context, term *terminal) error {
	tables, err := c.readTables()
	if err != nil {
		return err
	}
	var stats *logstore.Stats
	if _, found := tables.Find(c.Name); !found { // the store can know it
		var stored sqlq.Tables
		if stats, stored, err = c.stats(ctx, term); err != nil {
			return err
		}
		for _, table := range stored {
			if _, found := tables.Find(table.Name); !found {
				tables = append(tables, table)
			}
		}
	}
	if c.Name == "" {
		return printResult(term.stdout, c.Format, "tables", c.tablesResult(tables, stats, term))
	}
	table, found := tables.Find(c.Name)
	if !found {
		advice := sqlq.DidYouMean(c.Name, tables.Names(), "the tables are "+strings.Join(tables.Names(), ", "))
		return fmt.Errorf("there is no table %s; %s", sqlq.Quote(c.Name), advice)
	}
	if c.Sample > 0 {
		return c.sample(ctx, term, table)
	}
	return printResult(term.stdout, c.Format, "columns", columnsResult(table))
}

// stats returns the statistics and the tables of the store, which is nil if there is no store, or a server
// has it open.
func (c *tablesShowCommand) stats(ctx context.Context, term *terminal) (*logstore.Stats, sqlq.Tables, error) {
	memory, err := c.budget(memorySplit{duckDB: unchosen}, term)
	if err != nil {
		return nil, nil, err
	}
	if !logstore.Exists(c.Data) {
		return nil, nil, nil
	}
	store, err := storeOf(c.Data, memory.duckDB, engines.LowMemory).OpenSettled(ctx, logstore.OpenExisting, term.environment(slog.LevelWarn).Logger)
	if err != nil {
		_, _ = fmt.Fprintf(term.stderr, "savedq: sizes of log sources are not shown: %s\n", err)
		return nil, nil, nil
	}
	stats, err := (&upkeep.Local{Store: store, Clock: term.clock}).Stats(ctx)
	return &stats, store.Tables(), errors.Join(err, store.Close())
}

// tablesResult returns a row for each table.
func (c *tablesShowCommand) tablesResult(tables sqlq.Tables, stats *logstore.Stats, term *terminal) *sqlq.Result {
	result := &sqlq.Result{Columns: []sqlq.Column{
		{Name: "table", Type: sqlq.String},
		{Name: "kind", Type: sqlq.String},
		{Name: "events", Type: sqlq.Int64, Nullable: true},
		{Name: "bytes", Type: sqlq.Int64, Nullable: true},
		{Name: "columns", Type: sqlq.Int64},
		{Name: "aliases", Type: sqlq.String},
		{Name: "description", Type: sqlq.String},
	}}
	files := tablefiles.New(term.clock, tablefiles.Directories(tables, c.Tables...))
	for _, table := range tables {
		kind := "log source"
		var events, bytes any
		if table.Own != nil {
			kind = "runs"
		}
		if table.Files != nil {
			kind = "files"
			listing, err := files.List(table)
			if err != nil {
				_, _ = fmt.Fprintf(term.stderr, "savedq: %s\n", tablefiles.Detail(err))
			} else {
				bytes = sizeOf(listing)
			}
		}
		if stats != nil {
			if at := slices.IndexFunc(stats.Sources, func(source logstore.SourceStats) bool { return source.Source == table.Name }); at >= 0 {
				events, bytes = stats.Sources[at].Events, stats.Sources[at].Bytes
			}
		}
		result.Rows = append(result.Rows, []any{table.Name, kind, events, bytes, int64(len(table.Columns())), strings.Join(table.Aliases, " "), table.Description})
	}
	return result
}

// sizeOf returns the size of the files of a table.
func sizeOf(listing *tablefiles.Listing) int64 {
	total := int64(0)
	for _, file := range listing.Files {
		total += file.Size
	}
	return total
}

// columnsResult returns a row for each column of a table.
func columnsResult(table *sqlq.Table) *sqlq.Result {
	result := &sqlq.Result{Columns: []sqlq.Column{
		{Name: "column", Type: sqlq.String},
		{Name: "type", Type: sqlq.String},
		{Name: "read_from", Type: sqlq.String, Nullable: true},
		{Name: "description", Type: sqlq.String},
	}}
	for _, column := range table.Columns() {
		var path any
		for _, field := range table.Fields {
			if field.Name == column.Name {
				path = "metadata." + strings.Join(field.Path, ".")
			}
		}
		result.Rows = append(result.Rows, []any{column.Name, string(column.Type), path, column.Description})
	}
	return result
}

// sample prints rows of a table.
func (c *tablesShowCommand) sample(ctx context.Context, term *terminal, table *sqlq.Table) (err error) {
	memory, err := c.budget(memorySplit{duckDB: unchosen}, term)
	if err != nil {
		return err
	}
	engine, err := engines.DuckDB{Store: storeOf(c.Data, memory.duckDB, engines.LowMemory)}.Open(ctx, engines.Opening{
		Environment: term.environment(slog.LevelWarn), Tables: sqlq.Tables{table}, TableDirectories: c.Tables,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	query := &sqlq.SavedQuery{Name: table.Name, MaxRows: c.Sample, Tables: sqlq.Tables{table}}
	var names []string
	for _, column := range table.Columns() {
		column.Nullable = !column.Type.IsArray()
		query.Columns, names = append(query.Columns, column.Column), append(names, `"`+strings.ReplaceAll(column.Name, `"`, `""`)+`"`)
	}
	query.SQL = fmt.Sprintf("SELECT %s FROM %s", strings.Join(names, ", "), table.Name)
	switch {
	case table.Own != nil:
		query.SQL += " ORDER BY timestamp DESC"
	case table.IsSource():
		query.SQL += " ORDER BY timestamp DESC, id DESC"
	}
	query.SQL += fmt.Sprintf(" LIMIT %d", c.Sample)
	result, err := engine.Run(ctx, sqlq.Statement{Query: query, Now: term.clock()})
	if err != nil {
		return causeOf(err)
	}
	return printResult(term.stdout, c.Format, "sample", result)
}
