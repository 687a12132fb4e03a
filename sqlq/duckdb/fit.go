package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"savedq/internal/duckjson"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// rowsReader reads rows of a database.
type rowsReader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// fit returns an error if files do not have the declared columns. It looks at the first file; DuckDB reads the
// others with its columns. Of JSON, each object can have other members.
func fit(ctx context.Context, db rowsReader, listing *tablefiles.Listing) error {
	files := listing.Table.Files
	if len(files.Columns) == 0 || files.Format == tables.JSON || files.Format == tables.NDJSON {
		return nil
	}
	actual, err := actualColumns(ctx, db, listing)
	if err != nil {
		return err
	}
	for _, declared := range files.Columns {
		if mistake := misfit(declared, actual, files.Format); mistake != "" {
			return tableError(listing.Table, "%s: %s", sqlq.Quote(listing.Files[0].Name), mistake)
		}
	}
	return nil
}

// misfit returns why a declared column cannot be read from those of a file; empty if it can.
func misfit(declared sqlq.Column, actual []sqlq.PlannedColumn, format string) string {
	for _, column := range actual {
		switch {
		case !strings.EqualFold(column.Name, declared.Name):
			continue
		case format == tables.CSV: // values have no type
			return ""
		case !fits(&declared, column):
			return "its column " + declared.Name + " has the type " + column.Type + ", which " + string(declared.Type) + " cannot hold"
		}
		return ""
	}
	return "it has no column " + declared.Name
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
	}
	return actual.Element == nil && actual.Fields == nil && holds(declared.Type, actual, false)
}

// hasNoEqual reports whether a type of DuckDB, or one in it, has no equal among those of columns.
func hasNoEqual(column sqlq.PlannedColumn) bool {
	if column.Element != nil {
		return hasNoEqual(*column.Element)
	}
	name, _, _ := strings.Cut(column.Type, "(")
	switch name {
	case "BLOB", "INTERVAL", "TIME", "TIMETZ", "TIME WITH TIME ZONE", "TIME_NS", "BIT", "UNION", "GEOMETRY", "VARIANT":
		return true
	}
	for _, field := range column.Fields {
		if hasNoEqual(field) {
			return true
		}
	}
	return false
}

// actualColumns returns the columns of files. The error is that of the table.
func actualColumns(ctx context.Context, db rowsReader, listing *tablefiles.Listing) (_ []sqlq.PlannedColumn, err error) {
	bare := *listing // declared types would be those of the columns
	table, files := *listing.Table, *listing.Table.Files
	files.Columns, table.Files, bare.Table = nil, &files, &table
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+scanOf(&bare)+" LIMIT 0")
	if err != nil {
		return nil, scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]sqlq.PlannedColumn, len(types))
	for i, column := range types {
		columns[i] = plannedColumn(column.Name(), duckjson.ParseType(column.DatabaseTypeName()))
	}
	return columns, rows.Err()
}
