package googlesql

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Times of ClickHouse are from the year 1900 to 2299, in microseconds and in days since 1970.
const (
	leastClickHouseMicros = "-2208988800000000"
	mostClickHouseMicros  = "10413791999999999"
	leastClickHouseDay    = "-25567"
	mostClickHouseDay     = "120529"
	clickhouseDayMicros   = "toInt64(86400000000)" // without a type it would be a UInt64

	clickhouseTimestamp = "DateTime64(6, 'UTC')"
	outsideYears        = "A time is outside the years 1900 to 2299, which ClickHouse has"
)

// micros are the microseconds since 1970 of a time.
func clickhouseMicros(of string) string { return "toUnixTimestamp64Micro(" + of + ")" }

// timeOfMicros is a time of microseconds since 1970.
func (p *clickhousePrinter) timeOfMicros(micros string) string {
	return p.inYears(micros, leastClickHouseMicros, mostClickHouseMicros, "-62135596800000000", "253402300799999999", func(micros string) string {
		return "fromUnixTimestamp64Micro(toInt64(" + micros + "), 'UTC')"
	})
}

// dayOf is a date of days since 1970.
func (p *clickhousePrinter) dayOf(days string) string {
	return p.inYears(days, leastClickHouseDay, mostClickHouseDay, "-719162", "2932896", func(days string) string { return "CAST(toInt32(" + days + ") AS Nullable(Date32))" })
}

// inYears is a time whose number must be from least to most, which ClickHouse has. GoogleSQL has those from first to last: others
// are its errors.
func (p *clickhousePrinter) inYears(number, least, most, first, last string, made func(number string) string) string {
	return p.let(number, func(number string) string {
		beyond := number + " < " + least + " OR " + number + " > " + most
		if !p.safe {
			return p.raiseIf(beyond, outsideYears, made(number))
		}
		lacking := "(" + beyond + ") AND " + number + " >= " + first + " AND " + number + " <= " + last
		return p.always(lacking, outsideYears, "if("+beyond+", NULL, "+made(number)+")")
	})
}

// always raises an error also where NULL stands for those of GoogleSQL.
func (p *clickhousePrinter) always(condition, message, sql string) string {
	before := p.safe
	p.safe = false
	defer func() { p.safe = before }()
	return p.raiseIf(condition, message, sql)
}

// dateOf is the date of a time.
func dateOf(of string) string { return "toDate32(" + of + ")" }

// timeOf is the beginning of a date.
func timeOf(of string) string { return "toDateTime64(" + of + ", 6, 'UTC')" }

// checkedMicros is a number of microseconds that a sum of wide numbers has.
func floorOf(x, unit string) string {
	return "intDiv(" + x + " - positiveModulo(" + x + ", " + unit + "), " + unit + ")"
}

