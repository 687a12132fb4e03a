// Package shape decides whether the rows of a series can be reused (D31): whether the shape of its SQL
// shows that the rows of a bucket depend on nothing but the rows of the tables in the bucket.
//
// The tables hold only rows of the range that is computed ([sqlq.Dialect]). So it suffices that rows
// of different buckets never meet. Each relation of the SQL is constant, or its rows belong to buckets
// and some of its columns tell which. What is allowed keeps rows of different buckets apart:
//
//   - SELECT with expressions of one row, WHERE, DISTINCT and ORDER BY
//   - GROUP BY and PARTITION BY with one of these columns
//   - JOIN of such relations on such columns, and of one with constants
//   - UNION ALL
//   - lists of the buckets from $from to $to
//
// Everything else is an obstacle.
package shape

import (
	"context"
	"maps"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
	"savedq/sqlq/sqltree"
)

// Find sets the tables and the obstacles of a series, whose SQL has been parsed from a text. It reports
// whether all of its tables can be bounded.
func Find(ctx context.Context, db sqltree.Database, tree sqltree.Node, text sqltext.Rewritten, query *sqlq.SavedQuery) (bounded bool) {
	s := &search{buckets: newBuckets(ctx, db, query), text: text, query: query}
	series := query.Series
	s.findTables(tree)
	result := s.rows(tree, nil)                                //nolint:contextcheck // buckets has it.
	name := strings.ToLower(query.Columns[series.Column].Name) // as names in the tree
	if found := result.column(name); found != bucket {
		s.obstacle(tree, "%s is not the start of the bucket; compute it from timestamp, as with date_trunc or time_bucket, as wide as the windows declare", name)
	}
	tree.Walk(func(node sqltree.Node) bool {
		function := node.Name("function_name")
		series.Approximate = series.Approximate || strings.HasPrefix(function, "approx_") || strings.HasPrefix(function, "reservoir_")
		return true
	})
	series.Obstacles.Sort()
	return !s.unbounded
}

// search looks for obstacles in a tree.
type search struct {
	buckets *buckets
	text    sqltext.Rewritten
	query   *sqlq.SavedQuery
	// offset is where the node in the search, or one around it, is.
	offset int
	// unbounded reports whether a table cannot be bounded.
	unbounded bool
}

// obstacle adds what prevents reuse, at the place of a node.
func (s *search) obstacle(node sqltree.Node, format string, args ...any) {
	s.enter(node)
	line, column := s.text.Place(s.offset)
	place := s.query.PlaceInSQL(line, column)
	s.query.Series.Obstacles = append(s.query.Series.Obstacles, place.Mistakef("rows of the series cannot be reused: "+format, args...))
}

// enter sets the offset to a node's, if it is known.
func (s *search) enter(node sqltree.Node) {
	if offset, ok := node.Offset(); ok && offset <= len(s.text.Text) {
		s.offset = offset
	}
}

// findTables finds the tables that can be bounded: those that are named without a schema, and
// differently from common table expressions.
func (s *search) findTables(tree sqltree.Node) {
	common := make(map[string]bool)
	tree.Walk(func(node sqltree.Node) bool {
		for _, table := range sqltree.CommonTables(node) {
			common[table.Name] = true
		}
		return true
	})
	spelling := make(map[string]string)
	for _, table := range sqltree.Tables(tree) {
		name, folded := table.Text("table_name"), table.Name("table_name")
		switch spelled, seen := spelling[folded]; {
		case table.Text("schema_name") != "": // see search.table
		case common[folded]:
			s.obstacle(table, "a common table expression has the name of the table %s; give it another one", name)
			s.unbounded = true
		case seen && spelled != name:
			s.obstacle(table, "the table is named %s and %s; spell it in one way", spelled, name)
			s.unbounded = true
		default:
			spelling[folded] = name
		}
	}
	s.query.Series.Tables = slices.Sorted(maps.Values(spelling))
}

// rows returns the rows of a query: a SELECT, or several with UNION ALL.
func (s *search) rows(node sqltree.Node, visible map[string]*relation) *relation {
	visible = maps.Clone(visible)
	if visible == nil {
		visible = make(map[string]*relation)
	}
	for _, common := range sqltree.CommonTables(node) {
		visible[common.Name] = s.rows(common.Query, visible).renamed(common.Columns)
	}
	var rows *relation
	switch node.Type() {
	case "SELECT_NODE":
		rows = s.selection(node, visible)
	case "SET_OPERATION_NODE":
		left, right := s.rows(node.Child("left"), visible), s.rows(node.Child("right"), visible)
		rows = left.union(right)
		if rows.timed && (node.Text("setop_type") != "UNION" || !node.Flag("setop_all")) {
			s.obstacle(node, "%s compares rows of different buckets; use UNION ALL", strings.ReplaceAll(node.Text("setop_type"), "_", " "))
		}
	default:
		return s.unknown(node, "this")
	}
	s.modifiers(node, rows)
	return rows
}

