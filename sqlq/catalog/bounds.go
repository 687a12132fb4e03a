package catalog

import (
	"cmp"
	"maps"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// findUnbounded reports the tables that are read without the bounds of a series, and the bounds that
// are not those of [sqlq.Series]: a row belongs to its bucket if its timestamp is at or after from, and
// before to. It also reports tables that are related to others by something else than the bucket, whose column has
// the name.
func findUnbounded(dialect sqlq.Dialect, sql, bucket string, obstacle func(use sqltext.Use, format string, args ...any)) {
	scan := &boundsScan{prefix: dialect.ParamPrefix(), tokens: sqltext.Tokens(dialect, sql), bucket: bucket, obstacle: obstacle}
	scan.pairBrackets()
	scan.report(scan.query(span{0, len(scan.tokens)}, nil, nil).unbounded)
	scan.reportWindows()
	scan.reportOtherBuckets()
}

// boundsScan finds where the SQL of a series reads more than the rows between its bounds. It knows no
// more of the language than brackets, clauses and the conditions that it looks for. What it does not
// understand is an obstacle: such a saved query runs whole, which is slower and not wrong.
type boundsScan struct {
	prefix string
	tokens []sqltext.Token
	// closing has for each bracket, and each CASE, the index of the token that closes it, and for each
	// other token its own index.
	closing []int
	// bucket is the name of the column with the start of the bucket.
	bucket string
	// lists is in how many calls of functions that make lists of buckets the scan is.
	lists int
	// constant are where clauses of queries begin that read neither tables nor bounds.
	constant []int
	// joined reports whether rows depend on others of an equal bucket, and relates whether rows meet others at all: in
	// joins, set operations and windows.
	joined, relates bool
	obstacle        func(use sqltext.Use, format string, args ...any)
}

// span is a range of tokens.
type span struct{ first, end int }

// selection is a SELECT with its clauses.
type selection struct {
	// outer is the selection around it, whose columns it can use; nil if there is none.
	outer   *selection
	sources []*source
	// wholeRows reports whether its rows are those of its source with their timestamp, so that bounds can
	// be around it as well as in it.
	wholeRows bool
	// inValues is the first table that a query in an expression reads; nil if there is none.
	inValues *sqltext.Use
}

// source is what a selection reads: a table, or something else.
type source struct {
	// name is what qualifies its columns.
	name string
	reading
	// lower and upper report whether there are bounds on its timestamp.
	lower, upper bool
	// related is its table if it follows a comma after another table, and onBucket reports whether a condition joins it
	// to an earlier source on the bucket.
	related  *sqltext.Use
	onBucket bool
}

// reading is what a query reads.
type reading struct {
	// unbounded are the tables that have no bounds yet.
	unbounded []sqltext.Use
	// table is the first table, with bounds or without; nil if there is none.
	table *sqltext.Use
}

// add adds what another part of a query reads.
func (r *reading) add(other reading) {
	r.unbounded = append(r.unbounded, other.unbounded...)
	r.table = cmp.Or(r.table, other.table)
}

// names are the common table expressions that can be read in a place. Each has the first table that it reads; nil if
// there is none.
type names map[string]*sqltext.Use

// pairBrackets sets closing.
func (b *boundsScan) pairBrackets() {
	b.closing = make([]int, len(b.tokens))
	var open []int
	for i := range b.tokens {
		b.closing[i] = i
		switch last := len(open) - 1; {
		case b.is(i, "(", "[", "{"), b.is(i, "case") && !b.is(i-1, ".", "as"):
			b.closing[i] = len(b.tokens)
			open = append(open, i)
		case b.is(i, "end") && !b.is(i-1, ".", "as") && last >= 0 && b.is(open[last], "case"):
			b.closing[open[last]] = i
			open = open[:last]
		case b.is(i, ")", "]", "}"):
			for last >= 0 && b.is(open[last], "case") {
				last--
			}
			if last >= 0 {
				b.closing[open[last]] = i
			}
			open = open[:max(last, 0)]
		}
	}
	for i, closing := range b.closing {
		if closing == len(b.tokens) {
			b.obstacle(b.tokens[i].Use, "%s is not closed", strings.ToUpper(b.tokens[i].Name))
		}
	}
}

// next returns the index of the token that follows one, or follows the bracket that it opens.
func (b *boundsScan) next(i int) int { return b.closing[i] + 1 }

// inside returns what is in the bracket at an index.
func (b *boundsScan) inside(open int) span { return span{open + 1, b.closing[open]} }

// is reports whether there is a token at an index that is one of these keywords or symbols.
func (b *boundsScan) is(index int, names ...string) bool {
	return index >= 0 && index < len(b.tokens) && b.tokens[index].Is(names...)
}

// isName reports whether there is a name, or a keyword, at an index.
func (b *boundsScan) isName(index int) bool {
	if index < 0 || index >= len(b.tokens) {
		return false
	}
	token := &b.tokens[index]
	return token.Kind == sqltext.Quoted || token.Kind == sqltext.Plain && sqltext.NameLength(token.Name) == len(token.Name)
}

// isQuery reports whether a query begins at an index.
func (b *boundsScan) isQuery(index int) bool {
	return b.is(index, "select", "with", "from", "values") || b.isTableStatement(index)
}

// isTableStatement reports whether a query without SELECT begins at an index, such as TABLE edge_logs.
func (b *boundsScan) isTableStatement(index int) bool {
	return b.is(index, "table", "pivot", "pivot_wider", "pivot_longer", "unpivot", "summarize", "describe") &&
		(b.isName(index+1) || b.is(index+1, "("))
}

// report reports tables that are read without bounds.
func (b *boundsScan) report(tables []sqltext.Use) {
	for _, table := range tables {
		b.obstacle(table, "%s is read without the bounds; add timestamp >= %[2]sfrom AND timestamp < %[2]sto where it is read", table.Name, b.prefix)
	}
}

// query scans a query: one selection, or several with UNION between them. It returns the tables that
// need bounds around the query, and reports those that no bounds around it can help.
func (b *boundsScan) query(in span, outer *selection, visible names) (read reading) {
	selections := make([][]span, 1) // the clauses of each
	for i := in.first; i < in.end; {
		clause := span{i, b.clauseEnd(i, in.end)}
		last := len(selections) - 1
		switch {
		case b.is(i, "with") && last+len(selections[last]) == 0:
			visible = b.commonTables(span{i + 1, clause.end}, outer, visible)
		case b.is(i, "union", "intersect", "except"):
			selections = append(selections, nil)
			b.relates = true
			b.joined = b.joined || !b.is(i, "union")
			read.table = cmp.Or(read.table, b.expression(span{i + 1, clause.end}, outer, visible)) // a query in brackets
		default:
			selections[last] = append(selections[last], clause)
		}
		i = clause.end
	}
	for _, clauses := range selections {
		read.add(b.selection(clauses, len(selections) == 1, outer, visible))
	}
	if last := selections[len(selections)-1]; read.table == nil && b.isConstant(in, visible) {
		for _, clause := range last {
			b.constant = append(b.constant, clause.first)
		}
	}
	return read
}

// selection scans the clauses of a selection, which can be alone in its query. It returns the tables that need
// bounds around it, and reports those that no bounds around it can help.
func (b *boundsScan) selection(clauses []span, alone bool, outer *selection, visible names) (read reading) {
	current := &selection{outer: outer, wholeRows: true}
	for _, clause := range clauses { // others use what is read
		if b.is(clause.first, "from") || b.isTableStatement(clause.first) {
			b.from(span{clause.first + 1, clause.end}, current, visible)
		}
	}
	for i, clause := range clauses {
		rest := span{clause.first + 1, clause.end}
		switch {
		case b.is(clause.first, "from"):
		case b.isTableStatement(clause.first):
			current.wholeRows = false
		case b.is(clause.first, "where"):
			b.condition(rest, current, 0, visible)
		case b.is(clause.first, "select"):
			current.wholeRows = current.wholeRows && b.keepsRows(rest, alone, current)
			b.value(rest, current, visible)
		case b.is(clause.first, "("): // a query in brackets
			current.wholeRows = false
			read.table = cmp.Or(read.table, b.expression(clause, current, visible))
		default:
			current.wholeRows = false
			if i == 0 && !b.is(clause.first, laterClauses()...) {
				b.obstacle(b.tokens[clause.first].Use, "this is not understood; begin with WITH or SELECT")
			}
			b.value(clause, current, visible)
		}
	}
	read.table = cmp.Or(read.table, tableOf(current.sources), current.inValues)
	for _, source := range current.sources {
		if source.onBucket {
			b.noteJoin(&source.related)
		}
		b.reportRelated(source.related)
		if !source.lower || !source.upper {
			read.unbounded = append(read.unbounded, source.unbounded...)
		}
	}
	if !current.wholeRows || len(current.sources) != 1 {
		b.report(read.unbounded)
		read.unbounded = nil
	}
	return read
}

// tableOf returns the first table that one of the sources reads; nil if there is none.
func tableOf(sources []*source) *sqltext.Use {
	for _, source := range sources {
		if source.table != nil {
			return source.table
		}
	}
	return nil
}

// laterClauses are the clauses that say nothing of what is read.
func laterClauses() []string {
	return []string{"group", "having", "order", "window", "qualify", "limit", "values"}
}

// clauseEnd returns where the clause that begins at an index ends. It reports OFFSET and what ends no clause.
func (b *boundsScan) clauseEnd(first, end int) int {
	i := b.next(first)
	for ; i < end; i = b.next(i) {
		switch {
		case b.is(i-1, "."):
		case b.is(i, "select", "where", "union", "intersect"), b.is(i, laterClauses()...):
			return i
		case b.is(i, "from") && (!b.is(i-1, "distinct") || !b.is(i-2, "is", "not")):
			return i
		case b.is(i, "except") && !b.is(i-1, "*"):
			return i
		case b.isTableStatement(i) && (b.is(i-1, "union", "intersect", "except", "all") || b.is(first, "with") && b.is(i-1, ")")):
			return i
		case b.is(first, "with") && b.is(i-1, ")") && b.is(i, "(") && b.isQuery(i+1):
			return i
		case b.is(i, "offset") && i+1 < end && (b.tokens[i+1].Kind == sqltext.Parameter || b.isNumber(i+1) || b.is(i+1, "(")):
			b.obstacle(b.tokens[i].Use, "OFFSET cuts off rows, and which ones depends on other buckets")
		case b.is(i, "|") && b.is(i+1, ">") && !b.is(i-1, "|"):
			b.obstacle(b.tokens[i].Use, "the pipe syntax |> is not understood; write SELECT … FROM … WHERE")
			return end
		}
	}
	return min(i, end)
}

// isNumber reports whether there is a number at an index.
func (b *boundsScan) isNumber(index int) bool {
	return b.tokens[index].Kind == sqltext.Plain && b.tokens[index].Name[0] <= '9'
}

// keepsRows reports whether a SELECT returns the timestamp of its rows as it is: with *, or by its name if it is
// alone in its query, because UNION goes by the position of columns.
func (b *boundsScan) keepsRows(list span, alone bool, current *selection) bool {
	kept, start := 0, list.first
	if b.is(start, "distinct", "all") {
		start++
	}
	for i := start; i <= list.end; i++ {
		if i < list.end && !b.is(i, ",") {
			i = b.closing[i]
			continue
		}
		last := i - 1
		if b.is(start+1, ":") && !b.is(start+2, ":") { // DuckDB has alias: expression
			return false
		}
		if b.is(last, "*") || b.nameAt(last) == "timestamp" {
			qualified := last == start+2 && b.is(start+1, ".") && len(current.sources) == 1 && b.nameAt(start) == current.sources[0].name
			if kept > 0 || last != start && !qualified || !alone && !b.is(last, "*") {
				return false
			}
			kept++
		}
		start = i + 1
	}
	return kept == 1
}

// commonTables scans the common table expressions of WITH. It returns the names that can be read after
// them. The bounds of each must be in it.
func (b *boundsScan) commonTables(list span, outer *selection, visible names) names {
	inner := make(names)
	maps.Copy(inner, visible)
	for start := list.first; start < list.end; {
		if b.is(start, "recursive") {
			start++
		}
		end := start
		for end < list.end && !b.is(end, ",") {
			end = b.next(end)
		}
		inner[b.nameAt(start)] = b.expression(span{start, end}, outer, inner)
		start = end + 1
	}
	return inner
}

// value scans an expression whose value becomes a part of the rows. If it reads a table and the selection does,
// too, they are related by something that the scan does not understand.
func (b *boundsScan) value(in span, current *selection, visible names) {
	table := b.expression(in, current, visible)
	if table != nil && tableOf(current.sources) != nil {
		b.obstacle(*table, "%s is read in an expression beside another table, so its rows can be those of other buckets; join what is grouped by bucket, as in USING (%s)", table.Name, b.bucket)
	}
	b.relates = b.relates || table != nil && len(current.sources) > 0
	current.inValues = cmp.Or(current.inValues, table)
}

// expression scans what is neither a condition nor a list of sources. Queries in it have their own bounds. It
// returns the first table that they read; nil if there is none.
func (b *boundsScan) expression(in span, current *selection, visible names) (table *sqltext.Use) {
	for i := in.first; i < min(in.end, len(b.tokens)); {
		next := b.skipBound(i)
		switch {
		case next > i:
			i = next
		case b.is(i, "(") && b.isQuery(i+1):
			lists := b.lists
			b.lists = 0 // the query has values of its own
			read := b.query(b.inside(i), current, visible)
			b.lists = lists
			b.report(read.unbounded)
			table = cmp.Or(table, read.table)
			i = b.next(i)
		case b.is(i, "("):
			table = cmp.Or(table, b.arguments(i, current, visible))
			i = b.next(i)
		default:
			i++
		}
	}
	return table
}

// arguments scans what is in the brackets at an index. Those of a function that makes a list of buckets can have
// the bounds.
func (b *boundsScan) arguments(open int, current *selection, visible names) (table *sqltext.Use) {
	if b.is(open-1, listFunctions()...) {
		b.lists++
		defer func() { b.lists-- }()
	}
	return b.expression(b.inside(open), current, visible)
}

// listFunctions are the functions that make lists of buckets.
func listFunctions() []string {
	return []string{"generate_series", "range", "unnest", "generate_timestamp_array", "generate_date_array"}
}

// nameAt returns the name at an index; empty if there is none.
func (b *boundsScan) nameAt(index int) string {
	if !b.isName(index) {
		return ""
	}
	return b.tokens[index].Name
}
