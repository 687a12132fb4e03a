package googlesql

import (
	"slices"
	"strings"

	"savedq/sqlq"
)

// Rewritten is a query over the table logs, in ClickHouse's SQL for people to read and to keep.
type Rewritten struct {
	SQL string
	// Remarks say where the meaning can differ, in the order of their places.
	Remarks []Remark
}

// Remark is about a place in the text that was rewritten.
type Remark struct {
	// Offset is in bytes.
	Offset  int
	Message string
}

// ForLogsTable returns a query on log sources as one on the table logs(id, timestamp, event_message, severity_text, source,
// log_attributes), where log_attributes is a Map(String, String) with dotted keys. Tables that the environment does not have are log
// sources, too. The error is an [*Error] with the place of a mistake, or of what cannot be written.
//
// Unlike the translation that engines run, which has GoogleSQL's meaning in every case, this one stays close to the text: it keeps
// aliases and clauses, and remarks say what differs.
func ForLogsTable(sql string, env Environment) (_ *Rewritten, err error) {
	defer recoverError(&err)
	env.addUndeclared(sql)
	env.Tables = each(env.Tables, func(_ int, table Table) Table {
		return Table{Name: table.Name, Aliases: table.Aliases, Columns: logColumns(), Fields: table.Fields}
	})
	w := &rewriter{notes: newNotes(), env: &env, shown: make(map[string]bool), columns: make(map[source][]rewrittenColumn)}
	q := parse(sql)
	r := &resolver{env: env, functions: newFunctionTable(), aliases: make(map[string]int), keys: make(map[*selectQuery]*grouping), untypedParams: make(map[string]*shape), notes: w.notes}
	r.rows(q, nil)
	r.checkGroupings()
	w.untyped = r.untypedParams
	w.decide(r.undecided)
	for _, item := range w.notes.unknown {
		if name := item.names[0].text; !slices.Contains(knownSources(), name) {
			w.remark(item.place, name+" is no log source of Supabase that savedq knows, so it is read by this name"+didYouMean(name, append(knownSources(), env.tableNames()...)))
		}
	}
	text, _ := w.query(q, true)
	slices.SortStableFunc(w.remarks, func(a, b Remark) int { return a.Offset - b.Offset })
	return &Rewritten{SQL: text + "\n", Remarks: w.remarks}, nil
}

// notes are what a resolver found out about the parts of a text, for a [rewriter]. A nil one takes no notes.
type notes struct {
	values map[expression]value
	// aliases are the paths that begin with an alias of a SELECT list.
	aliases map[*pathExpr]bool
	// names are what the text calls sources, and items where it reads them.
	names map[source]string
	items map[place]source
	// unknown are the tables that the environment does not have.
	unknown []*tableItem
	// relations are the results of queries.
	relations map[*query]*relation
	bodies    map[*selectQuery]*relation
}

func newNotes() *notes {
	return &notes{
		values: make(map[expression]value), aliases: make(map[*pathExpr]bool), names: make(map[source]string), items: make(map[place]source),
		relations: make(map[*query]*relation), bodies: make(map[*selectQuery]*relation),
	}
}

func (n *notes) expression(x expression, v value, s *scope) {
	if n == nil {
		return
	}
	n.values[x] = v
	if path, ok := x.(*pathExpr); ok {
		n.aliases[path] = s.isAlias(path)
	}
}

func (n *notes) source(item fromItem, of source, name string) {
	if n != nil {
		n.names[of], n.items[item.offset()] = name, of
	}
}

func (n *notes) query(q *query, rel *relation) {
	if n != nil {
		n.relations[q] = rel
	}
}

func (n *notes) selected(q *selectQuery, rel *relation) {
	if n != nil {
		n.bodies[q] = rel
	}
}

// isAlias reports whether a path begins with an alias of a SELECT list, as [scope.resolve] finds it.
func (s *scope) isAlias(path *pathExpr) bool {
	head := path.names[0].text
	for level := s; level != nil; level = level.outer {
		if !level.hidden && slices.ContainsFunc(level.aliases, func(alias column) bool { return equalFold(alias.name, head) }) {
			return true
		}
		if candidates, _ := level.candidates(head); level.variable(head) != nil || len(candidates) > 0 {
			return false
		}
	}
	return false
}

