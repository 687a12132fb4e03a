package clickhousesql

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"savedq/sqlq"
)

// placing finds the reads of logs that need nothing of log_attributes but paths with typed columns (ADR 074). DuckDB reads
// these columns for placed events, and no metadata.
type placing struct {
	// uses are what is read of the metadata of a source, by the source's number and the name of its column.
	uses map[columnKey]*attributeUse
	seen map[*value]bool
}

// columnKey is a column with metadata.
type columnKey struct {
	source int
	name   string
}

// attributeUse is what is read of a column with metadata: values at paths, or all of it.
type attributeUse struct {
	paths map[string]bool
	whole bool
}

// placeColumns makes columns of the paths with typed columns in the reads of logs that need no more of the metadata.
func placeColumns(r *resolver, rel *relation) {
	if !slices.ContainsFunc(r.logs, func(from *logsSource) bool { return from.used["log_attributes"] }) {
		return
	}
	p := &placing{uses: make(map[columnKey]*attributeUse), seen: make(map[*value]bool)}
	walkValues(rel, p.note, p.noteItems)
	isPlaced := false
	for _, from := range r.logs {
		use := p.uses[columnKey{from.number(), "log_attributes"}]
		if use == nil || use.whole || slices.ContainsFunc(slices.Collect(maps.Keys(use.paths)), func(path string) bool { return !hasColumn(path) }) {
			continue
		}
		isPlaced = true
		from.placed = slices.Sorted(maps.Keys(use.paths))
		delete(from.used, "log_attributes")
		for _, path := range from.placed {
			from.used[attributeColumn(path)] = true
		}
	}
	if isPlaced {
		clear(p.seen)
		walkValues(rel, p.replace, func(from *querySource) { p.passOn(r, from) })
	}
}

// hasColumn reports whether a typed column has the text at a path.
func hasColumn(path string) bool {
	field, _ := sqlq.SearchFieldAt(strings.Split(path, "."))
	return field != nil
}

// placedText writes the text at a path with a typed column in placed events.
func placedText(path string) string {
	field, at := sqlq.SearchFieldAt(strings.Split(path, "."))
	return fmt.Sprintf("coalesce(CASE WHEN %s & %d = %d THEN %s END, '')", sqlq.PlacesColumn, field.Mask(), field.Place(at), field.Column)
}

// firstText writes the same for events whose values are all at the first paths of their columns, most of them. As an
// argument of a function, DuckDB keeps the dictionary of a column, and computes functions of it once for each text.
func firstText(path string) string {
	if field, at := sqlq.SearchFieldAt(strings.Split(path, ".")); at == 0 {
		return "concat(" + field.Column + ")"
	}
	return "''"
}

// attributeColumn is the name of the column with the text at a path.
func attributeColumn(path string) string { return "log_attributes." + path }

func (p *placing) use(of *value) *attributeUse {
	key := columnKey{of.from.number(), of.text}
	if p.uses[key] == nil {
		p.uses[key] = &attributeUse{paths: make(map[string]bool)}
	}
	return p.uses[key]
}

// attribute returns the column with metadata of which a value reads a path, and the path.
func (v *value) attribute() (of *value, path string, ok bool) {
	if v.kind != callValue || v.function.name != "savedqAttribute" || v.args[0].kind != columnValue {
		return nil, "", false
	}
	return v.args[0], v.args[1].text, true
}

// note notes what a value reads, and reports whether its parts are to be noted, too.
func (p *placing) note(v *value) bool {
	if of, path, ok := v.attribute(); ok {
		p.use(of).paths[path] = true
		return false
	}
	if v.kind == columnValue && v.attributes {
		p.use(v).whole = true
	}
	isNew := !p.seen[v]
	p.seen[v] = true
	return isNew
}

// noteItems notes what is read of the metadata that a subquery passes on.
func (p *placing) noteItems(from *querySource) {
	for i, column := range from.rel.columns {
		use := p.uses[columnKey{from.number(), column.name}]
		if !from.rel.passesOn(i) {
			continue
		}
		for _, one := range from.rel.selects {
			one.skipped = append(one.skipped, i)
			switch {
			case use == nil:
			case use.whole:
				p.use(one.items[i]).whole = true
			default:
				maps.Copy(p.use(one.items[i]).paths, use.paths)
			}
		}
	}
}

