package resolvers_test

import (
	"context"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/resolvers"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
)

// now is when the rows of all fakes were computed.
var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // A date is no constant.

// fakeRunner returns what its func returns.
type fakeRunner struct {
	run     func(request runner.Request) (*runner.Response, error)
	catalog *catalog.Catalog
}

var _ resolvers.Runner = (*fakeRunner)(nil)

func (f *fakeRunner) Run(_ context.Context, request runner.Request) (*runner.Response, error) {
	return f.run(request)
}

func (f *fakeRunner) Queries(context.Context) []*sqlq.SavedQuery { return f.catalog.Queries() }

func shippedCatalog(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	catalog := graphtest.Shipped(tb)
	return catalog
}

// returningResult returns a runner that returns the result for every query.
func returningResult(result *sqlq.Result) *fakeRunner {
	return &fakeRunner{run: func(runner.Request) (*runner.Response, error) {
		return &runner.Response{Entry: &cache.Entry{Result: result, AsOf: now}, Cache: runner.Miss}, nil
	}}
}

// returningEach returns a runner that returns the rows of each query, by its name, with the
// columns that the query declares.
func returningEach(catalog *catalog.Catalog, rows map[string][][]any) *fakeRunner {
	return &fakeRunner{catalog: catalog, run: func(request runner.Request) (*runner.Response, error) {
		return returningResult(&sqlq.Result{Columns: request.Query.Columns, Rows: rows[request.Query.Name]}).run(request)
	}}
}

// runnerReturning returns a runner that returns the rows for every query.
func runnerReturning(tb testing.TB, rows ...[]any) *fakeRunner {
	tb.Helper()
	catalog, byName := shippedCatalog(tb), make(map[string][][]any)
	for _, query := range catalog.Queries() {
		byName[query.Name] = rows
	}
	return returningEach(catalog, byName)
}

// call is a call of a runner.
type call struct {
	name string
	raw  map[string][]string
}

// recording returns a runner that records its calls.
func recording(tb testing.TB) (*fakeRunner, *[]call) {
	tb.Helper()
	queryRunner, calls := runnerReturning(tb), &[]call{}
	inner := queryRunner.run
	queryRunner.run = func(request runner.Request) (*runner.Response, error) {
		*calls = append(*calls, call{request.Query.Name, request.Params})
		return inner(request)
	}
	return queryRunner, calls
}

type params = map[string][]string

// newExecutor returns gqlgen's executor on the fields of the shipped saved queries.
func newExecutor(tb testing.TB, queryRunner resolvers.Runner) *executor.Executor {
	tb.Helper()
	return executor.New(resolvers.NewExecutableSchema(graphtest.ShippedSchema(tb), &resolvers.Resolver{Runner: queryRunner}))
}

// execute runs a document, without any transport.
func execute(tb testing.TB, executor *executor.Executor, document string, variables map[string]any) *graphql.Response {
	tb.Helper()
	ctx := resolvers.WithResponses(graphql.StartOperationTrace(tb.Context()), &resolvers.Responses{})
	operation, errors := executor.CreateOperationContext(ctx, &graphql.RawParams{Query: document, Variables: variables})
	require.Empty(tb, errors, document)
	responses, operationCtx := executor.DispatchOperation(ctx, operation)
	return responses(operationCtx)
}

// dataOf runs a document without variables, which must not fail, and returns its data.
func dataOf(tb testing.TB, queryRunner resolvers.Runner, document string) string {
	tb.Helper()
	response := execute(tb, newExecutor(tb, queryRunner), document, nil)
	require.Empty(tb, response.Errors, document)
	return string(response.Data)
}
