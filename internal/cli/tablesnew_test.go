package cli

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// For a file of each format, the table is written and checked, and a query returns the rows of the file.
func TestNewTable(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(files, name), []byte(content), 0o600))
	}
	const csv = "Shop No,day,amount\n7,2026-11-01,1.5\n8,,2\n"
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	_, err := writer.Write([]byte(csv))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	write("Orders of csv.csv", csv)
	write("orders-gz.csv.gz", zipped.String())
	write("orders_tsv.tsv", strings.ReplaceAll(csv, ",", "\t"))
	write("orders_ssv.csv", strings.ReplaceAll(csv, ",", ";"))
	write("orders_json.json", `[{"Shop No":7,"day":"2026-11-01","amount":1.5},{"Shop No":8,"amount":2}]`)
	write("orders_ndjson.ndjson", `{"Shop No":7,"day":"2026-11-01","amount":1.5}`+"\n"+`{"Shop No":8,"amount":2}`+"\n")
	write("orders[1]*.csv", csv)
	directory := filepath.Join(t.TempDir(), "tables")
	made := []string{}
	create := func(name, file string, args ...string) {
		t.Helper()
		status, stdout, stderr := runCommand(t, append([]string{"tables", "new", file, "--to", directory}, args...)...)
		require.Equal(t, statusOK, status, stderr)
		assert.Contains(t, stdout, "Wrote "+filepath.Join(directory, name, "table.yaml")+" with 3 columns.")
		assert.Contains(t, stdout, "savedq check --tables "+directory+" ")
		assert.Contains(t, stdout, "savedq tables "+name+" --sample 5 --tables "+directory+" ")
		assert.Contains(t, stdout, "echo 'SELECT `Shop No`, day, amount FROM "+name+" LIMIT 10' | savedq new "+name+".rows --sql - --queries ./queries --tables "+directory+" ")
		made = append(made, name)
	}
	for name, file := range map[string]string{
		"orders_of_csv": "Orders of csv.csv", "orders_gz": "orders-gz.csv.gz", "orders_tsv": "orders_tsv.tsv", "orders_ssv": "orders_ssv.csv",
		"orders_json": "orders_json.json", "orders_ndjson": "orders_ndjson.ndjson",
	} {
		create(name, filepath.Join(files, file))
	}
	create("starred", filepath.Join(files, "orders[1]*.csv"), "--name=starred")
	_, parquet, _ := runCommand(t, "tables", "orders_tsv", "--sample=10", "--tables", directory, "--format=parquet")
	write("orders_parquet.parquet", parquet)
	working, err := os.Getwd()
	require.NoError(t, err)
	relative, err := filepath.Rel(working, filepath.Join(files, "orders_parquet.parquet"))
	require.NoError(t, err)
	create("orders_parquet", relative)
	yaml, err := os.ReadFile(filepath.Join(directory, "orders_parquet", "table.yaml"))
	require.NoError(t, err)
	assert.NotContains(t, string(yaml), "files: /", "a relative path stays one")
	yaml, err = os.ReadFile(filepath.Join(directory, "orders_ssv", "table.yaml"))
	require.NoError(t, err)
	assert.Equal(t, `# values are separated by ";"
# the types are guesses from 2 rows
name: orders_ssv
description: "Rows of orders_ssv.csv." # TODO: say what a row is
files: "`+filepath.Join(files, "orders_ssv.csv")+`"
separator: ";"
columns:
  - {name: "Shop No", type: INT64}
  - {name: day, type: DATE}
  - {name: amount, type: FLOAT64}
`, string(yaml))

	queries, flags := t.TempDir(), []string{"--tables", directory}
	for _, name := range made {
		_, stdout, stderr := runCommand(t, append([]string{"tables", name, "--sample=10", "--format=csv"}, flags...)...)
		assert.Equal(t, csv, stdout, "%s: %s", name, stderr)
		sql := filepath.Join(t.TempDir(), "rows.sql")
		require.NoError(t, os.WriteFile(sql, []byte("SELECT `Shop No`, day, amount FROM "+name+" LIMIT 10"), 0o600))
		status, _, stderr := runCommand(t, append([]string{"new", name + ".rows", "--sql", sql, "--queries", queries}, flags...)...)
		assert.Equal(t, statusOK, status, stderr)
	}
	flags = append(flags, "--queries", queries)
	status, _, stderr := runCommand(t, append([]string{"check"}, flags...)...)
	assert.Equal(t, statusOK, status, stderr)
	status, stdout, stderr := runCommand(t, append([]string{"query", "orders_parquet.rows", "--format=csv", "--data", filepath.Join(t.TempDir(), "none")}, flags...)...)
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, csv, stdout)
}

