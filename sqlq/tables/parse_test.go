package tables_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// folders returns a directory with a folder for each table.yaml.
func folders(files map[string]string) tables.Directory {
	directory := make(fstest.MapFS)
	for name, content := range files {
		directory[name+"/table.yaml"] = &fstest.MapFile{Data: []byte(content)}
	}
	return tables.Directory{FS: directory, Path: "/data/tables"}
}

// own returns the tables that do not come with savedq.
func own(read sqlq.Tables) sqlq.Tables {
	return slices.DeleteFunc(slices.Clone(read), func(table *sqlq.Table) bool { return table.Shipped })
}

const (
	head   = "name: orders\ndescription: Orders.\n"
	inFile = "/data/tables/orders/table.yaml"
)

func TestReadSource(t *testing.T) {
	t.Parallel()
	read, err := tables.Read(folders(map[string]string{"orders": head + `aliases: [shop.orders.prod, Shop-2]
project: metadata.shop
retention: 90d
bigquery: my-project.my_dataset.orders
fields:
  - {name: country, type: STRING, path: metadata.customer.country, description: Where.}
metadata:
  metadata: [shop]
  metadata.customer: [country, name]
`}))
	require.NoError(t, err)
	require.Len(t, own(read), 1)
	assert.Equal(t, &sqlq.Table{
		Name: "orders", Description: "Orders.", Aliases: []string{"shop.orders.prod", "Shop-2"}, ProjectMember: "shop", Retention: 90 * 24 * time.Hour,
		Warehouse: "my-project.my_dataset.orders",
		Fields:    []sqlq.Field{{Name: "country", Type: sqlq.String, Description: "Where.", Path: []string{"customer", "country"}, Place: sqlq.Place{File: inFile, Line: 8, Column: 6}}},
		Members:   sqlq.Members{"shop": nil, "customer": {"country": nil, "name": nil}},
		Place:     sqlq.Place{File: inFile, Line: 1, Column: 7},
	}, withoutEmpty(own(read)[0]))
	table, found := read.FindSource("Shop-2")
	assert.True(t, found)
	assert.Same(t, own(read)[0], table)
}

func TestReadClickHouse(t *testing.T) {
	t.Parallel()
	read, err := tables.Read(folders(map[string]string{"orders": head + `clickhouse:
  table: shop.otel-logs
  where: source_name = 'orders'
  columns:
    id: toString(uuid)
    metadata: log_attributes
    country: log_attributes['customer.country']
  metadata: map
fields:
  - {name: country, type: STRING, path: metadata.customer.country}
`}))
	require.NoError(t, err)
	require.Len(t, own(read), 1)
	assert.Equal(t, &sqlq.ClickHouseTable{
		Table: "shop.otel-logs", Where: "source_name = 'orders'", Metadata: sqlq.MetadataMap,
		Columns: map[string]string{"id": "toString(uuid)", "metadata": "log_attributes", "country": "log_attributes['customer.country']"},
		Place:   sqlq.Place{File: inFile, Line: 4, Column: 10},
	}, own(read)[0].ClickHouse)

	edge, _ := read.Find("edge_logs")
	assert.Equal(t, "source_name IN ('edge_logs', 'cloudflare.logs.prod')", edge.InOTelLogs("otel_logs_1").Where)

	var none *sqlq.ClickHouseTable
	assert.Equal(t, "orders", none.Name("orders"))
	assert.False(t, none.HasMap())
	_, found := none.Expression("id")
	assert.False(t, found)
}

// withoutEmpty makes empty members nil, which is the same.
func withoutEmpty(table *sqlq.Table) *sqlq.Table {
	for name, inner := range table.Members {
		for name := range inner {
			inner[name] = nil
		}
		if len(inner) == 0 {
			table.Members[name] = nil
		}
	}
	return table
}

