package googlesql

import (
	"slices"
	"strings"
)

// flat is an expression as it is written over the table logs.
type flat struct {
	sql string
	// level is how strongly its outer operator binds; [primary] for what needs no brackets.
	level int
	// isBlank means that '' stands for NULL, as in log_attributes.
	isBlank bool
	// isNullable means that it can be NULL.
	isNullable bool
	// isMap means that it is a map of attributes.
	isMap bool
}

// How strongly operators bind.
const (
	ofOr = iota + 1
	ofAnd
	ofNot
	ofComparison
	ofSum
	ofProduct
	ofSign
	primary
)

// in returns the text with brackets if its operator binds less than another one.
func (f flat) in(level int) string {
	if f.level < level {
		return "(" + f.sql + ")"
	}
	return f.sql
}

// exact returns the value with NULL for the empty text that stands for it.
func (f flat) exact() flat {
	if !f.isBlank {
		return f
	}
	return flat{sql: "nullIf(" + f.sql + ", '')", level: primary, isNullable: true}
}

func called(sql string) flat { return flat{sql: sql, level: primary} }

// of returns what is made of other values, of which one can be NULL.
func (f flat) of(args ...flat) flat {
	for _, arg := range args {
		f.isNullable = f.isNullable || arg.isNullable
	}
	return f
}

// plainType is the type that a value of metadata has where no use of it is known, or the type itself.
func plainType(t *dataType) *dataType {
	if t.kind == dynamicKind && t.shape.isScalar() && !t.shape.isUndecided() {
		return t.shape.scalarType()
	}
	return t
}

// bare writes an expression in the type that its uses give it, with NULL for what is missing.
func (w *rewriter) bare(x expression) flat { return w.loose(x, w.typeOf(x)).exact() }

// as writes an expression in a type, with NULL for what is missing.
func (w *rewriter) as(x expression, to *dataType) flat { return w.loose(x, to).exact() }

func (w *rewriter) typeOf(x expression) *dataType { return plainType(w.notes.values[x].typ) }

// loose writes an expression in a type. It can have ” for what is missing.
func (w *rewriter) loose(x expression, to *dataType) flat {
	to = plainType(to)
	v := w.notes.values[x]
	if constant, ok := x.(*literal); ok {
		return w.constant(constant, to)
	}
	written := w.natural(x)
	from := v.typ
	if from.kind == dynamicKind {
		from = scalar(stringKind)
		if !w.isAttribute(v) {
			from = plainType(v.typ)
		}
	}
	if from.kind == dynamicKind || to.kind == dynamicKind || from.kind == to.kind {
		return written
	}
	return w.converted(written, from, to, x.offset())
}

// converted converts a text of metadata to the type that it is used in.
func (w *rewriter) converted(written flat, from, to *dataType, at place) flat {
	if !from.is(stringKind) {
		if to.is(stringKind) && from.isNumeric() {
			return called("toString(" + written.sql + ")").of(written)
		}
		return written // numbers and times convert by themselves
	}
	nullable := func(sql string) flat { return flat{sql: sql, level: primary, isNullable: true} }
	switch to.kind { //nolint:exhaustive // The others are not made of metadata.
	case int64Kind, float64Kind, numberKind:
		return nullable("toFloat64OrNull(" + written.sql + ")")
	case numericKind:
		return nullable("toDecimal128OrNull(" + written.sql + ", 9)")
	case boolKind:
		return flat{sql: written.exact().sql + " = 'true'", level: ofComparison, isNullable: true}
	case timestampKind, datetimeKind:
		return nullable("parseDateTime64BestEffortOrNull(" + written.sql + ", 6)")
	case dateKind:
		return nullable("toDate(parseDateTime64BestEffortOrNull(" + written.sql + ", 6))")
	}
	fail(at, "a field of metadata as %s cannot be written for the table logs, which has texts", to)
	return flat{}
}

// isAttribute reports whether a value is read from log_attributes itself, where it is a text.
func (w *rewriter) isAttribute(v value) bool {
	if v.dyn == nil {
		return false
	}
	root, _ := w.root(v.dyn)
	reads, ok := root.(*reference)
	if !ok {
		return false
	}
	_, isTable := reads.owner.(*tableSource)
	return isTable
}

