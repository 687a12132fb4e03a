package resolvers

import (
	"encoding/json"
	"time"

	"savedq/graph"
	"savedq/sqlq"
)

// invocationStat is a row of functions.invocation-stats.
func invocationStat(r *row) graph.InvocationStat {
	return graph.InvocationStat{
		Timestamp:        graph.FormatTime(required[time.Time](r, "timestamp")),
		MinExecutionTime: nullable[float64](r, "min_execution_time"),
		MaxExecutionTime: nullable[float64](r, "max_execution_time"),
		AvgExecutionTime: nullable[float64](r, "avg_execution_time"),
		P95ExecutionTime: nullable[float64](r, "p95_execution_time"),
		P99ExecutionTime: nullable[float64](r, "p99_execution_time"),
		Count:            required[int64](r, "count"),
		ErrorCount:       required[int64](r, "error_count"),
	}
}

// apiCount is a row of usage.api-counts.
func apiCount(r *row) graph.APICount {
	return graph.APICount{
		Timestamp:             graph.FormatTime(required[time.Time](r, "timestamp")),
		TotalRestRequests:     required[int64](r, "total_rest_requests"),
		TotalStorageRequests:  required[int64](r, "total_storage_requests"),
		TotalAuthRequests:     required[int64](r, "total_auth_requests"),
		TotalRealtimeRequests: required[int64](r, "total_realtime_requests"),
	}
}

// logEntry is a row of logs.all.
func logEntry(r *row) graph.LogEntry {
	entry := graph.LogEntry{
		ID:           required[string](r, "id"),
		Timestamp:    graph.FormatTime(required[time.Time](r, "timestamp")),
		EventMessage: nullable[string](r, "event_message"),
	}
	if metadata := nullable[json.RawMessage](r, "metadata"); metadata != nil {
		entry.Metadata = graph.JSON(*metadata)
	}
	return entry
}

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
