package googlesql

import (
	"slices"
	"strings"
)

func rewrittenTimes() map[string]rewriting {
	table := map[string]rewriting{
		"CURRENT_TIMESTAMP() CURRENT_DATETIME()": {sql: "now()"},
		"CURRENT_DATE()":                         {sql: "today()"},
		"TIMESTAMP(TIMESTAMP) TIMESTAMP(DATETIME) DATETIME(TIMESTAMP) DATE(DATE)": {sql: "{0}"},
		"TIMESTAMP(STRING) DATETIME(STRING)":                                      {by: (*rewriter).timeOfText},
		"TIMESTAMP(DATE) DATETIME(DATE)":                                          {sql: "toDateTime64({0}, 6)"},
		"DATE(TIMESTAMP) DATE(DATETIME)":                                          {sql: "toDate({0})"},
		"DATE(TIMESTAMP, STRING)":                                                 {sql: "toDate({0}, {1})"},
		"DATE(INT64, INT64, INT64)":                                               {sql: "makeDate({*})"},
		"UNIX_SECONDS":                                                            {sql: "toUnixTimestamp({0})"},
		"UNIX_MILLIS":                                                             {sql: "toUnixTimestamp64Milli(toDateTime64({0}, 3))"},
		"UNIX_MICROS":                                                             {sql: "toUnixTimestamp64Micro(toDateTime64({0}, 6))"},
		"TIMESTAMP_SECONDS":                                                       {sql: "toDateTime(toInt64({0}))"},
		"TIMESTAMP_MILLIS":                                                        {sql: "fromUnixTimestamp64Milli(toInt64({0}))"},
		"TIMESTAMP_MICROS":                                                        {sql: "fromUnixTimestamp64Micro(toInt64({0}))"},
	}
	for _, typ := range []string{"DATE", "DATETIME", "TIMESTAMP"} {
		table[typ+"_TRUNC"] = rewriting{by: (*rewriter).truncate}
		table[typ+"_ADD"] = rewriting{by: func(w *rewriter, x *callExpr, c *call) flat { return w.shift(x, c, " + ") }}
		table[typ+"_SUB"] = rewriting{by: func(w *rewriter, x *callExpr, c *call) flat { return w.shift(x, c, " - ") }}
		table[typ+"_DIFF"] = rewriting{by: (*rewriter).difference}
		table["FORMAT_"+typ] = rewriting{by: (*rewriter).formatTime}
		table["PARSE_"+typ] = rewriting{by: (*rewriter).parseTime}
	}
	return table
}

// timeOfText writes TIMESTAMP and DATETIME of a text.
func (w *rewriter) timeOfText(x *callExpr, c *call) flat {
	if constant, ok := x.args[0].(*literal); ok {
		return w.constant(constant, c.typ)
	}
	of := w.as(x.args[0], scalar(stringKind))
	return called("parseDateTime64BestEffort(" + of.sql + ", 6)").of(of)
}

// zone returns the time zone that an argument is; empty for UTC.
func (w *rewriter) zone(x expression) string {
	constant, ok := x.(*literal)
	if !ok || constant.kind != stringKind || strings.ContainsAny(constant.text, "+-") && !strings.Contains(constant.text, "/") {
		fail(x.offset(), "only a constant name of a time zone, such as 'Europe/Berlin', can be written for the table logs")
	}
	if constant.text == "UTC" {
		return ""
	}
	return clickhouseText(constant.text)
}

// truncate writes the functions that cut times.
func (w *rewriter) truncate(x *callExpr, c *call) flat {
	of := w.as(x.args[0], c.args[0].typ)
	zone := ""
	if len(x.args) > 2 {
		zone = w.zone(x.args[2])
	}
	return w.truncated(of, c, zone).of(of)
}

