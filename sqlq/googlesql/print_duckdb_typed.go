package googlesql

import (
	"maps"
	"slices"
	"strings"

	"savedq/sqlq"
)

// typedValue is how a field is read where it is a typed column: as a FLOAT64, if it is read as such, and as a text.
type typedValue struct{ number, text fragment }

// rawText is the text of a value of metadata as JSON has it.
type rawText struct{ of *dynamic }

func (t rawText) print(p *printer) { t.of.asText(p).print(p) }

// typedValue returns how a value is read where it is a typed column.
func (p *printer) typedValue(d *dynamic) (found typedValue, ok bool) {
	key, isField := d.fieldKey()
	if !isField {
		return typedValue{}, false
	}
	for _, frame := range slices.Backward(p.frames) {
		if found, ok = frame.typed[key]; ok {
			return found, true
		}
	}
	return typedValue{}, false
}

// typedValues returns how fields are read behind a source.
func (p *printer) typedValues(of source) map[fieldKey]typedValue {
	join, ok := of.(*joinSource)
	if !ok {
		return nil
	}
	if rows := p.typed[join]; rows != nil {
		return rows.values(func(f *typedField) typedValue {
			if !f.isNumber() {
				return typedValue{text: rows.output(f.Column)}
			}
			return typedValue{number: text("coalesce(", rows.output(f.Column), ", ", converting{rows.output(textOf(f.Column)), "DOUBLE", true}, ")")}
		})
	}
	values, right := p.typedValues(join.left), p.typedValues(join.right)
	if values == nil {
		return right
	}
	maps.Copy(values, right)
	return values
}

func (t *typedRows) values(of func(f *typedField) typedValue) map[fieldKey]typedValue {
	values := make(map[fieldKey]typedValue)
	for key, field := range t.fields {
		values[key] = of(field)
	}
	return values
}

// output is a column of the rows.
func (t *typedRows) output(name string) fragment {
	return plain(quoteName(t.alias()) + "." + quoteName(name))
}

func (t *typedRows) alias() string { return t.lists[len(t.lists)-1].alias }

// textOf is the name of the column with the text of a number that is not in its typed column.
func textOf(column string) string { return "#" + column }

// layout returns the columns of the rows that nodes are.
func (t *typedRows) layout() map[node]string {
	names := make(map[node]string)
	for name, references := range t.columns {
		for _, reference := range references {
			names[reference] = quoteName(t.alias()) + "." + quoteName(name)
		}
	}
	return names
}

// inTable returns how fields are read in the view of typed rows.
func (t *typedRows) inTable() map[fieldKey]typedValue {
	return t.values(func(f *typedField) typedValue {
		column := quoteName(t.table.alias) + "." + quoteName(f.Column)
		found := typedValue{text: plain(column)}
		if f.Type != sqlq.String {
			found = typedValue{number: plain("CAST(" + column + " AS DOUBLE)"), text: plain("CAST(" + column + " AS VARCHAR)")}
		}
		return found
	})
}

// sorted returns the fields in the order of the columns.
func (t *typedRows) sorted() []*typedField {
	fields := make([]*typedField, 0, len(t.fields))
	for _, field := range t.fields {
		fields = append(fields, field)
	}
	slices.SortFunc(fields, func(a, b *typedField) int { return strings.Compare(a.Column, b.Column) })
	return fields
}

// writeTyped prints typed rows: those of events whose typed columns say all, and those that the JSON of the other events has.
func (p *printer) writeTyped(n *joinSource, rows *typedRows) {
	frames := p.frames
	defer func() { p.frames = frames }()
	p.frames = append(slices.Clone(frames[:len(frames)-1]), &duckdbFrame{from: rows.table, typed: rows.inTable()})
	p.write("(")
	p.writeTypedColumns(rows)
	p.write("\nUNION ALL\n")
	p.frames = slices.Clone(frames[:len(frames)-1])
	delete(p.typed, n)
	p.views[rows.table] = sqlq.UntypedRows(rows.table.table.Name)
	rows.fromJSON(n).print(p)
	delete(p.views, rows.table)
	p.typed[n] = rows
	text("\n) AS ", quoteName(rows.alias())).print(p)
}

// writeTypedColumns prints the rows of events whose typed columns say all. DuckDB skips the events of other projects by their number.
func (p *printer) writeTypedColumns(rows *typedRows) {
	defer p.enter(rows.table)()
	table := quoteName(rows.table.alias)
	var items []fragment
	for _, name := range keys(rows.columns) {
		items = append(items, plain(table+"."+quoteName(name)))
	}
	for _, field := range rows.sorted() {
		value := p.frames[len(p.frames)-1].typed[field.key]
		if field.isNumber() {
			items = append(items, text(value.number, " AS ", quoteName(field.Column)), plain("CAST(NULL AS VARCHAR) AS "+quoteName(textOf(field.Column))))
		} else {
			items = append(items, text(value.text, " AS ", quoteName(field.Column)))
		}
	}
	text("SELECT ", list(", ", items), "\nFROM ", marked{plain(quoteName(sqlq.TypedRows(rows.table.table.Name))), rows.table.at}, " AS ", table).print(p)
	var conditions []fragment
	for _, condition := range rows.where {
		conditions = append(conditions, marked{condition.node, condition.at})
		if project := rows.projectIn(condition); project != nil {
			conditions = append(conditions, text(table, ".project_key = md5_number_lower(", project, ")"))
		}
	}
	if len(conditions) > 0 {
		text("\nWHERE ", list(" AND ", conditions)).print(p)
	}
}

// fromJSON returns the rows as a SELECT that reads metadata, with the columns of [printer.writeTypedColumns].
func (t *typedRows) fromJSON(from *joinSource) *selectRows {
	rows := &selectRows{of: &relation{}, from: from}
	add := func(name string, of node) {
		rows.of.columns = append(rows.of.columns, column{name, value{node: of, at: t.table.at}})
	}
	for _, name := range keys(t.columns) {
		add(name, t.columns[name][0])
	}
	for _, field := range t.sorted() {
		if field.isNumber() {
			add(field.Column, written{plain("CAST(NULL AS DOUBLE)")})
			add(textOf(field.Column), written{rawText{field.value}})
		} else {
			add(field.Column, written{rawText{field.value}})
		}
	}
	for _, condition := range t.where {
		if rows.where.node == nil {
			rows.where = condition
			continue
		}
		both := []value{rows.where, condition}
		rows.where = newValue(scalar(boolKind), condition.at, &call{function: operator("AND"), at: condition.at, args: both, typ: scalar(boolKind), isConjunction: true}, both...)
	}
	return rows
}
