package googlesql

import (
	"strconv"
	"strings"
)

// countRows counts the rows of a group or a frame. DuckDB's number is negative for a frame that ends before it begins.
func countRows(_ *printer, c *call) fragment {
	if c.over == nil {
		return text("count(*)", c.rows())
	}
	return text("greatest(count(*)", c.rows(), ", 0)")
}

func count(p *printer, c *call) fragment {
	arg := c.args[0]
	if arg.dyn != nil && !c.written.distinct {
		return text("count(CASE WHEN ", arg.dyn.isNull(p), " THEN NULL ELSE 1 END)", c.rows())
	}
	return c.template("count({distinct}{0}){over}")
}

// mostNumeric is the greatest NUMERIC.
const mostNumeric = "CAST('99999999999999999999999999999.999999999' AS DECIMAL(38, 9))"

// sum keeps the type of integers, of which DuckDB makes a wider one.
func sum(_ *printer, c *call) fragment {
	sql := c.template("sum({distinct}{0}){over}")
	switch {
	case c.typ.is(int64Kind):
		return text("CAST(", sql, " AS BIGINT)")
	case c.typ.is(numericKind): // DuckDB's sum can have more digits than the type
		return text("CASE WHEN ", sql, " NOT BETWEEN -"+mostNumeric+" AND "+mostNumeric+" THEN ", raise("A sum is outside the range of NUMERIC"), " ELSE CAST(", sql, " AS DECIMAL(38, 9)) END")
	}
	return sql
}

// deviation is a variance or a standard deviation: NULL of too few values, and NaN if one is not finite.
func deviation(_ *printer, c *call) fragment {
	name := statisticName(c.name)
	least := ifElse(strings.HasSuffix(name, "_samp"), "2", "1")
	return c.template("CASE WHEN count({distinct}{0}){over} < " + least + " THEN NULL WHEN count(CASE WHEN NOT isfinite({0}) THEN 1 END){over} > 0 THEN 'nan'::DOUBLE ELSE " +
		name + "({distinct}CASE WHEN isfinite({0}) THEN {0} END){over} END")
}

// statisticName returns DuckDB's name of a statistic.
func statisticName(name string) string {
	return or(map[string]string{"STDDEV": "stddev_samp", "VARIANCE": "var_samp"}[name], strings.ToLower(name))
}

// covariance is as [deviation], of pairs without NULL.
func covariance(_ *printer, c *call) fragment {
	name := strings.ToLower(c.name)
	least := ifElse(name == "covar_pop", "1", "2")
	return c.template("CASE WHEN regr_count({0}, {1}){over} < " + least + " THEN NULL WHEN count(CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL AND NOT (isfinite({0}) AND isfinite({1})) THEN 1 END){over} > 0 THEN 'nan'::DOUBLE ELSE " +
		name + "(CASE WHEN isfinite({0}) AND isfinite({1}) THEN {0} END, CASE WHEN isfinite({0}) AND isfinite({1}) THEN {1} END){over} END")
}

// least is NaN if one is. DuckDB takes NaN for more than other numbers, also if it is negated.
func least(_ *printer, c *call) fragment {
	if c.args[0].canBeNaN() {
		return c.template("(-max(-{0}){over})")
	}
	return c.template("min({0}){over}")
}

// anyValue takes the value of the row with the greatest or least other value, if that is written.
func anyValue(_ *printer, c *call) fragment {
	if c.written == nil || c.written.having == "" {
		return c.template("any_value({0}){over}")
	}
	return text("arg_"+strings.ToLower(c.written.having)+"_null(", c.args[0], ", ", c.other, ")", c.rows())
}

