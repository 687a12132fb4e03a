package sqlqtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// OpenFunc returns an engine whose tables hold exactly these logs. What it opens
// it closes with t.Cleanup, which runs as soon as the engine is no longer needed.
type OpenFunc func(t testing.TB, logs Logs) sqlq.Engine

// Options change what [TestEngine] does.
type Options struct {
	// DataSets is how many random data sets are tried; 0 means [defaultDataSets].
	DataSets int
	// TypedMetadata is for an engine that stores metadata in typed columns. Such a column does not
	// distinguish NULL from an empty list, nor fields that are missing, null or an empty list: they
	// count as equal.
	TypedMetadata bool
	// Parallel is for an engine that mostly waits. The cases, the parameters of the injection
	// corpus and the random data sets run in parallel, within the limit of the flag -parallel, each on
	// its own engine.
	Parallel bool
	// ValuesOnce tries a hostile value in one text parameter of each saved query, instead of in all
	// of them. An engine passes every parameter in the same way.
	ValuesOnce bool
	// Without are saved queries whose cases and hostile values another run of the suite has.
	Without []string
}

// defaultDataSets keeps the suite near five seconds for an engine that opens in
// 50 ms and runs a query in 10.
const defaultDataSets = 12

// TestEngine runs the conformance suite on an engine. The engine must accept the shipped
// saved queries and return the rows that the specification demands, in the named cases,
// for random logs, and for hostile parameter values.
func TestEngine(t *testing.T, open OpenFunc, options Options) {
	t.Helper()
	s := suite{
		open: open, differ: differ{options.TypedMetadata},
		parallel: options.Parallel, valuesOnce: options.ValuesOnce, without: options.Without,
	}
	t.Run("check", s.testCheck)
	t.Run("cases", s.testCases)
	t.Run("injection", s.testInjection)
	t.Run("concurrent", s.testConcurrent)
	t.Run("cancelled", s.testCancelled)
	t.Run("random", func(t *testing.T) { s.testRandom(t, cmp.Or(options.DataSets, defaultDataSets)) })
}

// suite is a run of the conformance suite.
type suite struct {
	open                 OpenFunc
	differ               differ
	parallel, valuesOnce bool
	without              []string
}

// mayBeParallel runs a subtest in parallel with others if the suite has that option.
func (s suite) mayBeParallel(t *testing.T) {
	t.Helper()
	if s.parallel {
		t.Parallel()
	}
}

// boundQuestion is a question that is ready to run: a saved query in the engine's
// dialect, bound arguments, and the logs of which the reference computes the result.
type boundQuestion struct {
	statement sqlq.Statement
	logs      Logs
}

// bind binds raw parameters as a server does. If Bind returns an error, the question
// does not reach an engine.
func bind(catalog *catalog.Catalog, logs Logs, name string, raw map[string]string, now time.Time) (boundQuestion, error) {
	query, found := catalog.Find(name)
	if !found {
		return boundQuestion{}, sqlq.Errorf(sqlq.NotFound, "no saved query is named %q", name)
	}
	args, err := query.Bind(rawParams(query, raw))
	if err != nil {
		return boundQuestion{}, err
	}
	return boundQuestion{statement: sqlq.NewStatement(query, args, now), logs: logs}, nil
}

// rawParams returns parameters as a query string has them. Commas separate the values of an
// array.
func rawParams(query *sqlq.SavedQuery, single map[string]string) map[string][]string {
	raw := make(map[string][]string, len(single))
	for name, value := range single {
		raw[name] = []string{value}
	}
	for i := range query.Params {
		param := &query.Params[i]
		if value, given := single[param.Name]; given && param.Type.IsArray() {
			raw[param.Name] = strings.Split(value, ",")
		}
	}
	return raw
}

// limit replaces the saved query's max rows, unless the new one is zero.
func (q boundQuestion) limit(maxRows int) boundQuestion {
	if maxRows == 0 {
		return q
	}
	limited := *q.statement.Query
	limited.MaxRows = maxRows
	q.statement.Query = &limited
	return q
}

// want returns the expected result.
func (q boundQuestion) want() (*Expected, error) {
	return Reference(q.statement.Query, q.logs, argumentValues(q.statement.Args), q.statement.Now)
}

// check runs the question on an engine and reports how the result differs from the
// expected one. The report is empty if the result is right.
func (s suite) check(ctx context.Context, engine sqlq.Engine, question boundQuestion) (string, error) {
	want, err := question.want()
	if err != nil {
		return "", err
	}
	return s.compare(ctx, engine, question, want)
}

// compare is check with a given expected result.
func (s suite) compare(ctx context.Context, engine sqlq.Engine, question boundQuestion, want *Expected) (string, error) {
	got, err := engine.Run(ctx, question.statement)
	if err != nil {
		return "", err
	}
	return s.differ.diff(want, got), nil
}