func clickhouseTimes() map[string]clickhouseForm {
	forms := map[string]clickhouseForm{
		"CURRENT_TIMESTAMP":                          {sql: "{now}"},
		"CURRENT_DATETIME()":                         {sql: "{now}"},
		"CURRENT_DATE()":                             {sql: "toDate32({now})"},
		"CURRENT_TIME()":                             {emit: func(c *clickhouseCall) clickhouseValue { return c.value(clickhouseClock(c.now())) }},
		"CURRENT_DATETIME CURRENT_DATE CURRENT_TIME": {emit: (*clickhouseCall).currentIn},
		"TIMESTAMP(TIMESTAMP)":                       {sql: "{0}"},
		"TIMESTAMP(DATETIME)":                        {sql: "{0}"},
		"TIMESTAMP(DATE)":                            {sql: timeOf("{0}")},
		"TIMESTAMP(STRING)":                          {emit: (*clickhouseCall).castText},
		"DATETIME(TIMESTAMP)":                        {sql: "{0}"},
		"DATETIME(DATETIME)":                         {sql: "{0}"},
		"DATETIME(STRING)":                           {emit: (*clickhouseCall).castText},
		"DATETIME(DATE)":                             {sql: timeOf("{0}")},
		"DATETIME(DATE, TIME)":                       {sql: "fromUnixTimestamp64Micro(" + clickhouseMicros(timeOf("{0}")) + " + " + clickhouseMicros("{1}") + ", 'UTC')"},
		"DATETIME(INT64, INT64, INT64, INT64, INT64, INT64)": {emit: (*clickhouseCall).makeTime},
		"DATE(DATE)":      {sql: "{0}"},
		"DATE(TIMESTAMP)": {sql: dateOf("{0}")},
		"DATE(DATETIME)":  {sql: dateOf("{0}")},
		"DATE(STRING)": {emit: func(c *clickhouseCall) clickhouseValue {
			return c.value(dateOf(c.p.castFromText(c.args[0], scalar(datetimeKind))))
		}},
		"DATE(INT64, INT64, INT64)":   {emit: (*clickhouseCall).makeTime},
		"TIME(TIME)":                  {sql: "{0}"},
		"TIME(TIMESTAMP)":             {emit: func(c *clickhouseCall) clickhouseValue { return c.value(clickhouseClock(c.args[0].sql)) }},
		"TIME(DATETIME)":              {emit: func(c *clickhouseCall) clickhouseValue { return c.value(clickhouseClock(c.args[0].sql)) }},
		"TIME(INT64, INT64, INT64)":   {emit: (*clickhouseCall).makeTime},
		"TIMESTAMP(DATETIME, STRING)": {emit: (*clickhouseCall).fromZone},
		"TIMESTAMP(DATE, STRING)":     {emit: (*clickhouseCall).fromZone},
		"TIMESTAMP(STRING, STRING)":   {emit: (*clickhouseCall).fromZone},
		"DATETIME(TIMESTAMP, STRING)": {emit: (*clickhouseCall).localTime},
		"DATE(TIMESTAMP, STRING)":     {emit: (*clickhouseCall).localTime},
		"TIME(TIMESTAMP, STRING)":     {emit: (*clickhouseCall).localTime},
		"STRING":                      {emit: (*clickhouseCall).timeText},
		"UNIX_SECONDS":                {sql: floorOf(clickhouseMicros("{0}"), "1000000")},
		"UNIX_MILLIS":                 {sql: floorOf(clickhouseMicros("{0}"), "1000")},
		"UNIX_MICROS":                 {sql: clickhouseMicros("{0}")},
		"UNIX_DATE":                   {sql: "toInt64(toInt32({0}))"},
		"DATE_FROM_UNIX_DATE":         {emit: func(c *clickhouseCall) clickhouseValue { return c.value(c.p.dayOf(c.args[0].sql)) }},
		"TIMESTAMP_SECONDS": {emit: func(c *clickhouseCall) clickhouseValue {
			return c.value(c.p.timeOfMicros("toInt128(" + c.args[0].sql + ") * 1000000"))
		}},
		"TIMESTAMP_MILLIS": {emit: func(c *clickhouseCall) clickhouseValue {
			return c.value(c.p.timeOfMicros("toInt128(" + c.args[0].sql + ") * 1000"))
		}},
		"TIMESTAMP_MICROS": {emit: func(c *clickhouseCall) clickhouseValue { return c.value(c.p.timeOfMicros(c.args[0].sql)) }},
		"LAST_DAY":         {emit: (*clickhouseCall).lastDay},
		"TIMESTAMP_BUCKET DATETIME_BUCKET DATE_BUCKET": {emit: (*clickhouseCall).bucket},
		truncArrayName:     {emit: (*clickhouseCall).truncArray},
		"MAKE_INTERVAL":    {emit: (*clickhouseCall).makeInterval},
		"JUSTIFY_HOURS":    {emit: (*clickhouseCall).justify},
		"JUSTIFY_DAYS":     {emit: (*clickhouseCall).justify},
		"JUSTIFY_INTERVAL": {emit: (*clickhouseCall).justify},
	}
	for _, typ := range []string{"TIMESTAMP", "DATETIME", "DATE", "TIME"} {
		forms[typ+"_TRUNC"] = clickhouseForm{emit: (*clickhouseCall).truncate}
		forms[typ+"_ADD"] = clickhouseForm{emit: (*clickhouseCall).shift}
		forms[typ+"_SUB"] = clickhouseForm{emit: (*clickhouseCall).shift}
		forms[typ+"_DIFF"] = clickhouseForm{emit: (*clickhouseCall).difference}
		forms["FORMAT_"+typ] = clickhouseForm{emit: (*clickhouseCall).formatTime}
		forms["PARSE_"+typ] = clickhouseForm{emit: (*clickhouseCall).parseTime}
	}
	return forms
}

