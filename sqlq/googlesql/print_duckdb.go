package googlesql

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// duckdb writes the SQL of DuckDB.
type duckdb struct{}

func (duckdb) name() string { return "DuckDB" }

func (duckdb) finish(p *printer, rowBytes int) { p.writeShares(rowBytes) }

func (duckdb) form(f *function) form { return f.duckdb }

// duckdbState is what the printer of DuckDB's SQL knows of where it is.
type duckdbState struct {
	// frames are the SELECTs around what is printed, with the innermost at the end.
	frames []*duckdbFrame
	// selects is how many SELECTs of frames read their rows where it is printed, and owners the sources of the innermost.
	selects int
	owners  []source
	// lambdas are the arrays whose elements the lambdas around what is printed take.
	lambdas []*arraySource
	// lists says which subqueries are functions on lists.
	lists map[listPlace]bool
	// splits are the columns of the subqueries that split arrays.
	splits map[*joinSource]*splitColumns
	// typed are the joins that are printed as typed rows, and views what tables are read from instead of themselves.
	typed map[*joinSource]*typedRows
	views map[*tableSource]string
	// safe means that NULL stands for errors.
	safe bool
	// inBranch means that the SQL is in a branch.
	inBranch bool
	// shares are the places of the shares that are not known yet.
	shares []int
	// copies are more shares that no expression has.
	copies int
}

// Parts of DuckDB's SQL besides nodes.
type (
	// safe is NULL instead of the errors that [raised] and [converting] raise.
	safe struct{ fragment }
	// failing is a part of a safe fragment that raises errors.
	failing struct{ fragment }
	// converting is a CAST, or a TRY_CAST where NULL stands for errors.
	converting struct {
		fragment
		to string
		// isText means that a text is converted.
		isText bool
	}
	// extracting reads a field of a struct.
	extracting struct {
		fragment
		field string
	}
	// branch is computed for some rows only, as a part of a CASE.
	branch struct{ fragment }
)

func (s safe) print(p *printer) { p.printSafe(s.fragment, true) }

func (f failing) print(p *printer) { p.printSafe(f.fragment, false) }

func (p *printer) printSafe(of fragment, safe bool) {
	before := p.safe
	p.safe = safe
	of.print(p)
	p.safe = before
}

func (c converting) print(p *printer) {
	p.write(ifElse(p.safe, "TRY_CAST(", "CAST("))
	c.fragment.print(p)
	// In a branch, DuckDB also converts the fields of structs for which the branch is not. It does not when it computes
	// another text of the field first.
	if p.inBranch && !p.safe && c.isText && p.isExtracting(c.fragment) {
		p.write(" || ''")
	}
	p.write(" AS " + c.to + ")")
}

// isExtracting reports whether a fragment is a field of a struct.
func (p *printer) isExtracting(of fragment) bool {
	switch of := of.(type) {
	case extracting:
		return true
	case written:
		return p.isExtracting(of.fragment)
	case branch:
		return p.isExtracting(of.fragment)
	case sequence:
		return len(of) > 0 && p.isExtracting(of[0])
	case *call:
		return p.isExtracting(p.call(of))
	case *member:
		return of.of.typ.kind == structKind
	case *dynamic:
		return p.column(of) == "" && p.isExtracting(of.asIs(p))
	}
	return false
}

func (e extracting) print(p *printer) {
	text("struct_extract(", e.fragment, ", ", quoteText(e.field), ")").print(p)
}

func (b branch) print(p *printer) {
	before := p.inBranch
	p.inBranch = true
	b.fragment.print(p)
	p.inBranch = before
}

// writtenValue returns a value that stands for text of DuckDB.
func writtenValue(typ *dataType, at place, parts ...any) value {
	return value{typ: typ, node: written{text(parts...)}, at: at}
}

// as returns the value as one of DuckDB's text.
func (v value) as(of fragment) value {
	v.node, v.dyn = written{of}, nil
	return v
}

func (duckdb) write(p *printer, n node) {
	switch n := n.(type) {
	case written:
		n.print(p)
	case raised:
		if p.safe {
			p.write("NULL")
		} else {
			text("error('"+RaisedPrefix+"' || ", n.message, ")").print(p)
		}
	case *reference:
		p.writeReference(n)
	case *queryRows:
		p.writeQuery(n)
	case *selectRows:
		p.writeSelect(n)
	case *setRows:
		text(n.left, "\n", n.op, "\n").print(p)
		p.writeRight(n.right)
	case *bracketRows:
		p.writeBracket(n)
	case source:
		p.writeSource(n)
	default:
		if column := p.column(n); column != "" {
			p.write(column)
			return
		}
		p.duckdb(n).print(p)
	}
}

