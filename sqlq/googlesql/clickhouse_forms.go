package googlesql

import (
	"strings"
	"sync"
)

// clickhouseForm is how ClickHouse writes a row of the table of functions: a template, or what writes it. A reason means
// that ClickHouse has nothing of the same meaning.
type clickhouseForm struct {
	// sql is a template; see [clickhouseCall.template].
	sql  string
	emit func(c *clickhouseCall) clickhouseValue
	// why is the reason of a refusal, which says what works instead.
	why string
	// aboutNull means that arguments are computed for some rows only.
	aboutNull bool
}

// clickhouseFormTable holds the forms by the name and the parameters of a row, as in ABS(N), or by the name alone.
var clickhouseFormTable struct { //nolint:gochecknoglobals // It is made once, and constant then.
	once  sync.Once
	forms map[string]clickhouseForm
}

func clickhouseForms() map[string]clickhouseForm {
	clickhouseFormTable.once.Do(func() {
		forms := make(map[string]clickhouseForm)
		for _, group := range []map[string]clickhouseForm{
			clickhouseNumbers(), clickhouseTexts(), clickhouseArrays(), clickhouseTimes(), clickhouseJSON(), clickhouseAggregates(), clickhouseConditions(),
		} {
			for names, form := range group {
				head, params, hasParams := strings.Cut(names, "(")
				for name := range strings.FieldsSeq(head) {
					if hasParams {
						name += "(" + params
					}
					forms[name] = form
				}
			}
		}
		clickhouseFormTable.forms = forms
	})
	return clickhouseFormTable.forms
}

// clickhouseFormOf returns the form of a row.
func clickhouseFormOf(f *function) (clickhouseForm, bool) {
	forms := clickhouseForms()
	form, ok := forms[f.name+"("+f.params+")"]
	if !ok {
		form, ok = forms[f.name]
	}
	return form, ok
}

func clickhouseConditions() map[string]clickhouseForm {
	return map[string]clickhouseForm{
		"IF":       {emit: (*clickhouseCall).ifElse, aboutNull: true},
		"IFNULL":   {emit: (*clickhouseCall).coalesce, aboutNull: true},
		"COALESCE": {emit: (*clickhouseCall).coalesce, aboutNull: true},
		"NULLIF":   {emit: (*clickhouseCall).nullIf},
		"ERROR":    {emit: (*clickhouseCall).error},
	}
}

// ofFiniteClickHouse is as [ofFinite].
func ofFiniteClickHouse(sql, atInfinity, atMinusInfinity string) string {
	return "multiIf(isFinite({0}), " + sql + ", isNaN({0}), {0}, {0} > 0, " + atInfinity + ", {0} < 0, " + atMinusInfinity + ", NULL)"
}

func ofNonzeroClickHouse(sql string) string {
	return "{?{0} = 0|Floating point error in {NAME}|" + sql + "}"
}

const (
	clickhouseNaN  = "toFloat64(nan)"
	clickhouseZero = "toFloat64(0)"
	clickhouseOne  = "toFloat64(1)"
)

// finiteClickHouse is as [finite], and finiteOrNullClickHouse as [finiteOrNull].
func finiteClickHouse(sql string) string {
	return "{?NOT isFinite(" + sql + ") AND isFinite({0}) AND isFinite({1})|Floating point error in {NAME}|" + sql + "}"
}

func finiteOrNullClickHouse(sql string) string {
	return "if(isFinite(" + sql + ") OR NOT isFinite({0}) OR NOT isFinite({1}), " + sql + ", NULL)"
}

// roundAway rounds half away from zero, which ClickHouse does of decimals only.
func roundAway(x string) string {
	return "(trunc(" + x + ") + if(abs(" + x + " - trunc(" + x + ")) >= 0.5, sign(" + x + "), 0))"
}

