// Package describe describes saved queries in JSON Schema, as a token may use them. Interfaces
// derive their descriptions from it.
package describe

import "savedq/internal/text/jsontext"

// Schema is one of JSON Schema 2020-12. The empty one holds any value.
type Schema struct {
	Ref         string     `json:"$ref,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        any        `json:"type,omitempty"` // a name, or a list of them
	Format      string     `json:"format,omitempty"`
	Enum        []any      `json:"enum,omitempty"`
	Default     any        `json:"default,omitempty"`
	Deprecated  bool       `json:"deprecated,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	Minimum     any        `json:"minimum,omitempty"`
	Maximum     any        `json:"maximum,omitempty"`
	MinLength   int        `json:"minLength,omitempty"`
	MaxLength   int        `json:"maxLength,omitempty"`
	MinItems    int        `json:"minItems,omitempty"`
	MaxItems    int        `json:"maxItems,omitempty"`
	Items       *Schema    `json:"items,omitempty"`
	AnyOf       []Schema   `json:"anyOf,omitempty"`
	Properties  Properties `json:"properties,omitzero"`
	Required    []string   `json:"required,omitempty"`
	// AdditionalProperties is the schema of the values of an object whose properties have no fixed names, or
	// false if there are no other properties.
	AdditionalProperties any `json:"additionalProperties,omitempty"`
}

// Properties are the properties of an object, in the order of the columns. Generated
// clients preserve it.
type Properties []Property

// Property is a property of an object.
type Property struct {
	Name   string
	Schema Schema
}

// MarshalJSON writes the properties as an object.
func (p Properties) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, property := range p {
		if i > 0 {
			text = append(text, ',')
		}
		pair, err := jsontext.Marshal(map[string]Schema{property.Name: property.Schema})
		if err != nil {
			return nil, err
		}
		text = append(text, pair[1:len(pair)-1]...)
	}
	return append(text, '}'), nil
}