// topCount returns the most frequent values, with how often each is there.
func topCount(_ *printer, c *call) fragment {
	values := "list_transform(map_entries(histogram({0}){over}), lambda {e}: struct_pack(n := CAST(struct_extract({e}, 'value') AS BIGINT), v := struct_extract({e}, 'key')))"
	nulls := "CASE WHEN count(*){over} > count({0}){over} THEN [struct_pack(n := CAST(count(*){over} - count({0}){over} AS BIGINT), v := NULL)] END"
	return c.template("CASE WHEN count(*){over} > 0 THEN list_transform(list_reverse_sort(list_concat(" + values + ", " + nulls + "))[1:{1}]," +
		` lambda {e}: struct_pack("value" := struct_extract({e}, 'v'), "count" := CAST(struct_extract({e}, 'n') AS BIGINT))) END`)
}

func arrayAgg(_ *printer, c *call) fragment {
	sql := c.template("list({distinct}{0}{order})")
	if c.written.nulls == "IGNORE" {
		return c.limited(text(sql, c.rows(c.isThere())))
	}
	return c.limited(text(sql, c.rows()))
}

func arrayConcatAgg(_ *printer, c *call) fragment {
	return text("flatten(", c.limited(text(c.template("list({0}{order})"), c.rows(c.isThere()))), ")")
}

// isThere is whether the argument of a row is not NULL.
func (c *call) isThere() fragment { return text(c.args[0], " IS NOT NULL") }

// limited cuts a list to the LIMIT of an aggregate.
func (c *call) limited(list fragment) fragment {
	if c.limit.node == nil {
		return list
	}
	most := number(c.limit)
	return text("CASE WHEN ", most, " > 0 THEN (", list, ")[1:", most, "] END")
}

// DuckDB does not see that string_agg is ordered by its own argument if it is computed.
func stringAgg(_ *printer, c *call) fragment {
	separator := fragment(plain("','"))
	if len(c.args) > 1 {
		separator = c.args[1].node
	}
	if c.limit.node == nil && (!c.written.distinct || c.order == nil) {
		return text("string_agg(", c.distinct(), c.args[0], ", ", separator, c.ordered(), ")", c.rows())
	}
	all := text(c.template("list({distinct}{0}{order})"), c.rows(c.isThere()))
	return text("array_to_string(", c.limited(all), ", ", separator, ")")
}

// approxQuantiles returns exact quantiles, which are observed values (D5).
func approxQuantiles(_ *printer, c *call) fragment {
	if c.written.nulls == "RESPECT" {
		return text("list_transform(quantile_disc(", c.distinct(), withNulls(c.args[0]), ", ", c.quantiles.fractions(), ")", c.rows(), `, lambda "#q": struct_extract("#q", 'v'))`)
	}
	return text("quantile_disc(", c.distinct(), c.args[0], ", ", c.quantiles.fractions(), ")", c.rows())
}

// withNulls is a value that DuckDB's percentiles do not leave out if it is NULL, and sort before others.
func withNulls(v value) fragment {
	return text("struct_pack(k := ", v, " IS NOT NULL, v := ", v, ")")
}

// percentileDisc is the first value that a part of the values is not more than.
func percentileDisc(_ *printer, c *call) fragment {
	if c.written.nulls == "RESPECT" {
		return text("struct_extract(quantile_disc(", withNulls(c.args[0]), ", ", c.args[1], ")", c.rows(), ", 'v')")
	}
	return c.template("quantile_disc({0}, {1}){over}")
}

// percentileCont interpolates between two values. NULL is less than all of them: between it and a number is the number, and less
// than any number stands for it otherwise.
func percentileCont(_ *printer, c *call) fragment {
	if c.written.nulls != "RESPECT" {
		return c.template("quantile_cont({0}, {1}){over}")
	}
	const place, nulls = "{1} * (count(*){over} - 1)", "count(*){over} - count({0}){over}"
	return c.template("CASE WHEN ceil(" + place + ") < " + nulls + " THEN NULL WHEN floor(" + place + ") < " + nulls + " THEN min({0}){over} ELSE quantile_cont(coalesce({0}, '-inf'::DOUBLE), {1}){over} END")
}

func (q *quantiles) fractions() fragment {
	fractions := each(q.computed(), func(_, i int) string { return strconv.FormatFloat(float64(i)/float64(q.n), 'f', -1, 64) })
	return plain("[" + strings.Join(fractions, ", ") + "]")
}
