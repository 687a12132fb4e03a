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
	isWritten := func(c column) bool { return c.value.typ.hasStrings() || r.asDecimal(c) != nil }
	if len(r.env.Columns) == 0 || !slices.ContainsFunc(rel.columns, isWritten) {
		return rel
	}
	alias := quoteName(r.alias("result"))
	written := &relation{columns: each(rel.columns, func(i int, c column) column {
		v := c.value.column(plain(alias + "." + quoteName(fieldName(c.name, i))))
		if text := r.asDecimal(column{c.name, v}); text != nil {
			return column{c.name, value{typ: scalar(stringKind), sql: text, at: c.value.at}}
		}
		return column{c.name, asOutput(v)}
	})}
	written.fragment = text("SELECT ", deferred(func() fragment { return selectList(written.columns) }), "\nFROM (\n", rel, "\n) AS ", plain(alias))
	return written
}

// asDecimal returns a NUMERIC whose column is declared as a STRING; nil for others.
func (r *resolver) asDecimal(c column) fragment {
	declaredString := slices.ContainsFunc(r.env.Columns, func(declared sqlq.Column) bool { return declared.Name == c.name && declared.Type == sqlq.String })
	if !declaredString || !c.value.typ.is(numericKind) {
		return nil
	}
	return castToText(c.value)
}

// hasStrings reports whether a value of the type holds values that are returned as strings.
func (t *dataType) hasStrings() bool {
	return t.is(bytesKind, intervalKind, timeKind) || t.kind == arrayKind && t.elem.hasStrings() ||
		slices.ContainsFunc(t.fields, func(f field) bool { return f.typ.hasStrings() })
}

// asOutput returns a value as BigQuery returns it.
func asOutput(v value) value {
	if !v.typ.hasStrings() {
		return v
	}
	switch v.typ.kind { //nolint:exhaustive // The others are returned as they are.
	case bytesKind:
		return newValue(scalar(stringKind), v.at, "to_base64(", v, ")")
	case arrayKind:
		elem := asOutput(element(v.typ.elem, plain("e"), v.at))
		return newValue(arrayOf(elem.typ), v.at, "list_transform(", v, ", lambda e: ", elem, ")")
	case structKind:
		typ := &dataType{kind: structKind}
		fields := each(v.typ.fields, func(i int, f field) value {
			inner := asOutput(v.fieldAt(i, v.at))
			typ.fields = append(typ.fields, field{f.name, inner.typ})
			return inner
		})
		return newValue(typ, v.at, "CASE WHEN ", v, " IS NOT NULL THEN ", packed(typ.fields, fields), " END")
	}
	return newValue(scalar(stringKind), v.at, castToText(v))
}

// intervalText is an INTERVAL in its canonical form, such as 1-2 3 4:5:6.789. Its three parts have signs of their own.
func intervalText(v value) fragment {
	return template(intervalParts(`CASE WHEN $y < 0 OR $m < 0 THEN '-' ELSE '' END || abs($y) || '-' || abs($m) || ' ' || $d || ' ' || CASE WHEN $h < 0 OR $n < 0 OR $u < 0 THEN '-' ELSE '' END ||
		abs($h) || ':' || abs($n) || ':' || abs($u) // 1000000 || CASE WHEN $u % 1000000 = 0 THEN '' WHEN $u % 1000 = 0 THEN printf('.%03d', abs($u) // 1000 % 1000) ELSE printf('.%06d', abs($u) % 1000000) END`), v)
}

// isoInterval is an INTERVAL as JSON has it, such as P1Y2M3DT4H5M6.789S.
func isoInterval(v value) fragment {
	return template(intervalParts(`CASE WHEN {0} IS NULL THEN NULL WHEN $y = 0 AND $m = 0 AND $d = 0 AND $h = 0 AND $n = 0 AND $u = 0 THEN 'P0Y' ELSE concat('P', CASE WHEN $y <> 0 THEN $y || 'Y' END, CASE WHEN $m <> 0 THEN $m || 'M' END,
		CASE WHEN $d <> 0 THEN $d || 'D' END, CASE WHEN $h <> 0 OR $n <> 0 OR $u <> 0 THEN 'T' END, CASE WHEN $h <> 0 THEN $h || 'H' END, CASE WHEN $n <> 0 THEN $n || 'M' END,
		CASE WHEN $u <> 0 THEN CASE WHEN $u < 0 THEN '-' ELSE '' END || rtrim(rtrim(printf('%d.%06d', abs($u) // 1000000, abs($u) % 1000000), '0'), '.') || 'S' END) END`), v)
}

// intervalParts are the parts of the interval {0}: $y years, $m months, $d days, $h hours, $n minutes and $u microseconds.
func intervalParts(sql string) string {
	return "(" + strings.NewReplacer("$y", "year({0})", "$m", "month({0})", "$d", "day({0})", "$h", "hour({0})", "$n", "minute({0})", "$u", "microsecond({0})", "\n\t\t", " ").Replace(sql) + ")"
}
