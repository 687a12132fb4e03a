package bigquery

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

// boundedSQL returns the SQL of a saved query for the service. Tables of authors are there under all their
// names. For a series, it reads only the rows in the range of the run.
func boundedSQL(query *sqlq.SavedQuery) sqltext.Rewritten {
	dialect := googlesql.Dialect{}
	changes := withoutDots(query)
	named := sqltext.Rewrite(query.SQL, slices.Clone(changes)...).Text
	var bounded, expressions []string
	if query.Series != nil {
		bounded = query.Series.Tables
	}
	for _, name := range bounded {
		table, from := nameInDataset(query.Tables, name)
		expressions = append(expressions, dialect.BoundedTable(table, from))
	}
	for _, table := range query.Tables {
		for _, name := range namesOf(table) {
			_, from := nameInDataset(query.Tables, name)
			isBounded := slices.ContainsFunc(bounded, func(other string) bool {
				return strings.EqualFold(other, name) || name == table.Name && isDotted(table, other)
			})
			if used, _ := usesTable(named, name); used && from != "" && !isBounded {
				expressions = append(expressions, fmt.Sprintf("`%s` AS (SELECT * FROM %s)", name, from))
			}
		}
	}
	if len(expressions) > 0 {
		changes = append(changes, sqltext.HideTables(dialect, query.SQL, expressions...))
	}
	return sqltext.Rewrite(query.SQL, changes...)
}

// nameInDataset returns how SQL names a table, and where its rows are, if that is not a table of that name in
// the dataset of the server.
func nameInDataset(tables sqlq.Tables, name string) (inSQL, from string) {
	isNamed := func(table *sqlq.Table) bool {
		return slices.ContainsFunc(table.Names(), func(other string) bool { return strings.EqualFold(other, name) })
	}
	at := slices.IndexFunc(tables, isNamed) // common table expressions have names in any letter case
	if at < 0 || tables[at].Shipped {
		return name, ""
	}
	table := tables[at]
	if isDotted(table, name) {
		name = table.Name
	}
	switch {
	case table.Warehouse != "":
		from = "`" + table.Warehouse + "`"
	case !strings.EqualFold(name, table.Name):
		from = "`" + table.Name + "`"
	}
	return name, from
}

// isDotted reports whether a name is an alias that has dots, which no common table expression can have.
func isDotted(table *sqlq.Table, name string) bool {
	return strings.Contains(name, ".") && table.HasName(name)
}

// namesOf returns the names of a table that have no dots.
func namesOf(table *sqlq.Table) []string {
	if table.Shipped {
		return []string{table.Name}
	}
	return slices.DeleteFunc(table.Names(), func(name string) bool { return strings.Contains(name, ".") })
}

// tokens returns the tokens of SQL and their offsets, without white space and comments.
func tokens(sql string) iter.Seq2[int, string] {
	dialect := googlesql.Dialect{}
	return func(yield func(int, string) bool) {
		for start := 0; start < len(sql); {
			token := sql[start:][:dialect.TokenLength(sql[start:])]
			if strings.TrimSpace(token) != "" && !dialect.IsComment(token) && !yield(start, token) {
				return
			}
			start += len(token)
		}
	}
}

// withoutDots returns the changes that replace aliases with dots by the names of their tables: in backticks,
// or behind FROM or JOIN.
func withoutDots(query *sqlq.SavedQuery) []sqltext.Change {
	var changes []sqltext.Change
	before, end := "", 0
	for start, token := range tokens(query.SQL) {
		if start < end { // in an alias
			continue
		}
		if strings.HasPrefix(token, "`") || strings.EqualFold(before, "FROM") || strings.EqualFold(before, "JOIN") {
			for _, table := range query.Tables {
				if alias := dottedAt(table, query.SQL[start:], token); alias > 0 {
					end = start + alias
					changes = append(changes, sqltext.Change{Start: start, End: end, Text: "`" + table.Name + "`"})
					break
				}
			}
		}
		before = token
	}
	return changes
}

