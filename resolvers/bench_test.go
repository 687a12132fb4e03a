package resolvers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"
)

// BenchmarkNewSelection runs documents that are not cached, so that each is parsed and
// validated, on cached rows: 300 with eight fields. Plain does the same with gqlgen's own
// code for objects.
func BenchmarkNewSelection(b *testing.B) {
	const fields = `timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount`
	rows := make([][]any, 300)
	for i := range rows {
		at, size := now.Add(time.Duration(i)*time.Second), float64(i)
		rows[i] = []any{at, size + 0.25, size + 1234.5, size + 98.7654321, size + 345.125, size + 1000.5, int64(i * 17), int64(i)}
	}
	for name, executor := range map[string]*executor.Executor{
		"direct": newExecutor(b, runnerReturning(b, rows...)),
		"plain":  plainExecutor(plain{rows: map[string][][]any{"functions.invocation-stats": rows}}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			number := 0
			for b.Loop() {
				number++
				document := fmt.Sprintf(`{ n%d: invocationStats(project: "p", interval: FIVE_MINUTES) { %s } }`, number, fields)
				require.NotEmpty(b, execute(b, executor, document, nil).Data)
			}
		})
	}
}
