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
)

// Find sets the tables and the obstacles of a series, whose SQL is the text. It evaluates expressions with a database of
// DuckDB. It reports whether all of the tables can be bounded.
func Find(ctx context.Context, db Database, text *Text, query *sqlq.SavedQuery) (bounded bool) {
	s := &search{buckets: newBuckets(ctx, db, text, query), text: text, query: query}
	series := query.Series
	s.findTables()
	result := s.rows(text.Query, nil)                          //nolint:contextcheck // buckets has it.
	name := strings.ToLower(query.Columns[series.Column].Name) // as names in the text
	if found := result.column(name); found != bucket {
		s.obstacle(text.Query.At, "%s is not the start of the bucket; compute it from timestamp, as with date_trunc or time_bucket, as wide as the windows declare", name)
	}
	series.Approximate = text.Approximate
	series.Obstacles.Sort()
	return !s.unbounded
}

// search looks for obstacles in a text.
type search struct {
	buckets *buckets
	text    *Text
	query   *sqlq.SavedQuery
	// offset is where the node in the search, or one around it, is.
	offset int
	// unbounded reports whether a table cannot be bounded.
	unbounded bool
}

// obstacle adds what prevents reuse, at the place of a node.
func (s *search) obstacle(at int, format string, args ...any) {
	s.enter(at)
	place := sqlq.Place{File: s.query.SQLFile}
	place.Line, place.Column = sqlq.LineAndColumn(s.text.SQL, s.offset)
	s.query.Series.Obstacles = append(s.query.Series.Obstacles, place.Mistakef("rows of the series cannot be reused: "+format, args...))
}

// enter sets the offset to a node's, if it is known.
func (s *search) enter(at int) {
	if at != Unknown {
		s.offset = at
	}
}

// findTables finds the tables that can be bounded: those that are named without a schema, and
// differently from common table expressions.
func (s *search) findTables() {
	spelling := make(map[string]string)
	for _, table := range s.text.Tables {
		folded := strings.ToLower(table.Spelled)
		switch spelled, seen := spelling[folded]; {
		case table.Schema != "" && !table.IsBounded: // see search.table
		case slices.Contains(s.text.Common, folded):
			s.obstacle(table.At, "a common table expression has the name of the table %s; give it another one", table.Spelled)
			s.unbounded = true
		case seen && spelled != table.Spelled:
			s.obstacle(table.At, "the table is named %s and %s; spell it in one way", spelled, table.Spelled)
			s.unbounded = true
		default:
			spelling[folded] = table.Spelled
		}
	}
	s.query.Series.Tables = slices.Sorted(maps.Values(spelling))
}

// rows returns the rows of a query: a SELECT, or several with UNION ALL.
func (s *search) rows(query *Query, visible map[string]*relation) *relation {
	visible = maps.Clone(visible)
	if visible == nil {
		visible = make(map[string]*relation)
	}
	for _, common := range query.Common {
		visible[common.Name] = s.rows(common.Query, visible).renamed(common.Columns)
	}
	var rows *relation
	switch {
	case query.Select != nil:
		rows = s.selection(query.Select, visible)
	case query.Set != nil:
		rows = s.set(query.Set, query.At, visible)
	default:
		return s.other(query.Other, query.At)
	}
	s.modifiers(query, rows)
	return rows
}

// set returns the rows of a set operation.
func (s *search) set(set *Set, at int, visible map[string]*relation) *relation {
	left, right := s.rows(set.Left, visible), s.rows(set.Right, visible)
	if set.ByName {
		right = right.arranged(left)
	}
	rows := left.union(right)
	if rows.timed && (set.Op != "UNION" || !set.All) {
		s.obstacle(at, "%s compares rows of different buckets; use UNION ALL", set.Op)
	}
	return rows
}

// other reports what is not on the list.
func (s *search) other(other *Other, at int) *relation {
	s.obstacle(at, "%s can relate rows of different buckets", other.What)
	for _, table := range other.Tables {
		s.unbounded = s.unbounded || table.Schema != "" && !table.IsBounded
	}
	return &relation{timed: true}
}

