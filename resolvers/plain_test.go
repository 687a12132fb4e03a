package resolvers_test

import (
	"context"
	"encoding/json"
	"time"

	"savedq/graph"
)

// plain answers as gqlgen does out of the box: resolvers give objects, which the
// generated code writes value by value. It is what the rows that this package
// writes itself are held against, in what they say and in what they cost.
type plain struct {
	rows map[string][][]any
}

var _ graph.ResolverRoot = plain{}

func (p plain) Query() graph.QueryResolver { return p }

func (p plain) InvocationStats(context.Context, string, *string, *graph.InvocationInterval) ([]graph.InvocationStat, error) {
	return objects(p.rows["functions.invocation-stats"], func(row []any) graph.InvocationStat {
		return graph.InvocationStat{
			Timestamp:        formatTime(row[0]),
			MinExecutionTime: nullable[float64](row[1]),
			MaxExecutionTime: nullable[float64](row[2]),
			AvgExecutionTime: nullable[float64](row[3]),
			P95ExecutionTime: nullable[float64](row[4]),
			P99ExecutionTime: nullable[float64](row[5]),
			Count:            row[6].(int64),
			ErrorCount:       row[7].(int64),
		}
	}), nil
}

func (p plain) APICounts(context.Context, string, graph.APICountInterval) ([]graph.APICount, error) {
	return objects(p.rows["usage.api-counts"], func(row []any) graph.APICount {
		return graph.APICount{
			Timestamp:             formatTime(row[0]),
			TotalRestRequests:     row[1].(int64),
			TotalStorageRequests:  row[2].(int64),
			TotalAuthRequests:     row[3].(int64),
			TotalRealtimeRequests: row[4].(int64),
		}
	}), nil
}

func (p plain) Logs(context.Context, string, *graph.ProjectTier, *graph.Time, *graph.Time) ([]graph.LogEntry, error) {
	return objects(p.rows["logs.all"], func(row []any) graph.LogEntry {
		entry := graph.LogEntry{
			ID:           row[0].(string),
			Timestamp:    formatTime(row[1]),
			EventMessage: nullable[string](row[2]),
		}
		if metadata := nullable[json.RawMessage](row[3]); metadata != nil {
			entry.Metadata = graph.JSON(*metadata)
		}
		return entry
	}), nil
}

func (plain) Endpoints(context.Context) ([]graph.QueryEndpoint, error) { return nil, nil }

func (plain) Endpoint(context.Context, *string, *string) (*graph.QueryEndpoint, error) {
	return nil, nil
}

func objects[T any](rows [][]any, object func([]any) T) []T {
	made := make([]T, len(rows))
	for i, row := range rows {
		made[i] = object(row)
	}
	return made
}

func formatTime(value any) graph.Time { return graph.Time(graph.AppendTime(nil, value.(time.Time))) }

func nullable[T any](value any) *T {
	if value == nil {
		return nil
	}
	held := value.(T)
	return &held
}
