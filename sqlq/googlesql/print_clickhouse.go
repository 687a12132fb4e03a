package googlesql

import (
	"encoding/hex"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// clickhouse writes the SQL of ClickHouse, with the meaning of GoogleSQL.
type clickhouse struct{}

func (clickhouse) name() string { return "ClickHouse" }

// form is not asked for: ClickHouse has forms of its own; see [clickhouseForms].
func (clickhouse) form(*function) form { return form{} }

// finish has nothing to do: the server limits memory.
func (clickhouse) finish(*printer, int) {}

// write prints a query.
func (c clickhouse) write(p *printer, n node) { c.print(p, &clickhousePrinter{env: p.env}, n) }

func (clickhouse) print(p *printer, own *clickhousePrinter, n node) {
	sql := own.rows(n)
	for sql != "" {
		before, rest, found := strings.Cut(sql, markBegin)
		p.write(before)
		if !found {
			return
		}
		at, behind, _ := strings.Cut(rest, markEnd)
		offset, _ := strconv.Atoi(at)
		p.origins = append(p.origins, sqlq.Origin{At: len(p.out), From: offset})
		sql = behind
	}
}

// A mark holds an offset of the author's text. No text of ClickHouse's SQL has its characters, see [clickhouseText].
const (
	markBegin = "\x01"
	markEnd   = "\x02"
)

func mark(at place) string { return markBegin + strconv.Itoa(int(at)) + markEnd }

// clickhousePrinter writes the SQL of one query.
type clickhousePrinter struct {
	env *Environment
	// safe means that NULL stands for errors.
	safe bool
	// inBranch means that the SQL is computed for some rows only. Errors of constants must not be found when it is planned.
	inBranch bool
	// aliases is how many aliases queries have, and lettered how many values have had a name; see [clickhousePrinter.lets].
	aliases, lettered int
	// letLevel is how many values have a name where an expression is written.
	letLevel int
	// written is how many bytes expressions had.
	written int
	// selects are the SELECTs around what is printed, with the innermost at the end.
	selects []*clickhouseSelect
	// isCompared means that a value is only compared with others.
	isCompared bool
	// aggregated are the rows of an array that aggregates are of; nil for the rows of a query.
	aggregated *clickhouseList
	// boxed is a SELECT whose column is an array of it.
	boxed *selectRows
	// ofNone means that aggregates have no rows.
	ofNone bool
	// names are the columns of arrays that are joined.
	names map[*arraySource]clickhouseElement
	// typedTables are the tables whose typed columns are read instead of metadata.
	typedTables map[*tableSource]bool
}

// clickhouseElement is what stands for an element of an array, and its index.
type clickhouseElement struct{ element, offset string }

// clickhouseValue is an expression of ClickHouse. Arrays, structs and intervals cannot be NULL there, so that an array of none
// or one of them stands for them, unless isBare is true. All other values are Nullable, or not NULL.
type clickhouseValue struct {
	sql string
	typ *dataType
	at  place
	// isBare means that the value is an array, a struct or an interval itself, which is not NULL.
	isBare bool
	// literal is set for constants.
	literal *literal
	// interval has the months, days and microseconds of an interval as numbers.
	interval []string
	// node is what the value is made of; nil if it is not known.
	node node
	// isSimple means that the value is short, and takes no time.
	isSimple bool
}

// isNull reports whether a value is a constant NULL.
func (v clickhouseValue) isNull() bool { return v.literal != nil && v.literal.kind == nullKind }

// isConstant reports whether a value is the same for all rows.
func (v clickhouseValue) isConstant() bool {
	if v.literal != nil {
		return true
	}
	isConstant := v.node != nil
	var walk func(n node)
	walk = func(n node) {
		switch n.(type) {
		case *reference, *subquery, *dynamic:
			isConstant = false
		default:
			n.parts(walk)
		}
	}
	if isConstant {
		walk(v.node)
	}
	return isConstant
}

// integer returns the value of a constant.
func (v clickhouseValue) integer() (int64, bool) {
	if v.literal == nil || v.literal.kind != int64Kind {
		return 0, false
	}
	n, err := strconv.ParseInt(v.literal.text, 0, 64)
	return n, err == nil
}

// isWrapped reports whether values of a type cannot be NULL in ClickHouse.
func (t *dataType) isWrapped() bool { return t.is(arrayKind, structKind, intervalKind) }

// clickhouse is the type of values in ClickHouse.
func (t *dataType) clickhouse() string {
	switch {
	case t.isWrapped():
		return "Array(" + t.clickhouseBare() + ")"
	case t.kind == nullKind:
		return "Nullable(String)"
	}
	return "Nullable(" + t.clickhouseBare() + ")"
}

// clickhouseBare is the type of values that are not NULL.
func (t *dataType) clickhouseBare() string {
	switch t.kind { //nolint:exhaustive // The others are texts.
	case boolKind:
		return "Bool"
	case int64Kind:
		return "Int64"
	case numericKind:
		return "Decimal(38, 9)"
	case float64Kind, numberKind:
		return "Float64"
	case dateKind:
		return "Date32"
	case datetimeKind, timestampKind, timeKind:
		return clickhouseTimestamp
	case intervalKind:
		return "Tuple(Int64, Int64, Int64)"
	case arrayKind:
		return "Array(" + t.elem.clickhouse() + ")"
	case structKind:
		fields := each(t.fields, func(i int, f field) string { return clickhouseName(fieldName(f.name, i)) + " " + f.typ.clickhouse() })
		return "Tuple(" + strings.Join(fields, ", ") + ")"
	case dynamicKind:
		if !t.shape.isScalar() {
			return "String"
		}
		return t.shape.scalarType().clickhouseBare()
	}
	return "String"
}

// clickhouseText is a text as a constant.
func clickhouseText(text string) string {
	var out strings.Builder
	out.WriteByte('\'')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c < ' ' || c == 0x7f:
			out.WriteString(`\x` + hex.EncodeToString([]byte{c}))
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('\'')
	return out.String()
}

// clickhouseName is a name in quotes.
func clickhouseName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`", "\x01", `\x01`, "\x02", `\x02`, letBegin, `\x03`, letEnd, `\x04`).Replace(name) + "`"
}

