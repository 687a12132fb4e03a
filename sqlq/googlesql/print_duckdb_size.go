package googlesql

import (
	"math/bits"
	"slices"
)

const (
	// elementBytes is how many bytes DuckDB takes for an element of an array.
	elementBytes = 16
	// mostScalarBytes is the most that the text of a number or of a time has.
	mostScalarBytes = 64
	// freeBytes is how long results are that need no check.
	freeBytes = 1 << 10
)

// share is the part of the budget of a row that one expression has. It is known when the statement is printed. All have the
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

// writeShares divides the budget of a row among the expressions that were printed.
func (p *printer) writeShares(rowBytes int) {
	most := itoa(rowBytes / max(1, len(p.shares)/2+p.copies)) // each is in the condition and in the message
	for _, at := range p.shares {
		copy(p.out[at+shareWidth-len(most):at+shareWidth], most)
	}
}

// generated writes a call that makes an array, or an error if the array would have more than most elements. The size of the call
// counts the steps between the elements, which are one fewer.
func (p *printer) generated(c *call, most int) fragment {
	return text("CASE WHEN ", c.bytes(c.args), " >= ", itoa(8*most), " THEN ",
		raise(c.name+" makes more than "+itoa(most)+" elements"), " ELSE ", p.formed(c), " END")
}

// isConstant reports whether the arguments are the same for all rows.
func (p *printer) isConstant(c *call) bool {
	return len(p.lambdas) == 0 && !slices.ContainsFunc(c.args, func(arg value) bool { return reads(arg.node, func(*reference) bool { return true }) })
}

// within returns an expression with an error in its place if it is larger than its share.
func within(size fragment, name string, sql fragment) fragment {
	message := text("concat("+quoteText(name+" needs more than ")+", ", share{}, ", "+
		quoteText(" bytes, the share of each text and array that the SQL makes; make fewer, or shorten the arguments with LEFT")+")")
	return text("CASE WHEN ", size, " > ", share{}, " THEN ", raised{message}, " ELSE ", sql, " END")
}

// limited returns what build makes of arguments, with an error in its place if a caller makes too much. An argument
// that is computed is computed once, before its size is known.
func (p *printer) limited(at place, name string, args []value, size func(args []value) fragment, build func(args []value) fragment) fragment {
	if !p.env.isCallers(at) || size(args) == nil {
		return build(args)
	}
	sql := p.hoisted(args, func(args []value) fragment { return within(size(args), name, build(args)) })
	if slices.ContainsFunc(args, p.isComputed) {
		return text(lambdaCopies, sql)
	}
	return sql
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

// sizeOfJoined returns the bytes of many parts, with the texts on the way of joining them, which are as long as all of them
// for each half.
func sizeOfJoined(args []value) fragment {
	return sizeOfAll(args, joinings(len(args)))
}

func joinings(parts int) string { return itoa(max(1, bits.Len(uint(parts-1))-2)) + " * " }

// noSize is for results that are there, or short.
func noSize([]value) fragment { return nil }

// sizeTimes is the bytes of all arguments, times a factor.
func sizeTimes(factor int) func([]value) fragment {
	return func(args []value) fragment { return sizeOfAll(args, itoa(factor)+" * ") }
}

// sizeOfFirst is the bytes of the first argument, times a factor.
func sizeOfFirst(factor int) func([]value) fragment {
	return func(args []value) fragment { return sizeTimes(factor)(args[:1]) }
}

// sizeOfJSON is the bytes of a value in JSON.
func sizeOfJSON(args []value) fragment {
	if args[0].typ.is(dynamicKind, jsonKind) {
		return sizeOfEach(args)
	}
	return sizeTimes(6)(args) // of control characters
}

// sizeOfSplit is the bytes of the parts of a text.
func sizeOfSplit(separator string) func([]value) fragment {
	separators := "(strlen({0}) - strlen(replace({0}, " + separator + ", ''))) // nullif(strlen(" + separator + "), 0)"
	return sizeOf("strlen({0}) + " + itoa(elementBytes) + " * (1 + coalesce(" + separators + ", strlen({0})))")
}

// sizeOf is a template of the bytes.
func sizeOf(sql string) func([]value) fragment {
	return func(args []value) fragment { return template(sql, args...) }
}

// bytes returns the bytes that the call makes of arguments at most; nil if it makes nothing, or little.
func (c *call) bytes(args []value) fragment {
	switch {
	case c.size != nil:
		return c.size(args)
	case c.typ.isMade():
		return sizeOfEach(args)
	}
	return nil
}
