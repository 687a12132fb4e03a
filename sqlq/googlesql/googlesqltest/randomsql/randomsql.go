// Package randomsql generates queries of GoogleSQL that are well-typed, from a grammar of what the translation supports,
// over tables of logs and constants.
package randomsql

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// Query is a query and what is known of its result.
type Query struct {
	SQL     string
	Columns []sqlq.Column
	// IsOrdered means that ORDER BY decides the place of each row.
	IsOrdered bool
}

// deepest is how deep expressions are nested.
const deepest = 3

// generator generates one query.
type generator struct {
	random   *rand.Rand
	grammar  map[string][]string
	words    map[string][]string
	emulated bool
	aliases  int
}

// column is an expression that can be read, and its type.
type column struct{ sql, typ string }

// New returns the query of a seed. If it is for the emulator of BigQuery, it has nothing that this gets wrong.
func New(seed uint64, emulated bool) Query {
	g := &generator{
		random:  rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // The same query for the same seed.
		grammar: withoutFaults(grammar(), emulated), words: withoutFaults(words(), emulated), emulated: emulated,
	}
	columns, sql := g.query(2)
	query := Query{SQL: sql}
	for _, c := range columns {
		query.Columns = append(query.Columns, sqlq.Column{Name: c.sql, Type: sqlq.Type(c.typ), Nullable: !strings.HasPrefix(c.typ, "ARRAY")})
	}
	if strings.Contains(sql, "\nFROM") && g.chance(50) { // there is no order without FROM
		query.IsOrdered = true
		query.SQL = g.ordered(columns, query.SQL)
	}
	return query
}

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

func (g *generator) pick(from ...string) string { return from[g.random.IntN(len(from))] }

func (g *generator) alias(prefix string) string {
	g.aliases++
	return fmt.Sprintf("%s%d", prefix, g.aliases)
}

// types are the types of columns. Values of each can be ordered.
func (g *generator) typ() string {
	return g.pick("BOOL", "INT64", "INT64", "FLOAT64", "STRING", "STRING", "STRING", "TIMESTAMP", "DATE", "DATETIME")
}

var nonterminal = regexp.MustCompile(`\{[A-Z0-9<>]*(:[a-z]+)?\}`)

// expression returns an expression of a type, which can read the columns.
func (g *generator) expression(typ string, columns []column, depth int) string {
	base, _, isNarrow := strings.Cut(typ, ":")
	fitting := slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.typ != base })
	if isNarrow {
		fitting = nil
	}
	productions := g.grammar[typ]
	switch {
	case len(fitting) > 0 && g.chance(40):
		return fitting[g.random.IntN(len(fitting))].sql
	case depth <= 0 || len(productions) == 0 || g.chance(15):
		return g.pick(g.words[typ]...)
	}
	production := g.pick(productions...)
	sql := nonterminal.ReplaceAllStringFunc(production, func(name string) string {
		return g.expression(name[1:len(name)-1], columns, depth-1)
	})
	if strings.ContainsAny(production, " ") && !strings.HasSuffix(production, ")") || strings.HasPrefix(production, "{") || strings.ContainsAny(production[:1], "-~") {
		return "(" + sql + ")"
	}
	return sql
}

// ordered adds an order that decides the place of each row, and maybe a limit.
func (g *generator) ordered(columns []column, sql string) string {
	items := make([]string, len(columns))
	for i := range columns {
		items[i] = strconv.Itoa(i+1) + g.pick("", " DESC", "", " ASC", " DESC NULLS FIRST", " NULLS LAST")
	}
	sql += "\nORDER BY " + strings.Join(items, ", ")
	if g.chance(50) {
		sql += "\nLIMIT " + g.pick("0", "1", "2", "3", "5")
		if g.chance(40) {
			sql += " OFFSET 1"
		}
	}
	return sql
}

// query returns a query, and its columns.
func (g *generator) query(depth int) ([]column, string) {
	kinds := []func(int) ([]column, string){g.plain, g.rows, g.rows, g.groups, g.groups, g.windows}
	if depth > 0 {
		kinds = append(kinds, g.union, g.common)
	}
	return kinds[g.random.IntN(len(kinds))](depth)
}

