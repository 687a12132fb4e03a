package clickhouse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// GivenTable is a table whose rows are given. A row is a JSON object of columns; a column that it leaves out is NULL, or the
// default of a type without NULL.
type GivenTable struct {
	Name string
	Rows []json.RawMessage
}

// GivenRows makes statements read given rows instead of tables: each table that the SQL names becomes a common table
// expression of the same columns. It is not safe for concurrent use.
type GivenRows struct {
	engine *Engine
	// columns are the columns of the tables on the server.
	columns map[string][]column
}

// NewGivenRows returns what makes statements of the engine read given rows.
func NewGivenRows(engine *Engine) *GivenRows {
	return &GivenRows{engine: engine, columns: make(map[string][]column)}
}

// Prepare returns the statement that reads the given rows. The tables must include all that the SQL reads, or the error names
// one that is missing: no row of a table is ever read.
func (g *GivenRows) Prepare(ctx context.Context, statement sqlq.Statement, tables []GivenTable) (sqlq.Statement, error) {
	query := *statement.Query
	var expressions []string
	for _, given := range tables {
		declared, found := query.Tables.Find(given.Name)
		if !found {
			declared = &sqlq.Table{Name: given.Name}
		}
		for _, name := range declared.Names() {
			if !names(query.SQL, name) {
				continue
			}
			expression, err := g.expression(ctx, &query, declared, name, given.Rows)
			if err != nil {
				return statement, err
			}
			expressions = append(expressions, expression)
		}
	}
	query.Tables = nil       // no name stands for a table any more
	if query.Series != nil { // its tables are bounded already
		series := *query.Series
		series.Tables, query.Series = nil, &series
	}
	if len(expressions) > 0 {
		query.SQL = sqltext.Rewrite(query.SQL, sqltext.HideTables(Dialect{}, query.SQL, expressions...)).Text
	}
	statement.Query = &query
	return statement, g.check(ctx, statement)
}

// check returns an error if a statement reads a table.
func (g *GivenRows) check(ctx context.Context, statement sqlq.Statement) error {
	query := statement.Query
	rows, err := g.engine.texts(ctx, g.engine.config.settings(query), parameters(statement), "EXPLAIN QUERY TREE\n"+query.SQL)
	if err != nil {
		return g.engine.compileError(query, err)
	}
	for _, row := range rows {
		if read := regexp.MustCompile(`^\s*TABLE id: .*table_name: (\S+)`).FindStringSubmatch(row[0]); read != nil {
			_, name, _ := strings.Cut(strings.TrimSuffix(read[1], ","), ".")
			if strings.HasPrefix(read[1], "system.one") {
				continue
			}
			return fmt.Errorf("%s reads the table %s, whose rows the case does not give; give them under tables", query.SQLFile, name)
		}
	}
	return nil
}

// expression returns the common table expression of a table's given rows.
func (g *GivenRows) expression(ctx context.Context, query *sqlq.SavedQuery, table *sqlq.Table, name string, rows []json.RawMessage) (string, error) {
	columns, err := g.columnsOf(ctx, table)
	if err != nil {
		return "", err
	}
	var structure []string
	types := make(map[string]*valueType, len(columns))
	for _, column := range columns {
		structure = append(structure, quoteName(column.name)+" "+column.kind)
		if types[column.name], err = parseType(column.kind); err != nil {
			return "", err
		}
	}
	var data bytes.Buffer
	for _, row := range rows {
		if err := appendRow(&data, table.Name, types, row); err != nil {
			return "", err
		}
	}
	from := fmt.Sprintf("format(JSONEachRow, %s, %s)", quoteText(strings.Join(structure, ", ")), quoteText(data.String()))
	if len(rows) == 0 {
		from = fmt.Sprintf("null(%s)", quoteText(strings.Join(structure, ", ")))
	}
	where := ""
	if query.Series != nil && slices.ContainsFunc(query.Series.Tables, func(other string) bool { return strings.EqualFold(other, name) }) {
		where = " WHERE " + boundsOf("timestamp")
	}
	return fmt.Sprintf("%s AS (SELECT * FROM %s%s)", quoteName(name), from, where), nil
}

