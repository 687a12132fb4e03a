package googlesql

// orNull is a template of what an expression extracts, or NULL if its group has no part in the match.
func (c *call) orNull(sql string) fragment {
	if parsed, _ := c.pattern(); parsed != nil && isNullable(parsed, false) {
		sql = "nullif(" + sql + ", '')"
	}
	return c.template(sql)
}

// isMatched reports whether functions of savedq find the matches. DuckDB must know the groups of an expression when it plans, and
// does not tell a group that is empty from one without a part in the match.
func (c *call) isMatched() bool {
	parsed, isConstant := c.pattern()
	return !isConstant || parsed != nil && c.name != "REGEXP_EXTRACT_ALL" && canBeMissing(parsed)
}

// regexpExtract reads the group of an expression. DuckDB's result is an empty text where there is no match.
func regexpExtract(_ *printer, c *call) fragment {
	switch isMatched := c.isMatched(); {
	case isMatched && c.name == "REGEXP_EXTRACT_ALL":
		return c.template(`from_json(regexp_all({0}, {1}), '["VARCHAR"]')`)
	case isMatched:
		return c.template("regexp_nth({0}, {1}, 1, 1)")
	case c.name == "REGEXP_EXTRACT_ALL":
		return c.template(c.allMatches("{0}"))
	}
	return c.orNull("CASE WHEN regexp_matches({0}, {1}) THEN regexp_extract({0}, {1}, " + c.group() + ") END")
}

// regexpExtractAt reads the n-th match from a position on.
func regexpExtractAt(_ *printer, c *call) fragment {
	if c.isMatched() {
		return c.template("regexp_nth({0}, {1}, {2}, " + ifElse(len(c.args) > 3, "{3}", "1") + ")")
	}
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
