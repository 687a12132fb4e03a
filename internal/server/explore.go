package server

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"savedq/internal/auth"
	"savedq/internal/explorehttp"
	"savedq/internal/scaffold"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sandbox"
	"savedq/sqlq/sqltext"
)

// explorer runs SQL of callers over the tables of a catalog.
type explorer struct {
	server *Server
	tables sqlq.Tables
	scoped *auth.Runner
}

// explore returns the handler of SQL over tables.
func (s *Server) explore(tables sqlq.Tables, scoped *auth.Runner) http.Handler {
	e := &explorer{server: s, tables: tables, scoped: scoped}
	return explorehttp.NewHandler(explorehttp.Config{Run: e.run, Parameters: e.parameters, Schema: e.schema, Save: e.save, Clock: s.config.Clock, Errors: s.errors})
}

// run runs SQL within the limits of the token of a request.
func (e *explorer) run(ctx context.Context, request explorehttp.Request) (*sqlq.Result, error) {
	query, err := e.query(ctx, request)
	if err != nil {
		return nil, err
	}
	asked := runner.Request{Query: query, Params: request.Params}
	if query.Sandboxed {
		asked.SQL = request.SQL
	}
	response, err := e.scoped.Explore(ctx, asked)
	if err != nil {
		return nil, err
	}
	return response.Result, nil
}

// parameters returns the parameters of the SQL of a request, those that the token binds first.
func (e *explorer) parameters(ctx context.Context, request explorehttp.Request) ([]explorehttp.Parameter, error) {
	query, err := e.query(ctx, request)
	if err != nil {
		return nil, err
	}
	parameters := make([]explorehttp.Parameter, len(query.Params))
	for i, param := range query.Params {
		parameters[i] = explorehttp.Parameter{Name: param.Name, Type: string(param.Type), Required: param.Required}
	}
	return parameters, nil
}

// query returns a saved query for the SQL of a request, within the limits of its token.
func (e *explorer) query(ctx context.Context, request explorehttp.Request) (query *sqlq.SavedQuery, err error) {
	dialect := dialectOf(request.Dialect)
	if request.Dialect == explorehttp.DuckDB {
		query, err = e.inDuckDB(ctx, request.SQL)
	} else {
		query, err = sandbox.Explore(e.server.config.Engine.Dialect().Name(), e.tables, limitsOf(ctx, request.Params), request.SQL)
	}
	if err != nil {
		return nil, err
	}
	optional := scaffold.Optional(dialect, request.SQL)
	for i := range query.Params {
		param := &query.Params[i]
		texts, given := request.Params[param.Name]
		param.Required = param.Required && (param.Scope != "" || !optional[param.Name] && (!given || texts != nil && !param.Type.IsArray()))
	}
	return query, nil
}

// dialectOf returns a dialect by its name.
func dialectOf(name string) sqlq.Dialect {
	if name == explorehttp.DuckDB {
		return duckdbsql.Dialect{}
	}
	return googlesql.AnyEngine()
}

// inDuckDB returns a saved query for SQL of a caller in DuckDB's dialect, which is compiled as that of a folder is.
func (e *explorer) inDuckDB(ctx context.Context, sql string) (*sqlq.SavedQuery, error) {
	if err := e.requireDuckDB(ctx); err != nil {
		return nil, err
	}
	planned, err := e.plan(ctx, explorehttp.DuckDB, sql)
	if err != nil {
		return nil, callersError(err)
	}
	params := make([]sqlq.Param, len(planned.Params))
	for i, param := range planned.Params {
		params[i] = sqlq.Param{Name: param.Name, Type: param.Type, Required: true, MaxLength: googlesql.MostSandboxBytes}
	}
	statement := sql[:sqltext.ScanStatement(duckdbsql.Dialect{}, sql).End]
	return sandbox.ExploreAsWritten(explorehttp.DuckDB, e.tables, statement, params, planned.Columns), nil
}

// requireDuckDB returns an error unless the caller of a request may send SQL in DuckDB's dialect. It reads every row
// and has no sandbox, so only whoever could write it to a folder may.
func (e *explorer) requireDuckDB(ctx context.Context) error {
	if e.develops(ctx) && e.server.config.Engine.Dialect() == (duckdbsql.Dialect{}) {
		return nil
	}
	return sqlq.ParamErrorf("dialect", "%s is for a developer's own server: start savedq on its embedded store with --dev, and use a token without limits; or send GoogleSQL", explorehttp.DuckDB)
}

// limitsOf returns the parameters that the token of a request binds. One with one value is that value; of several a
// request can choose one.
func limitsOf(ctx context.Context, params map[string][]string) []sandbox.Limit {
	token, _ := auth.FromContext(ctx)
	values := token.Values()
	var limits []sandbox.Limit
	for _, name := range slices.Sorted(maps.Keys(values)) {
		limits = append(limits, sandbox.Limit{
			Name: name, IsProject: name == auth.ProjectParameter && token.Projects != nil, Single: len(values[name]) == 1 || len(params[name]) == 1,
		})
	}
	return limits
}

// schema returns what SQL of the caller of a request can name.
func (e *explorer) schema(ctx context.Context) explorehttp.Schema {
	limits := limitsOf(ctx, nil)
	readable, withheld := sandbox.Readable(e.tables, limits)
	schema := explorehttp.Schema{
		Tables: explorehttp.TablesOf(readable), Functions: explorehttp.FunctionsOf(), Withheld: withheld.Names(), Parameters: []string{},
		MaxRows: sandbox.MostExploredRows, Dialects: []string{explorehttp.GoogleSQL}, Saves: e.writes(ctx),
	}
	if e.requireDuckDB(ctx) == nil {
		schema.Dialects = append(schema.Dialects, explorehttp.DuckDB)
	}
	for _, limit := range limits {
		schema.Parameters = append(schema.Parameters, limit.Name)
	}
	return schema
}
