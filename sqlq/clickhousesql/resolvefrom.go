package clickhousesql

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// logsColumns are the columns of the table logs.
func logsColumns() []sourceColumn {
	return []sourceColumn{
		{name: "id", typ: stringType(), doc: "id of the event"},
		{name: "timestamp", typ: momentType(6), doc: "time of the event, in UTC"},
		{name: "event_message", typ: stringType(), doc: "message of the event"},
		{name: "severity_text", typ: stringType(), doc: "`level`, or else `parsed.error_severity`, in capitals; `INFO` if it is none of " + strings.Join(severities(), ", ")},
		{name: "source", typ: stringType(), doc: "name of the log source, such as `edge_logs`"},
		{name: "log_attributes", typ: attributesType(), attributes: true, doc: "`metadata`: paths such as `request.headers.user_agent` to the texts of their values"},
	}
}

// ColumnEntry describes a column of the table logs.
type ColumnEntry struct {
	Name, Type, Doc string
	// Values are all values that the column can have; nil if there are too many to list.
	Values []string
}

// Columns describes the columns of the table logs, in which the events of log sources are.
func Columns(sources sqlq.Tables) []ColumnEntry {
	values := map[string][]string{"source": sources.Names(), "severity_text": severities()}
	var all []ColumnEntry
	for _, column := range logsColumns() {
		all = append(all, ColumnEntry{Name: column.name, Type: column.typ.String(), Doc: column.doc, Values: values[column.name]})
	}
	return all
}

func (l *logsSource) names() []string { return l.called }

func (l *logsSource) columns() []sourceColumn {
	columns := logsColumns()
	for _, path := range l.placed {
		columns = append(columns, sourceColumn{name: attributeColumn(path), typ: stringType()})
	}
	return columns
}

func (l *logsSource) find(name string) (sourceColumn, bool) { return findColumn(l.columns(), name) }

func findColumn(columns []sourceColumn, name string) (sourceColumn, bool) {
	at := slices.IndexFunc(columns, func(c sourceColumn) bool { return c.name == name })
	if at < 0 {
		return sourceColumn{}, false
	}
	return columns[at], true
}

func (q *querySource) names() []string { return q.called }

func (q *querySource) columns() []sourceColumn { return q.rel.columns }

func (q *querySource) find(name string) (sourceColumn, bool) { return findColumn(q.rel.columns, name) }

func (j *joinSource) names() []string                      { return nil }
func (j *joinSource) columns() []sourceColumn              { return nil }
func (j *joinSource) find(string) (c sourceColumn, _ bool) { return c, false }

func (a *arraySource) names() []string { return nil }

func (a *arraySource) columns() []sourceColumn {
	columns := make([]sourceColumn, len(a.of))
	for i, of := range a.of {
		columns[i] = sourceColumn{name: a.named[i], typ: of.typ.elem()}
	}
	return columns
}

func (a *arraySource) find(name string) (sourceColumn, bool) { return findColumn(a.columns(), name) }

// number gives a source its number.
func (r *resolver) number() numbered {
	r.sources++
	return numbered(r.sources)
}

// from resolves what FROM reads, and adds the sources to the scope.
func (r *resolver) from(item fromItem, s *scope) source {
	switch item := item.(type) {
	case *tableItem:
		return r.table(item, s)
	case *subqueryItem:
		return s.addSource(&querySource{numbered: r.number(), called: []string{item.alias}, rel: r.query(item.query), used: make(map[string]bool)})
	case *joinItem:
		join := &joinSource{numbered: r.number(), kind: item.kind}
		join.left = r.from(item.left, s)
		rights := len(s.sources)
		join.right = r.from(item.right, s)
		r.joinOn(join, item, s, rights)
		return join
	}
	return nil
}

func (s *scope) addSource(from source) source {
	s.sources = append(s.sources, from)
	return from
}

