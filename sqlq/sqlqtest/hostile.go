package sqlqtest

import (
	"regexp"
	"strings"

	"savedq/sqlq"
)

// mostCharacters is the max length of the shipped parameters that are plain strings.
const mostCharacters = 256

// hostile are values for a parameter, by what binding does with them.
type hostile struct {
	// accepted reach an engine, rejected never do, and others may.
	accepted, rejected, others []string
}

// hostileTo returns hostile values for a parameter.
func hostileTo(param sqlq.Param) hostile {
	switch {
	case param.Type == sqlq.Timestamp:
		return hostile{accepted: extremeTimes(), rejected: append(invalidTexts(), noTimes()...)}
	case len(param.Allowed) > 0: // a text of any length is one that is not among them
		return hostile{rejected: invalidTexts(), others: append(hostileValues(), longText(1<<20))}
	case param.Type == sqlq.Int64: // some hostile values are numbers
		return hostile{rejected: invalidTexts(), others: append(hostileValues(), longText(1<<20), "-1", "9223372036854775807")}
	case param.Pattern != "":
		return hostile{rejected: append(append(invalidTexts(), hostileValues()...), "5xx\n"), others: []string{"404", "5xx"}}
	case param.Regex:
		values := hostileValues()
		for _, value := range hostileValues() {
			values = append(values, regexp.QuoteMeta(value))
		}
		return hostile{
			accepted: largeExpressions(param.MaxLength),
			rejected: append(invalidTexts(), refusedExpressions(param.MaxLength)...),
			others:   values,
		}
	default:
		return hostile{
			accepted: []string{longText(param.MaxLength)},
			rejected: append(invalidTexts(), longText(param.MaxLength+1)),
			others:   hostileValues(),
		}
	}
}

// hostileValues are parameter values that break an engine which puts a value
// into its SQL, or which reads more in a bound value than a text.
func hostileValues() []string {
	return []string{
		`'`,
		`''`,
		`"`,
		"`",
		`\`,
		`\'`,
		`' OR '1'='1`,
		`' OR 1=1 --`,
		`acme' --`,
		`acme'/*`,
		`*/ acme /*`,
		`'; DROP TABLE edge_logs; --`,
		`"; DROP TABLE function_edge_logs; --`,
		`acme'; DELETE FROM edge_logs WHERE 'a'='a`,
		`acme' UNION ALL SELECT * FROM postgres_logs --`,
		`;`,
		`--`,
		`#`,
		`@project`,
		`@now`,
		`$project`,
		`$1`,
		`?`,
		`:project`,
		`{{project}}`,
		`%`,
		`_`,
		`%s%d%n`,
		`a%me`,
		`NULL`,
		`null`,
		`true`,
		`0`,
		` acme`,
		`acme `,
		"acme\n",
		"acme\x00",
		"\x00",
		"\u202eemca",
		"\ufeffacme",
		"ac\u0301me",
		"🦆",
		"👩🏽‍🚀 acme",
		"日本語",
		strings.Repeat("a", 256),
		strings.Repeat("'", 256),
		strings.Repeat("🦆", 64),
	}
}

// invalidTexts are not UTF-8, which no engine has a text for: a stray byte, an
// encoding that is cut off, one that is too long, and half of a surrogate pair.
func invalidTexts() []string {
	return []string{"\xff", "acme\xff", "acme\xe2\x82", "\xc3(", "\xc0\xaf", "\xed\xa0\x80"}
}

// longText is a text of that many characters, most of which are longer than a byte.
func longText(characters int) string { return strings.Repeat("ä", characters-1) + "'" }

// largeExpressions are as long, and as large, as binding lets a regular expression of
// a caller be.
func largeExpressions(maxLength int) []string {
	const prefix = "acme|"
	return []string{
		prefix + strings.Repeat("x", maxLength-len(prefix)),
		prefix + strings.Repeat("x{1000}", 3),
	}
}

// refusedExpressions are regular expressions that Go takes, but one engine or another
// does not: they are too large, or of a syntax that is younger than RE2.
func refusedExpressions(maxLength int) []string {
	return []string{
		strings.Repeat("x", maxLength+1),
		strings.Repeat("x{0,1000}", 100),
		strings.Repeat(".{1000}", 140),
		`\pL{1000}`,
		`(\PN{100}|acme){5}`,
		`(?<name>acme)`,
		`\p{Letter}`,
		`\P{greek}`,
		`[\p{Cn}a]`,
	}
}

// extremeTimes are timestamps at the ends of what an engine can hold, and such as need
// reading with care (D11).
func extremeTimes() []string {
	return []string{
		"0001-01-01",
		"9999-12-31T23:59:59.999999999Z",
		"2026-03-11T11:58:59.9999999+23:59",
		"2026-03-10 11:59:59 00",
	}
}

// noTimes are no timestamps, though an engine that read them itself might think so.
func noTimes() []string {
	return append(hostileValues(),
		"0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "10000-01-01",
		"2026-02-30", "2026-03-10T24:00:00Z", "2026-03-10T23:59:60Z", "2026-03-10T12:00:00Z ",
		"infinity", "-infinity", "NOW", "now()", "now-1y", "now- 1d", "now-1d' OR 1=1", "now-9999999d", "today", "epoch", "1773144000", "NaN",
		"2026-03-10T12:00:00Z'; DROP TABLE edge_logs; --", "2026-03-10' OR '1'='1", "2026-03-10\x00",
		"２０２６-03-10", "2026-03-10T12:00:00."+strings.Repeat("9", 1<<20),
	)
}