func TestReadFiles(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]sqlq.Files{
		"../data/*.parquet":           {Pattern: "/data/tables/data/*.parquet", Format: "parquet"},
		"part-[0-9].PARQUET":          {Pattern: "/data/tables/orders/part-[0-9].PARQUET", Format: "parquet"},
		"/lake/**/orders.ndjson.gz":   {Pattern: "/lake/**/orders.ndjson.gz", Format: "ndjson"},
		"orders.tsv":                  {Pattern: "/data/tables/orders/orders.tsv", Format: "csv", Separator: "\t"},
		"orders.TSV.gz":               {Pattern: "/data/tables/orders/orders.TSV.gz", Format: "csv", Separator: "\t"},
		"orders.csv.zst":              {Pattern: "/data/tables/orders/orders.csv.zst", Format: "csv"},
		"year=*/month=*/orders*.json": {Pattern: "/data/tables/orders/year=*/month=*/orders*.json", Format: "json"},
	} {
		read, err := tables.Read(folders(map[string]string{"orders": head + "files: \"" + pattern + "\"\ncolumns:\n  - {name: Id No, type: INT64, description: D.}\n  - {name: tags, type: ARRAY<STRING>}\n"}))
		require.NoError(t, err, pattern)
		require.Len(t, own(read), 1)
		table := own(read)[0]
		assert.False(t, table.IsSource())
		want.Place = sqlq.Place{File: inFile, Line: 3, Column: 8}
		want.Columns = []sqlq.Column{
			{Name: "Id No", Type: sqlq.Int64, Nullable: true, Description: "D.", Place: sqlq.Place{File: inFile, Line: 5, Column: 6}},
			{Name: "tags", Type: sqlq.ArrayOf(sqlq.String), Place: sqlq.Place{File: inFile, Line: 6, Column: 6}},
		}
		assert.Equal(t, &want, table.Files)
	}
	_, err := tables.Read(folders(map[string]string{"orders": head + "files: a.parquet\n"}))
	require.NoError(t, err, "Parquet files say their columns")
	read, err := tables.Read(folders(map[string]string{"orders": head + "files: a.csv\nseparator: \"\\t\"\ncolumns:\n  - {name: a, type: STRING}\n"}))
	require.NoError(t, err)
	assert.Equal(t, "\t", own(read)[0].Files.Separator)
}

func TestReadRetention(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"1m": time.Minute, "36h": 36 * time.Hour, "1d": 24 * time.Hour, "forever": sqlq.KeptForEver} {
		read, err := tables.Read(folders(map[string]string{"orders": head + "retention: " + text}))
		require.NoError(t, err)
		assert.Equal(t, want, own(read)[0].Retention)
	}
}