// dottedAt returns the length of the alias with dots that a text begins with, or 0.
func dottedAt(table *sqlq.Table, text, token string) int {
	if table.Shipped {
		return 0
	}
	for _, alias := range table.Aliases {
		rest, found := strings.CutPrefix(text, alias)
		switch {
		case !strings.Contains(alias, "."):
		case token == "`"+alias+"`":
			return len(token)
		case found && (rest == "" || rest[0] != '.' && rest[0] != '-' && sqltext.NameLength(rest) == 0):
			return len(alias)
		}
	}
	return 0
}

// nameOf returns the name of a table on the service.
func (e *Engine) nameOf(table *sqlq.Table) string {
	return cmp.Or(table.Warehouse, e.config.datasetName()+"."+table.Name)
}

// columnsOf returns the columns of a table. Reading them costs nothing.
func (e *Engine) columnsOf(ctx context.Context, table *sqlq.Table) ([]*rest.TableFieldSchema, error) {
	name := e.nameOf(table)
	found := e.client.Dataset(e.config.Dataset).Table(table.Name)
	if table.Warehouse != "" {
		project, id := e.config.Project, name[strings.LastIndex(name, ".")+1:]
		dataset := strings.TrimSuffix(name, "."+id)
		if at := strings.LastIndex(dataset, "."); at >= 0 {
			project, dataset = dataset[:at], dataset[at+1:]
		}
		found = e.client.DatasetInProject(project, dataset).Table(id)
	}
	metadata, err := found.Metadata(ctx)
	if err != nil {
		return nil, e.config.setupError(fmt.Errorf("read the columns of %s: %w", name, err))
	}
	fields, err := fieldsOf(metadata.Schema)
	if err != nil {
		return nil, fmt.Errorf("read the columns of %s: %w", name, err)
	}
	return fields, nil
}

// CheckColumns compares the columns of the tables of authors with those on the service. It returns columns
// that are missing there, or have another type, and tables that do not exist.
func (e *Engine) CheckColumns(ctx context.Context, tables sqlq.Tables) (sqlq.FileErrors, error) {
	var mistakes sqlq.FileErrors
	for _, table := range tables {
		if table.Shipped {
			continue
		}
		name := e.nameOf(table)
		fields, err := e.columnsOf(ctx, table)
		if failure, _ := failureOf(err); failure.status == http.StatusNotFound {
			mistakes = append(mistakes, table.Place.Mistakef("BigQuery has no table or view %s; create it, or name another one with the key bigquery", name))
			continue
		}
		if err != nil {
			return nil, err
		}
		mistakes = append(mistakes, compareColumns(table, name, fields)...)
	}
	return mistakes, nil
}

// compareColumns compares the columns of a table with those on the service.
func compareColumns(table *sqlq.Table, name string, fields []*rest.TableFieldSchema) sqlq.FileErrors {
	var mistakes sqlq.FileErrors
	for _, column := range table.Columns() {
		place := column.Place
		if place.Line == 0 { // of D23, which table.yaml does not name
			place = table.Place
		}
		at := slices.IndexFunc(fields, func(field *rest.TableFieldSchema) bool { return strings.EqualFold(field.Name, column.Name) })
		if at < 0 {
			mistakes = append(mistakes, place.Mistakef("the table %s on BigQuery has no column %s", name, column.Name))
			continue
		}
		if actual := plannedColumn(fields[at]); !column.IsMetadata && !holdsValues(column.Type, actual) {
			mistakes = append(mistakes, place.Mistakef("the column %s of %s on BigQuery has the type %s, not %s", column.Name, name, actual.Type, column.Type))
		}
	}
	return mistakes
}

// holdsValues reports whether a declared type can hold the values of a column.
func holdsValues(declared sqlq.Type, column sqlq.PlannedColumn) bool {
	if declared.IsArray() || column.Element != nil {
		return declared.IsArray() && column.Element != nil && holds(declared.Innermost(), *column.Element, true)
	}
	return holds(declared, column, false)
}
