package shape

import (
	"slices"
	"strings"
)

// timestamp is the column of each table with the time of a row.
const timestamp = "timestamp"

// from returns what FROM reads. The conditions are those that rows of its inner joins must satisfy. before
// is what is read to the left of it.
func (s *search) from(node *From, visible map[string]*relation, conditions []*Expression, before []*relation) []*relation {
	if node == nil {
		return nil
	}
	s.enter(node.At)
	if node.Sample != nil {
		s.obstacle(node.At, "a sample chooses other rows in each run")
	}
	switch {
	case node.Table != nil:
		return []*relation{s.table(node, visible, before)}
	case node.Query != nil:
		return []*relation{s.rows(node.Query, visible).renamed(node.Columns).named(node.Alias)}
	case node.Function != nil:
		return []*relation{s.function(node, &scope{from: before, visible: visible})}
	case node.Constants != nil:
		s.expressions(node.Constants, nil)
		return []*relation{{name: node.Alias}}
	case node.Join != nil:
		return s.join(node.Join, visible, conditions, before)
	}
	return []*relation{s.other(node.Other, node.At)}
}

// table returns the rows of a table, of a common table expression, or of a list in the row to the left of it.
func (s *search) table(node *From, visible map[string]*relation, before []*relation) *relation {
	table, alias := node.Table, node.Alias
	if alias == "" {
		alias = table.Name
	}
	own := &relation{name: alias, timed: true, columns: table.columns()}
	if table.Schema != "" {
		if slices.ContainsFunc(before, func(source *relation) bool { return source.name == table.Schema }) {
			return &relation{name: alias}
		}
		if !table.IsBounded {
			s.obstacle(node.At, "%s has a schema; name the table without one, so that it can be bounded", table.Name)
			s.unbounded = true
		}
		return own
	}
	rows := visible[table.Name]
	if rows == nil {
		rows = own
	}
	if node.IsAtVersion {
		return s.other(&Other{What: "AT", Tables: []*Table{table}}, node.At)
	}
	return rows.renamed(node.Columns).named(alias)
}

// columns returns the columns of a table, of which one is its timestamp.
func (t *Table) columns() []column {
	if t.Columns == nil {
		return []column{{name: timestamp, kind: moment}, {table: t.Name}}
	}
	columns := make([]column, len(t.Columns))
	for i, name := range t.Columns {
		columns[i].name = name
		if name == timestamp {
			columns[i].kind = moment
		}
	}
	return columns
}

// function returns the rows of a table function: a list of buckets, or values of the row to the left of it.
func (s *search) function(node *From, scope *scope) *relation {
	rows := &relation{name: node.Alias}
	if rows.name == "" && len(node.RowNames) > 0 {
		rows.name = node.RowNames[0]
	}
	if !s.buckets.isList(node.Function) {
		s.expression(node.Function, scope)
		return rows
	}
	rows.timed = true
	for _, name := range slices.Concat(node.Columns, []string{rows.name}, node.RowNames) {
		rows.columns = append(rows.columns, column{name: name, kind: bucket})
	}
	return rows
}

// join returns what a join reads. If rows on both sides belong to buckets, they must be equal.
func (s *search) join(join *Join, visible map[string]*relation, conditions []*Expression, before []*relation) []*relation {
	isInner := join.Kind == "INNER" && (join.Condition == "REGULAR" || join.Condition == "CROSS")
	if !isInner {
		conditions = nil
	}
	left := s.from(join.Left, visible, conditions, before)
	right := s.from(join.Right, visible, conditions, append(slices.Clone(before), left...))
	all := &scope{from: append(slices.Clone(left), right...), visible: visible}
	own := conjuncts(join.On)
	for _, condition := range own {
		if !s.isBound(condition, all) {
			s.expression(condition, all)
		}
	}
	leftTimed, rightTimed := isTimed(left), isTimed(right)
	onBucket := s.isOnBucket(append(own, conditions...), left, right) || slices.ContainsFunc(join.Using, func(name string) bool {
		return bothTell((&scope{from: left}).column([]string{name}), (&scope{from: right}).column([]string{name}))
	})
	s.enter(join.Right.At)
	switch {
	case !isInner && join.Condition != "REGULAR":
		s.obstacle(Unknown, "a join that is %s relates rows of different buckets", join.Condition)
	case leftTimed && rightTimed && !onBucket:
		s.obstacle(Unknown, "this is not joined on the bucket, so its rows can belong to other buckets; join what is grouped by bucket, as in USING (%s)", s.bucketName())
	case join.Kind == "FULL" && leftTimed != rightTimed, join.Kind == "RIGHT" && leftTimed && !rightTimed,
		slices.Contains([]string{"LEFT", "SEMI", "ANTI"}, join.Kind) && rightTimed && !leftTimed:
		s.obstacle(Unknown, "this join keeps rows that belong to no bucket")
	case !slices.Contains([]string{"INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"}, join.Kind):
		s.obstacle(Unknown, "a join that is %s relates rows of different buckets", join.Kind)
	}
	if join.Kind == "SEMI" || join.Kind == "ANTI" {
		return left
	}
	if own := merged(join, left, right); own != nil {
		return append([]*relation{own}, all.from...)
	}
	return all.from
}

// merged returns the columns that USING makes of both sides' columns; nil for none.
func merged(join *Join, left, right []*relation) *relation {
	if len(join.Using) == 0 {
		return nil
	}
	merged := &relation{isMerged: true}
	for _, name := range join.Using {
		onLeft, onRight := (&scope{from: left}).column([]string{name}), (&scope{from: right}).column([]string{name})
		found := onLeft
		switch {
		case join.Kind == "RIGHT":
			found = onRight
		case join.Kind == "FULL" && onLeft != onRight:
			found = other
		}
		merged.columns = append(merged.columns, column{name: name, kind: found})
	}
	return merged
}

// bucketName returns the name of the column with the bucket.
func (s *search) bucketName() string {
	return strings.ToLower(s.query.Columns[s.query.Series.Column].Name)
}

// isOnBucket reports whether one of the conditions says that two sides have the same bucket.
func (s *search) isOnBucket(conditions []*Expression, left, right []*relation) bool {
	return slices.ContainsFunc(conditions, func(condition *Expression) bool {
		if condition.Operator != "=" {
			return false
		}
		a, b := condition.Parts[0], condition.Parts[1]
		onLeft, onRight := &scope{from: left}, &scope{from: right}
		return bothTell(s.kindOf(a, onLeft), s.kindOf(b, onRight)) || bothTell(s.kindOf(b, onLeft), s.kindOf(a, onRight))
	})
}

// bothTell reports whether equal values of two kinds are in the same bucket.
func bothTell(a, b kind) bool { return a == b && a != other }

func isTimed(relations []*relation) bool {
	return slices.ContainsFunc(relations, func(source *relation) bool { return source.timed })
}
