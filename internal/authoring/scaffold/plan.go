package scaffold

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

// Planner finds out what a saved query needs from its SQL.
type Planner struct {
	// Engine is the dialect of the engine.
	Engine  sqlq.Dialect
	Checker Checker
	// Tables can be read.
	Tables sqlq.Tables
	// Declare returns the declared type for a column of the engine.
	Declare func(sqlq.PlannedColumn) sqlq.Column
}

// Checker compiles a saved query, as [sqlq.Engine] does.
type Checker interface {
	Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error)
}

// Source is the SQL of a new saved query.
type Source struct {
	// Dialect is what the SQL is written in; nil means that it is found out.
	Dialect sqlq.Dialect
	SQL     string
	// File is its name for messages.
	File string
	// Types holds the types of parameters that the caller knows.
	Types map[string]sqlq.Type
}

// Plan returns the saved query for SQL in the dialect of the engine or in GoogleSQL. SQL in either is
// taken for the engine's. The query has no id, name or settings.
func (p Planner) Plan(ctx context.Context, source Source) (*Query, error) {
	if source.Dialect != nil {
		return p.PlanIn(ctx, source.Dialect, source)
	}
	if overLogs := (clickhousesql.Dialect{}); p.Engine.Name() == overLogs.Name() && clickhousesql.ReadsLogs(source.SQL) { // as its folder is read
		return p.PlanIn(ctx, overLogs, source)
	}
	if p.Engine.RunsGoogleSQL() || len(sqltext.Params(p.Engine, source.SQL)) > 0 {
		return p.PlanIn(ctx, p.Engine, source)
	}
	// The engine would take @name for the absolute value of a column.
	if len(sqltext.Params(googlesql.AnyEngine(), source.SQL)) > 0 {
		return p.PlanIn(ctx, googlesql.AnyEngine(), source)
	}
	query, err := p.PlanIn(ctx, p.Engine, source)
	if err == nil {
		_, general := p.PlanIn(ctx, googlesql.AnyEngine(), source)
		query.IsAmbiguous = general == nil
		return query, nil
	}
	query, general := p.PlanIn(ctx, googlesql.AnyEngine(), source)
	switch {
	case general == nil:
		return query, nil
	case strings.Contains(source.SQL, "`"):
		return nil, general
	}
	return nil, err
}

