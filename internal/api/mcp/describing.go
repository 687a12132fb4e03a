package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"savedq/internal/api/describe"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// mostDescription is the longest description of a tool that all clients accept, in characters of
// JavaScript. Some reject all tools if one has a longer one.
const mostDescription = 1024

// more points to the tool that has what a description leaves out.
const more = "\n\nThis is shortened; the tool " + sqlq.DescribeTool + " has the rest."

// toolDescription describes a saved query with its columns, because clients do not show output
// schemas to models.
func toolDescription(query *sqlq.SavedQuery) string {
	whole := wholeDescription(query)
	if lengthOf(whole) <= mostDescription {
		return whole
	}
	limits := "\n\n" + describe.Limits(query)
	left := mostDescription - lengthOf(limits) - lengthOf(more)
	about := cutAtSentence(describe.WithDeprecation(query.Description, query.Deprecated), left/2) //nolint:mnd // The columns have the other half.
	return about + limits + columnList(query, left-lengthOf(about)) + more
}

// isShortened reports whether the description of a tool leaves something out.
func isShortened(query *sqlq.SavedQuery) bool {
	return lengthOf(wholeDescription(query)) > mostDescription
}

func wholeDescription(query *sqlq.SavedQuery) string {
	return describe.WithDeprecation(query.Description, query.Deprecated) + "\n\n" + describe.Limits(query) + columnLines(query)
}

// columnLines describes each column on a line.
func columnLines(query *sqlq.SavedQuery) string {
	var text strings.Builder
	text.WriteString("\n\nColumns:")
	for i := range query.Columns {
		column := &query.Columns[i]
		text.WriteString("\n- " + column.Name + ": " + strings.Join(strings.Fields(describe.Column(column, describe.ISO8601).Description), " "))
	}
	return text.String()
}

// columnList returns as much about the columns as fits: their descriptions, or their names.
func columnList(query *sqlq.SavedQuery, most int) string {
	if lines := columnLines(query); lengthOf(lines) <= most {
		return lines
	}
	return "\n\n" + nameList("Columns: ", sqlq.ColumnNames(query.Columns), most-len("\n\n"))
}

// nameList returns as many names as fit into a sentence, and how many others there are.
func nameList(title string, names []string, most int) string {
	list := title + strings.Join(names, ", ") + "."
	for shown := len(names) - 1; shown >= 0 && lengthOf(list) > most; shown-- {
		list = title + strings.Join(names[:shown], ", ") + fmt.Sprintf(" and %d others.", len(names)-shown)
	}
	return list
}

// cutAtSentence returns the sentences at the start of a text that fit, or else the words.
func cutAtSentence(text string, most int) string {
	if lengthOf(text) <= most {
		return text
	}
	sentences, words := 0, 0
	for i, char := range text {
		if lengthOf(text[:i])+len(" …") > most {
			break
		}
		if char == ' ' || char == '\n' {
			words = i
			if i > 0 && strings.IndexByte(".!?", text[i-1]) >= 0 {
				sentences = i
			}
		}
	}
	if sentences > 0 {
		return text[:sentences]
	}
	return text[:words] + " …"
}

// lengthOf returns the characters of a text as JavaScript counts them, which are never fewer than the characters of other
// languages.
func lengthOf(text string) int {
	length := 0
	for _, char := range text {
		length += max(1, utf16.RuneLen(char))
	}
	return length
}

// describeTool returns the tool that describes tools, if the caller needs it.
func (s *Server) describeTool(tools []*sqlq.SavedQuery, explores bool) (*sdk.Tool, error) {
	needed := explores
	for _, query := range tools {
		needed = needed || isShortened(query)
	}
	if !needed {
		return nil, nil //nolint:nilnil // The caller has no such tool.
	}
	input, err := jsontext.Marshal(describe.Schema{
		Type: "object", Required: []string{toolParam}, AdditionalProperties: false,
		Properties: describe.Properties{{Name: toolParam, Schema: text("The name of a tool.")}},
	})
	if err != nil {
		return nil, err
	}
	return &sdk.Tool{
		Name: sqlq.DescribeTool, Title: "Describe a tool",
		Description: "Returns the documentation of another tool as Markdown: its description, arguments, all columns with their meanings, and its SQL. For " + sqlq.ExploreTool + " it has the tables with their columns.",
		InputSchema: rawJSON(input), Annotations: readOnly(),
	}, nil
}

// toolParam is the argument of the tool that describes tools.
const toolParam = "tool"

// describeCall runs the tool that describes tools.
func (s *Server) describeCall(ctx context.Context, arguments rawJSON) (*toolResult, error) {
	members, err := membersOf(arguments)
	if err != nil {
		return nil, err
	}
	if err := onlyKnown(members, []string{toolParam}, nil); err != nil {
		return nil, err
	}
	var name string
	if value, given := members[toolParam]; !given || json.Unmarshal(value, &name) != nil || name == "" {
		return nil, sqlq.ParamErrorf(toolParam, "must be the name of a tool")
	}
	caller := s.config.Caller(ctx)
	if name == sqlq.ExploreTool && caller.Explore {
		return newResult(quoteJSON(s.exploreText(ctx)), nil, false), nil
	}
	tools := s.tools(ctx)
	names := make([]string, 0, len(tools))
	for _, query := range tools {
		if query.Tool == name {
			return newResult(quoteJSON(queryText(query, caller)), nil, false), nil
		}
		names = append(names, query.Tool)
	}
	return nil, sqlq.ParamErrorf(toolParam, "there is no tool %s; %s", sqlq.Quote(name), sqlq.DidYouMean(name, names, "tools/list has the tools of your token"))
}

func quoteJSON(text string) []byte { return sqlq.AppendValue(nil, sqlq.String, text) }

// forModels returns the schema of an argument as the interfaces of all models take it: some reject all tools if one
// has an enum of anything but strings, or a format that they do not know. The words of the description say the same.
func forModels(schema describe.Schema) describe.Schema {
	add := func(words string) { schema.Description = strings.TrimSpace(schema.Description + " " + words) }
	if schema.Type != "string" && len(schema.Enum) > 0 {
		values := make([]string, len(schema.Enum))
		for i, value := range schema.Enum {
			values[i] = fmt.Sprintf("%s", value)
		}
		add("One of " + strings.Join(values, ", ") + ".")
		schema.Enum = nil
	}
	switch schema.Format {
	case "date":
		add("Format: YYYY-MM-DD.")
		schema.Format = ""
	case "re2":
		add("A regular expression of RE2.")
		schema.Format = ""
	}
	if schema.Items != nil {
		items := forModels(*schema.Items)
		schema.Items = &items
	}
	return schema
}
