package clickhousesql

import (
	"slices"
	"strings"
)

func timeRows() []function {
	part := func(name, result, sql, doc string, others ...string) function {
		return function{name: name, others: others, args: "Time", result: result, sql: sql, doc: doc, anyCase: slices.Contains([]string{"toDayOfMonth"}, name)}
	}
	start := func(name, unit, doc string) function {
		return function{name: name, args: "Time", result: "DateTime", sql: "date_trunc('" + unit + "', CAST({0} AS TIMESTAMP))", doc: doc}
	}
	startDay := func(name, unit, doc string) function {
		return function{name: name, args: "Time", result: "Date", sql: "CAST(date_trunc('" + unit + "', {0}) AS DATE)", doc: doc}
	}
	minutes := func(name, n string) function {
		return function{name: name, args: "Time", result: "DateTime", sql: bucket(n+" MINUTE", "{0}"), doc: "The start of the " + n + " minutes of a time."}
	}
	rows := []function{
		{name: "now", args: "", result: "DateTime", doc: "The time of the run.", sql: "date_trunc('second', CAST($now AS TIMESTAMP))", anyCase: true, others: []string{"current_timestamp"}},
		{name: "now64", args: "[const Int]", result: "DateTime64(6)", doc: "The time of the run with a fraction.", typ: func(_ *resolver, c *call) *dataType { return momentType(scaleOf(c, 0, 3)) }, write: func(_ *printer, v *value) string { return cutTo("CAST($now AS TIMESTAMP)", v.typ.scale) }},
		{name: "today", others: []string{"current_date"}, args: "", result: "Date", doc: "The day of the run.", sql: "CAST(CAST($now AS TIMESTAMP) AS DATE)"},
		{name: "yesterday", args: "", result: "Date", doc: "The day before that of the run.", sql: "CAST(CAST($now AS TIMESTAMP) - INTERVAL 1 DAY AS DATE)"},
		{name: "toStartOfSecond", args: "DateTime", result: "DateTime64(6)", doc: "The start of the second.", typ: func(_ *resolver, c *call) *dataType { return momentType(max(c.values[0].typ.scale, 0)) }, sql: "date_trunc('second', {0})"},
		start("toStartOfMinute", "minute", "The start of the minute."),
		minutes("toStartOfFiveMinutes", "5"), minutes("toStartOfTenMinutes", "10"), minutes("toStartOfFifteenMinutes", "15"),
		start("toStartOfHour", "hour", "The start of the hour."),
		start("toStartOfDay", "day", "The start of the day."),
		startDay("toMonday", "week", "The Monday of the week."),
		{name: "toStartOfWeek", args: "Time, [const Int]", result: "Date", doc: "The Sunday of the week, or the Monday if the second argument is 1.", write: writeWeek},
		startDay("toStartOfMonth", "month", "The first day of the month."), startDay("toStartOfQuarter", "quarter", "The first day of the quarter."), startDay("toStartOfYear", "year", "The first day of the year."),
		{name: "toStartOfInterval", others: []string{"date_bin"}, args: "Time, Interval", result: "DateTime", doc: "The start of an interval, as in `toStartOfInterval(timestamp, INTERVAL 5 MINUTE)`.", build: buildBucket, write: writeBucket},
		{name: "dateTrunc", others: []string{"date_trunc"}, args: "const String, Time", result: "DateTime", doc: "The start of a unit, as in `dateTrunc('hour', timestamp)`.", typ: typeOfTrunc, write: writeTrunc, anyCase: true},
		{name: "timeSlot", args: "DateTime", result: "DateTime", doc: "The start of the half hour.", sql: bucket("30 MINUTE", "{0}")},
		{name: "dateDiff", others: []string{"date_diff", "timestampDiff", "DATE_DIFF"}, args: "const String, Time, Time", result: "Int64", doc: "How many boundaries of a unit are between two times, as in `dateDiff('minute', start, end)`.", write: writeDiff},
		{name: "formatDateTime", others: []string{"DATE_FORMAT"}, args: "Time, const String", result: "String", doc: "A time as text, by a pattern such as `'%Y-%m-%d %H:%i:%S'`.", write: writeFormat},
		part("toYear", "UInt16", "year({0})", "The year.", "YEAR"), part("toQuarter", "UInt8", "quarter({0})", "The quarter.", "QUARTER"), part("toMonth", "UInt8", "month({0})", "The month.", "MONTH"),
		part("toDayOfMonth", "UInt8", "day({0})", "The day of the month.", "DAY", "DAYOFMONTH"), part("toDayOfWeek", "UInt8", "isodow({0})", "The day of the week, from 1 for Monday to 7.", "DAYOFWEEK"),
		part("toDayOfYear", "UInt16", "dayofyear({0})", "The day of the year.", "DAYOFYEAR"), part("toISOWeek", "UInt8", "week({0})", "The week by ISO 8601."),
		part("toHour", "UInt8", "hour(CAST({0} AS TIMESTAMP))", "The hour.", "HOUR"), part("toMinute", "UInt8", "minute(CAST({0} AS TIMESTAMP))", "The minute.", "MINUTE"), part("toSecond", "UInt8", "second(CAST({0} AS TIMESTAMP))", "The second.", "SECOND"),
		part("toMillisecond", "UInt16", "(millisecond(CAST({0} AS TIMESTAMP)) % 1000)", "The milliseconds within the second."),
		part("toYYYYMM", "UInt32", "(year({0}) * 100 + month({0}))", "The year and month as a number."), part("toYYYYMMDD", "UInt32", "(year({0}) * 10000 + month({0}) * 100 + day({0}))", "The day as a number."),
		part("toYYYYMMDDhhmmss", "UInt64", "CAST(strftime(CAST({0} AS TIMESTAMP), '%Y%m%d%H%M%S') AS UBIGINT)", "The time as a number."),
		{name: "toUnixTimestamp", args: "Any", result: "UInt32", doc: "The seconds since 1970.", build: buildUnix, sql: "(epoch_us(CAST({0} AS TIMESTAMP)) // 1000000)"},
		{name: "toUnixTimestamp64Second", args: "DateTime", result: "Int64", doc: "The seconds since 1970.", sql: "(epoch_us({0}) // 1000000)"},
		{name: "toUnixTimestamp64Milli", args: "DateTime", result: "Int64", doc: "The milliseconds since 1970.", sql: "(epoch_us({0}) // 1000)"},
		{name: "toUnixTimestamp64Micro", args: "DateTime", result: "Int64", doc: "The microseconds since 1970.", sql: "epoch_us({0})"},
		{name: "toUnixTimestamp64Nano", args: "DateTime", result: "Int64", doc: "The nanoseconds since 1970.", sql: "(epoch_us({0}) * 1000)"},
		{name: "fromUnixTimestamp", args: "Int", result: "DateTime", doc: "The time of the seconds since 1970.", sql: "make_timestamp(CAST({0#} AS BIGINT) * 1000000)", others: []string{"FROM_UNIXTIME"}},
		{name: "fromUnixTimestamp64Second", args: "Int", result: "DateTime64(0)", doc: "The time of the seconds since 1970.", sql: "make_timestamp(CAST({0#} AS BIGINT) * 1000000)"},
		{name: "fromUnixTimestamp64Milli", args: "Int", result: "DateTime64(3)", doc: "The time of the milliseconds since 1970.", sql: "make_timestamp(CAST({0#} AS BIGINT) * 1000)"},
		{name: "fromUnixTimestamp64Micro", args: "Int", result: "DateTime64(6)", doc: "The time of the microseconds since 1970.", sql: "make_timestamp(CAST({0#} AS BIGINT))"},
		{name: "toTimeZone", args: "DateTime, const String", result: "like 1", doc: "The time; the zone is UTC.", write: func(p *printer, v *value) string {
			checkZone(v.args[1].text, v.args[1].place)
			return p.sql(v.args[0])
		}},
	}
	for _, unit := range []string{"Second", "Minute", "Hour", "Day", "Week", "Month", "Quarter", "Year"} {
		rows = append(rows, function{name: "toInterval" + unit, args: "Int", result: "Interval", doc: "`INTERVAL n " + strings.ToUpper(unit) + "`", build: buildInterval(strings.ToLower(unit))})
		for _, operation := range []string{"add", "subtract"} {
			rows = append(rows, function{
				name: operation + unit + "s", args: "Time, Int", result: "like 1", doc: "A time and a number of " + strings.ToLower(unit) + "s.", others: nil,
				build: buildAdd(map[string]string{"add": "plus", "subtract": "minus"}[operation], strings.ToLower(unit)),
			})
		}
	}
	return rows
}

