package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ordersTable = `name: orders
description: Orders of the shop.
aliases: [shop.orders.prod]
project: metadata.shop
fields:
  - {name: amount, type: FLOAT64, path: metadata.amount, description: What was paid.}
  - {name: country, type: STRING, path: metadata.country}
`

// writeTables writes the folder of a table, and returns the directory.
func writeTables(t *testing.T, yaml string) string {
	t.Helper()
	directory := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(directory, "orders"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "orders", "table.yaml"), []byte(yaml), 0o600))
	return directory
}

// D43: an analyst loads a CSV file into a log source of her own, sees its columns and rows, and queries it. The
// store knows the table later.
func TestOwnTable(t *testing.T) {
	t.Parallel()
	tables, data := writeTables(t, ordersTable), filepath.Join(t.TempDir(), "store")
	file := filepath.Join(t.TempDir(), "orders.csv")
	require.NoError(t, os.WriteFile(file, []byte("ordered_at,shop,amount\n2026-11-25 10:00:00,acme,12.50\n2026-11-25 11:00:00,acme\n2026-11-25 12:00:00,globex,none\n"), 0o600))
	status, stdout, stderr := runCommand(t, "load", file, "--source=orders", "--tables", tables, "--timestamp=ordered_at", "--data", data)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stdout, "orders ← "+file+": 2 events loaded, 1 rejected")
	assert.Contains(t, stderr, "line 3 was rejected: row: has 2 values, and the header has 3\n")
	assert.Contains(t, stderr, "fields are NULL where the value has another type: amount is not a number (1 event)\n")

	status, stdout, _ = runCommand(t, "tables", "--data", data, "--format=csv")
	assert.Equal(t, statusOK, status)
	assert.Contains(t, stdout, "\norders,log source,2,")
	_, stdout, _ = runCommand(t, "tables", "shop.orders.prod", "--tables", tables, "--data", filepath.Join(t.TempDir(), "none"), "--format=csv")
	assert.Contains(t, stdout, "amount,FLOAT64,metadata.amount,What was paid.\n")
	status, stdout, stderr = runCommand(t, "tables", "orders", "--sample=1", "--data", data, "--format=json")
	assert.Equal(t, statusOK, status, stderr)
	assert.Contains(t, stdout, `"timestamp":1795608000000000,"event_message":null,"project":null,"metadata":[{"ordered_at":"2026-11-25 12:00:00","shop":"globex","amount":"none"}],"amount":null,"country":null}`)

	queries := t.TempDir()
	sql := filepath.Join(t.TempDir(), "total.sql")
	require.NoError(t, os.WriteFile(sql, []byte("SELECT SUM(amount) AS total FROM `shop.orders.prod`, UNNEST(metadata) AS m WHERE m.shop = @project"), 0o600))
	status, stdout, stderr = runCommand(t, "new", "shop.total", "--sql", sql, "--queries", queries, "--tables", tables)
	assert.Equal(t, statusOK, status, stderr)
	assert.Contains(t, stdout, "savedq serve --queries "+queries+" --tables "+tables)
	status, stdout, stderr = runCommand(t, "query", "shop.total", "project=acme", "--queries", queries, "--tables", tables, "--data", data, "--format=csv")
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, "total\n12.5\n", stdout)

	status, stdout, stderr = runCommand(t, "store", "drop-field", "orders.amount", "--data", data)
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, "orders.amount is removed\n", stdout)
	_, stdout, _ = runCommand(t, "tables", "orders", "--data", data, "--format=csv")
	assert.NotContains(t, stdout, "amount")
	_, stdout, stderr = runCommand(t, "query", "shop.total", "project=acme", "--queries", queries, "--tables", tables, "--data", data, "--format=csv")
	assert.Equal(t, "total\n12.5\n", stdout, "it is filled again: %s", stderr)
}