// clickhouseTable is the alias of a table, which no column has.
func clickhouseTable(alias string) string { return clickhouseName("@" + alias) }

// clickhouseCommon is the name of a query of a WITH clause, which no table has: ClickHouse would also read it in the queries before it.
func clickhouseCommon(name string) string { return clickhouseName("with " + foldName(name)) }

func itoa64(n int64) string { return strconv.FormatInt(n, 10) }

// alias returns a name that nothing else has.
func (p *clickhousePrinter) alias() string {
	p.aliases++
	return "`#" + strconv.Itoa(p.aliases) + "`"
}

// raiseIf is a value with an error in its place if a condition is true.
func (p *clickhousePrinter) raiseIf(condition, message, sql string) string {
	if p.safe {
		return "if(" + condition + ", NULL, " + sql + ")"
	}
	if p.inBranch {
		condition = "materialize(" + condition + ")"
	}
	return "if(throwIf(ifNull(" + condition + ", false), " + clickhouseText(RaisedPrefix+message) + "), NULL, " + sql + ")"
}

// null is NULL of a type.
func (p *clickhousePrinter) null(typ *dataType) clickhouseValue {
	none := &literal{kind: nullKind}
	switch {
	case typ.isWrapped():
		return clickhouseValue{sql: "CAST([] AS " + typ.clickhouse() + ")", typ: typ, literal: none, isSimple: true}
	case typ.is(nullKind):
		return clickhouseValue{sql: "NULL", typ: typ, literal: none, isSimple: true}
	}
	return clickhouseValue{sql: "CAST(NULL AS " + typ.clickhouse() + ")", typ: typ, literal: none, isSimple: true}
}

// bare is a value of a wrapped type, which is empty for NULL.
func (p *clickhousePrinter) bare(v clickhouseValue) string {
	if v.isBare || !v.typ.isWrapped() {
		return v.sql
	}
	if v.isNull() {
		return "CAST([] AS " + v.typ.clickhouse() + ")[1]"
	}
	return v.sql + "[1]"
}

// wrapped is a value as columns and elements have it.
func (p *clickhousePrinter) wrapped(v clickhouseValue) clickhouseValue {
	if v.isBare {
		v.sql, v.isBare = "["+v.sql+"]", false
	}
	return v
}

// isNullOf is the condition that a value is NULL; empty if it never is.
func (p *clickhousePrinter) isNullOf(v clickhouseValue) string {
	switch {
	case v.isNull():
		return "true"
	case v.isBare, v.literal != nil:
		return ""
	case v.typ.isWrapped():
		return "empty(" + v.sql + ")"
	}
	return "(" + v.sql + ") IS NULL"
}