// root returns what a value of metadata is read from, and the way from there. Lists count with their first element.
func (w *rewriter) root(d *dynamic) (base node, steps []string) {
	for {
		switch {
		case d.parent != nil && d.step != "":
			steps = append(steps, d.step)
			d = d.parent
		case d.parent != nil:
			if i, ok := d.index.integer(); !ok || i != 0 && (i != 1 || !strings.HasSuffix(d.kind, "ORDINAL")) || i == 0 && strings.HasSuffix(d.kind, "ORDINAL") {
				fail(d.index.at, "log_attributes has the first element of each list only")
			}
			d = d.parent
		default:
			read, ok := d.base.(*reference)
			if !ok {
				return d.base, steps
			}
			array, ok := read.owner.(*arraySource)
			if !ok {
				slices.Reverse(steps)
				return read, steps
			}
			if of, ok := array.array.node.(*elementsOf); ok && of.of.dyn != nil {
				d = of.of.dyn
				continue
			}
			slices.Reverse(steps)
			return read, steps
		}
	}
}

// natural writes an expression in the type that it has by itself: a value of metadata is a text.
func (w *rewriter) natural(x expression) flat {
	v := w.notes.values[x]
	switch x := x.(type) {
	case *literal:
		return w.constant(x, scalar(x.kind))
	case *param:
		return w.param(x, v)
	case *pathExpr:
		return w.path(x, v)
	case *fieldExpr:
		return w.read(v, x.place, "")
	case *indexExpr:
		return w.index(x, v)
	case *unaryExpr:
		return w.unary(x, v)
	case *binaryExpr:
		return w.binary(x, v)
	case *betweenExpr, *inExpr, *likeExpr, *isExpr:
		return w.condition(x, true)
	case *caseExpr:
		return w.caseOf(x, v)
	case *castExpr:
		return w.cast(x)
	case *extractExpr:
		return w.extract(x)
	case *arrayExpr:
		elem := v.typ.elem
		return called("[" + w.list(x.elements, func(int) *dataType { return elem }) + "]")
	case *existsExpr:
		return w.exists(x)
	case *queryExpr:
		return w.scalarQuery(x)
	case *callExpr:
		return w.call(x, v)
	case *intervalExpr:
		return w.interval(x)
	case *structExpr, *arrayQueryExpr, *withExpr:
		fail(x.offset(), "structs, ARRAY subqueries and WITH in an expression cannot be written for the table logs")
	}
	fail(x.offset(), "this expression cannot be written for the table logs")
	return flat{}
}

// list writes expressions with commas between them.
func (w *rewriter) list(xs []expression, typ func(i int) *dataType) string {
	return strings.Join(each(xs, func(i int, x expression) string { return w.as(x, typ(i)).sql }), ", ")
}

// constant writes a literal in a type.
func (w *rewriter) constant(x *literal, to *dataType) flat {
	if x.kind == nullKind {
		return flat{sql: "NULL", level: primary, isNullable: true}
	}
	kind := x.kind
	if kind == stringKind && to.is(dateKind, timestampKind, datetimeKind) {
		kind = to.kind
	}
	constant := newConstant(&literal{x.place, kind, x.text})
	switch kind { //nolint:exhaustive // The others are refused.
	case boolKind, int64Kind, float64Kind:
		return called(constant.text)
	case numericKind:
		return called("toDecimal128('" + constant.text + "', 9)")
	case stringKind:
		return called(clickhouseText(x.text))
	case dateKind:
		return called("toDate('" + constant.text + "')")
	case timestampKind, datetimeKind:
		return called("toDateTime64('" + constant.text + "', 6, 'UTC')")
	}
	fail(x.place, "a constant %s cannot be written for the table logs", scalar(kind))
	return flat{}
}

// param writes a parameter, which can be NULL.
func (w *rewriter) param(x *param, v value) flat {
	typ := v.typ
	if typ.kind == dynamicKind {
		typ = w.untyped[foldName(x.name)].paramType()
	}
	name := clickhouseParam(typ)
	if name == "" {
		fail(x.place, "a parameter of type %s cannot be written for ClickHouse", typ)
	}
	return flat{sql: "{" + x.name + ":" + name + "}", level: primary, isNullable: !typ.is(arrayKind)}
}