// clickhouseClock is the time of day, which ClickHouse has on the first day of 1970.
func clickhouseClock(of string) string {
	return "fromUnixTimestamp64Micro(positiveModulo(" + clickhouseMicros(of) + ", " + clickhouseDayMicros + "), 'UTC')"
}

// as converts a time with a date to a type.
func (p *clickhousePrinter) asTime(of string, to *dataType) string {
	switch to.kind { //nolint:exhaustive // The others have both.
	case dateKind:
		return dateOf(of)
	case timeKind:
		return clickhouseClock(of)
	}
	return of
}

func (c *clickhouseCall) castText() clickhouseValue {
	return c.value(c.p.castFromText(c.args[0], c.typ))
}

func (c *clickhouseCall) currentIn() clickhouseValue {
	return c.value(c.p.asTime(c.p.toLocal(c.args[0], c.now()), c.typ))
}

func (c *clickhouseCall) localTime() clickhouseValue {
	return c.value(c.p.asTime(c.p.toLocal(c.args[1], c.args[0].sql), c.typ))
}

func (c *clickhouseCall) fromZone() clickhouseValue {
	local := c.args[0].sql
	switch c.args[0].typ.kind { //nolint:exhaustive // The other has its type.
	case dateKind:
		local = timeOf(local)
	case stringKind:
		local = c.p.castFromText(c.args[0], scalar(datetimeKind))
	}
	return c.value(c.p.fromLocal(c.args[1], local))
}

// zoneOf returns a zone that ClickHouse takes, or how far it is from UTC.
func (p *clickhousePrinter) zoneOf(zone clickhouseValue) (name string, offset time.Duration, isOffset bool) {
	if zone.literal != nil && zone.literal.kind != nullKind {
		offset, isOffset = zoneOffset(value{constant: zone.literal, at: zone.at})
	} else if !zone.isConstant() {
		fail(zone.at, "a time zone that is computed is not supported on ClickHouse; write it as a constant, or use a parameter")
	}
	return zone.sql, offset, isOffset
}

// offsetIn is how many microseconds a zone is from UTC at a time.
func offsetIn(zone, utc string) string {
	return "toInt64(timezoneOffset(toTimeZone(" + utc + ", " + zone + "))) * 1000000"
}

// toLocal returns a time in UTC as the clock of a zone shows it.
func (p *clickhousePrinter) toLocal(zone clickhouseValue, utc string) string {
	if zone.isNull() {
		return "CAST(NULL AS Nullable(" + clickhouseTimestamp + "))"
	}
	name, offset, isOffset := p.zoneOf(zone)
	if isOffset && offset == 0 {
		return utc
	}
	if isOffset {
		return p.timeOfMicros(clickhouseMicros(utc) + " + " + itoa64(offset.Microseconds()))
	}
	return p.let(utc, func(utc string) string { return p.timeOfMicros(clickhouseMicros(utc) + " + " + offsetIn(name, utc)) })
}

// fromLocal returns the first time in UTC at which the clock of a zone shows a local time.
func (p *clickhousePrinter) fromLocal(zone clickhouseValue, local string) string {
	if zone.isNull() {
		return "CAST(NULL AS Nullable(" + clickhouseTimestamp + "))"
	}
	name, offset, isOffset := p.zoneOf(zone)
	if isOffset && offset == 0 {
		return local
	}
	if isOffset {
		return p.timeOfMicros(clickhouseMicros(local) + " - " + itoa64(offset.Microseconds()))
	}
	at := func(micros string) string { return offsetIn(name, "fromUnixTimestamp64Micro("+micros+", 'UTC')") }
	// The offset of before a change is that of 26 hours before, and that of behind it of 26 hours later. A time that the clock
	// skips has the one of before.
	micros := p.let(clickhouseMicros(local), func(micros string) string {
		return p.lets([]string{at(micros + " - 93600000000"), at(micros + " + 93600000000")}, func(offsets []string) string {
			before, later := offsets[0], offsets[1]
			first, second := "("+micros+" - "+before+")", "("+micros+" - "+later+")"
			return "multiIf(" + at(first) + " = " + before + ", " + first + ", " + at(second) + " = " + later + ", " + second + ", " + first + ")"
		})
	})
	return p.timeOfMicros(micros)
}

