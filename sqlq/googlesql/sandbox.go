package googlesql

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"savedq/sqlq"
)

// MostSandboxBytes is the most that the SQL of a caller may have.
const MostSandboxBytes = 32 << 10

// sandboxLimits returns the limits of callers' SQL.
func sandboxLimits() limits {
	return limits{depth: 60, queries: 40, joins: 40, operators: 800, height: 60}
}

// Sandbox is a saved query whose WITH clauses callers can read with SQL of their own (D40).
type Sandbox struct {
	saved string
	query *query
	// clauses are the WITH clauses that the query begins with.
	clauses []commonTable
	env     Environment
}

// SandboxedQuery is the SQL of a caller behind the WITH clauses that it reads.
type SandboxedQuery struct {
	// SQL is in GoogleSQL. All texts of a caller that differ in spaces and comments only have the same.
	SQL string
	// From is the offset in SQL from which on it is the caller's.
	From int
	// Columns have names and types.
	Columns []sqlq.Column
	// Params are the names of the parameters in SQL.
	Params []string
	// Origins say where the parts of SQL are from in the caller's text.
	Origins []sqlq.Origin
	// resolver and relation are what SQL was resolved to.
	resolver *resolver
	relation *relation
}

// NewSandbox returns the sandbox of a saved query. The error is an [*Error] at a place of its text.
func NewSandbox(saved string, env Environment) (_ *Sandbox, err error) {
	defer recoverError(&err)
	s := &Sandbox{saved: saved, query: parse(saved), env: env}
	s.clauses = s.query.clauses()
	switch {
	case len(s.clauses) == 0:
		fail(s.query.behindWith, "sandbox: callers can read the WITH clauses only, and there is none; begin with WITH name AS (SELECT …)")
	case s.query.recursive:
		fail(s.query.offset(), "sandbox: WITH RECURSIVE is not supported")
	}
	return s, nil
}

// Check returns an [*Error] at a place of the saved query's text if callers could read rows that a parameter with a
// scope should exclude: a WITH clause reads a table whose project is not proved to be @project, or does not use one
// of the scoped parameters. An empty project is no parameter.
func (s *Sandbox) Check(project string, scoped []string) (err error) {
	defer recoverError(&err)
	env := s.env
	if project != "" {
		env.guard = &guard{param: project}
	}
	r, _ := resolveText(s.saved, env)
	s.checkReads(r.guard)
	for _, table := range s.clauses {
		begin, end := table.query.place, place(table.end)
		if !slices.ContainsFunc(r.tablesRead, func(offset place) bool { return begin <= offset && offset < end }) {
			continue
		}
		tokens := scan(s.saved[begin:end])
		for _, param := range scoped {
			if !slices.ContainsFunc(tokens, func(t token) bool { return t.kind == paramToken && equalFold(t.text, param) }) {
				fail(table.name.offset(), "sandbox: callers can read all rows of %s, which does not use @%s; filter them here", table.name.text, param)
			}
		}
	}
	return nil
}

// checkReads fails at a table in a WITH clause that is not proved to be filtered.
func (s *Sandbox) checkReads(g *guard) {
	if g == nil {
		return
	}
	for _, read := range g.reads {
		if int(read.place) >= s.query.behindWith || read.proved { // callers' SQL replaces what is behind
			continue
		}
		condition := read.condition(g.param)
		if condition == "" {
			fail(read.place, "sandbox: callers could read rows of every project here, because no column of %s holds the project; leave the table out", read.table.Name)
		}
		fail(read.place, "sandbox: callers could read rows of every project in %s here; add %s to the WHERE of this SELECT, by AND and outside of OR, NOT and CASE", read.table.Name, condition)
	}
}

// clauses returns the WITH clauses that a query begins with.
func (q *query) clauses() []commonTable {
	return slices.DeleteFunc(slices.Clone(q.common), func(table commonTable) bool { return table.isPiped })
}

// Names returns the names of the WITH clauses.
func (s *Sandbox) Names() []string {
	return each(s.clauses, func(_ int, table commonTable) string { return table.name.text })
}

// clause returns the index of a WITH clause; -1 if no clause has the name.
func (s *Sandbox) clause(name string) int {
	return slices.IndexFunc(s.clauses, func(table commonTable) bool { return equalFold(table.name.text, name) })
}

