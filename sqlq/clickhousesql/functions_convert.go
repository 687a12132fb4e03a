package clickhousesql

import (
	"strings"
	"time"
)

func conversionRows() []function {
	rows := []function{
		{name: "toString", args: "Any", result: "String", doc: "The text of a value.", write: func(p *printer, v *value) string { return textOf(p.plain(v.args[0]), v.args[0].typ) }},
		{name: "toDate", others: []string{"toDate32"}, args: "Scalar", result: "Date", doc: "The day of a time, of a text, or of the days since 1970.", build: buildConversion(dateType(), "")},
		{name: "toDateTime", others: []string{"toDateTime32"}, args: "Scalar, [const String]", result: "DateTime", doc: "A time of a text such as '2026-11-20 10:00:00', or of the seconds since 1970.", build: buildConversion(dateTimeType(), "")},
		{name: "toDateTime64", args: "Scalar, const Int, [const String]", result: "DateTime64(6)", doc: "A time with digits of a second.", build: buildMoment(false)},
		{name: "toBool", args: "Scalar", result: "Bool", doc: "A Bool.", build: buildConversion(&dataType{kind: boolKind}, "")},
		{name: "toTypeName", args: "Any", result: "String", doc: "The name of the type of a value.", nulls: true, write: func(_ *printer, v *value) string { return quoteText(v.args[0].typ.String()) }},
		{name: "parseDateTimeBestEffort", others: []string{"parseDateTime32BestEffort", "parseDateTimeBestEffortUS"}, args: "String, [const String]", result: "DateTime", doc: "A time of a text in one of many forms, such as ISO 8601.", build: buildBestEffort(dateTimeType(), "")},
		{name: "parseDateTimeBestEffortOrNull", others: []string{"parseDateTime32BestEffortOrNull"}, args: "String", result: "Nullable(DateTime)", doc: "Another text is NULL.", build: buildBestEffort(dateTimeType(), "Null")},
		{name: "parseDateTimeBestEffortOrZero", others: []string{"parseDateTime32BestEffortOrZero"}, args: "String", result: "DateTime", doc: "Another text is the start of 1970.", build: buildBestEffort(dateTimeType(), "Zero")},
		{name: "parseDateTime64BestEffort", args: "String, [const Int], [const String]", result: "DateTime64(3)", doc: "A time with digits of a second.", build: buildMoment(true)},
		{name: "parseDateTime64BestEffortOrNull", args: "String, [const Int]", result: "Nullable(DateTime64(3))", doc: "Another text is NULL.", build: buildMoment(true)},
		{name: "savedqTime", args: "String", hidden: true, write: writeTimeOfText},
	}
	for _, to := range []struct {
		name string
		typ  *dataType
	}{
		{"Int8", intType(8, true)},
		{"Int16", intType(16, true)},
		{"Int32", intType(32, true)},
		{"Int64", intType(64, true)},
		{"UInt8", intType(8, false)},
		{"UInt16", intType(16, false)},
		{"UInt32", intType(32, false)},
		{"UInt64", intType(64, false)},
		{"Float32", &dataType{kind: floatKind, bits: 32}},
		{"Float64", floatType()},
	} {
		rows = append(rows,
			function{name: "to" + to.name, args: "Scalar", result: to.name, doc: "The number of a value; a text that is no number is an error.", build: buildConversion(to.typ, "")},
			function{name: "to" + to.name + "OrZero", args: "String", result: to.name, doc: "The number of a text, or 0.", write: writeNumberOfText(to.typ, "Zero")},
			function{name: "to" + to.name + "OrNull", args: "String", result: "Nullable(" + to.name + ")", doc: "The number of a text, or NULL.", write: writeNumberOfText(to.typ, "Null")},
			function{name: "to" + to.name + "OrDefault", args: "String, [Number]", result: to.name, doc: "The number of a text, or the second argument.", write: writeNumberOfText(to.typ, "Default")},
		)
	}
	for _, to := range []struct {
		name string
		typ  *dataType
	}{{"Date", dateType()}, {"DateTime", dateTimeType()}} {
		rows = append(rows,
			function{name: "to" + to.name + "OrNull", args: "String", result: "Nullable(" + to.name + ")", doc: "The time of a text, or NULL.", build: buildBestEffort(to.typ, "Null")},
			function{name: "to" + to.name + "OrZero", args: "String", result: to.name, doc: "The time of a text, or the start of 1970.", build: buildBestEffort(to.typ, "Zero")},
		)
	}
	return rows
}