// Each mistake has its place.
func TestReadMistakes(t *testing.T) {
	t.Parallel()
	const retention = "retention must be a duration of at least 1m0s, such as 90d or 36h, or the word forever"
	const path = "path must lead to a value in metadata, such as metadata.amount or metadata.customer.country"
	const project = "project must be project, for the field of an event, or a member of its metadata, such as metadata.shop"
	const keys = "name, description, aliases, project, retention, fields, metadata, files, columns, separator, bigquery, clickhouse"
	long := strings.Repeat("x", 64)
	field := func(text string) string { return head + "fields:\n  - {" + text + "}\n" }
	files := func(text string) string { return head + "files: " + text + "\n" }
	clickHouse := func(text string) string { return head + "clickhouse:\n  " + text + "\n" }
	column := func(text string) string { return files("a.csv") + "columns:\n  - {" + text + "}\n" }
	for name, test := range map[string]struct{ content, want string }{
		"empty":                 {"", " is empty"},
		"no mapping":            {"- name", `1:1: must be a mapping with the keys ` + keys},
		"unknown key":           {head + "colums: []", `3:1: unknown key "colums"; the keys are ` + keys},
		"no name":               {"description: D.\n", `1:1: key "name" is missing`},
		"no description":        {"name: orders\n", `1:1: key "description" is missing`},
		"name of another type":  {"name: [a]\ndescription: D.\n", "1:7: name must be a string"},
		"upper case":            {"name: Orders\ndescription: D.\n", `1:7: name "Orders" must consist of lower-case letters, digits and underscores, and begin with a letter`},
		"long name":             {"name: " + long + "\ndescription: D.\n", "1:7: name has more than 63 characters"},
		"word of SQL":           {"name: select\ndescription: D.\n", `1:7: name "select" is a word of SQL or a table of the store's own; choose another name, such as select_1`},
		"table of the store":    {"name: load_journal\ndescription: D.\n", `1:7: name "load_journal" is a word of SQL or a table of the store's own; choose another name, such as load_journal_1`},
		"shipped table":         {"name: auth_logs\ndescription: D.\n", `1:7: the name "auth_logs" is already taken by shipped tables/auth_logs/table.yaml:1:7`},
		"second document":       {head + "---\nname: b\n", "3:1: a file holds one table; remove the second document"},
		"BigQuery":              {head + "bigquery: orders", `3:11: bigquery "orders" must name a table, such as my-project.my_dataset.orders`},
		"ClickHouse a text":     {head + "clickhouse: orders", "3:13: must be a mapping with the keys table, where, columns, metadata"},
		"ClickHouse's key":      {clickHouse("table: a\n  tabel: a"), `5:3: unknown key "tabel"; the keys are table, where, columns, metadata`},
		"ClickHouse's table":    {clickHouse("table: a.b.c"), `4:10: table "a.b.c" must name a table, such as orders or my_database.orders`},
		"ClickHouse's where":    {clickHouse("table: a\n  where: ''"), "5:10: where must not be empty"},
		"ClickHouse's form":     {clickHouse("table: a\n  metadata: maps"), `5:13: metadata "maps" is unknown; use one of json, map`},
		"ClickHouse's columns":  {clickHouse("table: a\n  columns: [id]"), "5:12: columns must be a mapping of columns to expressions in ClickHouse's SQL, such as id: toString(uuid)"},
		"ClickHouse's column":   {clickHouse("table: a\n  columns: {projct: x}"), `5:13: the table has no column "projct"; did you mean project?`},
		"ClickHouse's value":    {clickHouse("table: a\n  columns: {project: ''}"), "5:22: must be an expression in ClickHouse's SQL, such as toString(uuid)"},
		"a map of files":        {files("a.parquet") + "clickhouse:\n  table: a\n  metadata: map\n", "6:13: metadata is for log sources, and this table has files"},
		"aliases no list":       {head + "aliases: a", "3:10: aliases must be a list"},
		"no aliases":            {head + "aliases: []", "3:10: aliases must not be empty; leave it out instead"},
		"alias with a blank":    {head + "aliases: [a b]", `3:11: alias "a b" is not a name of letters, digits, dots, dashes and underscores (at most 63)`},
		"alias twice":           {head + "aliases: [a, a]", `3:14: alias "a" is declared twice`},
		"alias is the name":     {head + "aliases: [orders]", `3:11: alias "orders" is declared twice`},
		"shipped alias":         {head + "aliases: [x, cloudflare.logs.prod]", `3:14: the name "cloudflare.logs.prod" is already taken by shipped tables/edge_logs/table.yaml:3:11`},
		"project elsewhere":     {head + "project: shop", "3:10: " + project},
		"project too deep":      {head + "project: metadata.a.b", "3:10: " + project},
		"retention a number":    {head + "retention: 90", "3:12: " + retention},
		"retention negative":    {head + "retention: -1h", "3:12: " + retention},
		"retention too short":   {head + "retention: 59s", "3:12: " + retention},
		"retention of no days":  {head + "retention: 0d", "3:12: " + retention},
		"retention of too many": {head + "retention: 99999d", "3:12: " + retention},
		"fields no list":        {head + "fields: {a: b}", "3:9: fields must be a list"},
		"a field is no mapping": {head + "fields: [a]", "3:10: must be a mapping with the keys name, type, path, description"},
		"too many fields":       {head + "fields: [" + strings.Repeat("a, ", 101) + "]", "3:9: a log source has at most 100 fields"},
		"field without type":    {field("name: a, path: metadata.a"), `4:6: key "type" is missing`},
		"field with a key":      {field("name: a, type: STRING, path: metadata.a, nullable: true"), `4:47: unknown key "nullable"; the keys are name, type, path, description`},
		"field of D23":          {field("name: id, type: STRING, path: metadata.a"), "4:12: the table has a column id already"},
		"field twice":           {field("name: a, type: STRING, path: metadata.a}\n  - {name: a, type: INT64, path: metadata.b"), "5:12: the table has a column a already"},
		"field named as a word": {field("name: group, type: STRING, path: metadata.a"), `4:12: name "group" is a word of SQL or a table of the store's own; choose another name, such as group_1`},
		"field of no type":      {field("name: a, type: TEXT, path: metadata.a"), `4:21: type "TEXT" is not one of a field; use one of `},
		"field of JSON":         {field("name: a, type: JSON, path: metadata.a"), `4:21: type "JSON" is not one of a field; use one of `},
		"path elsewhere":        {field("name: a, type: STRING, path: amount"), "4:35: " + path},
		"path of metadata":      {field("name: a, type: STRING, path: metadata"), "4:35: " + path},
		"path with a gap":       {field("name: a, type: STRING, path: metadata..a"), "4:35: " + path},
		"path with an index":    {field("name: a, type: STRING, path: 'metadata.a[0]'"), "4:35: " + path},
		"metadata a list":       {head + "metadata: [a]", "3:11: metadata must be a mapping of objects to lists of their members, such as metadata.request: [method, path]"},
		"metadata elsewhere":    {head + "metadata:\n  request: [a]", `4:3: "request" is not an object in metadata; write metadata, or for example metadata.request`},
		"members no list":       {head + "metadata:\n  metadata: a", "4:13: must be a list of members, such as [method, path]"},
		"member no name":        {head + "metadata:\n  metadata: [a.b]", "4:14: must be the name of a member"},
		"separator of a source": {head + "separator: ';'", "3:12: separator is for tables with CSV files"},
		"columns of a source":   {head + "columns:\n  - {name: a, type: STRING}", "4:3: columns is for tables with files; a log source has id, timestamp, event_message, project, metadata and its fields"},
		"fields of files":       {files("a.parquet") + "fields: [a]", "4:9: fields is for log sources, and this table has files"},
		"aliases of files":      {files("a.parquet") + "aliases: [a]", "4:10: aliases is for log sources, and this table has files"},
		"retention of files":    {files("a.parquet") + "retention: 1d", "4:12: retention is for log sources, and this table has files"},
		"no files":              {files(""), "3:8: files must be a string"},
		"files no text":         {files("[a.csv]"), "3:8: files must be a string"},
		"remote files":          {files("s3://bucket/a.parquet"), "3:8: files must be on this machine"},
		"files of another kind": {files("a.xlsx"), "3:8: the files must be .parquet, or .csv, .tsv, .ndjson or .json, each of these also .gz or .zst"},
		"no extension":          {files("data/"), "3:8: the files must be .parquet, or .csv, .tsv, .ndjson or .json, each of these also .gz or .zst"},
		"pattern":               {files("'[a.parquet'"), `3:8: the pattern "[a.parquet" is not valid: a [ has no ]`},
		"no columns":            {files("a.csv"), "3:8: columns is missing: csv files do not say the types of their columns"},
		"separator of Parquet":  {files("a.parquet") + "separator: ';'", "4:12: separator is for CSV files"},
		"separator of letters":  {column("name: a, type: STRING") + "separator: ab", `6:12: separator must be one of ",", ";", "|" and "\t"`},
		"column without type":   {column("name: a"), `5:6: key "type" is missing`},
		"column twice":          {column("name: a, type: STRING}\n  - {name: A, type: STRING"), `6:12: column "A" is declared twice`},
		"column of no type":     {column("name: a, type: BIGINT"), `5:21: type "BIGINT" is unknown; use one of `},
		"column of a struct":    {column("name: a, type: STRUCT"), `5:21: type "STRUCT" is unknown; use one of `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, err := tables.Read(folders(map[string]string{"orders": test.content}))
			require.Error(t, err)
			var found sqlq.FileErrors
			require.ErrorAs(t, err, &found)
			assert.Empty(t, own(read))
			assert.True(t, strings.HasPrefix(err.Error(), inFile+":"+test.want), err)
			assert.Len(t, found, 1, err)
		})
	}
}

