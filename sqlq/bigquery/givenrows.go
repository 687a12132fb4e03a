package bigquery

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

// GivenTable is a table whose rows are given. A row is a JSON object of columns as they are
// stored; a column that it leaves out is NULL.
type GivenTable struct {
	Name string
	Rows []json.RawMessage
}

// GivenRows makes statements read given rows instead of the tables of the dataset: each table that
// the SQL names becomes a common table expression of the same columns. It is not safe for
// concurrent use.
type GivenRows struct {
	engine *Engine
	// schemas are the columns of the tables of the dataset.
	schemas map[string][]*rest.TableFieldSchema
}

// NewGivenRows returns what makes statements of the engine read given rows.
func NewGivenRows(engine *Engine) *GivenRows {
	return &GivenRows{engine: engine, schemas: make(map[string][]*rest.TableFieldSchema)}
}

// Prepare returns the statement that reads the given rows. The tables must include all that the
// SQL reads, or the error names one that is missing: no row of the dataset is ever read.
func (g *GivenRows) Prepare(ctx context.Context, statement sqlq.Statement, tables []GivenTable) (sqlq.Statement, error) {
	query := *statement.Query
	query.SQL = sqltext.Rewrite(query.SQL, withoutDots(&query)...).Text
	var expressions []string
	for _, table := range withAliases(query.Tables, tables) {
		used, qualified := usesTable(query.SQL, table.Name)
		if qualified {
			return statement, fmt.Errorf("%s names the table %s with a dataset, so that it cannot have the rows of a case; name it without one", query.SQLFile, table.Name)
		}
		if !used {
			continue
		}
		expression, err := g.expression(ctx, query.Tables, table)
		if err != nil {
			return statement, err
		}
		if query.Series != nil && slices.Contains(query.Series.Tables, table.Name) {
			expressions = append(expressions, googlesql.Dialect{}.BoundedTable(table.Name, expression))
		} else {
			expressions = append(expressions, "`"+table.Name+"` AS "+expression)
		}
	}
	query.Tables = nil       // no name stands for a table any more
	if query.Series != nil { // its tables are bounded already
		series := *query.Series
		series.Tables, query.Series = nil, &series
	}
	if len(expressions) > 0 {
		query.SQL = sqltext.Rewrite(query.SQL, sqltext.HideTables(googlesql.Dialect{}, query.SQL, expressions...)).Text
	}
	planned, err := g.engine.dryRun(ctx, &query)
	if err != nil {
		return statement, err
	}
	if read := planned.statistics.ReferencedTables; len(read) > 0 {
		return statement, fmt.Errorf("%s reads the table %s, whose rows the case does not give; give them under tables", query.SQLFile, read[0].TableID)
	}
	statement.Query = &query
	return statement, nil
}

// withAliases adds the given rows under the aliases of the tables.
func withAliases(tables sqlq.Tables, given []GivenTable) []GivenTable {
	var all []GivenTable
	for _, rows := range given {
		names := []string{rows.Name}
		if table, found := tables.Find(rows.Name); found {
			names = namesOf(table)
		}
		for _, name := range names {
			all = append(all, GivenTable{Name: name, Rows: rows.Rows})
		}
	}
	return all
}

