package googlesql

import (
	"regexp"
	"strings"
)

// limits are the most parts that a query may have.
type limits struct {
	// depth is how deep expressions and queries are nested.
	depth int
	// queries, joins and operators are how many there are in all, and height is how high the tree of an expression is;
	// zero means any number.
	queries, joins, operators, height int
}

// savedLimits returns the limits of a saved query.
func savedLimits() limits { return limits{depth: 200} }

// parser reads tokens from left to right. It fails by a panic with an [*Error].
type parser struct {
	tokens []token
	at     int
	limits limits
	// depth is the nesting of the current token. The others count what was read before it.
	depth, queries, joins, operators int
	// heights holds the height of each measured expression.
	heights map[expression]int
	// ranges holds where expressions are that stand between other words; nil if nobody asks.
	ranges map[expression]textRange
}

// textRange is the part of a text from an offset to another one.
type textRange struct{ start, end int }

// ranged records where an expression is that begins at a token, without brackets around it.
func (p *parser) ranged(begin int, x expression) expression {
	if _, known := p.ranges[x]; p.ranges != nil && !known {
		p.ranges[x] = textRange{p.tokens[begin].start, p.tokens[p.at-1].end}
	}
	return x
}

// parse returns the one query of a text.
func parse(text string) *query { return parseTokens(scan(text), savedLimits()) }

func parseTokens(tokens []token, limits limits) *query {
	return newParser(tokens, limits).whole()
}

func newParser(tokens []token, limits limits) *parser {
	return &parser{tokens: tokens, limits: limits, heights: make(map[expression]int)}
}

// whole reads the one query of a text.
func (p *parser) whole() *query {
	if p.token().kind == endToken {
		fail(0, "there is no SQL")
	}
	if t := p.token(); !t.is("SELECT") && !t.is("WITH") && !t.is("(") && !t.is("FROM") {
		fail(t.start, "the SQL must be one SELECT, so it begins with SELECT or WITH")
	}
	q := p.query()
	for p.accept(";") {
	}
	if t := p.token(); t.kind != endToken {
		if p.at > 0 && p.tokens[p.at-1].is(";") {
			fail(t.start, "the SQL must be one statement; remove what follows the semicolon")
		}
		p.unexpected("the end of the query")
	}
	return q
}

func (p *parser) token() token { return p.tokens[p.at] }

// here is the place of the next token.
func (p *parser) here() place { return place(p.token().start) }

// ahead returns the n-th token behind the next.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.token()
	if t.kind != endToken {
		p.at++
	}
	return t
}

