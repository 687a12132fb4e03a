package googlesql

import "strings"

// formattedNumber writes a number by a format.
func (p *printer) formattedNumber(f *numberFormat, of value) fragment {
	return p.hoisted([]value{of}, func(args []value) fragment {
		x := args[0]
		if f.hex != "" {
			return p.nullOrSpecial(f, x, p.hexNumber(f, x))
		}
		digits := writtenValue(scalar(stringKind), of.at, f.magnitude(x))
		isNegative := writtenValue(scalar(boolKind), of.at, "(", x, " < 0)")
		return p.nullOrSpecial(f, x, p.hoisted([]value{digits, isNegative}, func(args []value) fragment {
			mantissa := "split_part({0}, 'e', 1)"
			whole := "CASE WHEN split_part(" + mantissa + ", '.', 1) = '0' THEN '' ELSE split_part(" + mantissa + ", '.', 1) END"
			fraction := "split_part(" + mantissa + ", '.', 2)"
			if f.isCompact {
				fraction = "rtrim(" + fraction + ", '0')"
			}
			part := func(sql string) value { return writtenValue(scalar(stringKind), of.at, template(sql, args...)) }
			return p.hoisted([]value{part(whole), part(fraction), part("split_part({0}, 'e', 2)"), args[1]}, func(args []value) fragment {
				return template(f.duckdb(), args...)
			})
		}))
	})
}

// nullOrSpecial returns what is written of a number that is neither NULL, infinite nor NaN.
func (p *printer) nullOrSpecial(f *numberFormat, x value, written fragment) fragment {
	if !x.typ.is(float64Kind, numberKind) {
		return text("CASE WHEN ", x, " IS NOT NULL THEN ", written, " END")
	}
	return text("CASE WHEN isfinite(", x, ") THEN ", written, " WHEN isnan(", x, ") THEN "+quoteText(f.special("NAN", false))+" WHEN ", x, " > 0 THEN "+
		quoteText(f.special("INF", false))+" WHEN ", x, " < 0 THEN "+quoteText(f.special("INF", true))+" END")
}

// magnitude is the absolute value of a number with the digits of the format, and e and the exponent behind it if it has one.
func (f *numberFormat) magnitude(x value) fragment {
	scale := itoa(f.scale)
	switch {
	case x.typ.is(float64Kind, numberKind):
		return text("printf('%."+scale+ifElse(f.exponent != "", "e", "f")+"', abs(", x, "))")
	case f.exponent != "":
		return f.scientific(x)
	case x.typ.is(int64Kind):
		return text("CAST(abs(CAST(", x, " AS HUGEINT)) AS VARCHAR) || '."+strings.Repeat("0", f.scale)+"'")
	case f.scale > numericDigits:
		return text("CAST(abs(", x, ") AS VARCHAR) || '"+strings.Repeat("0", f.scale-numericDigits)+"'")
	}
	return text("CAST(CAST(abs(", x, ") AS DECIMAL(38, "+scale+")) AS VARCHAR)")
}

// scientific is the magnitude of an exact number with an exponent. It rounds the digits of the number, half away from zero.
func (f *numberFormat) scientific(x value) fragment {
	const mostDigits = 37 // with one more, they are a HUGEINT
	n := min(f.scale, mostDigits)
	zeros := strings.Repeat("0", n+2)
	sql := `list_extract(list_transform([replace(CAST(abs(CAST({0} AS DECIMAL(38, 9))) AS VARCHAR), '.', '')], lambda "#d": list_extract(list_transform([CAST(substr(ltrim("#d", '0') || '` + zeros + `', 1, ` + itoa(n+1) + `) AS HUGEINT) +
		CASE WHEN substr(ltrim("#d", '0') || '` + zeros + `', ` + itoa(n+2) + `, 1) >= '5' THEN 1 ELSE 0 END], lambda "#m": substr(CAST("#m" AS VARCHAR), 1, 1) || '.' || substr(rpad(CAST("#m" AS VARCHAR), ` + itoa(n+1) + `, '0'), 2, ` + itoa(n) + `) || '` +
		strings.Repeat("0", f.scale-n) + `' || 'e' || printf('%+03d', CASE WHEN {0} = 0 THEN 0 ELSE length(ltrim("#d", '0')) - 10 + length(CAST("#m" AS VARCHAR)) - ` + itoa(n+1) + ` END)), 1)), 1)`
	return template(strings.ReplaceAll(sql, "\n\t\t", " "), x)
}