// buildConversion resolves a function that casts.
func buildConversion(to *dataType, _ string) func(r *resolver, c *call) *value {
	return func(r *resolver, c *call) *value {
		if len(c.args) == 2 && to.kind == timeKind {
			zone := r.value(c.args[1], c.s)
			if !zone.isString() {
				fail(zone.place, "the second argument of %s is a time zone", c.name)
			}
			checkZone(zone.text, zone.place)
			c.args = c.args[:1]
		}
		c.checkCount(1, 1)
		return r.convert(c.place, r.value(c.args[0], c.s), to)
	}
}

// buildMoment resolves functions whose second argument says the digits of a second.
func buildMoment(bestEffort bool) func(r *resolver, c *call) *value {
	return func(r *resolver, c *call) *value {
		c.checkCount(1, 3)
		c.values = r.arguments(c)
		if len(c.values) == 3 {
			checkZone(c.values[2].text, c.values[2].place)
		}
		to := momentType(scaleOf(&call{values: c.values}, 1, 3))
		if !bestEffort {
			return r.convert(c.place, c.values[0], to)
		}
		kind := ""
		if strings.HasSuffix(c.name, "OrNull") {
			kind = "Null"
		}
		return r.bestEffort(c, to, kind)
	}
}

func buildBestEffort(to *dataType, otherwise string) func(r *resolver, c *call) *value {
	return func(r *resolver, c *call) *value {
		c.checkCount(1, 2)
		c.values = r.arguments(c)
		if len(c.values) == 2 {
			checkZone(c.values[1].text, c.values[1].place)
		}
		return r.bestEffort(c, to, otherwise)
	}
}

// bestEffort resolves the time of a text. otherwise says what another text is: Null, Zero, or an error if it is empty.
func (r *resolver) bestEffort(c *call, to *dataType, otherwise string) *value {
	text := c.values[0]
	if text.typ.kind != stringKind {
		fail(text.place, "%s takes a String, and this is a %s", c.name, text.typ)
	}
	if text.isString() {
		moment, ok := readBestEffort(text.text)
		switch {
		case ok:
			return r.moment(c.place, moment, to)
		case otherwise == "Null":
			return r.nullValue(c.place)
		case otherwise == "Zero":
			return r.moment(c.place, time.Unix(0, 0).UTC(), to)
		}
		fail(text.place, "'%s' is no time", text.text)
	}
	typ := to.orNull(text.typ.nullable || otherwise == "Null")
	v := r.newCall(c.place, row("savedqTime"), typ, text)
	v.to, v.text, v.written = to, otherwise, c.name
	return r.intern(v)
}

// writeTimeOfText reads a time of a text in ISO 8601 or as the seconds since 1970.
func writeTimeOfText(p *printer, v *value) string {
	x := p.plain(v.args[0])
	read := "CASE WHEN regexp_full_match(" + x + ", '[0-9]{9,10}') THEN make_timestamp(CAST(" + x + " AS BIGINT) * 1000000) ELSE TRY_CAST(" + x + " AS TIMESTAMP) END"
	if v.to.kind == dateKind {
		read = "CAST(" + read + " AS DATE)"
	} else {
		read = cutTo(read, v.to.scale)
	}
	switch v.text {
	case "Null":
		return read
	case "Zero":
		return "coalesce(" + read + ", " + v.to.zero() + ")"
	}
	return "coalesce(" + read + ", CASE WHEN " + x + " IS NOT NULL THEN " + raise("a text is no time; use parseDateTimeBestEffortOrNull") + " END)"
}

// bounds are the types of DuckDB that have the range of an integer.
func bounds(typ *dataType) string {
	return map[bool]map[int]string{
		true: {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}, false: {8: "UTINYINT", 16: "USMALLINT", 32: "UINTEGER", 64: "UBIGINT"},
	}[typ.signed][typ.bits]
}