// truncated cuts a time, or a date, to the beginning of a part. The result has the type.
func (p *clickhousePrinter) truncated(part part, of string, typ *dataType) string {
	day := ""
	switch part.name {
	case "MICROSECOND":
		return of
	case "DAY":
		if typ.is(dateKind) {
			return dateOf(of)
		}
		fallthrough
	case "MILLISECOND", "SECOND", "MINUTE", "HOUR": // toStartOfHour and its relatives cut fractions before 1970 in the other direction
		return p.let(clickhouseMicros(of), func(micros string) string {
			return "fromUnixTimestamp64Micro(" + micros + " - positiveModulo(" + micros + ", " + clickhouseUnits[part.name] + "), 'UTC')"
		})
	}
	of = dateOf(of)
	switch part.name {
	case "WEEK":
		switch days := part.shiftOf(); days {
		case "0":
			day = "toStartOfWeek(" + of + ", 1)"
		case "6":
			day = "toStartOfWeek(" + of + ", 0)"
		default:
			day = "addDays(toStartOfWeek(subtractDays(" + of + ", " + days + "), 1), " + days + ")"
		}
	case "ISOWEEK":
		day = "toStartOfWeek(" + of + ", 1)"
	case "ISOYEAR":
		day = "toStartOfISOYear(" + of + ")"
	default:
		day = "toStartOf" + part.name[:1] + strings.ToLower(part.name[1:]) + "(" + of + ")"
	}
	if typ.is(dateKind) {
		return day
	}
	return timeOf(day)
}

func (c *clickhouseCall) truncate() clickhouseValue {
	of := c.args[0].sql
	if len(c.args) < 3 {
		return c.value(c.p.truncated(c.part, of, c.typ))
	}
	if _, offset, isOffset := c.p.zoneOf(c.args[2]); isOffset && offset == 0 || slices.Contains([]string{"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE"}, c.part.name) && !c.args[2].isNull() {
		return c.value(c.p.truncated(c.part, of, c.typ))
	}
	if c.part.name == "HOUR" {
		return c.value(c.p.timeOfMicros(clickhouseMicros(of) + " - positiveModulo(" + clickhouseMicros(c.p.toLocal(c.args[2], of)) + ", 3600000000)"))
	}
	return c.value(c.p.fromLocal(c.args[2], c.p.truncated(c.part, c.p.toLocal(c.args[2], of), c.typ)))
}

// shift adds an interval to a time, or takes it away.
func (c *clickhouseCall) shift() clickhouseValue {
	return c.value(c.p.shifted(c.args[0].sql, c.args[0].typ, c.args[1], strings.HasSuffix(c.name, "_SUB"), c.typ))
}

// shifted adds an interval to a time. An interval is a tuple of months, days and microseconds.
func (p *clickhousePrinter) shifted(of string, from *dataType, interval clickhouseValue, isBack bool, to *dataType) string {
	sign := ifElse(isBack, " - ", " + ")
	months, days, micros := p.intervalParts(interval)
	if months == "0" && micros == "0" && from.is(dateKind) && to.is(dateKind) {
		return p.dayOf("toInt128(toInt32(" + of + "))" + sign + days)
	}
	if from.is(timeKind) {
		return "fromUnixTimestamp64Micro(toInt64(positiveModulo(toInt128(" + clickhouseMicros(of) + ")" + sign + micros + ", " + clickhouseDayMicros + ")), 'UTC')"
	}
	if from.is(dateKind) {
		of = timeOf(of)
	}
	if months != "0" {
		of = p.let(of, func(of string) string {
			month := "toInt128(toYear(" + of + ")) * 12 + toMonth(" + of + ") - 1" + sign + months
			return p.inYears(month, "22800", "27599", "12", "119999", func(string) string {
				return "addMonths(" + of + ", toInt64(" + ifElse(isBack, "-", "") + "(" + months + ")))"
			})
		})
	}
	if days != "0" || micros != "0" {
		sum := "toInt128(" + clickhouseMicros(of) + ")"
		if days != "0" {
			sum += sign + "toInt128(" + days + ") * " + clickhouseDayMicros
		}
		if micros != "0" {
			sum += sign + micros
		}
		of = p.timeOfMicros(sum)
	}
	if to.is(dateKind) {
		return dateOf(of)
	}
	return of
}