// items returns columns of a SELECT with random types, and the list of them.
func (g *generator) items(readable []column) (columns []column, list []string) {
	for i := range 1 + g.random.IntN(3) {
		c := column{fmt.Sprintf("c%d", i), g.typ()}
		x := g.expression(c.typ, readable, deepest)
		if slices.ContainsFunc(list, func(item string) bool { return strings.HasPrefix(item, x+" AS ") }) { // the emulator mistakes one for the other
			x = "(CASE WHEN TRUE THEN " + x + " END)"
		}
		columns = append(columns, c)
		list = append(list, x+" AS "+c.sql)
	}
	return columns, list
}

func (g *generator) plain(int) ([]column, string) {
	columns, list := g.items(nil)
	return columns, "SELECT " + strings.Join(list, ", ")
}

func (g *generator) rows(depth int) ([]column, string) {
	readable, from := g.from(depth)
	columns, list := g.items(readable)
	sql := strings.Join(list, ", ") + from
	if g.chance(15) {
		sql = "DISTINCT " + sql
	}
	return columns, "SELECT " + sql + g.where(readable)
}

func (g *generator) where(readable []column) string {
	if g.chance(50) {
		return ""
	}
	return "\nWHERE " + g.expression("BOOL", readable, 2)
}

// groups groups rows.
func (g *generator) groups(depth int) ([]column, string) {
	readable, from := g.from(depth)
	from += g.where(readable)
	var columns []column
	var list, by []string
	for i := range g.random.IntN(3) {
		c := column{fmt.Sprintf("k%d", i), g.pick("STRING", "INT64", "DATE", "BOOL", "TIMESTAMP")}
		columns = append(columns, c)
		list = append(list, g.expression(c.typ, readable, 1)+" AS "+c.sql)
		by = append(by, g.pick(c.sql, strconv.Itoa(i+1)))
	}
	for i := range 1 + g.random.IntN(3) {
		typ, sql := g.aggregate(readable)
		c := column{fmt.Sprintf("a%d", i), typ}
		columns = append(columns, c)
		list = append(list, sql+" AS "+c.sql)
	}
	sql := "SELECT " + strings.Join(list, ", ") + from
	if len(by) > 0 {
		list := strings.Join(by, ", ")
		if g.chance(10) {
			list = "ROLLUP (" + list + ")"
		}
		sql += "\nGROUP BY " + list
		if g.chance(25) {
			_, aggregate := g.aggregate(readable)
			sql += "\nHAVING " + g.pick(aggregate+" IS NOT NULL", "COUNT(*) > 1", "COUNT(*) <= 2")
		}
	}
	return columns, sql
}

// aggregates are aggregates with the types of their results.
func aggregates() []column {
	return []column{
		{"COUNT(*)", "INT64"},
		{"COUNT({STRING})", "INT64"},
		{"COUNT(DISTINCT {INT64})", "INT64"},
		{"COUNTIF({BOOL})", "INT64"},
		{"SUM({INT64:little})", "INT64"},
		{"SUM({FLOAT64})", "FLOAT64"},
		{"AVG({FLOAT64})", "FLOAT64"},
		{"AVG({INT64:little})", "FLOAT64"},
		{"MIN({STRING})", "STRING"},
		{"MAX({INT64})", "INT64"},
		{"MAX({TIMESTAMP})", "TIMESTAMP"},
		{"MIN({DATE})", "DATE"},
		{"LOGICAL_OR({BOOL})", "BOOL"},
		{"LOGICAL_AND({BOOL})", "BOOL"},
		{"STRING_AGG({STRING}, '|' ORDER BY {STRING})", "STRING"},
		{"ARRAY_LENGTH(ARRAY_AGG({STRING} IGNORE NULLS))", "INT64"},
		{"APPROX_COUNT_DISTINCT({STRING})", "INT64"},
		{"BIT_XOR({INT64})", "INT64"},
		{"BIT_AND({INT64})", "INT64"},
		{"BIT_OR({INT64})", "INT64"},
		{"IFNULL(SUM(LENGTH({STRING})), -1)", "INT64"},
		{"MAX({STRING})", "STRING"},
		{"MIN({FLOAT64})", "FLOAT64"},
		{"SUM(IF({BOOL}, 1, 0))", "INT64"},
		{"COUNT(DISTINCT {STRING})", "INT64"},
	}
}

