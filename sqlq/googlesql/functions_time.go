package googlesql

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func timeFunctions() []function {
	functions := []function{
		{name: "CURRENT_TIMESTAMP", result: "TIMESTAMP", sql: "CAST($now AS TIMESTAMP)", note: "@now (D1)"},
		{name: "CURRENT_DATETIME", result: "DATETIME", sql: "CAST($now AS TIMESTAMP)", note: "@now (D1)"},
		{name: "CURRENT_DATE", result: "DATE", sql: "CAST(CAST($now AS TIMESTAMP) AS DATE)", note: "@now (D1)"},
		{name: "CURRENT_TIME", result: "TIME", sql: "CAST(CAST($now AS TIMESTAMP) AS TIME)", note: "@now (D1)"},
		{name: "CURRENT_DATETIME", params: "STRING", result: "DATETIME", emit: currentIn},
		{name: "CURRENT_DATE", params: "STRING", result: "DATE", emit: currentIn},
		{name: "CURRENT_TIME", params: "STRING", result: "TIME", emit: currentIn},
		{name: "TIMESTAMP", params: "TIMESTAMP | DATETIME", result: "TIMESTAMP", sql: "{0}"},
		{name: "TIMESTAMP", params: "DATE", result: "TIMESTAMP", sql: "CAST({0} AS TIMESTAMP)"},
		{name: "TIMESTAMP", params: "STRING", result: "TIMESTAMP", emit: func(c *call) value { return c.value(castFromText(c.args[0].sql, c.typ)) }},
		{name: "TIMESTAMP", params: "DATETIME, STRING | DATE, STRING | STRING, STRING", result: "TIMESTAMP", emit: fromZone},
		{name: "DATETIME", params: "TIMESTAMP", result: "DATETIME", sql: "{0}"},
		{name: "DATETIME", params: "STRING", result: "DATETIME", emit: func(c *call) value { return c.value(castFromText(c.args[0].sql, c.typ)) }},
		{name: "DATETIME", params: "TIMESTAMP, STRING", result: "DATETIME", emit: localTime},
		{name: "DATETIME", params: "DATE", result: "DATETIME", sql: "CAST({0} AS TIMESTAMP)"},
		{name: "DATETIME", params: "DATE, TIME", result: "DATETIME", sql: "({0} + {1})"},
		{name: "DATETIME", params: "INT64, INT64, INT64, INT64, INT64, INT64", result: "DATETIME", emit: made("make_timestamp({0}, {1}, {2}, {3}, {4}, CAST({5} AS DOUBLE))")},
		{name: "DATE", params: "DATE", result: "DATE", sql: "{0}"},
		{name: "DATE", params: "TIMESTAMP | DATETIME", result: "DATE", sql: "CAST({0} AS DATE)"},
		{name: "DATE", params: "STRING", result: "DATE", emit: func(c *call) value {
			return c.value("CAST(", castFromText(c.args[0].sql, scalar(datetimeKind)), " AS DATE)")
		}},
		{name: "DATE", params: "TIMESTAMP, STRING", result: "DATE", emit: localTime},
		{name: "DATE", params: "INT64, INT64, INT64", result: "DATE", emit: made("make_date({0}, {1}, {2})")},
		{name: "TIME", params: "TIME", result: "TIME", sql: "{0}"},
		{name: "TIME", params: "TIMESTAMP | DATETIME", result: "TIME", sql: "CAST({0} AS TIME)"},
		{name: "TIME", params: "TIMESTAMP, STRING", result: "TIME", emit: localTime},
		{name: "TIME", params: "INT64, INT64, INT64", result: "TIME", sql: "CASE WHEN {0} = 24 THEN {!An hour is from 0 to 23} ELSE make_time({0}, {1}, CAST({2} AS DOUBLE)) END"},
		{name: "STRING", params: "TIMESTAMP | DATE | DATETIME | TIME | TIMESTAMP, STRING", result: "STRING", emit: timeText},
		{name: "UNIX_SECONDS", params: "TIMESTAMP", result: "INT64", sql: "(epoch_us(date_trunc('second', {0})) // 1000000)"},
		{name: "UNIX_MILLIS", params: "TIMESTAMP", result: "INT64", sql: "(epoch_us(date_trunc('millisecond', {0})) // 1000)"},
		{name: "UNIX_MICROS", params: "TIMESTAMP", result: "INT64", sql: "epoch_us({0})"},
		{name: "UNIX_DATE", params: "DATE", result: "INT64", sql: "date_diff('day', DATE '1970-01-01', {0})"},
		{name: "DATE_FROM_UNIX_DATE", params: "INT64", result: "DATE", emit: made("(DATE '1970-01-01' + CAST({0} AS INTEGER))")},
		{name: "TIMESTAMP_SECONDS", params: "INT64", result: "TIMESTAMP", sql: sinceEpoch("SECONDS", 1_000_000)},
		{name: "TIMESTAMP_MILLIS", params: "INT64", result: "TIMESTAMP", sql: sinceEpoch("MILLIS", 1_000)},
		{name: "TIMESTAMP_MICROS", params: "INT64", result: "TIMESTAMP", sql: sinceEpoch("MICROS", 1)},
		{name: "LAST_DAY", params: "DATE | DATE, PART | DATETIME | DATETIME, PART", result: "DATE", emit: lastDay},
		{name: "TIMESTAMP_BUCKET", params: "TIMESTAMP, INTERVAL", result: "TIMESTAMP", emit: made("time_bucket({1}, {0}, TIMESTAMP '1950-01-01')")},
		{name: "DATETIME_BUCKET", params: "DATETIME, INTERVAL", result: "DATETIME", emit: made("time_bucket({1}, {0}, TIMESTAMP '1950-01-01')")},
		{name: "DATE_BUCKET", params: "DATE, INTERVAL", result: "DATE", emit: made("CAST(time_bucket({1}, {0}, DATE '1950-01-01') AS DATE)")},
		{name: truncArrayName, params: "INT64, STRING", result: "ARRAY<TIMESTAMP>", emit: truncArray, size: sizeOf("8 * CAST({0} AS DOUBLE) * epoch(" + truncBack + ") / epoch(" + truncStep + ")"), note: "Logflare's helper, under any dataset (D2)"},
	}
	for _, typ := range []string{"TIMESTAMP", "DATETIME", "DATE", "TIME"} {
		functions = append(functions,
			function{name: typ + "_TRUNC", params: typ + ", PART", result: typ, emit: truncate},
			function{name: typ + "_ADD", params: typ + ", INTERVAL", result: typ, emit: shift},
			function{name: typ + "_SUB", params: typ + ", INTERVAL", result: typ, emit: shift},
			function{name: typ + "_DIFF", params: typ + ", " + typ + ", PART", result: "INT64", emit: difference},
			function{name: "FORMAT_" + typ, params: "STRING, " + typ, result: "STRING", emit: formatTime},
			function{name: "PARSE_" + typ, params: "STRING, STRING", result: typ, emit: parseTime})
	}
	return append(functions,
		function{name: "DATE_TRUNC", params: "DATETIME, PART | TIMESTAMP, PART", result: "DATETIME | TIMESTAMP", emit: truncate},
		function{name: "FORMAT_TIMESTAMP", params: "STRING, TIMESTAMP, STRING", result: "STRING", emit: formatTime},
		function{name: "PARSE_TIMESTAMP", params: "STRING, STRING, STRING", result: "TIMESTAMP", emit: parseTime},
		function{name: "TIMESTAMP_TRUNC", params: "TIMESTAMP, PART, STRING", result: "TIMESTAMP", emit: truncate})
}