// numberOfText reads a number of a text; NULL if it is none.
func numberOfText(x string, typ *dataType) string {
	if typ.kind == floatKind {
		return "CASE WHEN regexp_full_match(" + x + ", '[+-]?([0-9]+\\.?[0-9]*([eE][+-]?[0-9]+)?|\\.[0-9]+([eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))') THEN CAST(" + single("TRY_CAST("+x+" AS DOUBLE)", typ) + " AS DOUBLE) END"
	}
	sign := "[+-]?"
	if !typ.signed {
		sign = "\\+?"
	}
	return "CASE WHEN regexp_full_match(" + x + ", '" + sign + "[0-9]+') THEN CAST(TRY_CAST(" + x + " AS " + bounds(typ) + ") AS " + typ.duck() + ") END"
}

// single rounds a number to the digits of a Float32.
func single(sql string, typ *dataType) string {
	if typ.bits == 32 {
		return "CAST(" + sql + " AS FLOAT)"
	}
	return sql
}

func writeNumberOfText(typ *dataType, otherwise string) func(p *printer, v *value) string {
	return func(p *printer, v *value) string {
		number := numberOfText(p.plain(v.args[0]), typ)
		switch {
		case otherwise == "Null":
			return number
		case len(v.args) == 2:
			return "coalesce(" + number + ", " + p.as(v.args[1], typ) + ")"
		}
		if v.args[0].typ.nullable {
			return "CASE WHEN " + p.plain(v.args[0]) + " IS NOT NULL THEN coalesce(" + number + ", " + typ.zero() + ") END"
		}
		return "coalesce(" + number + ", " + typ.zero() + ")"
	}
}

// writeCast casts a value to the type of the call.
func writeCast(p *printer, v *value) string {
	from, to := v.args[0], v.to
	if from.isNull() {
		return "CAST(NULL AS " + to.duck() + ")"
	}
	switch to.kind {
	case stringKind:
		return textOf(p.plain(from), from.typ)
	case intKind:
		return p.castInt(from, to)
	case floatKind:
		switch {
		case from.typ.kind == stringKind:
			return "coalesce(" + numberOfText(p.plain(from), to) + ", " + raise("a text is no number; use toFloat64OrZero") + ")"
		case from.typ.isTime():
			return "(epoch_us(CAST(" + p.plain(from) + " AS TIMESTAMP)) / 1000000.0::DOUBLE)"
		}
		return "CAST(" + single(p.float(from), to) + " AS DOUBLE)"
	case boolKind:
		if from.typ.kind == stringKind {
			return "CAST(lower(" + p.plain(from) + ") AS BOOLEAN)"
		}
		return p.condition(from)
	case dateKind, timeKind:
		return p.castTime(from, to)
	case arrayKind, mapKind, tupleKind, nothingKind, intervalKind, lambdaKind:
	}
	return "CAST(" + p.plain(from) + " AS " + to.duck() + ")"
}

func (p *printer) castInt(from *value, to *dataType) string {
	switch {
	case from.typ.kind == stringKind:
		return "coalesce(" + numberOfText(p.plain(from), to) + ", CASE WHEN " + p.plain(from) + " IS NOT NULL THEN " + raise("a text is no "+to.notNull().String()+"; use to"+to.notNull().String()+"OrZero") + " END)"
	case from.typ.kind == dateKind:
		return "(" + p.plain(from) + " - DATE '1970-01-01')"
	case from.typ.kind == timeKind:
		return "(epoch_us(" + p.plain(from) + ") // 1000000)"
	case from.typ.kind == floatKind:
		x := "trunc(" + p.plain(from) + ")"
		return wrapped("CASE WHEN isfinite("+x+") AND abs("+x+") < 9e18 THEN CAST("+x+" AS HUGEINT) ELSE 0::HUGEINT END", to)
	case from.typ.kind == boolKind || fitsIn(from.typ, to):
		return "CAST(" + p.number(from) + " AS " + to.duck() + ")"
	}
	return wrapped("CAST("+p.number(from)+" AS HUGEINT)", to)
}