func (g *generator) aggregate(readable []column) (typ, sql string) {
	all := aggregates()
	aggregate := all[g.random.IntN(len(all))]
	if strings.HasPrefix(aggregate.sql, "STRING_AGG") { // by itself, so that rows alike have the same place
		of := "LOWER(" + g.expression("STRING", readable, 1) + ")" // a constant gives no order
		return "STRING", "STRING_AGG(" + of + ", '|' ORDER BY " + of + g.pick("", " DESC") + ")"
	}
	return aggregate.typ, nonterminal.ReplaceAllStringFunc(aggregate.sql, func(name string) string {
		return g.expression(name[1:len(name)-1], readable, 2)
	})
}

// windows adds window functions to rows, in an order that decides the place of each.
func (g *generator) windows(depth int) ([]column, string) {
	inner, sql := g.rows(min(depth, 1))
	name := g.alias("n")
	readable := qualified(name, inner)
	var order []string
	for _, c := range readable {
		order = append(order, c.sql+g.pick("", " DESC"))
	}
	isPartitioned, by := g.chance(40), g.expression("BOOL", readable, 1)
	over := " OVER (ORDER BY " + strings.Join(order, ", ")
	if isPartitioned {
		over = " OVER (PARTITION BY " + by + " ORDER BY " + strings.Join(order, ", ")
	}
	ranked := over + ")"
	frame := over + g.pick("", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", " ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING") + ")"
	functions := []column{
		{"ROW_NUMBER()" + ranked, "INT64"},
		{"RANK()" + ranked, "INT64"},
		{"DENSE_RANK()" + ranked, "INT64"},
		{"NTILE(2)" + ranked, "INT64"},
		{"PERCENT_RANK()" + ranked, "FLOAT64"},
		{"CUME_DIST()" + ranked, "FLOAT64"},
		{"LAG(" + readable[0].sql + ")" + ranked, readable[0].typ},
		{"LEAD(" + readable[0].sql + ", 2)" + ranked, readable[0].typ},
		{"FIRST_VALUE(" + readable[0].sql + ")" + frame, readable[0].typ},
		{"LAST_VALUE(" + readable[0].sql + ")" + frame, readable[0].typ},
		{"COUNT(*)" + frame, "INT64"},
		{"COUNT(" + readable[0].sql + ")" + frame, "INT64"},
		{"SUM(" + g.expression("INT64:little", readable, 1) + ")" + frame, "INT64"},
	}
	if !g.emulated {
		functions = append(functions, column{"LAST_VALUE(" + readable[0].sql + " IGNORE NULLS)" + frame, readable[0].typ}, column{"MAX(" + readable[0].sql + ")" + frame, readable[0].typ})
	}
	list, columns := []string{name + ".*"}, slices.Clone(inner)
	for i := range 1 + g.random.IntN(2) {
		function := functions[g.random.IntN(len(functions))]
		columns = append(columns, column{fmt.Sprintf("w%d", i), function.typ})
		list = append(list, function.sql+fmt.Sprintf(" AS w%d", i))
	}
	out := "SELECT " + strings.Join(list, ", ") + "\nFROM (\n" + sql + "\n) AS " + name
	if g.chance(30) {
		out += "\nWHERE TRUE QUALIFY ROW_NUMBER()" + ranked + g.pick(" = 1", " <= 2", " > 1")
	}
	return columns, out
}

// union puts two queries with the same types together.
func (g *generator) union(depth int) ([]column, string) {
	readable, from := g.from(depth - 1)
	columns, left := g.items(readable)
	sql := "(SELECT " + strings.Join(left, ", ") + from + g.where(readable) + ")"
	readable, from = g.from(0)
	var right []string
	for i, c := range columns {
		right = append(right, g.expression(c.typ, readable, 2)+" AS "+fmt.Sprintf("other%d", i))
	}
	return columns, sql + "\n" + g.pick("UNION ALL", "UNION ALL", "UNION DISTINCT", "INTERSECT DISTINCT", "EXCEPT DISTINCT") + "\n(SELECT " + strings.Join(right, ", ") + from + g.where(readable) + ")"
}