// table resolves the name of a table: a common table expression, or logs.
func (r *resolver) table(item *tableItem, s *scope) source {
	names := []string{item.name}
	if item.alias != "" {
		names = []string{item.alias}
	}
	if r.env.IsClient && item.database == systemDatabase {
		rel := r.query(r.system(item))
		return s.addSource(&querySource{numbered: r.number(), called: append(names, item.called()), rel: rel, used: make(map[string]bool)})
	}
	for _, cte := range slices.Backward(r.ctes) {
		if item.database != "" || cte.name != item.name {
			continue
		}
		around := r.ctes
		r.ctes = slices.Clone(around[:cte.before])
		rel := r.query(cte.query)
		r.ctes = around
		return s.addSource(&querySource{numbered: r.number(), called: names, rel: rel, used: make(map[string]bool)})
	}
	isOwn := item.database == "" || r.env.IsClient && item.database == defaultDatabase
	if !isOwn || item.name != LogsTable {
		if source, found := r.env.Sources.FindSource(item.name); found && isOwn {
			fail(item.place, "there is no table %s; its rows are in logs: FROM logs WHERE source = '%s'", item.name, source.Name)
		}
		fail(item.place, "there is no table %s; the only table is logs", item.called())
	}
	if r.env.IsClient {
		names = append(names, defaultDatabase+"."+LogsTable)
	}
	from := &logsSource{numbered: r.number(), place: item.place, called: names, used: make(map[string]bool), sel: s.rel}
	r.logs = append(r.logs, from)
	return s.addSource(from)
}

// joinOn resolves the condition of a join.
func (r *resolver) joinOn(join *joinSource, item *joinItem, s *scope, rights int) {
	left, right := s.sources[:rights:rights], s.sources[rights:]
	for _, name := range item.using {
		of := func(sources []source) *value {
			for _, from := range sources {
				if column, found := from.find(name.text); found {
					return r.column(name.start, from, column)
				}
			}
			fail(name.start, "both sides of a join with USING need the column %s", name.text)
			return nil
		}
		a, b := of(left), of(right)
		condition := r.compare(name.start, "equals", a, b)
		join.on = r.conjunction(join.on, condition)
		join.using = append(join.using, name.text)
		join.pairs = append(join.pairs, [2]*value{a, b})
	}
	if item.on == nil {
		return
	}
	join.on = r.condition(item.on, s, "ON")
	if join.kind != "INNER" && !hasEquality(join.on) {
		fail(item.on.offset(), "a %s JOIN needs an = between columns of both sides", join.kind)
	}
}

func (r *resolver) conjunction(a, b *value) *value {
	if a == nil {
		return b
	}
	return r.newCall(b.place, row("and"), flagType().orNull(a.typ.nullable || b.typ.nullable), a, b)
}

func hasEquality(v *value) bool {
	if v.kind != callValue {
		return false
	}
	if v.function.name == "and" {
		return slices.ContainsFunc(v.args, hasEquality)
	}
	return v.function.name == "equals"
}

// isOptional reports whether a join can leave a source without a row, and what is around it.
func isOptional(root source, of source) bool {
	join, ok := root.(*joinSource)
	if !ok {
		return false
	}
	inLeft, inRight := contains(join.left, of), contains(join.right, of)
	switch {
	case inLeft:
		return join.kind == "RIGHT" || join.kind == "FULL" || isOptional(join.left, of)
	case inRight:
		return join.kind == "LEFT" || join.kind == "FULL" || isOptional(join.right, of)
	}
	return false
}

func contains(root, of source) bool {
	if join, ok := root.(*joinSource); ok {
		return contains(join.left, of) || contains(join.right, of)
	}
	return root == of
}

// arrayJoin resolves ARRAY JOIN.
func (r *resolver) arrayJoin(q *selectQuery, s *scope) {
	if q.arrays == nil {
		return
	}
	joined := &arraySource{numbered: r.number(), left: q.leftArrays}
	for _, one := range q.arrays {
		v := r.value(one.x, s)
		if v.typ.kind != arrayKind {
			fail(one.x.offset(), "ARRAY JOIN takes arrays, and this is a %s", v.typ)
		}
		name := one.alias.text
		if name == "" {
			name = nameOf(one.x)
		}
		joined.of, joined.named = append(joined.of, r.plain(v)), append(joined.named, name)
	}
	s.rel.arrays = append(s.rel.arrays, joined)
	// Its columns hide those of tables.
	s.sources = append([]source{joined}, s.sources...)
}

// elements returns the element of an array, with a row for each.
func (r *resolver) elements(call *callExpr, array *value, s *scope) *value {
	for _, joined := range s.rel.arrays {
		if len(joined.of) == 1 && joined.of[0].id == array.id && !joined.left && strings.HasPrefix(joined.named[0], "arrayJoin(") {
			return r.column(call.place, joined, joined.columns()[0])
		}
	}
	joined := &arraySource{numbered: r.number(), of: []*value{array}}
	joined.named = []string{"arrayJoin(" + joined.alias() + ")"}
	s.rel.arrays = append(s.rel.arrays, joined)
	return r.column(call.place, joined, joined.columns()[0])
}