// duckdb is a template of the digits before and behind the point, the exponent, and whether the number is negative.
func (f *numberFormat) duckdb() string {
	overflows := "length({0}) > " + itoa(f.digits())
	or := func(hashes, sql string) string {
		return "CASE WHEN " + overflows + " THEN '" + hashes + "' ELSE " + sql + " END"
	}
	before, behind := f.signs(true)
	positiveBefore, positiveBehind := f.signs(false)
	sign := func(negative, positive string) string {
		if negative == "" {
			return "''"
		}
		return "CASE WHEN {3} THEN '" + negative + "' ELSE '" + positive + "' END"
	}
	whole := "lpad(" + sign(before, positiveBefore) + " || '" + f.currency + "' || " + or(hashes(f.integer), f.whole()) + ", " + itoa(len(before)+len(f.currency)+len(f.integer)) + ", ' ')"
	parts := []string{whole, "'" + ifElse(f.point == ".", ".", "") + "'", or(strings.Repeat("#", f.scale), "{1}")}
	if f.exponent != "" {
		parts = append(parts, or("####", "'"+f.exponent+"' || {2}"))
	}
	sql := strings.Join(append(parts, sign(behind, positiveBehind)), " || ")
	if f.isBlank {
		sql = "CASE WHEN {0} = '' THEN regexp_replace(" + sql + ", '.', ' ', 'g') ELSE " + sql + " END"
	}
	if f.isCompact {
		return "trim(" + sql + ")"
	}
	return sql
}

// whole is a template of what is before the point. A number without digits there has a 0 only if nothing else is written.
func (f *numberFormat) whole() string {
	if f.digits() == 0 {
		return "''"
	}
	padded := "lpad({0}, " + itoa(f.digits()) + ", '0')"
	var groups []string
	at := 1
	for group := range strings.SplitSeq(f.integer, ",") {
		if group != "" {
			groups = append(groups, "substr("+padded+", "+itoa(at)+", "+itoa(len(group))+")")
		} else {
			groups = append(groups, "''")
		}
		at += len(group)
	}
	least := "1"
	if f.zeros > 1 {
		least = itoa(f.zeros)
	}
	sql := "right(" + strings.Join(groups, " || ',' || ") + ", [" + strings.Join(f.widths(), ", ") + "][greatest(length({0}), " + least + ")])"
	if f.zeros > 0 || f.exponent != "" {
		return sql
	}
	return "CASE WHEN {0} = '' AND {1} <> '' THEN '' ELSE " + sql + " END"
}

// hexNumber writes a number in hexadecimal digits. One of more than 64 bits has too many for any format.
func (p *printer) hexNumber(f *numberFormat, x value) fragment {
	n := len(f.hex)
	rounded := ifElse(x.typ.is(int64Kind), "abs(CAST({0} AS HUGEINT))", "round(abs({0}))")
	digits := writtenValue(scalar(stringKind), x.at, template("coalesce(printf('%x', TRY_CAST("+rounded+" AS UBIGINT)), repeat('0', 17))", x))
	isNegative := writtenValue(scalar(boolKind), x.at, "(", x, " < 0)")
	before, behind := f.signs(true)
	positiveBefore, positiveBehind := f.signs(false)
	var letters []string
	isUpper := true
	for i := n - 1; i >= 0; i-- {
		if f.hex[i] != '0' {
			isUpper = f.hex[i] == 'X'
		}
		letters = append([]string{ifElse(isUpper, "upper", "lower") + "(substr(lpad({0}, " + itoa(n) + ", '0'), " + itoa(i+1) + ", 1))"}, letters...)
	}
	sign := func(negative, positive string) string {
		return "CASE WHEN {1} THEN '" + negative + "' ELSE '" + positive + "' END"
	}
	sql := "lpad(" + sign(before, positiveBefore) + " || CASE WHEN length({0}) > " + itoa(n) + " THEN '" + strings.Repeat("#", n) + "' ELSE right(" + strings.Join(letters, " || ") +
		", CAST(greatest(length({0}), " + itoa(f.zeros) + ") AS INTEGER)) END, " + itoa(n+len(before)) + ", ' ') || " + sign(behind, positiveBehind)
	if f.isCompact {
		sql = "trim(" + sql + ")"
	}
	return p.hoisted([]value{digits, isNegative}, func(args []value) fragment { return template(sql, args...) })
}