// epochStart is where intervals begin.
const epochStart = "TIMESTAMP '1970-01-01 00:00:00'"

func bucket(interval, of string) string {
	return "time_bucket(INTERVAL " + interval + ", CAST(" + of + " AS TIMESTAMP), " + epochStart + ")"
}

// scaleOf is the digits of a second that an argument says.
func scaleOf(c *call, at, otherwise int) int {
	if len(c.values) <= at {
		return otherwise
	}
	scale := slices.Index([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, c.values[at].text)
	if scale < 0 {
		fail(c.values[at].place, "the number of digits of a second is a constant from 0 to 9")
	}
	return scale
}

// cutTo cuts a time to digits of a second.
func cutTo(sql string, scale int) string {
	switch {
	case scale <= 0:
		return "date_trunc('second', " + sql + ")"
	case scale >= 6:
		return sql
	}
	unit := itoa(int(pow10(6 - scale)))
	return "make_timestamp((epoch_us(" + sql + ") // " + unit + ") * " + unit + ")"
}

// interval writes an interval.
func (p *printer) interval(v *value) string {
	n := p.number(v.args[0])
	switch v.text {
	case "quarter":
		return "to_months(CAST(3 * " + n + " AS INTEGER))"
	case "day", "week", "month", "year":
		return "to_" + v.text + "s(CAST(" + n + " AS INTEGER))"
	}
	return "to_" + v.text + "s(CAST(" + n + " AS BIGINT))"
}

func writeWeek(p *printer, v *value) string {
	x := p.plain(v.args[0])
	if len(v.args) > 1 && slices.Contains([]string{"1::BIGINT", "3::BIGINT", "5::BIGINT", "7::BIGINT"}, p.plain(v.args[1])) {
		return "CAST(date_trunc('week', " + x + ") AS DATE)"
	}
	return "CAST(date_trunc('week', " + x + " + INTERVAL 1 DAY) - INTERVAL 1 DAY AS DATE)"
}

// buildBucket resolves the start of an interval.
func buildBucket(r *resolver, c *call) *value {
	if len(c.args) == 3 { // a time zone
		zone := r.value(c.args[2], c.s)
		if !zone.isString() {
			fail(zone.place, "an origin is not supported; leave it out")
		}
		checkZone(zone.text, zone.place)
		c.args = c.args[:2]
	}
	c.values = r.arguments(c)
	c.checkArguments()
	interval := c.values[1]
	if !interval.isConstant {
		fail(interval.place, "the interval is a constant or a parameter")
	}
	var typ *dataType
	switch interval.text {
	case "second", "minute", "hour", "day":
		typ = dateTimeType()
	case "millisecond":
		typ = momentType(3)
	case "microsecond":
		typ = momentType(6)
	default:
		typ = dateType()
	}
	return r.newCall(c.place, c.f, typ.orNull(c.values[0].typ.nullable), c.values...)
}

func writeBucket(p *printer, v *value) string {
	interval := v.args[1]
	origin := epochStart
	switch x, n := p.plain(v.args[0]), p.number(interval.args[0]); interval.text {
	case "week":
		origin = "TIMESTAMP '1970-01-05 00:00:00'"
	case "hour": // from the start of the day
		return "(date_trunc('day', CAST(" + x + " AS TIMESTAMP)) + to_hours(hour(CAST(" + x + " AS TIMESTAMP)) // " + n + " * " + n + "))"
	case "year": // from the year 0
		return "make_date(CAST(year(" + x + ") // " + n + " * " + n + " AS INTEGER), 1, 1)"
	}
	text := "time_bucket(" + p.interval(interval) + ", CAST(" + p.plain(v.args[0]) + " AS TIMESTAMP), " + origin + ")"
	if v.typ.kind == dateKind {
		return "CAST(" + text + " AS DATE)"
	}
	return text
}

func unitOf(v *value) string {
	unit := strings.ToLower(strings.TrimSuffix(strings.ToLower(v.text), "s"))
	short := map[string]string{"": "second", "ss": "second", "m": "minute", "mi": "minute", "n": "minute", "h": "hour", "hh": "hour", "d": "day", "dd": "day", "wk": "week", "ww": "week", "mm": "month", "q": "quarter", "qq": "quarter", "yy": "year", "yyyy": "year", "m_": "millisecond"}
	if long := short[unit]; long != "" && v.text != "" {
		unit = long
	}
	if strings.EqualFold(v.text, "ms") {
		unit = "millisecond"
	}
	if strings.EqualFold(v.text, "us") {
		unit = "microsecond"
	}
	if !slices.Contains(timeUnits(), unit) {
		fail(v.place, "'%s' is no unit of time; use %s", v.text, strings.Join(timeUnits(), ", "))
	}
	return unit
}

func typeOfTrunc(_ *resolver, c *call) *dataType {
	switch unitOf(c.values[0]) {
	case "week", "month", "quarter", "year":
		return dateType()
	}
	return dateTimeType()
}

func writeTrunc(p *printer, v *value) string {
	return "CAST(date_trunc('" + unitOf(v.args[0]) + "', CAST(" + p.plain(v.args[1]) + " AS TIMESTAMP)) AS " + v.typ.duck() + ")"
}

func writeDiff(p *printer, v *value) string {
	if unitOf(v.args[0]) == "week" {
		week := func(of *value) string { return "CAST(date_trunc('week', " + p.plain(of) + ") AS DATE)" }
		return "((" + week(v.args[2]) + " - " + week(v.args[1]) + ") // 7)"
	}
	return "date_diff('" + unitOf(v.args[0]) + "', CAST(" + p.plain(v.args[1]) + " AS TIMESTAMP), CAST(" + p.plain(v.args[2]) + " AS TIMESTAMP))"
}

// formats are the parts of a pattern of formatDateTime, as DuckDB writes them.
var formats = map[byte]string{ //nolint:gochecknoglobals // It is constant.
	'Y': "%Y", 'm': "%m", 'd': "%d", 'H': "%H", 'i': "%M", 'S': "%S", 's': "%S", 'F': "%Y-%m-%d", 'T': "%H:%M:%S", 'D': "%m/%d/%y", 'R': "%H:%M", 'y': "%y", 'j': "%j", 'M': "%B", 'b': "%b",
	'a': "%a", 'W': "%A", 'p': "%p", 'h': "%I", 'I': "%I", 'n': "\n", 't': "\t", '%': "%%", 'u': "%u", 'G': "%G", 'V': "%V", 'c': "%m", 'k': "%-H", 'l': "%-I", 'f': "%f",
}

func writeFormat(p *printer, v *value) string {
	pattern := v.args[1]
	var out strings.Builder
	for i := 0; i < len(pattern.text); i++ {
		c := pattern.text[i]
		if c != '%' {
			out.WriteByte(c)
			continue
		}
		i++
		if i == len(pattern.text) || formats[pattern.text[i]] == "" {
			fail(pattern.place, "the part %s of the pattern is not supported", pattern.text[i-1:min(i+1, len(pattern.text))])
		}
		out.WriteString(formats[pattern.text[i]])
	}
	return "strftime(CAST(" + p.plain(v.args[0]) + " AS TIMESTAMP), " + quoteText(out.String()) + ")"
}

// buildUnix resolves the seconds since 1970 of a time, or of a text.
func buildUnix(r *resolver, c *call) *value {
	if len(c.args) == 2 {
		zone := r.value(c.args[1], c.s)
		checkZone(zone.text, zone.place)
		c.args = c.args[:1]
	}
	c.checkCount(1, 1)
	v := r.value(c.args[0], c.s)
	if v.isString() {
		v = r.timeConstant(v, dateTimeType())
	}
	if !v.typ.isTime() && !v.isNull() {
		fail(v.place, "toUnixTimestamp takes a time, and this is a %s%s", v.typ, hintFor(v, "Time"))
	}
	return r.newCall(c.place, c.f, intType(32, false).orNull(v.typ.nullable || v.isNull()), v)
}

// buildInterval resolves a number of units.
func buildInterval(unit string) func(r *resolver, c *call) *value {
	return func(r *resolver, c *call) *value {
		c.checkCount(1, 1)
		return r.value(&interval{place: c.place, n: c.args[0], unit: unit}, c.s)
	}
}

// buildAdd resolves a time and a number of units.
func buildAdd(operator, unit string) func(r *resolver, c *call) *value {
	return func(r *resolver, c *call) *value {
		c.checkCount(2, 2)
		added := &callExpr{place: c.place, name: operator, args: []expression{c.args[0], &interval{place: c.place, n: c.args[1], unit: unit}}}
		return r.call(added, c.s)
	}
}
