package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// numericDigits is how many digits a NUMERIC has after the point. It has 29 before it.
const numericDigits = 9

// numericConstant returns a constant. BigQuery takes only digits that a NUMERIC has, but rounds those of a
// constant with a point that becomes one.
func numericConstant(text string, at place, isRounded bool) *constant {
	number, err := sqlq.ParseDecimal(strings.TrimSpace(text))
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(string(number), "-"), ".")
	if err != nil || len(whole) > 29 || len(fraction) > numericDigits && !isRounded {
		fail(at, "%q is not a NUMERIC, which has at most 29 digits before and 9 after the point", text)
	}
	return &constant{numericKind, string(number)}
}

// checkNumeric fails for what a type of exact numbers has beyond NUMERIC.
func (t *typeExpr) checkNumeric() {
	switch {
	case t.name == "BIGNUMERIC" || t.name == "BIGDECIMAL":
		fail(t.place, "type %s is not supported, because the embedded engine has numbers of 38 digits; use NUMERIC", t.name)
	case len(t.params) > 0 && (t.name == "NUMERIC" || t.name == "DECIMAL"):
		fail(t.place, "NUMERIC with a precision is not supported; write ROUND(CAST(… AS NUMERIC), 2)")
	}
}

// withDecimals returns NUMERIC for values that have FLOAT64 in common only because of constants: beside
// a NUMERIC, BigQuery reads the digits of a constant.
func withDecimals(typ *dataType, values ...value) *dataType {
	if typ != nil && typ.is(float64Kind) && slices.ContainsFunc(values, func(v value) bool { return v.typ.is(numericKind) }) &&
		!slices.ContainsFunc(values, func(v value) bool { return v.typ.is(float64Kind, numberKind, dynamicKind) && v.constant == nil }) {
		return scalar(numericKind)
	}
	return typ
}

// checkDigits fails unless the number of digits is constant. Engines must know it when they plan.
func checkDigits(c *call) {
	if c.args[1].constant == nil {
		fail(c.args[1].at, "%s of a NUMERIC needs a constant number of digits; write it, or CAST the number AS FLOAT64", c.name)
	}
}

// checkStatistic fails for DISTINCT.
func checkStatistic(c *call) {
	if c.written.distinct {
		fail(c.at, "%s takes no DISTINCT with a NUMERIC; write it of a subquery with SELECT DISTINCT", c.name)
	}
}

// checkExact fails for functions that BigQuery computes with all digits of a NUMERIC, and DuckDB does not.
func checkExact(name string, args []value, at place) {
	inexact := []string{
		"EXP", "LN", "LOG", "LOG10", "POW", "POWER", "SQRT", "PERCENTILE_CONT", "GENERATE_ARRAY",
	}
	if slices.Contains(inexact, name) && slices.ContainsFunc(args, func(v value) bool { return v.typ.is(numericKind) }) {
		fail(at, "%s of a NUMERIC is not supported, because BigQuery computes more digits of it; write CAST(… AS FLOAT64)", name)
	}
}
