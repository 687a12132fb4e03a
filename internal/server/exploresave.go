package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"

	"savedq/internal/auth"
	"savedq/internal/engines"
	"savedq/internal/explorehttp"
	"savedq/internal/scaffold"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/sandbox"
)

// develops reports whether the caller of a request develops saved queries on a server of their own.
func (e *explorer) develops(ctx context.Context) bool {
	return e.server.config.Dev && auth.HasFullAccess(ctx)
}

// writes reports whether saved queries of the caller of a request are written to the first directory of saved
// queries.
func (e *explorer) writes(ctx context.Context) bool {
	return e.develops(ctx) && len(e.server.config.Queries.Directories) > 0
}

// save returns the folder of a saved query with SQL of a caller, as "savedq new" makes it. It is written if the server
// writes; no folder is ever replaced.
func (e *explorer) save(ctx context.Context, request explorehttp.SaveRequest) (_ *explorehttp.Saved, err error) {
	if err := catalog.CheckName(request.Name); err != nil {
		return nil, sqlq.ParamErrorf("name", "%s", err)
	}
	// It may only compile what it may run.
	if request.Dialect == explorehttp.DuckDB {
		err = e.requireDuckDB(ctx)
	} else {
		_, err = sandbox.Explore(e.server.config.Engine.Dialect().Name(), e.tables, limitsOf(ctx, nil), request.SQL)
	}
	if err != nil {
		return nil, err
	}
	query, err := e.plan(ctx, request.Dialect, request.SQL)
	if err != nil {
		return nil, callersError(err)
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
func (e *explorer) plan(ctx context.Context, dialect, sql string) (_ *scaffold.Query, err error) {
	config := &e.server.config
	checker, err := config.Engine.Checker(ctx, engines.Environment{Clock: config.Clock, Getenv: config.Getenv, Logger: config.Logger})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, checker.Close()) }()
	planner := scaffold.Planner{Engine: config.Engine.Dialect(), Checker: checker, Tables: e.tables, Declare: config.Engine.Declare}
	sql = strings.TrimRight(sql, " \t\r\n") + "\n"
	return planner.PlanIn(ctx, dialectOf(dialect), scaffold.Source{SQL: sql, File: sqlq.SQLParam})
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
	if err := folders.Add(query); errors.Is(err, fs.ErrExist) {
		return sqlq.ParamErrorf("name", "%s exists already; choose another name", sqlq.Quote(query.Name))
	} else if err != nil {
		return fmt.Errorf("write the saved query %s: %w", query.Name, err)
	}
	together := config.Queries
	together.Directories = append([]string{folders.Staging}, config.Queries.Directories[1:]...)
	_, found, err := together.Read(config.Engine.Dialect())
	if err != nil {
		return err
	}
	if own := folders.Mistakes(found, query.Name, ""); len(own) > 0 {
		return callersError(own)
	}
	if err := folders.Create(query.Name); err != nil {
		return fmt.Errorf("write the saved query %s: %w", query.Name, err)
	}
	config.Logger.InfoContext(ctx, "a saved query was written", slog.String("endpoint", query.Name))
	return nil
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
