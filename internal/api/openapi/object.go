package openapi

import "savedq/internal/api/describe"

// The types below are the objects of OpenAPI 3.1, with the fields that are used here.
// kin-openapi's types would sort the properties of a row by name, and generated clients
// would lose the order of the columns.

type document struct {
	OpenAPI    string                `json:"openapi"`
	Info       info                  `json:"info"`
	Servers    []server              `json:"servers"`
	Security   []map[string][]string `json:"security"`
	Tags       []tag                 `json:"tags"`
	Paths      map[string]pathItem   `json:"paths"`
	Components components            `json:"components"`
}

type info struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version"`
}

type server struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type pathItem struct {
	Get    *operation `json:"get,omitempty"`
	Post   *operation `json:"post,omitempty"`
	Delete *operation `json:"delete,omitempty"`
}

type operation struct {
	OperationID string               `json:"operationId"`
	Summary     string               `json:"summary"`
	Description string               `json:"description"`
	Deprecated  bool                 `json:"deprecated,omitempty"`
	Tags        []string             `json:"tags,omitempty"`
	Parameters  []reference          `json:"parameters,omitempty"`
	RequestBody *requestBody         `json:"requestBody,omitempty"`
	Responses   map[string]reference `json:"responses"`
}

type requestBody struct {
	Description string               `json:"description"`
	Content     map[string]mediaType `json:"content"`
}

type components struct {
	Parameters      map[string]parameter      `json:"parameters"`
	Headers         map[string]header         `json:"headers"`
	Responses       map[string]response       `json:"responses"`
	Schemas         map[string]schema         `json:"schemas"`
	SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
}

// reference is a reference to a component; see [refer].
type reference struct {
	Ref string `json:"$ref"`
}

// refer returns a reference to a component of a kind, such as "schemas". The
// letters of a component's name need no escaping.
func refer(kind, name string) reference {
	return reference{Ref: "#/components/" + kind + "/" + name}
}

// component returns the schema that refers to another one.
func component(name string) schema { return schema{Ref: refer("schemas", name).Ref} }

type parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Required    bool   `json:"required,omitempty"`
	Deprecated  bool   `json:"deprecated,omitempty"`
	Schema      schema `json:"schema"`
	Example     any    `json:"example,omitempty"`
}

type header struct {
	Description string `json:"description"`
	Required    bool   `json:"required,omitempty"`
	Schema      schema `json:"schema"`
}

type response struct {
	Description string               `json:"description"`
	Headers     map[string]reference `json:"headers,omitempty"`
	Content     map[string]mediaType `json:"content,omitempty"`
}

type mediaType struct {
	Schema   schema             `json:"schema"`
	Examples map[string]example `json:"examples,omitempty"`
}

type example struct {
	// Summary is the request to which the value is the response.
	Summary string `json:"summary"`
	Value   any    `json:"value"`
}

type securityScheme struct {
	Type        string `json:"type"`
	Description string `json:"description"`
	Name        string `json:"name,omitempty"`
	In          string `json:"in,omitempty"`
	Scheme      string `json:"scheme,omitempty"`
}

type schema = describe.Schema

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

func whole(description string) schema {
	return schema{Type: "integer", Format: "int64", Description: description}
}
