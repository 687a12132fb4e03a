package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"savedq/internal/text/duckjson"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/filecheck"
	"savedq/sqlq/duckdb/inspect"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// fitting are files that are known to have the declared columns, all in the types of the first file: DuckDB reads
// the others with its types, and would round numbers.
type fitting struct {
	listing *tablefiles.Listing
	// types are DuckDB's types of the declared columns.
	types map[string]string
	// mistake is the error about a value that its column does not hold; nil if there is none.
	mistake error
	// isNotWhole means that it is about a file that [filecheck.Check] rejects, whatever the others are.
	isNotWhole bool
}

// fit returns an error if files do not have the declared columns. Of JSON, each object can have other members.
func fit(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (*fitting, error) {
	return (&fitting{listing: &tablefiles.Listing{}, types: make(map[string]string)}).with(ctx, db, listing)
}

// with returns the fitting of a listing, with what is known of files that have not changed.
func (f *fitting) with(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (*fitting, error) {
	next := &fitting{listing: listing, types: maps.Clone(f.types)}
	changed := &tablefiles.Listing{Table: listing.Table, Files: without(listing.Files, f.listing.Files)}
	if err := checkFiles(ctx, changed); err != nil {
		next.isNotWhole = true
		return mistaken(next, err)
	}
	samples, err := samples(ctx, db, changed)
	if err != nil {
		return nil, err
	}
	for _, sample := range samples {
		actual, err := actualColumns(ctx, db, sample)
		if err != nil {
			return nil, err
		}
		header, err := headerOf(ctx, db, sample)
		if err != nil {
			return nil, err
		}
		for _, declared := range listing.Table.Files.Columns {
			mistake := next.misfit(declared, actual)
			if header[strings.ToLower(declared.Name)] > 1 {
				mistake = "its header names the column " + declared.Name + " twice"
			}
			if mistake != "" {
				return nil, tablefiles.NewReadError(listing.Table, tablefiles.Columns, sqlq.Quote(sample.Files[0].Name)+": "+mistake, nil)
			}
		}
	}
	return mistaken(next, exact(ctx, db, changed, next.types))
}

// mistaken returns a fitting with the mistake that an error is; no other error is known for the next call.
func mistaken(next *fitting, err error) (*fitting, error) {
	if mistake := new(sqlq.Error); errors.As(err, &mistake) {
		next.mistake = mistake
	}
	return next, err
}

// checkFiles reads files before DuckDB does. The error is an [*sqlq.Error] if something is wrong with one.
func checkFiles(ctx context.Context, listing *tablefiles.Listing) error {
	for _, file := range listing.Files {
		err := filecheck.Check(ctx, listing.Table, file)
		switch fault := new(filecheck.FaultError); {
		case err == nil:
		case errors.As(err, &fault):
			return faultError(listing.Table, file, fault)
		case ctx.Err() != nil:
			return err
		default:
			return tablefiles.NewReadError(listing.Table, tablefiles.Unreadable, sqlq.Quote(file.Name)+": "+err.Error(), nil)
		}
	}
	return nil
}

// faultError returns the error about a file of a table. A text in another encoding has mistakes that its owner does not see.
func faultError(table *sqlq.Table, file tablefiles.File, fault *filecheck.FaultError) error {
	detail := fault.Error()
	if other := inspect.Encoding(file.Path, table.Files.Format); other != "" {
		detail = other
	}
	place := sqlq.Quote(file.Name) + ": "
	if strings.HasPrefix(detail, "line ") {
		place = sqlq.Quote(file.Name) + ", "
	}
	return tablefiles.NewReadError(table, fault.Kind, place+detail, nil)
}

// samples returns a listing of one file for each schema of files.
func samples(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) ([]*tablefiles.Listing, error) {
	switch {
	case len(listing.Table.Files.Columns) == 0 || len(listing.Files) == 0:
		return nil, nil
	case listing.Table.Files.Format == tables.Parquet:
		return readableSchemas(ctx, db, listing)
	case listing.Table.Files.Format == tables.CSV:
		return headers(listing), nil
	}
	return nil, nil
}

// readableSchemas is [schemas] without the files that cannot be read, unless none can be. A query that does not need
// their partitions can still run.
func readableSchemas(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) ([]*tablefiles.Listing, error) {
	found, err := schemas(ctx, db, listing)
	if err == nil || ctx.Err() != nil || len(listing.Files) == 1 {
		return found, err
	}
	found = nil
	for _, file := range listing.Files {
		one := &tablefiles.Listing{Table: listing.Table, Files: []tablefiles.File{file}}
		if samples, err := schemas(ctx, db, one); err == nil {
			found = append(found, samples...)
		}
	}
	if len(found) == 0 {
		return nil, err
	}
	return found, nil
}

// misfit returns why a file cannot provide a declared column; empty if it can.
func (f *fitting) misfit(declared sqlq.Column, actual []sqlq.PlannedColumn) string {
	for _, column := range actual {
		if !strings.EqualFold(column.Name, declared.Name) {
			continue
		}
		other := f.types[declared.Name]
		switch {
		case isText(f.listing, declared.Name): // values have no type
		case !fits(&declared, column):
			return "its column " + declared.Name + " has the type " + column.Type + ", which " + string(declared.Type) + " cannot hold"
		case other != "" && other != column.Type:
			return "its column " + declared.Name + " has the type " + column.Type + ", and " + other + " in other files"
		}
		f.types[declared.Name] = column.Type
		return ""
	}
	return "it has no column " + declared.Name + otherSeparator(declared.Name, actual)
}

// otherSeparator returns what to declare if a column of a file has the name of another in it, between separators.
func otherSeparator(declared string, actual []sqlq.PlannedColumn) string {
	for _, separator := range []string{",", ";", "|", "\t"} {
		for _, column := range actual {
			if names := strings.Split(column.Name, separator); len(names) > 1 && slices.ContainsFunc(names, isNamed(declared)) {
				return fmt.Sprintf("; its names have %q between them, so declare separator: %[1]q", separator)
			}
		}
	}
	return ""
}

// isText reports whether the values of a column of Parquet or CSV files are texts: of CSV, and of the names of directories.
func isText(listing *tablefiles.Listing, column string) bool {
	return listing.Table.Files.Format == tables.CSV || slices.ContainsFunc(listing.Partitions(), isNamed(column))
}

// fits reports whether a declared type can hold the type of a column of a file.
func fits(declared *sqlq.Column, actual sqlq.PlannedColumn) bool {
	switch {
	case hasNoEqual(actual):
		return false
	case declared.Type == sqlq.JSON:
		return true
	case declared.Type.IsArray():
		return actual.Element != nil && fits(declared.Element(), *actual.Element)
	case declared.Type == sqlq.Numeric && decimals(actual.Type) > sqlq.NumericScale:
		return false // DuckDB would round
	}
	return actual.Element == nil && actual.Fields == nil && holds(declared.Type, actual, false)
}

// decimals returns how many digits a DECIMAL has after the point; 0 for other types.
func decimals(actual string) (scale int) {
	_, _ = fmt.Sscanf(actual, "DECIMAL(%d,%d)", new(int), &scale)
	return scale
}

// hasNoEqual reports whether a DuckDB type, or a type nested in it, has no column type.
func hasNoEqual(column sqlq.PlannedColumn) bool {
	if column.Element != nil {
		return hasNoEqual(*column.Element)
	}
	name, _, _ := strings.Cut(column.Type, "(")
	switch name {
	case "BLOB", "INTERVAL", "TIME", "TIMETZ", "TIME WITH TIME ZONE", "TIME_NS", "BIT", "UNION", "GEOMETRY", "VARIANT":
		return true
	}
	return slices.ContainsFunc(column.Fields, hasNoEqual)
}

// headerOf counts the names in the header of a CSV file, in lower case: DuckDB renames those that it has twice.
func headerOf(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (_ map[string]int, err error) {
	header := make(map[string]int)
	if listing.Table.Files.Format != tables.CSV {
		return header, nil
	}
	scan := strings.Replace(scanOf(undeclared(listing)), "header = true", "header = false", 1)
	rows, err := db.QueryContext(ctx, "FROM "+scan+" LIMIT 1") //nolint:gosec // Names and paths are quoted.
	if err != nil {
		return nil, scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		return nil, errors.Join(err, rows.Err())
	}
	names, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range names {
		targets[i] = &names[i]
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, err
	}
	for _, name := range names {
		header[strings.ToLower(name.String)]++
	}
	return header, nil
}

// undeclared returns a listing without declared columns, whose types DuckDB would report.
func undeclared(listing *tablefiles.Listing) *tablefiles.Listing {
	bare, table, files := *listing, *listing.Table, *listing.Table.Files
	files.Columns, table.Files, bare.Table = nil, &files, &table
	return &bare
}

// actualColumns returns the columns that files have. Errors name the table.
func actualColumns(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) ([]sqlq.PlannedColumn, error) {
	types, err := columnTypes(ctx, db, "SELECT * FROM "+scanOf(undeclared(listing))+" LIMIT 0")
	if err != nil {
		return nil, scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	return planned(types), nil
}

// planned returns columns with DuckDB's types.
func planned(types []*sql.ColumnType) []sqlq.PlannedColumn {
	columns := make([]sqlq.PlannedColumn, len(types))
	for i, column := range types {
		columns[i] = plannedColumn(column.Name(), duckjson.ParseType(column.DatabaseTypeName()))
	}
	return columns
}
