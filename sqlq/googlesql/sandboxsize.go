package googlesql

import (
	"math/bits"
	"slices"
)

// mostRowBytes is the budget of callers' SQL for the texts and arrays that it makes of a row. All expressions that make
// them share it. DuckDB looks at its memory and at interrupts after each 2,048 rows only, which take 256 MiB then.
const mostRowBytes = 128 << 10

// mostElements limits the arrays of constants that callers' SQL generates. They are made once.
const mostElements = 256 << 10

// mostCallersBytes limits the SQL of DuckDB for the SQL of a caller.
const mostCallersBytes = 128 << 10

const (
	// elementBytes is how many bytes DuckDB takes for an element of an array.
	elementBytes = 16
	// mostScalarBytes is the most that the text of a number or of a time has.
	mostScalarBytes = 64
	// freeBytes is how long results are that need no check.
	freeBytes = 1 << 10
)

// share is the part of [mostRowBytes] that one expression has. It is known when the statement is printed. All have the
// same width, so that it can be written then.
type share struct{}

const shareWidth = 6

func (share) print(p *printer) {
	p.shares = append(p.shares, len(p.out))
	p.write("      ")
}

// copies are shares for what a lambda takes and returns, by the number of copies that DuckDB makes.
type copies int

func (c copies) print(p *printer) { p.copies += int(c) }

// lambdaCopies are a copy of the argument and one of the result.
const lambdaCopies copies = 2

// writeShares divides the budget among the expressions that were printed.
func (p *printer) writeShares() {
	most := itoa(mostRowBytes / max(1, len(p.shares)/2+p.copies)) // each is in the condition and in the message
	for _, at := range p.shares {
		copy(p.out[at+shareWidth-len(most):at+shareWidth], most)
	}
}

// generated returns an array that a caller generates of constants, with an error in its place if it is too long.
func (c *call) generated() value {
	v := c.made()
	if c.r.env.isCallers(c.at) {
		v.sql = text("CASE WHEN ", c.size(c.args), " > ", itoa(8*mostElements), " THEN ",
			raise(c.name+" makes more than "+itoa(mostElements)+" elements"), " ELSE ", v.sql, " END")
	}
	return v
}

// isConstant reports whether the arguments are the same for all rows.
func (c *call) isConstant() bool {
	return c.r.lambdas == 0 && len(c.r.references(list(", ", fragments(c.args)))) == 0
}

// within returns an expression with an error in its place if it is larger than its share.
func within(size fragment, name string, sql fragment) fragment {
	message := text("concat("+quoteText(name+" needs more than ")+", ", share{}, ", "+
		quoteText(" bytes, the share of each text and array that the SQL makes; make fewer, or shorten the arguments with LEFT")+")")
	return text("CASE WHEN ", size, " > ", share{}, " THEN ", raised{message}, " ELSE ", sql, " END")
}

// isMade reports whether values of a type take memory of their own.
func (t *dataType) isMade() bool { return t.is(stringKind, bytesKind, jsonKind, arrayKind, structKind) }

// limited returns what build makes of arguments, with an error in its place if a caller makes too much. An argument
// that is computed is computed once, before its size is known.
func (r *resolver) limited(at place, name string, args []value, size func(args []value) fragment, build func(args []value) value) value {
	if !r.env.isCallers(at) || size(args) == nil {
		return build(args)
	}
	var made value
	sql := r.hoisted(args, func(args []value) fragment {
		made = build(args)
		return within(size(args), name, made.sql)
	})
	if slices.ContainsFunc(args, value.isComputed) {
		sql = text(lambdaCopies, sql)
	}
	return result(made.typ, at, append(slices.Clone(args), made), sql)
}

// sizeOfAll returns the bytes of values together, times a factor; nil if they are few.
func sizeOfAll(args []value, factor string) fragment {
	var parts []fragment
	fixed := 0
	for _, arg := range args {
		switch {
		case arg.constant != nil:
			fixed += len(arg.constant.text)
		case arg.typ.is(stringKind):
			parts = append(parts, text("coalesce(strlen(", arg, "), 0)"))
		case arg.typ.is(bytesKind):
			parts = append(parts, text("coalesce(octet_length(", arg, "), 0)"))
		case arg.typ.is(arrayKind) && !arg.typ.elem.isMade() && arg.typ.elem.kind != dynamicKind:
			parts = append(parts, text(itoa(elementBytes)+" * coalesce(len(", arg, "), 0)"))
		case arg.typ.isMade() || arg.typ.kind == dynamicKind:
			parts = append(parts, text("coalesce(strlen(CAST(", arg, " AS VARCHAR)), 0)"))
		default:
			fixed += mostScalarBytes
		}
	}
	if len(parts) == 0 && fixed < freeBytes {
		return nil
	}
	return text(factor+"(", list(" + ", append(parts, plain(itoa(fixed)))), ")")
}