// passesOn reports whether a column of a query is the metadata of its rows.
func (r *relation) passesOn(column int) bool {
	return r.columns[column].attributes && !r.distinct && !slices.ContainsFunc(r.selects, func(one *selectRelation) bool {
		return one.grouped || one.distinct || one.items[column].kind != columnValue
	})
}

// replace makes a column of a path.
func (p *placing) replace(v *value) bool {
	of, path, ok := v.attribute()
	if !ok {
		isNew := !p.seen[v]
		p.seen[v] = true
		return isNew
	}
	if from := of.from; isPlaced(from, of.text) {
		v.kind, v.from, v.text, v.function, v.args = columnValue, from, attributeColumn(path), nil, nil
		if query, isQuery := from.(*querySource); isQuery {
			v.text = of.text + "." + path
			query.used[v.text] = true
		}
	}
	return false
}

// isPlaced reports whether the paths of a column with metadata are columns.
func isPlaced(from source, column string) bool {
	switch from := from.(type) {
	case *logsSource:
		return from.placed != nil
	case *querySource:
		at := slices.IndexFunc(from.rel.columns, func(c sourceColumn) bool { return c.name == column })
		return from.rel.passesOn(at) && slices.ContainsFunc(from.rel.selects, func(one *selectRelation) bool { return isPlaced(one.items[at].from, one.items[at].text) })
	}
	return false
}

// passOn makes a subquery return the columns of paths in place of metadata.
func (p *placing) passOn(r *resolver, from *querySource) {
	rel := from.rel
	for i, column := range slices.Backward(rel.columns) {
		name := column.name
		use := p.uses[columnKey{from.number(), name}]
		if !isPlaced(from, name) || use != nil && use.whole {
			continue
		}
		var paths []string
		if use != nil {
			paths = slices.Sorted(maps.Keys(use.paths))
		}
		for _, one := range rel.selects {
			metadata := one.items[i]
			one.items, one.names = slices.Delete(one.items, i, i+1), slices.Delete(one.names, i, i+1)
			for _, path := range paths {
				key := r.intern(&value{place: metadata.place, kind: constantValue, typ: stringType(), text: path, isConstant: true})
				one.items, one.names = append(one.items, r.newCall(metadata.place, row("savedqAttribute"), stringType(), metadata, key)), append(one.names, name+"."+path)
			}
		}
		rel.columns = slices.Delete(rel.columns, i, i+1)
		for _, path := range paths {
			rel.columns = append(rel.columns, sourceColumn{name: name + "." + path, typ: stringType()})
		}
	}
}

// walkValues visits the values of a query, and then those of the subqueries that it reads, after each subquery itself. visit
// reports whether the parts of a value are visited, too.
func walkValues(rel *relation, visit func(v *value) bool, enter func(from *querySource)) {
	var walk func(v *value)
	walk = func(v *value) {
		if v == nil || !visit(v) {
			return
		}
		for _, list := range [][]*value{v.params, v.args} {
			for _, one := range list {
				walk(one)
			}
		}
		if v.query != nil {
			walkValues(v.query, visit, enter)
		}
	}
	for _, one := range rel.selects {
		for i, item := range one.items {
			if !slices.Contains(one.skipped, i) {
				walk(item)
			}
		}
		one.skipped = nil
		for _, list := range [][]*value{{one.where, one.having, one.limit, one.offset}, one.keys, one.calls, one.limitBy, one.byLimit[:]} {
			for _, v := range list {
				walk(v)
			}
		}
		for _, order := range one.order {
			walk(order.value)
		}
		for _, joined := range one.arrays {
			for _, v := range joined.of {
				walk(v)
			}
		}
		walkJoins(one.from, walk)
		for _, from := range leaves(one.from) {
			if query, ok := from.(*querySource); ok {
				enter(query)
				walkValues(query.rel, visit, enter)
			}
		}
	}
}

// walkJoins visits the conditions of joins.
func walkJoins(from source, walk func(v *value)) {
	if join, ok := from.(*joinSource); ok {
		walk(join.on)
		walkJoins(join.left, walk)
		walkJoins(join.right, walk)
	}
}
