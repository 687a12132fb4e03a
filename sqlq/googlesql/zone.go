package googlesql

import (
	"strings"
	"time"
)

// zoneOffset returns how far a constant time zone is from UTC, if it is an offset such as +02:00, or UTC. It fails
// for a name that is no zone.
func zoneOffset(zone value) (time.Duration, bool) {
	if zone.constant == nil || zone.constant.kind == nullKind {
		return 0, false
	}
	written := zone.constant.text
	if written == "" {
		fail(zone.at, "a time zone is missing")
	}
	// The local time 0 is as far from UTC as the zone is, in the other direction.
	utc, err := inZone(time.Unix(0, 0).UTC(), written)
	if err != nil {
		fail(zone.at, "%q is no time zone, such as Europe/Berlin or +02:00", written)
	}
	if strings.ContainsAny(written[:1], "+-") || strings.EqualFold(written, "UTC") {
		return -time.Duration(utc.UnixNano()), true
	}
	return 0, false
}

// toLocal returns a time in UTC as the clock of a zone shows it.
func toLocal(zone value, utc fragment) fragment {
	switch offset, ok := zoneOffset(zone); {
	case ok && offset == 0:
		return utc
	case ok:
		return text("(", utc, " + to_minutes("+itoa(int(offset.Minutes()))+"))")
	}
	return text("timezone(", zone, ", make_timestamptz(epoch_us(", utc, ")))")
}

// inUTC returns a TIMESTAMPTZ as a TIMESTAMP in UTC. Conversions by number take half as long as those with DuckDB's zone UTC.
func inUTC(sql fragment) fragment { return text("make_timestamp(epoch_us(", sql, "))") }

// fromLocal returns the time in UTC of a zone's clock. Of the times that pass twice when a clock is set back, it
// returns the first, as BigQuery does, and not the second as DuckDB.
func fromLocal(zone value, local fragment) fragment {
	switch offset, ok := zoneOffset(zone); {
	case ok && offset == 0:
		return local
	case ok:
		return text("(", local, " - to_minutes("+itoa(int(offset.Minutes()))+"))")
	}
	return firstInZone(zone, local, text("timezone(", zone, ", ", local, ")"))
}

// firstInZone returns the first time in UTC at which a zone's clock shows a local time; last is the one that DuckDB takes.
// If the zone was as far from UTC 26 hours before, which is longer than any clock was set back, there is no other. If it
// was not, the first is there if the clock shows the local time at the distance of then.
func firstInZone(zone, local any, last fragment) fragment {
	before := text("timezone(", zone, ", ", last, " - INTERVAL 26 HOUR) + INTERVAL 26 HOUR")
	first := text("(", last, " - (", before, " - ", local, "))")
	return inUTC(text("CASE WHEN ", before, " = ", local, " THEN ", last,
		" WHEN timezone(", zone, ", ", first, ") = ", local, " THEN ", first, " ELSE ", last, " END"))
}

// fromZone makes a TIMESTAMP of a zone's time.
func fromZone(c *call) value {
	local := c.args[0].sql
	switch c.args[0].typ.kind { //nolint:exhaustive // The other has its type.
	case dateKind:
		local = text("CAST(", local, " AS TIMESTAMP)")
	case stringKind:
		local = castFromText(local, scalar(datetimeKind))
	}
	return c.value(inYears(fromLocal(c.args[1], local), c.typ))
}

// localTime converts a TIMESTAMP to a zone's time.
func localTime(c *call) value {
	return c.value(inYears(text("CAST(", toLocal(c.args[1], c.args[0].sql), " AS "+c.typ.duck()+")"), c.typ))
}

// currentIn is the date or the time that a zone's clock shows (D1).
func currentIn(c *call) value {
	return c.value("CAST(", toLocal(c.args[0], plain("CAST($now AS TIMESTAMP)")), " AS "+c.typ.duck()+")")
}

// timeText is the text of a time, of a TIMESTAMP in a zone if one is given.
func timeText(c *call) value {
	if len(c.args) < 2 {
		return c.value(castToText(c.args[0]))
	}
	local := newValue(scalar(datetimeKind), c.at, toLocal(c.args[1], c.args[0].sql))
	return c.value(joined([]fragment{datetimeText(local), offsetText(c.args[0].sql, local.sql, ":", true)}, c.typ))
}

// offsetText writes how far a local time is from UTC, such as +05:30; minutes of 0 can be left out.
func offsetText(utc, local fragment, colon string, short bool) fragment {
	minutes := text("date_diff('minute', ", utc, ", ", local, ")")
	rest := text("printf('"+colon+"%02d', abs(", minutes, " % 60))")
	if short {
		rest = text("CASE WHEN ", minutes, " % 60 = 0 THEN '' ELSE ", rest, " END")
	}
	return text("printf('%+03d', ", minutes, " // 60) || ", rest)
}
