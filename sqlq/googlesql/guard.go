package googlesql

import (
	"slices"
)

// guard proves that a query reads only the rows of tables whose project is a parameter's value. It is nil-safe.
//
// A read of a table is proved by a conjunct of the WHERE of the SELECT that reads it, or of the ON of a join that
// removes the table's other rows: the project = @param. All else, such as a condition around a subquery, may leave
// rows of other projects, so it proves nothing.
type guard struct {
	param string
	// reads are the tables that the query reads, one for each place.
	reads []*tableRead
}

// tableRead is a place at which a query reads a table.
type tableRead struct {
	place
	table  Table
	proved bool
}

// rowPart is a part of a table's row. Values that are computed from it have none.
type rowPart struct {
	read *tableRead
	kind rowPartKind
}

type rowPartKind int

const (
	projectPart rowPartKind = iota
	metadataPart
	metadataElementPart
)

// read notes that a table is read. It returns nil without a guard.
func (g *guard) read(at place, table Table) *tableRead {
	if g == nil {
		return nil
	}
	read := &tableRead{place: at, table: table}
	g.reads = append(g.reads, read)
	return read
}

// part returns what a column is of the row.
func (t *tableRead) part(c TableColumn) *rowPart {
	switch {
	case t == nil:
		return nil
	case c.IsMetadata:
		return &rowPart{t, metadataPart}
	case slices.Contains(t.table.ProjectColumns, c.Name):
		return &rowPart{t, projectPart}
	}
	return nil
}

// element returns what an element of an array is.
func (p *rowPart) element() *rowPart {
	if p == nil || p.kind != metadataPart {
		return nil
	}
	return &rowPart{p.read, metadataElementPart}
}

// member returns what a member of a value is.
func (p *rowPart) member(name string) *rowPart {
	if p == nil || p.kind != metadataElementPart || p.read.table.ProjectMember == "" || name != p.read.table.ProjectMember {
		return nil
	}
	return &rowPart{p.read, projectPart}
}

// prove marks the tables that a condition proves: those of the sources, whose rows it removes unless it is true.
func (g *guard) prove(r *resolver, condition expression, s *scope, from ...source) {
	if g == nil || condition == nil {
		return
	}
	var reads []*tableRead
	for _, source := range from {
		reads = append(reads, readsOf(source)...)
	}
	g.proveConjunct(r, condition, s, reads)
}

// readsOf returns the tables that a source reads itself, rather than in a subquery.
func readsOf(from source) []*tableRead {
	switch from := from.(type) {
	case *tableSource:
		if from.read != nil {
			return []*tableRead{from.read}
		}
	case *joinSource:
		return append(readsOf(from.left), readsOf(from.right)...)
	}
	return nil
}

func (g *guard) proveConjunct(r *resolver, x expression, s *scope, reads []*tableRead) {
	switch x := x.(type) {
	case *binaryExpr:
		switch {
		case x.op == "AND":
			g.proveConjunct(r, x.left, s, reads)
			g.proveConjunct(r, x.right, s, reads)
		case x.op == "=" && g.isParam(x.right):
			g.proveColumn(x.left, s, reads)
		case x.op == "=" && g.isParam(x.left):
			g.proveColumn(x.right, s, reads)
		}
	case *inExpr:
		if x.unnest != nil && g.isParam(x.unnest) {
			g.proveColumn(x.x, s, reads)
		}
	case *existsExpr:
		if q := existsInArrays(x.query); q != nil {
			_, variables := q.from.from(r, s)
			g.proveConjunct(r, q.where, &scope{outer: s, variables: variables}, reads)
		}
	}
}

func (g *guard) isParam(x expression) bool {
	p, ok := x.(*param)
	return ok && equalFold(p.name, g.param)
}

// proveColumn marks a table if the expression is its project.
func (g *guard) proveColumn(x expression, s *scope, reads []*tableRead) {
	path, ok := x.(*pathExpr)
	if !ok {
		return
	}
	if part := s.path(path).part; part != nil && part.kind == projectPart && slices.Contains(reads, part.read) {
		part.read.proved = true
	}
}

// existsInArrays returns the SELECT of EXISTS if it is true only for an element of arrays that its WHERE leaves. An
// aggregate, for one, has a row without any.
func existsInArrays(q *query) *selectQuery {
	body, ok := q.body.(*selectQuery)
	if !ok || len(q.common) > 0 || body.where == nil || body.group != nil || body.having != nil || body.qualify != nil || !onlyArrays(body.from) {
		return nil
	}
	for _, item := range body.items {
		switch item.x.(type) {
		case nil, *literal, *pathExpr:
		default:
			return nil
		}
	}
	return body
}

// onlyArrays reports whether a FROM clause reads nothing but elements of arrays, each row with one of every array.
func onlyArrays(from fromItem) bool {
	switch from := from.(type) {
	case *unnestItem:
		return true
	case *joinItem:
		return (from.kind == "CROSS" || from.kind == "INNER") && onlyArrays(from.left) && onlyArrays(from.right)
	}
	return false
}

// condition returns what to add to the SELECT that reads the table; empty if the table has no project.
func (t *tableRead) condition(param string) string {
	is := func(name string) string {
		return name + " = @" + param
	}
	switch {
	case t.table.ProjectMember != "":
		return "EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE " + is("m."+t.table.ProjectMember) + ")"
	case len(t.table.ProjectColumns) > 0:
		return is(t.table.ProjectColumns[0])
	}
	return ""
}