func clickhouseParam(t *dataType) string {
	if t.is(arrayKind) {
		if of := clickhouseParam(t.elem); of != "" {
			return "Array(" + strings.TrimSuffix(strings.TrimPrefix(of, "Nullable("), ")") + ")"
		}
	}
	name := map[kind]string{
		stringKind: "String", int64Kind: "Int64", float64Kind: "Float64", numberKind: "Float64", boolKind: "Bool", numericKind: "Decimal(38, 9)",
		timestampKind: "DateTime64(6, 'UTC')", datetimeKind: "DateTime64(6, 'UTC')", dateKind: "Date32",
	}[t.kind]
	if name == "" {
		return ""
	}
	return "Nullable(" + name + ")"
}

// path writes a path.
func (w *rewriter) path(x *pathExpr, v value) flat {
	if w.notes.aliases[x] {
		if len(x.names) > 1 {
			fail(x.names[1].place, "a field of a column of the SELECT cannot be written for the table logs; read it from metadata")
		}
		for _, s := range slices.Backward(w.selects) {
			if i := slices.IndexFunc(s.columns, func(c rewrittenColumn) bool { return equalFold(c.name, x.names[0].text) }); i >= 0 {
				return s.columns[i].read(readableName(s.columns[i].name))
			}
		}
	}
	qualifier := ""
	if len(x.names) > 1 {
		qualifier = x.names[0].text
	}
	return w.read(v, x.place, qualifier)
}

// read returns the column as its name is read.
func (c rewrittenColumn) read(name string) flat {
	return flat{sql: name, level: primary, isBlank: c.of.isBlank, isNullable: c.of.isNullable, isMap: c.of.isMap}
}

// read writes a column, or a field of metadata. The qualifier is empty if none is written.
func (w *rewriter) read(v value, at place, qualifier string) flat {
	if v.dyn != nil {
		base, steps := w.root(v.dyn)
		of, ok := base.(*reference)
		if !ok {
			fail(at, "a field of this value cannot be written for the table logs")
		}
		return w.attribute(v, of, steps, at)
	}
	of, ok := v.node.(*reference)
	if !ok {
		fail(at, "a row or a struct as a value cannot be written for the table logs; write its columns")
	}
	return w.column(of, at, qualifier != "")
}

// attribute writes a field of metadata.
func (w *rewriter) attribute(v value, of *reference, steps []string, at place) flat {
	column := w.column(of, at, false)
	switch {
	case len(steps) == 0:
		return column
	case !column.isMap:
		fail(at, "a field of a column cannot be written for the table logs; read it in the subquery, from metadata")
	}
	if table, ok := of.owner.(*tableSource); ok {
		members := table.table.Fields
		for _, step := range steps {
			members = members[step]
		}
		if len(members) > 0 || v.dyn != nil && (v.dyn.shape.root().elem != nil || v.dyn.shape.root().fields != nil) {
			fail(at, "%s is an object, which the table logs has in single attributes; write the fields that you need", steps[len(steps)-1])
		}
	}
	w.remark(at, "a field that an event does not have is '' instead of NULL, so the empty text counts as missing, too")
	return flat{sql: column.sql + "[" + clickhouseText(strings.Join(steps, ".")) + "]", level: primary, isBlank: true}
}

// column writes a column of a source.
func (w *rewriter) column(of *reference, at place, isQualified bool) flat {
	s := w.selects[len(w.selects)-1]
	if !slices.Contains(s.sources, of.owner) {
		fail(at, "a subquery that reads columns of the query around it cannot be written for the table logs; join the tables instead")
	}
	column := rewrittenColumn{name: of.name}
	switch owner := of.owner.(type) {
	case *tableSource:
		column = w.logColumn(of.name, at)
		isQualified = isQualified || len(s.logs) > 1 || column.of.isMap && len(s.sources) > 1
	default:
		for _, c := range w.columnsOf(owner, at) {
			if equalFold(c.name, of.name) {
				column = c
			}
		}
	}
	column.of.isNullable = column.of.isNullable || slices.Contains(s.outer, of.owner)
	name := readableName(column.name)
	isHidden := slices.ContainsFunc(s.aliases, func(alias string) bool { return alias == column.name && alias != s.own })
	if qualifier := w.sourceName(s, of.owner); (isQualified || isHidden) && qualifier != "" {
		name = readableName(qualifier) + "." + name
	}
	return column.read(name)
}

