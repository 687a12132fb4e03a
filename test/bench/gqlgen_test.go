package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"savedq/graph"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/test/plaingqlgen"
)

// plainGQLGen serves the schema over computed rows, as the documentation of gqlgen
// shows.
func plainGQLGen(tb testing.TB, engine sqlq.Engine) http.Handler {
	tb.Helper()
	catalog, err := catalog.Read(duckdbsql.Dialect{})
	require.NoError(tb, err)
	query, found := catalog.Find("functions.invocation-stats")
	require.True(tb, found)
	result, err := engine.Run(tb.Context(), sqlq.Statement{Query: query, Now: time.Now().UTC()})
	require.NoError(tb, err)
	server := handler.New(plaingqlgen.NewExecutableSchema(plaingqlgen.Config{Resolvers: plainResolver{rows: statsOf(result)}}))
	server.AddTransport(transport.POST{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](1000))
	return server
}

// statsOf returns rows as the models of the schema.
func statsOf(result *sqlq.Result) []plaingqlgen.InvocationStat {
	stats := make([]plaingqlgen.InvocationStat, len(result.Rows))
	for i, row := range result.Rows {
		number := func(column int) *float64 {
			value := row[column].(float64)
			return &value
		}
		stats[i] = plaingqlgen.InvocationStat{
			Timestamp:        string(graph.AppendTime(nil, row[0].(time.Time))),
			MinExecutionTime: number(1), MaxExecutionTime: number(2), AvgExecutionTime: number(3),
			P95ExecutionTime: number(4), P99ExecutionTime: number(5),
			Count: row[6].(int64), ErrorCount: row[7].(int64),
		}
	}
	return stats
}

// plainResolver is a resolver over computed rows.
type plainResolver struct{ rows []plaingqlgen.InvocationStat }

func (r plainResolver) Query() plaingqlgen.QueryResolver { return r }

func (r plainResolver) InvocationStats(context.Context, string, *string, *plaingqlgen.InvocationInterval) ([]plaingqlgen.InvocationStat, error) {
	return r.rows, nil
}

var errNotAsked = errors.New("the benchmarks do not ask this")

func (plainResolver) APICounts(context.Context, string, plaingqlgen.APICountInterval) ([]plaingqlgen.APICount, error) {
	return nil, errNotAsked
}

func (plainResolver) Logs(context.Context, string, *plaingqlgen.ProjectTier, *string, *string) ([]plaingqlgen.LogEntry, error) {
	return nil, errNotAsked
}

// withoutExtensions returns a response without its extensions and timestamps, which depend
// on the time of the run. Responses to the same selection are then equal.
func withoutExtensions(tb testing.TB, body []byte) string {
	tb.Helper()
	var response struct {
		Data struct{ InvocationStats []map[string]any }
	}
	require.NoError(tb, json.Unmarshal(body, &response))
	for _, row := range response.Data.InvocationStats {
		delete(row, "timestamp")
	}
	text, err := json.Marshal(response)
	require.NoError(tb, err)
	return string(text)
}

// httpRequest reads the bytes of a request as a server does.
func httpRequest(tb testing.TB, request []byte) *http.Request {
	tb.Helper()
	read, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
	require.NoError(tb, err)
	return read
}

// discard is a response writer that discards everything.
type discard struct{ header http.Header }

func (d discard) Header() http.Header          { return d.header }
func (discard) Write(body []byte) (int, error) { return len(body), nil }
func (discard) WriteHeader(int)                {}