// common reads a common table expression, alone or joined with itself.
func (g *generator) common(depth int) ([]column, string) {
	inner, sql := g.query(depth - 1)
	name := g.alias("t")
	readable, from := qualified(name, inner), "\nFROM "+name
	if g.chance(40) {
		other := g.alias("o")
		from = "\nFROM " + name + " " + g.pick("JOIN", "LEFT JOIN") + " " + name + " AS " + other + " ON " + name + "." + inner[0].sql + " = " + other + "." + inner[0].sql
		readable = append(readable, qualified(other, inner)...)
	}
	columns, list := g.items(readable)
	if g.chance(30) {
		list[0], columns[0] = "(SELECT COUNT(*) FROM "+name+") AS c0", column{"c0", "INT64"}
	}
	return columns, "WITH " + name + " AS (\n" + sql + "\n)\nSELECT " + strings.Join(list, ", ") + from + g.where(readable)
}

// qualified returns the columns of a query behind its alias.
func qualified(alias string, columns []column) []column {
	columns = slices.Clone(columns)
	for i := range columns {
		columns[i].sql = alias + "." + columns[i].sql
	}
	return columns
}

// from returns a FROM clause, and the columns that can be read from it.
func (g *generator) from(depth int) ([]column, string) {
	if depth > 0 && g.chance(20) {
		inner, sql := g.query(depth - 1)
		name := g.alias("s")
		return qualified(name, inner), "\nFROM (\n" + sql + "\n) AS " + name
	}
	logs := []column{{"id", "STRING"}, {"timestamp", "TIMESTAMP"}, {"event_message", "STRING"}, {"project", "STRING"}}
	m := []column{{"m.region", "STRING"}, {"CAST(m.size AS INT64)", "INT64"}, {"CAST(m.ratio AS FLOAT64)", "FLOAT64"}, {"m.region", "STRING"}, {"m.size", "INT64"}, {"m.ratio", "FLOAT64"}}
	request := []column{{"r.method", "STRING"}, {"r.path", "STRING"}, {"CAST(r.time AS FLOAT64)", "FLOAT64"}}
	join := g.pick("CROSS JOIN", "LEFT JOIN")
	if g.emulated { // it takes LEFT JOIN without ON for CROSS JOIN
		join = "CROSS JOIN"
	}
	switch g.random.IntN(7) {
	case 0:
		return logs, "\nFROM edge_logs"
	case 1:
		return slices.Concat(logs, m), "\nFROM edge_logs " + join + " UNNEST(metadata) AS m"
	case 2:
		return slices.Concat(logs, m, request), "\nFROM edge_logs " + join + " UNNEST(metadata) AS m " + join + " UNNEST(m.request) AS r"
	case 3:
		return slices.Concat(logs, m, request, []column{{"o", "INT64"}}), "\nFROM edge_logs CROSS JOIN UNNEST(metadata) AS m " + join + " UNNEST(m.request) AS r WITH OFFSET AS o"
	case 4:
		return append(logs, column{"tag", "STRING"}), "\nFROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.tags) AS tag"
	case 5:
		x, o := g.alias("x"), g.alias("o")
		element := g.pick("INT64", "STRING")
		return []column{{x, element}, {o, "INT64"}}, "\nFROM UNNEST(" + g.expression("ARRAY<"+element+">", nil, 1) + ") AS " + x + " WITH OFFSET AS " + o
	}
	return []column{{"v.i", "INT64"}, {"v.f", "FLOAT64"}, {"v.s", "STRING"}, {"v.b", "BOOL"}, {"v.d", "DATE"}, {"v.t", "TIMESTAMP"}, {"v.l", "ARRAY<INT64>"}},
		"\nFROM UNNEST([STRUCT(1 AS i, 1.5 AS f, 'a' AS s, TRUE AS b, DATE '2024-02-29' AS d, TIMESTAMP '2024-02-29 23:59:59.999999+00' AS t, [1, 2] AS l)," +
			" (-5, -0.25, 'ä', FALSE, DATE '1969-12-31', TIMESTAMP '1970-01-01 00:00:00+00', [3]), (NULL, NULL, NULL, NULL, NULL, NULL, ARRAY<INT64>[]), (1, 1000.25, '', NULL, DATE '2024-02-29', NULL, [NULL, 0])]) AS v"
}