// expression writes a value.
func (p *clickhousePrinter) expression(v value) clickhouseValue {
	out := p.node(v.node, v.typ)
	out.typ, out.at, out.node = v.typ, v.at, v.node
	if p.written += len(out.sql); p.written > 16*mostPrintedBytes || len(out.sql) > mostPrintedBytes {
		fail(v.at, tooComplex)
	}
	return out
}

func (p *clickhousePrinter) expressions(values []value) []clickhouseValue {
	return each(values, func(_ int, v value) clickhouseValue { return p.expression(v) })
}

// condition writes a value as a condition.
func (p *clickhousePrinter) condition(v value) string { return p.expression(v).sql }

// node writes a node of an expression.
func (p *clickhousePrinter) node(n node, typ *dataType) clickhouseValue {
	if key, ok := p.key(n); ok {
		return clickhouseValue{sql: key, typ: typ, isSimple: true}
	}
	switch n := n.(type) {
	case nil:
		return clickhouseValue{}
	case *constant:
		return p.constant(n, typ)
	case *parameter:
		return p.parameter(n)
	case *reference:
		return clickhouseValue{sql: p.reference(n), typ: typ, isSimple: true}
	case *call:
		return p.call(n)
	case *dynamic:
		return clickhouseValue{sql: p.dynamic(n), typ: typ}
	case *conversion:
		return p.conversion(n.of, n.to, n.of.at)
	case *cast:
		defer p.compared(p.isCompared && n.of.typ.is(dateKind, datetimeKind, timestampKind))()
		return p.castOf(n)
	case *caseOf:
		return p.caseOf(n, typ)
	case *member:
		return p.member(n, typ)
	case *element:
		return p.element(n, typ)
	case *arrayOfValues:
		defer p.compared(false)()
		values := each(p.expressions(n.values), func(_ int, v clickhouseValue) string { return p.wrapped(v).sql })
		return clickhouseValue{sql: "CAST([" + strings.Join(values, ", ") + "] AS " + n.typ.clickhouseBare() + ")", typ: n.typ, isBare: true}
	case *structOfValues:
		defer p.compared(false)()
		values := each(p.expressions(n.values), func(_ int, v clickhouseValue) string { return p.wrapped(v).sql })
		made := &dataType{kind: structKind, fields: n.fields}
		return clickhouseValue{sql: "CAST(tuple(" + strings.Join(values, ", ") + ") AS " + made.clickhouseBare() + ")", typ: made, isBare: true}
	case *elementsOf:
		if n.of.dyn == nil { // NULL
			return clickhouseValue{sql: "CAST([] AS " + typ.clickhouse() + ")", typ: typ}
		}
		return p.dynamicArray(n.of.dyn, typ)
	case *subquery:
		return p.subquery(n, typ)
	case *groupKey:
		return p.node(n.of, typ)
	case *bounded:
		return p.expression(n.of)
	case *quantile:
		array := p.expression(n.array)
		position := quantilePosition(n)
		return clickhouseValue{sql: p.bare(array) + "[" + strconv.Itoa(position) + "]", typ: typ}
	}
	panic("no node of an expression of ClickHouse")
}

// constant writes a constant, with its type, because ClickHouse takes the least that fits.
func (p *clickhousePrinter) constant(n *constant, typ *dataType) clickhouseValue {
	v := clickhouseValue{typ: typ, literal: &literal{kind: n.kind, text: n.text}, isSimple: true}
	switch n.kind {
	case nullKind:
		return p.null(typ)
	case boolKind:
		v.sql = n.text
	case int64Kind:
		number, _ := strconv.ParseInt(n.text, 0, 64)
		v.sql = "toInt64(" + strconv.FormatInt(number, 10) + ")"
	case float64Kind:
		number, err := strconv.ParseFloat(n.text, 64)
		if err != nil { // an INT64 in hexadecimal
			whole, _ := strconv.ParseInt(n.text, 0, 64)
			number = float64(whole)
		}
		v.sql = "toFloat64(" + strconv.FormatFloat(number, 'g', -1, 64) + ")"
	case numericKind:
		number, _ := new(big.Rat).SetString(n.text) // ClickHouse would cut digits
		v.sql = "CAST('" + number.FloatString(numericDigits) + "' AS Decimal(38, 9))"
	case stringKind, jsonKind, bytesKind:
		v.sql = clickhouseText(n.text)
	default:
		v.sql = p.timeText(n.kind, p.clamped(n.kind, n.text), 0)
	}
	return v
}

