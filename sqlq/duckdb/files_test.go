package duckdb_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// folder is a directory with files of tables, which an engine reads.
type folder struct {
	// path has no symbolic links.
	path string
	// alone is DuckDB without savedq.
	alone *sql.DB
}

func newFolder(t *testing.T) folder {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	alone, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, alone.Close()) })
	return folder{path, alone}
}

// write writes rows to a file, in the format that its name says.
func (f folder) write(t *testing.T, name, query string) {
	t.Helper()
	path := filepath.Join(f.path, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	_, err := f.alone.ExecContext(t.Context(), "COPY ("+query+") TO '"+strings.ReplaceAll(path, "'", "''")+"'")
	require.NoError(t, err)
}

// put writes a file as it is.
func (f folder) put(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(f.path, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// rowsOf returns what DuckDB on its own returns, each row as JSON.
func (f folder) rowsOf(t *testing.T, query string) (texts []string) {
	t.Helper()
	rows, err := f.alone.QueryContext(t.Context(), "SELECT to_json(row)::VARCHAR FROM ("+query+") AS row")
	require.NoError(t, err, query)
	defer func() { assert.NoError(t, rows.Close()) }()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	return texts
}

// table returns a table of files.
func (f folder) table(name, format, pattern string, columns ...sqlq.Column) *sqlq.Table {
	place := sqlq.Place{File: "tables/" + name + "/table.yaml", Line: 3, Column: 8}
	return &sqlq.Table{Name: name, Files: &sqlq.Files{Pattern: filepath.Join(f.path, pattern), Format: format, Columns: columns, Place: place}, Place: place}
}

// open opens an engine that reads the files of the tables.
func (f folder) open(t *testing.T, declared ...*sqlq.Table) *duckdb.Engine {
	t.Helper()
	directories := tablefiles.Directories(declared)
	store, err := logstore.OpenEmpty(t.Context(), logstore.WithReadableDirectories(directories...))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return duckdb.NewWithFiles(store.DB(), tablefiles.New(time.Now, directories))
}

func column(name string, typ sqlq.Type) sqlq.Column {
	return sqlq.Column{Name: name, Type: typ, Nullable: !typ.IsArray()}
}

// reading is a saved query of one JSON column that reads tables.
func reading(sql string, declared ...*sqlq.Table) *sqlq.SavedQuery {
	query := savedQuery("SELECT to_json(row) AS j FROM ("+sql+") AS row", column("j", sqlq.JSON))
	query.Tables = append(tables.Shipped(), declared...)
	return query
}

// run returns the rows as texts, or the error, with what is wrong with a file.
func run(ctx context.Context, engine *duckdb.Engine, query *sqlq.SavedQuery) string {
	result, err := engine.Run(ctx, sqlq.NewStatement(query, nil, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		failure := sqlq.AsError(err)
		return string(failure.Code) + " " + tablefiles.Detail(failure)
	}
	texts := make([]string, len(result.Rows))
	for i, row := range result.Rows {
		texts[i] = fmt.Sprintf("%s", row[0])
	}
	return strings.Join(texts, " ")
}

// Files of each format have the same rows, also compressed, and in their types.
func TestFilesOfEachFormat(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	const rows = "SELECT 1::BIGINT AS id, 'it''s' AS name, 1.5::DOUBLE AS price, true AS sold, TIMESTAMP '2026-01-02 03:04:05.678' AS at, DATE '2026-01-02' AS day UNION ALL SELECT 2, NULL, NULL, NULL, NULL, NULL"
	columns := []sqlq.Column{
		column("id", sqlq.Int64), column("name", sqlq.String), column("price", sqlq.Float64), column("sold", sqlq.Bool), column("at", sqlq.Timestamp), column("day", sqlq.Date),
	}
	const want = `{"id":1,"name":"it's","price":1.5,"sold":true,"at":"2026-01-02 03:04:05.678","day":"2026-01-02"} {"id":2,"name":null,"price":null,"sold":null,"at":null,"day":null}`
	for name, format := range map[string]string{
		"a.parquet": tables.Parquet, "a.csv": tables.CSV, "a.csv.gz": tables.CSV, "a.csv.zst": tables.CSV, "b.json": tables.JSON, "a.ndjson.gz": tables.NDJSON,
	} {
		options := ""
		switch format {
		case tables.JSON:
			options = " (FORMAT json, ARRAY true)"
		case tables.NDJSON:
			options = " (FORMAT json, COMPRESSION gzip)"
		case tables.CSV:
			options = " (HEADER)"
		}
		_, err := f.alone.ExecContext(t.Context(), "COPY ("+rows+") TO '"+filepath.Join(f.path, name)+"'"+options)
		require.NoError(t, err)
		table := f.table("products", format, name, columns...)
		engine := f.open(t, table)
		assert.Equal(t, want, run(t.Context(), engine, reading("FROM products ORDER BY id", table)), name)
	}
}

// What separates the values of a CSV file is declared. Of the others, it can be in a value.
func TestFilesSeparators(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for i, separator := range []string{"", ",", ";", "|", "\t"} {
		name := fmt.Sprintf("%d.csv", i)
		values := strings.ReplaceAll(";|\t", separator, "")
		f.put(t, name, strings.ReplaceAll("id,text\n1,"+values+"\n2,\"a,b\"\n", ",", cmp.Or(separator, ",")))
		table := f.table("products", tables.CSV, name, column("id", sqlq.Int64), column("text", sqlq.String))
		table.Files.Separator = separator
		want, err := json.Marshal(values)
		require.NoError(t, err)
		assert.Equal(t, `{"id":1,"text":`+string(want)+`} {"id":2,"text":`+strconv.Quote("a"+cmp.Or(separator, ",")+"b")+`}`,
			run(t.Context(), f.open(t, table), reading("FROM products ORDER BY id", table)), separator)
	}
}

// A value means the same in every file, whatever the others are. Left alone, DuckDB guesses the order of day and month, takes
// lines for comments, and ignores offsets.
func TestFilesAreNotGuessed(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	engine := f.open(t, f.table("all", tables.CSV, "*"))
	at, day := column("time", sqlq.Timestamp), column("day", sqlq.Date)
	const fault = "INTERNAL the files of the table items cannot be read: "
	for _, test := range []struct{ name, text, want string }{
		{"a.csv", "time,day\n2026-11-01T10:00:00+02:00,2026-11-01\n2026-11-01 10:00:00.5,\n2026-11-01,2026-11-01\n,2026-11-01\n", `{"time":"2026-11-01 00:00:00","day":"2026-11-01"} ` +
			`{"time":"2026-11-01 08:00:00","day":"2026-11-01"} {"time":"2026-11-01 10:00:00.5","day":null} {"time":null,"day":"2026-11-01"}`},
		{"b.csv", "time,day\n2026-11-01T10:00:00Z,01/02/2026\n", fault + `"b.csv", line 2: its column day has the value "01/02/2026", which DATE cannot hold exactly`},
		{"c.csv", "time,day\n2026-11-01T10:00:00Z,2026-11-01T10:00:00\n", fault + `"c.csv", line 2: its column day has the value "2026-11-01T10:00:00", which DATE cannot hold exactly`},
		{"d.csv", "time,day\n01.02.2026 10:00:00,2026-11-01\n", fault + `"d.csv", line 2: its column time has the value "01.02.2026 10:00:00", which TIMESTAMP cannot hold exactly`},
		{"e.csv", "#,time,day\n#,2026-11-01,2026-11-01\n1,,2026-11-01\n", `{"time":"2026-11-01 00:00:00","day":"2026-11-01"} {"time":null,"day":"2026-11-01"}`},
		{"f.csv", "# time,day\ntime,day\n2026-11-01,2026-11-01\n#,2026-11-01\n", fault + `"f.csv": it has no column time`},
		{"g.ndjson", `{"time":"2026-11-01T10:00:00+02:00","day":"2026-11-01"}`, `{"time":"2026-11-01 08:00:00","day":"2026-11-01"}`},
		{"h.json", `[{"time":"2026-11-01T10:00:00-0230"},{"day":"2026-11-01"}]`, `{"time":"2026-11-01 12:30:00","day":null} {"time":null,"day":"2026-11-01"}`},
	} {
		f.put(t, test.name, test.text)
		table := f.table("items", strings.TrimPrefix(filepath.Ext(test.name), "."), test.name, at, day)
		assert.Equal(t, test.want, run(t.Context(), engine, reading("FROM items ORDER BY time NULLS LAST", table)), test.name)
	}
	f.put(t, "j.csv", "j,text\n\"{\"\"a\"\":1}\",1\n,\n")
	f.put(t, "k.csv", "j\nplain\n")
	document := column("j", sqlq.JSON)
	table := f.table("items", tables.CSV, "j.csv", document)
	assert.Equal(t, `{"j":{"a":1}} {"j":null}`, run(t.Context(), engine, reading("FROM items", table)))
	table = f.table("items", tables.CSV, "k.csv", document)
	assert.Equal(t, fault+`"k.csv", line 2: its column j has the value "plain", which JSON cannot hold exactly`, run(t.Context(), engine, reading("FROM items", table)))
	f.put(t, "n.csv", "filename,time\n,today\n")
	table = f.table("items", tables.CSV, "n.csv", column("filename", sqlq.String), at)
	assert.Equal(t, fault+`"n.csv", line 2: its column time has the value "today", which TIMESTAMP cannot hold exactly`, run(t.Context(), engine, reading("FROM items", table)))
	f.write(t, "k.parquet", "SELECT 'plain' AS j")
	table = f.table("items", tables.Parquet, "k.parquet", document)
	assert.Equal(t, fault+`"k.parquet": its column j has the value "plain", which JSON cannot hold exactly`, run(t.Context(), engine, reading("FROM items", table)))
	f.put(t, "lines/a.csv", "time,day\n2026-11-01T10:00:00+02:00,\n")
	f.put(t, "lines/b.csv", "\ufeffday,time,x\r\n2026-11-01,2026-11-01,\"\r\n\"\r\n")
	f.put(t, "lines/c.csv", "day,time\r,\"2026-11-02\"\r")
	table = f.table("items", tables.CSV, "lines/*.csv", at, day)
	assert.Equal(t, `{"time":"2026-11-01 00:00:00","day":"2026-11-01"} {"time":"2026-11-01 08:00:00","day":null} {"time":"2026-11-02 00:00:00","day":null}`,
		run(t.Context(), engine, reading("FROM items ORDER BY time", table)))
	f.put(t, "l.ndjson", `{"l":["2026-11-01T10:00:00+02:00",null]}`)
	f.put(t, "l.csv", "l\n\"[\"\"2026-11-01T10:00:00+02:00\"\", null]\"\n")
	for _, format := range []string{tables.NDJSON, tables.CSV} {
		table := f.table("items", format, "l."+format, column("l", sqlq.ArrayOf(sqlq.Timestamp)))
		assert.Equal(t, `{"l":["2026-11-01 08:00:00",null]}`, run(t.Context(), engine, reading("FROM items", table)), format)
	}
}

// Rows equal DuckDB's own for the same files and partitions. Joins with sources and other expressions work.
func TestFilesAsDuckDBReadsThem(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for day := 1; day <= 3; day++ {
		f.write(t, fmt.Sprintf("sales/day=2026-01-0%d/region=0%d/a.parquet", day, day), fmt.Sprintf("SELECT range AS id, range * %d %% 7 AS amount, 'c' || range %% 5 AS country FROM range(1000)", day))
	}
	f.put(t, "countries.csv", "code,name\nc1,One\nc2,Two\n")
	sales := f.table("sales", tables.Parquet, "sales/**/*.parquet", column("id", sqlq.Int64), column("amount", sqlq.Int64), column("country", sqlq.String), column("day", sqlq.Date), column("region", sqlq.String))
	countries := f.table("countries", tables.CSV, "countries.csv", column("code", sqlq.String), column("name", sqlq.String))
	engine := f.open(t, sales, countries)
	alone := strings.NewReplacer(
		"FROM sales", "FROM read_parquet('"+f.path+"/sales/**/*.parquet', hive_partitioning = true, hive_types = {'day': DATE, 'region': VARCHAR})",
		"JOIN countries", "JOIN read_csv('"+f.path+"/countries.csv')")
	for _, query := range []string{
		"SELECT count(*) AS n, sum(amount) AS s FROM sales",
		"SELECT day, region, sum(amount) AS s FROM sales WHERE day >= DATE '2026-01-02' GROUP BY ALL ORDER BY day",
		"SELECT s.country, c.name, count(*) AS n FROM sales AS s JOIN countries AS c ON c.code = s.country WHERE region = '03' GROUP BY ALL ORDER BY 1",
		"WITH big AS (SELECT * FROM sales WHERE amount > 5) SELECT a.id, (SELECT max(id) FROM sales WHERE region = '01') AS most FROM big AS a JOIN big AS b USING (id, day) ORDER BY a.id LIMIT 20",
	} {
		want := f.rowsOf(t, alone.Replace(query))
		require.NotEmpty(t, want)
		assert.Equal(t, strings.Join(want, " "), run(t.Context(), engine, reading(query, sales, countries)), query)
	}
	assert.Equal(t, `{"n":0}`, run(t.Context(), engine, reading("SELECT count(*) AS n FROM sales AS s JOIN edge_logs AS e ON e.id = s.country", sales)))
}

// A filter on a partition reads only its files.
func TestFilesPrunesPartitions(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "day=1/a.parquet", "SELECT 1 AS id")
	f.put(t, "day=2/b.parquet", strings.Repeat("not a Parquet file ", 10))
	f.write(t, "hours/hour=2026-11-01T10%3A00%3A00/a.parquet", "SELECT 1 AS id")
	f.put(t, "hours/hour=2026-11-01T11%3A00%3A00/b.parquet", strings.Repeat("not a Parquet file ", 10))
	hours := f.table("hours", tables.Parquet, "hours/*/*.parquet", column("id", sqlq.Int64), column("hour", sqlq.Timestamp))
	assert.Equal(t, `{"id":1}`, run(t.Context(), f.open(t, hours), reading("SELECT id FROM hours WHERE hour < TIMESTAMP '2026-11-01 11:00:00'", hours)))
	table := f.table("sales", tables.Parquet, "*/*.parquet", column("id", sqlq.Int64), column("day", sqlq.Int64))
	engine := f.open(t, table)
	assert.Equal(t, `{"id":1}`, run(t.Context(), engine, reading("SELECT id FROM sales WHERE day = 1", table)))
	assert.Equal(t, `INTERNAL the files of the table sales cannot be read: "day=2/b.parquet": it is not a Parquet file`, run(t.Context(), engine, reading("SELECT id FROM sales", table)))
}

// The name of a directory is a text, which can be anything.
func TestFilesOfOddPartitions(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "v=1/day=2026-11-01/a.parquet", "SELECT 1 AS id")
	table := f.table("items", tables.Parquet, "*/*/*.parquet", column("id", sqlq.Int64), column("v", sqlq.Int64), column("day", sqlq.Date))
	engine := f.open(t, table)
	assert.Equal(t, `{"id":1,"v":1,"day":"2026-11-01"}`, run(t.Context(), engine, reading("FROM items", table)))
	f.write(t, "v=x/day=2026-11-02/a.parquet", "SELECT 2 AS id")
	f.write(t, "v=2/day=today/a.parquet", "SELECT 3 AS id")
	for _, name := range []string{"v", "day"} {
		assert.Equal(t, `INTERNAL the files of the table items cannot be read: "v=2/day=today/a.parquet": its column day has the value "today", which DATE cannot hold exactly`,
			run(t.Context(), engine, reading("SELECT "+name+" FROM items", table)))
	}
	f.write(t, "hours/hour=2026-11-01T10%3A00%3A00+02%3A00/a.parquet", "SELECT 1 AS id")
	f.write(t, "hours/hour=2026-11-01T11%3A00%3A00/a.parquet", "SELECT 2 AS id")
	hours := f.table("hours", tables.Parquet, "hours/*/*.parquet", column("id", sqlq.Int64), column("hour", sqlq.Timestamp))
	assert.Equal(t, `{"id":1,"hour":"2026-11-01 08:00:00"} {"id":2,"hour":"2026-11-01 11:00:00"}`, run(t.Context(), f.open(t, hours), reading("FROM hours ORDER BY id", hours)))
}

// Partitions of texts and of JSON are columns, too.
func TestFilesOfPartitionedTexts(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.put(t, "shop=01/a.csv", "name,price\nx,1\n")
	f.put(t, "shop=02/a.csv", "price,name\n2,y\n") // columns are found by name
	f.put(t, "shop=01/a.ndjson", `{"price":1,"tags":["a"],"more":{"b":2}}`+"\n")
	csv := f.table("prices", tables.CSV, "*/*.csv", column("price", sqlq.Int64), column("shop", sqlq.String))
	assert.Equal(t, `{"price":1,"shop":"01"} {"price":2,"shop":"02"}`, run(t.Context(), f.open(t, csv), reading("FROM prices ORDER BY shop", csv)))
	ndjson := f.table("prices", tables.NDJSON, "*/*.ndjson", column("shop", sqlq.Int64), column("tags", sqlq.ArrayOf(sqlq.String)), column("more", sqlq.JSON), column("missing", sqlq.Date))
	assert.Equal(t, `{"shop":1,"tags":["a"],"more":{"b":2},"missing":null}`, run(t.Context(), f.open(t, ndjson), reading("FROM prices", ndjson)))
}

// A file that is replaced is seen by the next run, also one with the same size and time.
func TestFilesAreReadOnEachRun(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "a.parquet", "SELECT 1 AS id")
	table := f.table("numbers", tables.Parquet, "*.parquet", column("id", sqlq.Int64))
	engine, query := f.open(t, table), reading("SELECT sum(id)::BIGINT AS s FROM numbers", table)
	assert.Equal(t, `{"s":1}`, run(t.Context(), engine, query))
	before, err := os.Stat(filepath.Join(f.path, "a.parquet"))
	require.NoError(t, err)
	f.write(t, "new/a.parquet", "SELECT 2 AS id")
	require.NoError(t, os.Chtimes(filepath.Join(f.path, "new/a.parquet"), before.ModTime(), before.ModTime()))
	require.NoError(t, os.Rename(filepath.Join(f.path, "new/a.parquet"), filepath.Join(f.path, "a.parquet")))
	assert.Equal(t, `{"s":2}`, run(t.Context(), engine, query))
	f.write(t, "b.parquet", "SELECT 40 AS id")
	assert.Equal(t, `{"s":42}`, run(t.Context(), engine, query))
	f.write(t, "b.parquet", "SELECT 40.5::DOUBLE AS id")
	assert.Contains(t, run(t.Context(), engine, query), `"b.parquet": its column id has the type DOUBLE, which INT64 cannot hold`)
	f.write(t, "b.parquet", "SELECT 7::BIGINT AS id")
	assert.Contains(t, run(t.Context(), engine, query), `"b.parquet": its column id has the type BIGINT, and INTEGER in other files`)
	f.write(t, "a.parquet", "SELECT 2::BIGINT AS id")
	assert.Equal(t, `{"s":9}`, run(t.Context(), engine, query))
	assert.NotEmpty(t, engine.FilesVersion(query))
	assert.Empty(t, engine.FilesVersion(reading("SELECT 1 AS n")))
}

// A file that cannot be read is the error of the queries that read it, and of no others.
func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "good.parquet", "SELECT 1 AS id, 'x' AS name")
	whole, err := os.ReadFile(filepath.Join(f.path, "good.parquet"))
	require.NoError(t, err)
	f.put(t, "half/a.parquet", string(whole[:len(whole)/2]))
	f.write(t, "text.parquet", "SELECT 'x' AS id")
	f.write(t, "real.parquet", "SELECT 1.5::DOUBLE AS id")
	f.write(t, "exact.parquet", "SELECT 1.5::DECIMAL(20, 10) AS id")
	f.write(t, "mixed/a.parquet", "SELECT 1 AS id")
	f.write(t, "mixed/b.parquet", "SELECT 'secret' AS id")
	f.write(t, "real/a.parquet", "SELECT 1 AS id")
	f.write(t, "real/b.parquet", "SELECT 1::BIGINT AS id")
	f.write(t, "lacks/a.parquet", "SELECT 1 AS id")
	f.write(t, "lacks/b.parquet", "SELECT 1 AS other")
	f.put(t, "lacks/a.csv", "id,name\n1,x\n")
	f.put(t, "lacks/b.csv", "id\n1\n")
	f.put(t, "twice.csv", "id,name,Name\n1,x,y\n")
	f.put(t, "twice/a.csv", "id,name\n1,x\n")
	f.put(t, "twice/b.csv", "id,name,name\n1,x,y\n")
	f.put(t, "quoted/a.csv", "id,name\n1,x\n")
	f.put(t, "quoted/b.csv", "\"ID\",\"Name\"\n\"1\",\"x\"\n")
	f.put(t, "bad.csv", "id,name\n1,x\nsecret,y\n")
	f.put(t, "short.csv", "id,name\n1,x\n2\n")
	f.put(t, "semicolons.csv", "id;name;\n1;x;\n")
	f.put(t, "tabs/a.csv", "name\tid\nx\t1\n")
	f.put(t, "other.csv", "id,title\n1,x\n")
	f.put(t, "bad.ndjson", `{"id":1}`+"\n"+`{"id":"secret"}`+"\n")
	f.put(t, "half.ndjson", `{"id":1}`+"\n"+`{"id":`)
	f.put(t, "long.ndjson", `{"id":1}`+"\n"+`{"id":1,"text":"`+strings.Repeat("x", 33<<20)+`"}`+"\n")
	f.put(t, "latin.csv", "id,name,more\n"+strings.Repeat("1,x,y\n", 100_000)+"2,caf\xe9,z\n"+strings.Repeat("3,x,y\n", 100_000)) // DuckDB's error was internal
	f.put(t, "directory.csv/x", "")
	id, name := column("id", sqlq.Int64), column("name", sqlq.String)
	for pattern, want := range map[string]string{
		"none.parquet":    "there is no file that matches its pattern",
		"none/*.parquet":  "there is no file that matches its pattern",
		"directory.csv":   "there is no file that matches its pattern",
		"half/*.parquet":  `"a.parquet": it is not a complete Parquet file: its end is missing`,
		"text.parquet":    `"text.parquet": its column id has the type VARCHAR, which INT64 cannot hold`,
		"real.parquet":    `"real.parquet": its column id has the type DOUBLE, which INT64 cannot hold`,
		"exact.parquet":   `"exact.parquet": its column id has the type DECIMAL(20,10), which NUMERIC cannot hold`,
		"mixed/*.parquet": `"b.parquet": its column id has the type VARCHAR, which INT64 cannot hold`,
		"real/*.parquet":  `"b.parquet": its column id has the type BIGINT, and INTEGER in other files`,
		"lacks/*.parquet": `"b.parquet": it has no column id`,
		"lacks/*.csv":     `"b.csv": it has no column name`,
		"twice/*.csv":     `"b.csv": its header names the column name twice`,
		"twice.csv":       `"twice.csv": its header names the column name twice`,
		"quoted/*.csv":    `"b.csv": it does not have the columns of the table`,
		"bad.csv":         `"bad.csv", line 3: its column id has the value "secret", which INT64 cannot hold exactly`,
		"short.csv":       `"short.csv": line 3 has 1 values, and the header 2`,
		"semicolons.csv":  `"semicolons.csv": it has no column id; its names have ";" between them, so declare separator: ";"`,
		"tabs/*.csv":      `"a.csv": it has no column id; its names have "\t" between them, so declare separator: "\t"`,
		"other.csv":       `"other.csv": it has no column name`,
		"bad.ndjson":      `"bad.ndjson", line 2: its column id has the value "secret", which INT64 cannot hold exactly`,
		"long.ndjson":     `"long.ndjson": one of its objects is longer than 16 MiB, the limit of JSON`,
		"latin.csv":       `"latin.csv", line 100002: it is not UTF-8, but perhaps Latin-1 or Windows-1252 (byte 0xE9); save it as UTF-8`,
		"half.ndjson":     `"half.ndjson", line 2: it ends before all brackets are closed; is the file cut short?`,
	} {
		columns := []sqlq.Column{id}
		if strings.HasSuffix(pattern, ".csv") {
			columns = append(columns, name)
		}
		if pattern == "exact.parquet" {
			columns[0] = column("id", sqlq.Numeric)
		}
		table := f.table("items", strings.TrimPrefix(filepath.Ext(pattern), "."), pattern, columns...)
		engine := f.open(t, table)
		got := run(t.Context(), engine, reading("SELECT * FROM items", table))
		assert.Equal(t, "INTERNAL the files of the table items cannot be read: "+want, got, pattern)
		got = run(t.Context(), engine, reading("WITH items AS (SELECT * FROM items) SELECT * FROM items", table)) // as Explore and sandboxes read it
		assert.Equal(t, "INTERNAL the files of the table items cannot be read: "+want, got, pattern)
		assert.Equal(t, `{"n":1}`, run(t.Context(), engine, reading("SELECT 1 AS n /* items */", table)), pattern)
		assert.Equal(t, `{"n":0}`, run(t.Context(), engine, reading("SELECT count(*) AS n FROM edge_logs AS items", table)), pattern)
	}
}

