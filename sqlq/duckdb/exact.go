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

// exact returns an error that names a value of files which its column cannot hold, and which DuckDB would round or refuse
// without its place. The texts of CSV and JSON files and of partitions are read for that, and those numbers of Parquet files
// whose type has more digits, once for each version of a file. A file that cannot be read is no mistake here: a query that
// does not need it can still run.
func exact(ctx context.Context, db *sql.DB, listing *tablefiles.Listing, types map[string]string) error {
	if len(listing.Files) == 0 {
		return nil
	}
	columns, conditions := inexactColumns(listing, types)
	if len(columns) == 0 {
		return nil
	}
	err := findInexact(ctx, db, listing, columns, conditions)
	if mistake := new(sqlq.Error); err == nil || len(listing.Files) == 1 && !errors.As(err, &mistake) {
		return ctx.Err()
	} else if errors.As(err, &mistake) || ctx.Err() != nil {
		return err
	}
	for _, file := range listing.Files {
		if err := exact(ctx, db, &tablefiles.Listing{Table: listing.Table, Files: []tablefiles.File{file}}, types); err != nil {
			return err
		}
	}
	return nil
}

// inexactColumns returns the columns of files that may not hold their values, each with the condition for a value that it
// does not hold. types are DuckDB's types of the columns of Parquet files.
func inexactColumns(listing *tablefiles.Listing, types map[string]string) (columns []sqlq.Column, conditions []string) {
	for _, column := range listing.Table.Files.Columns {
		condition := inexactSQL
		if listing.Table.Files.Format == tables.Parquet && !isText(listing, column.Name) {
			if actual := strings.TrimRight(types[column.Name], "[]"); actual != "UBIGINT" && !isBig(actual) {
				continue
			}
			condition = overflowSQL
		}
		if text := nestedSQL(column.Type, duckdbsql.QuoteName(column.Name), condition); text != "" {
			columns, conditions = append(columns, column), append(conditions, text)
		}
	}
	return columns, conditions
}

// nestedSQL returns a condition for a value, or for an element of a list; empty if the condition of the element is.
func nestedSQL(typ sqlq.Type, value string, condition func(typ sqlq.Type, value string) string) string {
	if !typ.IsArray() {
		return condition(typ, value)
	}
	element := fmt.Sprintf("element%d", strings.Count(string(typ), "<"))
	if inner := nestedSQL(typ.Element(), element, condition); inner != "" {
		return fmt.Sprintf("len(list_filter(%s, lambda %s: %s)) > 0", value, element, inner)
	}
	return ""
}

// overflowSQL returns a condition for a number beyond those of a type; empty if a type has all numbers.
func overflowSQL(typ sqlq.Type, number string) string {
	if typ != sqlq.Int64 && typ != sqlq.Numeric {
		return ""
	}
	return fmt.Sprintf("%s IS NOT NULL AND TRY_CAST(%[1]s AS %s) IS NULL", number, duckdbsql.StorageType(typ))
}

// inexactSQL returns a condition for a text that a type does not hold exactly; empty if it holds all texts that it can
// read. The short conditions come first, because few texts meet them.
func inexactSQL(typ sqlq.Type, text string) string {
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
func findInexact(ctx context.Context, db *sql.DB, listing *tablefiles.Listing, columns []sqlq.Column, conditions []string) (err error) {
	const fileColumn = "savedq_file"
	texts := undeclared(listing)
	files := texts.Table.Files
	var names, values strings.Builder
	for i, column := range columns {
		_, _ = fmt.Fprintf(&names, " WHEN %s THEN %d", conditions[i], i)
		_, _ = fmt.Fprintf(&values, " WHEN %s THEN CAST(%s AS VARCHAR)", conditions[i], duckdbsql.QuoteName(column.Name))
		column.Type = sqlq.Type(strings.ReplaceAll(string(column.Type), string(column.Type.Innermost()), string(sqlq.String)))
		files.Columns = append(files.Columns, column)
	}
	query := fmt.Sprintf( //nolint:gosec // Names and paths are quoted.
		"SELECT %s, CASE%s END, CASE%s END FROM %s WHERE %s LIMIT 1",
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
