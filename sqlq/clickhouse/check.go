package clickhouse

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// Check lets the server compile a saved query, which runs nothing. The error is [sqlq.FileErrors] if the saved query is at
// fault, and one line with the remedy if the tables are.
func (e *Engine) Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error) {
	if mistakes := e.config.settingMistakes(query); len(mistakes) > 0 {
		return nil, mistakes
	}
	query, params := withTypes(query)
	within, end, err := e.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if len(query.Columns) > 0 { // a saved query that is being written has none yet
		if mistakes := absentParams(query, params); len(mistakes) > 0 {
			return nil, mistakes
		}
	}
	now := e.config.Clock()
	args, err := sampleArgs(query, now)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", query.Name, err)
	}
	// The SQL begins on a new line, so that the columns in ClickHouse's messages are columns of the SQL.
	columns, err := e.describe(within, query, sqlq.NewStatement(query, args, now), "(\n"+e.mapped(query).Text+"\n)")
	if err != nil {
		return nil, e.compileError(query, err)
	}
	plan := &sqlq.Plan{Params: params}
	for _, column := range columns {
		actual, err := parseType(column.kind)
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", query.Name, err)
		}
		plan.Columns = append(plan.Columns, actual.planned(column.name))
	}
	if mistakes := plan.Compare(query, holds); len(mistakes) > 0 {
		return plan, mistakes
	}
	return plan, nil
}

// withTypes returns the saved query with a type for each parameter that has none, and those parameters. Their types are in
// the SQL.
func withTypes(query *sqlq.SavedQuery) (*sqlq.SavedQuery, []sqlq.PlannedParam) {
	types := make(map[string]sqlq.Type)
	for _, use := range sqltext.Params(Dialect{}, query.SQL) {
		if parsed, err := parseType(writtenType(query.SQL[use.Start:use.End])); err == nil {
			types[use.Name] = paramType(parsed)
		}
	}
	typed := *query
	typed.Params = slices.Clone(query.Params)
	var planned []sqlq.PlannedParam
	for i := range typed.Params {
		if param := &typed.Params[i]; param.Type == "" {
			param.Type = sqlq.String
			if found := types[param.Name]; found != "" {
				param.Type = found
			}
			planned = append(planned, sqlq.PlannedParam{Name: param.Name, Type: param.Type})
		}
	}
	return &typed, planned
}

// absentParams returns the uses of parameters that can be absent, and so NULL, with a type that has no NULL. Those whose types
// the SQL decides are not declared yet.
func absentParams(query *sqlq.SavedQuery, undeclared []sqlq.PlannedParam) sqlq.FileErrors {
	var mistakes sqlq.FileErrors
	for _, use := range sqltext.Params(Dialect{}, query.SQL) {
		at := slices.IndexFunc(query.Params, func(param sqlq.Param) bool { return param.Name == use.Name })
		isDeclared := !slices.ContainsFunc(undeclared, func(param sqlq.PlannedParam) bool { return param.Name == use.Name })
		if at < 0 || !isDeclared || isNullable(query.SQL[use.Start:use.End]) {
			continue
		}
		if param := query.Params[at]; !param.Required && param.Default == nil && !param.Type.IsArray() {
			place := query.PlaceInSQL(sqlq.LineAndColumn(query.SQL, use.Start))
			mistakes = append(mistakes, place.Mistakef("parameter %s can be absent, so its type must have NULL, such as {%[1]s:Nullable(%s)}; or give it a default, or make it required",
				use.Name, writtenType(query.SQL[use.Start:use.End])))
		}
	}
	return mistakes
}

// writtenType returns the type of a parameter such as {name:Type}.
func writtenType(param string) string {
	_, kind, _ := strings.Cut(strings.TrimSuffix(param, "}"), ":")
	return strings.TrimSpace(kind)
}

// isNullable reports whether a parameter has a type with NULL.
func isNullable(param string) bool {
	parsed, err := parseType(writtenType(param))
	return err == nil && parsed.nullable
}

// paramType returns the type of a parameter for a type of ClickHouse.
func paramType(t *valueType) sqlq.Type {
	if t.name == "Array" {
		return sqlq.ArrayOf(paramType(t.inner[0]))
	}
	if found := scalarOf(t.text); slices.Contains(sqlq.ParamTypes(), found) {
		return found
	}
	return sqlq.String
}

