package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// typedClickHouse prints rows for tables all of whose rows are typed (see [sqlq.MetadataTyped]): it reads typed columns, and the arrays of
// metadata have one element each. It returns an empty text if no table is read that way.
func (r *resolver) typedClickHouse(rows node) string {
	typed := typedTables(rows)
	if len(typed) == 0 {
		return ""
	}
	p := r.newPrinter()
	clickhouse{}.print(p, &clickhousePrinter{env: p.env, typedTables: typed}, rows)
	return string(p.out)
}

// typedTables returns the tables of whose metadata a query reads nothing but typed columns.
func typedTables(query node) map[*tableSource]bool {
	typed, others := make(map[*tableSource]bool), make(map[*tableSource]bool)
	walk(query, func(n node) bool {
		switch n := n.(type) {
		case *dynamic:
			if table, path, ok := n.inTable(); ok {
				if table.metadataColumn(n, path) == nil {
					others[table] = true
				}
				typed[table] = true
				return false
			}
		case *arraySource:
			if of := mappedArray(n); of != nil {
				if table, path, ok := of.inTable(); ok {
					if !table.isTypedList(path) {
						others[table] = true
					}
					return false
				}
			}
		case *reference:
			if table, ok := n.owner.(*tableSource); ok && table.isMetadata(n.name) {
				others[table] = true
			}
		}
		return true
	})
	for table := range others {
		delete(typed, table)
	}
	return typed
}

// inTable returns the table that a value of metadata is of, and its path. It reports false for a value whose path has an index, or that a
// subquery returns.
func (d *dynamic) inTable() (table *tableSource, path []string, ok bool) {
	if d.parent != nil {
		if table, path, ok = d.parent.inTable(); !ok || d.index.node != nil {
			return nil, nil, false
		}
		return table, append(slices.Clone(path), d.step), true
	}
	column, isColumn := d.base.(*reference)
	if !isColumn {
		return nil, nil, false
	}
	switch owner := column.owner.(type) {
	case *tableSource:
		return owner, nil, d.layout == jsonLayout && owner.isMetadata(column.name)
	case *arraySource:
		if of := mappedArray(owner); of != nil && d.layout == elementLayout && owner.offset == "" {
			return of.inTable()
		}
	}
	return nil, nil, false
}

func (n *tableSource) isMetadata(column string) bool {
	return slices.ContainsFunc(n.table.Columns, func(c TableColumn) bool { return c.IsMetadata && equalFold(c.Name, column) })
}

// metadataColumn returns the typed column that has a value; nil if there is none. The text of a FLOAT64 is not the one that
// the sender wrote.
func (n *tableSource) metadataColumn(d *dynamic, path []string) *sqlq.MetadataColumn {
	i := slices.IndexFunc(n.table.MetadataColumns, func(c sqlq.MetadataColumn) bool { return slices.Equal(c.Path, path) })
	if i < 0 || !d.shape.isScalar() {
		return nil
	}
	column := &n.table.MetadataColumns[i]
	if column.Type == sqlq.Float64 && !d.isFloat() {
		return nil
	}
	return column
}

// isFloat reports whether a scalar of metadata is read as a FLOAT64 only.
func (d *dynamic) isFloat() bool {
	return d.shape.scalarType().kind == numberKind && d.shape.root().kinds&(1<<int64Kind|1<<numericKind) == 0
}

// isTypedList reports whether typed rows have one element in the array at a path of metadata.
func (n *tableSource) isTypedList(path []string) bool {
	return len(path) == 0 && len(n.table.MetadataColumns) > 0 ||
		len(path) == 1 && slices.ContainsFunc(n.table.MetadataColumns, func(c sqlq.MetadataColumn) bool { return len(c.Path) == 2 && c.Path[0] == path[0] })
}

// typedColumn returns the typed column that a scalar of metadata is read from: a text, or a number if nothing else is read.
func (p *clickhousePrinter) typedColumn(d *dynamic) (v clickhouseValue, ok bool) {
	table, path, ok := d.inTable()
	if !ok || !p.typedTables[table] {
		return v, false
	}
	column := table.metadataColumn(d, path)
	v = clickhouseValue{sql: clickhouseTable(table.alias) + "." + clickhouseName(column.Name), typ: scalar(stringKind), isSimple: true}
	switch {
	case column.Type == sqlq.String:
	case column.Type == sqlq.Float64:
		v.typ = scalar(numberKind)
	case d.isFloat():
		v.sql, v.typ, v.isSimple = "toFloat64("+v.sql+")", scalar(numberKind), false
	default:
		v.sql, v.isSimple = "toString("+v.sql+")", false
	}
	return v, true
}

// proof returns the condition without which typed columns must not be read: that a SELECT reads no rows which are not typed. It is an error
// that ClickHouse raises before it reads anything else. It is empty if the SELECT reads no typed columns.
func (p *clickhousePrinter) proof(n *selectRows) string {
	if n.from == nil || len(p.typedTables) == 0 {
		return ""
	}
	var proofs []string
	for _, owner := range n.from.owners() {
		table, ok := owner.(*tableSource)
		if !ok || !p.typedTables[table] {
			continue
		}
		proof := "(SELECT throwIf(count() > 0, " + clickhouseText(sqlq.UntypedRowsMessage) + ") FROM " + clickhouseName(sqlq.UntypedRows(table.table.Name)) + " AS " + clickhouseTable(table.alias)
		if conditions := p.conditionsOn(n, table); conditions != nil {
			proof += " WHERE " + strings.Join(conditions, " AND ")
		}
		proofs = append(proofs, proof+") = 0")
	}
	return strings.Join(proofs, " AND ")
}

// conditionsOn returns the conditions of a SELECT on columns of a table alone, without which none of its rows is read.
func (p *clickhousePrinter) conditionsOn(n *selectRows, table *tableSource) (conditions []string) {
	if n.where.node == nil || !isFiltered(n.from, table) {
		return nil
	}
	var add func(v value)
	add = func(v value) {
		if both, ok := v.node.(*call); ok && both.isConjunction {
			add(both.args[0])
			add(both.args[1])
			return
		}
		isOf, isRead := true, false
		walk(v.node, func(n node) bool {
			switch n := n.(type) {
			case *subquery, *dynamic:
				isOf = false
			case *reference:
				isRead, isOf = true, isOf && n.owner == source(table)
			}
			return isOf
		})
		if isOf && isRead {
			conditions = append(conditions, "("+p.condition(v)+")")
		}
	}
	add(n.where)
	return conditions
}

// isFiltered reports whether a condition behind a join keeps rows of a table out of the join.
func isFiltered(from source, table *tableSource) bool {
	join, ok := from.(*joinSource)
	if !ok {
		return from == source(table)
	}
	isInner := join.kind == "CROSS" || join.kind == "INNER"
	return (isInner || join.kind == "LEFT") && isFiltered(join.left, table) || (isInner || join.kind == "RIGHT") && isFiltered(join.right, table)
}
