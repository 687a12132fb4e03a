package resolvers_test

import (
	"context"
	"encoding/json"
	"time"

	"github.com/99designs/gqlgen/graphql/executor"

	"savedq/graph"
	"savedq/test/plaingqlgen"
)

// plain resolves fields as gqlgen does by default: resolvers return objects, which the
// generated code writes value by value. Tests and benchmarks compare the rows that this
// package writes with it.
type plain struct {
	rows map[string][][]any
}

var _ plaingqlgen.ResolverRoot = plain{}

// plainExecutor returns gqlgen's executor on the generated code.
func plainExecutor(root plaingqlgen.ResolverRoot) *executor.Executor {
	return executor.New(plaingqlgen.NewExecutableSchema(plaingqlgen.Config{Resolvers: root}))
}

func (p plain) Query() plaingqlgen.QueryResolver { return p }

func (p plain) InvocationStats(context.Context, string, *string, *plaingqlgen.InvocationInterval) ([]plaingqlgen.InvocationStat, error) {
	return objects(p.rows["functions.invocation-stats"], func(row []any) plaingqlgen.InvocationStat {
		return plaingqlgen.InvocationStat{
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

func (p plain) APICounts(context.Context, string, plaingqlgen.APICountInterval) ([]plaingqlgen.APICount, error) {
	return objects(p.rows["usage.api-counts"], func(row []any) plaingqlgen.APICount {
		return plaingqlgen.APICount{
			Timestamp:             formatTime(row[0]),
			TotalRestRequests:     row[1].(int64),
			TotalStorageRequests:  row[2].(int64),
			TotalAuthRequests:     row[3].(int64),
			TotalRealtimeRequests: row[4].(int64),
		}
	}), nil
}

func (p plain) Logs(context.Context, string, *plaingqlgen.ProjectTier, *string, *string) ([]plaingqlgen.LogEntry, error) {
	return objects(p.rows["logs.all"], func(row []any) plaingqlgen.LogEntry {
		entry := plaingqlgen.LogEntry{
			ID:           row[0].(string),
			Timestamp:    formatTime(row[1]),
			EventMessage: nullable[string](row[2]),
		}
		if metadata := nullable[json.RawMessage](row[3]); metadata != nil {
			entry.Metadata = *metadata
		}
		return entry
	}), nil
}

func objects[T any](rows [][]any, object func([]any) T) []T {
	objects := make([]T, len(rows))
	for i, row := range rows {
		objects[i] = object(row)
	}
	return objects
}

func formatTime(value any) string {
	return string(graph.AppendTime(nil, value.(time.Time)))
}

func nullable[T any](value any) *T {
	if value == nil {
		return nil
	}
	held := value.(T)
	return &held
}