// clamped is the text of a time. One that is only compared with others, and that ClickHouse does not have, is the first or the last
// time of ClickHouse.
func (p *clickhousePrinter) clamped(kind kind, text string) string {
	switch {
	case !p.isCompared || kind == timeKind:
		return text
	case text[:4] < "1900":
		return ifElse(kind == dateKind, "1900-01-01", "1900-01-01 00:00:00")
	case text[:4] > "2299":
		return ifElse(kind == dateKind, "2299-12-31", "2299-12-31 23:59:59.999999")
	}
	return text
}

// timeText is the constant of a time in UTC.
func (p *clickhousePrinter) timeText(kind kind, text string, at place) string {
	if kind == timeKind {
		clock, fraction, _ := strings.Cut(text, ".")
		parts := strings.Split(clock, ":")
		for i, part := range parts {
			if len(part) < 2 {
				parts[i] = "0" + part
			}
		}
		if fraction != "" {
			fraction = "." + fraction
		}
		return "toDateTime64('1970-01-01 " + strings.Join(parts, ":") + fraction + "', 6, 'UTC')"
	}
	if year := text[:4]; year < "1900" || year > "2299" {
		fail(at, "the year %s is not supported on ClickHouse, whose times are from 1900 to 2299", year)
	}
	if kind == dateKind {
		return "toDate32('" + text + "')"
	}
	return "toDateTime64('" + text + "', 6, 'UTC')"
}

// timeLiteral is a written time as a constant.
func (p *clickhousePrinter) timeLiteral(x *literal) string {
	return p.timeText(x.kind, literalTime(x), x.place)
}

// parameter writes a parameter with the type that the engine binds.
func (p *clickhousePrinter) parameter(n *parameter) clickhouseValue {
	typ := n.typ
	if n.shape != nil {
		typ = n.shape.paramType()
	}
	if typ.is(arrayKind) {
		return clickhouseValue{sql: "{" + n.name + ":Array(" + typ.elem.clickhouse() + ")}", typ: typ, isBare: true, node: n}
	}
	if equalFold(n.name, "now") {
		return clickhouseValue{sql: clickhouseNow, typ: typ, node: n, isSimple: true}
	}
	return clickhouseValue{sql: "{" + n.name + ":" + typ.clickhouse() + "}", typ: typ, node: n, isSimple: true}
}

// clickhouseNow is the time of the run (D1).
const clickhouseNow = "{now:" + clickhouseTimestamp + "}"

// caseOf writes a CASE. Its parts are computed for some rows only.
func (p *clickhousePrinter) caseOf(n *caseOf, typ *dataType) clickhouseValue {
	defer p.branch()()
	var parts []string
	result := func(v value) string { return p.typed(p.wrapped(p.expression(v)), typ) }
	otherwise := p.null(typ).sql
	if len(n.results) > len(n.conditions) {
		otherwise = ""
	}
	for i, condition := range n.conditions {
		isTrue, isKnown := p.env.decides(condition.node)
		if isTrue {
			otherwise = result(n.results[i])
			break
		}
		if !isKnown {
			parts = append(parts, p.condition(condition), result(n.results[i]))
		}
	}
	if otherwise == "" {
		otherwise = result(n.results[len(n.results)-1])
	}
	if parts == nil {
		return clickhouseValue{sql: otherwise, typ: typ}
	}
	parts = append(parts, otherwise)
	return clickhouseValue{sql: "multiIf(" + strings.Join(parts, ", ") + ")", typ: typ}
}

// decides reports whether a condition is true for the parameters whose values are fixed, and whether they decide that.
func (e *Environment) decides(condition node) (isTrue, isKnown bool) {
	equal, ok := condition.(*call)
	if !ok || equal.name != "=" {
		return false, false
	}
	param, isParam := plainNode(equal.args[0]).(*parameter)
	other, isConstant := plainNode(equal.args[1]).(*constant)
	if !isParam || !isConstant || other.kind != stringKind {
		return false, false
	}
	for name, value := range e.Fixed {
		if equalFold(name, param.name) {
			return value == other.text, true
		}
	}
	return false, false
}