// rewriter writes a query as it is written, with the names, types and places that a resolver found.
type rewriter struct {
	notes *notes
	env   *Environment
	// common are the WITH queries that can be read, the last one first found.
	common []rewrittenTable
	// columns has the columns of the subqueries of FROM clauses.
	columns map[source][]rewrittenColumn
	// selects are the queries around what is written, the inner one last.
	selects []*rewrittenSelect
	untyped map[string]*shape
	remarks []Remark
	shown   map[string]bool
}

// rewrittenTable is a WITH query under the name that it is declared by.
type rewrittenTable struct {
	name    string
	columns []rewrittenColumn
}

// rewrittenColumn is a column of a query, with what is written for it.
type rewrittenColumn struct {
	name string
	of   flat
}

// rewrittenSelect is a SELECT that is being written.
type rewrittenSelect struct {
	// columns are those that are written so far. ClickHouse reads an alias of a SELECT list wherever its name stands.
	columns []rewrittenColumn
	// aliases are the names of all columns that are no plain columns of a source with the same name.
	aliases []string
	// own is the alias of the column that is being written; empty elsewhere.
	own string
	// hasGroups means that no group is without rows.
	hasGroups bool
	// text is what is written.
	text string
	// sources are what FROM reads, and outer those of them of which an outer join can have no row.
	sources, outer []source
	// logs are the log sources, and whereOf the names by which WHERE chooses their rows; empty for those that FROM chooses.
	logs    []source
	whereOf []string
	// conditions has the conditions of joins with arrays of metadata.
	conditions []string
}

// remark adds a remark, once.
func (w *rewriter) remark(at place, message string) {
	if !w.shown[message] {
		w.shown[message] = true
		w.remarks = append(w.remarks, Remark{int(at), message})
	}
}

// logColumns are the columns that log sources have in the text.
func logColumns() []TableColumn {
	return []TableColumn{
		{Name: "id", Type: sqlq.String},
		{Name: "timestamp", Type: sqlq.Timestamp},
		{Name: "event_message", Type: sqlq.String},
		{Name: "metadata", Type: sqlq.JSON, IsMetadata: true},
	}
}

// knownSources are the log sources of Supabase.
func knownSources() []string {
	return []string{
		"auth_audit_logs", "auth_logs", "edge_logs", "etl_replication_logs", "function_edge_logs", "function_logs", "multigres_logs", "pg_cron_logs",
		"pg_upgrade_logs", "pgbouncer_logs", "postgres_logs", "postgrest_logs", "realtime_logs", "storage_logs", "supavisor_logs",
	}
}

// logSource returns a table that the environment does not have as a log source, for notes; else it reports false.
func (n *notes) logSource(item *tableItem) (Table, bool) {
	if n == nil || len(item.names) != 1 {
		return Table{}, false
	}
	n.unknown = append(n.unknown, item)
	return Table{Name: item.names[0].text, Columns: logColumns()}, true
}

// decide gives the fields that no use of them gives a type, and that usually hold numbers, the type of a number. Others are texts where
// they have an order.
func (w *rewriter) decide(ordered []undecided) {
	for _, v := range w.notes.values {
		if v.dyn == nil || !v.typ.shape.isScalar() || !v.typ.shape.isUndecided() {
			continue
		}
		base, steps := w.root(v.dyn)
		if _, isColumn := base.(*reference); isColumn && slices.Contains(usualNumbers(), strings.Join(steps, ".")) {
			v.typ.shape.use(scalar(numberKind))
		}
	}
	for _, v := range ordered {
		if v.shape.isUndecided() {
			w.remark(v.at, "a field is compared as a text where nothing says what it is; write CAST(… AS FLOAT64) if it is a number")
		}
	}
}

// usualNumbers are fields of log sources that senders write as numbers.
func usualNumbers() []string {
	return []string{"response.status_code", "response.origin_time", "execution_time_ms", "duration", "status"}
}
