package googlesql

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

func clickhouseAggregates() map[string]clickhouseForm {
	by := func(emit func(c *clickhouseCall) clickhouseValue) clickhouseForm { return clickhouseForm{emit: emit} }
	sql := func(sql string) clickhouseForm { return clickhouseForm{sql: sql} }
	const exact = "write it of CAST(… AS FLOAT64)"
	return map[string]clickhouseForm{
		"COUNT()":               by(func(c *clickhouseCall) clickhouseValue { return c.value("toInt64(" + c.aggregate("count") + ")") }),
		"COUNT(ANY)":            by((*clickhouseCall).count),
		"COUNTIF":               by((*clickhouseCall).countIf),
		"SUM":                   by((*clickhouseCall).sum),
		"AVG(FLOAT64)":          by(simpleAggregate("avgOrNull")),
		"AVG(NUMERIC)":          by((*clickhouseCall).averageOfNumeric),
		"MIN MAX":               by((*clickhouseCall).least),
		"ANY_VALUE":             by((*clickhouseCall).anyValue),
		"ARRAY_AGG":             by((*clickhouseCall).arrayAgg),
		"ARRAY_CONCAT_AGG":      by((*clickhouseCall).arrayConcatAgg),
		"STRING_AGG":            by((*clickhouseCall).stringAgg),
		"APPROX_COUNT_DISTINCT": by((*clickhouseCall).countDistinct),
		"APPROX_QUANTILES":      by((*clickhouseCall).approxQuantiles),
		"LOGICAL_AND":           by(simpleAggregate("minOrNull")),
		"LOGICAL_OR":            by(simpleAggregate("maxOrNull")),
		"BIT_AND":               by(simpleAggregate("groupBitAndOrNull")),
		"BIT_OR":                by(simpleAggregate("groupBitOrOrNull")),
		"BIT_XOR":               by(simpleAggregate("groupBitXorOrNull")),
		"STDDEV STDDEV_SAMP STDDEV_POP VARIANCE VAR_SAMP VAR_POP":                                    by((*clickhouseCall).deviation),
		"STDDEV STDDEV_SAMP STDDEV_POP VARIANCE VAR_SAMP VAR_POP CORR COVAR_SAMP COVAR_POP(NUMERIC)": {why: exact},
		"CORR COVAR_SAMP COVAR_POP(NUMERIC, NUMERIC)":                                                {why: exact},
		"CORR COVAR_SAMP COVAR_POP":                                                                  by((*clickhouseCall).covariance),
		"APPROX_TOP_COUNT":                                                                           by((*clickhouseCall).topCount),
		"APPROX_TOP_SUM":                                                                             {why: "GROUP BY the value, and ORDER BY its SUM"},
		"MAX_BY":                                                                                     by((*clickhouseCall).extreme),
		"MIN_BY":                                                                                     by((*clickhouseCall).extreme),
		"GROUPING":                                                                                   sql("toInt64(grouping({0}))"),
		"ROW_NUMBER RANK DENSE_RANK":                                                                 sql("toInt64({name}(){over})"),
		"PERCENT_RANK CUME_DIST":                                                                     sql("{name}(){over}"),
		"NTILE":                                                                                      by((*clickhouseCall).ntile),
		"LAG LEAD":                                                                                   by((*clickhouseCall).lag),
		"FIRST_VALUE LAST_VALUE":                                                                     by((*clickhouseCall).frameValue),
		"NTH_VALUE":                                                                                  by((*clickhouseCall).nthValue),
		"PERCENTILE_CONT":                                                                            by((*clickhouseCall).percentileCont),
		"PERCENTILE_DISC":                                                                            by((*clickhouseCall).percentileDisc),
	}
}

// aggregate is an aggregate function of arguments: of the rows of a group or a window, or of an array.
func (c *clickhouseCall) aggregate(name string, args ...string) string {
	list := c.p.aggregated
	if list == nil || c.over != nil {
		return name + "(" + strings.Join(args, ", ") + ")" + c.window()
	}
	if args == nil {
		return "length(" + list.rows + ")"
	}
	arrays := each(args, func(_ int, arg string) string { return "arrayMap(" + list.row + " -> " + arg + ", " + list.rows + ")" })
	return "arrayReduce('" + name + "', " + strings.Join(arrays, ", ") + ")"
}