// sinceEpoch makes a time of a number of units since 1970. A time that no TIMESTAMP has is an error: milliseconds that are
// taken for seconds would else be a time in the year 55000.
func sinceEpoch(unit string, micros int64) string {
	least := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() / micros
	most := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() / micros
	return fmt.Sprintf("CASE WHEN {0} >= %d AND {0} < %d THEN make_timestamp({0} * %d)", least, most, micros) +
		" WHEN {0} IS NOT NULL THEN {!TIMESTAMP_" + unit + " is outside the years 1 to 9999} END"
}

// dateParts are the parts of a time, with DuckDB's names.
var dateParts = []string{ //nolint:gochecknoglobals // It is constant.
	"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "DAYOFWEEK", "DAYOFYEAR", "WEEK", "ISOWEEK", "MONTH", "QUARTER", "YEAR", "ISOYEAR", "DATE", "DATETIME", "TIME",
}

func isDatePart(name string) bool { return slices.Contains(dateParts, strings.ToUpper(name)) }

// weekdays are the days that a week can begin with, by their distance from Monday, with which DuckDB's begins.
var weekdays = []string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"} //nolint:gochecknoglobals // It is constant.

// shiftOf returns how many days after Monday a week begins: on Sunday unless a day is written.
func (p part) shiftOf() string {
	day := slices.Index(weekdays, or(p.weekday, "SUNDAY"))
	if day < 0 {
		fail(p.place, "%s is no day of the week", p.weekday)
	}
	return itoa(day)
}

