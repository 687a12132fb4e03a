package googlesql

import (
	"fmt"
	"slices"
)

// raisedMessage raises a message. That of a caller must be a literal: the engine may evaluate it for rows that the caller must
// not see.
func raisedMessage(p *printer, c *call) fragment {
	if p.env.isCallers(c.at) && c.args[0].constant == nil {
		return raise("ERROR was called; its message is shown if it is a string literal")
	}
	return raised{c.args[0].node}
}

// nullIf is NULL if both values are equal. DuckDB takes NULLs in structs for equal.
func nullIf(_ *printer, c *call) fragment {
	if c.other.node == nil {
		return c.template("nullif({0}, {1})")
	}
	return text("CASE WHEN ", c.other, " THEN NULL ELSE ", c.args[0], " END")
}

// branches is a template whose arguments are evaluated for some rows only.
func branches(sql string) form {
	return form{by: func(_ *printer, c *call) fragment {
		args := slices.Clone(c.args)
		for i := range args {
			args[i].node = written{branch{args[i].node}}
		}
		return template(sql, args...)
	}}
}

// mostExactDigits is the most digits after the point to which numbers are rounded exactly.
const mostExactDigits = 15

// round rounds a number as it is. DuckDB multiplies it first, and the product of 2.675, which is a little less, is half way.
// A number of n digits is half way only if it is a multiple of 2 to the power of -n-1.
func round(_ *printer, c *call) fragment {
	rounded := roundedTo("round")
	n, ok := c.args[1].integer()
	if !ok || n < 1 || n > mostExactDigits {
		return c.template(rounded)
	}
	const exact = "CASE WHEN isfinite({0}) AND abs({0} * 1e%d) %% 1 = 0.5 AND {0} * %d %% 1 <> 0 THEN CAST(printf('%%.%df', {0}) AS DOUBLE) ELSE %s END"
	return c.template(fmt.Sprintf(exact, n, int64(2)<<n, n, rounded))
}

const (
	// mostRoundedDigits is more than the digits that a FLOAT64 has before or behind the point.
	mostRoundedDigits = 400
	nan               = "'nan'::DOUBLE"
)

// roundedTo rounds to {1} digits, as DuckDB does for a number that is finite and stays so.
func roundedTo(name string) string {
	n := "CAST(greatest(least({1}, " + itoa(mostRoundedDigits) + "), -" + itoa(mostRoundedDigits) + ") AS INTEGER)"
	overflow := ""
	if name == "round" { // 1.7e308 becomes 2e308
		overflow = "WHEN {1} = -308 AND abs({0}) >= 1.5e308 THEN {!Floating point error in ROUND} WHEN {1} = -308 THEN round({0} / 1e308) * 1e308 "
	}
	return "CASE WHEN {1} IS NULL THEN NULL WHEN isinf({0}) OR isnan({0}) THEN {0} " + overflow + "ELSE " + name + "({0}, " + n + ") END"
}

// ofFinite is a template for finite numbers only, with its values at the infinities. NaN stays NaN.
func ofFinite(sql, atInfinity, atMinusInfinity string) string {
	return "CASE WHEN isfinite({0}) THEN " + sql + " WHEN isnan({0}) THEN {0} WHEN {0} > 0 THEN " + atInfinity + " WHEN {0} < 0 THEN " + atMinusInfinity + " END"
}

// ofNonzero is a template with an error at 0.
func ofNonzero(sql string) string {
	return "CASE WHEN {0} = 0 THEN {!Floating point error in {NAME}} ELSE " + sql + " END"
}

// ofVectors is a template of two arrays of the same length, without NULL.
func ofVectors(sql string) string {
	hasNull := func(array string) string { return "len(list_filter(" + array + ", lambda {e}: {e} IS NULL)) > 0" }
	return "CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN " + hasNull("{0}") + " OR " + hasNull("{1}") + " THEN {!A vector of {NAME} must not have NULL}" +
		" WHEN len({0}) <> len({1}) THEN {!The vectors of {NAME} must have the same length} WHEN len({0}) = 0 THEN {!A vector of {NAME} must not be empty} ELSE " + sql + " END"
}

