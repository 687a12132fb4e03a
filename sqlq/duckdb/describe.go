package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/connect"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// DescribeFiles returns the tables with the columns of Parquet files that declare none, as the files say them. It
// compares declared columns with the files. All mistakes are returned at once, as [sqlq.FileErrors], with the
// tables that have none.
func DescribeFiles(ctx context.Context, declared sqlq.Tables) (_ sqlq.Tables, err error) {
	if !slices.ContainsFunc(declared, isOfFiles) {
		return declared, nil
	}
	// Only the time of a version is read from the clock, and no version is asked for.
	files := tablefiles.New(func() time.Time { return time.Time{} }, tablefiles.Directories(declared))
	db, err := openFiles(ctx, files.Directories())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var described sqlq.Tables
	var mistakes sqlq.FileErrors
	for _, table := range declared {
		if !isOfFiles(table) {
			described = append(described, table)
			continue
		}
		found, err := describe(ctx, db, files, table)
		var wrong sqlq.FileErrors
		switch {
		case err == nil:
			described = append(described, found)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &wrong):
			mistakes = append(mistakes, wrong...)
		case len(table.Files.Columns) == 0:
			mistakes = append(mistakes, table.Files.Place.Mistakef("%s; declare its columns, and savedq can start all the same", tablefiles.Detail(err)))
		default:
			mistakes = append(mistakes, table.Files.Place.Mistakef("%s", tablefiles.Detail(err)))
		}
	}
	if len(mistakes) > 0 {
		mistakes.Sort()
		return described, mistakes
	}
	return described, nil
}

// openFiles opens a small database in memory that can read files of some directories, and nothing else.
func openFiles(ctx context.Context, directories []string) (*sql.DB, error) {
	connector, err := connect.New("?threads=1&memory_limit=256MB&autoinstall_known_extensions=false&autoload_known_extensions=false", nil)
	if err != nil {
		return nil, fmt.Errorf("open DuckDB to describe files: %w", err)
	}
	db := sql.OpenDB(connector)
	quoted := make([]string, len(directories))
	for i, directory := range directories {
		quoted[i] = quoteText(directory)
	}
	for _, setting := range []string{
		"SET GLOBAL TimeZone = 'UTC'", "SET GLOBAL temp_directory = ''", "SET GLOBAL allowed_directories = [" + strings.Join(quoted, ", ") + "]",
		connect.AllowLater, "SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true",
	} {
		if _, err := db.ExecContext(ctx, setting); err != nil {
			return nil, errors.Join(fmt.Errorf("open DuckDB to describe files: %w", err), db.Close())
		}
	}
	return db, nil
}

// describe returns a table with its columns. The error is an [*sqlq.Error] or [sqlq.FileErrors].
func describe(ctx context.Context, db *sql.DB, files *tablefiles.Files, table *sqlq.Table) (*sqlq.Table, error) {
	listing, err := files.List(table)
	if err != nil {
		return nil, err
	}
	defer releasePipes(listing)()
	if len(table.Files.Columns) > 0 {
		if _, err := fit(ctx, db, listing); err != nil {
			return nil, err
		}
		if table.Files.Format == tables.Parquet { // a run does without files that cannot be read if it does not need them
			if _, err := schemas(ctx, db, listing); err != nil {
				return nil, err
			}
		}
		return table, readSome(ctx, db, listing)
	}
	if err := checkFiles(ctx, listing); err != nil {
		return nil, err
	}
	samples, err := schemas(ctx, db, listing)
	if err != nil {
		return nil, err
	}
	if len(samples) > 1 {
		return nil, tablefiles.NewReadError(table, tablefiles.Columns, sqlq.Quote(samples[1].Files[0].Name)+" has other columns than "+sqlq.Quote(listing.Files[0].Name), nil)
	}
	return withColumns(ctx, db, listing)
}

// schemas returns a listing of the first file for each schema that Parquet files have.
func schemas(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (_ []*tablefiles.Listing, err error) {
	byPath := make(map[string]tablefiles.File, len(listing.Files))
	paths := make([]string, len(listing.Files))
	for i, file := range listing.Files {
		paths[i], byPath[file.Path] = quotePath(file.Path), file
	}
	const schema = "list_sort(list(coalesce(name, '') || ' ' || coalesce(duckdb_type, type, '')))"
	rows, err := db.QueryContext(ctx, "SELECT min(file_name) FROM (SELECT file_name, "+schema+" AS schema FROM parquet_schema(["+strings.Join(paths, ", ")+"]) GROUP BY ALL) GROUP BY schema ORDER BY 1") //nolint:gosec // The paths are quoted.
	if err != nil {
		return nil, scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var found []*tablefiles.Listing
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, err
		}
		found = append(found, &tablefiles.Listing{Table: listing.Table, Files: []tablefiles.File{byPath[path]}})
	}
	return found, rows.Err()
}

// readSome reads some rows with the declared columns.
func readSome(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (err error) {
	files := scans{tables: []*tablefiles.Listing{listing}, all: []*tablefiles.Listing{listing}}
	rows, err := db.QueryContext(ctx, files.with()+"FROM "+duckdbsql.QuoteName(listing.Table.Name)+" LIMIT 1000")
	if err != nil {
		return files.explain(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() { // DuckDB converts a value when it is read.
	}
	return files.explain(rows.Err())
}

// withColumns returns a table with the columns of its files.
func withColumns(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (*sqlq.Table, error) {
	actual, err := actualColumns(ctx, db, listing)
	if err != nil {
		return nil, err
	}
	table, files := *listing.Table, *listing.Table.Files
	table.Files = &files
	var mistakes sqlq.FileErrors
	for _, column := range actual {
		declared := columnOfFile(column, files.Place)
		if !fits(&declared, column) {
			mistakes = append(mistakes, files.Place.Mistakef("the column %s has the type %s, which has no equal; declare the other columns", column.Name, column.Type))
			continue
		}
		files.Columns = append(files.Columns, declared)
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return &table, nil
}

// columnOfFile returns the column that holds a column of a file. Whatever is nested, but for arrays of values, is
// JSON.
func columnOfFile(column sqlq.PlannedColumn, place sqlq.Place) sqlq.Column {
	declared := Declare(column)
	element := declared.Type.Element()
	if element == sqlq.Struct || element.IsArray() || declared.Type.IsArray() && element == sqlq.JSON {
		declared.Type, declared.Fields, declared.Nullable = sqlq.JSON, nil, true
	}
	declared.Place = place
	return declared
}

// DeclareFiles creates an empty table in the place of each table of files, with its columns, for the check of SQL
// and for cases of tests.
func DeclareFiles(ctx context.Context, db Execer, declared sqlq.Tables) error {
	for _, table := range declared {
		if !isOfFiles(table) {
			continue
		}
		columns := make([]string, len(table.Files.Columns))
		for i, column := range table.Files.Columns {
			columns[i] = duckdbsql.QuoteName(column.Name) + " " + fileType(column.Type)
		}
		if len(columns) == 0 {
			return fmt.Errorf("the table %s has no columns: its files were not described", table.Name)
		}
		if _, err := db.ExecContext(ctx, "CREATE OR REPLACE TABLE "+duckdbsql.QuoteName(table.Name)+" ("+strings.Join(columns, ", ")+")"); err != nil {
			return fmt.Errorf("declare the table %s: %w", table.Name, err)
		}
	}
	return nil
}

// Execer runs statements on a database.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}
