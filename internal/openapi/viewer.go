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
	d.Components.Schemas[amountsSchema] = schemaOf[viewerhttp.Amounts]()
	d.Components.Schemas[viewerSchema] = schemaOf[viewerhttp.Viewer]()
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

func whole(description string) schema {
	return schema{Type: "integer", Format: "int64", Description: description}
}