// duckdb returns a node of an expression in DuckDB's SQL.
func (p *printer) duckdb(n node) fragment {
	switch n := n.(type) {
	case *constant:
		return plain(n.duckdb())
	case *parameter:
		typ := n.typ
		if n.shape != nil {
			typ = n.shape.paramType()
		}
		return plain("CAST($" + n.name + " AS " + typ.duck() + ")")
	case *call:
		return p.call(n)
	case *dynamic:
		return n.asIs(p)
	case *conversion:
		return p.converted(n.of, n.to)
	case *cast:
		return p.cast(n)
	case *caseOf:
		return n.duckdb()
	case *member:
		if n.of.typ.kind == jsonKind {
			return text("json_extract(", n.of, ", ", quoteText("$."+quoteName(n.name)), ")")
		}
		return extracting{n.of.node, n.name}
	case *element:
		return n.duckdb()
	case *arrayOfValues:
		return p.limited(n.at, "an array", n.values, sizeOfEach, func(values []value) fragment {
			return text("CAST([", list(", ", fragments(values)), "] AS ", n.typ.duck(), ")")
		})
	case *structOfValues:
		if n.isRow {
			return packed(n.fields, n.values)
		}
		return p.limited(n.at, "a struct", n.values, sizeOfEach, func(values []value) fragment { return packed(n.fields, values) })
	case *elementsOf:
		if n.of.dyn != nil {
			return n.of.dyn.asList(p)
		}
		return plain("CAST([] AS VARCHAR[])")
	case *subquery:
		return p.subquery(n)
	case *groupKey:
		if !n.keys.hold(n.of) {
			return n.of
		}
		return text("CASE WHEN true THEN ", n.of, " END")
	case *bounded:
		return p.limited(n.at, "A column", []value{n.of}, sizeOfEach, func(args []value) fragment { return args[0].node })
	case *quantile:
		position := slices.Index(n.array.quantiles.computed(), n.index) + 1
		return text("list_extract(", n.array, ", "+itoa(position)+")")
	case *orderKeys:
		return n.duckdb()
	case *over:
		return n.duckdb()
	}
	panic("no node of an expression")
}

// duckdb returns a constant. Numbers have their type, because DuckDB would take the least that fits.
func (n *constant) duckdb() string {
	switch n.kind { //nolint:exhaustive // The others follow.
	case nullKind:
		return "NULL"
	case boolKind:
		return n.text
	case int64Kind:
		return typedNumber(n.text, "BIGINT")
	case float64Kind:
		return typedNumber(n.text, "DOUBLE")
	case numericKind:
		return "CAST(" + quoteText(n.text) + " AS DECIMAL(38, 9))"
	case jsonKind:
		return "CAST(" + quoteText(n.text) + " AS JSON)"
	case stringKind:
		return quoteText(n.text)
	case bytesKind:
		return "unhex('" + hex.EncodeToString([]byte(n.text)) + "')"
	}
	return scalar(n.kind).duck() + " " + quoteText(n.text)
}

func typedNumber(number, duck string) string {
	if n, err := strconv.ParseInt(number, 0, 64); err == nil && strings.ContainsAny(number, "xX") {
		number = strconv.FormatInt(n, 10)
	}
	if strings.HasPrefix(number, "-") {
		return "(" + number + ")::" + duck
	}
	return number + "::" + duck
}

// duckdb returns a CASE.
func (n *caseOf) duckdb() fragment {
	parts := []any{"CASE"}
	for i, condition := range n.conditions {
		parts = append(parts, " WHEN ", branch{condition.node}, " THEN ", branch{n.results[i].node})
	}
	if len(n.results) > len(n.conditions) {
		parts = append(parts, " ELSE ", branch{n.results[len(n.results)-1].node})
	}
	return text(append(parts, " END")...)
}

// duckdb returns an element of a list or of JSON.
func (n *element) duckdb() fragment {
	if n.of.typ.kind == jsonKind {
		return text("json_extract(", n.of, ", ", n.index, ")")
	}
	index := fromZero(n.index, n.kind)
	if isSafe(n.kind) {
		return text("list_extract(", n.of, ", CASE WHEN ", index, " >= 0 THEN ", index, " + 1 END)")
	}
	return text("list_extract(", n.of, ", ", inBounds(index, text("len(", n.of, ")")), " + 1)")
}

func isSafe(kind string) bool { return strings.HasPrefix(kind, "SAFE_") }