// The values of each line are counted, also if none of the columns has values to check, and if a query needs the first one alone.
func TestFilesCountValues(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.put(t, "a.csv", "id,name,more\n1,x,y\n2,y\n")
	for _, columns := range [][]sqlq.Column{{column("id", sqlq.Int64)}, {column("id", sqlq.String)}, {column("more", sqlq.String)}} {
		table := f.table("items", tables.CSV, "a.csv", columns...)
		got := run(t.Context(), f.open(t, table), reading("SELECT count(*) AS n, min("+columns[0].Name+") AS first FROM items", table))
		assert.Equal(t, `INTERNAL the files of the table items cannot be read: "a.csv": line 3 has 2 values, and the header 3`, got)
		_, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{table})
		require.ErrorContains(t, err, `"a.csv": line 3 has 2 values, and the header 3`)
	}
}

// What is not whole, or would end the process, is an error of the run and of the check, and never some of the rows.
// It does not keep queries
// on other tables from running.
func TestFilesThatAreNotWhole(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	csv, ndjson := "id,name\n"+strings.Repeat("1,x\n", 50_000), strings.Repeat(`{"id":1,"name":"x"}`+"\n", 50_000)
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	pack := func(content string) string {
		packed.Reset()
		writer.Reset(&packed)
		_, err := writer.Write([]byte(content))
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		return packed.String()
	}
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	footer := "\x15\x02\x19\xfc\xa1\x8d\x06" + strings.Repeat("\x48\x01a\x15\x02\x00", 100_000) + "\x48\x01a\x00\x16\x00\x19\x0c\x00"
	f.write(t, "whole.parquet", "SELECT range AS id, 'x' AS name FROM range(50000)")
	whole, err := os.ReadFile(filepath.Join(f.path, "whole.parquet"))
	require.NoError(t, err)
	for name, test := range map[string]struct{ content, want string }{
		"cut.csv.gz":      {pack(csv)[:len(pack(csv))-20], "it is cut short: its gzip data are not complete"},
		"cut.ndjson.gz":   {pack(ndjson)[:len(pack(ndjson))-20], "it is cut short: its gzip data are not complete"},
		"tail.csv.gz":     {pack(csv) + "and something else", "other data follow its gzip data"},
		"named.csv":       {pack(csv), "it is compressed with gzip, and its name does not say so; name it .gz or .zst"},
		"named.csv.gz":    {csv, "its name says that it is compressed with gzip, and it is not"},
		"longer.csv":      {"id,name\n1,x\n2,y,z\n", "line 3 has 3 values, and the header 2"},
		"joined.csv":      {"id,name\n1,x\n2,y\nid,name,more\n3,z,z\n", "line 4 has 3 values, and the header 2"},
		"joined.csv.gz":   {pack("id\n1\n2\nid,name\n3,z\n"), "line 4 has 2 values, and the header 1"},
		"short.csv":       {csv + "2\n" + csv[len("id,name\n"):], "line 50002 has 1 values, and the header 2"},
		"long.csv.gz":     {pack(csv + "2,y,z\n"), "line 50002 has 3 values, and the header 2"},
		"far.csv":         {"id,name,more\n" + strings.Repeat("1,x,"+strings.Repeat("y", 1000)+"\n", 20_000) + "2,x\n", "line 20002 has 2 values, and the header 3"},
		"title.csv":       {"Products of 2026\nid,name\n1,x\n", "line 2 has 2 values, and the header 1"},
		"quote.csv":       {csv + `1,"x`, "a quote that begins here is not closed; is the file cut short?"},
		"comma.json":      {`[{"id":1,"name":"x"},`, "it ends before all brackets are closed; is the file cut short?"},
		"cut.ndjson":      {ndjson[:len(ndjson)-4], "it ends inside of a string; is the file cut short?"},
		"inner.json":      {`{"data":[{"id":1,"name":"x"}]}`, "none of its objects has a column of the table"},
		"capitals.ndjson": {`{"ID":1}`, "none of its objects has a column of the table"},
		"deep.ndjson":     {`{"id":1,"other":` + deep + `}`, "brackets are nested more than 200 levels deep"},
		"deep.json":       {`[{"id":` + deep + `,"name":"x"}]`, "brackets are nested more than 200 levels deep"},
		"deep.json.gz":    {pack(`[{"id":` + deep + `,"name":"x"}]`), "brackets are nested more than 200 levels deep"},
		"deep.parquet":    {"PAR1" + footer + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "PAR1", "it has more than 20000 columns and groups"},
		"cut.parquet":     {string(whole[:len(whole)-10]), "it is not a complete Parquet file"},
	} {
		f.put(t, name, test.content)
		table := f.table("items", strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(name, ".gz")), "."), name, column("id", sqlq.Int64), column("name", sqlq.String))
		engine := f.open(t, table)
		for _, sql := range []string{"SELECT count(*) AS n FROM items", "SELECT name FROM items LIMIT 1"} {
			got := run(t.Context(), engine, reading(sql, table))
			assert.True(t, strings.HasPrefix(got, "INTERNAL the files of the table items cannot be read: "+strconv.Quote(name)), got)
			assert.Contains(t, got, test.want, name)
		}
		assert.Equal(t, `{"n":1}`, run(t.Context(), engine, reading("SELECT 1 AS n", table)), name)
		_, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{table})
		require.ErrorContains(t, err, test.want, name)
		if table.Files.Format == tables.Parquet {
			table.Files.Columns = nil
			_, err := duckdb.DescribeFiles(t.Context(), sqlq.Tables{table})
			require.ErrorContains(t, err, test.want, name)
		}
	}
	f.put(t, "members.csv.gz", pack("id,name\n1,x\n")+pack("2,y\n"))
	f.put(t, "capital.csv.GZ", pack("id,name\n1,x\n2,y\n"))
	for _, name := range []string{"members.csv.gz", "capital.csv.GZ"} {
		table := f.table("items", tables.CSV, name, column("id", sqlq.Int64), column("name", sqlq.String))
		assert.Equal(t, `{"n":3}`, run(t.Context(), f.open(t, table), reading("SELECT sum(id)::BIGINT AS n FROM items", table)), name)
	}
}

