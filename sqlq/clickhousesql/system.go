package clickhousesql

import (
	"slices"
	"strconv"
	"strings"
)

// What a server says of itself when clients of ClickHouse connect. The version is the one whose dialect it has.
const (
	defaultDatabase = "default"
	systemDatabase  = "system"
	serverName      = "savedq"
	serverVersion   = "26.5.0.0"
	defaultUser     = "default"
	serverTimezone  = "UTC"
	// Revision is the version of ClickHouse's protocol, which says how results in Native are encoded.
	Revision = 54460
)

// systemTable is a table of the database system. It describes the table logs and the dialect, and nothing of a server: it is a SELECT
// over constants.
type systemTable struct {
	name string
	// sql is a SELECT over the columns that rows have.
	sql     string
	columns []string
	rows    func(env *Environment) [][]string
}

// systemTables are the tables that clients read to find out what they can query.
func systemTables() []systemTable {
	return []systemTable{
		{
			name: "databases",
			sql:  `SELECT name, 'Atomic' AS engine, '' AS data_path, '' AS metadata_path, '' AS uuid, '' AS engine_full, comment`,
			columns: []string{
				"name", "comment",
			},
			rows: func(*Environment) [][]string {
				return [][]string{{defaultDatabase, "Logs of the projects of the token."}}
			},
		},
		{
			name: "tables",
			sql: `SELECT database, name, '' AS uuid, 'View' AS engine, toUInt8(0) AS is_temporary, metadata_path, metadata_path AS create_table_query, metadata_path AS engine_full,
				metadata_path AS as_select, metadata_path AS partition_key, metadata_path AS sorting_key, metadata_path AS primary_key, metadata_path AS sampling_key,
				metadata_path AS storage_policy, CAST(NULL AS Nullable(UInt64)) AS total_rows, CAST(NULL AS Nullable(UInt64)) AS total_bytes, comment, toUInt8(0) AS has_own_data`,
			columns: []string{"database", "name", "metadata_path", "comment"},
			rows: func(*Environment) [][]string {
				return [][]string{{defaultDatabase, LogsTable, "", "The events of all log sources."}}
			},
		},
		{
			name: "columns",
			sql: `SELECT database, table, name, type, toUInt64(number) AS position, '' AS default_kind, '' AS default_expression, '' AS compression_codec, comment,
				toUInt8(0) AS is_in_partition_key, toUInt8(0) AS is_in_sorting_key, toUInt8(0) AS is_in_primary_key, toUInt8(0) AS is_in_sampling_key,
				CAST(NULL AS Nullable(UInt64)) AS character_octet_length, CAST(NULL AS Nullable(UInt64)) AS numeric_precision,
				CAST(NULL AS Nullable(UInt64)) AS numeric_precision_radix, CAST(NULL AS Nullable(UInt64)) AS numeric_scale,
				if(type LIKE 'DateTime64%', toUInt64(6), NULL) AS datetime_precision`,
			columns: []string{"database", "table", "name", "type", "number", "comment"},
			rows: func(env *Environment) [][]string {
				var rows [][]string
				for i, column := range Columns(env.Sources) {
					rows = append(rows, []string{defaultDatabase, LogsTable, column.Name, column.Type, strconv.Itoa(i + 1), column.Doc})
				}
				return rows
			},
		},
		{
			name: "functions",
			sql: `SELECT name, toUInt32(aggregate) AS is_aggregate, toUInt32(folded) AS case_insensitive, alias AS alias_to, '' AS create_query, 'System' AS origin, description, syntax,
				'' AS arguments, '' AS parameters, result AS returned_value, '' AS examples, '' AS introduced_in, category AS categories`,
			columns: []string{"name", "aggregate", "folded", "alias", "description", "syntax", "result", "category"},
			rows:    func(*Environment) [][]string { return functionsOfSystem() },
		},
		{
			name:    "settings",
			sql:     `SELECT name, '' AS value, toUInt8(0) AS changed, '' AS description, toUInt8(1) AS readonly, 'String' AS type`,
			columns: []string{"name"},
			rows:    func(*Environment) [][]string { return nil },
		},
	}
}

func functionsOfSystem() [][]string {
	flag := map[bool]string{true: "1", false: "0"}
	var rows [][]string
	for _, group := range groups() {
		for _, f := range group.rows {
			if f.hidden {
				continue
			}
			entry := FunctionEntry{Constants: f.params, Args: f.args}
			for i, name := range append([]string{f.name}, f.others...) {
				alias := ""
				if i > 0 {
					alias = f.name
				}
				rows = append(rows, []string{name, flag[f.aggregate], flag[f.anyCase], alias, f.doc, name + entry.Signature(), f.result, group.name})
			}
		}
	}
	return rows
}