func TestTablesMistakes(t *testing.T) {
	t.Parallel()
	tables, none := writeTables(t, ordersTable), filepath.Join(t.TempDir(), "none")
	wrong := writeTables(t, strings.Replace(ordersTable, "FLOAT64", "NUMBER", 1))
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"tables", "order", "--tables", tables, "--data", none}, statusFailed, `there is no table "order"; did you mean orders?`},
		{[]string{"tables", "nothing", "--data", none}, statusFailed, `there is no table "nothing"; the tables are edge_logs, `},
		{[]string{"tables", "--sample=3"}, statusUsage, "--sample: needs the name of a table"},
		{[]string{"tables", "--tables", none}, statusUsage, "--tables: " + none + " is not a directory"},
		{[]string{"tables", "--tables", wrong}, statusFailed, wrong + "/orders/table.yaml:6:26: type \"NUMBER\" is not one of a field; use one of STRING, INT64"},
		{[]string{"load", "tables_test.go", "--source=order", "--tables", tables, "--data", none}, statusUsage, `--source: "order" is not a log source; did you mean orders?`},
		{[]string{"store", "drop-field", "orders", "--data", none}, statusUsage, `"orders" is not a field, such as orders.amount`},
		{[]string{"store", "drop-field", "orders.amount", "--data", none}, statusFailed, "there is no store in " + none},
	} {
		status, _, stderr := runCommand(t, test.args...)
		assert.Equal(t, test.status, status, test.args)
		assert.Contains(t, stderr, test.want)
	}
	assert.NoDirExists(t, none)
}

// The shipped saved queries over all log sources include own ones: logs.search and its facets find
// their events, and projects.list their projects.
func TestOwnSourceIsSearched(t *testing.T) {
	t.Parallel()
	tables, data := writeTables(t, ordersTable), filepath.Join(t.TempDir(), "store")
	file := filepath.Join(t.TempDir(), "orders.ndjson")
	require.NoError(t, os.WriteFile(file, []byte(`{"event_message":"paid","shop":"acme","amount":5,"level":"error"}`+"\n"+`{"event_message":"paid","shop":"globex"}`), 0o600))
	status, _, stderr := runCommand(t, "load", file, "--source=orders", "--tables", tables, "--data", data)
	require.Equal(t, statusOK, status, stderr)
	for _, test := range []struct{ query, want string }{
		{"logs.search project=acme source=orders", ",orders,paid,"},
		{"logs.search project=acme source=shop.orders.prod text=PAID", ",orders,paid,"},
		{"logs.facets project=acme", "source,orders,1\n"},
		{"logs.histogram project=acme source=orders", ",1,1,0\n"},
		{"projects.list", "acme,"},
	} {
		args := append([]string{"query", "--tables", tables, "--data", data, "--format=csv"}, strings.Fields(test.query)...)
		status, stdout, stderr := runCommand(t, args...)
		require.Equal(t, statusOK, status, stderr)
		assert.Contains(t, stdout, test.want, test.query)
		assert.NotContains(t, stdout, "globex,paid")
	}
	status, _, stderr = runCommand(t, "query", "logs.search", "project=acme", "source=orders", "--data", data)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "source: ")
}

