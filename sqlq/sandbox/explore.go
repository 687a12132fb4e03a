package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// ExploreName is the name of the saved query that [Explore] returns, in logs, metrics and usage.
const ExploreName = "explore"

// MostExploredRows is the most rows of SQL that runs over the tables.
const MostExploredRows = 10_000

// Limit is a parameter that excludes rows of tables: those whose project, or whose column of the same name, has
// another value.
type Limit struct {
	Name string
	// IsProject means that the parameter holds the project of a row, wherever the table has it.
	IsProject bool
	// Single means that the parameter is one value; otherwise it is an array.
	Single bool
}

// Explore returns a saved query whose sandbox has all tables, for SQL of a caller (ADR 049), with the parameters of
// that SQL. Each WITH clause has the name of a table, and hides it: it has the rows that the limits allow. Tables
// without a column for each limit are left out. The error is INVALID_ARGUMENT with the place in the caller's text, or
// PERMISSION_DENIED if no table can be read.
func Explore(engine string, tables sqlq.Tables, limits []Limit, callers string) (*sqlq.SavedQuery, error) {
	query := exploring(engine)
	query.Sandboxed = true
	readable, withheld := Readable(tables, limits)
	if len(readable) == 0 {
		return nil, sqlq.Errorf(sqlq.PermissionDenied, "the token is limited to certain values of %s, and no table has that column", namesOf(limits))
	}
	query.Tables = readable
	for _, limit := range limits {
		query.Params = append(query.Params, limit.param(readable))
	}
	clauses := make([]string, 0, len(readable))
	for _, table := range readable {
		clauses = append(clauses, googlesql.QuoteName(table.Name)+" AS (SELECT * FROM "+googlesql.QuoteName(table.Name)+conditions(table, limits)+")")
	}
	query.SQL = "WITH\n" + strings.Join(clauses, ",\n") + "\nSELECT 1 AS one"
	sandbox, err := open(query)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox of all tables: %w", err)
	}
	undeclared, err := sandbox.Undeclared(callers)
	if err != nil {
		return nil, withheldIn(callers, withheld, limits, mistakeIn(callers, err))
	}
	for _, param := range undeclared {
		if !slices.Contains(sqlq.AllParamTypes(), param.Type) {
			return nil, sqlq.ParamErrorf(param.Name, "is used as %s, a type that no parameter has; cast it from a string, as in CAST(@%s AS %[1]s)", param.Type, param.Name)
		}
		query.Params = append(query.Params, sqlq.Param{Name: param.Name, Type: param.Type, Required: true, MaxLength: googlesql.MostSandboxBytes})
	}
	query.Tables = readable.Mentioned(callers) // an engine looks at the files of all of them
	return query, nil
}

// exploring returns what all SQL of callers has in common.
func exploring(engine string) *sqlq.SavedQuery {
	return &sqlq.SavedQuery{ID: uuid.NewSHA1(uuid.Nil, []byte(ExploreName)), Name: ExploreName, MaxRows: MostExploredRows, Engine: engine, SQLFile: ExploreName}
}

// ExploreAsWritten returns a saved query with SQL of a caller in the engine's own dialect, which reads every row of the
// tables. The SQL has compiled to the columns.
func ExploreAsWritten(engine string, tables sqlq.Tables, callers string, params []sqlq.Param, columns []sqlq.Column) *sqlq.SavedQuery {
	query := exploring(engine)
	query.Callers = &sqlq.CallersSQL{Saved: exploring(engine)}
	query.SQL, query.SQLFile, query.Tables = callers, sqlq.SQLParam, tables.Mentioned(callers)
	query.Params, query.Columns = params, columns
	return query
}

// Readable returns the tables that have a column for each limit, and the others.
func Readable(tables sqlq.Tables, limits []Limit) (readable, withheld sqlq.Tables) {
	for _, table := range tables {
		if slices.ContainsFunc(limits, func(limit Limit) bool {
			return limit.typeIn(table) == "" || limit.typeIn(table) != limit.typeInAny(tables)
		}) {
			withheld = append(withheld, table)
		} else {
			readable = append(readable, table)
		}
	}
	return readable, withheld
}

// typeIn returns the type of the column for the limit in a table; empty if it has none. In a table that savedq fills,
// only the project is a value of the tenant's: that a parameter is named like another column means nothing.
func (l Limit) typeIn(table *sqlq.Table) sqlq.Type {
	if table.Own != nil && !l.IsProject {
		return ""
	}
	for _, column := range table.Columns() {
		if column.Name == l.Name && slices.Contains(sqlq.ParamTypes(), column.Type) && (!l.IsProject || column.Type == sqlq.String) {
			return column.Type
		}
	}
	return ""
}

// typeInAny returns the type of the column in the first table that has it. A parameter has one type.
func (l Limit) typeInAny(tables sqlq.Tables) sqlq.Type {
	for _, table := range tables {
		if found := l.typeIn(table); found != "" {
			return found
		}
	}
	return ""
}

// param returns the parameter of the limit.
func (l Limit) param(tables sqlq.Tables) sqlq.Param {
	param := sqlq.Param{Name: l.Name, Type: l.typeInAny(tables), Required: true, MaxLength: googlesql.MostSandboxBytes}
	if !l.Single {
		param.Type = sqlq.ArrayOf(param.Type)
	}
	if l.IsProject {
		param.Scope = sqlq.ScopeProject
	}
	return param
}

// conditions returns the WHERE clause that leaves the rows of a table that the limits allow.
func conditions(table *sqlq.Table, limits []Limit) string {
	var all []string
	for _, limit := range limits {
		is := " IN UNNEST(@" + limit.Name + ")"
		if limit.Single {
			is = " = @" + limit.Name
		}
		if limit.IsProject && table.ProjectMember != "" {
			all = append(all, "EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m."+googlesql.QuoteName(table.ProjectMember)+is+")")
		} else {
			all = append(all, googlesql.QuoteName(limit.Name)+is)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(all, " AND ")
}

// withheldIn adds to an error of a caller why tables that the SQL mentions cannot be read.
func withheldIn(callers string, withheld sqlq.Tables, limits []Limit, err error) error {
	var mistake *sqlq.Error
	mentioned := withheld.Mentioned(callers)
	if !errors.As(err, &mistake) || len(mentioned) == 0 {
		return err
	}
	explained := *mistake
	explained.Message += fmt.Sprintf(" (the token is limited to certain values of %s, so it cannot read %s without that column)", namesOf(limits), strings.Join(mentioned.Names(), ", "))
	return &explained
}

func namesOf(limits []Limit) string {
	names := make([]string, len(limits))
	for i, limit := range limits {
		names[i] = limit.Name
	}
	return strings.Join(names, " and ")
}