// Callers learn the table and the kind of mistake. Names of files and values, which can be those of other projects, are for the log.
func TestFilesAreNotNamedToCallers(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	const partition = "project=globex-secret/"
	f.put(t, "value/"+partition+"a.csv", "id\nsecret\n")
	f.put(t, "quotes/"+partition+"a.csv", "id\n\"secret\n")
	f.put(t, "encoding/"+partition+"a.csv", "id\nsecr\xe9t\n")
	f.put(t, "short/"+partition+"a.csv", "id,x\n1,2\n3\n")
	f.put(t, "mixed/"+partition+"a.csv", "id,x\n1,2\r\n3,4\n")
	f.put(t, "columns/"+partition+"a.csv", "secret\n1\n")
	f.put(t, "null/project=secret/v=NULL/a.csv", "id\n1\n")
	f.put(t, "damaged/"+partition+"a.parquet", "secret secret secret")
	f.write(t, "type/"+partition+"a.parquet", "SELECT 'secret' AS id")
	f.put(t, "json/"+partition+"a.ndjson", "{\"id\":secret}\n")
	require.NoError(t, os.MkdirAll(filepath.Join(f.path, "link", partition), 0o755))
	require.NoError(t, os.Symlink("/etc/secret", filepath.Join(f.path, "link", partition, "a.csv")))
	for pattern, kind := range map[string]tablefiles.Kind{
		"value/*/*.csv": tablefiles.Value, "quotes/*/*.csv": tablefiles.Damaged, "encoding/*/*.csv": tablefiles.Damaged, "short/*/*.csv": tablefiles.Damaged, "mixed/*/*.csv": tablefiles.Damaged, "columns/*/*.csv": tablefiles.Columns, "null/*/*/*.csv": tablefiles.Value,
		"damaged/*/*.parquet": tablefiles.Damaged, "type/*/*.parquet": tablefiles.Columns, "json/*/*.ndjson": tablefiles.Damaged, "link/*/*.csv": tablefiles.Unreadable, "none/*.csv": tablefiles.Missing,
	} {
		table := f.table("items", strings.TrimPrefix(filepath.Ext(pattern), "."), pattern, column("id", sqlq.Int64), column("project", sqlq.String))
		if pattern == "null/*/*/*.csv" {
			table.Files.Columns = append(table.Files.Columns, column("v", sqlq.String))
		}
		_, err := f.open(t, table).Run(t.Context(), sqlq.NewStatement(reading("SELECT * FROM items", table), nil, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
		require.Error(t, err, pattern)
		assert.Equal(t, "the files of the table items cannot be read: "+string(kind), sqlq.AsError(err).PublicText(""), pattern)
		if pattern != "none/*.csv" {
			assert.Contains(t, err.Error(), "secret", "%s: the log names the file", pattern)
		}
		assert.NotContains(t, err.Error(), "Original Line", "%s: the log has our own sentence alone", pattern)
		_, err = duckdb.DescribeFiles(t.Context(), sqlq.Tables{table})
		require.Error(t, err, pattern)
		assert.NotContains(t, err.Error(), "Original Line", pattern)
	}
}

// SQL reads declared files only, however it asks for another.
func TestFilesAttacks(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "data/a.parquet", "SELECT 1 AS id")
	f.put(t, "data/undeclared.csv", "id\nSECRET\n")
	f.put(t, "outside/secret.csv", "id\nSECRET\n")
	require.NoError(t, os.Symlink(filepath.Join(f.path, "outside"), filepath.Join(f.path, "data/link")))
	table := f.table("numbers", tables.Parquet, "data/*.parquet", column("id", sqlq.Int64))
	directories := tablefiles.Directories(sqlq.Tables{table})
	assert.Equal(t, []string{filepath.Join(f.path, "data")}, directories)
	store, err := logstore.Open(t.Context(), t.TempDir(), "", logstore.WithReadableDirectories(directories...))
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	engine := duckdb.NewWithFiles(store.DB(), tablefiles.New(time.Now, directories))
	inside, outside := filepath.Join(f.path, "data/undeclared.csv"), filepath.Join(f.path, "outside/secret.csv")
	var paths []string
	for _, path := range []string{inside, outside, "/etc/passwd", filepath.Join(f.path, "data/../outside/secret.csv"), filepath.Join(f.path, "data/link/secret.csv"), filepath.Join(f.path, "data/*"), "file://" + inside} {
		paths = append(paths, "'"+path+"'", `"`+path+`"`)
	}
	for _, path := range paths {
		for _, format := range []string{
			"SELECT * FROM %s", "SELECT * FROM read_csv(%s)", "SELECT * FROM read_text(%s)", "SELECT * FROM read_blob(%s)", "SELECT * FROM read_parquet(%s)", "SELECT * FROM glob(%s)",
			"SELECT * FROM parquet_schema(%s)", "SELECT * FROM sniff_csv(%s)", "SELECT (SELECT count(*) FROM %s) AS n", "WITH x AS (FROM %s) FROM x", "FROM numbers, %s",
			"COPY numbers TO %s", "ATTACH %s AS x", "SELECT 1 AS n) AS row; COPY numbers TO %s; FROM (SELECT 1", "FROM query('FROM ' || %s)", "FROM query_table(%s)", "SUMMARIZE %s", "DESCRIBE FROM %s",
		} {
			query := reading(fmt.Sprintf(format, path), table)
			got := run(t.Context(), engine, query)
			assert.Regexp(t, "^INTERNAL ", got, query.SQL)
			assert.NotContains(t, got, f.path)
			assert.NotContains(t, got, "SECRET")
		}
	}
	entries, err := os.ReadDir(filepath.Join(f.path, "data"))
	require.NoError(t, err)
	assert.Len(t, entries, 3, "nothing was written")
	// The second line of defence: DuckDB itself reads nothing outside the directories.
	for _, path := range []string{outside, "/etc/passwd", filepath.Join(f.path, "data/../outside/secret.csv"), filepath.Join(f.path, "data/link/secret.csv"), strings.ToUpper(f.path) + "/data/a.parquet"} {
		_, err := store.DB().ExecContext(t.Context(), "SELECT * FROM read_text('"+path+"')")
		require.ErrorContains(t, err, "disabled by configuration", path)
	}
	_, err = store.DB().ExecContext(t.Context(), "SET GLOBAL allowed_directories = ['/']")
	require.Error(t, err)
}

// A file that is swapped after the start for a link out of the directory, or for something that is no file, is not read.
func TestFilesThatAreSwapped(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "data/a.csv", "SELECT 1 AS id")
	f.put(t, "outside/a.csv", "id\nSECRET\n")
	table := f.table("numbers", tables.CSV, "data/*.csv", column("id", sqlq.String))
	engine, query := f.open(t, table), reading("SELECT * FROM numbers", table)
	require.Equal(t, `{"id":"1"}`, run(t.Context(), engine, query))
	path := filepath.Join(f.path, "data/a.csv")
	for _, target := range []string{filepath.Join(f.path, "outside/a.csv"), "../outside/a.csv", "/etc/passwd", "/dev/zero", "nothing"} {
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.Symlink(target, path))
		assert.Regexp(t, `^INTERNAL the files of the table numbers cannot be read: "a.csv"(:| is) `, run(t.Context(), engine, query), target)
	}
	// The whole directory is swapped.
	require.NoError(t, os.Rename(filepath.Join(f.path, "data"), filepath.Join(f.path, "old")))
	require.NoError(t, os.Symlink(filepath.Join(f.path, "outside"), filepath.Join(f.path, "data")))
	assert.Regexp(t, `^INTERNAL .* "a.csv" is outside the directories`, run(t.Context(), engine, query))
}