// typed is a value as all branches have it: NULL has no type of its own.
func (p *clickhousePrinter) typed(v clickhouseValue, typ *dataType) string {
	if v.isNull() {
		return p.null(typ).sql
	}
	return v.sql
}

// compared begins what is only compared with others, or what is not, until the returned function is called.
func (p *clickhousePrinter) compared(isCompared bool) (leave func()) {
	before := p.isCompared
	p.isCompared = isCompared
	return func() { p.isCompared = before }
}

// branch begins what is computed for some rows only, until the returned function is called.
func (p *clickhousePrinter) branch() (leave func()) {
	before := p.inBranch
	p.inBranch = true
	return func() { p.inBranch = before }
}

// field is a field of a struct.
func (p *clickhousePrinter) field(of clickhouseValue, index int) clickhouseValue {
	return clickhouseValue{sql: "tupleElement(" + p.bare(of) + ", " + strconv.Itoa(index+1) + ")", typ: of.typ.fields[index].typ}
}

// member writes a field of a struct or a member of JSON.
func (p *clickhousePrinter) member(n *member, typ *dataType) clickhouseValue {
	of := p.expression(n.of)
	if n.of.typ.kind == jsonKind {
		return clickhouseValue{sql: p.jsonMember(of.sql, clickhouseText(n.name)), typ: typ}
	}
	return p.field(of, n.index)
}

// element writes an element of an array.
func (p *clickhousePrinter) element(n *element, typ *dataType) clickhouseValue {
	of, index := p.expression(n.of), p.expression(n.index)
	if n.of.typ.kind == jsonKind {
		return clickhouseValue{sql: p.jsonElement(of.sql, index.sql), typ: typ}
	}
	from := index.sql
	if strings.HasSuffix(n.kind, "ORDINAL") {
		from = "(" + from + " - 1)"
	}
	isSafe := strings.HasPrefix(n.kind, "SAFE_")
	return clickhouseValue{typ: typ, sql: p.lets([]string{of.sql, from}, func(names []string) string {
		of.sql = names[0]
		array, i := p.bare(of), names[1]
		at := "arrayElement(" + array + ", assumeNotNull(" + i + ") + 1)"
		if isSafe {
			return "if(" + i + " >= 0, " + at + ", " + ifElse(typ.isWrapped(), "[]", "NULL") + ")"
		}
		outside := i + " < 0 OR " + i + " >= toInt64(length(" + array + "))"
		if isNull := p.isNullOf(of); isNull != "" {
			outside = "NOT " + isNull + " AND (" + outside + ")"
		}
		if p.isNullOf(index) != "" {
			at = "if(" + i + " IS NULL, " + ifElse(typ.isWrapped(), "[]", "NULL") + ", " + at + ")"
		}
		return p.raisedOf(outside, "Array index is out of bounds", at, typ)
	})}
}

// raisedOf is as [clickhousePrinter.raiseIf], of a type that can be wrapped.
func (p *clickhousePrinter) raisedOf(condition, message, sql string, typ *dataType) string {
	raised := p.raiseIf(condition, message, sql)
	if typ.isWrapped() {
		before, _, _ := strings.Cut(raised, ", NULL, "+sql)
		raised = before + ", [], " + sql + ")"
	}
	return raised
}

// conversion writes a value in a type that it converts to without a cast.
func (p *clickhousePrinter) conversion(of value, to *dataType, at place) clickhouseValue {
	if of.dyn != nil {
		return p.dynamicAs(of.dyn, to)
	}
	converted, ok := p.cast(p.expression(of), to)
	if !ok {
		fail(at, "a value of type %s does not convert to %s on ClickHouse", of.typ, to)
	}
	return converted
}

// castOf writes CAST and SAFE_CAST.
func (p *clickhousePrinter) castOf(n *cast) clickhouseValue {
	if n.format != nil {
		return p.castFormat(n)
	}
	var of clickhouseValue
	if n.of.dyn != nil {
		of = p.dynamicValue(n.of.dyn)
		of.at = n.at
		if n.to.is(arrayKind, structKind, jsonKind) {
			return p.dynamicAs(n.of.dyn, n.to)
		}
	} else {
		of = p.expression(n.of)
	}
	before := p.safe
	p.safe = n.safe
	defer func() { p.safe = before }()
	converted, ok := p.cast(of, n.to)
	if !ok {
		fail(n.at, "CAST of a value of type %s AS %s is not supported on ClickHouse", n.of.typ, n.to)
	}
	return converted
}