// Nothing is written of what cannot be a table, and nothing is overwritten.
func TestNewTableMistakes(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	path := func(name string) string { return filepath.Join(files, name) }
	for name, content := range map[string]string{
		"a.csv": "a\n1\n", "a.txt": "a", "empty.csv": "", "zipped.csv": "\x1f\x8b\x08\x00", "wide.csv": "\xff\xfea\x00\n\x00", "objects.json": "[]",
		"2026.csv": "a\n1\n", "select.csv": "a\n1\n", "edge_logs.csv": "a\n1\n", "text.parquet": "not a Parquet file, but long enough",
	} {
		require.NoError(t, os.WriteFile(path(name), []byte(content), 0o600))
	}
	directory := writeTables(t, ordersTable)
	none := filepath.Join(t.TempDir(), "none")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{}, statusUsage, `expected "<file>"`},
		{[]string{path("missing.csv")}, statusFailed, "no such file or directory"},
		{[]string{files}, statusFailed, files + " is a directory; give one of its files, and then set files in table.yaml to a pattern such as " + path("*.csv")},
		{[]string{path("a.txt")}, statusFailed, path("a.txt") + ": the files must be .parquet, or .csv, .tsv, .ndjson or .json, each of these also .gz or .zst"},
		{[]string{path("empty.csv")}, statusFailed, `"empty.csv": the file is empty`},
		{[]string{path("zipped.csv")}, statusFailed, `"zipped.csv": it is compressed with gzip, and its name does not say so`},
		{[]string{path("wide.csv")}, statusFailed, `"wide.csv": its encoding is UTF-16; save it as UTF-8`},
		{[]string{path("objects.json")}, statusFailed, `"objects.json": it has no object with a member`},
		{[]string{path("text.parquet")}, statusFailed, `"text.parquet": it is not a Parquet file`},
		{[]string{path("2026.csv")}, statusFailed, `the name of a table cannot be made of that of the file: "2026" must consist of lower-case letters, digits and underscores, and begin with a letter; give one with --name`},
		{[]string{path("select.csv")}, statusFailed, `"select" is a word of SQL or a table of the store's own; choose another name, such as select_1`},
		{[]string{path("a.csv"), "--name=A"}, statusUsage, `--name: "A" must consist of lower-case letters`},
		{[]string{path("edge_logs.csv")}, statusFailed, `the name "edge_logs" is already taken by shipped tables/edge_logs/table.yaml`},
		{[]string{path("a.csv"), "--name=orders", "--to=" + directory}, statusFailed, filepath.Join(directory, "orders") + " exists already and is not changed; choose another name with --name, or remove it"},
		{[]string{path("a.csv"), "--to=" + path("a.csv")}, statusUsage, "--to: " + path("a.csv") + " is not a directory"},
	} {
		status, stdout, stderr := runCommand(t, append([]string{"tables", "new", "--to", none}, test.args...)...)
		assert.Equal(t, test.status, status, test.args)
		assert.Contains(t, stderr, test.want)
		assert.Empty(t, stdout)
	}
	assert.NoDirExists(t, none)
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// No table can be called new or show, because they are words of SQL; an alias needs the word show.
func TestTableWithNameOfCommand(t *testing.T) {
	t.Parallel()
	tables := writeTables(t, strings.Replace(ordersTable, "shop.orders.prod", "new, show", 1))
	flags := []string{"--tables", tables, "--data", filepath.Join(t.TempDir(), "none"), "--format=csv"}
	for _, name := range []string{"new", "show", "orders"} {
		status, stdout, stderr := runCommand(t, append([]string{"tables", "show", name}, flags...)...)
		assert.Equal(t, statusOK, status, stderr)
		assert.Contains(t, stdout, "amount,FLOAT64,")
	}
	status, stdout, _ := runCommand(t, append(append([]string{"tables"}, flags...), "orders")...)
	assert.Equal(t, statusOK, status, "flags come before the name")
	assert.Contains(t, stdout, "amount,FLOAT64,")
	_, list, _ := runCommand(t, append([]string{"tables"}, flags...)...)
	_, shown, _ := runCommand(t, append([]string{"tables", "show"}, flags...)...)
	assert.Equal(t, shown, list)
	assert.Contains(t, list, "\norders,log source,")
	for _, name := range []string{"new", "show"} {
		wrong := writeTables(t, strings.Replace(ordersTable, "name: orders", "name: "+name, 1))
		status, _, stderr := runCommand(t, "tables", "--tables", wrong, "--data", filepath.Join(t.TempDir(), "none"))
		assert.Equal(t, statusFailed, status)
		assert.Contains(t, stderr, `name "`+name+`" is a word of SQL`)
	}
}

// The last command that it prints works as it is, whatever the names of the columns are.
func TestNewTableNamesWorkingSQL(t *testing.T) {
	t.Parallel()
	working := t.TempDir()
	file, directory, queries := filepath.Join(working, "sales.csv"), filepath.Join(working, "tables"), filepath.Join(working, "queries")
	require.NoError(t, os.WriteFile(file, []byte("Amount (EUR),buyer's name,a;b`c\n1.5,Ann,2\n"), 0o600))
	require.NoError(t, os.Mkdir(queries, 0o750))
	status, stdout, stderr := runCommand(t, "tables", "new", file, "--to", directory)
	require.Equal(t, statusOK, status, stderr)
	_, command, _ := strings.Cut(stdout, "\n  echo ")
	quoted, _, _ := strings.Cut(command, " | savedq new ")
	sql, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+quoted).Output()
	require.NoError(t, err)
	text := filepath.Join(working, "rows.sql")
	require.NoError(t, os.WriteFile(text, sql, 0o600))
	status, _, stderr = runCommand(t, "new", "sales.rows", "--sql="+text, "--queries", queries, "--tables", directory)
	assert.Equal(t, statusOK, status, "%s: %s", sql, stderr)
}
