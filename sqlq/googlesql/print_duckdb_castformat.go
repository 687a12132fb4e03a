package googlesql

import "strings"

// castFormat writes CAST(x AS type FORMAT format).
func (p *printer) castFormat(n *cast) fragment {
	size := sizeOfEach
	zone := n.zone
	if zone.node == nil {
		utc := &literal{n.at, stringKind, "UTC"}
		zone = value{typ: scalar(stringKind), node: newConstant(utc), at: n.at, constant: utc}
	}
	var build func(of value) fragment
	switch {
	case n.to.is(dateKind, datetimeKind, timeKind, timestampKind):
		size = noSize
		build = func(of value) fragment { return p.timeRead(n, of, zone) }
	case n.of.typ.isNumeric():
		size = sizeOfFormatted(n.format)
		build = func(of value) fragment { return p.formattedNumber(newNumberFormat(n.format), of) }
	case n.to.is(bytesKind):
		build = func(of value) fragment { return textAsBytes(n.format, of) }
	case n.of.typ.is(bytesKind):
		size = sizeTimes(8)
		build = func(of value) fragment { return bytesAsText(n.format, of) }
	default:
		size = sizeOfFormatted(n.format)
		build = func(of value) fragment { return formattedTime(n.format, of, zone) }
	}
	return p.limited(n.at, "CAST", []value{n.of}, size, func(args []value) fragment {
		if n.safe {
			return p.tried(args, func(args []value) fragment { return build(args[0]) })
		}
		return build(args[0])
	})
}

// sizeOfFormatted is the bytes that a format makes: no element makes more than three times its letters.
func sizeOfFormatted(format *literal) func([]value) fragment {
	longest := value{typ: scalar(stringKind), constant: &literal{text: strings.Repeat(" ", 3*len(format.text))}}
	return func([]value) fragment { return sizeOfEach([]value{longest}) }
}

// formattedTime writes a time with a format. All its parts are computed of the local time in a zone.
func formattedTime(format *literal, of, zone value) fragment {
	local, offset := of, writtenValue(scalar(int64Kind), of.at, "0")
	switch {
	case of.typ.is(timeKind):
		local = of.as(text("(DATE '1970-01-01' + ", of, ")"))
	case of.typ.is(timestampKind):
		local = of.as(toLocal(zone, of.node))
		offset = offset.as(text("date_diff('minute', ", of, ", ", local, ")"))
	}
	parts := each(formatSteps(format, of.typ), func(_ int, step formatStep) fragment {
		switch {
		case step.element == nil:
			return plain(quoteText(step.text))
		case step.element.hasLetters:
			return inCase(step.text, template(step.element.sql, local, offset))
		}
		return template(step.element.sql, local, offset)
	})
	if len(parts) == 0 {
		return text("CASE WHEN ", of, " IS NOT NULL THEN '' END")
	}
	return text("CASE WHEN ", of, " IS NOT NULL THEN ", joined(parts, scalar(stringKind)), " END")
}

// inCase gives a text the letters of an element: all in upper case, the first one, or none. An element such as AM has the
// letters of its first.
func inCase(element string, sql fragment) fragment {
	switch isUpper := strings.ToUpper(element) == element; {
	case element[:1] == strings.ToLower(element[:1]):
		return text("lower(", sql, ")")
	case isUpper || strings.ToUpper(element[:2]) == element[:2], strings.HasSuffix(strings.ToUpper(element), "M"), strings.Contains(element, "."):
		return text("upper(", sql, ")")
	}
	return sql // names of days and months begin with an upper case letter
}

// bytesAsText writes bytes in a base, or reads them as characters.
func bytesAsText(format *literal, of value) fragment {
	switch strings.ToUpper(format.text) {
	case "HEX", "BASE16":
		return text("lower(hex(", of, "))")
	case "BASE64":
		return text("to_base64(", of, ")")
	case "BASE2":
		return text("CASE WHEN octet_length(", of, ") = 0 THEN '' ELSE CAST(CAST(", of, " AS BIT) AS VARCHAR) END")
	case "ASCII":
		return text("CASE WHEN regexp_full_match(hex(", of, "), '([0-7].)*') THEN decode(", of, ") WHEN ", of, " IS NOT NULL THEN ", raise("The bytes are not ASCII"), " END")
	}
	return text("CASE WHEN encode(valid_text(", of, ")) = ", of, " THEN valid_text(", of, ") WHEN ", of, " IS NOT NULL THEN ", raise("The bytes are not UTF-8"), " END")
}

// textAsBytes is the opposite of [bytesAsText].
func textAsBytes(format *literal, of value) fragment {
	checked := func(pattern, sql string) fragment {
		return template("CASE WHEN regexp_full_match({0}, "+quoteText(pattern)+") THEN "+sql+" WHEN {0} IS NOT NULL THEN {!The text does not have the format} END", of)
	}
	switch strings.ToUpper(format.text) {
	case "HEX", "BASE16":
		return checked("[0-9a-fA-F]*", "unhex({0})")
	case "BASE64":
		return text("from_base64(", of, ")")
	case "ASCII":
		return checked(`[\x00-\x7f]*`, "encode({0})")
	}
	return text("encode(", of, ")")
}
