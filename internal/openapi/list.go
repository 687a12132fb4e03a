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
	d.Components.Schemas[listSchema] = endpointSchema()
	d.Components.Schemas[fieldSchema] = object(
		required("name", text("Name of the column.")),
		required("type", text("Type of the values.")),
		required("nullable", schema{Type: "boolean", Description: "Whether values can be null."}),
		required("description", text("What the values mean.")),
		optional("deprecated", text("Why the column should no longer be used.")),
		optional("fields", list(refer("schemas", fieldSchema).schema(), "Fields of a STRUCT.")),
	)
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

// endpointSchema returns the schema of a saved query in the list.
func endpointSchema() schema {
	param := object(
		required("name", text("Name of the parameter.")),
		required("type", text("Type of the value.")),
		required("description", text("What the parameter does.")),
		optional("deprecated", text("Why the parameter should no longer be used.")),
		required("required", schema{Type: "boolean", Description: "Whether an absent or empty value is an error."}),
		optional("default", schema{Description: "Value if it is absent or empty: a text, or a list of texts for an ARRAY."}),
		optional("allowed", list(schema{Type: "string"}, "Allowed values.")),
		optional("min", text("Least value.")),
		optional("max", text("Greatest value.")),
	)
	return object(
		required("id", schema{Type: "string", Format: "uuid", Description: "Id, which never changes."}),
		required("name", text("Unique name.")),
		required("aliases", list(schema{Type: "string"}, "Further names and ids.")),
		required("description", text("What the rows are.")),
		optional("deprecated", text("Why the saved query should no longer be used.")),
		required("parameters", list(param, "Parameters, in the order of their declaration.")),
		required("columns", list(refer("schemas", fieldSchema).schema(), "Columns of the rows, in order.")),
		required("urls", list(schema{Type: "string"}, "Paths of the saved query.")),
	)
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
