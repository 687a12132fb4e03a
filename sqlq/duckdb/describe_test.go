package duckdb_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// Parquet files say the columns of their table. Without files, SQL is checked against empty tables with them.
func TestDescribeFiles(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "day=2026-01-01/a.parquet", `SELECT 1::INTEGER AS "Id", 'x' AS name, 1.5::FLOAT AS price, true AS sold, now() AS zoned, TIMESTAMP_NS '2026-01-01' AS at, DATE '2026-01-01' AS date,
		uuid() AS uuid, [1, 2] AS numbers, {'a': 1} AS struct, [{'a': 1}] AS structs, MAP {'a': 1} AS map, [[1]] AS nested, 1.25::DECIMAL(9, 2) AS amount, 18446744073709551615::UBIGINT AS large`)
	plain := f.table("plain", tables.CSV, "missing.csv", column("id", sqlq.Int64))
	f.put(t, "missing.csv", "id\n1\n")
	table := f.table("products", tables.Parquet, "**/*.parquet")
	declared := sqlq.Tables{tables.Shipped()[0], table, plain}
	described, err := duckdb.DescribeFiles(t.Context(), declared)
	require.NoError(t, err)
	require.Len(t, described, 3)
	assert.Same(t, declared[0], described[0])
	assert.Same(t, plain, described[2])
	assert.Empty(t, table.Files.Columns, "tables are not changed")
	types := make(map[string]sqlq.Type)
	for _, column := range described[1].Files.Columns {
		types[column.Name] = column.Type
		assert.Equal(t, table.Files.Place, column.Place)
	}
	exact := types["amount"] // a number with more digits than FLOAT64
	assert.Equal(t, map[string]sqlq.Type{
		"Id": sqlq.Int64, "name": sqlq.String, "price": sqlq.Float64, "sold": sqlq.Bool, "zoned": sqlq.Timestamp, "at": sqlq.Timestamp, "date": sqlq.Date, "uuid": sqlq.String,
		"numbers": sqlq.ArrayOf(sqlq.Int64), "struct": sqlq.JSON, "structs": sqlq.JSON, "map": sqlq.JSON, "nested": sqlq.JSON, "amount": exact, "large": exact, "day": sqlq.Date,
	}, types)
	assert.NotEqual(t, sqlq.Float64, exact)
	query := reading("SELECT id, struct, structs, numbers, day FROM products", described...)
	assert.Equal(t, `{"Id":1,"struct":{"a":1},"structs":[{"a":1}],"numbers":[1,2],"day":"2026-01-01"}`, run(t.Context(), f.open(t, described[1], described[2]), query))

	empty := openStore(t, nil)
	require.NoError(t, duckdb.DeclareFiles(t.Context(), empty.DB(), described))
	engine := duckdb.New(empty.DB())
	_, err = engine.Check(t.Context(), query)
	require.NoError(t, err)
	assert.Empty(t, run(t.Context(), engine, query))
	assert.Empty(t, engine.FilesVersion(query))
	for sql, mistake := range map[string]string{
		"SELECT weight FROM products":    `Referenced column "weight" not found`,
		"SELECT * FROM main.products":    "the table products has no schema; name it without one",
		"SELECT * FROM 'a.parquet'":      `"a.parquet" is not the name of a table; declare a table with its files in a table.yaml`,
		"FROM read_parquet('a.parquet')": "the table function read_parquet is not allowed",
	} {
		_, err := engine.Check(t.Context(), reading(sql, described...))
		require.ErrorContains(t, err, mistake)
	}
	require.ErrorContains(t, duckdb.DeclareFiles(t.Context(), empty.DB(), declared), "the table products has no columns")
}

// Each mistake is at the place of the pattern. Tables without one stay.
func TestDescribeFilesMistakes(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.put(t, "text.parquet", "not a Parquet file, but a long enough text")
	f.write(t, "odd.parquet", "SELECT 1 AS id, 'x'::BLOB AS photo, [INTERVAL 1 DAY] AS spans, 1.5::DECIMAL(38, 10) AS exact")
	f.write(t, "mixed/a.parquet", "SELECT 1 AS id")
	f.write(t, "mixed/b.parquet", "SELECT 1 AS id, 2 AS b")
	f.write(t, "good.parquet", "SELECT 1 AS id")
	f.put(t, "bad.csv", "id\nx\n")
	id := column("id", sqlq.Int64)
	described, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{
		f.table("a_none", tables.Parquet, "none/*.parquet"), f.table("b_text", tables.Parquet, "text.parquet"), f.table("c_odd", tables.Parquet, "odd.parquet"),
		f.table("d_mixed", tables.Parquet, "mixed/*.parquet"), f.table("e_declared", tables.Parquet, "mixed/*.parquet", id), f.table("f_lacks", tables.Parquet, "mixed/*.parquet", id, column("b", sqlq.Int64)),
		f.table("g_type", tables.Parquet, "good.parquet", column("id", sqlq.Date)), f.table("h_bad", tables.CSV, "bad.csv", id), f.table("i_good", tables.Parquet, "good.parquet"),
	})
	assert.Equal(t, []string{"e_declared", "i_good"}, described.Names())
	var mistakes sqlq.FileErrors
	require.ErrorAs(t, err, &mistakes)
	assert.Equal(t, `tables/a_none/table.yaml:3:8: the files of the table a_none cannot be read: there is no file that matches its pattern; declare its columns, and savedq can start all the same
tables/b_text/table.yaml:3:8: the files of the table b_text cannot be read: "text.parquet": it is not a Parquet file; declare its columns, and savedq can start all the same
tables/c_odd/table.yaml:3:8: the column photo has the type BLOB, which has no equal; declare the other columns
tables/c_odd/table.yaml:3:8: the column spans has the type INTERVAL[], which has no equal; declare the other columns
tables/c_odd/table.yaml:3:8: the column exact has the type DECIMAL(38,10), which has no equal; declare the other columns
tables/d_mixed/table.yaml:3:8: the files of the table d_mixed cannot be read: "b.parquet" has other columns than "a.parquet"; declare its columns, and savedq can start all the same
tables/f_lacks/table.yaml:3:8: the files of the table f_lacks cannot be read: "a.parquet": it has no column b
tables/g_type/table.yaml:3:8: the files of the table g_type cannot be read: "good.parquet": its column id has the type INTEGER, which DATE cannot hold
tables/h_bad/table.yaml:3:8: the files of the table h_bad cannot be read: "bad.csv", line 2: its column id has the value "x", which INT64 cannot hold exactly`, err.Error())
}

// The directories are those before the first wildcard.
func TestDirectoriesOfTables(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	got := tablefiles.Directories(sqlq.Tables{f.table("a", tables.CSV, "x/*.csv"), f.table("b", tables.CSV, "y/z/**/d/*.csv"), f.table("c", tables.CSV, "y/z/c.csv"), tables.Shipped()[0]}, f.path+"/w/", "/")
	assert.Equal(t, []string{f.path + "/w", f.path + "/x", f.path + "/y/z"}, got)
	files := tablefiles.New(time.Now, got)
	assert.True(t, files.Covers(f.table("d", tables.CSV, "x/new/*.csv")))
	assert.True(t, files.Covers(f.table("e", tables.CSV, "x/e.csv")))
	assert.False(t, files.Covers(f.table("f", tables.CSV, "xx/*.csv")))
}
