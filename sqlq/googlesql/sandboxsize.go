package googlesql

// mostValueBytes limits the texts, arrays and structs that the SQL of a caller makes. DuckDB holds some thousand
// of them at a time in memory that its limit does not count.
const mostValueBytes = 256 << 10

// mostElementsOfRow limits the arrays that the SQL of a caller generates from the values of a row, of which there are some
// thousand at a time. Other arrays are made once.
const mostElementsOfRow = 16 << 10

// mostCallersBytes limits the SQL of DuckDB for the SQL of a caller.
const mostCallersBytes = 128 << 10

// sizeOf returns a template of the most that a function can make of its arguments: bytes, or elements. It is empty
// for functions that make no more than their arguments are long together, so that the length of the SQL limits
// them.
func sizeOf(name string, args int) string {
	switch name {
	case "REPEAT":
		return "CAST(strlen({0}) AS DOUBLE) * {1}"
	case "LPAD", "RPAD":
		return "4 * CAST({1} AS DOUBLE)"
	case "REPLACE", "REGEXP_REPLACE":
		return "CAST(1 + strlen({0}) AS DOUBLE) * (1 + strlen({2}))"
	case "TO_HEX", "TO_BASE64":
		return "2 * octet_length({0})"
	case "TO_JSON_STRING", "TO_JSON":
		return "2 * strlen(CAST({0} AS VARCHAR))"
	case "ARRAY_TO_STRING":
		if args == 3 {
			return "CAST(len({0}) AS DOUBLE) * (1 + strlen({1}) + strlen({2}))"
		}
		return "CAST(len({0}) AS DOUBLE) * (1 + strlen({1}))"
	case "GENERATE_ARRAY":
		if args == 3 {
			return "(CAST({1} AS DOUBLE) - {0}) / nullif({2}, 0)"
		}
		return "CAST({1} AS DOUBLE) - {0}"
	case "GENERATE_DATE_ARRAY", "GENERATE_TIMESTAMP_ARRAY":
		if args == 3 {
			return "(epoch({1}) - epoch({0})) / nullif(epoch({2}), 0)"
		}
		return "(epoch({1}) - epoch({0})) / 86400"
	}
	return ""
}

// bounded returns the result of a call with an error in its place if a caller makes too much of it.
func (c *call) bounded(v value) value {
	size := sizeOf(c.name, len(c.args))
	if size == "" || !c.r.env.isCallers(c.at) {
		return v
	}
	most, message := mostValueBytes, "The result of "+c.name+" is longer than "+itoa(mostValueBytes>>10)+" KiB"
	made := c.template(size)
	if c.typ.kind == arrayKind {
		if len(c.r.references(made)) > 0 {
			most = mostElementsOfRow
		}
		message = c.name + " makes more than " + itoa(most) + " elements"
	}
	v.sql = text("CASE WHEN ", made, " > "+itoa(most)+" THEN ", raise(message), " ELSE ", v.sql, " END")
	return v
}

// boundedColumn returns a column that a caller computes with an error in its place if it is too long: the next query
// could join it with itself. A column that is only read is as long as it is stored.
func (r *resolver) boundedColumn(x expression, v value) value {
	switch x.(type) {
	case *pathExpr, *literal, *param:
		return v
	}
	if !r.env.isCallers(x.offset()) || v.quantiles != nil || !v.typ.is(stringKind, bytesKind, jsonKind, arrayKind, structKind) {
		return v
	}
	e := quoteName(r.alias("e"))
	size := "strlen(CAST(" + e + " AS VARCHAR))"
	switch v.typ.kind { //nolint:exhaustive // The others have the length of their text.
	case stringKind:
		size = "strlen(" + e + ")"
	case bytesKind:
		size = "octet_length(" + e + ")"
	}
	message := "A value is longer than " + itoa(mostValueBytes>>10) + " KiB"
	v.sql = text("list_transform([", v.sql, "], lambda "+e+": CASE WHEN "+size+" > "+itoa(mostValueBytes)+" THEN ", raise(message), " ELSE "+e+" END)[1]")
	return v
}
