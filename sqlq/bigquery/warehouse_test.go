package bigquery_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
	"savedq/sqlq/bigquery"
	"savedq/sqlq/tables"
)

// declaredTables returns a log source that is elsewhere on BigQuery, one that is in the dataset of the server,
// and the shipped ones.
func declaredTables() sqlq.Tables {
	return append(tables.Shipped(),
		&sqlq.Table{Name: "orders", Aliases: []string{"shop.orders.prod", "sales"}, Warehouse: "my-project.my_dataset.raw_orders", Place: sqlq.Place{File: "orders/table.yaml", Line: 1, Column: 7}},
		&sqlq.Table{Name: "returns", Aliases: []string{"shop.returns"}, Place: sqlq.Place{File: "returns/table.yaml", Line: 1, Column: 7}},
	)
}

// A table of an author is read where its folder says, under its name and its aliases.
func TestTablesOfAuthors(t *testing.T) {
	t.Parallel()
	const (
		orders = "`orders` AS (SELECT * FROM `my-project.my_dataset.raw_orders`)"
		sales  = "`sales` AS (SELECT * FROM `my-project.my_dataset.raw_orders`)"
	)
	for sql, want := range map[string]string{
		"SELECT 1":                                    "SELECT 1",
		"SELECT n FROM edge_logs":                     "SELECT n FROM edge_logs",
		"SELECT n FROM returns":                       "SELECT n FROM returns",
		"SELECT n FROM orders":                        "WITH " + orders + " SELECT n FROM orders",
		"SELECT n FROM Orders":                        "WITH " + orders + " SELECT n FROM Orders",
		"SELECT orders.n FROM `orders` WHERE a > 1":   "WITH " + orders + " SELECT orders.n FROM `orders` WHERE a > 1",
		"SELECT n FROM sales s JOIN orders USING (n)": "WITH " + orders + ",\n" + sales + " SELECT n FROM sales s JOIN orders USING (n)",
		"SELECT n FROM shop.orders.prod":              "WITH " + orders + " SELECT n FROM `orders`",
		"SELECT n FROM /* x */ `shop.orders.prod` o":  "WITH " + orders + " SELECT n FROM /* x */ `orders` o",
		"SELECT n FROM a JOIN shop.returns r ON TRUE": "SELECT n FROM a JOIN `returns` r ON TRUE",
		"SELECT shop.returns FROM a AS shop":          "SELECT shop.returns FROM a AS shop",
		"SELECT n FROM shop.returns_2":                "SELECT n FROM shop.returns_2",
		"SELECT n FROM shop.returns.other":            "SELECT n FROM shop.returns.other",
		"SELECT 'orders' AS n -- orders":              "SELECT 'orders' AS n -- orders",
		"WITH a AS (SELECT * FROM orders) SELECT 1":   "WITH " + orders + ", a AS (SELECT * FROM orders) SELECT 1",
	} {
		fake := &fakeService{query: completed}
		engine := open(t, fake)
		statement := numbers(5)
		query := *statement.Query
		query.SQL, query.Tables = sql, declaredTables()
		statement.Query = &query
		var sent string
		fake.query = func(request *rest.QueryRequest) response {
			sent = request.Query
			return completed(request)
		}
		_, err := run(t, engine, statement)
		require.NoError(t, err)
		assert.Equal(t, want, sent)
	}
}

// The rows of a series are bounded where the table is, so that partitions are pruned.
func TestSeriesOfTablesOfAuthors(t *testing.T) {
	t.Parallel()
	const bounds = " WHERE timestamp >= @from AND timestamp < @to)"
	for name, want := range map[string]string{
		"orders":    "WITH `orders` AS (SELECT * FROM `my-project.my_dataset.raw_orders`" + bounds + " SELECT n FROM orders",
		"ORDERS":    "WITH `ORDERS` AS (SELECT * FROM `my-project.my_dataset.raw_orders`" + bounds + " SELECT n FROM ORDERS",
		"sales":     "WITH `sales` AS (SELECT * FROM `my-project.my_dataset.raw_orders`" + bounds + " SELECT n FROM sales",
		"returns":   "WITH `returns` AS (SELECT * FROM `returns`" + bounds + " SELECT n FROM returns",
		"edge_logs": "WITH `edge_logs` AS (SELECT * FROM `edge_logs`" + bounds + " SELECT n FROM edge_logs",
	} {
		fake := &fakeService{query: completed}
		engine := open(t, fake)
		statement := numbers(5)
		query := *statement.Query
		query.SQL, query.Tables, query.Series = "SELECT n FROM "+name, declaredTables(), &sqlq.Series{Tables: []string{name}}
		statement.Query = &query
		var sent string
		fake.query = func(request *rest.QueryRequest) response {
			sent = request.Query
			return completed(request)
		}
		_, err := run(t, engine, statement)
		require.NoError(t, err)
		assert.Equal(t, want, sent)
	}
}

