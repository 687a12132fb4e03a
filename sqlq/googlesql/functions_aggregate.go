package googlesql

import (
	"maps"
	"slices"
	"strconv"
)

func aggregates() []function {
	return []function{
		{name: "COUNT", params: "", result: "INT64", duckdb: form{by: countRows}, note: "COUNT(*)"},
		{name: "COUNT", params: "ANY", result: "INT64", takes: takesDistinct, duckdb: form{by: count}},
		{name: "COUNTIF", params: "BOOL", result: "INT64", takes: takesDistinct, duckdb: form{sql: "count({distinct}CASE WHEN {0} THEN 1 END){over}"}},
		{name: "SUM", params: "N", result: "N", takes: takesDistinct, duckdb: form{by: sum}},
		{name: "AVG", params: "FLOAT64", result: "FLOAT64", takes: takesDistinct, duckdb: form{sql: "avg({distinct}{0}){over}"}},
		{name: "AVG", params: "NUMERIC", result: "NUMERIC", takes: takesDistinct, duckdb: form{by: averageOfNumeric}},
		{name: "MIN", params: "T", result: "T", takes: takesDistinct, orders: "T", duckdb: form{by: least}},
		{name: "MAX", params: "T", result: "T", takes: takesDistinct, orders: "T", duckdb: form{sql: "max({0}){over}"}},
		{name: "ANY_VALUE", params: "T", result: "T", duckdb: form{by: anyValue}},
		{name: "ARRAY_AGG", params: "T", result: "ARRAY<T>", takes: takesDistinct | takesNulls | takesOrder | takesLimit, duckdb: form{by: arrayAgg}},
		{name: "ARRAY_CONCAT_AGG", params: "ARRAY<T>", result: "ARRAY<T>", takes: takesOrder | takesLimit, duckdb: form{by: arrayConcatAgg}},
		{name: "STRING_AGG", params: "STRING | STRING, STRING", result: "STRING", takes: takesDistinct | takesOrder | takesLimit, check: checkSeparator, duckdb: form{by: stringAgg}},
		{name: "APPROX_COUNT_DISTINCT", params: "T", result: "INT64", duckdb: form{sql: "count(DISTINCT {0}){over}"}, note: "exact"},
		{name: "APPROX_QUANTILES", params: "T, INT64", result: "ARRAY<T>", takes: takesDistinct | takesNulls, orders: "T", check: checkQuantiles, duckdb: form{by: approxQuantiles}, note: "observed values, exact"},
		{name: "LOGICAL_AND", params: "BOOL", result: "BOOL", takes: takesDistinct, duckdb: form{sql: "bool_and({0}){over}"}},
		{name: "LOGICAL_OR", params: "BOOL", result: "BOOL", takes: takesDistinct, duckdb: form{sql: "bool_or({0}){over}"}},
		{name: "BIT_AND BIT_OR", params: "INT64", result: "INT64", takes: takesDistinct, duckdb: form{sql: "{name}({0}){over}"}},
		{name: "BIT_XOR", params: "INT64", result: "INT64", takes: takesDistinct, duckdb: form{sql: "bit_xor({distinct}{0}){over}"}},
		{name: "STDDEV STDDEV_SAMP STDDEV_POP VARIANCE VAR_SAMP VAR_POP", params: "FLOAT64", result: "FLOAT64", takes: takesDistinct, duckdb: form{by: deviation}},
		{name: "STDDEV STDDEV_SAMP STDDEV_POP VARIANCE VAR_SAMP VAR_POP", params: "NUMERIC", result: "FLOAT64", check: checkStatistic, duckdb: form{by: numericStatistic}},
		{name: "CORR COVAR_SAMP COVAR_POP", params: "NUMERIC, NUMERIC", result: "FLOAT64", check: checkStatistic, duckdb: form{by: numericStatistic}},
		{name: "CORR COVAR_SAMP COVAR_POP", params: "FLOAT64, FLOAT64", result: "FLOAT64", duckdb: form{by: covariance}},
		{name: "APPROX_TOP_COUNT", params: "T, INT64", result: "ARRAY<T>", check: checkTopCount, duckdb: form{by: topCount}, note: "exact"},
		{name: "APPROX_TOP_SUM", params: "T, INT64, INT64 | T, NUMERIC, INT64 | T, FLOAT64, INT64", result: "ARRAY<T>", check: checkTopSum, duckdb: form{by: topSum}, note: "exact"},
		{name: "MAX_BY", params: "T, ANY", result: "T", orders: "ANY", duckdb: form{sql: "arg_max_null({0}, {1}){over}"}},
		{name: "MIN_BY", params: "T, ANY", result: "T", orders: "ANY", duckdb: form{sql: "arg_min_null({0}, {1}){over}"}},
		{name: "GROUPING", params: "ANY", result: "INT64", check: checkGrouping, duckdb: form{sql: "CAST(grouping({0}) AS BIGINT)"}},
	}
}

