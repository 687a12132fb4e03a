package bigquery

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigquery"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

// Check lets the service compile a saved query and estimate what it reads, which
// costs nothing. The error is [sqlq.FileErrors] if the saved query is at
// fault, and one line with the remedy if the tables are. The estimate is for the last
// allowed value of each parameter, which usually reads most.
func (e *Engine) Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error) {
	query, params := withTypes(query)
	found, err := e.dryRun(ctx, query)
	if err != nil {
		return nil, err
	}
	fields, err := fieldsOf(found.statistics.Schema)
	if err != nil {
		return nil, fmt.Errorf("read the columns of %s: %w", query.Name, err)
	}
	plan := planOf(fields)
	plan.EstimatedBytes, plan.Params = &found.totalBytes, params
	if kind := found.statistics.StatementType; kind != "" && kind != "SELECT" {
		return plan, sqlq.FileErrors{{File: query.SQLFile, Message: "is a statement of type " + kind + "; a saved query is a SELECT"}}
	}
	if len(plan.Columns) == 0 {
		return plan, nil // from an emulator; there is nothing to compare
	}
	if mistakes := plan.Compare(query, holds); len(mistakes) > 0 {
		return plan, mistakes
	}
	return plan, nil
}

// withTypes returns the saved query with a type for each parameter that has none, and those
// parameters. BigQuery does not report their types: they are STRING, or an array of it in UNNEST.
func withTypes(query *sqlq.SavedQuery) (*sqlq.SavedQuery, []sqlq.PlannedParam) {
	types, unnest := make(map[string]sqlq.Type), regexp.MustCompile(`(?i)\bUNNEST\s*\(\s*$`)
	for _, use := range sqltext.Params(googlesql.Dialect{}, query.SQL) {
		if unnest.MatchString(query.SQL[:use.Start]) {
			types[use.Name] = sqlq.ArrayOf(sqlq.String)
		}
	}
	typed := *query
	typed.Params = slices.Clone(query.Params)
	var planned []sqlq.PlannedParam
	for i := range typed.Params {
		if param := &typed.Params[i]; param.Type == "" {
			param.Type = cmp.Or(types[param.Name], sqlq.String)
			planned = append(planned, sqlq.PlannedParam{Name: param.Name, Type: param.Type, Guessed: true})
		}
	}
	return &typed, planned
}

// dryRunResult is what a dry run returns.
type dryRunResult struct {
	totalBytes int64
	statistics *bigquery.QueryStatistics
}

// dryRun lets the service compile a saved query.
func (e *Engine) dryRun(ctx context.Context, query *sqlq.SavedQuery) (*dryRunResult, error) {
	patience, stop := context.WithTimeout(ctx, e.patience())
	defer stop()
	now := e.config.Clock()
	args, err := sampleArgs(query, now)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", query.Name, err)
	}
	request := e.newQuery(query, parameters(sqlq.NewStatement(query, args, now)))
	request.DryRun = true
	checked, err := request.Run(patience)
	if err != nil {
		return nil, e.compileError(query, err)
	}
	status := checked.LastStatus()
	if status == nil || status.Statistics == nil {
		return nil, fmt.Errorf("check %s: %w: a dry run without statistics", query.Name, errIncomplete)
	}
	if err := status.Err(); err != nil {
		return nil, e.compileError(query, err)
	}
	statistics, ok := status.Statistics.Details.(*bigquery.QueryStatistics)
	if !ok {
		return nil, fmt.Errorf("check %s: %w: a dry run without statistics of the query", query.Name, errIncomplete)
	}
	return &dryRunResult{totalBytes: status.Statistics.TotalBytesProcessed, statistics: statistics}, nil
}

// sampleArgs returns an argument for each parameter: the last allowed value, or
// the default, or NULL. Relative defaults are relative to now.
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
	return sqlq.NewStatement(query, args, now).Args, err
}

// compileError returns the service's message about a mistake in the SQL with its place in
// the file.
func (e *Engine) compileError(query *sqlq.SavedQuery, err error) error {
	found, _ := failureOf(err)
	if found.reason != "invalidQuery" && found.reason != "invalid" {
		return fmt.Errorf("check %s: %w", query.Name, e.config.setupError(err))
	}
	mistake := &sqlq.FileError{File: query.SQLFile, Message: strings.Join(strings.Fields(found.message), " ")}
	if place := regexp.MustCompile(`\A(.*?)\.? at \[(\d+):(\d+)\]\.?\z`).FindStringSubmatch(mistake.Message); place != nil {
		mistake.Message = place[1]
		line, _ := strconv.Atoi(place[2])
		column, _ := strconv.Atoi(place[3])
		found := query.PlaceInSQL(boundedSQL(query).OriginalPlace(line, column))
		mistake.Line, mistake.Column = found.Line, found.Column
	}
	return sqlq.FileErrors{mistake}
}

// planOf returns a plan with the columns of fields.
func planOf(fields []*rest.TableFieldSchema) *sqlq.Plan {
	plan := new(sqlq.Plan)
	for _, field := range fields {
		plan.Columns = append(plan.Columns, plannedColumn(field))
	}
	return plan
}

// plannedColumn returns the column of a field.
func plannedColumn(field *rest.TableFieldSchema) sqlq.PlannedColumn {
	column := sqlq.PlannedColumn{Name: field.Name, Type: typeName(field), Big: field.Type == "BIGNUMERIC"}
	if field.Mode == repeated {
		single := *field
		single.Name, single.Mode = "", ""
		element := plannedColumn(&single)
		column.Element = &element
		return column
	}
	for _, inner := range field.Fields {
		column.Fields = append(column.Fields, plannedColumn(inner))
	}
	return column
}

// fieldsOf returns a schema of the client in the service's own format, which rows have, too.
func fieldsOf(schema bigquery.Schema) ([]*rest.TableFieldSchema, error) {
	text, err := schema.ToJSONFields()
	if err != nil {
		return nil, err
	}
	var fields []*rest.TableFieldSchema
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	return fields, nil
}