// Names of files have any characters.
func TestFilesWithOddNames(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for i, name := range []string{"it's", "a*b[1]?", "a\nb", `back\slash`, "$now", "ünï", "a b", "e'", "x--y", "%s", "{a}", "'); DROP"} {
		f.put(t, name+".csv", fmt.Sprintf("id\n%d\n", 1<<i))
	}
	f.put(t, "aXb1Y.csv", "id\n10000\n")
	f.put(t, ".hidden.csv", "id\nx\n")
	f.put(t, "_half.csv", "id\nx\n")
	f.put(t, "a.csv.tmp", "id\nx\n")
	table := f.table("numbers", tables.CSV, "*.csv", column("id", sqlq.Int64))
	assert.Equal(t, `{"s":14095}`, run(t.Context(), f.open(t, table), reading("SELECT sum(id)::BIGINT AS s FROM numbers", table)))
}

// The name of a table in SQL means the files wherever it would mean a table.
func TestFilesByName(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "a.parquet", "SELECT 1 AS id UNION ALL SELECT 2")
	table := f.table("numbers", tables.Parquet, "*.parquet", column("id", sqlq.Int64))
	engine := f.open(t, table)
	for sql, want := range map[string]string{
		"SELECT numbers.id FROM numbers ORDER BY 1 LIMIT 1":                                                                         `{"id":1}`,
		"SELECT count(*) AS n FROM NUMBERS":                                                                                         `{"n":2}`,
		`SELECT count(*) AS n FROM "Numbers" AS x`:                                                                                  `{"n":2}`,
		"WITH numbers AS (SELECT 7 AS id) SELECT id FROM numbers":                                                                   `{"id":7}`,
		"WITH numbers AS (SELECT id + 1 AS id FROM numbers) SELECT sum(id)::BIGINT AS s FROM numbers":                               `{"s":5}`,
		"WITH x AS (FROM numbers), numbers AS (SELECT 9 AS id) SELECT count(*) AS n, (SELECT id FROM numbers) AS id FROM x":         `{"n":2,"id":9}`,
		"SELECT a.id FROM numbers AS a JOIN numbers AS b ON a.id = b.id + 1":                                                        `{"id":2}`,
		"SELECT 3 AS id WHERE 2 IN (SELECT id FROM numbers) AND EXISTS (FROM numbers WHERE id = 1)":                                 `{"id":3}`,
		"WITH RECURSIVE r AS (SELECT 1 AS id UNION ALL SELECT r.id + 1 FROM r JOIN numbers USING (id)) SELECT max(id) AS id FROM r": `{"id":3}`,
	} {
		assert.Equal(t, want, run(t.Context(), engine, reading(sql, table)), sql)
	}
	assert.Regexp(t, "^INTERNAL ", run(t.Context(), engine, reading("SELECT * FROM main.numbers", table)))
	for _, google := range []string{"SELECT TO_JSON_STRING(STRUCT(`numbers`.id)) AS j FROM `numbers` WHERE id > 1", "WITH numbers AS (SELECT id FROM numbers WHERE id = 2) SELECT TO_JSON_STRING(STRUCT(n.id)) AS j FROM numbers AS n"} {
		query := reading("", table)
		translation, err := duckdbsql.Dialect{}.FromGoogleSQL(query, google)
		require.NoError(t, err)
		query.SQL, query.Translation = translation.SQL, translation
		assert.Equal(t, `{"id":2}`, run(t.Context(), engine, query))
	}
}