// unknown reports what is not on the list.
func (s *search) unknown(node sqltree.Node, what string) *relation {
	s.obstacle(node, "%s can relate rows of different buckets", what)
	for _, table := range sqltree.Tables(node) {
		s.unbounded = s.unbounded || table.Text("schema_name") != ""
	}
	return &relation{timed: true}
}

// modifiers searches DISTINCT, ORDER BY and LIMIT.
func (s *search) modifiers(node sqltree.Node, rows *relation) {
	for _, modifier := range node.List("modifiers") {
		kind := modifier.Type()
		switch {
		case kind == "ORDER_MODIFIER", !rows.timed:
		case kind == "DISTINCT_MODIFIER" && len(modifier.List("distinct_on_targets")) == 0:
		case kind == "DISTINCT_MODIFIER":
			s.obstacle(modifier.List("distinct_on_targets")[0], "DISTINCT ON chooses rows, and which ones depends on other buckets")
		default:
			for _, child := range modifier.Children() {
				s.enter(child)
			}
			s.obstacle(modifier, "LIMIT and OFFSET cut off rows, and which ones depends on other buckets")
		}
		s.expressions(modifier.Children(), nil)
	}
}

// selection returns the rows of a SELECT.
func (s *search) selection(node sqltree.Node, visible map[string]*relation) *relation {
	conditions := conjuncts(node.Child("where_clause"))
	from := s.from(node.Child("from_table"), visible, conditions, nil)
	scope := &scope{from: from, visible: visible}
	rows := &relation{}
	for _, source := range from {
		rows.timed = rows.timed || source.timed
	}
	for _, item := range node.List("select_list") {
		s.item(item, scope, rows)
	}
	for _, condition := range conditions {
		if !s.isBound(condition, scope) {
			s.expression(condition, scope)
		}
	}
	s.grouping(node, scope, rows)
	for _, clause := range []string{"having", "qualify"} {
		s.expression(node.Child(clause), scope)
	}
	if node.Child("sample") != nil {
		s.obstacle(node.Child("sample"), "a sample chooses other rows in each run")
	}
	return rows
}

// item adds an item of a SELECT list to the columns.
func (s *search) item(item sqltree.Node, scope *scope, rows *relation) {
	if item.Type() == "STAR" {
		rows.columns = append(rows.columns, scope.star(item)...)
		for _, replaced := range item.List("replace_list") {
			s.expression(replaced.Child("value"), scope)
		}
		return
	}
	switch {
	case !s.buckets.isList(item):
		s.expression(item, scope)
	case isTimed(scope.from):
		s.obstacle(item, "a list of buckets next to a table relates its rows to all buckets; join them on the bucket")
	default:
		rows.timed = true
	}
	name := item.Name("alias")
	if names := item.Names("column_names"); name == "" && len(names) > 0 {
		name = names[len(names)-1]
	}
	found := s.kindOf(item, scope)
	rows.columns = append(rows.columns, column{name: name, kind: found})
	scope.items = append(scope.items, column{name: name, kind: found})
}

// grouping searches GROUP BY, of which one column must determine the bucket.
func (s *search) grouping(node sqltree.Node, scope *scope, rows *relation) {
	groups, byAll := node.List("group_expressions"), node.Text("aggregate_handling") == "FORCE_AGGREGATES"
	s.expressions(groups, scope)
	if !rows.timed || len(groups) == 0 && !byAll {
		return
	}
	if sets, _ := node["group_sets"].([]any); len(sets) > 1 {
		s.obstacle(groups[0], "several sets of groups put rows of different buckets together")
		return
	}
	keeps := byAll && slices.ContainsFunc(scope.items, func(item column) bool { return item.kind != other })
	for _, group := range groups {
		keeps = keeps || s.groupKind(group, scope) != other
	}
	if !keeps {
		s.enter(node.Child("from_table"))
		if len(groups) > 0 {
			s.enter(groups[0])
		}
		s.obstacle(nil, "GROUP BY puts rows of different buckets together; group by the bucket, too")
	}
}

// groupKind returns the kind of an expression of GROUP BY, which can be the number or the alias of an item.
func (s *search) groupKind(group sqltree.Node, scope *scope) kind {
	if index, ok := number(group); ok {
		if index < 1 || index > len(scope.items) {
			return other
		}
		return scope.items[index-1].kind
	}
	found := s.kindOf(group, scope)
	if names := group.Names("column_names"); len(names) == 1 {
		for _, item := range scope.items {
			if item.name == names[0] && (found == other && !scope.has(names[0]) || item.kind == other) {
				found = item.kind
			}
		}
	}
	return found
}
