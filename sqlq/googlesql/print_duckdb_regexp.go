package googlesql

// orNull is a template of what an expression extracts, or NULL if its group has no part in the match.
func (c *call) orNull(sql string) fragment {
	if parsed, _ := c.pattern(); parsed != nil && isNullable(parsed, false) {
		sql = "nullif(" + sql + ", '')"
	}
	return c.template(sql)
}

// regexpExtract reads the group of an expression. DuckDB's result is an empty text where there is no match.
func regexpExtract(_ *printer, c *call) fragment {
	if c.name == "REGEXP_EXTRACT_ALL" {
		return c.template(c.allMatches("{0}"))
	}
	return c.orNull("CASE WHEN regexp_matches({0}, {1}) THEN regexp_extract({0}, {1}, " + c.group() + ") END")
}

// regexpExtractAt reads the n-th match from a position on.
func regexpExtractAt(_ *printer, c *call) fragment {
	occurrence := "1"
	if len(c.args) > 3 {
		occurrence = "CASE WHEN {3} < 1 THEN {!The occurrence of REGEXP_EXTRACT begins with 1} ELSE {3} END"
	}
	all := c.allMatches("substr({0}, CASE WHEN {2} < 1 THEN {!The position of REGEXP_EXTRACT begins with 1} ELSE {2} END)")
	return c.orNull("list_extract(CASE WHEN {2} <= greatest(strlen({0}), 1) THEN " + all + " END, " + occurrence + ")")
}

// allMatches is a template of all matches in a text. Behind an empty match at the end of a text, or one that ends there, DuckDB
// finds another one.
func (c *call) allMatches(of string) string {
	all := "regexp_extract_all(" + of + ", {1}, " + c.group() + ")"
	parsed, _ := c.pattern()
	if parsed == nil || !canBeEmpty(parsed) {
		return all
	}
	return "CASE WHEN " + of + " = '' THEN " + all + " ELSE " + all + "[:-2] END"
}
