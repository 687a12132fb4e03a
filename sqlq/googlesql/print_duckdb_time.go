package googlesql

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// sinceEpoch makes a time of a number of units since 1970. A time that no TIMESTAMP has is an error: milliseconds that are
// taken for seconds would else be a time in the year 55000.
func sinceEpoch(unit string, micros int64) string {
	least := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() / micros
	most := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() / micros
	return fmt.Sprintf("CASE WHEN {0} >= %d AND {0} < %d THEN make_timestamp({0} * %d)", least, most, micros) +
		" WHEN {0} IS NOT NULL THEN {!TIMESTAMP_" + unit + " is outside the years 1 to 9999} END"
}

// timeFromText reads a text as CAST does.
func timeFromText(_ *printer, c *call) fragment { return castFromText(c.args[0].node, c.typ) }

// dateFromText reads the date of a text, which can have a time.
func dateFromText(_ *printer, c *call) fragment {
	return text("CAST(", castFromText(c.args[0].node, scalar(datetimeKind)), " AS DATE)")
}

// truncate cuts a time to the beginning of a part, in a time zone if one is given.
func truncate(p *printer, c *call) fragment {
	of := c.args[0].node
	if c.typ.kind == timeKind {
		return text("CAST(date_trunc('"+strings.ToLower(c.part.name)+"', DATE '1970-01-01' + ", of, ") AS TIME)")
	}
	if len(c.args) < 3 {
		cut := c.asDate(truncated(c.part, of))
		if c.part.name == "WEEK" && !p.isStored(of) { // which can begin before year 1
			cut = inYears(cut, c.typ)
		}
		return cut
	}
	local := toLocal(c.args[2], of)
	switch {
	case c.part.name == "HOUR": // what is cut off is the same in any hour of the zone
		return text("(", of, " - (", local, " - date_trunc('hour', ", local, ")))")
	case slices.Contains(clockParts, c.part.name):
		return truncated(c.part, of)
	}
	return inYears(fromLocal(c.args[2], text("CAST(", truncated(c.part, local), " AS TIMESTAMP)")), c.typ)
}

