package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// mapped returns the SQL of a saved query for the server. Tables that the SQL names are common table expressions, with their
// columns under savedq's names. For a series, they have only the rows in the range of the run.
func (e *Engine) mapped(query *sqlq.SavedQuery) sqltext.Rewritten {
	var expressions []string
	var changes []sqltext.Change
	for _, table := range query.Tables {
		if !table.IsSource() && table.ClickHouse == nil {
			continue
		}
		for _, name := range table.Names() {
			isBounded := query.Series != nil && slices.ContainsFunc(query.Series.Tables, func(other string) bool { return strings.EqualFold(other, name) })
			mapping := e.mappingOf(table)
			if names(query.SQL, name) && (mapping != nil || isBounded || name != table.Name) {
				expression := e.expression(table, mapping, name, isBounded)
				if at := ownExpression(query.SQL, name); at > 0 { // it hides the table itself, and reads it
					change := sqltext.HideTables(Dialect{}, query.SQL[at:], expression)
					changes = append(changes, sqltext.Change{Start: change.Start + at, End: change.End + at, Text: change.Text})
					continue
				}
				expressions = append(expressions, expression)
			}
		}
	}
	for _, table := range query.Tables {
		expressions = append(expressions, e.ofTyped(query, table)...)
	}
	if len(expressions) > 0 {
		changes = append([]sqltext.Change{sqltext.HideTables(Dialect{}, query.SQL, expressions...)}, changes...)
	}
	return sqltext.Rewrite(query.SQL, changes...)
}

// ownExpression returns where the query begins in the common table expression of the SQL that has a name; 0 if there is none.
func ownExpression(sql, name string) int {
	var before [2]string
	depth := 0
	for token := range sqltext.Tokens(Dialect{}, sql) {
		if token.Text == "(" {
			if depth == 0 && strings.EqualFold(before[1], "AS") && strings.Trim(before[0], "`\"") == name {
				return token.Start + 1
			}
			depth++
		}
		if token.Text == ")" {
			depth--
		}
		before[0], before[1] = before[1], token.Text
	}
	return 0
}

// mappingOf returns where the rows of a table are; nil means in a table of its name.
func (e *Engine) mappingOf(table *sqlq.Table) *sqlq.ClickHouseTable {
	return Dialect{OTelLogs: e.config.OTelLogs}.mapping(table)
}

// mapping returns where the rows of a table are; nil means in a table of its name.
func (d Dialect) mapping(table *sqlq.Table) *sqlq.ClickHouseTable {
	if table.ClickHouse == nil && table.IsSource() && d.OTelLogs != "" {
		return table.InOTelLogs(d.OTelLogs)
	}
	return table.ClickHouse
}

// expression returns the common table expression of a table under a name.
func (e *Engine) expression(table *sqlq.Table, mapping *sqlq.ClickHouseTable, name string, isBounded bool) string {
	columns, timestamp := "*", "timestamp"
	if mapping != nil {
		columns = e.selectList(table, mapping)
		if written, found := mapping.Expression("timestamp"); found {
			timestamp = written
		}
	}
	var conditions []string
	if mapping != nil && mapping.Where != "" {
		conditions = append(conditions, "("+mapping.Where+")")
	}
	if isBounded {
		conditions = append(conditions, boundsOf("("+timestamp+")"))
	}
	where := ""
	if len(conditions) > 0 {
		where = " WHERE " + strings.Join(conditions, " AND ")
	}
	return fmt.Sprintf("%s AS (SELECT %s FROM %s%s)", quoteName(name), columns, e.qualified(mapping.Name(table.Name)), where)
}

// selectList returns the columns of a table with their expressions.
func (e *Engine) selectList(table *sqlq.Table, mapping *sqlq.ClickHouseTable) string {
	var list []string
	for _, column := range table.Columns() {
		written, found := mapping.Expression(column.Name)
		if !found {
			written = quoteName(column.Name)
		}
		list = append(list, written+" AS "+quoteName(column.Name))
	}
	if len(list) == 0 {
		return "*"
	}
	return strings.Join(list, ", ")
}

// qualified returns the name of a table with its database, so that the expression that hides it is not meant.
func (e *Engine) qualified(name string) string {
	if strings.Contains(name, ".") {
		return quoteTable(name)
	}
	return quoteName(e.database) + "." + quoteName(name)
}

// names reports whether the SQL has a name, with or without quotes, and without a database before it.
func names(sql, name string) bool {
	before := ""
	for token := range sqltext.Tokens(Dialect{}, sql) {
		if before != "." && (token.Text == name || token.Text == "`"+name+"`" || token.Text == `"`+name+`"`) {
			return true
		}
		before = token.Text
	}
	return false
}

