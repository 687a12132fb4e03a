package resolvers

import (
	"time"

	"savedq/graph"
	"savedq/sqlq"
)

// queryEndpoint is the resource of a saved query (D19).
func queryEndpoint(query *sqlq.SavedQuery) graph.QueryEndpoint {
	endpoint := graph.QueryEndpoint{
		ID:           query.ID.String(),
		Name:         query.Name,
		Description:  query.Description,
		Language:     string(query.Dialect),
		SQL:          query.SQL,
		Parameters:   make([]graph.Parameter, len(query.Params)),
		Columns:      make([]graph.Column, len(query.Columns)),
		MaxRows:      int64(query.MaxRows),
		CacheSeconds: seconds(query.Cache),
		WarmSeconds:  seconds(query.Warm),
		Sandboxed:    query.Sandboxed,
	}
	for i := range query.Params {
		endpoint.Parameters[i] = parameter(&query.Params[i])
	}
	for i, column := range query.Columns {
		endpoint.Columns[i] = graph.Column{
			Name:        column.Name,
			Type:        string(column.Type),
			Nullable:    column.Nullable,
			Description: column.Description,
		}
	}
	return endpoint
}

func parameter(param *sqlq.Param) graph.Parameter {
	format := ""
	if param.Regex {
		format = "regex"
	}
	result := graph.Parameter{
		Name:        param.Name,
		Type:        string(param.Type),
		Description: param.Description,
		Required:    param.Required,
		Default:     param.Default,
		Allowed:     append([]string{}, param.Allowed...),
		Fallback:    param.Fallback,
		Pattern:     textOrNull(param.Pattern),
		Format:      textOrNull(format),
	}
	// Only texts have a length (a timestamp is bounded by its form).
	if length := int64(param.MaxLength); length > 0 && param.Type == sqlq.String {
		result.MaxLength = &length
	}
	return result
}

// seconds returns a duration of whole seconds; nil where it is zero, which means
// disabled.
func seconds(duration time.Duration) *int64 {
	if duration == 0 {
		return nil
	}
	value := int64(duration / time.Second)
	return &value
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