// refuse fails for what ClickHouse does not have.
func (c *clickhouseCall) refuse(works string) {
	fail(c.at, "%s of these arguments is not supported on ClickHouse; it takes %s", c.name, works)
}

// clickhouseCall is a call whose arguments are written.
type clickhouseCall struct {
	*call
	p    *clickhousePrinter
	args []clickhouseValue
}

func (c *clickhouseCall) now() string { return clickhouseNow }

// value is a result of the type of the call.
func (c *clickhouseCall) value(sql string) clickhouseValue {
	if c.typ.isWrapped() {
		return clickhouseValue{sql: sql, typ: c.typ, isBare: true}
	}
	return clickhouseValue{sql: sql, typ: c.typ}
}

// isAnyNull is the condition that an argument is NULL; empty if none ever is.
func (c *clickhouseCall) isAnyNull() string {
	var conditions []string
	for _, arg := range c.args {
		if isNull := c.p.isNullOf(arg); isNull != "" && arg.sql != "" {
			conditions = append(conditions, isNull)
		}
	}
	return strings.Join(conditions, " OR ")
}

// array is an array that is NULL if an argument is.
func (c *clickhouseCall) array(sql string) clickhouseValue {
	return clickhouseValue{sql: c.arrayIfNotNull(sql), typ: c.typ, isBare: c.isAnyNull() == ""}
}

func (c *clickhouseCall) arrayIfNotNull(sql string) string {
	sql = "CAST(" + sql + " AS " + c.typ.clickhouseBare() + ")"
	if isNull := c.isAnyNull(); isNull != "" {
		return "if(" + isNull + ", [], [" + sql + "])"
	}
	return sql
}

// safely is NULL where what made writes raises an error.
func (c *clickhouseCall) safely(made func() string) clickhouseValue {
	before := c.p.safe
	c.p.safe = true
	defer func() { c.p.safe = before }()
	return c.value(made())
}

// call writes a call by its form.
func (p *clickhousePrinter) call(n *call) clickhouseValue {
	if n.kind == operatorKind {
		return p.operator(n)
	}
	form, ok := clickhouseFormOf(n.function)
	if !ok || form.why != "" {
		fail(n.at, "%s is not supported on ClickHouse%s", n.name, ifElse(form.why == "", "", "; "+form.why))
	}
	if n.kind != scalarFunction {
		return p.aggregate(n, form)
	}
	c := &clickhouseCall{call: n, p: p}
	if !slices.Contains([]string{"IF", "IFNULL", "COALESCE", "LEAST", "GREATEST", "TIMESTAMP", "DATETIME"}, n.name) {
		defer p.compared(false)()
	}
	if form.aboutNull {
		defer p.branch()()
	}
	c.args = p.expressions(n.args)
	for i := range c.args {
		if c.args[i].typ == nil {
			c.args[i].typ = scalar(nullKind)
		}
	}
	before := p.safe
	p.safe = n.safe
	defer func() { p.safe = before }()
	switch {
	case form.aboutNull:
		return form.emit(c)
	case form.emit == nil:
		return c.bound(func() clickhouseValue { return c.template(form.sql) })
	}
	return c.bound(func() clickhouseValue { return form.emit(c) })
}

// mostConstant is as [mostWritten], of constant texts. A pattern, a zone or a format is no constant as a parameter of a lambda.
const mostConstant = 8 * mostWritten

// bound writes a value with names for its arguments, which it can repeat.
func (c *clickhouseCall) bound(emit func() clickhouseValue) (v clickhouseValue) {
	var values []string
	var args []*clickhouseValue
	for i, arg := range c.args {
		if !arg.isSimple && arg.literal == nil && arg.sql != "" && arg.interval == nil {
			values, args = append(values, arg.sql), append(args, &c.args[i])
		}
	}
	most := func(i int) int {
		return ifElse(args[i].typ.is(stringKind, bytesKind) && args[i].isConstant(), mostConstant, mostWritten)
	}
	written := ""
	sql := c.p.letsUpTo(values, most, func(names []string) string {
		for i, arg := range args {
			arg.sql = names[i]
		}
		v = emit()
		written = v.sql
		return v.sql
	})
	if v.sql = sql; sql != written { // its parts have the names, too
		v.interval = nil
	}
	return v
}

