package googlesql

import "strings"

// makeIntervalParts are the arguments of MAKE_INTERVAL in their order, which can also have names.
const makeIntervalParts = "year INT64, month INT64, day INT64, hour INT64, minute INT64, second INT64"

// intervalFunctions are the functions that make intervals.
func intervalFunctions() []function {
	const (
		months = "(year({0}) * 12 + month({0}))"
		micros = "(hour({0}) * 3600000000 + minute({0}) * 60000000 + microsecond({0}))"
		day    = "86400000000"
		sum    = "to_months(CAST(%m AS INTEGER)) + to_days(CAST(%d AS INTEGER)) + to_microseconds(%u)"
	)
	made := func(inMonths, inDays, inMicros string) string {
		return "(" + strings.NewReplacer("%m", inMonths, "%d", inDays, "%u", inMicros).Replace(sum) + ")"
	}
	days := "(" + months + " * 30 + day({0}))"
	hours := "(day({0}) * " + day + " + " + micros + ")"
	all := "(CAST(" + days + " AS HUGEINT) * " + day + " + " + micros + ")"
	return []function{
		{name: "MAKE_INTERVAL", params: " | INT64 | INT64, INT64 | INT64, INT64, INT64 | INT64, INT64, INT64, INT64 | INT64, INT64, INT64, INT64, INT64 | INT64, INT64, INT64, INT64, INT64, INT64", result: "INTERVAL", named: makeIntervalParts, check: checkParts, duckdb: form{by: makeInterval}},
		{name: "JUSTIFY_HOURS", params: "INTERVAL", result: "INTERVAL", duckdb: form{sql: made(months, hours+" // "+day, hours+" % "+day)}},
		{name: "JUSTIFY_DAYS", params: "INTERVAL", result: "INTERVAL", duckdb: form{sql: made(days+" // 30", days+" % 30", micros)}},
		{name: "JUSTIFY_INTERVAL", params: "INTERVAL", result: "INTERVAL", duckdb: form{sql: made(all+" // (30 * "+day+")", all+" % (30 * "+day+") // "+day, "CAST("+all+" % "+day+" AS BIGINT)")}},
	}
}

// checkParts fails for a part that is there twice.
func checkParts(c *call) {
	for i, param := range strings.Split(makeIntervalParts, ", ") {
		name, _, _ := strings.Cut(param, " ")
		constant := c.named[name]
		if constant != nil && i < len(c.args) {
			fail(constant.place, "MAKE_INTERVAL has the argument %s twice", name)
		}
		if constant != nil {
			newConstant(constant)
		}
	}
}