// modifiers searches DISTINCT ON, ORDER BY and LIMIT.
func (s *search) modifiers(query *Query, rows *relation) {
	if len(query.DistinctOn) > 0 && rows.timed {
		s.obstacle(query.DistinctOn[0].At, "DISTINCT ON chooses rows, and which ones depends on other buckets")
	}
	s.expressions(query.DistinctOn, nil)
	s.expressions(query.Order, nil)
	if len(query.Limit) > 0 && rows.timed {
		for _, limit := range query.Limit {
			s.enter(limit.At)
		}
		s.obstacle(Unknown, "LIMIT and OFFSET cut off rows, and which ones depends on other buckets")
	}
	s.expressions(query.Limit, nil)
}

// selection returns the rows of a SELECT.
func (s *search) selection(node *Select, visible map[string]*relation) *relation {
	conditions := conjuncts(node.Where)
	from := s.from(node.From, visible, conditions, nil)
	scope := &scope{from: from, visible: visible}
	rows := &relation{timed: isTimed(from)}
	for _, item := range node.Items {
		s.item(item, scope, rows)
	}
	for _, condition := range conditions {
		if !s.isBound(condition, scope) {
			s.expression(condition, scope)
		}
	}
	s.grouping(node, scope, rows)
	s.expression(node.Having, scope)
	s.expression(node.Qualify, scope)
	if node.Sample != nil {
		s.obstacle(node.Sample.At, "a sample chooses other rows in each run")
	}
	return rows
}

// item adds an item of a SELECT list to the columns.
func (s *search) item(item Item, scope *scope, rows *relation) {
	if item.Star != nil {
		s.star(item.Star, scope, rows)
		return
	}
	switch {
	case !s.buckets.isList(item.Expression):
		s.expression(item.Expression, scope)
	case isTimed(scope.from):
		s.obstacle(item.At, "a list of buckets next to a table relates its rows to all buckets; join them on the bucket")
	default:
		rows.timed = true
	}
	found := column{name: item.Name, kind: s.kindOf(item.Expression, scope)}
	rows.columns = append(rows.columns, found)
	scope.items = append(scope.items, found)
}

// star adds the columns that a star stands for.
func (s *search) star(star *Star, scope *scope, rows *relation) {
	columns := scope.star(star)
	for _, replaced := range star.Replaced {
		s.expression(replaced.Expression, scope)
	}
	rows.columns = append(rows.columns, columns...)
	scope.items = append(scope.items, columns...)
}

// grouping searches GROUP BY, of which one column must determine the bucket.
func (s *search) grouping(node *Select, scope *scope, rows *relation) {
	s.expressions(node.Groups, scope)
	if !rows.timed || len(node.Groups) == 0 && !node.GroupAll {
		return
	}
	if node.GroupSets {
		s.obstacle(node.Groups[0].At, "several sets of groups put rows of different buckets together")
		return
	}
	keeps := node.GroupAll && slices.ContainsFunc(scope.items, func(item column) bool { return item.kind != other })
	for _, group := range node.Groups {
		keeps = keeps || s.groupKind(group, scope) != other
	}
	if !keeps {
		if node.From != nil {
			s.enter(node.From.At)
		}
		if len(node.Groups) > 0 {
			s.enter(node.Groups[0].At)
		}
		s.obstacle(Unknown, "GROUP BY puts rows of different buckets together; group by the bucket, too")
	}
}

// groupKind returns the kind of an expression of GROUP BY, which can be the number or the alias of an item.
func (s *search) groupKind(group *Expression, scope *scope) kind {
	if group.Number != nil {
		index := *group.Number
		isOpen := func(item column) bool { return item.table != "" }
		if index < 1 || index > len(scope.items) || slices.ContainsFunc(scope.items[:index], isOpen) {
			return other
		}
		return scope.items[index-1].kind
	}
	found := s.kindOf(group, scope)
	if len(group.Column) == 1 {
		for _, item := range scope.items {
			if item.name == group.Column[0] && (found == other && !scope.has(item.name) || item.kind == other) {
				found = item.kind
			}
		}
	}
	return found
}