func windowFunctions() []function {
	return []function{
		{name: "ROW_NUMBER RANK DENSE_RANK", result: "INT64", duckdb: form{sql: "{name}(){over}"}},
		{name: "PERCENT_RANK CUME_DIST", result: "FLOAT64", duckdb: form{sql: "{name}(){over}"}},
		{name: "NTILE", params: "INT64", result: "INT64", duckdb: form{sql: "ntile({0}){over}"}},
		{name: "LAG LEAD", params: "T | T, INT64 | T, INT64, T", result: "T", duckdb: form{sql: "{name}({*}){over}"}},
		{name: "FIRST_VALUE LAST_VALUE", params: "T", result: "T", takes: takesNulls, duckdb: form{sql: "{name}({0}{order}){over}"}},
		{name: "PERCENTILE_CONT", params: "FLOAT64, FLOAT64", result: "FLOAT64", takes: takesNulls, check: checkPercentile, duckdb: form{by: percentileCont}, note: "with a constant percentile"},
		{name: "PERCENTILE_DISC", params: "T, FLOAT64", result: "T", takes: takesNulls, orders: "T", check: checkPercentile, duckdb: form{by: percentileDisc}, note: "with a constant percentile"},
		{name: "NTH_VALUE", params: "T, INT64", result: "T", takes: takesNulls, duckdb: form{sql: "nth_value({0}, {1}{order}){over}"}},
	}
}

// checkGrouping fails for what is no key. The keys are known only behind what the call is in.
func checkGrouping(c *call) {
	body := c.scope.query()
	if body == nil || body.group == nil {
		fail(c.at, "GROUPING needs GROUP BY, with the expression as one of its keys")
	}
	arg := &c.args[0]
	arg.node = c.scope.groupKeys().key(arg.node)
	c.r.groupings = append(c.r.groupings, c)
}

// checkGroupings fails for a call of GROUPING with what is no key.
func (r *resolver) checkGroupings() {
	for _, c := range r.groupings {
		isKey := false
		if g := r.keys[c.scope.query()]; g != nil {
			g.each(func(k *key) { isKey = isKey || same(k.current().node, c.args[0].node) })
		}
		if !isKey {
			fail(c.args[0].at, "GROUPING takes an expression that GROUP BY has as a key")
		}
	}
}

// checkPercentile fails unless the part of the values is constant.
func checkPercentile(c *call) {
	switch written := c.written.args[1].(type) {
	case *literal:
		if part, err := strconv.ParseFloat(written.text, 64); written.kind != nullKind && (err != nil || part < 0 || part > 1) {
			fail(written.place, "the percentile of %s is from 0 to 1", c.name)
		}
	case *param, *castExpr:
	default:
		fail(written.offset(), "the percentile of %s must be a constant", c.name)
	}
}

func checkTopCount(c *call) {
	row := &dataType{kind: structKind, fields: []field{{"value", c.typ.elem}, {"count", scalar(int64Kind)}}}
	c.typ = arrayOf(row)
}

func checkTopSum(c *call) {
	row := &dataType{kind: structKind, fields: []field{{"value", c.typ.elem}, {"sum", c.args[1].typ}}}
	c.typ = arrayOf(row)
}

// checkSeparator fails if what is between the texts of STRING_AGG is not the same for all rows. Engines must know it when they plan.
func checkSeparator(c *call) {
	if len(c.args) < 2 {
		return
	}
	v := c.args[1]
	switch constant, isLiteral := c.written.args[1].(*literal); {
	case isLiteral && constant.kind == nullKind || isNullCast(c.written.args[1]):
		fail(v.at, "the separator of STRING_AGG cannot be NULL")
	case v.isAggregate || v.isOpaque || reads(v.node, func(*reference) bool { return true }):
		fail(v.at, "the separator of STRING_AGG must be the same for all rows; join the texts with CONCAT, and use '' as the separator")
	}
}

// quantiles is the array of APPROX_QUANTILES: n + 1 boundaries, of which a query usually reads a few. Only these
// are computed, if all that reads the array is [OFFSET(n)] with constants.
type quantiles struct {
	n int
	// reads counts what reads the array, and indexed how often that is an index.
	reads, indexed int
	used           map[int]bool
	elem           *dataType
}

func checkQuantiles(c *call) {
	number := c.args[1].constant
	if number == nil {
		fail(c.args[1].at, "the number of quantiles must be a constant")
	}
	n, err := strconv.Atoi(number.text)
	if err != nil || n < 1 || n > 1000 {
		fail(c.args[1].at, "the number of quantiles must be from 1 to 1000")
	}
	c.quantiles = &quantiles{n: n, used: make(map[int]bool), elem: c.args[0].typ}
}

// computed are the boundaries that are computed, in their order.
func (q *quantiles) computed() []int {
	if q.indexed > 0 && q.reads <= q.indexed {
		return slices.Sorted(maps.Keys(q.used))
	}
	all := make([]int, q.n+1)
	for i := range all {
		all[i] = i
	}
	return all
}

// at returns the boundary at a constant index. It reports false for another index.
func (q *quantiles) at(x *indexExpr, array value) (value, bool) {
	number, ok := x.index.(*literal)
	if !ok {
		return value{}, false
	}
	i, err := strconv.Atoi(number.text)
	if x.kind == "ORDINAL" || x.kind == "SAFE_ORDINAL" {
		i--
	}
	if err != nil || i < 0 || i > q.n {
		return value{}, false
	}
	q.indexed++
	q.used[i] = true
	return inside(q.elem, &quantile{array, i}, x.place).from(array), true
}
