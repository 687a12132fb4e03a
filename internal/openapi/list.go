package openapi

import (
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/describe"
	"savedq/internal/rest"
)

// Names of components of the list of saved queries.
const (
	listResponse  = "Endpoints"
	listSchema    = "Endpoint"
	listUnchanged = "EndpointsNotModified"
	fieldSchema   = "EndpointColumn"
)

// addList adds the path that lists the saved queries.
func (d *document) addList() {
	d.Components.Responses[listResponse] = response{
		Description: "The saved queries that the token may use, by name.",
		Headers:     headerReferences("Cache-Control", "ETag", "X-Request-Id"),
		Content: map[string]mediaType{mediaJSON: {Schema: schema{
			Type: "object", Required: []string{"result"},
			Properties: describe.Properties{{Name: "result", Schema: schema{Type: "array", Items: new(refer("schemas", listSchema).schema())}}},
		}}},
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

// member is a property of an object.
type member struct {
	describe.Property

	required bool
}

func required(name string, value schema) member {
	return member{describe.Property{Name: name, Schema: value}, true}
}

func optional(name string, value schema) member {
	return member{describe.Property{Name: name, Schema: value}, false}
}

func text(description string) schema { return schema{Type: "string", Description: description} }

func list(item schema, description string) schema {
	return schema{Type: "array", Items: &item, Description: description}
}

func object(members ...member) schema {
	described := schema{Type: "object"}
	for _, member := range members {
		described.Properties = append(described.Properties, member.Property)
		if member.required {
			described.Required = append(described.Required, member.Name)
		}
	}
	return described
}