// sourceName returns the name by which a source is read.
func (w *rewriter) sourceName(s *rewrittenSelect, of source) string {
	if table, ok := of.(*tableSource); ok && len(s.sources) == 1 && equalFold(w.notes.names[of], table.table.Name) {
		return logsTable
	}
	return w.notes.names[of]
}

// logsTable is the table with the events of all sources.
const logsTable = "logs"

// logColumn returns the column of the table logs for one of a log source.
func (w *rewriter) logColumn(name string, at place) rewrittenColumn {
	switch name {
	case "metadata":
		return rewrittenColumn{"log_attributes", flat{isMap: true}}
	case "id", "timestamp", "event_message":
		return rewrittenColumn{name: name}
	}
	fail(at, "the table logs has no column %s; read the field of metadata", name)
	return rewrittenColumn{}
}

// readableName quotes a name where that is needed.
func readableName(name string) string {
	isPlain := name != "" && !isDigit(name[0]) && !slices.Contains(reservedNames(), strings.ToUpper(name))
	for i := range len(name) {
		c := name[i]
		isPlain = isPlain && (c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c))
	}
	if isPlain {
		return name
	}
	return clickhouseName(name)
}

// reservedNames are words that ClickHouse does not take as a name everywhere.
func reservedNames() []string {
	return strings.Fields("ALL AND ANTI ANY ARRAY AS ASC ASOF BETWEEN BY CASE CAST CROSS DESC DISTINCT ELSE END EXCEPT FINAL FORMAT FROM FULL GLOBAL GROUP HAVING ILIKE IN INNER " +
		"INTERSECT INTERVAL INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER PREWHERE QUALIFY RIGHT SAMPLE SELECT SEMI SETTINGS THEN UNION USING WHEN WHERE WINDOW WITH TRUE FALSE NAN INF")
}

// index writes an element of an array, or a field of metadata.
func (w *rewriter) index(x *indexExpr, v value) flat {
	if call, ok := x.of.(*callExpr); ok && call.name == "APPROX_QUANTILES" {
		return w.quantileAt(x, call)
	}
	if v.dyn != nil && v.dyn.parent != nil {
		return w.read(v, x.place, "")
	}
	i, ok := w.notes.values[x.index].integer()
	if !ok || !w.notes.values[x.of].typ.is(arrayKind) {
		fail(x.place, "an element at an index that is not a constant cannot be written for the table logs")
	}
	if !strings.HasSuffix(x.kind, "ORDINAL") {
		i++
	}
	if i < 1 {
		fail(x.index.offset(), "there is no element at this index")
	}
	w.remark(x.place, "an element that an array does not have is '' or 0 instead of an error or NULL")
	return flat{sql: w.natural(x.of).in(primary) + "[" + itoa(int(i)) + "]", level: primary, isBlank: v.typ.is(stringKind)}
}

func (w *rewriter) unary(x *unaryExpr, v value) flat {
	switch x.op {
	case "NOT":
		return w.condition(x, true)
	case "~":
		return called("bitNot(" + w.as(x.x, v.typ).sql + ")")
	}
	of := w.as(x.x, v.typ)
	return flat{sql: x.op + of.in(primary), level: ofSign}.of(of)
}

