package clickhousesql

import (
	"cmp"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// Environment is what a text can name.
type Environment struct {
	// Target is the engine in whose SQL a text is translated.
	Target googlesql.Target
	// Sources are the log sources whose events the table logs has.
	Sources sqlq.Tables
	// Params are the declared parameters.
	Params []Param
	// Rows says which rows of logs the text may read.
	Rows Rows
	// IsCallers means that the text is of a caller: what it makes of a row is bounded by RowBytes, which is
	// [googlesql.MostRowBytes] if it is 0.
	IsCallers bool
	RowBytes  int
	// IsClient means that the text is of a client of ClickHouse, which also asks what a server is and has: tables of the database system,
	// SHOW, DESCRIBE, and functions such as version().
	IsClient bool
}

// Param is a parameter, which the text writes as {name:Type}.
type Param struct {
	Name string
	Type sqlq.Type
	// Nullable means that it can be absent; of a parameter that is not declared, that the text says so.
	Nullable bool
	// Written is the type as the text writes it.
	Written string
}

// Rows says which rows of the table logs a text reads, however it is written: each read of the table has the conditions.
type Rows struct {
	// Project names the parameter with the project; empty means all projects. Several means that it is an array of projects.
	Project string
	Several bool
	// After and Until name parameters with a TIMESTAMP; empty means none. Rows are after the one and not after the other. Optional
	// means that they can be absent.
	After, Until string
	Optional     bool
}

// EnvironmentOf returns what the SQL of a saved query can name: its log sources and its parameters.
func EnvironmentOf(query *sqlq.SavedQuery) Environment {
	env := Environment{Target: googlesql.TargetOf(query.Engine), Sources: query.Tables.Sources(), Params: []Param{{Name: sqlq.NowParam, Type: sqlq.Timestamp}}}
	for _, param := range query.Params {
		isOptional := !param.Required && param.Default == nil && !param.Type.IsArray()
		env.Params = append(env.Params, Param{Name: param.Name, Type: param.Type, Nullable: isOptional})
	}
	if query.Series != nil {
		env.Params = append(env.Params, Param{Name: sqlq.FromParam, Type: sqlq.Timestamp}, Param{Name: sqlq.ToParam, Type: sqlq.Timestamp})
	}
	return env
}

// TranslateSaved returns the text of a saved query in the SQL of its engine. It reads the rows of the project in the parameter with
// scope: project, if the saved query has one.
func TranslateSaved(query *sqlq.SavedQuery) (*sqlq.Translation, error) {
	env := EnvironmentOf(query)
	if at := query.Scoped(sqlq.ScopeProject); at >= 0 {
		env.Rows.Project, env.Rows.Several = query.Params[at].Name, query.Params[at].Type.IsArray()
	}
	return Translate(query.SQL, env)
}

func (e *Environment) mostRowBytes() int { return cmp.Or(e.RowBytes, googlesql.MostRowBytes) }

// Translate returns a text in the SQL of the target. The error is an [*Error] with the place of a mistake, or of what is not supported.
func Translate(text string, env Environment) (_ *sqlq.Translation, err error) {
	defer recoverError(&err)
	r, rel := resolve(text, &env)
	return &sqlq.Translation{SQL: printed(r, rel, &env), Written: text, Language: Dialect{}.Name(), Origins: []sqlq.Origin{{}}}, nil
}

// Description is what a text says about its parameters and its result.
type Description struct {
	// Params are the parameters that the environment does not have, in the order of their first use.
	Params []Param
	// Columns describes the result. Types has the same columns' types in ClickHouse.
	Columns []sqlq.Column
	Types   []string
}

// Describe finds the parameters of a text, and the columns of its result.
func Describe(text string, env Environment) (_ *Description, err error) {
	defer recoverError(&err)
	r, rel := resolve(text, &env)
	printed(r, rel, &env) // some mistakes are found there
	described := &Description{Params: r.params}
	for _, column := range rel.columns {
		declared := column.typ.declared()
		described.Columns = append(described.Columns, sqlq.Column{Name: column.name, Type: declared, Nullable: column.typ.nullable || column.typ.kind == nothingKind})
		described.Types = append(described.Types, column.typ.String())
	}
	return described, nil
}

// printed writes a resolved text. Some mistakes are found when it is written for DuckDB, and are mistakes on every engine.
func printed(r *resolver, rel *relation, env *Environment) string {
	if env.Target != googlesql.ClickHouse {
		placeColumns(r, rel)
	}
	sql := duckDB(rel, env)
	if env.Target == googlesql.ClickHouse {
		return clickHouse(rel, env)
	}
	return sql
}

// duckDB writes a resolved text in DuckDB's SQL.
func duckDB(rel *relation, env *Environment) string {
	p := &printer{env: env, unnested: make(map[int]string)}
	return p.finish(p.relation(rel, true))
}

func resolve(text string, env *Environment) (*resolver, *relation) {
	r := &resolver{env: env, ids: make(map[string]int)}
	return r, r.query(parse(text, env.IsClient).body)
}
