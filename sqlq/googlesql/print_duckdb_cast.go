package googlesql

// timestampFromText reads a text as a time in UTC unless it has another zone.
func timestampFromText(sql fragment) fragment {
	return inUTC(converting{sql, "TIMESTAMPTZ", true})
}

// cast returns CAST or SAFE_CAST, which in callers' SQL has a limit of what it makes.
func (p *printer) cast(n *cast) fragment {
	if n.format != nil {
		return p.castFormat(n)
	}
	build := func(args []value) fragment { return p.castOf(n, args[0]) }
	if !n.to.isMade() || !n.of.typ.isMade() || n.of.typ.equal(n.to) {
		return build([]value{n.of})
	}
	return p.limited(n.at, "CAST", []value{n.of}, sizeOfEach, build)
}

// castOf returns a cast of a value.
func (p *printer) castOf(n *cast, v value) fragment {
	switch {
	case n.safe && v.typ.is(stringKind) && n.to.is(intervalKind):
		return p.tried([]value{v}, func(args []value) fragment { return p.casted(args[0], n.to) })
	case n.safe && v.typ.is(bytesKind): // decode has no form that returns NULL
		return p.tried([]value{v}, func(args []value) fragment { return castToText(args[0]) })
	case n.safe && v.dyn == nil:
		v.node = written{failing{v.node}}
		fallthrough
	case n.safe:
		return safe{p.casted(v, n.to)}
	}
	return p.casted(v, n.to)
}

// casted converts a value as CAST does.
func (p *printer) casted(v value, to *dataType) fragment {
	from := v.typ
	switch {
	case isReadFromText(v, to) && v.dyn != nil:
		return castFromText(v.dyn.asText(p), to)
	case isReadFromText(v, to):
		return castFromText(v.node, to)
	case coercible(v, to) >= 0:
		converted, _ := convert(v, to)
		if c, ok := converted.node.(*conversion); ok {
			return p.converted(c.of, c.to)
		}
		return converted.node
	case from.is(stringKind):
		return castFromText(v.node, to)
	case to.is(stringKind):
		return castToText(v)
	case from.is(float64Kind, numericKind, numberKind) && to.is(int64Kind):
		return converting{text("round(", v, ")"), "BIGINT", false}
	case from.is(float64Kind, numberKind) && to.is(numericKind):
		return toNumeric(v)
	case from.is(arrayKind):
		return text("list_transform(", v, ", lambda e: ", p.casted(inside(from.elem, written{plain("e")}, v.at), to.elem), ")")
	}
	return converting{v.node, to.duck(), false}
}

// converted returns a value in another type, to which it converts without a cast.
func (p *printer) converted(v value, to *dataType) fragment {
	switch {
	case v.typ.kind == structKind && !v.typ.isNamedAs(to): // DuckDB converts by names
		fields := each(to.fields, func(i int, f field) value { return coerce(v.fieldAt(i, v.at), f.typ) })
		return text("CASE WHEN ", v, " IS NOT NULL THEN ", packed(to.fields, fields), " END")
	case v.dyn != nil:
		return v.dyn.as(p, to)
	case v.typ.is(numericKind) && to.is(float64Kind, numberKind):
		return fromNumeric(v)
	case v.typ.is(numberKind) && to.is(numericKind):
		return toNumeric(v)
	case v.typ.is(arrayKind) && to.elem.is(structKind):
		inner, _ := convert(inside(v.typ.elem, written{plain("e")}, v.at), to.elem)
		return text("list_transform(", v, ", lambda e: ", inner, ")")
	}
	return converting{v.node, to.duck(), false}
}