// Query returns the SQL of a caller within the sandbox. The error is an [*Error] at a place of the caller's
// text.
func (s *Sandbox) Query(callers string) (_ *SandboxedQuery, err error) {
	defer recoverError(&err)
	sandboxed := s.assemble(callers)
	r, rel := s.resolve(sandboxed, s.env)
	sandboxed.resolver, sandboxed.relation = r, rel
	sandboxed.Columns = declaredColumns(rel)
	for i, c := range rel.columns { // a value of unknown type is as its sender wrote it
		if c.value.typ.kind == dynamicKind && c.value.typ.shape.isUndecided() {
			sandboxed.Columns[i].Type = sqlq.JSON
		}
	}
	for _, t := range scan(sandboxed.SQL) {
		if t.kind == paramToken && !slices.Contains(sandboxed.Params, t.text) {
			sandboxed.Params = append(sandboxed.Params, t.text)
		}
	}
	sandboxed.atCallersPlace(r.checkDecided)
	return sandboxed, nil
}

// Translate returns SQL in the SQL of DuckDB, as [Translate] does for its columns, with a budget of a row. It must not be
// called again.
func (q *SandboxedQuery) Translate(rowBytes int) (_ *sqlq.Translation, err error) {
	defer recoverError(&err)
	q.resolver.env.Columns = q.Columns
	return q.resolver.translation(q.SQL, q.resolver.declare(q.relation), rowBytes), nil
}

// Undeclared returns the parameters of a caller's SQL that the saved query does not have, with types from their use.
// The error is an [*Error] at a place of the caller's text.
func (s *Sandbox) Undeclared(callers string) (_ []Param, err error) {
	defer recoverError(&err)
	sandboxed, env := s.assemble(callers), s.env
	names := env.addUndeclared(sandboxed.SQL)
	r, _ := s.resolve(sandboxed, env)
	return r.paramsOf(names), nil
}

// assemble returns the SQL of a caller behind the WITH clauses that it reads, without what only names tell.
func (s *Sandbox) assemble(callers string) *SandboxedQuery {
	if len(callers) > MostSandboxBytes {
		fail(0, "the SQL is longer than %d bytes", MostSandboxBytes)
	}
	if !utf8.ValidString(callers) {
		fail(0, "the SQL is not valid UTF-8")
	}
	tokens := scan(callers)
	for i, t := range tokens {
		if i > 0 && (tokens[i-1].is("FROM") || tokens[i-1].is("JOIN")) {
			s.checkTable(t)
		}
		checkToken(t)
	}
	q := parseTokens(tokens, sandboxLimits())
	b := sandboxBuilder{}
	s.appendClauses(&b, tokens)
	from := b.out.Len()
	for _, table := range q.common {
		if slices.ContainsFunc(s.env.Bounded, func(name string) bool { return equalFold(name, table.name.text) }) {
			fail(table.name.place, "a table has the name %s here, so give yours another one", table.name.text)
		}
		if !table.isPiped { // which stays where it is
			b.startClause()
			b.appendTokens(tokens, int(table.name.place), table.end)
		}
	}
	b.out.WriteString("\n")
	b.appendTokens(tokens, q.behindWith, statementEnd(tokens))
	return &SandboxedQuery{SQL: b.out.String(), From: max(from, 1), Origins: b.origins}
}

// checkTable fails with the name to write if a token is another one of a table.
func (s *Sandbox) checkTable(t token) {
	table, found := s.env.table(t.text)
	switch clause := s.clause(table.Name); {
	case t.kind != quotedToken || s.clause(t.text) >= 0:
	case found && clause >= 0:
		fail(t.start, "there is no table %s here; write %s, which has its rows", t.text, s.clauses[clause].name.text)
	case strings.Contains(t.text, "."):
		fail(t.start, "there is no table %s; the tables are %s", t.text, strings.Join(s.Names(), ", "))
	}
}

// resolve finds what the names in the SQL stand for. It fails at a place of the caller's text.
func (s *Sandbox) resolve(sandboxed *SandboxedQuery, env Environment) (r *resolver, rel *relation) {
	env.CallersFrom, env.sandboxed = sandboxed.From, s.Names()
	sandboxed.atCallersPlace(func() { r, rel = resolveText(sandboxed.SQL, env) })
	return r, rel
}

