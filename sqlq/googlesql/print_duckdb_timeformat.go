package googlesql

import "strings"

// formatTime writes a time by a format.
func formatTime(_ *printer, c *call) fragment {
	utc := c.args[1]
	local := utc
	if len(c.args) > 2 {
		local = utc.as(toLocal(c.args[2], utc.node))
	}
	if utc.typ.kind == timeKind {
		local = utc.as(text("(DATE '1970-01-01' + ", utc, ")"))
	}
	var parts []fragment
	var run strings.Builder // what one strftime can write
	flush := func() {
		if run.Len() > 0 {
			parts = append(parts, text("strftime(", local, ", "+quoteText(run.String())+")"))
		}
		run.Reset()
	}
	for _, element := range c.elements() {
		if element[0] != '%' {
			run.WriteString(element)
			continue
		}
		if duck, ok := timeElements[element]; ok {
			run.WriteString(duck.duck)
			continue
		}
		flush()
		switch element {
		case "%z":
			parts = append(parts, offsetText(utc.node, local.node, "", false))
		case "%Ez":
			parts = append(parts, offsetText(utc.node, local.node, ":", false))
		default:
			parts = append(parts, template(composed[element].sql, local, utc))
		}
	}
	flush()
	if len(parts) == 0 {
		return text("CASE WHEN ", utc, " IS NOT NULL THEN '' END")
	}
	return joined(parts, c.typ)
}

// parseTime reads a time by a format. Parts that the format lacks default to the beginning of 1970.
func parseTime(_ *printer, c *call) fragment {
	of, hasYear, hasZone := fragment(c.args[1].node), false, false
	if c.isSinceEpoch() {
		seconds := scalar(int64Kind)
		return template(sinceEpoch("SECONDS", 1_000_000), writtenValue(seconds, c.at, castFromText(of, seconds)))
	}
	var written strings.Builder
	elements := c.elements()
	if len(elements) > 0 && elements[len(elements)-1] == "%Ez" { // which also reads Z, and DuckDB's %z does not
		of = text("regexp_replace(", of, `, '[Zz]$', '+00:00')`)
	}
	for _, element := range elements {
		duck := element
		if element[0] == '%' {
			duck = parsedElement(element).duck
			hasYear = hasYear || strings.ContainsAny(duck, "Yy")
			hasZone = hasZone || duck == "%z"
		}
		written.WriteString(duck)
	}
	format := written.String()
	if !hasYear {
		format, of = "%Y "+format, text("'1970 ' || ", of)
	}
	formats := quoteText(format)
	if strings.Contains(format, "%S.%f") { // the fraction can be missing
		formats = "[" + formats + ", " + quoteText(strings.ReplaceAll(format, "%S.%f", "%S")) + "]"
	}
	sql := text("strptime(", of, ", "+formats+")")
	switch {
	case hasZone:
		sql = inUTC(sql)
	case len(c.args) > 2:
		sql = fromLocal(c.args[2], sql)
	}
	return inYears(text("CAST(", sql, " AS "+c.typ.duck()+")"), c.typ)
}
