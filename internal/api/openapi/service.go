package openapi

import (
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/api/rest"
	"savedq/internal/api/viewerhttp"
)

// Names of components of the paths of the list of saved queries, of the viewer and of backends.
const (
	listResponse  = "Endpoints"
	listSchema    = "Endpoint"
	listUnchanged = "EndpointsNotModified"
	fieldSchema   = "EndpointColumn"
	viewerTag     = "Viewer"
	viewerSchema  = "Viewer"
	amountsSchema = "BudgetAmounts"
	backendsName  = "Backends"
)

// addList adds the path that lists the saved queries.
func (d *document) addList() {
	d.Components.Responses[listResponse] = response{
		Description: "The saved queries that the token may use, by name.",
		Headers:     headerReferences("Cache-Control", "ETag", "X-Request-Id"),
		Content:     map[string]mediaType{mediaJSON: {Schema: object(required("result", list(component(listSchema), "")))}},
	}
	d.Components.Responses[listUnchanged] = response{
		Description: "The caller has the list already: its ETag is in If-None-Match.",
		Headers:     headerReferences("Cache-Control", "ETag", "X-Request-Id"),
	}
	d.Components.Schemas[listSchema] = schemaOf[rest.Listed]()
	d.Components.Schemas[fieldSchema] = schemaOf[rest.ListedColumn]()
	responses := responsesWith(listResponse, isOfList)
	responses[strconv.Itoa(http.StatusNotModified)] = refer("responses", listUnchanged)
	d.Paths[strings.TrimSuffix(rest.Path, "/")] = pathItem{Get: &operation{
		OperationID: "endpoints",
		Summary:     "The list of saved queries",
		Description: "The saved queries that the token may use, by name, with their parameters and columns.",
		Parameters:  []reference{refer("parameters", ifNoneMatch)},
		Responses:   responses,
	}}
}

// addViewer adds the path that shows what a token allows.
func (d *document) addViewer() {
	d.Tags = append(d.Tags, tag{Name: viewerTag, Description: "What the token of the request allows."})
	d.Components.Schemas[amountsSchema] = schemaOf[viewerhttp.Amounts]()
	d.Components.Schemas[viewerSchema] = schemaOf[viewerhttp.Viewer]()
	d.Components.Responses[viewerTag] = uncached("What the token allows, and what it has spent of its budget.",
		object(required("result", component(viewerSchema))))
	d.Paths[viewerhttp.Path] = pathItem{Get: &operation{
		OperationID: "viewer", Summary: "What the token allows", Tags: []string{viewerTag},
		Description: "The saved queries, values of parameters, limits and budget of the token of the request.",
		Responses:   responsesWith(viewerTag, isOfList),
	}}
}

// addBackends adds the path that lists backends.
func (d *document) addBackends() {
	d.Components.Responses[backendsName] = uncached("No backends.", list(schema{Type: "object"}, "Always empty."))
	d.Paths["/api/backends"] = pathItem{Get: &operation{
		OperationID: "backends", Summary: "The list of backends",
		Description: "Where logs are forwarded to: nowhere, so the list is empty. For clients of the original service, with a token that may do everything.",
		Responses:   responsesWith(backendsName, func(f *failure) bool { return f.ofList || f.name == "PermissionDenied" }),
	}}
}

// uncached returns a response in JSON.
func uncached(description string, body schema) response {
	return response{
		Description: description, Headers: headerReferences("Cache-Control", "X-Request-Id"),
		Content: map[string]mediaType{mediaJSON: {Schema: body}},
	}
}
