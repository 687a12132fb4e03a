package googlesql

import (
	"slices"

	"savedq/sqlq"
)

// output returns a result with values as BigQuery returns them: BYTES in base64, INTERVAL and TIME as CAST writes them, and an empty
// array for one that is NULL, wherever they are in a value. They are written last, so that ORDER BY sorts the values and not
// their texts.
func (r *resolver) output(rel *relation) *relation {
	isWritten := func(c column) bool { return c.value.typ.differsInOutput() || r.isDecimal(c) }
	if len(r.env.Columns) == 0 || !slices.ContainsFunc(rel.columns, isWritten) {
		return rel
	}
	from, variables := r.aliased(rel, r.alias("result"), "")
	written := &relation{columns: each(variables[0].columns, func(_ int, c column) column {
		if r.isDecimal(c) {
			return column{c.name, casted(c.value, scalar(stringKind))}
		}
		return column{c.name, r.asOutput(c.value)}
	})}
	written.rows = &selectRows{of: written, from: from}
	return written
}

// isDecimal reports whether a column is a NUMERIC that is declared as a STRING.
func (r *resolver) isDecimal(c column) bool {
	return c.value.typ.is(numericKind) &&
		slices.ContainsFunc(r.env.Columns, func(declared sqlq.Column) bool { return declared.Name == c.name && declared.Type == sqlq.String })
}

// hasStrings reports whether a value of the type holds values that are returned as strings.
func (t *dataType) hasStrings() bool {
	return t.is(bytesKind, intervalKind, timeKind) || t.kind == arrayKind && t.elem.hasStrings() ||
		slices.ContainsFunc(t.fields, func(f field) bool { return f.typ.hasStrings() })
}

// differsInOutput reports whether a value of the type is returned in another form.
func (t *dataType) differsInOutput() bool {
	return t.is(arrayKind) || t.hasStrings() || slices.ContainsFunc(t.fields, func(f field) bool { return f.typ.differsInOutput() })
}

// asOutput returns a value as BigQuery returns it.
func (r *resolver) asOutput(v value) value {
	if !v.typ.differsInOutput() {
		return v
	}
	typ := v.typ.asOutput()
	return newValue(typ, v.at, &call{function: operator("as output"), r: r, at: v.at, args: []value{v}, typ: typ}, v)
}

// asOutput returns the type of values as BigQuery returns them.
func (t *dataType) asOutput() *dataType {
	switch {
	case !t.hasStrings():
		return t
	case t.kind == arrayKind:
		return arrayOf(t.elem.asOutput())
	case t.kind == structKind:
		return &dataType{kind: structKind, fields: each(t.fields, func(_ int, f field) field { return field{f.name, f.typ.asOutput()} })}
	}
	return scalar(stringKind)
}
