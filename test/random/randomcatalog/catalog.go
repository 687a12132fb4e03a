package randomcatalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing/fstest"

	"savedq/sqlq"
)

// Options limit what is generated.
type Options struct {
	// Queries is the number of saved queries.
	Queries int
	// ColumnTypes are the types of columns, besides arrays and structs of them.
	ColumnTypes []sqlq.Type
	// ParamTypes are the types of parameters, besides arrays of them.
	ParamTypes []sqlq.Type
	// ArraysOfArrays allows what BigQuery does not have.
	ArraysOfArrays bool
}

// Catalog is a directory of random saved queries.
type Catalog struct {
	Files   fstest.MapFS
	Queries []Query
}

// Query is a random saved query with a request and the rows that it returns.
type Query struct {
	Name    string
	Columns []sqlq.Column
	// Params are the raw parameters of the request.
	Params map[string][]string
	Rows   [][]any
}

// New returns a random catalog. The same random numbers give the same catalog.
func New(random *rand.Rand, options Options) *Catalog {
	g := &generator{random, options}
	catalog := &Catalog{Files: make(fstest.MapFS)}
	for i := range options.Queries {
		g.add(catalog, i)
	}
	return catalog
}

// add adds a saved query, whose first column is the position of the row.
func (g *generator) add(catalog *Catalog, number int) {
	name := g.name([]string{".", "-", "_"}, number)
	query := Query{Name: name, Params: make(map[string][]string), Columns: []sqlq.Column{{Name: "position", Type: sqlq.Int64}}}
	query.Columns = append(query.Columns, g.columns(1)...)
	params, echoed, bound := g.params(&query)
	for i := range g.IntN(4) {
		row := []any{int64(i)}
		for j := 1; j < len(query.Columns); j++ {
			row = append(row, g.value(&query.Columns[j]))
		}
		query.Rows = append(query.Rows, append(row, bound...))
	}
	query.Columns = append(query.Columns, echoed...)
	folder := strings.ReplaceAll(name, ".", "_") + "/"
	var yaml strings.Builder
	_, _ = fmt.Fprintf(&yaml, "id: 00000000-0000-4000-8000-%012d\nname: %s\ndescription: %s\ncache: 60s\n", number, name, g.description())
	if len(params) > 0 {
		yaml.WriteString("params:\n")
	}
	for _, param := range params {
		yaml.WriteString(param.yaml)
	}
	yaml.WriteString("columns:\n" + columnsYAML("  ", query.Columns))
	catalog.Files[folder+"query.yaml"] = &fstest.MapFile{Data: []byte(yaml.String())}
	catalog.Files[folder+"duckdb.sql"] = &fstest.MapFile{Data: []byte(sqlOf(duckDB(), &query, params))}
	catalog.Files[folder+"bigquery.sql"] = &fstest.MapFile{Data: []byte(sqlOf(googleSQL(), &query, params))}
	catalog.Queries = append(catalog.Queries, query)
}

// sqlOf spells the rows of a saved query, with its parameters as the last columns.
func sqlOf(d *dialect, query *Query, params []param) string {
	literals := len(query.Columns) - len(params)
	selects := make([]string, 0, len(query.Rows)+1)
	row := func(values func(i int) string) string {
		list := make([]string, literals)
		for i := range list {
			list[i] = values(i) + " AS " + d.quote + query.Columns[i].Name + d.quote
		}
		return "SELECT " + strings.Join(list, ", ")
	}
	for _, values := range query.Rows {
		selects = append(selects, row(func(i int) string { return d.literal(&query.Columns[i], values[i]) }))
	}
	if len(selects) == 0 { // the types of no rows
		empty := row(func(i int) string {
			if query.Columns[i].Type.IsArray() {
				return d.list(&query.Columns[i], nil)
			}
			return d.literal(&query.Columns[i], nil)
		})
		selects = append(selects, "SELECT * FROM ("+empty+") WHERE false")
	}
	columns := make([]string, 0, len(params)+1)
	columns = append(columns, "generated.*")
	for i, param := range params {
		columns = append(columns, d.param(&param.Param)+" AS "+d.quote+query.Columns[literals+i].Name+d.quote)
	}
	return "SELECT " + strings.Join(columns, ", ") + "\nFROM (\n" + strings.Join(selects, "\nUNION ALL\n") + "\n) AS generated\nWHERE " + d.param(&sqlq.Param{Name: sqlq.NowParam, Type: sqlq.String}) + " IS NOT NULL\nORDER BY generated.position\n"
}

// columns returns random columns of an object at a depth.
func (g *generator) columns(depth int) []sqlq.Column {
	const maxDepth = 3
	columns := make([]sqlq.Column, 1+g.IntN(4))
	for i := range columns {
		column := sqlq.Column{Name: g.name([]string{"_"}, i), Type: pick(g, g.options.ColumnTypes), Nullable: g.IntN(2) == 0}
		if g.IntN(6) == 0 {
			column.Deprecated = "Use another."
		}
		if depth < maxDepth && g.IntN(4) == 0 {
			column.Type, column.Fields = sqlq.Struct, g.columns(depth+1)
		}
		for arrays := g.IntN(3); arrays > 0; arrays-- {
			if column.Type.IsArray() && !g.options.ArraysOfArrays {
				break
			}
			column.Type, column.Nullable = sqlq.ArrayOf(column.Type), false
		}
		columns[i] = column
	}
	return columns
}

// name returns a name of random words, which ends in a number that makes it unique.
func (g *generator) name(separators []string, number int) string {
	words := []string{"order", "group", "type", "query", "input", "on", "true", "null", "select", "from", "user", "id", "a", "x1", "enum", "fragment"}
	var name strings.Builder
	name.WriteString(pick(g, words))
	for range g.IntN(3) {
		name.WriteString(pick(g, separators) + pick(g, words))
	}
	return fmt.Sprintf("%sn%d", name.String()+pick(g, separators), number)
}

// description returns a description that is awkward to quote.
func (g *generator) description() string {
	return pick(g, []string{"Plain.", `'It has "quotes", a \ and """three""".'`, `"Two\nlines."`, "'# no comment: é 😀'"})
}

func columnsYAML(indent string, columns []sqlq.Column) string {
	var yaml strings.Builder
	for _, column := range columns {
		_, _ = fmt.Fprintf(&yaml, "%s- name: '%s'\n%s  type: %s\n%s  description: A column.\n", indent, column.Name, indent, column.Type, indent)
		if !column.Type.IsArray() {
			_, _ = fmt.Fprintf(&yaml, "%s  nullable: %t\n", indent, column.Nullable)
		}
		if column.Deprecated != "" {
			yaml.WriteString(indent + "  deprecated: " + column.Deprecated + "\n")
		}
		if column.Fields != nil {
			yaml.WriteString(indent + "  fields:\n" + columnsYAML(indent+"    ", column.Fields))
		}
	}
	return yaml.String()
}