// fitsIn reports whether all values of a type of integers are in another one.
func fitsIn(from, to *dataType) bool {
	if from.signed == to.signed {
		return from.bits <= to.bits
	}
	return to.signed && from.bits < to.bits
}

func (p *printer) castTime(from *value, to *dataType) string {
	x := p.plain(from)
	switch from.typ.kind {
	case stringKind:
		read := "CASE WHEN regexp_full_match(" + x + ", '[0-9]{5,10}') THEN make_timestamp(CAST(" + x + " AS BIGINT) * 1000000) ELSE TRY_CAST(" + x + " AS TIMESTAMP) END"
		x = "coalesce(" + read + ", CASE WHEN " + x + " IS NOT NULL THEN " + raise("a text is no time; use parseDateTimeBestEffortOrNull") + " END)"
	case intKind, floatKind:
		if to.kind == dateKind {
			return "(DATE '1970-01-01' + CAST(" + p.number(from) + " AS INTEGER))"
		}
		x = "make_timestamp(CAST(" + p.number(from) + " * 1000000 AS BIGINT))"
	case dateKind:
		if to.kind == dateKind {
			return x
		}
		return "CAST(" + x + " AS TIMESTAMP)"
	case timeKind:
		if to.kind == timeKind && to.scale >= from.typ.scale {
			return x
		}
	case nothingKind, boolKind, arrayKind, mapKind, tupleKind, intervalKind, lambdaKind:
	}
	if to.kind == dateKind {
		return "CAST(" + x + " AS DATE)"
	}
	return cutTo(x, to.scale)
}

// textOf is the text of a value as ClickHouse writes it.
func textOf(sql string, typ *dataType) string {
	switch typ.kind {
	case stringKind:
		return sql
	case floatKind:
		number := sql
		if typ.bits == 32 {
			number = "CAST(" + sql + " AS FLOAT)"
		}
		return "(CASE WHEN isnan(" + sql + ") THEN 'nan' WHEN isinf(" + sql + ") THEN CASE WHEN " + sql + " > 0 THEN 'inf' ELSE '-inf' END ELSE regexp_replace(CAST(to_json(" + number + ") AS VARCHAR), '\\.0$', '') END)"
	case timeKind:
		switch {
		case typ.scale == wholeSeconds || typ.scale == 0:
			return "strftime(" + sql + ", '%Y-%m-%d %H:%M:%S')"
		case typ.scale <= 6:
			return "left(strftime(" + sql + ", '%Y-%m-%d %H:%M:%S.%f'), " + itoa(20+typ.scale) + ")"
		}
		return "(strftime(" + sql + ", '%Y-%m-%d %H:%M:%S.%f') || '" + strings.Repeat("0", typ.scale-6) + "')"
	case arrayKind:
		return "('[' || array_to_string(list_transform(" + sql + ", lambda e: " + inArray("e", typ.elem()) + "), ',') || ']')"
	case mapKind:
		return "('{' || array_to_string(list_transform(map_entries(" + sql + "), lambda e: " + inArray("e.key", typ.inner[0]) + " || ':' || " + inArray("e.value", typ.inner[1]) + "), ',') || '}')"
	case tupleKind:
		fields := make([]string, len(typ.inner))
		for i, inner := range typ.inner {
			fields[i] = inArray("struct_extract("+sql+", 'f"+itoa(i+1)+"')", inner)
		}
		return "('(' || " + strings.Join(fields, " || ',' || ") + " || ')')"
	case nothingKind, intKind, boolKind, dateKind, intervalKind, lambdaKind:
	}
	return "CAST(" + sql + " AS VARCHAR)"
}

// inArray is the text of an element.
func inArray(sql string, typ *dataType) string {
	text := textOf(sql, typ)
	if typ.is(stringKind, dateKind, timeKind) {
		text = "'''' || replace(replace(" + text + `, '\', '\\'), '''', '\''') || ''''`
	}
	if typ.nullable {
		text = "coalesce(" + text + ", 'NULL')"
	}
	return "(" + text + ")"
}
