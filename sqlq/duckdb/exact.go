package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// exact returns an error that names a value of CSV or JSON files which its column cannot hold, and DuckDB would round. The
// files are read as texts for that, once for each version of a file. A file that cannot be read is no mistake here: a
// query that does not need it can still run.
func exact(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) error {
	columns := inexactColumns(listing)
	if len(columns) == 0 || len(listing.Files) == 0 {
		return nil
	}
	err := findInexact(ctx, db, listing, columns)
	if mistake := new(sqlq.Error); err == nil || len(listing.Files) == 1 && !errors.As(err, &mistake) {
		return ctx.Err()
	} else if errors.As(err, &mistake) || ctx.Err() != nil {
		return err
	}
	for _, file := range listing.Files {
		if err := exact(ctx, db, &tablefiles.Listing{Table: listing.Table, Files: []tablefiles.File{file}}); err != nil {
			return err
		}
	}
	return nil
}

// inexactColumns returns the columns of CSV and JSON files whose values DuckDB can round. Values of Parquet have a type.
func inexactColumns(listing *tablefiles.Listing) (columns []sqlq.Column) {
	for _, column := range listing.Table.Files.Columns {
		if listing.Table.Files.Format != tables.Parquet && inexactSQL(column.Type, "") != "" {
			columns = append(columns, column)
		}
	}
	return columns
}

// inexactSQL returns a condition for a text that a type does not hold exactly; empty if it holds all texts that it can
// read. The short conditions come first, because few texts meet them.
func inexactSQL(typ sqlq.Type, text string) string {
	if typ.IsArray() {
		element := fmt.Sprintf("element%d", strings.Count(string(typ), "<"))
		if inner := inexactSQL(typ.Element(), element); inner != "" {
			return fmt.Sprintf("len(list_filter(%s, lambda %s: %s)) > 0", text, element, inner)
		}
		return ""
	}
	const number = `(contains(%[1]s, '.') OR contains(%[1]s, 'e') OR contains(%[1]s, 'E')) AND CASE WHEN regexp_matches(%[1]s, '[eE]')
THEN CAST(TRY_CAST(%[1]s AS %[2]s) AS DOUBLE) <> TRY_CAST(%[1]s AS DOUBLE) ELSE regexp_matches(%[1]s, '\.[0-9]{%[3]d}[0-9]*[1-9]') END`
	switch typ { //nolint:exhaustive // DuckDB rounds no others: a FLOAT64 is the nearest one of a number.
	case sqlq.Int64:
		return fmt.Sprintf(number, text, duckdbsql.StorageType(typ), 0)
	case sqlq.Numeric:
		return fmt.Sprintf(number, text, duckdbsql.StorageType(typ), sqlq.NumericScale)
	case sqlq.Date:
		return fmt.Sprintf("length(%[1]s) > length('2026-01-02') AND TRY_CAST(%[1]s AS TIMESTAMP) <> TRY_CAST(%[1]s AS DATE)", text)
	}
	return ""
}

// findInexact returns an [*sqlq.Error] that names a value which its column does not hold exactly.
func findInexact(ctx context.Context, db *sql.DB, listing *tablefiles.Listing, columns []sqlq.Column) error {
	const fileColumn = "savedq_file"
	texts := undeclared(listing)
	files := texts.Table.Files
	var names, values strings.Builder
	conditions := make([]string, len(columns))
	for i, column := range columns {
		name := duckdbsql.QuoteName(column.Name)
		conditions[i] = inexactSQL(column.Type, name)
		_, _ = fmt.Fprintf(&names, " WHEN %s THEN %d", conditions[i], i)
		_, _ = fmt.Fprintf(&values, " WHEN %s THEN CAST(%s AS VARCHAR)", conditions[i], name)
		column.Type = sqlq.Type(strings.ReplaceAll(string(column.Type), string(column.Type.Innermost()), string(sqlq.String)))
		files.Columns = append(files.Columns, column)
	}
	query := fmt.Sprintf("SELECT %s, CASE%s END, CASE%s END FROM %s WHERE %s LIMIT 1",
		fileColumn, &names, &values, scanOf(texts, "filename = '"+fileColumn+"'"), strings.Join(conditions, " OR "))
	var path, value string
	var index int
	if err := db.QueryRowContext(ctx, query).Scan(&path, &index, &value); errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	place := ""
	if file := blamed(listing, path); file != nil {
		place = sqlq.Quote(file.Name) + ": "
	}
	return tablefiles.Errorf(listing.Table, "%sits column %s has the value %s, which %s cannot hold exactly",
		place, columns[index].Name, sqlq.Quote(value), columns[index].Type)
}