// Rows are never of two versions of the files: a run is repeated, and fails if they change again.
func TestFilesThatChangeWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.put(t, "0.csv", "id\n1\n")
	table := f.table("numbers", tables.CSV, "*.csv", column("id", sqlq.Int64))
	engine := f.open(t, table)
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-ended:
				return
			default:
				next := filepath.Join(f.path, "next")
				assert.NoError(t, os.WriteFile(next, []byte("id\n"+strings.Repeat("1\n", i%100+1)), 0o600))
				assert.NoError(t, os.Rename(next, filepath.Join(f.path, "0.csv")))
			}
		}
	}()
	defer func() { close(ended); <-stopped }()
	query := reading("SELECT sum(a.id + b.range)::BIGINT % 1 AS n FROM numbers AS a, range(1000000) AS b", table)
	got := run(t.Context(), engine, query)
	for tries := 0; got == `{"n":0}` && tries < 100; tries++ { // the writer had to wait
		got = run(t.Context(), engine, query)
	}
	assert.Equal(t, "UNAVAILABLE the files of the table numbers change while they are read; try again in a moment", got)
}

// A series reads the rows of its range, and can bound a table of files.
func TestFilesOfASeries(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, "a.parquet", "SELECT TIMESTAMP '2026-11-01 10:00:00' - INTERVAL 1 HOUR * range AS timestamp FROM range(10)")
	table := f.table("visits", tables.Parquet, "*.parquet", column("timestamp", sqlq.Timestamp))
	engine, query := f.open(t, table), reading("SELECT count(*) AS n FROM visits", table)
	query.Series = &sqlq.Series{Tables: []string{"visits"}}
	statement := sqlq.Statement{Query: query, Now: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)}
	statement.Range = sqlq.Range{From: statement.Now.Add(-3 * time.Hour), To: statement.Now}
	result, err := engine.Run(t.Context(), statement)
	require.NoError(t, err)
	assert.JSONEq(t, `{"n":3}`, string(result.Rows[0][0].(json.RawMessage)))
	require.NoError(t, os.WriteFile(filepath.Join(f.path, "a.parquet"), []byte("not a Parquet file any more"), 0o600))
	_, err = engine.Run(t.Context(), statement)
	require.ErrorContains(t, err, `"a.parquet": it is not a Parquet file`)
	require.NoError(t, os.Remove(filepath.Join(f.path, "a.parquet")))
	_, err = engine.Run(t.Context(), statement)
	require.ErrorContains(t, err, "there is no file that matches its pattern")
}