// intervalParts are the months, days and microseconds of an interval; 0 for what a constant one does not have.
func (p *clickhousePrinter) intervalParts(of clickhouseValue) (months, days, micros string) {
	if of.interval != nil {
		return of.interval[0], of.interval[1], of.interval[2]
	}
	bare := p.bare(of)
	part := func(i string) string { return "tupleElement(" + bare + ", " + i + ")" }
	if !of.isBare { // NULL
		part = func(i string) string { return "if(empty(" + of.sql + "), NULL, tupleElement(" + bare + ", " + i + "))" }
	}
	return part("1"), part("2"), part("3")
}

// newInterval is an interval that is not NULL unless a part is.
func (p *clickhousePrinter) newInterval(months, days, micros string, typ *dataType) clickhouseValue {
	v := clickhouseValue{typ: typ, interval: []string{months, days, micros}}
	sum := "tuple(ifNull(toInt64(" + months + "), 0), ifNull(toInt64(" + days + "), 0), ifNull(toInt64(" + micros + "), 0))"
	var nullable []string
	for _, part := range v.interval {
		if strings.Trim(part, "-0123456789") != "" {
			nullable = append(nullable, "("+part+") IS NULL")
		}
	}
	if nullable == nil {
		v.sql, v.isBare = sum, true
		return v
	}
	v.sql = "if(" + strings.Join(nullable, " OR ") + ", [], [" + sum + "])"
	return v
}

var clickhouseUnits = map[string]string{ //nolint:gochecknoglobals // It is constant.
	"MICROSECOND": "1", "MILLISECOND": "1000", "SECOND": "1000000", "MINUTE": "60000000", "HOUR": "3600000000", "DAY": clickhouseDayMicros,
}

func (c *clickhouseCall) difference() clickhouseValue {
	a, b, name := c.args[0].sql, c.args[1].sql, c.part.name
	unit, isClock := clickhouseUnits[name]
	switch {
	case strings.HasPrefix(c.name, "TIMESTAMP"):
		return c.value("intDiv(" + clickhouseMicros(a) + " - " + clickhouseMicros(b) + ", " + unit + ")")
	case name == "DAY" && c.args[0].typ.is(dateKind):
		return c.value("toInt64(toInt32(" + a + ") - toInt32(" + b + "))")
	case isClock:
		return c.value("(" + floorOf(clickhouseMicros(a), unit) + " - " + floorOf(clickhouseMicros(b), unit) + ")")
	}
	of := func(x string) string { return "toInt64(toYear(" + x + "))" }
	switch name {
	case "WEEK", "ISOWEEK":
		day := func(x string) string { return "toInt32(" + c.p.truncated(c.part, x, scalar(dateKind)) + ")" }
		return c.value("toInt64(intDiv(" + day(a) + " - " + day(b) + ", 7))")
	case "MONTH":
		of = func(x string) string { return "(toInt64(toYear(" + x + ")) * 12 + toMonth(" + x + "))" }
	case "QUARTER":
		of = func(x string) string { return "(toInt64(toYear(" + x + ")) * 4 + toQuarter(" + x + "))" }
	case "ISOYEAR":
		of = func(x string) string { return "toInt64(toISOYear(" + x + "))" }
	}
	return c.value("(" + of(a) + " - " + of(b) + ")")
}

func (c *clickhouseCall) lastDay() clickhouseValue {
	p := c.part
	if p.name == "" {
		p.name = "MONTH"
	}
	begin := c.p.truncated(p, c.args[0].sql, scalar(dateKind))
	next := "add" + map[string]string{"WEEK": "Weeks", "ISOWEEK": "Weeks", "MONTH": "Months", "QUARTER": "Quarters", "YEAR": "Years"}[p.name] + "(" + begin + ", 1)"
	if p.name == "ISOYEAR" {
		next = "toStartOfISOYear(addDays(" + begin + ", 372))"
	}
	return c.value("addDays(" + next + ", -1)")
}