// PlanIn returns the saved query for SQL in a dialect.
func (p Planner) PlanIn(ctx context.Context, dialect sqlq.Dialect, source Source) (*Query, error) {
	scan := sqltext.ScanStatement(dialect, source.SQL)
	if mistakes := scan.Mistakes(dialect, source.File); len(mistakes) > 0 {
		return nil, mistakes
	}
	query := &sqlq.SavedQuery{Name: "new", MaxRows: 1, Engine: p.Engine.Name(), Tables: p.Tables, SQL: source.SQL[:scan.End], SQLFile: source.File}
	unused := maps.Clone(source.Types)
	for _, use := range scan.Params {
		if use.Name != sqlq.NowParam {
			query.Params = append(query.Params, sqlq.Param{Name: use.Name, Type: source.Types[use.Name]})
			delete(unused, use.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		return nil, fmt.Errorf("--param: the SQL does not use %s%s", dialect.ParamPrefix(), name)
	}
	written := query.SQL
	described := &googlesql.Description{}
	isOptional := Optional(dialect, written)
	var err error
	switch {
	case dialect == sqlq.Dialect(clickhousesql.Dialect{}):
		err = p.translateOverLogs(query, isOptional)
	case dialect != p.Engine:
		described, err = p.translate(query)
	}
	if err != nil {
		return nil, fmt.Errorf("the SQL cannot be used:\n%w", err)
	}
	plan, err := p.Checker.Check(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("the SQL cannot be used:\n%w%s", err, p.adviceOnTypes(ctx, query))
	}
	if len(plan.Columns) == 0 {
		return nil, sqlq.FileErrors{{File: source.File, Message: "the engine does not report the columns of the SQL"}}
	}
	columns, err := declareColumns(source.File, plan.Columns, p.Declare)
	if err != nil {
		return nil, err
	}
	var undecided []sqlq.Column
	for i, column := range described.Columns {
		if _, isUndecided := described.Undecided[column.Name]; isUndecided {
			columns[i].Type = column.Type
			undecided = append(undecided, columns[i])
		}
		if column.Type == sqlq.Datetime { // DuckDB has the same type for both
			columns[i].Type = sqlq.Datetime
		}
	}
	isProject := comparedWithProject(dialect, written, projectColumns(query.Tables.Mentioned(written)))
	planned := &Query{
		Dialect: dialect, SQL: source.SQL, Params: plannedParams(isOptional, isProject, query, plan),
		Columns: columns, Planned: plan.Columns, Undecided: undecided,
	}
	planned.describeColumns(query.Tables.Mentioned(source.SQL))
	return planned, nil
}

// translate replaces SQL in GoogleSQL by what the engine runs. Parameters without a type get that of their
// use. Undecided columns of the description are JSON, or a guess where the SQL sorts by them.
func (p Planner) translate(query *sqlq.SavedQuery) (*googlesql.Description, error) {
	var translation *sqlq.Translation
	typed := *query
	typed.Params = slices.DeleteFunc(slices.Clone(query.Params), func(param sqlq.Param) bool { return param.Type == "" })
	description, err := googlesql.Describe(query.SQL, googlesql.EnvironmentOf(&typed))
	if err != nil {
		return nil, mistakeIn(query, err)
	}
	for i := range query.Params {
		param := &query.Params[i]
		for _, found := range description.Params {
			if found.Name == param.Name && param.Type == "" {
				param.Type = found.Type
			}
		}
		if !slices.Contains(sqlq.AllParamTypes(), param.Type) {
			return nil, sqlq.FileErrors{placeOf(query, param.Name).Mistakef(
				"parameter @%s is used as %s, a type that no parameter has; cast it from a string, as in CAST(@%[1]s AS %[2]s)", param.Name, param.Type)}
		}
	}
	typed = *query
	for _, of := range []func(string, bool) sqlq.Type{func(string, bool) sqlq.Type { return sqlq.JSON }, guessType} {
		typed.Columns = nil
		for i := range description.Columns {
			column := &description.Columns[i]
			if isAggregate, isUndecided := description.Undecided[column.Name]; isUndecided {
				column.Type = of(column.Name, isAggregate)
				typed.Columns = append(typed.Columns, *column)
			}
		}
		if translation, err = p.Engine.FromGoogleSQL(&typed, query.SQL); err == nil {
			query.SQL, query.Translation = translation.SQL, translation
			return description, nil
		}
	}
	return nil, mistakeIn(query, err)
}

// translateOverLogs replaces SQL over the table logs by what the engine runs. Parameters without a type get the one that the SQL says.
// Callers can leave out those whose type is Nullable.
func (p Planner) translateOverLogs(query *sqlq.SavedQuery, isOptional map[string]bool) error {
	typed := *query
	typed.Params = slices.DeleteFunc(slices.Clone(query.Params), func(param sqlq.Param) bool { return param.Type == "" })
	description, err := clickhousesql.Describe(query.SQL, clickhousesql.EnvironmentOf(&typed))
	if err != nil {
		return mistakeIn(query, err)
	}
	for i := range query.Params {
		for _, found := range description.Params {
			if found.Name == query.Params[i].Name && query.Params[i].Type == "" {
				query.Params[i].Type = found.Type
				isOptional[found.Name] = isOptional[found.Name] || found.Nullable
			}
		}
	}
	translation, err := clickhousesql.TranslateSaved(p.Engine.Located(query))
	if err != nil {
		return mistakeIn(query, err)
	}
	query.SQL, query.Translation = translation.SQL, translation
	return nil
}

// guessType returns the type of a column whose values the SQL sorts or compares, by its name. A wrong guess
// of a number is an error of the run, and one of a string would be a wrong order.
func guessType(name string, isAggregate bool) sqlq.Type {
	switch {
	case strings.Contains(name, "status") || strings.HasSuffix(name, "port"):
		return sqlq.Int64
	case isAggregate || strings.HasSuffix(name, "_ms") || strings.HasSuffix(name, "time"):
		return sqlq.Float64
	}
	return sqlq.String
}

// placeOf returns where the SQL first uses a parameter.
func placeOf(query *sqlq.SavedQuery, name string) sqlq.Place {
	for _, use := range sqltext.ScanStatement(googlesql.AnyEngine(), query.SQL).Params {
		if use.Name == name {
			return sqlq.Place{File: query.SQLFile, Line: use.Line, Column: use.Column}
		}
	}
	return sqlq.Place{File: query.SQLFile}
}

// mistakeIn returns an error of the translation with its place in the file.
func mistakeIn(query *sqlq.SavedQuery, err error) error {
	var mistake *googlesql.Error
	if !errors.As(err, &mistake) {
		return err
	}
	return sqlq.FileErrors{mistake.In(query.SQLFile, query.SQL)}
}

// adviceOnTypes returns the type of a parameter with which the SQL compiles, if there is one.
func (p Planner) adviceOnTypes(ctx context.Context, query *sqlq.SavedQuery) string {
	typed := *query
	for i, param := range query.Params {
		if param.Type != "" {
			continue
		}
		typed.Params = slices.Clone(query.Params)
		for _, candidate := range sqlq.AllParamTypes() {
			typed.Params[i].Type = candidate
			if _, err := p.Checker.Check(ctx, &typed); err == nil {
				return fmt.Sprintf("\nIt compiles with another type of a parameter: add --param '%s=%s'", param.Name, candidate)
			}
		}
	}
	return ""
}

// plannedParams returns the parameters with the types that the engine reports.
func plannedParams(isOptional, isProject map[string]bool, query *sqlq.SavedQuery, plan *sqlq.Plan) []Param {
	params := make([]Param, len(query.Params))
	for i, param := range query.Params {
		params[i] = Param{PlannedParam: sqlq.PlannedParam{Name: param.Name, Type: param.Type}, Optional: isOptional[param.Name], IsProject: isProject[param.Name]}
		for _, planned := range plan.Params {
			if planned.Name == param.Name {
				params[i].PlannedParam = planned
			}
		}
	}
	return params
}