// template writes a template: {0}, {1} … stand for arguments, {0!} for those that are not NULL there, {*} for all of them, {T} for
// the type of the result, {#…} for a wide integer as an INT64, and {?condition|message|value} for a value with an error in its
// place. Arrays are empty for NULL, and the result is NULL then.
func (c *clickhouseCall) template(sql string) clickhouseValue {
	if c.typ.isWrapped() {
		var conditions []string
		for i, arg := range c.args {
			switch isNull := c.p.isNullOf(arg); {
			case isNull == "" || arg.sql == "":
			case arg.isNull():
				return c.p.null(c.typ)
			case arg.typ.isWrapped():
				conditions = append(conditions, "empty({"+strconv.Itoa(i)+"@})")
			default:
				conditions = append(conditions, "({"+strconv.Itoa(i)+"}) IS NULL")
			}
		}
		sql = "CAST(" + sql + " AS " + escapeTemplate(c.typ.clickhouseBare()) + ")"
		if conditions == nil {
			return clickhouseValue{sql: c.expand(sql), typ: c.typ, isBare: true}
		}
		return clickhouseValue{sql: c.expand("if(" + strings.Join(conditions, " OR ") + ", [], [" + sql + "])"), typ: c.typ}
	}
	var conditions []string
	for i, arg := range c.args {
		if arg.typ.isWrapped() && !arg.isBare {
			conditions = append(conditions, "empty({"+strconv.Itoa(i)+"@})")
		}
		if arg.isNull() && strings.Contains(sql, "{"+strconv.Itoa(i)+"!}") {
			return c.p.null(c.typ)
		}
	}
	for i, arg := range c.args {
		if strings.Contains(sql, "{"+strconv.Itoa(i)+"!}") && c.p.isNullOf(arg) != "" && !arg.typ.isWrapped() {
			conditions = append(conditions, "({"+strconv.Itoa(i)+"}) IS NULL")
		}
	}
	if conditions != nil {
		sql = "if(" + strings.Join(conditions, " OR ") + ", NULL, " + sql + ")"
	}
	return clickhouseValue{sql: c.expand(sql), typ: c.typ}
}

// expand writes a template as it is.
func (c *clickhouseCall) expand(sql string) string {
	var expand func(sql string) string
	expand = func(sql string) string {
		var out strings.Builder
		for {
			before, rest, found := strings.Cut(sql, "{")
			out.WriteString(before)
			if !found {
				return out.String()
			}
			end, depth := 0, 1
			for ; end < len(rest); end++ {
				if rest[end] == '{' {
					depth++
				} else if rest[end] == '}' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			key := rest[:end]
			sql = rest[end+1:]
			switch {
			case key == "x7b":
				out.WriteByte('{')
			case key == "x7d":
				out.WriteByte('}')
			case key == "*":
				all := each(c.args, func(_ int, v clickhouseValue) string { return c.p.bare(v) })
				out.WriteString(strings.Join(all, ", "))
			case key == "T":
				out.WriteString(c.typ.clickhouse())
			case key == "name":
				out.WriteString(strings.ToLower(c.name))
			case key == "NAME":
				out.WriteString(c.name)
			case key == "now":
				out.WriteString(clickhouseNow)
			case key[0] == '?':
				parts := splitTemplate(key[1:])
				condition := expand(parts[0])
				message := strings.ReplaceAll(parts[1], "{NAME}", c.name)
				out.WriteString(c.p.raiseIf(condition, message, expand(parts[2])))
			case key[0] == '#':
				out.WriteString(c.p.toInteger(expand(key[1:])))
			default:
				number := strings.TrimRight(key, "!@")
				i, _ := strconv.Atoi(number)
				v := c.args[i]
				switch {
				case strings.HasSuffix(key, "@"):
					out.WriteString(v.sql)
				case v.typ.isWrapped():
					out.WriteString(c.p.bare(v))
				case strings.HasSuffix(key, "!") && v.literal == nil:
					out.WriteString("assumeNotNull(" + v.sql + ")")
				default:
					out.WriteString(v.sql)
				}
			}
		}
	}
	return expand(sql)
}

// splitTemplate splits what is in {?condition|message|value}.
func splitTemplate(of string) []string {
	var parts []string
	depth, begin := 0, 0
	for i := 0; i < len(of) && len(parts) < 2; i++ {
		switch of[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '|':
			if depth == 0 {
				parts, begin = append(parts, of[begin:i]), i+1
			}
		}
	}
	return append(parts, of[begin:])
}