// bucket cuts times to buckets that begin with the year 1950.
func (c *clickhouseCall) bucket() clickhouseValue {
	months, days, micros := c.p.intervalParts(c.args[1])
	of := c.args[0].sql
	if c.args[0].typ.is(dateKind) {
		of = timeOf(of)
	}
	if months != "0" {
		if days != "0" || micros != "0" {
			c.refuse("an interval of months or of days and hours, written as a constant")
		}
		since := "(toInt64(toYear(" + of + ")) * 12 + toMonth(" + of + ") - 1 - 23400)"
		return c.value(c.p.asTime(timeOf("addMonths(toDate32('1950-01-01'), toInt64("+since+" - positiveModulo("+since+", "+months+")))"), c.typ))
	}
	const origin = "-631152000000000"
	width := "(toInt64(" + days + ") * " + clickhouseDayMicros + " + " + micros + ")"
	return c.value(c.p.asTime(c.p.timeOfMicros(clickhouseMicros(of)+" - positiveModulo("+clickhouseMicros(of)+" - ("+origin+"), "+width+")"), c.typ))
}

// truncArray is Logflare's helper.
func (c *clickhouseCall) truncArray() clickhouseValue {
	label := c.args[1].literal
	if label == nil {
		c.refuse("a label that is a constant, such as 'DAY_HOUR'")
	}
	back, step, _ := strings.Cut(strings.ToUpper(label.text), "_")
	unit := clickhouseUnits[step]
	first := c.p.truncated(part{name: step}, c.p.timeOfMicros(clickhouseMicros(c.now())+" - toInt128("+c.args[0].sql+") * "+clickhouseUnits[back]), scalar(timestampKind))
	last := c.p.truncated(part{name: step}, c.now(), scalar(timestampKind))
	return c.series(first, last, unit, clickhouseMicros, func(micros string) string { return "fromUnixTimestamp64Micro(" + micros + ", 'UTC')" })
}

// series are the numbers from a first to a last one, as times.
func (c *clickhouseCall) series(first, last, step string, number func(string) string, made func(string) string) clickhouseValue {
	return c.array(c.p.lets([]string{"assumeNotNull(" + number(first) + ")", "assumeNotNull(" + number(last) + ")"}, func(names []string) string {
		a, b := names[0], names[1]
		tooMany := func(n string) string {
			return c.p.raiseIf(n+" > 1048576", c.name+" makes more than 1048576 elements", n)
		}
		made := func(limit string) string {
			return "arrayMap(e -> toNullable(" + made("toInt64("+a+" + toInt64(e) * "+step+")") + "), range(assumeNotNull(toUInt64(" + limit + "))))"
		}
		if width, err := strconv.ParseInt(step, 10, 64); err == nil && width > 0 {
			return made(c.p.let("intDiv(greatest("+b+" - "+a+", -"+step+") + "+step+", "+step+")", tooMany))
		}
		limit := c.p.let("if(("+b+" < "+a+") = ("+step+" > 0) AND "+b+" != "+a+", 0, intDivOrNull("+b+" - "+a+", "+step+") + 1)", func(n string) string {
			return c.p.raiseIf(step+" = 0", "The step must not be 0", tooMany(n))
		})
		return made(limit)
	}))
}

