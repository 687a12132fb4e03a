package bench

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The number of rows of "5min" and of "1day", about, and the fields of each row.
const (
	manyRows = 300
	fewRows  = 24
	fields   = "timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount"
)

// statsQuery returns a GraphQL request for rows.
func statsQuery(fields string) []byte {
	return post("/graphql", fmt.Sprintf(`{"query":"query Stats($project: String!) { invocationStats(project: $project, interval: FIVE_MINUTES) { %s } }","variables":{"project":"default"}}`, fields))
}

func statsPath() []byte {
	return get("/api/endpoints/functions.invocation-stats?project=default&interval=5min")
}

// A cached GraphQL response, by POST, beside a handler that writes the same bytes.
func BenchmarkCachedGraphQL(b *testing.B) {
	for _, rows := range []int{manyRows, fewRows} {
		b.Run(fmt.Sprintf("%d_rows", rows), func(b *testing.B) { besideBare(b, rows, statsQuery(fields)) })
	}
}

// A cached REST response, beside the same.
func BenchmarkCachedREST(b *testing.B) {
	for _, rows := range []int{manyRows, fewRows} {
		b.Run(fmt.Sprintf("%d_rows", rows), func(b *testing.B) { besideBare(b, rows, statsPath()) })
	}
	b.Run("JWT", func(b *testing.B) { besideStatic(b, fewRows, statsPath()) })
}

// besideBare compares a cached response with the bare handler: the requests per second of
// each, and the 99th percentile of the response times at half of what savedq can do.
func besideBare(b *testing.B, rows int, request []byte) {
	b.Helper()
	const round = 4000
	always := func(int) []byte { return request }
	address := serve(b, savedq(b, rowsEngine(rows)))
	hot := newLoad(b, address, always)
	require.NoError(b, hot.clients[0].exchange(request))
	require.NoError(b, hot.clients[0].exchange(request)) // is cached now
	plain := newLoad(b, servePlainly(b, bare(slices.Clone(hot.clients[0].body))), always)
	hot.full(b, round)
	plain.full(b, round)

	rate, _ := takeTurns(b, round, "bare", func() { plain.full(b, round) }, func() { hot.full(b, round) })
	var ratios []float64
	for range 5 {
		hotP99, plainP99 := p99(hot.paced(b, int(rate/2), rate/2)), p99(plain.paced(b, int(rate/2), rate/2))
		ratios = append(ratios, hotP99.Seconds()/plainP99.Seconds())
	}
	b.ReportMetric(median(ratios), "p99-ratio")
}

// p99 returns the 99th percentile of response times in ascending order.
func p99(took []time.Duration) time.Duration { return took[len(took)*99/100] }

// A new selection of fields over cached rows, beside the same schema and rows served by
// plain gqlgen.
func BenchmarkNewSelection(b *testing.B) {
	const round = 400
	request := func(n int) []byte {
		return statsQuery(fmt.Sprintf("selection%d: count %s", n, strings.TrimSuffix(fields, " errorCount")))
	}
	ours := newLoad(b, serve(b, savedq(b, rowsEngine(manyRows))), request)
	plain := newLoad(b, servePlainly(b, plainGQLGen(b, rowsEngine(manyRows))), request)
	ours.full(b, round)
	plain.full(b, round)
	require.JSONEq(b, withoutExtensions(b, plain.clients[0].body), withoutExtensions(b, ours.clients[0].body))
	takeTurns(b, round, "gqlgen", func() { plain.full(b, round) }, func() { ours.full(b, round) })
}

// BenchmarkHotAllocations is one hot request without a network, for its allocations.
func BenchmarkHotAllocations(b *testing.B) {
	for name, request := range map[string]func() *http.Request{
		"REST":    func() *http.Request { return httpRequest(b, statsPath()) },
		"GraphQL": func() *http.Request { return httpRequest(b, statsQuery(fields)) },
		"JWT":     func() *http.Request { return httpRequest(b, withSignedToken(statsPath())) },
	} {
		b.Run(name, func(b *testing.B) {
			handler := savedq(b, rowsEngine(manyRows))
			handler.ServeHTTP(discard{make(http.Header)}, request())
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				each := request()
				b.StartTimer()
				handler.ServeHTTP(discard{make(http.Header)}, each)
			}
		})
	}
}