// tried is NULL where a template raises an error.
func tried(sql string) form {
	return form{by: func(p *printer, c *call) fragment {
		return p.tried(c.args, func(args []value) fragment { return template(sql, args...) })
	}}
}

// finite makes an error of a result that overflows, or is no number, though the arguments are finite ones.
func finite(sql string) string {
	return "CASE WHEN NOT isfinite(" + sql + ") AND isfinite({0}) AND isfinite({1}) THEN {!Floating point error in {NAME}} ELSE " + sql + " END"
}

// finiteOrNull is as [finite], with NULL for the error.
func finiteOrNull(sql string) string {
	return "CASE WHEN isfinite(" + sql + ") OR NOT isfinite({0}) OR NOT isfinite({1}) THEN " + sql + " END"
}

// greatest is a template that is NULL if an argument is, which DuckDB skips, and NaN if one is.
func greatest(sql string) form {
	return form{by: func(_ *printer, c *call) fragment {
		parts := []any{"CASE WHEN "}
		for i, arg := range c.args {
			parts = append(parts, ifElse(i > 0, " OR ", ""), arg, " IS NULL")
		}
		parts = append(parts, " THEN NULL")
		if c.typ.is(float64Kind) {
			for _, arg := range c.args {
				parts = append(parts, " WHEN isnan(", arg, ") THEN ", arg)
			}
		}
		return text(append(parts, " ELSE ", template(sql, c.args...), " END")...)
	}}
}

// notNoStep makes an error of an interval of nothing.
const notNoStep = "CASE WHEN {2} = INTERVAL 0 DAY THEN {!The step must not be 0} ELSE {2} END"

// slicePlace is an index from 0 as DuckDB's list_slice takes it; from the end it counts alike.
func slicePlace(sql string) string {
	return "CASE WHEN " + sql + " >= 0 THEN " + sql + " + 1 ELSE " + sql + " END"
}

// cubeRoot is CBRT. DuckDB's is a power, which is not exact for cubes such as 27, so it is followed by a step of Newton's method.
func cubeRoot(p *printer, c *call) fragment {
	return p.hoisted(c.args, func(args []value) fragment {
		return template("CASE WHEN {0} = 0 OR NOT isfinite({0}) THEN {0} ELSE cbrt({0}) - (cbrt({0}) - {0} / (cbrt({0}) * cbrt({0}))) / 3 END", args...)
	})
}

// rangeBucket is RANGE_BUCKET. Bounds that are not in order, or that are NULL or NaN, are an error.
func rangeBucket(p *printer, c *call) fragment {
	return p.hoisted(c.args, func(args []value) fragment {
		ifFloat := func(of value, sql string) fragment {
			return ifElse(of.typ.is(float64Kind), template(sql, args...), fragment(plain("false")))
		}
		return text(template("CASE WHEN {0} IS NULL OR {1} IS NULL OR ", args...), ifFloat(c.args[0], "{0} = 'nan'::DOUBLE"), " THEN NULL WHEN ",
			ifFloat(value{typ: c.args[1].typ.elem}, "list_contains({1}, 'nan'::DOUBLE)"), template(" OR list_count({1}) < len({1}) OR list_sort({1}) != {1} THEN ", args...),
			raise("The array of RANGE_BUCKET must be in ascending order, without NULL and NaN"), template(` ELSE len(list_filter({1}, lambda "#e": "#e" <= {0})) END`, args...))
	})
}

// joinedByValue is a template of the strings of a list with a separator between them. DuckDB's array_to_string takes a constant
// separator only.
func joinedByValue(list, separator string) string {
	return `array_to_string(list_transform(` + list + `, lambda {e}, "#i": CASE WHEN "#i" = 1 THEN {e} ELSE concat(` + separator + `, {e}) END), '')`
}