// castFromText converts a text. DuckDB takes more spellings of integers and booleans.
func castFromText(of fragment, to *dataType) fragment {
	switch to.kind { //nolint:exhaustive // The others are converted alike.
	case int64Kind:
		unsigned := text("ltrim(", of, ", '+-')")
		negative := text("-CAST(", converting{unsigned, "UBIGINT", true}, " AS HUGEINT)")
		return text("CASE WHEN regexp_full_match(", of, ", '[+-]?[0-9]+') THEN ", converting{of, "BIGINT", true}, " WHEN regexp_full_match(", of, ", '-0[xX][0-9a-fA-F]+') THEN ",
			converting{negative, "BIGINT", false}, " WHEN regexp_full_match(", of, ", '[+]?0[xX][0-9a-fA-F]+') THEN ", converting{unsigned, "BIGINT", true}, " WHEN ", of, " IS NOT NULL THEN ", badValue(to), " END")
	case boolKind:
		return text("CASE lower(", of, ") WHEN 'true' THEN true WHEN 'false' THEN false ELSE CASE WHEN ", of, " IS NOT NULL THEN ", badValue(to), " END END")
	case float64Kind, numericKind:
		return matching(of, `[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?)|[nN][aA][nN]`, to, converting{of, to.duck(), true})
	case dateKind:
		return inYears(matching(of, datePattern, to, converting{of, "DATE", true}), to)
	case datetimeKind:
		return inYears(matching(of, datePattern+timePattern, to, converting{of, "TIMESTAMP", true}), to)
	case timestampKind:
		inUTC := quoteText(datePattern + timePattern + `\s?([zZ]|UTC|[+-][0-9:]+)?`)
		return inYears(text("CASE WHEN regexp_full_match(", of, ", "+inUTC+") THEN ", timestampFromText(of), " ELSE ",
			matching(of, datePattern+timePattern+`\s?`+zonePattern, to, timestampInZone(of)), " END"), to)
	case timeKind:
		return matching(of, clockPattern, to, converting{of, "TIME", true})
	case bytesKind:
		return text("encode(", of, ")")
	case intervalKind:
		x := writtenValue(scalar(stringKind), 0, of)
		return template(duckdbInterval("interval_months({0})", "interval_days({0})", "interval_micros({0})"), x)
	case arrayKind, structKind, jsonKind:
		return nil
	}
	return converting{of, to.duck(), true}
}

// Patterns of texts that are times, of which DuckDB takes others, too, such as 2026/11/20, 24:00:00 and infinity.
const (
	datePattern  = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
	clockPattern = `([01]?[0-9]|2[0-3]):[0-9]{1,2}:[0-9]{1,2}(\.[0-9]{0,6})?`
	timePattern  = "([ tT]" + clockPattern + ")?"
	zonePattern  = `[A-Za-z_]+/[A-Za-z0-9_/+-]+`
)

// timestampInZone reads a text that ends with the name of a zone.
func timestampInZone(of fragment) fragment {
	zone := text("regexp_extract(", of, ", '"+zonePattern+"$')")
	local := converting{text("regexp_replace(", of, `, '\s?`+zonePattern+"$', '')"), "TIMESTAMP", true}
	return firstInZone(zone, local, converting{of, "TIMESTAMPTZ", true})
}

// matching converts a text that matches a pattern. Others are errors.
func matching(of fragment, pattern string, to *dataType, converted fragment) fragment {
	return text("CASE WHEN regexp_full_match(", of, ", "+quoteText(pattern)+") THEN ", converted, " WHEN ", of, " IS NOT NULL THEN ", badValue(to), " END")
}

// badValue is the error of a value that has no value of a type. It does not quote the value: the engine may evaluate
// a cast for rows that a later condition hides from the caller.
func badValue(to *dataType) fragment {
	return raise("a value cannot be converted to " + to.String() + "; SAFE_CAST returns NULL for it")
}

// castToText converts a value to the text that GoogleSQL makes of it.
func castToText(v value) fragment {
	switch v.typ.kind { //nolint:exhaustive // The others are converted alike.
	case timestampKind:
		return joined([]fragment{datetimeText(v), plain("'+00'")}, scalar(stringKind))
	case datetimeKind:
		return datetimeText(v)
	case bytesKind:
		return text("decode(", v, ")")
	case float64Kind, numberKind:
		// As many digits as it takes, of 15 and 17.
		short := text("printf('%.15g', ", v, ")")
		// Neither 0 nor NaN has a sign.
		return text("CASE WHEN ", v, " = 0 THEN '0' WHEN isnan(", v, ") THEN 'nan' WHEN CAST(", short, " AS DOUBLE) = ", v, " THEN ", short, " ELSE printf('%.17g', ", v, ") END")
	case timeKind:
		return text("substr(", datetimeText(writtenValue(v.typ, v.at, "(DATE '1970-01-01' + ", v, ")")), ", 12)")
	case numericKind:
		return text(`regexp_replace(CAST(`, v, ` AS VARCHAR), '\.?0+$', '')`)
	case intervalKind:
		return intervalText(v)
	case arrayKind, structKind, jsonKind:
		return nil
	}
	return text("CAST(", v, " AS VARCHAR)")
}

// datetimeText has as many digits of the second as it takes: none, three or six.
func datetimeText(v value) fragment {
	return text("CASE WHEN microsecond(", v, ") % 1000000 = 0 THEN strftime(", v, ", '%Y-%m-%d %H:%M:%S') WHEN microsecond(", v,
		") % 1000 = 0 THEN strftime(", v, ", '%Y-%m-%d %H:%M:%S.%g') ELSE strftime(", v, ", '%Y-%m-%d %H:%M:%S.%f') END")
}
