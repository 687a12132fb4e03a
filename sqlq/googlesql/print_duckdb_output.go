package googlesql

import "strings"

// asOutput writes a value as BigQuery returns it.
func asOutput(v value) fragment {
	if !v.typ.differsInOutput() {
		return v.node
	}
	switch v.typ.kind { //nolint:exhaustive // The others are texts.
	case bytesKind:
		return text("to_base64(", v, ")")
	case arrayKind:
		if !v.typ.elem.differsInOutput() {
			return text("coalesce(", v, ", [])")
		}
		return text("coalesce(list_transform(", v, ", lambda e: ", asOutput(inside(v.typ.elem, written{plain("e")}, v.at)), "), [])")
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
