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
)

// now is when all answers of the fake were computed.
var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // A date is no constant.

// fakeRunner answers with whatever its func answers.
type fakeRunner struct {
	run     func(request sqlq.Request) (*sqlq.Reply, error)
	catalog *sqlq.Catalog
}

var _ resolvers.Runner = (*fakeRunner)(nil)

func (f *fakeRunner) Run(_ context.Context, request sqlq.Request) (*sqlq.Reply, error) {
	return f.run(request)
}

func (f *fakeRunner) Queries(context.Context) []*sqlq.SavedQuery { return f.catalog.Queries() }

func shippedCatalog(tb testing.TB) *sqlq.Catalog {
	tb.Helper()
	catalog, err := sqlq.ShippedCatalog(sqlq.DuckDB)
	require.NoError(tb, err)
	return catalog
}

// answeringWith is a runner that answers every query with the result.
func answeringWith(result *sqlq.Result) *fakeRunner {
	return &fakeRunner{run: func(sqlq.Request) (*sqlq.Reply, error) {
		return &sqlq.Reply{Answer: &sqlq.Answer{Result: result, AsOf: now}, Cache: sqlq.Miss}, nil
	}}
}

// answeringEach is a runner that answers each query with rows of its own, under the
// columns that the query declares.
func answeringEach(catalog *sqlq.Catalog, rows map[string][][]any) *fakeRunner {
	return &fakeRunner{catalog: catalog, run: func(request sqlq.Request) (*sqlq.Reply, error) {
		query, _ := catalog.Find(request.Endpoint)
		return answeringWith(&sqlq.Result{Columns: query.Columns, Rows: rows[query.Name]}).run(request)
	}}
}

// answering is a runner that answers every query with the rows.
func answering(tb testing.TB, rows ...[]any) *fakeRunner {
	tb.Helper()
	catalog, byName := shippedCatalog(tb), make(map[string][][]any)
	for _, query := range catalog.Queries() {
		byName[query.Name] = rows
	}
	return answeringEach(catalog, byName)
}

// asked is what a runner is asked.
type asked struct {
	name string
	raw  map[string][]string
}

// recording is a runner that writes down what it is asked.
func recording(tb testing.TB) (*fakeRunner, *[]asked) {
	tb.Helper()
	runner, calls := answering(tb), &[]asked{}
	inner := runner.run
	runner.run = func(request sqlq.Request) (*sqlq.Reply, error) {
		*calls = append(*calls, asked{request.Endpoint, request.Params})
		return inner(request)
	}
	return runner, calls
}

type params = map[string][]string

// newExecutor returns gqlgen's executor on the fields of the shipped saved queries.
func newExecutor(tb testing.TB, runner resolvers.Runner) *executor.Executor {
	tb.Helper()
	return executor.New(resolvers.NewExecutableSchema(graphtest.ShippedSchema(tb), &resolvers.Resolver{Runner: runner}))
}

// execute runs a document, without any transport.
func execute(tb testing.TB, executor *executor.Executor, document string, variables map[string]any) *graphql.Response {
	tb.Helper()
	ctx := resolvers.WithReplies(graphql.StartOperationTrace(tb.Context()), &resolvers.Replies{})
	operation, errors := executor.CreateOperationContext(ctx, &graphql.RawParams{Query: document, Variables: variables})
	require.Empty(tb, errors, document)
	responses, operationCtx := executor.DispatchOperation(ctx, operation)
	return responses(operationCtx)
}

// dataOf runs a document that has no variables and fails in nothing.
func dataOf(tb testing.TB, runner resolvers.Runner, document string) string {
	tb.Helper()
	response := execute(tb, newExecutor(tb, runner), document, nil)
	require.Empty(tb, response.Errors, document)
	return string(response.Data)
}