// dateArray makes an array of dates or times.
func (c *clickhouseCall) dateArray() clickhouseValue {
	isDate := c.typ.elem.is(dateKind)
	months, days, micros := "0", "1", "0"
	if len(c.args) > 2 {
		months, days, micros = c.p.intervalParts(c.args[2])
	}
	notNull := func(sql string) string {
		return ifElse(strings.Trim(sql, "-0123456789") == "", sql, "assumeNotNull("+sql+")")
	}
	switch {
	case months != "0":
		if days != "0" || micros != "0" || !isDate {
			c.refuse("a step of months or of days, written as a constant")
		}
		first := "assumeNotNull(" + c.args[0].sql + ")"
		month := func(of string) string { return "(toInt64(toYear(" + of + ")) * 12 + toMonth(" + of + "))" }
		made := c.series(c.args[0].sql, c.args[1].sql, notNull(months), month, func(n string) string {
			// Each is a month after the one before, whose day a short month has reduced.
			by := "(" + n + " - " + month(first) + ")"
			day := "arrayMin(arrayMap(i -> toDayOfMonth(addMonths(" + first + ", i * " + notNull(months) + ")), range(toUInt64(intDiv(" + by + ", " + notNull(months) + ") + 1))))"
			return "addDays(addMonths(" + first + ", " + by + "), " + day + " - toDayOfMonth(addMonths(" + first + ", " + by + ")))"
		})
		beyond := ifElse(strings.HasPrefix(months, "-"), " >= ", " <= ")
		made.sql = c.arrayIfNotNull("arrayFilter(e -> e" + beyond + c.args[1].sql + ", " + c.p.bare(made) + ")")
		return made
	case isDate:
		return c.series(c.args[0].sql, c.args[1].sql, notNull(days), func(of string) string { return "toInt64(toInt32(" + of + "))" }, func(n string) string { return "CAST(toInt32(" + n + ") AS Date32)" })
	}
	step := notNull(micros)
	if days != "0" {
		step = "(" + notNull(days) + " * " + clickhouseDayMicros + " + " + step + ")"
	}
	return c.series(c.args[0].sql, c.args[1].sql, step, clickhouseMicros, func(n string) string { return "fromUnixTimestamp64Micro(" + n + ", 'UTC')" })
}

// makeTime makes a time of its parts. ClickHouse moves a day that no month has to the next one.
func (c *clickhouseCall) makeTime() clickhouseValue {
	names := []string{"y", "mo", "d"}
	arg := func(i int) string { return c.args[i].sql }
	var date, clock, outside string
	hour := 0
	if !c.typ.is(timeKind) {
		date = "toInt64(toInt32(makeDate32(" + arg(0) + ", " + arg(1) + ", " + arg(2) + ")))"
		made := "makeDate32(" + arg(0) + ", " + arg(1) + ", " + arg(2) + ")"
		outside = arg(0) + " < 1 OR " + arg(0) + " > 9999 OR " + arg(1) + " < 1 OR " + arg(1) + " > 12 OR " + arg(2) + " < 1 OR " + arg(2) + " > 31 OR " + arg(0) + " BETWEEN 1900 AND 2299 AND toDayOfMonth(" + made + ") != " + arg(2)
		hour = len(names)
	}
	if !c.typ.is(dateKind) {
		clock = "((" + arg(hour) + " * 60 + " + arg(hour+1) + ") * 60 + " + arg(hour+2) + ") * 1000000"
		isClock := arg(hour) + " < 0 OR " + arg(hour) + " > 23 OR " + arg(hour+1) + " < 0 OR " + arg(hour+1) + " > 59 OR " + arg(hour+2) + " < 0 OR " + arg(hour+2) + " > " + ifElse(c.typ.is(timeKind), "59", "60")
		outside = ifElse(outside == "", isClock, outside+" OR "+isClock)
	}
	sql := ""
	switch c.typ.kind {
	case dateKind:
		sql = "CAST(toInt32(" + date + ") AS Nullable(Date32))"
	case timeKind:
		sql = "fromUnixTimestamp64Micro(toInt64(" + clock + "), 'UTC')"
	default:
		sql = "fromUnixTimestamp64Micro(toInt64(" + date + " * " + clickhouseDayMicros + " + " + clock + "), 'UTC')"
	}
	if !c.typ.is(timeKind) {
		year := arg(0)
		sql = c.p.always(year+" BETWEEN 1 AND 1899 OR "+year+" BETWEEN 2300 AND 9999", outsideYears, sql)
	}
	return c.value(c.p.raiseIf(outside, "A part of a "+c.typ.String()+" is out of range", sql))
}