func clickhouseNumbers() map[string]clickhouseForm {
	forms := map[string]clickhouseForm{
		"ABS(N)":                {emit: (*clickhouseCall).abs},
		"SIGN(INT64)":           {sql: "toInt64(sign({0}))"},
		"SIGN(FLOAT64)":         {sql: "if(isNaN({0}), {0}, toFloat64(sign({0})))"},
		"SIGN(NUMERIC)":         {sql: "CAST(sign({0}) AS {T})"},
		"MOD(INT64, INT64)":     {sql: "{?{1} = 0 AND {0} IS NOT NULL|division by zero|toInt64(moduloOrNull({0}, {1}))}"},
		"MOD(NUMERIC, NUMERIC)": {emit: func(c *clickhouseCall) clickhouseValue { return c.value(c.numericDivision("moduloOrNull(n, d)")) }},
		"DIV(INT64, INT64)":     {sql: "{?{1} = 0 AND {0} IS NOT NULL|division by zero|{#intDivOrNull(toInt128({0}), toInt128({1}))}}"},
		"DIV(NUMERIC, NUMERIC)": {emit: func(c *clickhouseCall) clickhouseValue {
			return c.value(c.numericDivision("intDivOrNull(n, d) * 1000000000"))
		}},
		"SAFE_DIVIDE(FLOAT64, FLOAT64)": {sql: finiteOrNullClickHouse("({0} / nullIf({1}, 0))")},
		"SAFE_DIVIDE(NUMERIC, NUMERIC)": {emit: func(c *clickhouseCall) clickhouseValue {
			return c.value(c.p.numericQuotient(c.args[0].sql, "nullIf("+c.args[1].sql+", 0)"))
		}},
		"IEEE_DIVIDE":           {sql: "({0} / {1})"},
		"GREATEST LEAST":        {emit: (*clickhouseCall).greatest},
		"POW POWER":             {sql: finiteClickHouse("pow({0}, {1})")},
		"LOG(FLOAT64, FLOAT64)": {sql: "multiIf({0} IS NULL OR {1} IS NULL, NULL, isNaN({0}) OR isNaN({1}) OR isInfinite({0}) AND {0} < 0 OR isInfinite({1}) AND {1} > 0, " + clickhouseNaN + ", {?{0} <= 0 OR {1} <= 0 OR {1} = 1|Floating point error in LOG|log({0}) / log({1})})"},
		"ATAN2":                 {sql: "atan2({0}, {1})"},
		"EXP":                   {sql: "{?isInfinite(exp({0})) AND NOT isInfinite({0})|Floating point error in EXP|exp({0})}"},
		"LOG(FLOAT64)":          {sql: ofFiniteClickHouse("{?{0} <= 0|Floating point error in LOG|log({0})}", "{0}", clickhouseNaN)},
		"LN":                    {sql: ofFiniteClickHouse("{?{0} <= 0|Floating point error in LN|log({0})}", "{0}", clickhouseNaN)},
		"LOG10":                 {sql: ofFiniteClickHouse("{?{0} <= 0|Floating point error in LOG10|log10({0})}", "{0}", clickhouseNaN)},
		"SQRT":                  {sql: ofFiniteClickHouse("{?{0} < 0|Floating point error in SQRT|sqrt({0})}", "{0}", clickhouseNaN)},
		"SIN COS TAN":           {sql: ofFiniteClickHouse("{name}({0})", clickhouseNaN, clickhouseNaN)},
		"ASIN ACOS":             {sql: ofFiniteClickHouse("{?abs({0}) > 1|Floating point error in {NAME}|{name}({0})}", clickhouseNaN, clickhouseNaN)},
		"SINH COSH":             {sql: "{?isInfinite({name}({0})) AND NOT isInfinite({0})|Floating point error in {NAME}|{name}({0})}"},
		"SEC":                   {sql: ofFiniteClickHouse("1 / cos({0})", clickhouseNaN, clickhouseNaN)},
		"CSC":                   {sql: ofFiniteClickHouse(ofNonzeroClickHouse("1 / sin({0})"), clickhouseNaN, clickhouseNaN)},
		"COT":                   {sql: ofFiniteClickHouse(ofNonzeroClickHouse("1 / tan({0})"), clickhouseNaN, clickhouseNaN)},
		"SECH":                  {sql: "(1 / cosh({0}))"},
		"CSCH":                  {sql: ofFiniteClickHouse(ofNonzeroClickHouse("1 / sinh({0})"), clickhouseZero, clickhouseZero)},
		"COTH":                  {sql: ofFiniteClickHouse(ofNonzeroClickHouse("1 / tanh({0})"), clickhouseOne, "toFloat64(-1)")},
		"ASINH":                 {sql: ofFiniteClickHouse("asinh({0})", "{0}", "{0}")},
		"ACOSH":                 {sql: ofFiniteClickHouse("{?{0} < 1|Floating point error in ACOSH|acosh({0})}", "{0}", clickhouseNaN)},
		"ATANH":                 {sql: ofFiniteClickHouse("{?abs({0}) >= 1|Floating point error in ATANH|atanh({0})}", clickhouseNaN, clickhouseNaN)},
		"EUCLIDEAN_DISTANCE":    {sql: clickhouseVectors("L2Distance(arrayMap(e -> assumeNotNull(e), {0}), arrayMap(e -> assumeNotNull(e), {1}))")},
		"COSINE_DISTANCE": {sql: clickhouseVectors("{?arraySum(arrayMap(e -> assumeNotNull(e * e), {0})) = 0 OR arraySum(arrayMap(e -> assumeNotNull(e * e), {1})) = 0|A vector of COSINE_DISTANCE must not be zero|" +
			"1 - arraySum(arrayMap((e, f) -> assumeNotNull(e * f), {0}, {1})) / (sqrt(arraySum(arrayMap(e -> assumeNotNull(e * e), {0}))) * sqrt(arraySum(arrayMap(e -> assumeNotNull(e * e), {1}))))}")},
		"PARSE_NUMERIC":    {emit: (*clickhouseCall).parseNumeric},
		"CBRT ATAN TANH":   {sql: "{name}({0})"},
		"IS_NAN":           {sql: "isNaN({0})"},
		"IS_INF":           {sql: "isInfinite({0})"},
		"BIT_COUNT(INT64)": {sql: "toInt64(bitCount({0}))"},
		"RANGE_BUCKET": {sql: "if(ifNull({0} != {0}, true), NULL, {?arrayExists(e -> ifNull(e != e, true), {1}) OR arraySort({1}) != {1}|The array of RANGE_BUCKET must be in ascending order, without NULL and NaN|" +
			"toInt64(arrayCount(e -> ifNull(e <= {0}, false), {1}))})"},
		"ROUND(FLOAT64)":        {sql: roundAway("{0}")},
		"TRUNC(FLOAT64)":        {sql: "trunc({0})"},
		"CEIL CEILING(FLOAT64)": {sql: "ceil({0})"},
		"FLOOR(FLOAT64)":        {sql: "floor({0})"},
		"ROUND(NUMERIC)":        {emit: numericRounding("round({0})")},
		"TRUNC(NUMERIC)":        {emit: numericRounding("trunc({0})")},
		"CEIL CEILING(NUMERIC)": {emit: numericRounding("ceil({0})")},
		"FLOOR(NUMERIC)":        {emit: numericRounding("floor({0})")},
		"ROUND(FLOAT64, INT64)": {emit: (*clickhouseCall).round},
		"TRUNC(FLOAT64, INT64)": {emit: (*clickhouseCall).truncNumber},
		"ROUND(NUMERIC, INT64)": {emit: (*clickhouseCall).roundNumeric},
		"TRUNC(NUMERIC, INT64)": {emit: (*clickhouseCall).roundNumeric},
		"SAFE_NEGATE(N)": {emit: func(c *clickhouseCall) clickhouseValue {
			return c.safely(func() string { return c.p.arithmetic("-", c.typ, c.p.zero(c.typ), c.args[0].sql) })
		}},
	}
	for name, op := range map[string]string{"SAFE_ADD": "+", "SAFE_SUBTRACT": "-", "SAFE_MULTIPLY": "*"} {
		forms[name+"(INT64, INT64)"] = clickhouseForm{emit: func(c *clickhouseCall) clickhouseValue {
			return c.safely(func() string { return c.p.arithmetic(op, c.typ, c.args[0].sql, c.args[1].sql) })
		}}
		forms[name+"(NUMERIC, NUMERIC)"] = forms[name+"(INT64, INT64)"]
		forms[name+"(FLOAT64, FLOAT64)"] = clickhouseForm{sql: finiteOrNullClickHouse("({0} " + op + " {1})")}
	}
	return forms
}