// isStored reports whether a node is a column of a table or a subquery, rather than what an array was split into.
func (p *printer) isStored(n node) bool {
	r, ok := n.(*reference)
	if !ok || p.column(n) != "" {
		return false
	}
	_, isArray := r.owner.(*arraySource)
	return !isArray
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
func shift(_ *printer, c *call) fragment {
	op := ifElse(strings.HasSuffix(c.name, "_SUB"), " - ", " + ")
	return inYears(c.asDate(text("(", c.args[0], op, c.args[1], ")")), c.typ)
}

// made is a template of a time that must be in the years that GoogleSQL has.
func made(sql string) form {
	return form{by: func(_ *printer, c *call) fragment { return inYears(c.template(sql), c.typ) }}
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
	return timeWithin{sql, bounds, raise("The " + typ.String() + " is outside the years 1 to 9999")}
}

// timeWithin is a time between two others.
type timeWithin struct {
	fragment
	bounds  string
	failure fragment
}

func (b timeWithin) print(p *printer) {
	if p.safe { // DuckDB computes what occurs twice before TRY
		text("list_extract(list_transform([", b.fragment, `], lambda "#t": CASE WHEN "#t" BETWEEN `+b.bounds+` THEN "#t" END), 1)`).print(p)
		return
	}
	text("CASE WHEN ", b.fragment, " NOT BETWEEN "+b.bounds+" THEN ", b.failure, " ELSE ", b.fragment, " END").print(p)
}

// difference counts parts between two times: whole ones between TIMESTAMPs, and boundaries between the others.
func difference(_ *printer, c *call) fragment {
	a, b, unit := c.args[0].node, c.args[1].node, strings.ToLower(c.part.name)
	switch {
	case strings.HasPrefix(c.name, "TIMESTAMP"):
		return text("date_sub('"+unit+"', ", b, ", ", a, ")")
	case c.part.name == "WEEK" || c.part.name == "ISOWEEK":
		return text("(date_diff('day', ", truncated(c.part, b), ", ", truncated(c.part, a), ") // 7)")
	}
	return text("date_diff('"+unit+"', ", b, ", ", a, ")")
}

// truncArray is Logflare's helper: for length N and label X_Y the times from trunc(now - N X, Y) to
// trunc(now, Y), one for each Y (D2).
const truncArray = "generate_series(date_trunc(" + truncPart + ", " + truncNow + " - {0} * " + truncBack + "), date_trunc(" + truncPart + ", " + truncNow +
	"), " + truncStep + ")"

// lastDay is the day before the next part begins.
func lastDay(_ *printer, c *call) fragment {
	begin := text("CAST(", truncated(c.part, c.args[0].node), " AS TIMESTAMP)")
	next := text(begin, " + INTERVAL 1 "+strings.TrimPrefix(c.part.name, "ISO"))
	if c.part.name == "ISOYEAR" { // it has 52 or 53 weeks
		next = text("date_trunc('isoyear', ", begin, " + INTERVAL 372 DAY)")
	}
	return inYears(text("CAST(", next, " - INTERVAL 1 DAY AS DATE)"), c.typ)
}

// intervalOf writes INTERVAL n PART.
func intervalOf(_ *printer, c *call) fragment {
	n, unit := c.args[0], "to_"+strings.ToLower(c.part.name)+"s"
	switch {
	case n.constant != nil:
		return text(unit + "(" + n.constant.text + ")")
	case slices.Contains(calendarParts, c.part.name):
		return text(unit+"(CAST(", n, " AS INTEGER))")
	}
	return text(unit+"(", n, ")")
}

// extractedPart writes EXTRACT(part FROM x).
func extractedPart(_ *printer, c *call) fragment {
	of := fragment(c.args[0].node)
	if c.zone.node != nil {
		of = toLocal(c.zone, of)
	}
	switch c.part.name {
	case "DATE", "DATETIME", "TIME":
		return text("CAST(", of, " AS "+c.typ.duck()+")")
	case "DAYOFWEEK":
		return text("(dayofweek(", of, ") + 1)")
	case "DAYOFYEAR":
		return text("dayofyear(", of, ")")
	case "WEEK":
		start := text("(dayofyear(", of, ") + 6 - (isodow(", of, ") - 1 - "+c.part.shiftOf()+" + 7) % 7)")
		return text("(", start, " // 7)")
	case "ISOWEEK":
		return text("weekofyear(", of, ")")
	case "MICROSECOND":
		return text("(microsecond(", of, ") % 1000000)")
	case "MILLISECOND":
		return text("(millisecond(", of, ") % 1000)")
	}
	return text(strings.ToLower(c.part.name)+"(", of, ")")
}

// makeInterval adds the parts of an interval.
func makeInterval(_ *printer, c *call) fragment {
	units := []string{"to_years(CAST(%s AS INTEGER))", "to_months(CAST(%s AS INTEGER))", "to_days(CAST(%s AS INTEGER))", "to_hours(%s)", "to_minutes(%s)", "to_seconds(%s)"}
	var parts []fragment
	for i, param := range strings.Split(makeIntervalParts, ", ") {
		name, _, _ := strings.Cut(param, " ")
		of := fragment(plain("0::BIGINT"))
		if constant := c.named[name]; i < len(c.args) {
			of = c.args[i].node
		} else if constant != nil {
			of = text("CAST(", newConstant(constant), " AS BIGINT)")
		}
		before, after, _ := strings.Cut(units[i], "%s")
		parts = append(parts, text(before, of, after))
	}
	return text("(", list(" + ", parts), ")")
}

// The parts of the interval {0} that have signs of their own, besides its days.
const (
	duckdbMonths = "(year({0}) * 12 + month({0}))"
	duckdbMicros = "(hour({0}) * 3600000000 + minute({0}) * 60000000 + microsecond({0}))"
	microsOfDay  = "86400000000"
)

// duckdbInterval is an interval of three parts.
func duckdbInterval(months, days, micros string) string {
	return "(to_months(CAST(" + months + " AS INTEGER)) + to_days(CAST(" + days + " AS INTEGER)) + to_microseconds(CAST(" + micros + " AS BIGINT)))"
}

// scaledInterval multiplies an interval, or divides it. What a part leaves goes to the next one, with 30 days in a month.
func (p *printer) scaledInterval(c *call) fragment {
	return p.hoisted(c.args, func(args []value) fragment {
		if c.name == "*" {
			return template(duckdbInterval(duckdbMonths+" * {1}", "day({0}) * {1}", duckdbMicros+" * {1}"), args...)
		}
		n := "CASE WHEN {1} = 0 AND {0} IS NOT NULL THEN {!division by zero} ELSE {1} END"
		days := "(" + duckdbMonths + " % {1} * 30 + day({0}))"
		return template(duckdbInterval(duckdbMonths+" // "+n, days+" // {1}", "("+days+" % {1} * "+microsOfDay+" + "+duckdbMicros+") // {1}"), args...)
	})
}