// columnsOf returns the columns of a table.
func (g *GivenRows) columnsOf(ctx context.Context, table *sqlq.Table) ([]column, error) {
	if columns, found := g.columns[table.Name]; found {
		return columns, nil
	}
	mapping := g.engine.mappingOf(table)
	from, list := g.engine.qualified(mapping.Name(table.Name)), "*"
	if mapping != nil {
		list = g.engine.selectList(table, mapping)
	}
	query := &sqlq.SavedQuery{Name: "test"}
	columns, err := g.engine.describe(ctx, query, sqlq.Statement{Query: query, Now: g.engine.config.Clock()}, fmt.Sprintf("(SELECT %s FROM %s)", list, from))
	if err != nil {
		return nil, g.engine.config.setupError(fmt.Errorf("read the columns of %s: %w", table.Name, err))
	}
	g.columns[table.Name] = columns
	return columns, nil
}

// appendRow appends a row as ClickHouse reads it.
func appendRow(data *bytes.Buffer, table string, types map[string]*valueType, row json.RawMessage) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(row, &values); err != nil {
		return fmt.Errorf("a row of %s is not an object: %w", table, err)
	}
	written := make(map[string]json.RawMessage, len(values))
	for name, value := range values {
		kind, found := types[name]
		if !found {
			return fmt.Errorf("%s has no column %s in ClickHouse", table, name)
		}
		if string(value) == "null" && !kind.nullable {
			continue // the default of the type, as in a row that leaves the column out
		}
		converted, err := givenValue(kind, value)
		if err != nil {
			return fmt.Errorf("column %s of %s: %w", name, table, err)
		}
		written[name] = converted
	}
	line, err := json.Marshal(written)
	if err != nil {
		return err
	}
	data.Write(line)
	data.WriteByte('\n')
	return nil
}

// errGivenTime means that a value is not a time.
var errGivenTime = errors.New("must be a time such as 2026-11-20T12:00:00Z")

// givenValue returns a value of a row as ClickHouse reads it in JSON: an object as JSON text, or as a map of paths, and a
// time, which is a text or microseconds since 1970, in UTC.
func givenValue(kind *valueType, value json.RawMessage) (json.RawMessage, error) {
	isNested := value[0] == '{' || value[0] == '['
	switch {
	case string(value) == "null":
		return value, nil
	case kind.name == "String" && isNested:
		return json.Marshal(string(value))
	case kind.name == "Map" && isNested:
		flat := make(map[string]string)
		if err := flatten(flat, "", value); err != nil {
			return nil, err
		}
		return json.Marshal(flat)
	case kind.name == "DateTime64" || kind.name == "DateTime":
		moment, err := givenTime(value)
		if err != nil {
			return nil, err
		}
		layout := "2006-01-02 15:04:05.000000"
		if kind.name == "DateTime" {
			layout = time.DateTime
		}
		return json.Marshal(moment.UTC().Format(layout))
	}
	return value, nil
}

// givenTime reads a time.
func givenTime(value json.RawMessage) (time.Time, error) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return sqlq.ParseTimestamp(text)
	}
	var microseconds int64
	if json.Unmarshal(value, &microseconds) != nil {
		return time.Time{}, errGivenTime
	}
	return time.UnixMicro(microseconds), nil
}

// flatten adds the values of an object under their paths. Of a list, each object adds its own.
func flatten(flat map[string]string, path string, value json.RawMessage) error {
	switch value[0] {
	case '{':
		var members map[string]json.RawMessage
		if err := json.Unmarshal(value, &members); err != nil {
			return err
		}
		for name, member := range members {
			inner := name
			if path != "" {
				inner = path + "." + name
			}
			if err := flatten(flat, inner, member); err != nil {
				return err
			}
		}
	case '[':
		var elements []json.RawMessage
		if err := json.Unmarshal(value, &elements); err != nil {
			return err
		}
		if len(elements) != 1 || elements[0][0] != '{' { // one object is how savedq has an object
			flat[path] = string(value)
			return nil
		}
		return flatten(flat, path, elements[0])
	case '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		flat[path] = text
	default:
		if string(value) != "null" { // a missing key is NULL
			flat[path] = string(value)
		}
	}
	return nil
}

// quoteText returns a text as the SQL has it.
func quoteText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
