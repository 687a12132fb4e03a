package googlesql

// resolve resolves CAST and SAFE_CAST.
func (x *castExpr) resolve(r *resolver, s *scope) value {
	if x.format != nil {
		return r.castFormat(x, s)
	}
	v, to := r.expression(x.x, s), x.to.of()
	if v.typ.is(stringKind) && to.is(intervalKind) {
		return castToInterval(x, v)
	}
	if !castable(v, to) {
		fail(x.place, "a value of type %s does not convert to %s", v.typ, to)
	}
	out := casted(v, to)
	out.at = x.place
	if x.safe {
		out.node = &cast{at: x.place, of: v, to: to, safe: true}
	} else if c, ok := out.node.(*cast); ok {
		c.at = x.place
	}
	return out.from(v)
}

// casted converts a value as CAST does, where that is possible.
func casted(v value, to *dataType) value {
	switch from := v.typ; {
	case isReadFromText(v, to):
		if from.kind == dynamicKind {
			from.shape.use(scalar(stringKind))
		}
	case coercible(v, to) >= 0:
		converted, _ := convert(v, to)
		return converted
	case from.is(arrayKind):
		casted(value{typ: from.elem}, to.elem)
	}
	return newValue(to, v.at, &cast{at: v.at, of: v, to: to}, v)
}

// isReadFromText reports whether CAST reads a text, though the value converts without a cast, too.
func isReadFromText(v value, to *dataType) bool {
	return v.typ.is(stringKind) && v.constant != nil && to.is(timestampKind, datetimeKind, dateKind, timeKind) ||
		v.typ.kind == dynamicKind && to.is(boolKind, dateKind, datetimeKind, timeKind, numericKind, bytesKind, timestampKind)
}

// castable reports whether a value converts to a type with CAST.
func castable(v value, to *dataType) bool {
	from := v.typ
	isWhole := to.is(arrayKind, structKind, jsonKind)
	switch {
	case coercible(v, to) >= 0, from.kind == dynamicKind && to.is(bytesKind):
		return true
	case from.is(stringKind):
		return !isWhole && !to.is(intervalKind)
	case to.is(stringKind):
		return !from.is(arrayKind, structKind, jsonKind)
	case from.is(arrayKind) && to.is(arrayKind):
		return castable(value{typ: from.elem}, to.elem)
	}
	return from.is(boolKind) && to.is(int64Kind) || from.is(int64Kind) && to.is(boolKind) || from.isNumeric() && to.isNumeric() ||
		from.is(timestampKind, datetimeKind) && to.is(dateKind, datetimeKind, timeKind, timestampKind) || from.is(intervalKind) && to.is(intervalKind)
}

// howToConvert returns what makes values of two types alike, for the message that they are not.
func howToConvert(a, b value) string {
	isOf := func(kinds ...kind) bool { return a.typ.is(kinds...) || b.typ.is(kinds...) }
	isNumber := a.typ.isNumeric() || b.typ.isNumeric()
	switch {
	case castable(a, b.typ) || castable(b, a.typ):
		return "convert one with CAST"
	case isOf(jsonKind):
		return "read the JSON with STRING, INT64, FLOAT64, BOOL or JSON_VALUE"
	case isOf(timestampKind) && isNumber:
		return "UNIX_MICROS(x) is a number, and TIMESTAMP_MICROS(n) a TIMESTAMP"
	case isOf(dateKind) && isNumber:
		return "UNIX_DATE(x) is a number, and DATE_FROM_UNIX_DATE(n) a DATE"
	case isOf(intervalKind) && isNumber:
		return "TIMESTAMP_DIFF and DATE_DIFF are numbers, and INTERVAL n DAY is an INTERVAL"
	}
	return "no CAST converts one to the other"
}