// system returns the query of a table of the database system.
func (r *resolver) system(item *tableItem) *setQuery {
	tables := systemTables()
	at := slices.IndexFunc(tables, func(table systemTable) bool { return table.name == item.name })
	if at < 0 {
		names := make([]string, len(tables))
		for i, table := range tables {
			names[i] = systemDatabase + "." + table.name
		}
		fail(item.place, "there is no table system.%s; there are %s", item.name, strings.Join(names, ", "))
	}
	table := &tables[at]
	query := parse(table.sql, false).body
	rows := table.rows(r.env)
	if rows == nil {
		rows = [][]string{make([]string, len(table.columns))}
		query.selects[0].where = &constant{kind: numberToken, text: "0"}
	}
	for i, name := range table.columns {
		texts := &callExpr{name: "array"}
		for _, row := range rows {
			texts.args = append(texts.args, &constant{kind: stringToken, text: row[i]})
		}
		query.selects[0].arrays = append(query.selects[0].arrays, namedItem(texts, name))
	}
	return query
}

// namedItem is an expression with a name.
func namedItem(x expression, name string) item {
	return item{x: x, alias: token{kind: quotedToken, text: name}}
}

// described returns the SELECT that SHOW or DESCRIBE stands for; nil for another statement.
func (p *parser) described() *setQuery {
	sql := ""
	switch {
	case p.takes("SHOW", "DATABASES"):
		sql = "SELECT name FROM system.databases WHERE name" + p.likeName() + " ORDER BY name"
	case p.takes("SHOW", "FULL", "TABLES"), p.takes("SHOW", "TABLES"):
		database := defaultDatabase
		if p.takes("FROM") || p.takes("IN") {
			database = p.name("a database").text
		}
		sql = "SELECT name FROM system.tables WHERE database = " + nativeText(database) + " AND name" + p.likeName() + " ORDER BY name"
	case p.takes("DESCRIBE"), p.takes("DESC"):
		p.takes("TABLE")
		p.logsOnly()
		sql = "SELECT name, type, default_kind AS default_type, default_expression, comment, compression_codec AS codec_expression, '' AS ttl_expression FROM system.columns ORDER BY position"
	default:
		return nil
	}
	return parse(sql, false).body
}

// likeName reads the pattern of names, and returns a condition.
func (p *parser) likeName() string {
	operator := " LIKE "
	switch {
	case p.takes("LIKE"):
	case p.takes("ILIKE"):
		operator = " ILIKE "
	default:
		return " LIKE '%'"
	}
	t := p.next()
	if t.kind != stringToken {
		fail(t.start, "expected a pattern such as 'l%%', found %s", t.describe(p.sql))
	}
	return operator + nativeText(t.text)
}

// logsOnly reads the name of the table logs.
func (p *parser) logsOnly() {
	table := p.qualified()
	if table.database != "" && table.database != defaultDatabase || table.name != LogsTable {
		fail(table.place, "there is no description of %s; the table is %s", table.called(), LogsTable)
	}
}

// ofServer resolves a function that asks a server what it is; nil for another one.
func (r *resolver) ofServer(x *callExpr) *value {
	if !r.env.IsClient || len(x.args) > 0 || x.star || x.params != nil {
		return nil
	}
	text := map[string]string{
		"displayname": serverName, "hostname": serverName, "version": serverVersion, "revision": strconv.Itoa(Revision), "timezone": serverTimezone, "servertimezone": serverTimezone,
		"currentdatabase": defaultDatabase, "database": defaultDatabase, "schema": defaultDatabase, "currentuser": defaultUser, "user": defaultUser,
	}[strings.ToLower(x.name)]
	if text == "" {
		return nil
	}
	v := &value{place: x.place, kind: constantValue, typ: stringType(), text: text, isConstant: true}
	if strings.EqualFold(x.name, "revision") {
		v.typ = intType(32, false)
	}
	return r.intern(v)
}

// Statement is a text as a client of ClickHouse sends it.
type Statement struct {
	// SQL is the text without FORMAT at its end, and Format the name behind that; empty without one.
	SQL, Format string
	// Verb is the first word, in capitals; empty if it is no word.
	Verb string
}

// StatementOf splits a text. One that has a mistake stays as it is.
func StatementOf(text string) Statement {
	statement := Statement{SQL: text, Verb: firstWord(text)}
	tokens, err := scanned(text)
	if err != nil { // translating it finds the mistake
		return statement
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].is(";") {
		tokens = tokens[:len(tokens)-1]
	}
	if last := len(tokens) - 1; last > 1 && tokens[last-1].is("FORMAT") && tokens[last].isName() {
		statement.SQL, statement.Format = text[:tokens[last-1].start], tokens[last].text
	}
	return statement
}

// firstWord returns the first word of a text, in capitals; empty if it is no word. What follows can be data.
func firstWord(text string) string {
	var err error
	defer recoverError(&err)
	if at := blankEnd(text, 0); at < len(text) {
		if t := scanToken(text, at); t.kind == nameToken {
			return t.upper
		}
	}
	return ""
}

// scanned returns the tokens of a text without its end.
func scanned(text string) (tokens []token, err error) {
	defer recoverError(&err)
	tokens = scan(text)
	return tokens[:len(tokens)-1], nil
}