// accept skips keywords or symbols if they are next.
func (p *parser) accept(words ...string) bool {
	for i, word := range words {
		if !p.ahead(i).is(word) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) expect(words ...string) token {
	t := p.token()
	for _, word := range words {
		if !p.accept(word) {
			p.unexpected(word)
		}
	}
	return t
}

// acceptAny skips one of several keywords, and returns it.
func (p *parser) acceptAny(words ...string) (string, bool) {
	for _, word := range words {
		if p.accept(word) {
			return word, true
		}
	}
	return "", false
}

// expectAny skips one of several keywords, and returns it.
func (p *parser) expectAny(what string, words ...string) string {
	word, ok := p.acceptAny(words...)
	if !ok {
		p.unexpected(what)
	}
	return word
}

// unexpected fails because another token should be next.
func (p *parser) unexpected(expected string) {
	t, instead := p.token(), p.otherDialect()
	switch {
	case t.kind == endToken:
		fail(t.start, "the SQL ends where %s is expected%s", expected, instead)
	case t.kind == stringToken || t.kind == bytesToken:
		fail(t.start, "a string is not expected here, but %s%s", expected, instead)
	case t.kind == nameToken && IsReserved(t.upper) && expected == "a name":
		fail(t.start, "%s is a keyword; put it in backticks to use it as a name", t.text)
	}
	fail(t.start, "%q is not expected here, but %s%s", t.text, expected, instead)
}

// otherDialect returns what GoogleSQL has instead of a word of other dialects that is next, or was read as an alias.
func (p *parser) otherDialect() string {
	t, before := p.token(), p.tokens[max(p.at-1, 0)]
	for _, instead := range []struct{ word, sql string }{
		{"%", "MOD(a, b)"},
		{"MOD", "MOD(a, b)"},
		{"DIV", "DIV(a, b)"},
		{"ILIKE", "LOWER(x) LIKE '…'"},
		{"~", "REGEXP_CONTAINS(x, r'…')"},
		{"RLIKE", "REGEXP_CONTAINS(x, r'…')"},
		{"REGEXP", "REGEXP_CONTAINS(x, r'…')"},
		{"FILTER", "COUNTIF(condition), or IF(condition, x, NULL) in the aggregate"},
		{"SEMI", "WHERE x IN (SELECT …)"},
		{"ANTI", "WHERE NOT EXISTS (SELECT …)"},
		{"TOP", "LIMIT at the end"},
		{">", "JSON_VALUE(x, '$.name')"}, // for ->>
	} {
		if t.is(instead.word) || before.kind == nameToken && before.is(instead.word) {
			return "; write " + instead.sql
		}
	}
	return ""
}

// enter limits the depth; what it returns leaves it.
func (p *parser) enter() func() {
	if p.depth++; p.depth > p.limits.depth {
		fail(p.token().start, "the SQL is nested too deeply: at most %d levels", p.limits.depth)
	}
	return func() { p.depth-- }
}

// limit counts a part at an offset, and fails if there are more than the limit.
func limit[P ~int](parts *int, most int, what string, at P) {
	if *parts++; most > 0 && *parts > most {
		fail(at, "the SQL has too many %s: at most %d", what, most)
	}
}

// QuoteName returns a name as SQL has it, in backticks if it needs them.
func QuoteName(name string) string {
	if regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name) && !IsReserved(strings.ToUpper(name)) {
		return name
	}
	return inBackticks(name)
}

// inBackticks returns a name as a quoted token has it.
func inBackticks(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`", "\n", `\n`, "\r", `\r`).Replace(name) + "`"
}

// IsReserved reports whether a word in upper case cannot be a name without backticks.
func IsReserved(word string) bool {
	return strings.Contains(reserved, " "+word+" ")
}

const reserved = " ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS " +
	"CUBE CURRENT DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE " +
	"FETCH FOLLOWING FOR FROM FULL GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT " +
	"INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP MERGE NATURAL NEW NO NOT NULL NULLS OF ON OR " +
	"ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE RECURSIVE RESPECT RIGHT ROLLUP ROWS SELECT " +
	"SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN WHERE WINDOW WITH " +
	"WITHIN "

func isName(t token) bool {
	return t.kind == quotedToken || t.kind == nameToken && !IsReserved(t.upper)
}

// name reads a name.
func (p *parser) name() name {
	if !isName(p.token()) {
		p.unexpected("a name")
	}
	return p.nameAfterDot()
}

// nameAfterDot reads a name, which can be a keyword there.
func (p *parser) nameAfterDot() name {
	t := p.token()
	if !t.mayBeName() {
		p.unexpected("a name")
	}
	p.next()
	return name{place(t.start), t.text}
}

// alias reads the name behind AS, or one on its own if it cannot be anything else.
func (p *parser) alias() string {
	if p.accept("AS") || isName(p.token()) {
		return p.name().text
	}
	return ""
}

// commas reads parts with commas between them.
func commas[T any](p *parser, part func() T) []T {
	parts := []T{part()}
	for p.accept(",") {
		parts = append(parts, part())
	}
	return parts
}

// brackets reads a part in brackets.
func brackets[T any](p *parser, part func() T) T {
	p.expect("(")
	inner := part()
	p.expect(")")
	return inner
}

// listed reads parts in brackets, with commas between them.
func listed[T any](p *parser, part func() T) []T {
	return brackets(p, func() []T { return commas(p, part) })
}

func (p *parser) expressions() []expression { return commas(p, p.expression) }