// only fails unless the part is one of the parts.
func (p part) only(function string, parts ...string) {
	if !slices.Contains(parts, p.name) {
		fail(p.place, "%s does not take %s; it takes %s", function, p.name, strings.Join(parts, ", "))
	}
}

var (
	clockParts    = []string{"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR"}       //nolint:gochecknoglobals // It is constant.
	calendarParts = []string{"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"}                      //nolint:gochecknoglobals // It is constant.
	dayParts      = slices.Concat(clockParts, []string{"DAY", "WEEK"})                       //nolint:gochecknoglobals // It is constant.
	allParts      = slices.Concat(clockParts, calendarParts, []string{"ISOWEEK", "ISOYEAR"}) //nolint:gochecknoglobals // It is constant.
)

// partsOf are the parts that a function of a type takes.
func partsOf(name string) []string {
	typ, verb, _ := strings.Cut(strings.TrimPrefix(name, "GENERATE_"), "_")
	switch {
	case verb == "BUCKET" && typ == "TIMESTAMP":
		return dayParts
	case typ == "TIME":
		return clockParts
	case typ == "TIMESTAMP" && verb != "TRUNC":
		return append(slices.Clone(clockParts), "DAY")
	case typ == "DATE" && verb == "TRUNC", typ == "DATE" && verb == "DIFF":
		return append(slices.Clone(calendarParts), "ISOWEEK", "ISOYEAR")
	case typ == "DATE":
		return calendarParts
	case verb == "TRUNC", verb == "DIFF":
		return allParts
	}
	return slices.Concat(clockParts, calendarParts)
}

// truncate cuts a time to the beginning of a part, in a time zone if one is given.
func truncate(c *call) value {
	c.part.only(c.name, partsOf(c.typ.String()+"_TRUNC")...)
	of := c.args[0].sql
	if c.typ.kind == timeKind {
		return c.value("CAST(date_trunc('"+strings.ToLower(c.part.name)+"', DATE '1970-01-01' + ", of, ") AS TIME)")
	}
	if len(c.args) < 3 {
		cut := c.asDate(truncated(c.part, of))
		if column, ok := of.(*reference); c.part.name == "WEEK" && (!ok || column.isSplit()) { // which can begin before year 1
			cut = inYears(cut, c.typ)
		}
		return c.value(cut)
	}
	local := toLocal(c.args[2], of)
	switch {
	case c.part.name == "HOUR": // what is cut off is the same in any hour of the zone
		return c.value("(", of, " - (", local, " - date_trunc('hour', ", local, ")))")
	case slices.Contains(clockParts, c.part.name):
		return c.value(truncated(c.part, of))
	}
	return c.value(inYears(fromLocal(c.args[2], text("CAST(", truncated(c.part, local), " AS TIMESTAMP)")), c.typ))
}

// asDate makes a date of the timestamp that DuckDB returns for one.
func (c *call) asDate(sql fragment) fragment {
	if c.typ.kind == dateKind {
		return text("CAST(", sql, " AS DATE)")
	}
	return sql
}