// sizeOfEach returns the bytes of the elements of an array, or of the fields of a struct.
func sizeOfEach(args []value) fragment { return sizeOfAll(args, "") }

// joinings is a factor for the texts on the way of joining many parts, which are as long as all of them for each half.
func joinings(parts int) string {
	return itoa(max(1, bits.Len(uint(parts-1))-2)) + " * "
}

// size returns the bytes that a call makes of arguments at most; nil if it makes nothing, or little.
func (c *call) size(args []value) fragment {
	switch c.name {
	case "REPEAT":
		return template("CAST(strlen({0}) AS DOUBLE) * {1}", args...)
	case "LPAD", "RPAD":
		return template("4 * CAST({1} AS DOUBLE)", args...)
	case "REPLACE", "REGEXP_REPLACE":
		return template("CAST(1 + strlen({0}) AS DOUBLE) * (1 + strlen({2}))", args...)
	case "TO_HEX", "TO_BASE64":
		return sizeOfAll(args, "2 * ")
	case "TO_JSON_STRING", "TO_JSON":
		if args[0].typ.is(dynamicKind, jsonKind) {
			break
		}
		return sizeOfAll(args, "6 * ") // of control characters
	case "ARRAY_TO_STRING":
		return template("len({0}) * CAST(strlen({1})"+ifText(len(args) == 3, " + strlen({2})", "")+" AS DOUBLE) + strlen(CAST({0} AS VARCHAR))", args...)
	case "SPLIT":
		separator := value{typ: scalar(stringKind), sql: plain("','")}
		separators := "(strlen({0}) - strlen(replace({0}, {1}, ''))) // nullif(strlen({1}), 0)"
		return template("strlen({0}) + "+itoa(elementBytes)+" * (1 + coalesce("+separators+", strlen({0})))", append(slices.Clone(args), separator)...)
	case "JSON_QUERY_ARRAY", "JSON_VALUE_ARRAY", "JSON_EXTRACT_ARRAY", "JSON_EXTRACT_STRING_ARRAY": // an element has a comma
		return sizeOfAll(args[:1], itoa(elementBytes/2)+" * ")
	case "TO_CODE_POINTS", "REGEXP_EXTRACT_ALL":
		return sizeOfAll(args[:1], itoa(elementBytes)+" * ")
	case "INSTR":
		if len(args) == 2 {
			return nil
		}
		return sizeOfAll(args[:1], itoa(elementBytes)+" * ")
	case "REVERSE", "INITCAP": // of several arrays
		return sizeOfAll(args, itoa(4*elementBytes)+" * ")
	case "CONTAINS_SUBSTR":
		return sizeOfAll(args, "")
	case "CONCAT":
		return sizeOfAll(args, joinings(len(args)))
	case "FORMAT":
		return sizeOfFormat(args)
	case "IF", "IFNULL", "COALESCE", "NULLIF", "ERROR", "ARRAY_FIRST", "ARRAY_LAST", "GREATEST", "LEAST", "MD5", "SHA1", "SHA256", "SHA512":
		return nil // what they return is there, or short
	case "GENERATE_ARRAY":
		return template("8 * (CAST({1} AS DOUBLE) - {0})"+ifText(len(args) == 3, " / nullif({2}, 0)", ""), args...)
	case "GENERATE_DATE_ARRAY", "GENERATE_TIMESTAMP_ARRAY":
		return template("8 * (epoch({1}) - epoch({0})) / "+ifText(len(args) == 3, "nullif(epoch({2}), 0)", "86400"), args...)
	}
	if c.typ.isMade() {
		return sizeOfAll(args, "")
	}
	return nil
}

// boundedColumn returns an aggregate or a subquery that a caller selects with an error in its place if it is too large:
// the next query could multiply it.
func (r *resolver) boundedColumn(x expression, v value) value {
	if !v.isOpaque || v.quantiles != nil || !v.typ.isMade() {
		return v
	}
	return r.limited(x.offset(), "A column", []value{v}, sizeOfEach, func(args []value) value { return args[0] })
}