// fromZero returns an index that counts from 0.
func fromZero(index value, kind string) fragment {
	if strings.HasSuffix(kind, "ORDINAL") {
		return text("(", index, " - 1)")
	}
	return index.node
}

// inBounds is an index that is an error if the array has no such element; NULL stays NULL.
func inBounds(index, length fragment) fragment {
	return text("CASE WHEN ", index, " BETWEEN 0 AND ", length, " - 1 OR ", length, " IS NULL OR ", index, " IS NULL THEN ", index, " ELSE error('Array index is out of bounds') END")
}

// packed is a struct of values.
func packed(fields []field, values []value) fragment {
	return text("struct_pack(", list(", ", each(values, func(i int, v value) fragment { return text(quoteName(fieldName(fields[i].name, i))+" := ", v) })), ")")
}

// call returns a call, in callers' SQL with a limit of what it makes.
func (p *printer) call(c *call) fragment {
	if c.safe {
		unsafe := *c
		unsafe.safe = false
		return p.tried(c.args, func(args []value) fragment { return p.call(unsafe.with(args)) })
	}
	switch {
	case c.kind != scalarFunction:
		return p.formed(c)
	case strings.HasPrefix(c.name, "GENERATE_") && !p.env.isCallers(c.at):
		return p.generated(c, mostElements)
	case strings.HasPrefix(c.name, "GENERATE_") && p.isConstant(c):
		return p.generated(c, mostCallersElements)
	}
	return p.limited(c.at, c.name, c.args, c.bytes, func(args []value) fragment { return p.formed(c.with(args)) })
}

// formed returns a call as its function has it.
func (p *printer) formed(c *call) fragment {
	form := p.form(c)
	switch {
	case c.kind == aggregateFunction && c.written != nil && c.written.having != "" && c.name != "ANY_VALUE":
		return p.ofExtremes(c)
	case form.by != nil:
		return form.by(p, c)
	case strings.Contains(form.sql, "lambda"):
		return p.inLambda(c, func(args []value) fragment { return c.with(args).template(form.sql) })
	}
	return c.template(form.sql)
}

// tried returns a fragment that is made of arguments, with NULL for the errors that it raises itself. Errors of its
// arguments stay errors, so they are computed first. DuckDB's TRY takes no subquery, and raises what reading the field of
// a struct raises.
func (p *printer) tried(args []value, body func(args []value) fragment) fragment {
	return p.hoisted(args, func(args []value) fragment { return text("TRY(", safe{body(args)}, ")") })
}

// inLambda returns a fragment that has arguments in the body of a lambda. What no lambda takes is computed first.
func (p *printer) inLambda(c *call, body func(args []value) fragment) fragment {
	if slices.ContainsFunc(c.args, func(arg value) bool { return p.isOpaque(arg) || p.isFromOutside(arg.node) }) {
		return p.hoisted(c.args, body)
	}
	return body(c.args)
}

// hoisted returns a fragment that is made of arguments. Those that are computed are computed first, and stand for
// themselves as the fields of a struct.
func (p *printer) hoisted(args []value, body func(args []value) fragment) fragment {
	param := quoteName("#args") // which no name of a query is, and equal calls have the same SQL
	var fields []fragment
	inner := slices.Clone(args)
	for i, arg := range args {
		if p.isComputed(arg) || p.isFromOutside(arg.node) {
			fields = append(fields, text("a"+itoa(i)+" := ", arg))
			inner[i] = inside(arg.typ, written{extracting{plain(param), "a" + itoa(i)}}, arg.at)
		}
	}
	if fields == nil {
		return body(args)
	}
	return text("list_extract(list_transform([struct_pack(", list(", ", fields), ")], lambda "+param+": ", body(inner), "), 1)")
}

// isComputed reports whether a value is not only read.
func (p *printer) isComputed(v value) bool {
	return !p.isColumn(v.node) && v.constant == nil && !v.isParam && v.dyn == nil
}

// isColumn reports whether a node is a column of a table or a subquery.
func (p *printer) isColumn(n node) bool {
	if r, ok := n.(*reference); ok {
		return !p.isLambda(r.owner)
	}
	return n != nil && p.column(n) != ""
}

// isFromOutside reports whether a node reads a query around the innermost SELECT. DuckDB does not find its columns from a
// lambda.
func (p *printer) isFromOutside(of node) bool {
	return p.selects > 1 && reads(of, func(r *reference) bool { return !slices.Contains(p.owners, r.owner) && !p.isLambda(r.owner) })
}

func (p *printer) isLambda(of source) bool {
	array, ok := of.(*arraySource)
	return ok && slices.Contains(p.lambdas, array)
}