func truncated(p part, of fragment) fragment {
	switch p.name {
	case "ISOWEEK":
		return text("date_trunc('week', ", of, ")")
	case "WEEK":
		days := p.shiftOf()
		return text("(date_trunc('week', ", of, " - INTERVAL "+days+" DAY) + INTERVAL "+days+" DAY)")
	}
	return text("date_trunc('"+strings.ToLower(p.name)+"', ", of, ")")
}

// shift adds an interval, or takes it away.
func shift(c *call) value {
	op := ifElse(strings.HasSuffix(c.name, "_SUB"), " - ", " + ")
	return c.value(inYears(c.asDate(text("(", c.args[0], op, c.args[1], ")")), c.typ))
}

// made returns a function whose time must be in the years that GoogleSQL has.
func made(sql string) func(c *call) value {
	return func(c *call) value { return c.value(inYears(c.template(sql), c.typ)) }
}

// inYears is a time that is an error outside the years 1 to 9999, which DuckDB does not end with.
func inYears(sql fragment, typ *dataType) fragment {
	bounds := "TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'"
	switch {
	case typ.is(dateKind):
		bounds = "DATE '0001-01-01' AND DATE '9999-12-31'"
	case !typ.is(datetimeKind, timestampKind):
		return sql
	}
	return bounded{sql, bounds, raise("The " + typ.String() + " is outside the years 1 to 9999")}
}

// bounded is a time between two others.
type bounded struct {
	fragment
	bounds  string
	failure fragment
}

func (b bounded) print(p *printer) {
	if p.safe { // DuckDB computes what occurs twice before TRY
		text("list_extract(list_transform([", b.fragment, `], lambda "#t": CASE WHEN "#t" BETWEEN `+b.bounds+` THEN "#t" END), 1)`).print(p)
		return
	}
	text("CASE WHEN ", b.fragment, " NOT BETWEEN "+b.bounds+" THEN ", b.failure, " ELSE ", b.fragment, " END").print(p)
}

// difference counts parts between two times: whole ones between TIMESTAMPs, and boundaries between the others.
func difference(c *call) value {
	c.part.only(c.name, partsOf(c.name)...)
	a, b, unit := c.args[0].sql, c.args[1].sql, strings.ToLower(c.part.name)
	switch {
	case strings.HasPrefix(c.name, "TIMESTAMP"):
		return c.value("date_sub('"+unit+"', ", b, ", ", a, ")")
	case c.part.name == "WEEK" || c.part.name == "ISOWEEK":
		return c.value("(date_diff('day', ", truncated(c.part, b), ", ", truncated(c.part, a), ") // 7)")
	}
	return c.value("date_diff('"+unit+"', ", b, ", ", a, ")")
}

// truncArrayName is the function that Logflare adds to datasets.
const truncArrayName = "GENERATE_TIMESTAMP_TRUNC_ARRAY"

// truncArray is Logflare's helper: for length N and label X_Y the times from trunc(now - N X, Y) to
// trunc(now, Y), one for each Y (D2).
func truncArray(c *call) value {
	if label := c.args[1].constant; label != nil {
		back, step, _ := strings.Cut(strings.ToUpper(label.text), "_")
		parts := slices.Concat(clockParts, []string{"DAY"})
		if !slices.Contains(parts, back) || !slices.Contains(parts, step) {
			fail(c.args[1].at, "the label %q is not two parts such as DAY_HOUR", label.text)
		}
	}
	const now = "CAST($now AS TIMESTAMP)"
	return c.value(c.template("generate_series(date_trunc(" + truncPart + ", " + now + " - {0} * " + truncBack + "), date_trunc(" + truncPart + ", " + now +
		"), " + truncStep + ")"))
}

// The parts of the label of truncArray: how far back one unit is, and the step.
const (
	truncPart = "split_part(lower({1}), '_', 2)"
	truncBack = "CAST('1 ' || split_part(lower({1}), '_', 1) AS INTERVAL)"
	truncStep = "CAST('1 ' || " + truncPart + " AS INTERVAL)"
)