func (w *rewriter) truncated(of flat, c *call, zone string) flat {
	args := of.sql
	if zone != "" {
		args += ", " + zone
	}
	isDate := c.typ.is(dateKind)
	sql, isDay := "", false
	switch name := c.part.name; name {
	case "SECOND":
		return called("toDateTime(" + of.sql + ")")
	case "MILLISECOND":
		return called("toStartOfMillisecond(" + of.sql + ")")
	case "MICROSECOND":
		return of
	case "MINUTE", "HOUR":
		sql = "toStartOf" + name[:1] + strings.ToLower(name[1:]) + "(" + args + ")"
	case "DAY":
		if isDate {
			return of
		}
		sql = "toStartOfDay(" + args + ")"
	case "WEEK", "ISOWEEK":
		mode := map[string]string{"": "0", "SUNDAY": "0", "MONDAY": "1"}[c.part.weekday]
		if name == "ISOWEEK" {
			mode = "1"
		}
		if mode == "" {
			fail(c.part.place, "a week that begins on %s cannot be written for ClickHouse", c.part.weekday)
		}
		sql, isDay = "toStartOfWeek("+of.sql+", "+mode+ifElse(zone == "", "", ", "+zone)+")", true
	case "MONTH", "QUARTER", "YEAR":
		sql, isDay = "toStartOf"+name[:1]+strings.ToLower(name[1:])+"("+args+")", true
	case "ISOYEAR":
		sql, isDay = "toStartOfISOYear("+args+")", true
	default:
		fail(c.part.place, "%s to %s cannot be written for ClickHouse", c.name, name)
	}
	switch {
	case isDay && !isDate:
		sql = "toDateTime(" + sql + ifElse(zone == "", "", ", "+zone) + ")"
	case zone == "":
		return called(sql)
	}
	if zone != "" {
		sql = "toTimeZone(" + sql + ", 'UTC')"
	}
	return called(sql)
}

// shift writes the functions that add an interval.
func (w *rewriter) shift(x *callExpr, c *call, op string) flat {
	of, interval := w.as(x.args[0], c.args[0].typ), w.natural(x.args[1])
	if !c.typ.is(dateKind) && c.args[0].typ.is(dateKind) {
		of = called("toDateTime64(" + of.sql + ", 6)").of(of)
	}
	return flat{sql: of.in(ofSum) + op + interval.in(primary), level: ofSum}.of(of, interval)
}

// interval writes INTERVAL.
func (w *rewriter) interval(x *intervalExpr) flat {
	n := w.as(x.x, scalar(int64Kind))
	if _, isConstant := x.x.(*literal); isConstant {
		return called("INTERVAL " + n.sql + " " + x.from.name)
	}
	return called("toInterval" + x.from.name[:1] + strings.ToLower(x.from.name[1:]) + "(" + n.sql + ")").of(n)
}

// difference writes the functions that count parts between two times: full ones between two of a TIMESTAMP, boundaries else.
func (w *rewriter) difference(x *callExpr, c *call) flat {
	to, from := w.as(x.args[0], c.args[0].typ), w.as(x.args[1], c.args[1].typ)
	unit := strings.ToLower(c.part.name)
	name := "dateDiff"
	switch {
	case c.name == "TIMESTAMP_DIFF":
		name = "age"
	case strings.HasSuffix(unit, "week") || unit == "isoyear":
		fail(c.part.place, "%s in %s cannot be written for ClickHouse; count days", c.name, c.part.name)
	}
	return called(name+"('"+unit+"', "+from.sql+", "+to.sql+")").of(from, to)
}

// extract writes EXTRACT.
func (w *rewriter) extract(x *extractExpr) flat {
	typ := w.typeOf(x.x)
	if typ.is(dynamicKind, stringKind) {
		typ = scalar(timestampKind)
	}
	of := w.as(x.x, typ)
	zone := ""
	if x.zone != nil {
		if name := w.zone(x.zone); name != "" {
			zone = ", " + name
		}
	}
	function := map[string]string{
		"YEAR": "toYear", "QUARTER": "toQuarter", "MONTH": "toMonth", "DAY": "toDayOfMonth", "HOUR": "toHour", "MINUTE": "toMinute", "SECOND": "toSecond",
		"DAYOFYEAR": "toDayOfYear", "ISOWEEK": "toISOWeek", "ISOYEAR": "toISOYear", "DATE": "toDate", "MILLISECOND": "toMillisecond", "MICROSECOND": "toMicrosecond",
	}[x.part.name]
	switch {
	case x.part.name == "DAYOFWEEK":
		return called("toDayOfWeek(" + of.sql + ", 3" + zone + ")").of(of)
	case x.part.name == "DATETIME" && zone == "":
		return of
	case function == "" || typ.is(intervalKind, timeKind):
		fail(x.part.place, "EXTRACT of %s cannot be written for ClickHouse", x.part.name)
	}
	return called(function + "(" + of.sql + zone + ")").of(of)
}

