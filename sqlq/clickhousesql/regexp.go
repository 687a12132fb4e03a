package clickhousesql

import "regexp/syntax"

// checkRegexp fails for a constant that is no regular expression of RE2, and returns the number of its groups.
func checkRegexp(v *value) int {
	if !v.isString() {
		return 0
	}
	const mostRegexp = 2000
	if len(v.text) > mostRegexp {
		fail(v.place, "a regular expression has at most %d bytes", mostRegexp)
	}
	parsed, err := syntax.Parse(v.text, syntax.Perl)
	if err != nil {
		fail(v.place, "the regular expression is not valid: %s", err.Error())
	}
	return parsed.MaxCap()
}