// clickhouseVectors is as [ofVectors].
func clickhouseVectors(sql string) string {
	return "{?arrayExists(e -> e IS NULL, {0}) OR arrayExists(e -> e IS NULL, {1})|A vector of {NAME} must not have NULL|" +
		"{?length({0}) != length({1})|The vectors of {NAME} must have the same length|{?empty({0})|A vector of {NAME} must not be empty|" + sql + "}}}"
}

func numericRounding(sql string) func(c *clickhouseCall) clickhouseValue {
	return func(c *clickhouseCall) clickhouseValue {
		return c.value(c.p.toNumeric(strings.ReplaceAll(sql, "{0}", "toDecimal256("+c.args[0].sql+", 9)")))
	}
}

func clickhouseArrays() map[string]clickhouseForm {
	count := func(sql string) string {
		return "{?" + sql + " > 1048576|{NAME} makes more than 1048576 elements|" + sql + "}"
	}
	return map[string]clickhouseForm{
		"ARRAY_LENGTH":                           {sql: "toInt64(length({0}))"},
		"ARRAY_CONCAT":                           {sql: "arrayConcat({*})"},
		"ARRAY_REVERSE":                          {sql: "arrayReverse({0})"},
		"ARRAY_TO_STRING(ARRAY<STRING>, STRING)": {sql: "if({1} IS NULL, NULL, " + clickhouseJoin("arrayFilter(e -> e IS NOT NULL, {0})", "{1}") + ")"},
		"ARRAY_TO_STRING(ARRAY<STRING>, STRING, STRING)": {sql: "if({1} IS NULL OR {2} IS NULL, NULL, " + clickhouseJoin("arrayMap(e -> ifNull(e, {2}), {0})", "{1}") + ")"},
		"ARRAY_FIRST":                               {emit: func(c *clickhouseCall) clickhouseValue { return c.elementAt("1") }},
		"ARRAY_LAST":                                {emit: func(c *clickhouseCall) clickhouseValue { return c.elementAt("-1") }},
		"ARRAY_SLICE":                               {sql: "arraySlice({0}, greatest(if({1} < 0, toInt64(length({0})) + {1}, {1}), 0) + 1, greatest(if({2} < 0, toInt64(length({0})) + {2}, {2}) - greatest(if({1} < 0, toInt64(length({0})) + {1}, {1}), 0) + 1, 0))"},
		"GENERATE_ARRAY(INT64, INT64)":              {sql: "arrayMap(e -> CAST({0} + e AS Nullable(Int64)), range(assumeNotNull(toUInt64(" + count("greatest(toInt128({1}) - {0} + 1, 0)") + "))))"},
		"GENERATE_ARRAY(INT64, INT64, INT64)":       {sql: "arrayMap(e -> CAST({0} + e * {2} AS Nullable(Int64)), range(assumeNotNull(toUInt64({?{2} = 0|The step of GENERATE_ARRAY must not be 0|" + count("if(({1} < {0}) = ({2} > 0) AND {1} != {0}, 0, intDivOrNull(toInt128({1}) - {0}, toInt128({2})) + 1)") + "}))))"},
		"GENERATE_ARRAY(FLOAT64, FLOAT64)":          {sql: "arrayMap(e -> CAST({0} + e AS Nullable(Float64)), range(assumeNotNull(toUInt64(" + count("greatest(floor({1} - {0}) + 1, 0)") + "))))"},
		"GENERATE_ARRAY(FLOAT64, FLOAT64, FLOAT64)": {sql: "arrayMap(e -> CAST({0} + e * {2} AS Nullable(Float64)), range(assumeNotNull(toUInt64({?{2} = 0|The step of GENERATE_ARRAY must not be 0|" + count("greatest(floor(({1} - {0}) / {2}) + 1, 0)") + "}))))"},
		"GENERATE_DATE_ARRAY":                       {emit: (*clickhouseCall).dateArray},
		"GENERATE_TIMESTAMP_ARRAY":                  {emit: (*clickhouseCall).dateArray},
	}
}

// clickhouseJoin joins texts that are not NULL, with a separator that need not be constant.
func clickhouseJoin(elements, separator string) string {
	return "arrayStringConcat(arrayMap((e, i) -> if(i = 1, assumeNotNull(e), concat(assumeNotNull(" + separator + "), assumeNotNull(e))), (" + elements + "), arrayEnumerate(" + elements + ")))"
}
