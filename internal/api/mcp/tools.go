package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"savedq/internal/api/describe"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// cursorParam is the argument with which a caller goes on after a page. No parameter of a saved
// query can have its name. columnsParam chooses the columns of the rows.
const (
	cursorParam  = "_cursor"
	columnsParam = "_columns"
)

// listTools returns the tools of the caller, by the names of the saved queries.
func (s *Server) listTools(ctx context.Context) (sdk.Result, error) {
	caller := s.config.Caller(ctx)
	result := &sdk.ListToolsResult{Tools: []*sdk.Tool{}, Cacheable: sdk.Cacheable{CacheScope: "private"}}
	tools := s.tools(ctx)
	for _, query := range tools {
		tool, err := toolOf(query, caller)
		if err != nil {
			return nil, err
		}
		result.Tools = append(result.Tools, tool)
	}
	if caller.Explore {
		tool, err := s.exploreTool(ctx)
		if err != nil {
			return nil, err
		}
		result.Tools = append(result.Tools, tool)
	}
	if tool, err := s.describeTool(tools, caller.Explore); err != nil {
		return nil, err
	} else if tool != nil {
		result.Tools = append(result.Tools, tool)
	}
	return result, nil
}

// tools returns the saved queries that are tools of the caller.
func (s *Server) tools(ctx context.Context) []*sqlq.SavedQuery {
	var tools []*sqlq.SavedQuery
	for _, query := range s.config.Runner.Queries(ctx) {
		if query.Tool != "" {
			tools = append(tools, query)
		}
	}
	return tools
}

// toolOf describes the tool of a saved query.
func toolOf(query *sqlq.SavedQuery, caller Caller) (*sdk.Tool, error) {
	input, err := jsontext.Marshal(inputSchema(query, caller))
	if err != nil {
		return nil, err
	}
	output, err := jsontext.Marshal(outputSchema(query, caller))
	if err != nil {
		return nil, err
	}
	return &sdk.Tool{
		Name: query.Tool, Title: query.Name, Description: toolDescription(query),
		InputSchema: rawJSON(input), OutputSchema: rawJSON(output),
		Annotations: readOnly(),
	}, nil
}

func readOnly() *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false)}
}

// usable returns the saved query as the caller may use it: without parameters that the token binds to
// one value (D45), and with SQL of the caller's own.
func usable(query *sqlq.SavedQuery, caller Caller) *sqlq.SavedQuery {
	narrowed := *caller.Bound.Narrow(query)
	var params []sqlq.Param
	for _, param := range narrowed.Params {
		if !caller.Bound.Limits(&param) || len(param.Allowed) != 1 {
			params = append(params, param)
		}
	}
	narrowed.Params = params
	if query.Sandboxed && caller.Sandbox {
		return describe.WithSQL(&narrowed)
	}
	return &narrowed
}

// inputSchema returns the schema of the arguments.
func inputSchema(query *sqlq.SavedQuery, caller Caller) describe.Schema {
	schema := describe.Schema{Type: "object", Properties: describe.Properties{}, AdditionalProperties: false}
	params := usable(query, caller).Params
	for i := range params {
		schema.Properties = append(schema.Properties, describe.Property{Name: params[i].Name, Schema: forModels(describe.Param(&params[i]))})
		if params[i].Required {
			schema.Required = append(schema.Required, params[i].Name)
		}
	}
	schema.Properties = append(schema.Properties, pageProperties()...)
	return schema
}

// pageProperties returns the arguments that all tools with rows have.
func pageProperties() describe.Properties {
	return describe.Properties{
		{Name: columnsParam, Schema: describe.Schema{
			Type: "array", Items: &describe.Schema{Type: "string"}, Description: "The names of the columns that the rows have. Absent or empty means all. Fewer columns make room for more rows.",
		}},
		{Name: cursorParam, Schema: text("The _cursor of a truncated result, to get the rows after it. The other arguments must be the same.")},
	}
}

// outputSchema returns the schema of a result.
func outputSchema(query *sqlq.SavedQuery, caller Caller) describe.Schema {
	row := describe.Row(query, describe.ISO8601)
	row.Required = nil                     // the caller can choose columns
	if query.Sandboxed && caller.Sandbox { // whose SQL can have other columns
		row = describe.Schema{Type: "object"}
	}
	return resultSchema(&row)
}

// resultSchema returns the schema of a result with rows.
func resultSchema(row *describe.Schema) describe.Schema {
	freshness := describe.Schema{
		Type: "object", Required: []string{"cache", "ageSeconds", "asOf", "ttlMs"},
		Properties: describe.Properties{
			{Name: "cache", Schema: text("Where the rows come from: HIT and JOINED are shared with other callers, STALE is expired because the engine failed.")},
			{Name: "ageSeconds", Schema: describe.Schema{Type: "integer", Description: "Seconds since the rows were computed."}},
			{Name: "asOf", Schema: describe.Schema{Type: "string", Format: "date-time", Description: "The time that the query took for now."}},
			{Name: "ttlMs", Schema: describe.Schema{Type: "integer", Description: "Milliseconds for which the result can be reused; the same call returns the same rows."}},
		},
	}
	return describe.Schema{
		Type: "object", Required: []string{"rows", "truncated", "freshness"},
		Properties: describe.Properties{
			{Name: "rows", Schema: describe.Schema{Type: "array", MaxItems: pageRows, Items: row}},
			{Name: "truncated", Schema: describe.Schema{Type: "boolean", Description: "Whether there are, or can be, further rows."}},
			{Name: "note", Schema: text("How to get further rows.")},
			{Name: cursorParam, Schema: text("The argument _cursor that gets the next rows.")},
			{Name: "freshness", Schema: freshness},
		},
	}
}

func text(description string) describe.Schema {
	return describe.Schema{Type: "string", Description: description}
}
