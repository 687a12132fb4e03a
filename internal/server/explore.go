package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"savedq/internal/api/explorehttp"
	"savedq/internal/api/mcp"
	"savedq/internal/auth"
	"savedq/internal/authoring/scaffold"
	"savedq/internal/engines"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/clickhousesql"
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

// tool returns what runs SQL of callers over MCP.
func (e *explorer) tool() mcp.Explorer {
	return mcp.Explorer{
		Query: func(ctx context.Context, dialect, sql string) (*sqlq.SavedQuery, error) {
			return e.query(ctx, explorehttp.Request{Dialect: dialect, SQL: sql})
		},
		Dialects: []string{explorehttp.GoogleSQL, explorehttp.ClickHouse},
		Run:      e.scoped.Explore,
		Tables: func(ctx context.Context) sqlq.Tables {
			readable, _ := sandbox.Readable(e.tables, limitsOf(ctx, nil))
			return readable
		},
		MaxRows: sandbox.MostExploredRows,
	}
}

// handler returns the handler of SQL over tables.
func (e *explorer) handler() http.Handler {
	s := e.server
	return explorehttp.NewHandler(explorehttp.Config{Run: e.run, Check: e.check, Schema: e.schema, Save: e.save, Clock: s.config.Clock, Errors: s.errors})
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

// check returns the parameters of the SQL of a request, those that the token binds first, and what a run reads at most.
func (e *explorer) check(ctx context.Context, request explorehttp.Request) (explorehttp.Checked, error) {
	query, err := e.query(ctx, request)
	if err != nil {
		return explorehttp.Checked{}, err
	}
	parameters := make([]explorehttp.Parameter, len(query.Params))
	for i, param := range query.Params {
		parameters[i] = explorehttp.Parameter{Name: param.Name, Type: string(param.Type), Required: param.Required}
	}
	checked := explorehttp.Checked{Parameters: parameters}
	if sizes := e.sizes(limitsOf(ctx, nil)); sizes != nil {
		checked.Bytes = new(int64(0))
		for _, table := range query.Tables {
			*checked.Bytes += sizes[table.Name].Bytes
		}
	}
	return checked, nil
}

// sizes returns the sizes of log sources by name. They are nil without an embedded store, and for callers with limits,
// because the files have the rows of others.
func (e *explorer) sizes(limits []sandbox.Limit) map[string]logstore.Size {
	if e.server.engine.Store == nil || len(limits) > 0 {
		return nil
	}
	return e.server.engine.Store.Sizes()
}

// query returns a saved query for the SQL of a request, within the limits of its token.
func (e *explorer) query(ctx context.Context, request explorehttp.Request) (query *sqlq.SavedQuery, err error) {
	switch request.Dialect {
	case explorehttp.ClickHouse: // the text says which parameters are optional
		return sandbox.ExploreLogs(e.server.config.Engine.Dialect().Name(), e.tables, limitsOf(ctx, request.Params), request.SQL)
	case explorehttp.DuckDB:
		query, err = e.asWritten(ctx, request)
	default:
		query, err = sandbox.Explore(e.server.config.Engine.Dialect().Name(), e.tables, limitsOf(ctx, request.Params), request.SQL)
	}
	if err != nil {
		return nil, err
	}
	optional := scaffold.Optional(e.dialectOf(request.Dialect), request.SQL)
	for i := range query.Params {
		param := &query.Params[i]
		texts, given := request.Params[param.Name]
		param.Required = param.Required && (param.Scope != "" || !optional[param.Name] && (!given || texts != nil && !param.Type.IsArray()))
	}
	return query, nil
}

// dialectOf returns a dialect by its name: one that runs on several engines, or that of the engine.
func (e *explorer) dialectOf(name string) sqlq.Dialect {
	switch name {
	case explorehttp.GoogleSQL:
		return googlesql.AnyEngine()
	case explorehttp.ClickHouse:
		return clickhousesql.Dialect{}
	}
	return e.server.config.Engine.Dialect()
}

// asWritten returns a saved query for SQL of a caller in the dialect of the engine. It is compiled like the SQL of a folder.
func (e *explorer) asWritten(ctx context.Context, request explorehttp.Request) (*sqlq.SavedQuery, error) {
	if err := e.requireDeveloper(ctx, request.Dialect); err != nil {
		return nil, err
	}
	sql := request.SQL
	planned, err := e.plan(ctx, request.Dialect, sql)
	if err != nil {
		return nil, callersError(err)
	}
	params := make([]sqlq.Param, len(planned.Params))
	for i, param := range planned.Params {
		params[i] = sqlq.Param{Name: param.Name, Type: param.Type, Required: true, MaxLength: googlesql.MostSandboxBytes}
	}
	statement := sql[:sqltext.ScanStatement(e.dialectOf(request.Dialect), sql).End]
	return sandbox.ExploreAsWritten(request.Dialect, e.tables, statement, params, planned.Columns), nil
}

// requireDeveloper returns an error unless the caller of a request may send SQL in a dialect of the engine. It reads every
// row and has no sandbox, so only whoever could write it to a folder may.
func (e *explorer) requireDeveloper(ctx context.Context, dialect string) error {
	if own := e.server.config.Engine.Dialect(); e.develops(ctx) && own.IsForDevelopers() && own.Name() == dialect {
		return nil
	}
	return sqlq.ParamErrorf("dialect", "%s is for a developer's own server: start savedq on its embedded store with --dev, and use a token without limits; or send GoogleSQL", dialect)
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

// schema returns what SQL of the caller of a request can name in a dialect.
func (e *explorer) schema(ctx context.Context, dialect string) explorehttp.Schema {
	limits := limitsOf(ctx, nil)
	schema := explorehttp.Schema{
		Functions: explorehttp.FunctionsOf(dialect), Parameters: []string{},
		MaxRows: sandbox.MostExploredRows, Dialects: []string{explorehttp.GoogleSQL}, Saves: e.writes(ctx),
	}
	if dialect == explorehttp.ClickHouse {
		schema.Tables, schema.Withheld = logsTable(e.tables, limits)
	} else {
		readable, withheld := sandbox.Readable(e.tables, limits)
		schema.Tables, schema.Withheld = explorehttp.TablesOf(readable), withheld.Names()
	}
	sizes := e.sizes(limits)
	for i := range schema.Tables {
		if size, found := sizes[schema.Tables[i].Name]; found {
			schema.Tables[i].Size = &explorehttp.Size{Bytes: size.Bytes, Rows: size.Events}
		}
	}
	own := e.server.config.Engine.Dialect().Name()
	if sandbox.RunsOverLogs(own) == nil {
		schema.Dialects = append(schema.Dialects, explorehttp.ClickHouse)
	}
	if e.requireDeveloper(ctx, own) == nil {
		schema.Dialects = append(schema.Dialects, own)
	}
	for _, limit := range limits {
		schema.Parameters = append(schema.Parameters, limit.Name)
	}
	return schema
}

// logsTable returns the table logs, or its name if it has no column for a limit.
func logsTable(tables sqlq.Tables, limits []sandbox.Limit) (readable []explorehttp.Table, withheld []string) {
	if err := sandbox.LogsAllow(limits); err != nil {
		return []explorehttp.Table{}, []string{clickhousesql.LogsTable}
	}
	return []explorehttp.Table{explorehttp.LogsTable(tables.Sources())}, []string{}
}

// develops reports whether the caller of a request develops saved queries on a server of their own.
func (e *explorer) develops(ctx context.Context) bool {
	return e.server.develops(ctx)
}

// writes reports whether saved queries of the caller of a request are written to the first directory of saved
// queries.
func (e *explorer) writes(ctx context.Context) bool {
	return e.server.writesFolders(ctx)
}

// save returns the folder of a saved query with SQL of a caller, as "savedq new" makes it. It is written if the server
// writes; no folder is ever replaced.
func (e *explorer) save(ctx context.Context, request explorehttp.SaveRequest) (_ *explorehttp.Saved, err error) {
	if err := catalog.CheckName(request.Name); err != nil {
		return nil, sqlq.ParamErrorf("name", "%s", err)
	}
	if request.Replace && !e.writes(ctx) {
		return nil, sqlq.ParamErrorf("replace", "is for a developer's own server: start savedq with --dev and --queries, and use a token without limits")
	}
	// It may only compile what it may run. Whoever replaces SQL may write any to the folder.
	switch {
	case request.Dialect == explorehttp.DuckDB:
		err = e.requireDeveloper(ctx, request.Dialect)
	case request.Dialect == explorehttp.ClickHouse && !clickhousesql.ReadsLogs(request.SQL):
		err = sqlq.ParamErrorf(sqlq.SQLParam, "must read the table %s: a folder with other SQL in this dialect is ClickHouse's own", clickhousesql.LogsTable)
	case !request.Replace:
		_, err = e.query(ctx, explorehttp.Request{Dialect: request.Dialect, SQL: request.SQL})
	}
	if err != nil {
		return nil, err
	}
	query, err := e.plan(ctx, request.Dialect, request.SQL)
	if err != nil {
		return nil, callersError(err)
	}
	if request.Replace {
		saved := &explorehttp.Saved{Name: request.Name, Written: true}
		return saved, e.rewrite(ctx, request.Name, query.SQLFileName(), request.SQL)
	}
	query.Description = request.Description
	if err := query.Begin(request.Name); err != nil {
		return nil, err
	}
	saved := &explorehttp.Saved{Name: query.Name, Files: query.Files(), Written: e.writes(ctx)}
	if !saved.Written {
		return saved, nil
	}
	return saved, e.write(ctx, query)
}

// plan returns a saved query with SQL, which compiles.
func (e *explorer) plan(ctx context.Context, dialect, sql string) (planned *scaffold.Query, err error) {
	config := &e.server.config
	sql = strings.TrimRight(sql, " \t\r\n") + "\n"
	err = e.compile(ctx, func(checker engines.Checker) error {
		planner := scaffold.Planner{Engine: config.Engine.Dialect(), Checker: checker, Tables: e.tables, Declare: config.Engine.Declare}
		planned, err = planner.PlanIn(ctx, e.dialectOf(dialect), scaffold.Source{SQL: sql, File: sqlq.SQLParam})
		return err
	})
	return planned, err
}

// compile passes a checker on, while few others compile.
func (e *explorer) compile(ctx context.Context, use func(checker engines.Checker) error) error {
	leave, err := e.server.compiling.enter(ctx, callerOf(ctx))
	if err != nil {
		return err
	}
	defer leave()
	config := &e.server.config
	checker, err := config.Engine.Checker(ctx, engines.Environment{Clock: config.Clock, Getenv: config.Getenv, Logger: config.Logger})
	if err != nil {
		return err
	}
	return errors.Join(use(checker), checker.Close())
}

// write writes the folder, if the saved query can be used with all others.
func (e *explorer) write(ctx context.Context, query *scaffold.Query) (err error) {
	config := &e.server.config
	directory := config.Queries.Directories[0]
	folders, err := scaffold.OpenReplacement(directory, directory)
	if err != nil {
		return fmt.Errorf("write the saved query %s: %w", query.Name, err)
	}
	defer func() { err = errors.Join(err, folders.Close()) }()
	if err := folders.Add(query.Name, query.Files()); errors.Is(err, fs.ErrExist) {
		return sqlq.ParamErrorf("name", "%s exists already; choose another name", sqlq.Quote(query.Name))
	} else if err != nil {
		return fmt.Errorf("write the saved query %s: %w", query.Name, err)
	}
	if _, err := e.server.readStaged(folders, query.Name); err != nil {
		return err
	}
	if err := folders.Create(query.Name); err != nil {
		return fmt.Errorf("write the saved query %s: %w", query.Name, err)
	}
	config.Logger.InfoContext(ctx, "a saved query was written", slog.String("endpoint", query.Name))
	return nil
}

// rewrite writes other SQL to the folder of a saved query, if it can still be used with all others.
func (e *explorer) rewrite(ctx context.Context, name, file, sql string) (err error) {
	config := &e.server.config
	directory := config.Queries.Directories[0]
	folders, err := scaffold.OpenReplacement(directory, directory)
	if err != nil {
		return fmt.Errorf("write the saved query %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, folders.Close()) }()
	sql = strings.TrimRight(sql, " \t\r\n") + "\n"
	if err := folders.Rewrite(name, file, []byte(sql)); errors.Is(err, fs.ErrNotExist) {
		return sqlq.ParamErrorf("name", "%s has no %s in the first directory of --queries; save it as another query", sqlq.Quote(name), file)
	} else if err != nil {
		return fmt.Errorf("write the saved query %s: %w", name, err)
	}
	read, err := e.server.readStaged(folders, name)
	if err != nil {
		return err
	}
	if query, found := read.Find(name); found { // the declared columns can be others than the SQL's
		var mistakes sqlq.FileErrors
		if err := e.compile(ctx, func(checker engines.Checker) (err error) {
			mistakes, err = engines.Check(ctx, checker, []*sqlq.SavedQuery{query})
			return err
		}); err != nil {
			return err
		}
		if own := folders.Mistakes(mistakes, name, ""); len(own) > 0 {
			return callersError(own)
		}
	}
	if err := folders.Publish(name); err != nil {
		return fmt.Errorf("write the saved query %s: %w", name, err)
	}
	config.Logger.InfoContext(ctx, "the SQL of a saved query was replaced", slog.String("endpoint", name))
	return nil
}

// readStaged returns all saved queries with a new folder, or the mistakes of that folder.
func (s *Server) readStaged(folders *scaffold.Replacement, name string) (*catalog.Catalog, error) {
	config := &s.config
	together := config.Queries
	together.Directories = append([]string{folders.Staging}, config.Queries.Directories[1:]...)
	read, found, err := together.Read(config.Engine.Dialect())
	if err != nil {
		return nil, err
	}
	if own := folders.Mistakes(found, name, ""); len(own) > 0 {
		return nil, callersError(own)
	}
	return read, nil
}

// callersError returns mistakes in the SQL of a caller as INVALID_ARGUMENT, with the place of the first one.
func callersError(err error) error {
	var mistakes sqlq.FileErrors
	if !errors.As(err, &mistakes) || len(mistakes) == 0 {
		return err
	}
	first := slices.MinFunc(mistakes, func(a, b *sqlq.FileError) int { return a.Line - b.Line })
	if first.File == sqlq.SQLParam {
		return sqlq.CallersMistake(sqlq.Place{Line: first.Line, Column: first.Column}, first.Message)
	}
	return sqlq.Errorf(sqlq.InvalidArgument, "the saved query could not be used: %s", mistakes)
}
