package openapi

import (
	"fmt"
	"net/http"
	"strconv"

	"savedq/internal/explorehttp"
	"savedq/internal/format"
	"savedq/sqlq/sandbox"
)

// Names of components of the path of Explore.
const (
	exploreTag      = "Explore"
	exploreRequest  = "ExploreRequest"
	exploreColumn   = "ExploreColumn"
	exploredRows    = "ExploredRows"
	invalidExplored = "InvalidExplore"
)

// addExplore adds the path that runs SQL over the tables.
func (d *document) addExplore() {
	d.Tags = append(d.Tags, tag{Name: exploreTag, Description: "SQL over the tables, for tokens with explore."})
	columns := refer("schemas", exploreColumn).schema()
	d.Components.Schemas[exploreColumn] = object(
		required("name", text("Name.")),
		required("type", text("Type, in GoogleSQL's words.")),
		optional("fields", list(columns, "Fields of a STRUCT, or of the elements of an array of these.")),
	)
	value := []string{"string", "number", "boolean", "null"}
	params := schema{AnyOf: []schema{{Type: value}, list(schema{Type: value[:3]}, "Elements of an array.")}}
	d.Components.Schemas[exploreRequest] = object(
		required("sql", text("One SELECT in GoogleSQL, with parameters such as @since.")),
		optional("params", schema{Type: "object", Description: "Values of the parameters, by name.", AdditionalProperties: &params}),
	)
	rows := response{
		Description: fmt.Sprintf("The rows, at most %d. They are not cached.", sandbox.MostExploredRows),
		Headers:     headerReferences("Cache-Control", format.TruncatedHeader, "X-Request-Id"),
		Content:     negotiatedFormats(),
	}
	rows.Content[mediaJSON] = mediaType{Schema: object(
		required("columns", list(columns, "The columns of the rows, in their order.")),
		required("truncated", schema{Type: "boolean", Description: "Whether there were more rows."}),
		required("milliseconds", schema{Type: "number", Format: "double", Description: "How long the SQL ran."}),
		required("result", list(schema{Type: "object"}, "The rows.")),
	)}
	d.Components.Responses[exploredRows] = rows
	d.Components.Responses[invalidExplored] = failureResponse("The body cannot be read, the SQL has a mistake or reads what the token may not read, or a parameter is missing or invalid.", nil, nil)
	responses := responsesWith(exploredRows, isOneOf("Unauthenticated", "PermissionDenied", "ResourceExhausted", "Cancelled", "Internal", "Unavailable", "DeadlineExceeded"))
	responses[strconv.Itoa(http.StatusBadRequest)] = refer("responses", invalidExplored)
	d.Paths[explorehttp.Path] = pathItem{Post: &operation{
		OperationID: "explore", Summary: "Run SQL over the tables", Tags: []string{exploreTag},
		Description: "Runs one SELECT within the limits of a sandbox. A token with bound parameters reads only rows with its values.",
		RequestBody: &requestBody{
			Description: "The SQL and its parameters.",
			Content:     map[string]mediaType{mediaJSON: {Schema: refer("schemas", exploreRequest).schema()}},
		},
		Responses: responses,
	}}
}