// Names are unique across folders, aliases included, and all mistakes are reported at once.
func TestReadTakenNames(t *testing.T) {
	t.Parallel()
	read, err := tables.Read(folders(map[string]string{
		"a": "name: orders\ndescription: A.\naliases: [shop]\n",
		"b": "name: shop\ndescription: B.\n",
		"c": "name: c\ndescription: C.\naliases: [orders]\n",
		"d": "name: d\ndescription: D.\n",
	}), folders(map[string]string{"e": "name: d\ndescription: E.\n"}))
	require.EqualError(t, err, `/data/tables/b/table.yaml:1:7: the name "shop" is already taken by /data/tables/a/table.yaml:3:11
/data/tables/c/table.yaml:3:11: the name "orders" is already taken by /data/tables/a/table.yaml:1:7
/data/tables/e/table.yaml:1:7: the name "d" is already taken by /data/tables/d/table.yaml:1:7`)
	assert.Equal(t, []string{"orders", "d"}, own(read).Names())
}

// What is no folder of a table.
func TestReadFolders(t *testing.T) {
	t.Parallel()
	directory := tables.Directory{Path: "tables", FS: fstest.MapFS{
		"notes.txt": {}, ".git/table.yaml": {Data: []byte("x")}, "empty/other.yaml": {}, "nested/table.yaml/x": {}, "good/table.yaml": {Data: []byte(head)},
	}}
	read, err := tables.Read(directory)
	require.EqualError(t, err, "tables/empty/table.yaml: is missing\ntables/nested/table.yaml: cannot be read: invalid argument")
	assert.Equal(t, []string{"orders"}, own(read).Names())

	_, err = tables.Read(tables.Directory{Path: "tables", FS: fstest.MapFS{"table.yaml": {Data: []byte(head)}}})
	require.EqualError(t, err, "tables: is the folder of one table; give the directory that holds it")
	_, err = tables.Read(tables.Directory{Path: "tables", FS: fstest.MapFS{"a": {}}})
	require.NoError(t, err, "a plain file is ignored")
}

// Whatever a table.yaml has, reading it ends, and a table without mistakes is complete.
func FuzzRead(f *testing.F) {
	f.Add(head + "aliases: [a]\nproject: metadata.a\nretention: 1d\nfields:\n  - {name: a, type: DATE, path: metadata.a}\n")
	f.Add(head + "files: ../*.csv\ncolumns:\n  - {name: a, type: ARRAY<DATE>}\n")
	f.Fuzz(func(t *testing.T, content string) {
		read, err := tables.Read(folders(map[string]string{"orders": content}))
		if err != nil {
			var found sqlq.FileErrors
			require.ErrorAs(t, err, &found)
			require.Empty(t, own(read))
			return
		}
		table := own(read)[0]
		require.NotEmpty(t, table.Name)
		require.NotEmpty(t, table.Description)
		for _, field := range table.Fields {
			require.Contains(t, sqlq.FieldTypes(), field.Type)
			require.NotEmpty(t, field.Path)
		}
	})
}
