package openapi

import "savedq/internal/viewerhttp"

// Names of components of the path of the viewer.
const (
	viewerTag     = "Viewer"
	viewerSchema  = "Viewer"
	amountsSchema = "BudgetAmounts"
)

// addViewer adds the path that shows what a token allows.
func (d *document) addViewer() {
	d.Tags = append(d.Tags, tag{Name: viewerTag, Description: "What the token of the request allows."})
	d.Components.Schemas[amountsSchema] = object(
		required("requests", whole("Requests that started a run.")),
		required("rows", whole("Rows that the runs returned.")),
		required("bytes", whole("Bytes that the engine bills for.")),
		required("engineSeconds", schema{Type: "number", Format: "double", Description: "How long the runs took."}),
	)
	d.Components.Schemas[viewerSchema] = viewerObject()
	d.Components.Responses[viewerTag] = response{
		Description: "What the token allows, and what it has spent of its budget.",
		Headers:     headerReferences("Cache-Control", "X-Request-Id"),
		Content: map[string]mediaType{mediaJSON: {Schema: object(
			required("result", refer("schemas", viewerSchema).schema()),
		)}},
	}
	d.Paths[viewerhttp.Path] = pathItem{Get: &operation{
		OperationID: "viewer", Summary: "What the token allows", Tags: []string{viewerTag},
		Description: "The saved queries, values of parameters, limits and budget of the token of the request.",
		Responses:   responsesWith(viewerTag, isOfList),
	}}
}

// viewerObject returns the schema of a [viewerhttp.Viewer].
func viewerObject() schema {
	amounts := refer("schemas", amountsSchema).schema()
	names := list(schema{Type: "string"}, "")
	values := schema{Type: "object", Description: "Parameters of which the token may use certain values only, with these values.", AdditionalProperties: &names}
	return object(
		required("token", text("Name of the token in logs.")),
		optional("subject", text("Subject of a signed token.")),
		required("expires", schema{Type: nullable("string"), Format: "date-time", Description: "When the token expires. Null means never."}),
		required("endpoints", list(schema{Type: "string"}, "Names of the saved queries that the token may run, in alphabetical order.")),
		required("boundParameters", values),
		required("limits", object(
			required("rate", schema{Type: nullable("number"), Format: "double", Description: "Requests per second. Null means any number."}),
			required("burst", schema{Type: nullable("integer"), Description: "Requests at once. Null means any number."}),
			required("projectTier", schema{Type: nullable("string"), Description: "Highest project tier that the token may use. Null means any."}),
			required("refresh", schema{Type: "boolean", Description: "Whether the token may bypass the cache with Cache-Control: no-cache."}),
			required("sandbox", schema{Type: "boolean", Description: "Whether the token may send SQL of its own to saved queries with a sandbox."}),
			required("explore", schema{Type: "boolean", Description: "Whether the token may run any SELECT over the tables."}),
			required("tail", schema{Type: "boolean", Description: "Whether the token may follow logs on this server."}),
			required("usage", schema{Type: "boolean", Description: "Whether the token may read what all tokens used."}),
		)),
		required("budget", list(object(
			required("period", schema{Type: "string", Enum: []any{"hour", "day"}, Description: "Of UTC."}),
			required("allowed", describedAs(amounts, "What may be spent. Amounts of 0 are not limited.")),
			required("spent", describedAs(amounts, "What was spent.")),
			required("resetsAt", schema{Type: "string", Format: "date-time", Description: "When the period ends."}),
		), "Parts of the token's budget. Empty without a budget.")),
	)
}

// nullable returns the types of a value that can be null.
func nullable(name string) []string { return []string{name, "null"} }

func whole(description string) schema {
	return schema{Type: "integer", Format: "int64", Description: description}
}

func describedAs(schema schema, description string) schema {
	schema.Description = description
	return schema
}