// distinctAggregate is an aggregate of different values if DISTINCT is written.
func (c *clickhouseCall) distinctAggregate(name, arg string) string {
	switch {
	case c.distinctly() == "":
		return c.aggregate(name, arg)
	case c.p.aggregated != nil && c.over == nil:
		return "arrayReduce('" + name + "', arrayDistinct(arrayMap(" + c.p.aggregated.row + " -> " + arg + ", " + c.p.aggregated.rows + ")))"
	}
	return c.aggregate(name, "DISTINCT "+arg)
}

// simpleAggregate is an aggregate of one argument, whose result has the type of the call.
func simpleAggregate(name string) func(c *clickhouseCall) clickhouseValue {
	return func(c *clickhouseCall) clickhouseValue {
		sql := c.distinctAggregate(name, c.args[0].sql)
		if c.typ.is(int64Kind) {
			sql = "toInt64(" + sql + ")"
		}
		return c.value(sql)
	}
}

// written writes a call of an aggregate or a window function.
func (p *clickhousePrinter) aggregate(n *call, form clickhouseForm) clickhouseValue {
	switch {
	case n.where.node != nil:
		fail(n.where.at, "WHERE in an aggregate is not supported on ClickHouse; write IF(condition, x, NULL) as its argument")
	case n.written != nil && n.written.having != "" && n.name != "ANY_VALUE":
		fail(n.at, "HAVING %s of %s is not supported on ClickHouse", n.written.having, n.name)
	case n.written != nil && n.written.nulls == "RESPECT" && (strings.HasPrefix(n.name, "PERCENTILE_") || n.name == "APPROX_QUANTILES"):
		fail(n.at, "RESPECT NULLS of %s is not supported on ClickHouse", n.name)
	}
	if p.ofNone && n.over == nil {
		if slices.Contains([]string{"COUNT", "COUNTIF", "APPROX_COUNT_DISTINCT"}, n.name) {
			return clickhouseValue{sql: "toInt64(0)", typ: n.typ}
		}
		return p.null(n.typ)
	}
	c := &clickhouseCall{call: n, p: p, args: p.expressions(n.args)}
	for i, arg := range c.args {
		if c.args[i].typ == nil {
			c.args[i].typ = scalar(nullKind)
		}
		if arg.isNull() && n.name != "COUNT" {
			c.args[i].sql = "CAST(NULL AS " + c.args[i].typ.clickhouse() + ")"
		}
	}
	if form.emit != nil {
		return form.emit(c)
	}
	written := strings.NewReplacer("{distinct}", c.distinctly(), "{over}", c.window(), "{name}", strings.ToLower(n.name))
	text := written.Replace(form.sql)
	for i, arg := range c.args {
		text = strings.ReplaceAll(text, "{"+strconv.Itoa(i)+"}", arg.sql)
	}
	return c.value(text)
}

func (c *clickhouseCall) distinctly() string {
	return ifElse(c.written != nil && c.written.distinct, "DISTINCT ", "")
}

// window is what is behind the call: OVER, or nothing.
func (c *clickhouseCall) window() string {
	if c.over == nil {
		return ""
	}
	return " OVER " + c.p.over(c.over)
}

