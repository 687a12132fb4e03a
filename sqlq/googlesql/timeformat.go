package googlesql

import "strings"

// timeElements are the elements of formats that DuckDB has, or that are made of such, by what they are for: d for
// parts of a date, t for parts of a time, both for either.
var timeElements = map[string]struct{ duck, of string }{ //nolint:gochecknoglobals // It is constant.
	"%A": {"%A", "d"}, "%a": {"%a", "d"}, "%B": {"%B", "d"}, "%b": {"%b", "d"}, "%h": {"%b", "d"}, "%d": {"%d", "d"}, "%m": {"%m", "d"},
	"%E4Y": {"%Y", "d"}, "%y": {"%y", "d"}, "%j": {"%j", "d"}, "%D": {"%m/%d/%y", "d"}, "%x": {"%m/%d/%y", "d"},
	"%U": {"%U", "d"}, "%W": {"%W", "d"}, "%V": {"%V", "d"}, "%G": {"%G", "d"}, "%u": {"%u", "d"}, "%w": {"%w", "d"},
	"%H": {"%H", "t"}, "%I": {"%I", "t"}, "%M": {"%M", "t"}, "%S": {"%S", "t"}, "%p": {"%p", "t"}, "%T": {"%H:%M:%S", "t"}, "%X": {"%H:%M:%S", "t"}, "%R": {"%H:%M", "t"},
	"%E3S": {"%S.%g", "t"}, "%E6S": {"%S.%f", "t"}, "%E0S": {"%S", "t"},
	"%%": {"%%", "dt"}, "%n": {"\n", "dt"}, "%t": {"\t", "dt"},
}

// composed are elements that are written by an expression of the time, {0}, which is local, and {1} in UTC.
var composed = map[string]struct{ sql, of string }{ //nolint:gochecknoglobals // It is constant.
	"%Y": {"CAST(year({0}) AS VARCHAR)", "d"}, "%F": {"year({0}) || strftime({0}, '-%m-%d')", "d"}, // without zeros before it
	"%e": {"lpad(strftime({0}, '%-d'), 2, ' ')", "d"}, "%C": {"printf('%02d', year({0}) // 100)", "d"}, "%Q": {"CAST(quarter({0}) AS VARCHAR)", "d"},
	"%g": {"right(strftime({0}, '%G'), 2)", "d"}, "%k": {"lpad(strftime({0}, '%-H'), 2, ' ')", "t"}, "%l": {"lpad(strftime({0}, '%-I'), 2, ' ')", "t"},
	"%P": {"lower(strftime({0}, '%p'))", "t"}, "%E*S": {"rtrim(rtrim(strftime({0}, '%S.%f'), '0'), '.')", "t"},
	"%E1S": {"left(strftime({0}, '%S.%f'), 4)", "t"}, "%E2S": {"left(strftime({0}, '%S.%f'), 5)", "t"}, "%E4S": {"left(strftime({0}, '%S.%f'), 7)", "t"}, "%E5S": {"left(strftime({0}, '%S.%f'), 8)", "t"},
	"%c": {"strftime({0}, '%a %b ') || lpad(strftime({0}, '%-d'), 2, ' ') || strftime({0}, ' %H:%M:%S ') || year({0})", "dt"},
	"%s": {"CAST(epoch_us(date_trunc('second', {1})) // 1000000 AS VARCHAR)", "z"}, "%z": {"", "z"}, "%Ez": {"", "z"}, "%Z": {"'UTC'", "z"},
}

// elements splits a constant format into its elements and the characters between them.
func (c *call) elements() []string {
	constant := c.args[0].constant
	if constant == nil {
		fail(c.args[0].at, "the format of %s must be a constant", c.name)
	}
	var parts []string
	for rest := constant.text; rest != ""; {
		size := 1
		switch {
		case strings.HasPrefix(rest, "%E4Y"), strings.HasPrefix(rest, "%E") && len(rest) > 3 && rest[3] == 'S':
			size = 4
		case strings.HasPrefix(rest, "%E"):
			size = min(3, len(rest))
		case rest[0] == '%':
			size = min(2, len(rest))
		}
		parts, rest = append(parts, rest[:size]), rest[size:]
	}
	return parts
}

// takes fails if an element is not for the type of a function, whose name ends with it.
func (c *call) takes(element, of string) {
	_, typ, _ := strings.Cut(c.name, "_")
	kinds := map[string]string{"DATE": "d", "TIME": "t", "DATETIME": "dt", "TIMESTAMP": "dtz"}[typ]
	if of == "" || !strings.ContainsAny(of, kinds) || of == "dt" && len(kinds) == 1 && element == "%c" {
		fail(c.args[0].at, "%s does not take the element %s", c.name, element)
	}
}

// checkTimeFormat fails for a format that a FORMAT_ function does not take.
func checkTimeFormat(c *call) {
	isZoned := len(c.args) > 2
	if isZoned {
		checkZone(c)
	}
	for _, element := range c.elements() {
		if element[0] != '%' {
			continue
		}
		if known, ok := timeElements[element]; ok {
			c.takes(element, known.of)
			continue
		}
		c.takes(element, composed[element].of)
		if element == "%Z" && isZoned && (c.args[2].constant == nil || !strings.EqualFold(c.args[2].constant.text, "UTC")) {
			fail(c.args[0].at, "%s does not take %%Z with a time zone other than UTC; write %%Ez", c.name)
		}
	}
}

// parsed are the elements of formats that PARSE_ functions take, where FORMAT_ functions take others.
var parsed = map[string]struct{ duck, of string }{ //nolint:gochecknoglobals // It is constant.
	"%Y": {"%Y", "d"}, "%F": {"%Y-%m-%d", "d"}, "%e": {"%d", "d"}, "%k": {"%H", "t"}, "%l": {"%I", "t"}, "%P": {"%p", "t"}, "%c": {"%a %b %d %H:%M:%S %Y", "dt"}, "%z": {"%z", "z"}, "%Ez": {"%z", "z"},
	"%E*S": {"%S.%f", "t"}, "%E3S": {"%S.%f", "t"}, "%E6S": {"%S.%f", "t"},
	"%U": {}, "%W": {}, "%V": {}, "%G": {}, "%u": {}, "%w": {},
}

// checkTimeToParse fails for a format that a PARSE_ function does not take.
func checkTimeToParse(c *call) {
	for _, element := range c.elements() {
		if element[0] == '%' && !c.isSinceEpoch() {
			c.takes(element, parsedElement(element).of)
		}
	}
	if len(c.args) > 2 {
		checkZone(c)
	}
}

// isSinceEpoch reports whether a format is the one of the seconds since 1970, which no other element stands beside.
func (c *call) isSinceEpoch() bool {
	return c.args[0].constant.text == "%s" && c.typ.kind == timestampKind
}

func parsedElement(element string) struct{ duck, of string } {
	if known, ok := parsed[element]; ok {
		return known
	}
	return timeElements[element]
}