// catalogOf returns the shipped saved queries in the engine's dialect.
func catalogOf(tb testing.TB, engine sqlq.Engine) *catalog.Catalog {
	tb.Helper()
	return Shipped(tb, engine.Dialect())
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

// testCases runs the questions of every case file.
func (s suite) testCases(t *testing.T) {
	cases, err := Cases()
	require.NoError(t, err)
	for _, c := range cases {
		if slices.Contains(s.without, c.Questions[0].Query) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			s.mayBeParallel(t)
			engine := s.open(t, c.Logs)
			catalog := catalogOf(t, engine)
			for _, question := range c.Questions {
				bound, want, err := question.bind(catalog, c.Logs)
				require.NoError(t, err, question.Title)
				report, err := s.compare(t.Context(), engine, bound, want)
				require.NoError(t, err, question.Title)
				assert.Empty(t, report, "%s: %s %v", c.Title, question.Title, c.Proves)
			}
		})
	}
}

// bind returns the question of a case, and its expected result. The wanted rows are those that the
// case file writes out; the reference adds what an approximate percentile may be.
func (q Question) bind(catalog *catalog.Catalog, logs Logs) (boundQuestion, *Expected, error) {
	bound, err := bind(catalog, logs, q.Query, q.Params, q.Now)
	if err != nil {
		return boundQuestion{}, nil, fmt.Errorf("bind: %w", err)
	}
	bound = bound.limit(q.MaxRows)
	want, err := bound.want()
	if err != nil {
		return boundQuestion{}, nil, err
	}
	return bound, &Expected{Result: q.Want, Observed: want.Observed}, nil
}

// testRandom compares the engine with the reference on the random data sets of the seeds from 0
// on. Opening an engine costs more than a question, so each data set has several.
func (s suite) testRandom(t *testing.T, dataSets int) {
	t.Helper()
	generator := randomDataSets()
	for seed := range dataSets {
		t.Run(fmt.Sprintf("seed-%03d", seed), func(t *testing.T) {
			s.mayBeParallel(t)
			data := generator.Example(seed)
			engine := s.open(t, data.logs)
			report, err := s.checkDataSet(t.Context(), engine, catalogOf(t, engine), data)
			require.NoError(t, err, "%#v", data)
			require.Empty(t, report, "%#v", data)
		})
	}
}

// checkDataSet runs the questions of a data set, and reports the first wrong result.
func (s suite) checkDataSet(ctx context.Context, engine sqlq.Engine, catalog *catalog.Catalog, data dataSet) (string, error) {
	for _, random := range data.questions {
		question, err := bind(catalog, data.logs, random.query, random.params, data.now)
		if err != nil {
			return "", fmt.Errorf("bind %v: %w", random, err)
		}
		report, err := s.check(ctx, engine, question.limit(random.maxRows))
		if err != nil {
			return "", fmt.Errorf("run %v: %w", random, err)
		}
		if report != "" {
			return fmt.Sprintf("%v\n%s", random, report), nil
		}
	}
	return "", nil
}

// testCancelled proves that a run whose context has ended gives an error, and
// never a partial result.
func (s suite) testCancelled(t *testing.T) {
	logs, err := hostileLogs()
	require.NoError(t, err)
	engine := s.open(t, logs)
	catalog := catalogOf(t, engine)
	for _, query := range catalog.Queries() {
		question, err := bind(catalog, logs, query.Name, ordinaryParams(query.Name), hostileNow())
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		result, err := engine.Run(ctx, question.statement)
		require.Error(t, err, "saved query %s", query.Name)
		assert.Nil(t, result, "saved query %s", query.Name)
		assert.Equal(t, sqlq.Cancelled, sqlq.AsError(err).Code, "saved query %s: %v", query.Name, err)
	}
}

// testConcurrent runs all shipped queries at once, several times over: engines
// are safe for concurrent use, and one question's arguments never reach another.
func (s suite) testConcurrent(t *testing.T) {
	const runs = 40
	logs, err := hostileLogs()
	require.NoError(t, err)
	engine := s.open(t, logs)
	catalog := catalogOf(t, engine)
	var questions []boundQuestion
	for _, query := range catalog.Queries() {
		for i := range runs / len(catalog.Queries()) {
			params := ordinaryParams(query.Name)
			name := query.Params[query.Scoped(sqlq.ScopeProject)].Name
			params[name] = []string{"acme", "globex"}[i%2]
			question, err := bind(catalog, logs, query.Name, params, hostileNow().Add(-time.Duration(i)*time.Second))
			require.NoError(t, err)
			questions = append(questions, question)
		}
	}
	failures := make(chan error, len(questions))
	for _, question := range questions {
		go func() {
			report, err := s.check(t.Context(), engine, question)
			if err == nil && report != "" {
				err = errors.New(report)
			}
			failures <- err
		}()
	}
	for range questions {
		assert.NoError(t, <-failures)
	}
}
