package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// output returns a result with values that only GoogleSQL has as the strings that BigQuery returns: BYTES in base64, and
// INTERVAL and TIME as CAST writes them, wherever they are in a value. They are written last, so that ORDER BY sorts the
// values and not their texts.
func (r *resolver) output(rel *relation) *relation {
	isWritten := func(c column) bool { return c.value.typ.hasStrings() || r.isDecimal(c) }
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

// asOutput returns a value as BigQuery returns it.
func (r *resolver) asOutput(v value) value {
	if !v.typ.hasStrings() {
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

// asOutput writes a value as BigQuery returns it.
func asOutput(v value) fragment {
	if !v.typ.hasStrings() {
		return v.node
	}
	switch v.typ.kind { //nolint:exhaustive // The others are texts.
	case bytesKind:
		return text("to_base64(", v, ")")
	case arrayKind:
		return text("list_transform(", v, ", lambda e: ", asOutput(inside(v.typ.elem, written{plain("e")}, v.at)), ")")
	case structKind:
		fields := each(v.typ.fields, func(i int, _ field) value {
			inner := v.fieldAt(i, v.at)
			return inner.as(asOutput(inner))
		})
		return text("CASE WHEN ", v, " IS NOT NULL THEN ", packed(v.typ.fields, fields), " END")
	}
	return castToText(v)
}

// intervalText is an INTERVAL in its canonical form, such as 1-2 3 4:5:6.789. Its three parts have signs of their own.
func intervalText(v value) fragment {
	return template(partsOfInterval(`CASE WHEN $y < 0 OR $m < 0 THEN '-' ELSE '' END || abs($y) || '-' || abs($m) || ' ' || $d || ' ' || CASE WHEN $h < 0 OR $n < 0 OR $u < 0 THEN '-' ELSE '' END ||
		abs($h) || ':' || abs($n) || ':' || abs($u) // 1000000 || CASE WHEN $u % 1000000 = 0 THEN '' WHEN $u % 1000 = 0 THEN printf('.%03d', abs($u) // 1000 % 1000) ELSE printf('.%06d', abs($u) % 1000000) END`), v)
}

// isoInterval is an INTERVAL as JSON has it, such as P1Y2M3DT4H5M6.789S.
func isoInterval(v value) fragment {
	return template(partsOfInterval(`CASE WHEN {0} IS NULL THEN NULL WHEN $y = 0 AND $m = 0 AND $d = 0 AND $h = 0 AND $n = 0 AND $u = 0 THEN 'P0Y' ELSE concat('P', CASE WHEN $y <> 0 THEN $y || 'Y' END, CASE WHEN $m <> 0 THEN $m || 'M' END,
		CASE WHEN $d <> 0 THEN $d || 'D' END, CASE WHEN $h <> 0 OR $n <> 0 OR $u <> 0 THEN 'T' END, CASE WHEN $h <> 0 THEN $h || 'H' END, CASE WHEN $n <> 0 THEN $n || 'M' END,
		CASE WHEN $u <> 0 THEN CASE WHEN $u < 0 THEN '-' ELSE '' END || rtrim(rtrim(printf('%d.%06d', abs($u) // 1000000, abs($u) % 1000000), '0'), '.') || 'S' END) END`), v)
}

// partsOfInterval are the parts of the interval {0}: $y years, $m months, $d days, $h hours, $n minutes and $u microseconds.
func partsOfInterval(sql string) string {
	return "(" + strings.NewReplacer("$y", "year({0})", "$m", "month({0})", "$d", "day({0})", "$h", "hour({0})", "$n", "minute({0})", "$u", "microsecond({0})", "\n\t\t", " ").Replace(sql) + ")"
}
