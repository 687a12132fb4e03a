package randomsql

import (
	"context"
	"database/sql"
	"strings"

	"savedq/sqlq/duckdb/functions"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/googlesql/googlesqltest"
	"savedq/sqlq/googlesql/googlesqltest/duckdbtest"
	"savedq/sqlq/sqltree"
)

// OpenDuckDB returns a database with the table of the queries. Its time zone is UTC, as in the store.
func OpenDuckDB(ctx context.Context) (*sql.DB, error) {
	db, err := sqltree.Open()
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := functions.Register(ctx, db); err != nil {
		return nil, err
	}
	for _, statement := range DuckDB() {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	return db, nil
}

// Run returns the rows of a query on DuckDB, their values as [googlesqltest.Text] writes them, and the SQL of
// DuckDB. The error is a [*googlesql.Error] if the translation refuses the query.
func (q Query) Run(ctx context.Context, db *sql.DB) (rows [][]string, translated string, err error) {
	translation, err := googlesql.Translate(q.SQL, Environment(q.Columns))
	if err != nil {
		return nil, "", err
	}
	var args []any
	for _, p := range Params() {
		if strings.Contains(translation.SQL, "$"+p.Name) {
			args = append(args, sql.Named(p.Name, p.Value))
		}
	}
	read, err := db.QueryContext(ctx, translation.SQL, args...)
	if err != nil {
		return nil, translation.SQL, err
	}
	defer func() { _ = read.Close() }() // its rows have been read
	types, err := read.ColumnTypes()
	if err != nil {
		return nil, translation.SQL, err
	}
	values, places := make([]any, len(types)), make([]any, len(types))
	for i := range values {
		places[i] = &values[i]
	}
	for read.Next() {
		if err := read.Scan(places...); err != nil {
			return nil, translation.SQL, err
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = googlesqltest.Text(duckdbtest.Value(v, types[i].DatabaseTypeName()))
		}
		rows = append(rows, row)
	}
	return rows, translation.SQL, read.Err()
}