// readableElements are the elements of formats of times as formatDateTime has them.
var readableElements = map[string]string{ //nolint:gochecknoglobals // It is constant.
	"%Y": "%Y", "%E4Y": "%Y", "%y": "%y", "%m": "%m", "%d": "%d", "%e": "%e", "%H": "%H", "%I": "%I", "%M": "%i", "%S": "%S", "%E0S": "%S", "%p": "%p", "%F": "%F", "%T": "%T", "%X": "%T",
	"%R": "%R", "%j": "%j", "%a": "%a", "%A": "%W", "%b": "%b", "%h": "%b", "%B": "%M", "%E6S": "%S.%f", "%D": "%D", "%x": "%D", "%u": "%u", "%V": "%V", "%G": "%G", "%w": "%w", "%Q": "%Q", "%%": "%%", "%n": "%n", "%t": "%t",
}

// timeFormat returns a format as formatDateTime has it.
func (w *rewriter) timeFormat(x *callExpr, c *call) string {
	var format strings.Builder
	for _, element := range c.elements() {
		if element[0] != '%' {
			format.WriteString(element)
			continue
		}
		readable, ok := readableElements[element]
		if !ok {
			fail(x.args[0].offset(), "the element %s of a format cannot be written for ClickHouse", element)
		}
		format.WriteString(readable)
	}
	return clickhouseText(format.String())
}

// formatTime writes the FORMAT_ functions.
func (w *rewriter) formatTime(x *callExpr, c *call) flat {
	of := w.as(x.args[1], c.args[1].typ)
	args := of.sql + ", " + w.timeFormat(x, c)
	if len(x.args) > 2 {
		if zone := w.zone(x.args[2]); zone != "" {
			args += ", " + zone
		}
	}
	return called("formatDateTime(" + args + ")").of(of)
}

// parseTime writes the PARSE_ functions.
func (w *rewriter) parseTime(x *callExpr, c *call) flat {
	if len(x.args) > 2 || c.isSinceEpoch() || strings.Contains(c.args[0].constant.text, "%E") {
		fail(x.place, "this call of %s cannot be written for ClickHouse", c.name)
	}
	of := w.as(x.args[1], scalar(stringKind))
	sql := "parseDateTime(" + of.sql + ", " + w.timeFormat(x, c) + ")"
	if c.typ.is(dateKind) {
		sql = "toDate(" + sql + ")"
	}
	return called(sql).of(of)
}

// timestampArray writes the array of the times from one to another.
func (w *rewriter) timestampArray(x *callExpr, c *call) flat {
	step, ok := x.args[2].(*intervalExpr)
	if !ok || !slices.Contains([]string{"SECOND", "MINUTE", "HOUR", "DAY"}, step.from.name) {
		fail(x.args[2].offset(), "GENERATE_TIMESTAMP_ARRAY can be written for ClickHouse with an interval of seconds, minutes, hours or days")
	}
	size := map[string]string{"SECOND": "1", "MINUTE": "60", "HOUR": "3600", "DAY": "86400"}[step.from.name]
	n := w.as(step.x, scalar(int64Kind))
	seconds := n.in(ofProduct) + " * " + size
	switch {
	case n.sql == "1":
		seconds = size
	case size == "1":
		seconds = n.sql
	}
	from, to := w.as(x.args[0], c.args[0].typ), w.as(x.args[1], c.args[1].typ)
	return called("arrayMap(seconds -> "+from.in(ofSum)+" + toIntervalSecond(seconds), range(0, toInt64(age('second', "+from.sql+", "+to.sql+")) + 1, "+seconds+"))").of(from, to)
}