// Own sources and files are joined in a saved query, which is checked, tested on rows of its cases, and run. A
// file that is missing is an error of that query alone.
func TestJoinOfFilesAndEvents(t *testing.T) {
	t.Parallel()
	tables, data, queries := writeTables(t, ordersTable), filepath.Join(t.TempDir(), "store"), t.TempDir()
	write := func(path, content string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	regions := filepath.Join(tables, "regions", "regions.csv")
	write(regions, "country,region,tax\nde,Europe,0.19\nus,America,0.0725\n")
	write(filepath.Join(tables, "regions", "table.yaml"), "name: regions\ndescription: Regions.\nfiles: regions.csv\ncolumns:\n  - {name: country, type: STRING}\n  - {name: region, type: STRING}\n  - {name: tax, type: NUMERIC}\n")
	sql := filepath.Join(t.TempDir(), "taxes.sql")
	write(sql, "SELECT r.region, COUNT(*) AS orders, MAX(r.tax) AS tax FROM orders AS o JOIN regions AS r USING (country) WHERE o.amount > @least GROUP BY r.region ORDER BY r.region")
	flags := []string{"--queries", queries, "--tables", tables}
	status, _, stderr := runCommand(t, append([]string{"new", "shop.taxes", "--sql", sql}, flags...)...)
	require.Equal(t, statusOK, status, stderr)
	write(filepath.Join(queries, "shop.taxes", "tests", "taxes.yaml"), `cases:
  - name: two regions
    now: 2026-11-20T12:00:00Z
    params: {least: 1}
    events:
      orders: [{amount: 2, country: de}, {amount: 0.5, country: de}, {amount: "3", country: us}, {amount: 4, country: xx}]
    tables:
      regions: [{country: de, region: Europe, tax: 0.5}, {country: us, region: America}]
    expect:
      rows:
        - {region: America, orders: 1, tax: null}
        - {region: Europe, orders: 1, tax: 0.5}
`)
	status, stdout, stderr := runCommand(t, append([]string{"test", "shop.taxes"}, flags...)...)
	assert.Equal(t, statusOK, status, stdout+stderr)

	events := filepath.Join(t.TempDir(), "orders.ndjson")
	write(events, `{"amount":5,"country":"us"}`)
	status, _, stderr = runCommand(t, "load", events, "--source=orders", "--tables", tables, "--data", data)
	require.Equal(t, statusOK, status, stderr)
	run := append([]string{"query", "shop.taxes", "least=1", "--data", data, "--format=csv"}, flags...)
	status, stdout, stderr = runCommand(t, run...)
	assert.Equal(t, statusOK, status, stderr)
	assert.Equal(t, "region,orders,tax\nAmerica,1,0.0725\n", stdout)

	require.NoError(t, os.Remove(regions))
	status, _, stderr = runCommand(t, run...)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "regions")
	assert.NotContains(t, stderr, tables)
	status, _, stderr = runCommand(t, append([]string{"query", "projects.list", "--data", data}, flags...)...)
	assert.Equal(t, statusOK, status, stderr)
	status, _, stderr = runCommand(t, append([]string{"check"}, flags...)...)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, filepath.Join(tables, "regions", "table.yaml")+":3:8: ")
}

// Loading events does not look at the files of tables.
func TestLoadBesideMissingFiles(t *testing.T) {
	t.Parallel()
	tables := writeTables(t, ordersTable)
	require.NoError(t, os.Mkdir(filepath.Join(tables, "products"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(tables, "products", "table.yaml"), []byte("name: products\ndescription: Products.\nfiles: none.parquet\n"), 0o600))
	events := filepath.Join(t.TempDir(), "orders.ndjson")
	require.NoError(t, os.WriteFile(events, []byte(`{"amount":5}`), 0o600))
	status, _, stderr := runCommand(t, "load", events, "--source=orders", "--tables", tables, "--data", filepath.Join(t.TempDir(), "store"))
	assert.Equal(t, statusOK, status, stderr)
	status, _, stderr = runCommand(t, "tables", "--tables", tables, "--data", filepath.Join(t.TempDir(), "none"))
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, filepath.Join(tables, "products", "table.yaml")+":3:8: ")
}

// A sample of files that cannot be read says where they are wrong, with the value, and without the options of DuckDB.
func TestSampleOfWrongFiles(t *testing.T) {
	t.Parallel()
	tables := writeTables(t, "name: orders\ndescription: Orders.\nfiles: a.csv\ncolumns: [{name: day, type: DATE}]\n")
	require.NoError(t, os.WriteFile(filepath.Join(tables, "orders", "a.csv"), []byte("day\n2026-11-25\n25.11.2026\n"), 0o600))
	status, stdout, stderr := runCommand(t, "tables", "orders", "--sample=1", "--tables", tables, "--data", filepath.Join(t.TempDir(), "none"))
	assert.Equal(t, statusFailed, status)
	assert.Empty(t, stdout)
	want := `the files of the table orders cannot be read: "a.csv", line 3: its column day has the value "25.11.2026", which DATE cannot hold exactly`
	assert.Equal(t, "savedq: "+want+"\n", stderr)
	status, _, stderr = runCommand(t, "check", "--tables", tables, "--queries", t.TempDir())
	assert.NotEqual(t, statusOK, status)
	assert.Contains(t, stderr, want, "check says the same")
}