func (w *rewriter) binary(x *binaryExpr, v value) flat {
	switch x.op {
	case "AND", "OR", "=", "!=", "<", "<=", ">", ">=":
		return w.condition(x, true)
	case "||":
		return w.concat(x, v)
	}
	if function := map[string]string{"|": "bitOr", "&": "bitAnd", "^": "bitXor", "<<": "bitShiftLeft", ">>": "bitShiftRight"}[x.op]; function != "" {
		a, b := w.as(x.left, scalar(int64Kind)), w.as(x.right, scalar(int64Kind))
		return called(function+"("+a.sql+", "+b.sql+")").of(a, b)
	}
	c := callOf(v)
	if c == nil || v.typ.is(intervalKind) {
		fail(x.place, "this %s cannot be written for the table logs", x.op)
	}
	left, right := x.left, x.right
	if _, isInterval := left.(*intervalExpr); isInterval {
		left, right = right, left
	}
	types := [2]*dataType{w.typeOf(left), w.typeOf(right)}
	if v.typ.isNumeric() {
		types = [2]*dataType{c.args[0].typ, c.args[1].typ}
	}
	a, b := w.as(left, types[0]), w.as(right, types[1])
	if v.typ.is(dateKind, datetimeKind, timestampKind) && !types[1].is(intervalKind) { // DATE + INT64
		return flat{sql: a.in(ofSum) + " " + x.op + " toIntervalDay(" + b.sql + ")", level: ofSum}.of(a, b)
	}
	level := ofSum
	if x.op == "*" || x.op == "/" {
		level = ofProduct
	}
	if constant, isConstant := x.right.(*literal); x.op == "/" && (!isConstant || strings.Trim(constant.text, "0.") == "") {
		w.remark(x.place, "division by 0 is inf or nan instead of an error")
	}
	return flat{sql: a.in(level) + " " + x.op + " " + b.in(level+1), level: level}.of(a, b)
}

// concat writes texts that are joined.
func (w *rewriter) concat(x *binaryExpr, v value) flat {
	var parts []expression
	var collect func(x expression)
	collect = func(x expression) {
		if both, ok := x.(*binaryExpr); ok && both.op == "||" {
			collect(both.left)
			collect(both.right)
			return
		}
		parts = append(parts, x)
	}
	collect(x)
	if !v.typ.is(stringKind) {
		fail(x.place, "|| of %s cannot be written for the table logs", v.typ)
	}
	written := each(parts, func(_ int, part expression) flat { return w.as(part, scalar(stringKind)) })
	return called("concat(" + joinFlat(written) + ")").of(written...)
}

func joinFlat(parts []flat) string {
	return strings.Join(each(parts, func(_ int, part flat) string { return part.sql }), ", ")
}

// callOf returns the call of a value; nil if it is none.
func callOf(v value) *call {
	switch n := v.node.(type) {
	case *call:
		return n
	case *dynamic:
		c, _ := n.base.(*call)
		return c
	}
	return nil
}

// caseOf writes a CASE.
func (w *rewriter) caseOf(x *caseExpr, v value) flat {
	typ := v.typ
	var out strings.Builder
	out.WriteString("CASE")
	comparison := w.typeOf
	if x.operand != nil {
		comparison = func(expression) *dataType { return w.typeOf(x.operand) }
		if n := caseNode(v); n != nil && len(n.conditions) > 0 {
			if c := callOf(n.conditions[0]); c != nil {
				comparison = func(expression) *dataType { return c.args[0].typ }
			}
		}
		out.WriteString(" " + w.as(x.operand, comparison(x.operand)).sql)
	}
	var results []flat
	for _, when := range x.whens {
		condition := ""
		if x.operand == nil {
			condition = w.condition(when.condition, false).sql
		} else {
			condition = w.as(when.condition, comparison(when.condition)).sql
		}
		results = append(results, w.loose(when.result, typ))
		out.WriteString(" WHEN " + condition + " THEN " + results[len(results)-1].sql)
	}
	if x.other != nil {
		results = append(results, w.loose(x.other, typ))
		out.WriteString(" ELSE " + results[len(results)-1].sql)
	}
	whole := flat{sql: out.String() + " END", level: primary, isNullable: x.other == nil}.of(results...)
	whole.isBlank = slices.ContainsFunc(results, func(f flat) bool { return f.isBlank })
	return whole
}

func caseNode(v value) *caseOf {
	switch n := v.node.(type) {
	case *caseOf:
		return n
	case *dynamic:
		c, _ := n.base.(*caseOf)
		return c
	}
	return nil
}