// Columns that are missing on BigQuery, or have another type there, are mistakes in table.yaml.
func TestCheckColumns(t *testing.T) {
	t.Parallel()
	place := func(line int) sqlq.Place { return sqlq.Place{File: "t/table.yaml", Line: line, Column: 5} }
	declared := append(tables.Shipped(),
		&sqlq.Table{Name: "orders", Warehouse: "q.e.raw", Place: place(1), Fields: []sqlq.Field{
			{Name: "amount", Type: sqlq.Int64, Place: place(5)}, {Name: "country", Type: sqlq.String, Place: place(6)}, {Name: "day", Type: sqlq.Date, Place: place(7)},
		}},
		&sqlq.Table{Name: "products", Place: place(1), Files: &sqlq.Files{Columns: []sqlq.Column{
			{Name: "ID", Type: sqlq.Int64, Place: place(3)}, {Name: "tags", Type: sqlq.ArrayOf(sqlq.String), Place: place(4)}, {Name: "sizes", Type: sqlq.ArrayOf(sqlq.Int64), Place: place(5)}, {Name: "list", Type: sqlq.String, Place: place(6)},
		}}},
		&sqlq.Table{Name: "missing", Place: place(1)},
	)
	fake := &fakeService{table: func(path string) response {
		columns := map[string]string{
			"q/datasets/e/tables/raw":      "id STRING, timestamp TIMESTAMP, metadata RECORD, project INTEGER, event_message STRING, amount STRING, day DATE",
			"p/datasets/d/tables/products": "id INTEGER, tags STRING*, sizes STRING*, list STRING*",
		}[path]
		if columns == "" {
			return refusal(http.StatusNotFound, "notFound", "Not found: Table "+path)
		}
		schema := &rest.TableSchema{}
		for column := range strings.SplitSeq(columns, ", ") {
			name, typ, _ := strings.Cut(column, " ")
			field := &rest.TableFieldSchema{Name: name, Type: strings.TrimSuffix(typ, "*")}
			if strings.HasSuffix(typ, "*") {
				field.Mode = "REPEATED"
			}
			schema.Fields = append(schema.Fields, field)
		}
		text, err := json.Marshal(rest.Table{Schema: schema, Type: "TABLE"})
		require.NoError(t, err)
		return ok(string(text))
	}}
	found, err := open(t, fake).CheckColumns(t.Context(), declared)
	require.NoError(t, err)
	require.EqualError(t, found, `t/table.yaml:1:5: the column project of q.e.raw on BigQuery has the type INT64, not STRING
t/table.yaml:5:5: the column amount of q.e.raw on BigQuery has the type STRING, not INT64
t/table.yaml:6:5: the table q.e.raw on BigQuery has no column country
t/table.yaml:5:5: the column sizes of p.d.products on BigQuery has the type ARRAY<STRING>, not ARRAY<INT64>
t/table.yaml:6:5: the column list of p.d.products on BigQuery has the type ARRAY<STRING>, not STRING
t/table.yaml:1:5: BigQuery has no table or view p.d.missing; create it, or name another one with the key bigquery`)

	fake.table = func(string) response {
		return refusal(http.StatusForbidden, "accessDenied", "Access Denied: Table q:e.raw: no")
	}
	_, err = open(t, fake).CheckColumns(t.Context(), declared)
	require.ErrorContains(t, err, "is not allowed to read table q.e.raw")
}

// Rows that are given stand for a table under all its names, wherever it is.
func TestGivenRowsOfTablesOfAuthors(t *testing.T) {
	t.Parallel()
	fake := &fakeService{
		insert: func(*rest.Job) response {
			return ok(`{"jobReference":{"projectId":"p"},"configuration":{"dryRun":true,"query":{}},"status":{"state":"DONE"},"statistics":{"query":{"statementType":"SELECT"}}}`)
		},
		table: func(path string) response {
			assert.Equal(t, "my-project/datasets/my_dataset/tables/raw_orders", path)
			return ok(`{"type":"TABLE","schema":{"fields":[{"name":"n","type":"INTEGER"}]}}`)
		},
	}
	statement := numbers(5)
	query := *statement.Query
	query.SQL, query.Tables = "SELECT n FROM shop.orders.prod JOIN sales USING (n)", declaredTables()
	statement.Query = &query
	prepared, err := bigquery.NewGivenRows(open(t, fake)).Prepare(t.Context(), statement, []bigquery.GivenTable{{Name: "orders", Rows: []json.RawMessage{[]byte(`{"n":1}`)}}})
	require.NoError(t, err)
	const rows = "(SELECT * FROM UNNEST(ARRAY<STRUCT<`n` INT64>>[STRUCT(CAST(\"1\" AS INT64))]))"
	assert.Equal(t, "WITH `orders` AS "+rows+",\n`sales` AS "+rows+" SELECT n FROM `orders` JOIN sales USING (n)", prepared.Query.SQL)
	assert.Empty(t, prepared.Query.Tables)
}