// over writes a window.
func (p *clickhousePrinter) over(n *over) string {
	if n.base != "" && len(n.partition) == 0 && n.order == nil && n.frame == nil {
		return clickhouseName(n.base)
	}
	var parts []string
	if n.base != "" {
		parts = append(parts, clickhouseName(n.base))
	}
	if len(n.partition) > 0 {
		parts = append(parts, "PARTITION BY "+strings.Join(each(n.partition, func(_ int, v value) string { return p.grouped(v) }), ", "))
	}
	if n.order != nil {
		parts = append(parts, "ORDER BY "+p.orderBy(n.order))
	}
	if n.frame != nil {
		bound := func(b frameBound, distance value) string {
			if distance.node == nil {
				return b.what
			}
			v := p.expression(distance)
			if v.literal != nil {
				return v.literal.text + " " + b.what
			}
			return v.sql + " " + b.what
		}
		parts = append(parts, n.frame.unit+" BETWEEN "+bound(n.frame.start, n.start)+" AND "+bound(n.frame.end, n.end))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// orderBy writes what is behind ORDER BY.
func (p *clickhousePrinter) orderBy(keys []orderKey) string {
	return strings.Join(each(keys, func(_ int, key orderKey) string {
		return p.orderKey(p.wrapped(p.expression(key.value)).sql, key)
	}), ", ")
}

// orderKey orders by an expression. In ClickHouse, NaN is next to NULL, as it is in GoogleSQL unless NULLS is written.
func (p *clickhousePrinter) orderKey(sql string, key orderKey) string {
	direction := direction(key.orderItem)
	isFirst := strings.HasSuffix(direction, "FIRST")
	if key.value.typ.is(float64Kind, numberKind) && isFirst == key.desc {
		return "isNaN(" + sql + ")" + ifElse(key.desc, "", " DESC") + ", " + sql + direction
	}
	return mark(key.x.offset()) + sql + direction
}

// grouped is a value that rows are grouped by: 0 has no sign, and all that is no number is equal.
func (p *clickhousePrinter) grouped(v value) string {
	of := p.wrapped(p.expression(v))
	if of.isNull() {
		of.sql = "CAST(NULL AS " + v.typ.clickhouse() + ")"
	}
	return p.normal(of, v.typ)
}

func (p *clickhousePrinter) normal(of clickhouseValue, typ *dataType) string {
	isFloat := typ.is(float64Kind, numberKind) || typ.is(dynamicKind) && typ.shape.isScalar() && typ.shape.scalarType().is(numberKind)
	if !isFloat {
		return of.sql
	}
	return p.let(of.sql, func(x string) string { return "if(isNaN(" + x + "), nan, " + x + " + 0.)" })
}

// nullable is the first argument that can be NULL, which is what an aggregate of no rows is then.
func (c *clickhouseCall) nullable() string {
	if c.args[0].typ.isWrapped() {
		return c.p.wrapped(c.args[0]).sql
	}
	return "toNullable(" + c.args[0].sql + ")"
}

// isThere is the condition that the first argument is not NULL.
func (c *clickhouseCall) isThere() string {
	if dyn := c.call.args[0].dyn; dyn != nil {
		return "NOT " + c.p.dynamicIsNull(dyn)
	}
	isNull := c.p.isNullOf(c.args[0])
	if isNull == "" {
		return "true"
	}
	return "NOT (" + isNull + ")"
}

func (c *clickhouseCall) count() clickhouseValue {
	switch {
	case c.written != nil && c.written.distinct:
		return c.countDistinct()
	case c.args[0].isNull():
		return c.value("toInt64(" + c.aggregate("countIf", "false") + ")")
	}
	return c.value("toInt64(" + c.aggregate("countIf", c.isThere()) + ")")
}

func (c *clickhouseCall) countDistinct() clickhouseValue {
	of := c.p.wrapped(c.args[0])
	if of.typ.isWrapped() {
		return c.value("toInt64(" + c.aggregate("uniqExactIf", of.sql, "notEmpty("+of.sql+")") + ")")
	}
	return c.value("toInt64(" + c.aggregate("uniqExact", c.p.normal(of, of.typ)) + ")")
}

func (c *clickhouseCall) countIf() clickhouseValue {
	if c.distinctly() != "" {
		return c.value("toInt64(" + c.aggregate("maxOrDefault", "ifNull("+c.args[0].sql+", false)") + ")")
	}
	return c.value("toInt64(" + c.aggregate("countIf", c.args[0].sql) + ")")
}

// sum is of wider numbers, because ClickHouse does not see when a sum has more digits than its type.
func (c *clickhouseCall) sum() clickhouseValue {
	of := c.args[0].sql
	switch {
	case c.typ.is(int64Kind):
		return c.value(c.p.toInteger(c.distinctAggregate("sumOrNull", "toInt128("+of+")")))
	case c.typ.is(numericKind):
		return c.value(c.p.toNumeric(c.distinctAggregate("sumOrNull", "toDecimal256("+of+", 9)")))
	}
	return c.value(c.distinctAggregate("sumOrNull", of))
}

func (c *clickhouseCall) averageOfNumeric() clickhouseValue {
	sum := c.distinctAggregate("sumOrNull", "toDecimal256("+c.args[0].sql+", 9)")
	count := c.aggregate(ifElse(c.distinctly() != "", "uniqExact", "count"), c.args[0].sql)
	return c.value(c.p.lets([]string{"toInt256(" + sum + " * 1000000000)", "toInt256(" + count + ")"}, func(names []string) string {
		n, d := names[0], names[1]
		return c.p.toNumeric(scaledClickHouse(c.p.let("intDivOrNull("+n+", "+d+")", func(q string) string {
			return q + " + if(abs(" + n + " - " + q + " * " + d + ") * 2 >= " + d + ", if(" + n + " < 0, -1, 1), 0)"
		})))
	}))
}

func (c *clickhouseCall) least() clickhouseValue {
	of := c.p.wrapped(c.args[0])
	sql := c.aggregate(strings.ToLower(c.name)+"OrNull", of.sql)
	if isFloat := of.typ.is(float64Kind, numberKind) || of.typ.is(dynamicKind) && of.typ.shape.isScalar() && of.typ.shape.scalarType().is(numberKind); isFloat {
		return c.value("if(" + c.aggregate("countIf", "isNaN("+of.sql+")") + " > 0, toFloat64(nan), " + sql + ")")
	}
	return c.value(sql)
}

func (c *clickhouseCall) anyValue() clickhouseValue {
	if c.written != nil && c.written.having != "" {
		return c.extremeBy(strings.ToLower(c.written.having), c.p.wrapped(c.p.expression(c.other)).sql)
	}
	if c.typ.isWrapped() {
		return clickhouseValue{sql: c.aggregate("anyIf", c.nullable(), "notEmpty("+c.nullable()+")"), typ: c.typ}
	}
	return c.value(c.aggregate("anyOrNull", c.args[0].sql))
}

func (c *clickhouseCall) extreme() clickhouseValue {
	return c.extremeBy(strings.ToLower(c.name[:3]), c.p.wrapped(c.args[1]).sql)
}

func (c *clickhouseCall) extremeBy(name, by string) clickhouseValue {
	name = ifElse(name == "max", "argMax", "argMin")
	return clickhouseValue{sql: "tupleElement(" + c.aggregate(name, "tuple("+c.nullable()+")", by) + ", 1)", typ: c.typ}
}

// sortKey is a value that sorts as one of ORDER BY: the least is first.
func (p *clickhousePrinter) sortKey(key orderKey) string {
	v := p.expression(key.value)
	isFirst := !key.desc
	if key.nullsSet {
		isFirst = !key.nullsLast
	}
	typ := key.value.typ
	if typ.is(dynamicKind) {
		typ = typ.shape.scalarType()
	}
	if v.isNull() || typ.isWrapped() {
		return "0"
	}
	isNull := "(" + v.sql + ") IS NULL"
	nulls := "toUInt8(" + ifElse(isFirst, "NOT ", "") + isNull + ")"
	value := ""
	switch typ.kind {
	case boolKind:
		value = "toInt64(ifNull(" + v.sql + ", false))"
		value = ifElse(key.desc, "-"+value, value)
	case int64Kind:
		value = "ifNull(" + v.sql + ", 0)"
		value = ifElse(key.desc, "bitNot("+value+")", value)
	case numericKind:
		value = "ifNull(" + v.sql + ", CAST(0 AS Decimal(38, 9)))"
		value = ifElse(key.desc, "-"+value, value)
	case float64Kind, numberKind:
		number := "ifNull(" + v.sql + ", 0.)"
		value = "tuple(" + ifElse(key.desc, "isNaN("+number+")", "NOT isNaN("+number+")") + ", if(isNaN(" + number + "), 0., " + ifElse(key.desc, "-", "") + number + "))"
	case dateKind:
		value = "ifNull(toInt64(toInt32(" + v.sql + ")), 0)"
		value = ifElse(key.desc, "-"+value, value)
	case datetimeKind, timestampKind, timeKind:
		value = "ifNull(" + clickhouseMicros(v.sql) + ", 0)"
		value = ifElse(key.desc, "-"+value, value)
	default:
		value = "ifNull(" + v.sql + ", '')"
		if key.desc { // digits in the opposite order, and an end that is behind all of them
			value = "concat(translate(hex(" + value + "), '0123456789ABCDEF', 'FEDCBA9876543210'), 'G')"
		}
	}
	return nulls + ", " + value
}

// collected is the array of a value of all rows, in the order of ORDER BY.
func (c *clickhouseCall) collected(of, where string) string {
	var keys []string
	if c.order != nil {
		for _, key := range c.order.keys {
			keys = append(keys, c.p.sortKey(key))
		}
	}
	name := ifElse(c.distinctly() != "", "groupUniqArray", "groupArray")
	tuple := "tuple(" + of + ")"
	if keys != nil {
		tuple = "tuple(" + of + ", tuple(" + strings.Join(keys, ", ") + "))"
	}
	rows := ""
	if where == "" {
		rows = c.aggregate(name, tuple)
	} else {
		rows = c.aggregate(name+"If", tuple, where)
	}
	if keys != nil {
		rows = "arraySort(e -> tupleElement(e, 2), " + rows + ")"
	}
	values := "arrayMap(e -> tupleElement(e, 1), " + rows + ")"
	if c.limit.node != nil {
		most := c.p.expression(c.limit)
		values = "arraySlice(" + values + ", 1, " + strings.Replace(c.p.raiseIf(most.sql+" < 0", "LIMIT must not be negative", "assumeNotNull("+most.sql+")"), ", NULL, assumeNotNull(", ", 0, assumeNotNull(", 1) + ")"
	}
	return values
}

// notEmpty is an array that is NULL if it is empty.
func (c *clickhouseCall) notEmpty(sql string) clickhouseValue {
	return clickhouseValue{typ: c.typ, sql: c.p.let("CAST("+sql+" AS "+c.typ.clickhouseBare()+")", func(all string) string { return "if(empty(" + all + "), [], [" + all + "])" })}
}

func (c *clickhouseCall) arrayAgg() clickhouseValue {
	where := ""
	if c.written.nulls == "IGNORE" {
		where = c.isThere()
	}
	return c.notEmpty(c.collected(c.nullable(), where))
}

func (c *clickhouseCall) arrayConcatAgg() clickhouseValue {
	if c.typ.elem.isWrapped() {
		c.refuse("arrays of values that are no structs")
	}
	isThere := c.isThere()
	return clickhouseValue{typ: c.typ, sql: c.p.let(c.collected(c.p.bare(c.args[0]), isThere), func(all string) string {
		return "if(empty(" + all + "), [], [CAST(arrayFlatten(" + all + ") AS " + c.typ.clickhouseBare() + ")])"
	})}
}

func (c *clickhouseCall) stringAgg() clickhouseValue {
	separator := "','"
	if len(c.args) > 1 {
		separator = c.args[1].sql
		if c.args[1].literal == nil {
			separator = "assumeNotNull(" + separator + ")"
		}
	}
	values := c.collected("assumeNotNull("+c.args[0].sql+")", c.isThere())
	return c.value(c.p.let(values, func(values string) string {
		return "if(empty(" + values + "), NULL, arrayStringConcat(" + values + ", " + separator + "))"
	}))
}

// sorted are the values of an argument in their order, without NULL.
func (c *clickhouseCall) sorted() string {
	of := c.args[0]
	name := ifElse(c.distinctly() != "", "groupUniqArrayIf", "groupArrayIf")
	rows := c.aggregate(name, "assumeNotNull("+of.sql+")", c.isThere())
	if of.typ.is(float64Kind, numberKind) {
		return "arraySort(e -> tuple(NOT isNaN(e), e), " + rows + ")"
	}
	return "arraySort(" + rows + ")"
}

// approxQuantiles are exact boundaries, as [approxQuantiles] has them: the i-th of n is the value that i n-ths of the values are
// not more than.
func (c *clickhouseCall) approxQuantiles() clickhouseValue {
	n := strconv.Itoa(c.quantiles.n)
	indexes := strings.Join(each(c.quantiles.computed(), func(_, i int) string { return strconv.Itoa(i) }), ", ")
	return clickhouseValue{typ: c.typ, sql: c.p.let(c.sorted(), func(sorted string) string {
		count := "length(" + sorted + ")"
		sql := "arrayMap(i -> toNullable(" + sorted + "[greatest(1, " + count + " - intDiv(" + count + " * (" + n + " - i), " + n + "))]), [" + indexes + "])"
		return "if(empty(" + sorted + "), [], [CAST(" + sql + " AS " + c.typ.clickhouseBare() + ")])"
	})}
}

// quantilePosition is where the array of [clickhouseCall.approxQuantiles] has a boundary.
func quantilePosition(n *quantile) int {
	return slices.Index(n.array.quantiles.computed(), n.index) + 1
}

func (c *clickhouseCall) deviation() clickhouseValue {
	if slices.ContainsFunc(c.call.args, func(v value) bool { return v.typ.is(numericKind) }) {
		fail(c.at, "%s of a NUMERIC is not supported on ClickHouse; CAST it AS FLOAT64", c.name)
	}
	name := map[string]string{"STDDEV": "stddevSamp", "STDDEV_SAMP": "stddevSamp", "STDDEV_POP": "stddevPop", "VARIANCE": "varSamp", "VAR_SAMP": "varSamp", "VAR_POP": "varPop"}[c.name]
	least := ifElse(strings.HasSuffix(name, "Samp"), "2", "1")
	of := c.args[0].sql
	count := c.aggregate(ifElse(c.distinctly() != "", "uniqExact", "count"), of)
	return c.value("multiIf(" + count + " < " + least + ", NULL, " + c.aggregate("countIf", "NOT isFinite("+of+")") + " > 0, toFloat64(nan), " + c.distinctAggregate(name+"StableOrNull", "if(isFinite("+of+"), "+of+", NULL)") + ")")
}

func (c *clickhouseCall) covariance() clickhouseValue {
	if slices.ContainsFunc(c.call.args, func(v value) bool { return v.typ.is(numericKind) }) {
		fail(c.at, "%s of a NUMERIC is not supported on ClickHouse; CAST it AS FLOAT64", c.name)
	}
	if c.distinctly() != "" {
		c.refuse("no DISTINCT; write it of a subquery with SELECT DISTINCT")
	}
	name := map[string]string{"CORR": "corrStable", "COVAR_SAMP": "covarSampStable", "COVAR_POP": "covarPopStable"}[c.name]
	least := ifElse(c.name == "COVAR_POP", "1", "2")
	x, y := c.args[0].sql, c.args[1].sql
	isPair := "(" + x + ") IS NOT NULL AND (" + y + ") IS NOT NULL"
	isFinite := isPair + " AND isFinite(" + x + ") AND isFinite(" + y + ")"
	return c.value("multiIf(" + c.aggregate("countIf", isPair) + " < " + least + ", NULL, " + c.aggregate("countIf", isPair+" AND NOT (isFinite("+x+") AND isFinite("+y+"))") + " > 0, toFloat64(nan), " +
		c.aggregate(name+"If", "assumeNotNull("+x+")", "assumeNotNull("+y+")", isFinite) + ")")
}

func (c *clickhouseCall) topCount() clickhouseValue {
	of := c.args[0].sql
	sums := c.aggregate("sumMapIf", "[assumeNotNull("+of+")]", "[toInt64(1)]", c.isThere())
	rows := "arrayMap(e -> tuple(toNullable(tupleElement(e, 1)), tupleElement(e, 2)), arrayZip(tupleElement(" + sums + ", 1), tupleElement(" + sums + ", 2)))"
	if isThere := c.isThere(); isThere != "true" {
		nulls := "toInt64(" + c.aggregate("countIf", "NOT ("+isThere+")") + ")"
		rows = "arrayConcat(" + rows + ", if(" + nulls + " = 0, [], [tuple(NULL, " + nulls + ")]))"
	}
	rows = "arraySlice(arrayReverseSort(e -> tuple(tupleElement(e, 2), isNull(tupleElement(e, 1)), assumeNotNull(tupleElement(e, 1))), " + rows + "), 1, " + c.args[1].sql + ")"
	return c.notEmpty("arrayMap(e -> [tuple(toNullable(tupleElement(e, 1)), toNullable(tupleElement(e, 2)))], " + rows + ")")
}

func (c *clickhouseCall) ntile() clickhouseValue {
	of := c.args[0].sql
	if n, ok := c.args[0].integer(); ok {
		of = itoa64(n)
	}
	return c.value("toInt64(ntile(" + of + ")" + c.window() + ")")
}

func (c *clickhouseCall) lag() clickhouseValue {
	args := []string{c.nullable()}
	for i := 1; i < len(c.args); i++ {
		arg := c.p.wrapped(c.args[i])
		if n, ok := arg.integer(); ok && i == 1 {
			arg.sql = itoa64(n)
		}
		if i == 2 && !arg.typ.isWrapped() {
			arg.sql = "CAST(" + arg.sql + " AS " + c.typ.clickhouse() + ")"
		}
		args = append(args, arg.sql)
	}
	return clickhouseValue{sql: strings.ToLower(c.name) + "(" + strings.Join(args, ", ") + ")" + c.window(), typ: c.typ}
}

func (c *clickhouseCall) frameValue() clickhouseValue {
	nulls := " RESPECT NULLS"
	if c.written.nulls == "IGNORE" {
		if c.typ.isWrapped() {
			c.refuse("IGNORE NULLS of values that are no arrays and no structs")
		}
		nulls = " IGNORE NULLS"
	}
	return clickhouseValue{sql: strings.ToLower(c.name) + "(" + c.nullable() + ")" + nulls + c.window(), typ: c.typ}
}

func (c *clickhouseCall) nthValue() clickhouseValue {
	n, ok := c.args[1].integer()
	if !ok || c.written.nulls == "IGNORE" {
		c.refuse("a constant number, and no IGNORE NULLS")
	}
	return clickhouseValue{sql: "nth_value(" + c.nullable() + ", " + itoa64(n) + ")" + c.window(), typ: c.typ}
}

// percentileCont interpolates between two values.
func (c *clickhouseCall) percentileCont() clickhouseValue {
	return c.value(c.p.let(c.sorted(), func(sorted string) string {
		return c.p.let(c.args[1].sql+" * (toInt64(length("+sorted+")) - 1)", func(at string) string {
			lower := "toFloat64(" + sorted + "[toInt64(floor(assumeNotNull(" + at + "))) + 1])"
			upper := "toFloat64(" + sorted + "[toInt64(ceil(assumeNotNull(" + at + "))) + 1])"
			return "multiIf(" + at + " < 0 OR " + at + " IS NULL, NULL, " + at + " = floor(" + at + "), " + lower + ", " + lower + " + (" + upper + " - " + lower + ") * (" + at + " - floor(" + at + ")))"
		})
	}))
}

// percentileDisc is the first value that a part of the values is not more than.
func (c *clickhouseCall) percentileDisc() clickhouseValue {
	return c.value(c.p.let(c.sorted(), func(sorted string) string {
		count := "length(" + sorted + ")"
		index := "toInt64(ceil(" + c.args[1].sql + " * " + count + "))"
		if constant := c.args[1].literal; constant != nil {
			if part, ok := new(big.Rat).SetString(constant.text); ok && part.Denom().IsInt64() && part.Denom().Int64() < 1e9 { // exactly
				index = "toInt64(intDiv(" + count + " * " + part.Num().String() + " + " + new(big.Int).Sub(part.Denom(), big.NewInt(1)).String() + ", " + part.Denom().String() + "))"
			}
		}
		return "if(empty(" + sorted + "), NULL, toNullable(" + sorted + "[greatest(1, " + index + ")]))"
	}))
}