// column is a column of a table on the server.
type column struct{ name, kind string }

// describe returns the columns of a query, or of a table, without running it.
func (e *Engine) describe(ctx context.Context, query *sqlq.SavedQuery, statement sqlq.Statement, what string) ([]column, error) {
	settings := e.config.settings(query)
	settings["describe_compact_output"] = 1
	rows, err := e.texts(ctx, settings, parameters(statement), "DESCRIBE TABLE "+what)
	if err != nil {
		return nil, err
	}
	columns := make([]column, len(rows))
	for i, row := range rows {
		if len(row) < 2 {
			return nil, fmt.Errorf("%w: a description of %d columns", errRows, len(row))
		}
		columns[i] = column{name: row[0], kind: row[1]}
	}
	return columns, nil
}

// CheckColumns compares the columns of the tables of authors with those on ClickHouse. It returns columns that are missing
// there, or have another type, and tables that do not exist.
func (e *Engine) CheckColumns(ctx context.Context, tables sqlq.Tables) (sqlq.FileErrors, error) {
	var mistakes sqlq.FileErrors
	for _, table := range tables {
		if table.Shipped || !table.IsSource() && table.ClickHouse == nil {
			continue
		}
		found, err := e.checkColumns(ctx, table)
		if err != nil {
			return nil, err
		}
		mistakes = append(mistakes, found...)
	}
	return mistakes, nil
}

func (e *Engine) checkColumns(ctx context.Context, table *sqlq.Table) (sqlq.FileErrors, error) {
	mapping := e.mappingOf(table)
	place, name := table.Place, mapping.Name(table.Name)
	if mapping != nil {
		place = mapping.Place
	} else {
		mapping = &sqlq.ClickHouseTable{}
	}
	query := &sqlq.SavedQuery{Name: "check"}
	statement := sqlq.Statement{Query: query, Now: e.config.Clock()}
	where := ""
	if mapping.Where != "" {
		where = " WHERE " + mapping.Where
	}
	columns, err := e.describe(ctx, query, statement, fmt.Sprintf("(SELECT %s FROM %s%s)", e.selectList(table, mapping), e.qualified(name), where))
	found, _ := failureOf(err)
	switch {
	case found.code == unknownTable:
		return sqlq.FileErrors{place.Mistakef("ClickHouse has no table or view %s; create it, or name another one under the key clickhouse", name)}, nil
	case err != nil && isMistake(found):
		return sqlq.FileErrors{place.Mistakef("the columns cannot be read from the table %s on ClickHouse: %s", name, withoutScope(found.message))}, nil
	case err != nil:
		return nil, e.config.setupError(err)
	}
	return compareColumns(table, name, columns), nil
}

// compareColumns compares the columns of a table with those on the server.
func compareColumns(table *sqlq.Table, name string, columns []column) sqlq.FileErrors {
	var mistakes sqlq.FileErrors
	for i, declared := range table.Columns() {
		place := declared.Place
		if place.Line == 0 { // of D23, which table.yaml does not name
			place = table.Place
		}
		actual, err := parseType(columns[i].kind)
		switch {
		case err != nil:
			mistakes = append(mistakes, place.Mistakef("the column %s of %s on ClickHouse: %s", declared.Name, name, err))
		case declared.IsMetadata && !slices.Contains([]string{"String", "JSON", "Object", "Map"}, actual.name):
			mistakes = append(mistakes, place.Mistakef("the column metadata of %s on ClickHouse has the type %s, not String, JSON or Map(String, String)", name, actual.text))
		case declared.IsMetadata && (actual.name == "Map") != (table.ClickHouse != nil && table.ClickHouse.HasMap()):
			want := cmp.Or(string(sqlq.MetadataForm(map[bool]string{true: "map", false: "json"}[actual.name == "Map"])), "json")
			mistakes = append(mistakes, place.Mistakef("the column metadata of %s on ClickHouse has the type %s; declare it under the key clickhouse with metadata: %s", name, actual.text, want))
		case !declared.IsMetadata && !holdsValues(declared.Type, actual.planned(declared.Name)):
			mistakes = append(mistakes, place.Mistakef("the column %s of %s on ClickHouse has the type %s, not %s", declared.Name, name, actual.text, declared.Type))
		}
	}
	return mistakes
}

// holdsValues reports whether a declared type can hold the values of a column.
func holdsValues(declared sqlq.Type, column sqlq.PlannedColumn) bool {
	if declared.IsArray() || column.Element != nil {
		return declared.IsArray() && column.Element != nil && holdsValues(declared.Element(), *column.Element)
	}
	return holds(declared, column, false)
}
