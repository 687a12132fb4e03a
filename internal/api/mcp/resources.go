package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"savedq/internal/api/describe"
	"savedq/sqlq"
)

const (
	tablesURI  = "savedq://tables"
	queriesURI = "savedq://queries/"
	mediaMD    = "text/markdown"
)

// listResources returns the tables and the documentation of each tool.
func (s *Server) listResources(ctx context.Context) sdk.Result {
	result := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: sdk.Cacheable{CacheScope: "private"}}
	if s.config.Caller(ctx).Tables {
		result.Resources = append(result.Resources, &sdk.Resource{
			URI: tablesURI, Name: "tables", Title: "Tables", MIMEType: mediaMD, Description: "The tables that the saved queries read, with their columns.",
		})
	}
	for _, query := range s.tools(ctx) {
		result.Resources = append(result.Resources, &sdk.Resource{
			URI: queriesURI + query.Name, Name: query.Name, Title: query.Name, MIMEType: mediaMD,
			Description: "Parameters, columns and SQL of the tool " + query.Tool + ".",
		})
	}
	return result
}

// readResource returns a resource of the caller.
func (s *Server) readResource(ctx context.Context, uri string) (sdk.Result, error) {
	caller := s.config.Caller(ctx)
	if uri == tablesURI && caller.Tables {
		return newResource(uri, tablesText(s.config.Tables)), nil
	}
	for _, query := range s.tools(ctx) {
		if uri == queriesURI+query.Name {
			return newResource(uri, queryText(query, caller)), nil
		}
	}
	return nil, sdk.ResourceNotFoundError(uri)
}

func newResource(uri, text string) sdk.Result {
	return &sdk.ReadResourceResult{
		Contents:  []*sdk.ResourceContents{{URI: uri, MIMEType: mediaMD, Text: text}},
		Cacheable: sdk.Cacheable{CacheScope: "private"},
	}
}

// tablesText describes tables.
func tablesText(tables sqlq.Tables) string {
	var text strings.Builder
	text.WriteString("# Tables\n")
	for _, table := range tables {
		fmt.Fprintf(&text, "\n## %s\n\n%s\n\n", table.Name, table.Description)
		for _, column := range table.Columns() {
			fmt.Fprintf(&text, "- `%s` (%s): %s\n", column.Name, column.Type, column.Description)
		}
		if len(table.Members) > 0 {
			text.WriteString("\nUsual members of `metadata`:\n\n")
			writeMembers(&text, "", table.Members)
		}
	}
	return text.String()
}

// writeMembers lists the members of an object, and of those in it, on a line each.
func writeMembers(text *strings.Builder, path string, members sqlq.Members) {
	var plain []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if len(members[name]) == 0 {
			plain = append(plain, "`"+name+"`")
		}
	}
	if len(plain) > 0 {
		place := "itself"
		if path != "" {
			place = "`" + path + "`"
		}
		fmt.Fprintf(text, "- %s: %s\n", place, strings.Join(plain, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if len(members[name]) > 0 {
			writeMembers(text, strings.TrimPrefix(path+"."+name, "."), members[name])
		}
	}
}

// queryText describes a saved query as the caller may use it.
func queryText(query *sqlq.SavedQuery, caller Caller) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\n%s\n\nTool: `%s`. %s\n", query.Name, describe.WithDeprecation(query.Description, query.Deprecated), query.Tool, describe.Limits(query))
	text.WriteString("\n## Parameters\n\n")
	params := usable(query, caller).Params
	for i := range params {
		param := &params[i]
		needed := ""
		switch {
		case param.Required:
			needed = ", required"
		case len(param.Default) > 0:
			needed = ", default " + strings.Join(param.Default, " ")
		}
		fmt.Fprintf(&text, "- `%s` (%s%s): %s", param.Name, param.Type, needed, describe.Param(param).Description)
		if len(param.Allowed) > 0 {
			text.WriteString(" One of " + strings.Join(param.Allowed, ", ") + ".")
		}
		text.WriteByte('\n')
	}
	if len(params) == 0 {
		text.WriteString("None.\n")
	}
	text.WriteString("\n## Columns\n\n")
	for i := range query.Columns {
		column := &query.Columns[i]
		fmt.Fprintf(&text, "- `%s` (%s): %s\n", column.Name, column.TypeName(), describe.Column(column, describe.ISO8601).Description)
	}
	written, _ := query.Written()
	fmt.Fprintf(&text, "\n## SQL\n\n```sql\n%s\n```\n", strings.TrimSpace(written))
	return text.String()
}
