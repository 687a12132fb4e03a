package openapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"savedq/internal/api/describe"
	"savedq/internal/api/explorehttp"
	"savedq/internal/api/rest"
	"savedq/internal/api/viewerhttp"
	"savedq/internal/operations/alert"
	"savedq/sqlq"
)

// schemaOf returns the schema of the JSON of a type. The tag doc of a field describes it, and the tags format and
// enum limit a string.
func schemaOf[T any]() schema {
	return reflected{
		reflect.TypeFor[viewerhttp.Amounts](): amountsSchema,
		reflect.TypeFor[rest.ListedColumn]():  fieldSchema,
		reflect.TypeFor[explorehttp.Column](): exploreColumn,
		reflect.TypeFor[sqlq.Members]():       exploreMembers,
	}.object(reflect.TypeFor[T]())
}

// reflected describes types. It has the names of types that are components.
type reflected map[reflect.Type]string

func (r reflected) object(of reflect.Type) schema {
	described := schema{Type: "object"}
	for field := range of.Fields() {
		if field.Anonymous {
			embedded := r.object(field.Type)
			described.Properties = append(described.Properties, embedded.Properties...)
			described.Required = append(described.Required, embedded.Required...)
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		value := r.value(field.Type)
		value.Description = field.Tag.Get("doc")
		if format := field.Tag.Get("format"); format != "" {
			value.Format = format
		}
		if words := field.Tag.Get("enum"); words != "" {
			for word := range strings.SplitSeq(words, ",") {
				value.Enum = append(value.Enum, word)
			}
		}
		described.Properties = append(described.Properties, describe.Property{Name: name, Schema: value})
		if options == "" {
			described.Required = append(described.Required, name)
		}
	}
	return described
}

func (r reflected) value(of reflect.Type) schema {
	if name, isComponent := r[of]; isComponent {
		return component(name)
	}
	switch of {
	case reflect.TypeFor[time.Time]():
		return schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage](): // rows
		return list(schema{Type: "object"}, "")
	case reflect.TypeFor[alert.State]():
		described := schema{Type: "string"}
		for _, state := range alert.States() {
			described.Enum = append(described.Enum, string(state))
		}
		return described
	}
	switch of.Kind() {
	case reflect.Pointer:
		described := r.value(of.Elem())
		described.Type = []any{described.Type, "null"}
		return described
	case reflect.Slice:
		return list(r.value(of.Elem()), "")
	case reflect.Map:
		described := schema{Type: "object"}
		if of.Elem().Kind() != reflect.Interface {
			values := r.value(of.Elem())
			described.AdditionalProperties = &values
		}
		return described
	case reflect.Struct:
		return r.object(of)
	case reflect.String:
		return schema{Type: "string"}
	case reflect.Bool:
		return schema{Type: "boolean"}
	case reflect.Int:
		return schema{Type: "integer"}
	case reflect.Int64:
		return schema{Type: "integer", Format: "int64"}
	case reflect.Float64:
		return schema{Type: "number", Format: "double"}
	default:
		return schema{} // any value
	}
}