// sampleArgs returns an argument for each parameter: the last allowed value, or the default, or NULL. Relative defaults are
// relative to now. A parameter that cannot be NULL in the SQL has some value.
func sampleArgs(query *sqlq.SavedQuery, now time.Time) ([]sqlq.Arg, error) {
	sample := *query
	sample.Params = make([]sqlq.Param, len(query.Params))
	raw := make(map[string][]string)
	for i, param := range query.Params {
		if len(param.Allowed) > 0 {
			raw[param.Name] = param.Allowed[len(param.Allowed)-1:]
		}
		param.Required = false
		sample.Params[i] = param
	}
	args, err := sample.Bind(raw)
	if err != nil {
		return nil, err
	}
	args = sqlq.NewStatement(query, args, now).Args
	for _, use := range sqltext.Params(Dialect{}, query.SQL) {
		at := slices.IndexFunc(args, func(arg sqlq.Arg) bool { return arg.Name == use.Name })
		if at >= 0 && args[at].Value == nil && !isNullable(query.SQL[use.Start:use.End]) {
			args[at].Value = sampleValue(args[at].Type, now)
		}
	}
	return args, nil
}

// sampleValue returns some value of a type.
func sampleValue(declared sqlq.Type, now time.Time) any {
	if declared.IsArray() {
		return []any{}
	}
	switch declared { //nolint:exhaustive // The others are texts.
	case sqlq.Int64:
		return int64(1)
	case sqlq.Float64:
		return 1.0
	case sqlq.Numeric:
		return sqlq.Decimal("1")
	case sqlq.Bool:
		return true
	case sqlq.Timestamp, sqlq.Date:
		return now.UTC()
	}
	return ""
}

// compileError returns ClickHouse's message about a mistake in the SQL, with its place in the file if it says one.
func (e *Engine) compileError(query *sqlq.SavedQuery, err error) error {
	found, answered := failureOf(err)
	if !answered || !isMistake(found) {
		return fmt.Errorf("check %s: %w", query.Name, e.config.setupError(err))
	}
	return sqlq.FileErrors{e.mistake(query, found)}
}

// mistake returns a mistake in the SQL, with its place. ClickHouse says one only of its syntax.
func (e *Engine) mistake(query *sqlq.SavedQuery, found failure) *sqlq.FileError {
	mistake := &sqlq.FileError{File: query.SQLFile, Message: withoutScope(found.message)}
	if query.Translation != nil && isCorrelated(found) {
		mistake.Message = "a subquery that reads columns of the query around it in this way is not supported on ClickHouse; join the tables"
		return mistake
	}
	if message := raised(found); message != "" {
		mistake.Message = message
		return mistake
	}
	place := regexp.MustCompile(`\A(.*?): failed at position \d+ \((.*?)\)(?: \(line (\d+), col (\d+)\))?:`).FindStringSubmatch(found.message)
	if place == nil {
		return mistake
	}
	mistake.Message = fmt.Sprintf("%s at %s", place[1], place[2])
	if _, expected, isThere := strings.Cut(found.message, "Expected "); isThere {
		mistake.Message += "; expected " + expected
	}
	line, _ := strconv.Atoi(place[3])
	column, _ := strconv.Atoi(place[4])
	if line > 1 { // the first line is DESCRIBE's
		at := query.PlaceInSQL(e.mapped(query).OriginalPlace(line-1, column))
		mistake.Line, mistake.Column = at.Line, at.Column
	}
	return mistake
}

// withoutScope returns a message without the SQL in which the mistake is, as ClickHouse understood it.
func withoutScope(message string) string {
	return regexp.MustCompile(`:? [Ii]n scope .*\z`).ReplaceAllString(message, "")
}

// texts runs a statement of the engine itself, whose columns are texts.
func (e *Engine) texts(ctx context.Context, settings clickhouse.Settings, values clickhouse.Parameters, sql string) ([][]string, error) {
	bounded, stop := withTimeout(ctx, e.config.Timeout)
	defer stop()
	settings["wait_end_of_query"] = 1
	stream, err := e.client.QueryFormat(clickhouse.Context(bounded, clickhouse.WithSettings(settings), clickhouse.WithParameters(values)), rowFormat, sql)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stream.Close() }()
	rows, err := newRowReader(stream)
	if err == io.EOF { //nolint:errorlint // It is not wrapped.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all [][]string
	for {
		columns := make([]sqlq.Column, len(rows.types))
		for i := range columns {
			columns[i].Type = sqlq.String
		}
		row, err := rows.next(columns)
		if err == io.EOF { //nolint:errorlint // It is not wrapped.
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		line := make([]string, len(row))
		for i, value := range row {
			line[i] = fmt.Sprint(value)
		}
		all = append(all, line)
	}
}