// lastDay is the day before the next part begins.
func lastDay(c *call) value {
	p := c.part
	if p.name == "" {
		p.name = "MONTH"
	}
	p.only(c.name, "WEEK", "ISOWEEK", "MONTH", "QUARTER", "YEAR", "ISOYEAR")
	begin := text("CAST(", truncated(p, c.args[0].sql), " AS TIMESTAMP)")
	next := text(begin, " + INTERVAL 1 "+strings.TrimPrefix(p.name, "ISO"))
	if p.name == "ISOYEAR" { // it has 52 or 53 weeks
		next = text("date_trunc('isoyear', ", begin, " + INTERVAL 372 DAY)")
	}
	return c.value(inYears(text("CAST(", next, " - INTERVAL 1 DAY AS DATE)"), c.typ))
}

// resolve resolves INTERVAL n PART.
func (x *intervalExpr) resolve(r *resolver, s *scope) value {
	if x.isBetween {
		fail(x.place, "an interval of two parts is not supported; add two intervals")
	}
	units := map[string]string{
		"MICROSECOND": "to_microseconds", "MILLISECOND": "to_milliseconds", "SECOND": "to_seconds", "MINUTE": "to_minutes", "HOUR": "to_hours",
		"DAY": "to_days", "WEEK": "to_weeks", "MONTH": "to_months", "QUARTER": "to_quarters", "YEAR": "to_years",
	}
	unit, ok := units[x.from.name]
	if !ok {
		fail(x.from.place, "INTERVAL does not take %s; it takes %s", x.from.name, strings.Join(keys(units), ", "))
	}
	n := coerce(r.expression(x.x, s), scalar(int64Kind))
	if n.constant != nil {
		return newValue(scalar(intervalKind), x.place, unit+"("+n.constant.text+")")
	}
	if slices.Contains(calendarParts, x.from.name) {
		return newValue(scalar(intervalKind), x.place, unit+"(CAST(", n, " AS INTEGER))")
	}
	return newValue(scalar(intervalKind), x.place, unit+"(", n, ")")
}

// resolve resolves EXTRACT(part FROM x).
func (x *extractExpr) resolve(r *resolver, s *scope) value {
	of, at := r.expression(x.x, s), x.place
	if of.typ.kind == dynamicKind {
		of = coerce(of, scalar(timestampKind))
	}
	if !of.typ.is(timestampKind, datetimeKind, dateKind, timeKind, intervalKind) {
		fail(of.at, "EXTRACT takes a time, not a value of type %s", of.typ)
	}
	if x.zone != nil {
		of.sql = toLocal(coerce(r.expression(x.zone, s), scalar(stringKind)), of.sql)
	}
	if of.typ.is(dateKind) && slices.Contains(clockParts, x.part.name) {
		fail(x.part.place, "EXTRACT does not take %s of a DATE", x.part.name)
	}
	switch x.part.name {
	case "DATE", "DATETIME", "TIME":
		typ := scalar(typeNames()[x.part.name])
		return newValue(typ, at, "CAST(", of, " AS "+typ.duck()+")")
	case "DAYOFWEEK":
		return newValue(scalar(int64Kind), at, "(dayofweek(", of, ") + 1)")
	case "DAYOFYEAR":
		return newValue(scalar(int64Kind), at, "dayofyear(", of, ")")
	case "WEEK":
		start := text("(dayofyear(", of, ") + 6 - (isodow(", of, ") - 1 - "+x.part.shiftOf()+" + 7) % 7)")
		return newValue(scalar(int64Kind), at, "(", start, " // 7)")
	case "ISOWEEK":
		return newValue(scalar(int64Kind), at, "weekofyear(", of, ")")
	case "MICROSECOND":
		return newValue(scalar(int64Kind), at, "(microsecond(", of, ") % 1000000)")
	case "MILLISECOND":
		return newValue(scalar(int64Kind), at, "(millisecond(", of, ") % 1000)")
	case "SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "QUARTER", "YEAR", "ISOYEAR":
		return newValue(scalar(int64Kind), at, strings.ToLower(x.part.name)+"(", of, ")")
	}
	fail(x.part.place, "EXTRACT does not take %s%s", x.part.name, didYouMean(x.part.name, dateParts))
	return value{}
}
