package shape

import (
	"slices"
	"strings"

	"savedq/sqlq/sqltree"
)

// timestamp is the column of each table with the time of a row.
const timestamp = "timestamp"

// from returns what FROM reads. The conditions are those that rows of its inner joins must satisfy. before
// is what is read to the left of it.
func (s *search) from(node sqltree.Node, visible map[string]*relation, conditions []sqltree.Node, before []*relation) []*relation {
	s.enter(node)
	if node.Child("sample") != nil {
		s.obstacle(node, "a sample chooses other rows in each run")
	}
	switch node.Type() {
	case "EMPTY":
		return nil
	case "BASE_TABLE":
		return []*relation{s.table(node, visible, before)}
	case "SUBQUERY":
		rows := s.rows(node.Child("subquery").Child("node"), visible)
		return []*relation{rows.renamed(node.Names("column_name_alias")).named(node.Name("alias"))}
	case "TABLE_FUNCTION":
		return []*relation{s.function(node, &scope{from: before, visible: visible})}
	case "EXPRESSION_LIST":
		s.expressions(node.Children(), nil)
		return []*relation{{name: node.Name("alias")}}
	case "JOIN":
		return s.join(node, visible, conditions, before)
	}
	return []*relation{s.unknown(node, strings.ReplaceAll(node.Type(), "_", " "))}
}

// table returns the rows of a table, of a common table expression, or of a list in the row to the left of it.
func (s *search) table(node sqltree.Node, visible map[string]*relation, before []*relation) *relation {
	schema, name := node.Name("schema_name"), node.Name("table_name")
	alias := node.Name("alias")
	if alias == "" {
		alias = name
	}
	own := &relation{name: alias, timed: true, columns: []column{{name: timestamp, kind: moment}, {table: name}}}
	if schema != "" {
		if slices.ContainsFunc(before, func(source *relation) bool { return source.name == schema }) {
			return &relation{name: alias}
		}
		s.obstacle(node, "%s has a schema; name the table without one, so that it can be bounded", name)
		s.unbounded = true
		return own
	}
	rows := visible[name]
	if rows == nil {
		rows = own
	}
	if node.Child("at_clause") != nil {
		return s.unknown(node, "AT")
	}
	return rows.renamed(node.Names("column_name_alias")).named(alias)
}

// function returns the rows of a table function: a list of buckets, or values of the row to the left of it.
func (s *search) function(node sqltree.Node, scope *scope) *relation {
	call := node.Child("function")
	rows := &relation{name: node.Name("alias")}
	if rows.name == "" {
		rows.name = call.Name("function_name")
	}
	if !s.buckets.isList(call) {
		s.expression(call, scope)
		return rows
	}
	rows.timed = true
	for _, name := range append(node.Names("column_name_alias"), rows.name, call.Name("function_name")) {
		rows.columns = append(rows.columns, column{name: name, kind: bucket})
	}
	return rows
}

// join returns what a join reads. If rows on both sides belong to buckets, they must be equal.
func (s *search) join(node sqltree.Node, visible map[string]*relation, conditions []sqltree.Node, before []*relation) []*relation {
	joinType, refType := node.Text("join_type"), node.Text("ref_type")
	isInner := joinType == "INNER" && (refType == "REGULAR" || refType == "CROSS")
	if !isInner {
		conditions = nil
	}
	left := s.from(node.Child("left"), visible, conditions, before)
	right := s.from(node.Child("right"), visible, conditions, append(slices.Clone(before), left...))
	all := &scope{from: append(slices.Clone(left), right...), visible: visible}
	own := conjuncts(node.Child("condition"))
	for _, condition := range own {
		if !s.isBound(condition, all) {
			s.expression(condition, all)
		}
	}
	leftTimed, rightTimed := isTimed(left), isTimed(right)
	onBucket := s.isOnBucket(append(own, conditions...), left, right) || slices.ContainsFunc(node.Names("using_columns"), func(name string) bool {
		return bothTell((&scope{from: left}).column([]string{name}), (&scope{from: right}).column([]string{name}))
	})
	s.enter(node.Child("right"))
	switch {
	case !isInner && refType != "REGULAR":
		s.obstacle(nil, "a join that is %s relates rows of different buckets", refType)
	case leftTimed && rightTimed && !onBucket:
		s.obstacle(nil, "this is not joined on the bucket, so its rows can belong to other buckets; join what is grouped by bucket, as in USING (%s)", s.bucketName())
	case joinType == "FULL" && leftTimed != rightTimed, joinType == "RIGHT" && leftTimed && !rightTimed,
		slices.Contains([]string{"LEFT", "SEMI", "ANTI"}, joinType) && rightTimed && !leftTimed:
		s.obstacle(nil, "this join keeps rows that belong to no bucket")
	case !slices.Contains([]string{"INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"}, joinType):
		s.obstacle(nil, "a join that is %s relates rows of different buckets", joinType)
	}
	if joinType == "SEMI" || joinType == "ANTI" {
		return left
	}
	return all.from
}

// bucketName returns the name of the column with the bucket.
func (s *search) bucketName() string {
	return strings.ToLower(s.query.Columns[s.query.Series.Column].Name)
}

// isOnBucket reports whether one of the conditions says that two sides have the same bucket.
func (s *search) isOnBucket(conditions []sqltree.Node, left, right []*relation) bool {
	return slices.ContainsFunc(conditions, func(condition sqltree.Node) bool {
		if condition.Type() != "COMPARE_EQUAL" {
			return false
		}
		a, b := condition.Child("left"), condition.Child("right")
		onLeft, onRight := &scope{from: left}, &scope{from: right}
		return bothTell(s.kindOf(a, onLeft), s.kindOf(b, onRight)) || bothTell(s.kindOf(b, onLeft), s.kindOf(a, onRight))
	})
}

// bothTell reports whether equal values of two kinds are in the same bucket.
func bothTell(a, b kind) bool { return a == b && a != other }

func isTimed(relations []*relation) bool {
	return slices.ContainsFunc(relations, func(source *relation) bool { return source.timed })
}

// conjuncts returns the conditions that AND joins.
func conjuncts(condition sqltree.Node) []sqltree.Node {
	switch {
	case condition == nil:
		return nil
	case condition.Type() != "CONJUNCTION_AND":
		return []sqltree.Node{condition}
	}
	var found []sqltree.Node
	for _, child := range condition.List("children") {
		found = append(found, conjuncts(child)...)
	}
	return found
}
