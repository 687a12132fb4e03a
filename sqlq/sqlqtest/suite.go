package sqlqtest

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// OpenFunc returns an engine whose tables hold exactly these logs. What it opens
// it closes with t.Cleanup, which runs as soon as the engine is no longer needed.
type OpenFunc func(t testing.TB, logs Logs) sqlq.Engine

// Option changes what [TestEngine] does.
type Option func(*options)

type options struct {
	dataSets int
	parallel bool
	differ   differ
}

// defaultDataSets keeps the suite near ten seconds for an engine that opens in
// 50 ms and answers in 10.
const defaultDataSets = 40

// WithDataSets sets how many random data sets are tried. The flag -rapid.checks,
// when given on the command line, overrules it, and -short divides it by five.
func WithDataSets(n int) Option {
	return func(o *options) { o.dataSets = n }
}

// WithTypedMetadata is for an engine that keeps metadata in typed columns. Such
// a column knows no difference between NULL and an empty list, nor between a
// field that is missing, null or an empty list: they count as equal.
func WithTypedMetadata() Option {
	return func(o *options) { o.differ.typedMetadata = true }
}

// WithParallel is for an engine that mostly waits, or takes so long that a failing
// data set cannot be made smaller: the cases, the parameters of the injection corpus,
// and the random data sets are tried beside one another, within the bounds of the
// flag -parallel. An engine is then opened for each of them. The data sets are the
// same every time, each of them a subtest of its own that is named by its seed and
// can be run alone; rapid and its flags have no part in them.
func WithParallel() Option {
	return func(o *options) { o.parallel = true }
}

// TestEngine puts an engine through the conformance suite: it has to accept the
// shipped saved queries and to answer them as the specification says, row by
// row, in the named cases, for random logs, and for hostile parameter values.
//
// The number of data sets is set by a flag that all tests of a program share, so
// that the suite must not run in parallel with another test that uses rapid.
func TestEngine(t *testing.T, open OpenFunc, opts ...Option) {
	t.Helper()
	chosen := options{dataSets: defaultDataSets}
	for _, opt := range opts {
		opt(&chosen)
	}
	s := suite{open: open, differ: chosen.differ, parallel: chosen.parallel}
	t.Run("check", s.testCheck)
	t.Run("cases", s.testCases)
	t.Run("injection", s.testInjection)
	t.Run("concurrent", s.testConcurrent)
	t.Run("cancelled", s.testCancelled)
	t.Run("random", func(t *testing.T) { s.testRandom(t, chosen.dataSets) })
}

// suite is a run of the conformance suite.
type suite struct {
	open   OpenFunc
	differ differ
	// parallel is set by [WithParallel].
	parallel bool
}

// mayBeParallel lets a subtest run beside others, where the suite was told to.
func (s suite) mayBeParallel(t *testing.T) {
	t.Helper()
	if s.parallel {
		t.Parallel()
	}
}

// asked is a question that is ready to be put to an engine: a saved query in the
// engine's dialect, bound arguments, and logs to work the answer out of.
type asked struct {
	statement sqlq.Statement
	logs      Logs
}

// ask binds raw parameters as a server does. The error is that of Bind: such a
// question never reaches an engine.
func ask(catalog *catalog.Catalog, logs Logs, name string, raw map[string]string, now time.Time) (asked, error) {
	query, found := catalog.Find(name)
	if !found {
		return asked{}, sqlq.Errorf(sqlq.NotFound, "no saved query is named %q", name)
	}
	args, err := query.Bind(rawParams(raw))
	if err != nil {
		return asked{}, err
	}
	return asked{statement: sqlq.Statement{Query: query, Args: args, Now: now}, logs: logs}, nil
}

func rawParams(single map[string]string) map[string][]string {
	raw := make(map[string][]string, len(single))
	for name, value := range maps.All(single) {
		raw[name] = []string{value}
	}
	return raw
}

// limit replaces the saved query's max rows, unless the new one is zero.
func (a asked) limit(maxRows int) asked {
	if maxRows == 0 {
		return a
	}
	limited := *a.statement.Query
	limited.MaxRows = maxRows
	a.statement.Query = &limited
	return a
}

// want works the right answer out.
func (a asked) want() (*Answer, error) {
	return Reference(a.statement.Query, a.logs, argumentValues(a.statement.Args), a.statement.Now)
}

// check puts the question to an engine and reports how its result differs from
// the reference's answer; an empty report means that it is right.
func (s suite) check(ctx context.Context, engine sqlq.Engine, question asked) (string, error) {
	want, err := question.want()
	if err != nil {
		return "", err
	}
	return s.compare(ctx, engine, question, want)
}

// compare does what check does with a wanted answer that is known.
func (s suite) compare(ctx context.Context, engine sqlq.Engine, question asked, want *Answer) (string, error) {
	got, err := engine.Run(ctx, question.statement)
	if err != nil {
		return "", err
	}
	return s.differ.diff(want, got), nil
}

// catalogOf returns the shipped saved queries in the engine's dialect.
func catalogOf(tb testing.TB, engine sqlq.Engine) *catalog.Catalog {
	tb.Helper()
	catalog, err := catalog.Read(engine.Dialect())
	require.NoError(tb, err)
	return catalog
}

// testCheck proves that the engine accepts the shipped saved queries, on a store
// that holds nothing yet.
func (s suite) testCheck(t *testing.T) {
	engine := s.open(t, Logs{})
	for _, query := range catalogOf(t, engine).Queries() {
		_, err := engine.Check(t.Context(), query)
		require.NoError(t, err, "saved query %s", query.Name)
	}
}
