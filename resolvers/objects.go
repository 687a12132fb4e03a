package resolvers

import (
	"time"

	"savedq/graph"
	"savedq/sqlq"
)

// queryEndpoint returns the endpoint of a saved query (D19). It returns an error if a number
// exceeds GraphQL's Int, because the generated code does not check.
func queryEndpoint(query *sqlq.SavedQuery) (graph.QueryEndpoint, error) {
	field := graph.NewField(query)
	written, language := query.Written()
	endpoint := graph.QueryEndpoint{
		ID:           query.ID.String(),
		Name:         query.Name,
		Field:        field.Name,
		Aliases:      append([]string{}, query.Aliases...),
		Description:  query.Description,
		Language:     language,
		SQL:          written,
		Parameters:   make([]graph.Parameter, len(field.Arguments)),
		Columns:      columns(field.Columns),
		MaxRows:      int64(query.MaxRows),
		CacheSeconds: orNull(int64(query.Cache / time.Second)),
		WarmSeconds:  orNull(int64(query.Warm / time.Second)),
		Sandboxed:    query.Sandboxed,
		Deprecated:   orNull(query.Deprecated),
	}
	for i := range field.Arguments {
		endpoint.Parameters[i] = parameter(&field.Arguments[i])
	}
	for name, number := range map[string]*int64{
		"maxRows": &endpoint.MaxRows, "cacheSeconds": endpoint.CacheSeconds, "warmSeconds": endpoint.WarmSeconds,
	} {
		if number != nil && !graph.IsInt(*number) {
			return endpoint, sqlq.Errorf(sqlq.Internal, "%s of %s is %d, which is more than the 32 bits of GraphQL's Int", name, query.Name, *number)
		}
	}
	return endpoint, nil
}

func columns(fields []graph.ColumnField) []graph.Column {
	list := make([]graph.Column, len(fields))
	for i, field := range fields {
		column := field.Column
		list[i] = graph.Column{
			Name:        column.Name,
			Field:       field.Name,
			Type:        column.TypeName(),
			Nullable:    column.Nullable,
			Description: column.Description,
			Fields:      columns(field.Fields),
			Deprecated:  orNull(column.Deprecated),
		}
	}
	return list
}

func parameter(argument *graph.Argument) graph.Parameter {
	param, format := argument.Param, ""
	if param.Regex {
		format = "regex"
	}
	result := graph.Parameter{
		Name:        param.Name,
		Argument:    argument.Name,
		Type:        string(param.Type),
		Description: param.Description,
		Required:    param.Required,
		Allowed:     append([]string{}, param.Allowed...),
		Values:      make([]string, len(argument.Values)),
		Fallback:    param.Fallback,
		Pattern:     orNull(param.Pattern),
		Format:      orNull(format),
		Scope:       orNull(string(param.Scope)),
		Defaults:    []string{},
		Min:         orNull(param.Min.String()),
		Max:         orNull(param.Max.String()),
		Deprecated:  orNull(param.Deprecated),
	}
	for i, value := range argument.Values {
		result.Values[i] = value.Name
	}
	switch {
	case param.Type.IsArray():
		items := int64(param.MaxItems)
		result.Defaults, result.MaxItems = append(result.Defaults, param.Default...), &items
	case len(param.Default) > 0:
		result.Default = &param.Default[0]
	}
	// Only strings have a maximum length (a timestamp is bounded by its format).
	if length := int64(param.MaxLength); length > 0 && param.Type.Element() == sqlq.String {
		result.MaxLength = &length
	}
	return result
}

// orNull returns a value, or null for the zero value.
func orNull[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}
