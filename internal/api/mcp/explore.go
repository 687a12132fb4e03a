package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"savedq/internal/api/describe"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Explorer runs SQL of callers over the tables, with the rights and limits of Explore over HTTP.
type Explorer struct {
	// Query returns a saved query with SQL of the caller, in one of the Dialects.
	Query func(ctx context.Context, dialect, sql string) (*sqlq.SavedQuery, error)
	// Dialects are the names of dialects of SQL, the default first.
	Dialects []string
	Run      func(ctx context.Context, request runner.Request) (*runner.Response, error)
	// Tables returns the tables that the caller can read.
	Tables func(ctx context.Context) sqlq.Tables
	// MaxRows is the most rows of a result.
	MaxRows int
}

// exploreTool returns the tool that runs SQL.
func (s *Server) exploreTool(ctx context.Context) (*sdk.Tool, error) {
	schema := describe.Schema{
		Type: "object", Required: []string{sqlq.SQLParam}, AdditionalProperties: false,
		Properties: append(describe.Properties{
			{Name: sqlq.SQLParam, Schema: text("One SELECT. It has no parameters: write values into it.")},
			{Name: dialectParam, Schema: s.dialectSchema()},
		}, pageProperties()...),
	}
	input, err := jsontext.Marshal(schema)
	if err != nil {
		return nil, err
	}
	row := describe.Schema{Type: "object"}
	output, err := jsontext.Marshal(resultSchema(&row))
	if err != nil {
		return nil, err
	}
	about := fmt.Sprintf("Runs one SELECT in GoogleSQL, the dialect of BigQuery, over the tables of log events and files, and returns its rows: "+
		"at most %d, and not cached. Prefer the tool of a saved query if one fits. Limit times by the column timestamp, because a table can have many rows. "+
		"For the columns of the tables, call the tool %s with {%q: %q}.\n\n", s.config.Explorer.MaxRows, sqlq.DescribeTool, toolParam, sqlq.ExploreTool)
	return &sdk.Tool{
		Name: sqlq.ExploreTool, Title: "Run SQL",
		Description: about + nameList("Tables: ", s.config.Explorer.Tables(ctx).Names(), mostDescription-lengthOf(about)),
		InputSchema: rawJSON(input), OutputSchema: rawJSON(output), Annotations: readOnly(),
	}, nil
}

// dialectParam is the argument with the name of a dialect.
const dialectParam = "dialect"

func (s *Server) dialectSchema() describe.Schema {
	schema := text("The dialect of the SQL, by default googlesql. clickhouse is ClickHouse's, over the one table logs(id, timestamp, event_message, " +
		"severity_text, source, log_attributes), as in hosted Supabase's Logs Explorer.")
	for _, name := range s.config.Explorer.Dialects {
		schema.Enum = append(schema.Enum, name)
	}
	return schema
}

// explore runs SQL of a caller, and returns a page of its rows.
func (s *Server) explore(ctx context.Context, arguments rawJSON) (text, structured []byte, err error) {
	members, err := membersOf(arguments)
	if err != nil {
		return nil, nil, err
	}
	known := []string{sqlq.SQLParam, dialectParam, columnsParam, cursorParam}
	if err := onlyKnown(members, known, known); err != nil {
		return nil, nil, err
	}
	request := runner.Request{Params: make(map[string][]string), Faults: make(map[string]string)}
	for name, value := range members {
		setTexts(&request, name, value)
	}
	args, err := takePage(&request)
	if err == nil {
		request.SQL, err = takeText(&request, sqlq.SQLParam)
	}
	dialects := s.config.Explorer.Dialects
	dialect := ""
	if err == nil {
		dialect, err = takeText(&request, dialectParam)
	}
	switch dialect = cmp.Or(dialect, dialects[0]); {
	case err != nil:
	case strings.TrimSpace(request.SQL) == "":
		err = sqlq.ParamErrorf(sqlq.SQLParam, "is required")
	case !slices.Contains(dialects, dialect):
		err = sqlq.ParamErrorf(dialectParam, "must be %s", strings.Join(dialects, " or "))
	}
	if err != nil {
		return nil, nil, err
	}
	if request.Query, err = s.config.Explorer.Query(ctx, dialect, request.SQL); err != nil {
		return nil, nil, err
	}
	bound := s.config.Caller(ctx).Bound
	for i := range request.Query.Params {
		if param := &request.Query.Params[i]; param.Required && !bound.Limits(param) {
			return nil, nil, sqlq.ParamErrorf(sqlq.SQLParam, "has the parameter %s, and this tool takes no parameters; write the value into the SQL", param.Name)
		}
	}
	response, err := s.config.Explorer.Run(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	return page(response, args, pageBytes)
}

// exploreText describes the tables that the caller can read.
func (s *Server) exploreText(ctx context.Context) string {
	return "Tool: `" + sqlq.ExploreTool + "`. One SELECT in GoogleSQL over these tables. `metadata` is an array of one object, " +
		"in which each nested object is an array of one object, too: `CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.request) AS r` reads `r.method`.\n\n" +
		"With the dialect `clickhouse`, it is one SELECT in ClickHouse's SQL over the table `logs`, with the events of all log sources: `source` is the name of a " +
		"table below, and `log_attributes['request.method']` reads a member of `metadata`.\n\n" +
		tablesText(s.config.Explorer.Tables(ctx))
}