// atCallersPlace calls a function that fails at a place of the SQL, and fails at the caller's place instead.
func (q *SandboxedQuery) atCallersPlace(call func()) {
	defer func() {
		if failure := recover(); failure != nil {
			if mistake, ok := failure.(*Error); ok {
				mistake.Offset = max(0, sqlq.OriginOf(q.Origins, mistake.Offset))
			}
			panic(failure)
		}
	}()
	call()
}

// appendClauses appends the WITH clauses that the tokens of a caller may read, and those that these read.
func (s *Sandbox) appendClauses(b *sandboxBuilder, tokens []token) {
	used := make([]bool, len(s.clauses))
	var use func(tokens []token)
	use = func(tokens []token) {
		for _, t := range tokens {
			i := s.clause(t.text)
			if !t.mayBeName() || i < 0 || used[i] {
				continue
			}
			used[i] = true
			use(scan(s.saved[s.clauses[i].query.offset():s.clauses[i].end]))
		}
	}
	use(tokens)
	for i, table := range s.clauses {
		if used[i] {
			b.startClause()
			b.origins = append(b.origins, sqlq.Origin{At: b.out.Len(), From: -1})
			b.out.WriteString(s.saved[table.name.offset():table.end])
		}
	}
}

func (t token) mayBeName() bool { return t.kind == nameToken || t.kind == quotedToken }

// checkToken fails if a caller must not write a token: names that the engines could read in different
// ways.
func checkToken(t token) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	switch {
	case t.kind == quotedToken && strings.ContainsFunc(t.text, func(r rune) bool { return r < utf8.RuneSelf && !strings.ContainsRune(letters+" -", r) }):
		fail(t.start, "a name can have letters, digits, spaces, dashes and underscores here")
	case t.is("RECURSIVE"):
		fail(t.start, "WITH RECURSIVE is not allowed here")
	case t.kind == paramToken && strings.Trim(t.text, letters) != "":
		fail(t.start, "a parameter has letters, digits and underscores")
	case t.kind == paramToken && equalFold(t.text, sqlq.NowParam):
		fail(t.start, "@now is for the SQL of saved queries; write CURRENT_TIMESTAMP()")
	}
}

// statementEnd returns the offset behind the last token of a statement, without its semicolon.
func statementEnd(tokens []token) int {
	for _, t := range slices.Backward(tokens) {
		if t.kind != endToken && !t.is(";") {
			return t.end
		}
	}
	return 0
}

// sandboxBuilder writes SQL of several origins.
type sandboxBuilder struct {
	out     strings.Builder
	clauses int
	origins []sqlq.Origin
}

// startClause writes what is before a WITH clause.
func (b *sandboxBuilder) startClause() {
	if b.clauses++; b.clauses == 1 {
		b.out.WriteString("WITH ")
	} else {
		b.out.WriteString(",\n")
	}
}

// appendTokens appends the tokens from start to end, without comments and with every string in the same form.
func (b *sandboxBuilder) appendTokens(tokens []token, start, end int) {
	before := start
	for _, t := range tokens {
		if t.start < start || t.end > end || t.kind == endToken {
			continue
		}
		if t.start > before {
			b.out.WriteByte(' ')
		}
		b.origins = append(b.origins, sqlq.Origin{At: b.out.Len(), From: t.start})
		b.out.WriteString(t.canonical())
		before = t.end
	}
}

// canonical returns the token in the one form that all tokens of the same meaning have.
func (t token) canonical() string {
	switch t.kind { //nolint:exhaustive // The others are as they are written.
	case quotedToken:
		return inBackticks(t.text)
	case paramToken:
		return "@" + t.text
	case stringToken:
		return quoteString(t.text)
	case bytesToken:
		return "b" + quoteBytes(t.text)
	}
	return t.text
}

// quoteString returns a string of GoogleSQL.
func quoteString(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\'' || r == '\\':
			out.WriteString("\\" + string(r))
		case r < ' ' || r == 0x7f:
			_, _ = fmt.Fprintf(&out, "\\u%04x", r)
		default:
			out.WriteRune(r)
		}
	}
	return "'" + out.String() + "'"
}

// quoteBytes returns bytes of GoogleSQL, without their prefix.
func quoteBytes(content string) string {
	var out strings.Builder
	for _, c := range []byte(content) {
		_, _ = fmt.Fprintf(&out, "\\x%02x", c)
	}
	return "'" + out.String() + "'"
}