// extract reads a part of a time.
func (p *clickhousePrinter) extract(name part, of string) string {
	switch name.name {
	case "DATE", "DATETIME", "TIME":
		return p.asTime(of, scalar(typeNames()[name.name]))
	case "DAYOFWEEK":
		return "toInt64(toDayOfWeek(" + of + ") % 7 + 1)"
	case "DAYOFYEAR":
		return "toInt64(toDayOfYear(" + of + "))"
	case "WEEK":
		return "toInt64(intDiv(toDayOfYear(" + of + ") + 6 - (toDayOfWeek(" + of + ") - 1 - " + name.shiftOf() + " + 7) % 7, 7))"
	case "ISOWEEK":
		return "toInt64(toISOWeek(" + of + "))"
	case "ISOYEAR":
		return "toInt64(toISOYear(" + of + "))"
	case "MICROSECOND":
		return "toInt64(positiveModulo(" + clickhouseMicros(of) + ", 1000000))"
	case "MILLISECOND":
		return "toInt64(intDiv(positiveModulo(" + clickhouseMicros(of) + ", 1000000), 1000))"
	case "DAY":
		return "toInt64(toDayOfMonth(" + of + "))"
	}
	return "toInt64(to" + name.name[:1] + strings.ToLower(name.name[1:]) + "(" + of + "))"
}

// intervalPart reads a part of an interval.
func (p *clickhousePrinter) intervalPart(name part, of clickhouseValue) string {
	months, days, micros := p.intervalParts(of)
	switch name.name {
	case "YEAR":
		return "intDiv(toInt64(" + months + "), 12)"
	case "MONTH":
		return "toInt64(toInt64(" + months + ") % 12)"
	case "QUARTER":
		return "toInt64(intDiv(toInt64(" + months + ") % 12, 3) + 1)"
	case "DAY":
		return "toInt64(" + days + ")"
	case "HOUR":
		return "intDiv(toInt64(" + micros + "), 3600000000)"
	case "MINUTE":
		return "toInt64(intDiv(toInt64(" + micros + "), 60000000) % 60)"
	case "SECOND":
		return "toInt64(intDiv(toInt64(" + micros + "), 1000000) % 60)"
	case "MILLISECOND":
		return "toInt64(intDiv(toInt64(" + micros + "), 1000) % 1000)"
	case "MICROSECOND":
		return "toInt64(toInt64(" + micros + ") % 1000000)"
	}
	fail(name.place, "EXTRACT of %s of an INTERVAL is not supported on ClickHouse", name.name)
	return ""
}

func (c *clickhouseCall) makeInterval() clickhouseValue {
	var months, days, micros []string
	for i, param := range strings.Split(makeIntervalParts, ", ") {
		name, _, _ := strings.Cut(param, " ")
		of := ""
		switch constant := c.named[name]; {
		case i < len(c.args):
			of = c.args[i].sql
		case constant != nil && constant.kind == nullKind:
			of = "CAST(NULL AS Nullable(Int64))"
		case constant != nil:
			of = "toInt64(" + constant.text + ")"
		default:
			continue
		}
		switch name {
		case "year":
			months = append(months, of+" * 12")
		case "month":
			months = append(months, of)
		case "day":
			days = append(days, of)
		default:
			micros = append(micros, of+" * "+clickhouseUnits[strings.ToUpper(name)])
		}
	}
	sum := func(parts []string) string { return ifElse(parts == nil, "0", strings.Join(parts, " + ")) }
	return c.p.newInterval(sum(months), sum(days), sum(micros), c.typ)
}

func (c *clickhouseCall) justify() clickhouseValue {
	mo, d, u := c.p.intervalParts(c.args[0])
	months, days, micros := "toInt64("+mo+")", "toInt64("+d+")", "toInt64("+u+")"
	const day = clickhouseDayMicros
	all := "((" + months + " * 30 + " + days + ") * toInt128(" + day + ") + " + micros + ")"
	switch c.name {
	case "JUSTIFY_HOURS":
		hours := "(" + days + " * " + day + " + " + micros + ")"
		return c.p.newInterval(months, "intDiv("+hours+", "+day+")", hours+" % "+day, c.typ)
	case "JUSTIFY_DAYS":
		all := "(" + months + " * 30 + " + days + ")"
		return c.p.newInterval("intDiv("+all+", 30)", all+" % 30", micros, c.typ)
	}
	return c.p.newInterval("intDiv("+all+", 30 * "+day+")", "intDiv("+all+" % (30 * "+day+"), "+day+")", all+" % "+day, c.typ)
}
