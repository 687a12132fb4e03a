package googlesql

import (
	"strconv"
	"strings"

	"savedq/sqlq/googlesql/googletext"
)

// makeIntervalParts are the arguments of MAKE_INTERVAL in their order, which can also have names.
const makeIntervalParts = "year INT64, month INT64, day INT64, hour INT64, minute INT64, second INT64"

// intervalFunctions are the functions that make intervals.
func intervalFunctions() []function {
	const months, micros, day = duckdbMonths, duckdbMicros, microsOfDay
	made := duckdbInterval
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

// between resolves an interval of several parts, which is a constant.
func (x *intervalExpr) between(r *resolver, s *scope) value {
	of := r.expression(x.x, s)
	if of.constant == nil || !of.typ.is(stringKind) {
		fail(of.at, "an INTERVAL from %s to %s must be a constant STRING; for other values, use MAKE_INTERVAL or CAST(… AS INTERVAL)", x.from.name, x.to.name)
	}
	parsed, err := googletext.ParseIntervalParts(of.constant.text, x.from.name, x.to.name)
	if err != nil {
		fail(x.place, "%s", err)
	}
	return intervalValue(parsed, x.place)
}

// intervalValue returns a constant interval, as the sum of its parts.
func intervalValue(of googletext.Interval, at place) value {
	typ := scalar(intervalKind)
	part := func(n int64, name string) value {
		count := value{typ: scalar(int64Kind), at: at, node: &constant{int64Kind, strconv.FormatInt(n, 10)}}
		count.constant = &literal{at, int64Kind, strconv.FormatInt(n, 10)}
		return newValue(typ, at, &call{function: operator("INTERVAL"), at: at, args: []value{count}, typ: typ, part: part{place: at, name: name}})
	}
	return operation("+", typ, at, operation("+", typ, at, part(of.Months, "MONTH"), part(of.Days, "DAY")), part(of.Micros, "MICROSECOND"))
}

// castToInterval reads a text as an interval.
func castToInterval(x *castExpr, of value) value {
	typ := scalar(intervalKind)
	if of.constant != nil {
		parsed, err := googletext.ParseInterval(of.constant.text)
		switch {
		case err == nil:
			return intervalValue(parsed, x.place)
		case x.safe:
			return coerce(value{typ: scalar(nullKind), at: x.place, node: &constant{nullKind, "NULL"}, constant: &literal{x.place, nullKind, "NULL"}}, typ)
		}
		fail(x.place, "%s", err)
	}
	return newValue(typ, x.place, &cast{at: x.place, of: of, to: typ, safe: x.safe}, of)
}