// expression returns a query that returns the rows of a table.
func (g *GivenRows) expression(ctx context.Context, tables sqlq.Tables, table GivenTable) (string, error) {
	declared, found := tables.Find(table.Name)
	if !found {
		declared = &sqlq.Table{Name: table.Name}
	}
	fields, err := g.schema(ctx, declared)
	if err != nil {
		return "", err
	}
	row := &rest.TableFieldSchema{Name: table.Name, Type: "STRUCT", Fields: fields}
	rows := make([]string, len(table.Rows))
	for i, text := range table.Rows {
		if rows[i], err = literal(row, decodeRow(text)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("(SELECT * FROM UNNEST(ARRAY<%s>[%s]))", typeSQL(row), strings.Join(rows, ",\n")), nil
}

// schema returns the columns of a table.
func (g *GivenRows) schema(ctx context.Context, table *sqlq.Table) ([]*rest.TableFieldSchema, error) {
	if fields, ok := g.schemas[table.Name]; ok {
		return fields, nil
	}
	fields, err := g.engine.columnsOf(ctx, table)
	if err != nil {
		return nil, err
	}
	g.schemas[table.Name] = fields
	return fields, nil
}

// usesTable reports whether the SQL names a table, and whether it names it with a dataset.
func usesTable(sql, table string) (used, qualified bool) {
	before := ""
	for _, token := range tokens(sql) {
		name := strings.Trim(token, "`")
		isNamed := strings.EqualFold(name, table)
		used = used || isNamed && before != "."
		qualified = qualified || isNamed && before == "." || strings.HasPrefix(token, "`") && strings.HasSuffix(name, "."+table)
		before = token
	}
	return used || qualified, qualified
}

func decodeRow(text json.RawMessage) any {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return string(text) // cannot happen: the caller encoded it
	}
	return value
}

// typeSQL is the type of a field, as typed literals spell it.
func typeSQL(field *rest.TableFieldSchema) string { return spellType(field, "`") }

// literal returns a value, which is decoded JSON, as a literal of a field's type.
func literal(field *rest.TableFieldSchema, value any) (string, error) {
	if field.Mode == repeated {
		values, ok := value.([]any)
		if !ok && value != nil {
			return "", fmt.Errorf("column %s is a list in BigQuery; the row has another value", field.Name)
		}
		single := *field
		single.Mode = ""
		literals := make([]string, len(values))
		for i, element := range values {
			var err error
			if literals[i], err = literal(&single, element); err != nil {
				return "", err
			}
		}
		return typeSQL(field) + "[" + strings.Join(literals, ", ") + "]", nil
	}
	if value == nil {
		return "NULL", nil
	}
	switch name := scalarName(field); name {
	case "STRUCT":
		return structLiteral(field, value)
	case "JSON":
		text, err := json.Marshal(value)
		return "JSON " + textLiteral(string(text)), err
	case "TIMESTAMP":
		return timestampLiteral(field, value)
	default:
		text, ok := value.(string)
		if !ok {
			encoded, err := json.Marshal(value)
			if err != nil || name == "STRING" || encoded[0] == '{' || encoded[0] == '[' {
				return "", fmt.Errorf("column %s is of type %s in BigQuery; the row has %s", field.Name, name, encoded)
			}
			text = string(encoded)
		}
		if name == "STRING" {
			return textLiteral(text), nil
		}
		return "CAST(" + textLiteral(text) + " AS " + name + ")", nil
	}
}

func structLiteral(field *rest.TableFieldSchema, value any) (string, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return "", fmt.Errorf("column %s is a STRUCT in BigQuery; the row has another value", field.Name)
	}
	for name := range object {
		if !slices.ContainsFunc(field.Fields, func(inner *rest.TableFieldSchema) bool { return inner.Name == name }) {
			return "", fmt.Errorf("%s has no column %s in BigQuery", field.Name, name)
		}
	}
	literals := make([]string, len(field.Fields))
	for i, inner := range field.Fields {
		var err error
		if literals[i], err = literal(inner, object[inner.Name]); err != nil {
			return "", err
		}
	}
	return "STRUCT(" + strings.Join(literals, ", ") + ")", nil
}

// timestampLiteral returns a time, which is a text or microseconds since 1970.
func timestampLiteral(field *rest.TableFieldSchema, value any) (string, error) {
	switch value := value.(type) {
	case string:
		moment, err := sqlq.ParseTimestamp(value)
		if err != nil {
			return "", fmt.Errorf("column %s: %w", field.Name, err)
		}
		return "TIMESTAMP '" + moment.Format("2006-01-02 15:04:05.000000") + "+00'", nil
	case json.Number:
		return "TIMESTAMP_MICROS(" + value.String() + ")", nil
	}
	return "", fmt.Errorf("column %s must be a time such as 2026-11-20T12:00:00Z", field.Name)
}

// textLiteral returns a string. GoogleSQL reads the escapes of JSON.
func textLiteral(text string) string { return string(sqlq.AppendValue(nil, sqlq.String, text)) }
