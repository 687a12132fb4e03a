package openapi

const (
	// backendsPath is the path of the list of backends.
	backendsPath = "/api/backends"
	// backendsName is its response.
	backendsName = "Backends"
)

// addBackends adds the path that lists backends.
func (d *document) addBackends() {
	d.Components.Responses[backendsName] = response{
		Description: "No backends.",
		Headers:     headerReferences("Cache-Control", "X-Request-Id"),
		Content:     map[string]mediaType{mediaJSON: {Schema: list(schema{Type: "object"}, "Always empty.")}},
	}
	d.Paths[backendsPath] = pathItem{Get: &operation{
		OperationID: "backends", Summary: "The list of backends",
		Description: "Where logs are forwarded to: nowhere, so the list is empty. For clients of the original service, with a token that may do everything.",
		Responses:   responsesWith(backendsName, func(f *failure) bool { return f.ofList || f.name == "PermissionDenied" }),
	}}
}
