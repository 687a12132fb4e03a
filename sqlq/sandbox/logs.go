package sandbox

import (
	"errors"
	"fmt"
	"slices"

	"savedq/sqlq"
	"savedq/sqlq/clickhousesql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

// The parameters with the times of the rows of the table logs, if the saved query has them.
const (
	startParam = "iso_timestamp_start"
	endParam   = "iso_timestamp_end"
)

// RunsOverLogs returns an error if an engine does not run SQL over the table logs.
func RunsOverLogs(engine string) error {
	if engine != "duckdb" && engine != "clickhouse" {
		return fmt.Errorf("SQL over the table logs runs on the embedded engine and on ClickHouse, not on %s", engine) //nolint:err113 // It is a message.
	}
	return nil
}

// CheckLogs returns an error if callers cannot send SQL over the table logs to a saved query.
func CheckLogs(saved *sqlq.SavedQuery) error {
	if err := RunsOverLogs(saved.Engine); err != nil {
		return err
	}
	for _, param := range saved.Params {
		if param.Scope != "" && param.Scope != sqlq.ScopeProject {
			return fmt.Errorf("the table logs has no column for the scope %s of the parameter %s", param.Scope, param.Name) //nolint:err113 // It is a message.
		}
	}
	if rowsOf(saved).Project == "" {
		return errors.New("SQL over the table logs needs a parameter with scope: project, whose rows it reads") //nolint:err113 // It is a message.
	}
	return nil
}

// rowsOf returns which rows of the table logs the SQL of callers reads: those of the project, between the times.
func rowsOf(saved *sqlq.SavedQuery) clickhousesql.Rows {
	rows := clickhousesql.Rows{Optional: true}
	for _, param := range saved.Params {
		switch {
		case param.Scope == sqlq.ScopeProject:
			rows.Project, rows.Several = param.Name, param.Type.IsArray()
		case param.Name == startParam && param.Type == sqlq.Timestamp:
			rows.After = param.Name
		case param.Name == endParam && param.Type == sqlq.Timestamp:
			rows.Until = param.Name
		}
	}
	return rows
}

// overLogs returns what SQL of callers over the table logs can name.
func overLogs(saved *sqlq.SavedQuery, rowBytes int) clickhousesql.Environment {
	env := clickhousesql.EnvironmentOf(saved)
	env.Rows, env.IsCallers, env.RowBytes, env.IsClient = rowsOf(saved), true, rowBytes, saved.CallersAskServer
	return env
}

// deriveOverLogs returns a saved query with SQL of a caller over the table logs.
func (s *Sandboxes) deriveOverLogs(saved *sqlq.SavedQuery, callers string) (*sqlq.SavedQuery, error) {
	env := overLogs(s.dialect.Located(saved), s.rowBytes)
	described, err := clickhousesql.Describe(callers, env)
	if err != nil {
		return nil, mistakeIn(callers, err)
	}
	if len(described.Params) > 0 {
		return nil, sqlq.ParamErrorf(sqlq.SQLParam, "the parameter %s is not declared; write its value", described.Params[0].Name)
	}
	translation, err := clickhousesql.Translate(callers, env)
	if err != nil {
		return nil, mistakeIn(callers, err)
	}
	derived := *saved
	derived.Callers = &sqlq.CallersSQL{Saved: saved, From: 1, MostBytes: s.mostBytes()}
	derived.SQL, derived.SQLFile, derived.Translation = translation.SQL, sqlq.SQLParam, translation
	derived.Pages, derived.Warm = nil, 0                                                         // nobody asked for work beyond the one response
	derived.Params = slices.DeleteFunc(slices.Clone(saved.Params), func(param sqlq.Param) bool { // such as the project where nothing reads logs
		return !slices.ContainsFunc(sqltext.Params(s.dialect, translation.SQL), func(used sqltext.Param) bool { return used.Name == param.Name })
	})
	derived.Columns = slices.Clone(described.Columns)
	for i, column := range derived.Columns {
		if column.Type == sqlq.Timestamp { // clients of this dialect read times as texts
			derived.Columns[i].Type = sqlq.Datetime
		}
	}
	return &derived, nil
}

// declareOverLogs returns the SQL of callers over the table logs as a parameter.
func declareOverLogs() *sqlq.Param {
	return &sqlq.Param{
		Name: sqlq.SQLParam, Type: sqlq.String, MaxLength: googlesql.MostSandboxBytes,
		Description: "A SELECT in ClickHouse's SQL to run in place of the endpoint's own. It reads the table logs, with the columns id, timestamp, event_message, severity_text, source and log_attributes.",
	}
}

// LogsAllow returns an error if the table logs has no column for a limit. The code is PERMISSION_DENIED.
func LogsAllow(limits []Limit) error {
	for _, limit := range limits {
		if !limit.IsProject {
			return sqlq.Errorf(sqlq.PermissionDenied, "the token is limited to certain values of %s, and the table logs has no column for it", limit.Name)
		}
	}
	return nil
}

// ExploreLogs returns a saved query whose sandbox is the table logs, for SQL of a caller in ClickHouse's dialect, with the parameters of
// that SQL. The error is INVALID_ARGUMENT with the place in the caller's text, or PERMISSION_DENIED if the table has no column for a limit.
func ExploreLogs(engine string, tables sqlq.Tables, limits []Limit, callers string) (*sqlq.SavedQuery, error) {
	query, _, err := exploreLogs(engine, tables, limits, callers, false)
	return query, err
}

// ExploreAsServer is ExploreLogs for a client of ClickHouse, which also asks what a server is and has. It describes the result in
// ClickHouse's types.
func ExploreAsServer(engine string, tables sqlq.Tables, limits []Limit, callers string) (*sqlq.SavedQuery, *clickhousesql.Description, error) {
	return exploreLogs(engine, tables, limits, callers, true)
}

func exploreLogs(engine string, tables sqlq.Tables, limits []Limit, callers string, isClient bool) (*sqlq.SavedQuery, *clickhousesql.Description, error) {
	query := exploring(engine)
	query.Sandboxed, query.CallersReadLogs, query.CallersAskServer, query.Tables = true, true, isClient, tables.Sources()
	if err := LogsAllow(limits); err != nil {
		return nil, nil, err
	}
	for _, limit := range limits {
		param := sqlq.Param{Name: limit.Name, Type: sqlq.String, Required: true, Scope: sqlq.ScopeProject, MaxLength: googlesql.MostSandboxBytes}
		if !limit.Single {
			param.Type = sqlq.ArrayOf(sqlq.String)
		}
		query.Params = append(query.Params, param)
	}
	if err := RunsOverLogs(engine); err != nil {
		return nil, nil, sqlq.ParamErrorf("dialect", "%s", err)
	}
	described, err := clickhousesql.Describe(callers, overLogs(query, 0))
	if err != nil {
		return nil, nil, mistakeIn(callers, err)
	}
	for _, param := range described.Params {
		if !slices.Contains(sqlq.AllParamTypes(), param.Type) {
			return nil, nil, sqlq.ParamErrorf(param.Name, "has the type %s, which no parameter has; write it as String, and convert it", param.Written)
		}
		query.Params = append(query.Params, sqlq.Param{Name: param.Name, Type: param.Type, Required: !param.Nullable, MaxLength: googlesql.MostSandboxBytes})
	}
	query.SQL = "SELECT 1 AS one"
	return query, described, nil
}
