package googlesql

// zoned returns a time of a zone that is no constant: that of an offset or of a name, which DuckDB knows.
func zoned(zone value, ofOffset func(offset fragment) fragment, ofName func(name fragment) fragment) fragment {
	if zone.constant != nil {
		return ofName(zone.node)
	}
	isOffset := text("regexp_full_match(", zone, ", "+quoteText(offsetSyntax)+")")
	minutes := text("(60 * CAST(regexp_extract(", zone, ", "+quoteText(hoursPattern)+", 1) AS INTEGER) + coalesce(TRY_CAST(regexp_extract(", zone, ", "+quoteText(minutesPattern)+", 1) AS INTEGER), 0))")
	offset := text("to_minutes(CASE WHEN ", minutes, " > "+itoa(int(mostOffset.Minutes()))+" THEN ", raise("a time zone is at most 14 hours from UTC"), " WHEN contains(", zone, ", '-') THEN -", minutes, " ELSE ", minutes, " END)")
	name := text("CASE WHEN ", isOffset, " THEN 'UTC' ELSE ", zone, " END") // DuckDB would look for the offset
	return text("CASE WHEN ", isOffset, " THEN ", ofOffset(offset), " ELSE ", ofName(name), " END")
}

// toLocal returns a time in UTC as the clock of a zone shows it.
func toLocal(zone value, utc fragment) fragment {
	switch offset, ok := zoneOffset(zone); {
	case ok && offset == 0:
		return utc
	case ok:
		return text("(", utc, " + to_minutes("+itoa(int(offset.Minutes()))+"))")
	}
	return zoned(zone,
		func(offset fragment) fragment { return text("(", utc, " + ", offset, ")") },
		func(name fragment) fragment {
			return text("timezone(", name, ", make_timestamptz(epoch_us(", utc, ")))")
		})
}

// inUTC returns a TIMESTAMPTZ as a TIMESTAMP in UTC. Conversions by number take half as long as those with DuckDB's zone UTC.
func inUTC(sql fragment) fragment { return text("make_timestamp(epoch_us(", sql, "))") }

// fromLocal returns the time in UTC of a zone's clock. Of the times that pass twice when a clock is set back, it
// returns the first, as BigQuery does, and not the second as DuckDB. Of those that a clock skips, it returns the one at the offset
// of before.
func fromLocal(zone value, local fragment) fragment {
	switch offset, ok := zoneOffset(zone); {
	case ok && offset == 0:
		return local
	case ok:
		return text("(", local, " - to_minutes("+itoa(int(offset.Minutes()))+"))")
	}
	return zoned(zone,
		func(offset fragment) fragment { return text("(", local, " - ", offset, ")") },
		func(name fragment) fragment {
			return firstInZone(name, local, text("timezone(", name, ", ", local, ")"))
		})
}

// firstInZone returns the first time in UTC at which a zone's clock shows a local time; last is the one that DuckDB takes.
// If the zone was as far from UTC 26 hours before, which is longer than any clock was set back, there is no other. If it
// was not, the first is there if the clock shows the local time at the distance of then. A local time that the clock skips is at
// that distance, too.
func firstInZone(zone, local any, last fragment) fragment {
	before := text("timezone(", zone, ", ", last, " - INTERVAL 26 HOUR) + INTERVAL 26 HOUR")
	first := text("(", last, " - (", before, " - ", local, "))")
	return inUTC(text("CASE WHEN ", before, " = ", local, " THEN ", last,
		" WHEN timezone(", zone, ", ", first, ") = ", local, " OR timezone(", zone, ", ", last, ") <> ", local, " THEN ", first, " ELSE ", last, " END"))
}

// fromZone makes a TIMESTAMP of a zone's time.
func fromZone(_ *printer, c *call) fragment {
	local := fragment(c.args[0].node)
	switch c.args[0].typ.kind { //nolint:exhaustive // The other has its type.
	case dateKind:
		local = text("CAST(", local, " AS TIMESTAMP)")
	case stringKind:
		local = castFromText(local, scalar(datetimeKind))
	}
	return inYears(fromLocal(c.args[1], local), c.typ)
}

// localTime converts a TIMESTAMP to a zone's time.
func localTime(_ *printer, c *call) fragment {
	return inYears(text("CAST(", toLocal(c.args[1], c.args[0].node), " AS "+c.typ.duck()+")"), c.typ)
}

// currentIn is the date or the time that a zone's clock shows (D1).
func currentIn(_ *printer, c *call) fragment {
	return text("CAST(", toLocal(c.args[0], plain("CAST($now AS TIMESTAMP)")), " AS "+c.typ.duck()+")")
}

// timeText is the text of a time, of a TIMESTAMP in a zone if one is given.
func timeText(_ *printer, c *call) fragment {
	if len(c.args) < 2 {
		return castToText(c.args[0])
	}
	local := writtenValue(scalar(datetimeKind), c.at, toLocal(c.args[1], c.args[0].node))
	return joined([]fragment{datetimeText(local), offsetText(c.args[0].node, local.node, ":", true)}, c.typ)
}

// offsetText writes how far a local time is from UTC, such as +05:30; minutes of 0 can be left out.
func offsetText(utc, local fragment, colon string, short bool) fragment {
	minutes := text("date_diff('minute', ", utc, ", ", local, ")")
	rest := text("printf('"+colon+"%02d', abs(", minutes, " % 60))")
	if short {
		rest = text("CASE WHEN ", minutes, " % 60 = 0 THEN '' ELSE ", rest, " END")
	}
	return text("CASE WHEN ", minutes, " < 0 THEN '-' ELSE '+' END || printf('%02d', abs(", minutes, ") // 60) || ", rest)
}
