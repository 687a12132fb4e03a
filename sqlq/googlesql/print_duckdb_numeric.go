package googlesql

import (
	"strconv"
	"strings"
)

// toNumeric converts a FLOAT64, of which DuckDB would round a product.
func toNumeric(v value) fragment {
	return converting{text("printf('%.30f', ", v, ")"), "DECIMAL(38, 9)", false}
}

// fromNumeric converts a NUMERIC to a FLOAT64, which is the nearest one only from a text.
func fromNumeric(v value) fragment {
	return converting{text("CAST(", v, " AS VARCHAR)"), "DOUBLE", false}
}

// unscaled is a NUMERIC as an integer, without the point.
func unscaled(v any) fragment {
	return text("CAST(replace(CAST(", v, " AS VARCHAR), '.', '') AS HUGEINT)")
}

// quotient divides exactly, with half a digit rounded away from zero. DuckDB would divide as doubles. The
// divisor has at most 20 digits before the point; others are an error.
func quotient(a, b any) fragment {
	const e = `"#q"` // the parameter of a lambda, which no argument names
	sql := strings.NewReplacer("$n", "struct_extract("+e+", 'n')", "$d", "struct_extract("+e+", 'd')", "$r", "((struct_extract("+e+", 'n') % struct_extract("+e+", 'd')) * 1000000000)").Replace(
		"CAST($n // $d * 1000000000 + $r // $d + CASE WHEN abs($r % $d) < abs($d) - abs($r % $d) THEN 0 WHEN ($n < 0) = ($d < 0) THEN 1 ELSE -1 END AS DECIMAL(38, 0))")
	return text("CAST(list_extract(list_transform([struct_pack(n := ", unscaled(a), ", d := ", unscaled(b), ")], lambda "+e+": "+sql+"), 1) * 0.000000001 AS DECIMAL(38, 9))")
}

// parseNumeric reads a text with commas between digits, and with spaces around its sign, which can be behind the digits.
func parseNumeric(_ *printer, c *call) fragment {
	const digits = `(,*[0-9][0-9,]*(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?`
	of := c.args[0]
	sign := text("CASE WHEN regexp_matches(", of, `, '^\s*-|-\s*$') THEN '-' ELSE '' END`)
	number := text("replace(regexp_extract(", of, ", '"+digits+"'), ',', '')")
	pattern := `\s*([+-]\s*)?` + digits + `\s*|\s*` + digits + `\s*[+-]\s*`
	return matching(of.node, pattern, c.typ, converting{text(sign, " || ", number), c.typ.duck(), true})
}

// averageOfNumeric divides the sum by the number of values. The sum can have more digits than a number of DuckDB, so the whole
// parts and the fractions are summed, unless each value counts once. Half a digit is rounded away from zero.
func averageOfNumeric(_ *printer, c *call) fragment {
	if c.written != nil && c.written.distinct {
		number := text("CAST(", c.template("count({distinct}{0}){over}"), " AS DECIMAL(38, 9))")
		return quotient(c.template("CAST(sum({distinct}{0}){over} AS DECIMAL(38, 9))"), text("nullif(", number, ", 0)"))
	}
	const e = `"#q"`
	sums := c.template("struct_pack(n := nullif(count({0}){over}, 0), w := sum(CAST(trunc({0}) AS HUGEINT)){over}, " +
		"f := sum(CAST(({0} - CAST(trunc({0}) AS DECIMAL(38, 9))) * 1000000000 AS HUGEINT)){over})")
	field := func(name string) string { return "struct_extract(" + e + ", '" + name + "')" }
	sql := strings.NewReplacer("$t", "("+field("w")+" % "+field("n")+" * 1000000000 + "+field("f")+")", "$w", field("w"), "$n", field("n")).Replace(
		"struct_pack(i := $w // $n * 1000000000 + $t // $n - CASE WHEN $t % $n < 0 THEN 1 ELSE 0 END, r := ($t % $n + $n) % $n, n := $n)")
	rounded := strings.NewReplacer("$i", field("i"), "$r", field("r"), "$n", field("n")).Replace(
		"CAST($i + CASE WHEN 2 * $r > $n OR 2 * $r = $n AND $i >= 0 THEN 1 ELSE 0 END AS DECIMAL(38, 0))")
	return text("CAST(list_extract(list_transform(list_transform([", sums, "], lambda "+e+": "+sql+"), lambda "+e+": "+rounded+"), 1) * 0.000000001 AS DECIMAL(38, 9))")
}

// divideNumeric is SAFE_DIVIDE.
func divideNumeric(_ *printer, c *call) fragment {
	return quotient(c.args[0], text("nullif(", c.args[1], ", 0)"))
}

// wholeQuotient is DIV.
func wholeQuotient(_ *printer, c *call) fragment {
	return text("CAST(", unscaled(c.args[0]), " // ", unscaled(notZero(c.args[0], c.args[1])), " AS DECIMAL(38, 9))")
}

// roundNumeric rounds to a number of digits.
func roundNumeric(_ *printer, c *call) fragment {
	if n, err := strconv.Atoi(c.args[1].constant.text); err == nil && n >= numericDigits {
		return c.args[0].node
	}
	return text("CAST("+strings.ToLower(c.name)+"(", c.args[0], ", CAST(", c.args[1], " AS INTEGER)) AS DECIMAL(38, 9))")
}

// multiplyNumeric is NULL for a product that no NUMERIC holds. DuckDB's are smaller, so others are an error.
const multiplyNumeric = "CASE WHEN abs(CAST({0} AS DOUBLE) * CAST({1} AS DOUBLE)) < 1e29 THEN CAST({0} * {1} AS DECIMAL(38, 9)) END"

// numericStatistic is a statistic of exact numbers. Squares of them have more digits than DuckDB's numbers, so the parts of
// numbers and the products of parts are summed: each number is p * 10^15 + q + f / 10^9. The sum of squares of more than
// 10^8 numbers can be an error. [functions.Register] adds what computes the statistic from the sums.
func numericStatistic(_ *printer, c *call) fragment {
	isPair := text("true")
	for _, arg := range c.args[1:] {
		isPair = text(c.args[0], " IS NOT NULL AND ", arg, " IS NOT NULL")
	}
	limbs := each(c.args, func(_ int, of value) []fragment {
		whole := text("CAST(trunc(", of, ") AS HUGEINT)")
		fraction := text("CAST((", of, " - CAST(trunc(", of, ") AS DECIMAL(38, 9))) * 1000000000 AS HUGEINT)")
		return []fragment{text(whole, " // 1000000000000000"), text(whole, " % 1000000000000000"), fraction}
	})
	var sums []fragment
	sum := func(parts ...any) {
		sums = append(sums, text(append(append([]any{"sum("}, parts...), ")", c.rows())...))
	}
	for _, of := range limbs {
		for _, limb := range of {
			sum("CASE WHEN ", isPair, " THEN ", limb, " END")
		}
	}
	products := func(a, b []fragment) {
		for _, x := range a {
			for _, y := range b {
				sum("(", x, ") * (", y, ")")
			}
		}
	}
	name, least := statisticName(c.name), 1
	switch {
	case len(limbs) == 1:
		products(limbs[0], limbs[0])
	case name == "corr":
		x := each(limbs[0], func(_ int, limb fragment) fragment { return text("CASE WHEN ", isPair, " THEN ", limb, " END") })
		y := each(limbs[1], func(_ int, limb fragment) fragment { return text("CASE WHEN ", isPair, " THEN ", limb, " END") })
		products(x, x)
		products(x, y)
		products(y, y)
	default:
		products(limbs[0], limbs[1])
	}
	if name == "corr" || strings.HasSuffix(name, "_samp") {
		least = 2
	}
	count := text("count(CASE WHEN ", isPair, " THEN ", c.args[0], " END)", c.rows())
	return text("CASE WHEN ", count, " >= "+itoa(least)+" THEN numeric_moments('"+name+"', ", count, ", [", list(", ", sums), "]) END")
}
