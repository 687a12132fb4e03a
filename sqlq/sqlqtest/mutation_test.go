package sqlqtest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// mutant is an engine that breaks one rule: the reference, with changed logs, arguments,
// time or result.
type mutant struct {
	name  string
	query string
	// logs changes the events of all tables; nil leaves them.
	logs func(Logs, *run) Logs
	// run changes the arguments and the time; nil leaves them.
	run func(*run)
	// result changes the result; nil leaves it.
	result func(*Expected, *run)
	// rare is set if random data hardly ever reaches the rule. A case does.
	rare bool
}

// run is what a mutant runs.
type run struct {
	query *sqlq.SavedQuery
	args  map[string]any
	now   time.Time
}

// engine returns the mutant as an engine over the logs.
func (m mutant) engine(logs Logs) *FakeEngine {
	return &FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		changed := run{query: statement.Query, args: argumentValues(statement.Args), now: statement.Now}
		if statement.Query.Name != m.query {
			return nil, assert.AnError
		}
		mutated := logs
		if m.logs != nil {
			mutated = m.logs(logs, &changed)
		}
		if m.run != nil {
			m.run(&changed)
		}
		expected, err := Reference(changed.query, mutated, changed.args, changed.now)
		if err != nil {
			return nil, err
		}
		if m.result != nil {
			m.result(expected, &changed)
		}
		return &expected.Result, nil
	}}
}

// The named cases find wrong engines: each engine breaks one rule, and at least one case
// fails.
func TestCasesCatchWrongEngines(t *testing.T) {
	t.Parallel()
	cases, catalog := readCases(t), shipped(t)
	for _, mutant := range slices.Concat(invocationMutants(), apiCountMutants(), logMutants(), functionListMutants(), projectListMutants(), searchMutants(), resultMutants()) {
		t.Run(mutant.query+"/"+mutant.name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, caseThatCatches(t, cases, catalog, mutant), "no case fails with this engine")
		})
	}
}

// TestCasesLetRightEnginesPass is the other side: what catches the mutants is the
// rule that they break, and not the way in which they are made.
func TestCasesLetRightEnginesPass(t *testing.T) {
	t.Parallel()
	cases, catalog := readCases(t), shipped(t)
	for _, query := range []string{invocationStats, apiCounts, logsAll, functionsList, projectsList, logsSearch, logsHistogram, logsFacets} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, caseThatCatches(t, cases, catalog, mutant{
				query:  query,
				logs:   mapEvents(func(event Event, _ *run) *Event { return &event }),
				run:    later(0),
				result: eachRow(func([]any, []float64) {}),
			}))
		})
	}
}

// caseThatCatches returns the first case that a mutant fails, with what the case
// says about it, or nothing.
func caseThatCatches(t *testing.T, cases []Case, catalog *catalog.Catalog, mutant mutant) string {
	t.Helper()
	for _, c := range cases {
		if c.Questions[0].Query != mutant.query {
			continue
		}
		engine := mutant.engine(c.Logs)
		for _, question := range c.Questions {
			report, err := suite{}.checkQuestion(t.Context(), engine, catalog, c.Logs, question)
			require.NoError(t, err, "%s: %s", c.Name, question.Title)
			if report != "" {
				return c.Name + ": " + report
			}
		}
	}
	return ""
}

func readCases(t *testing.T) []Case {
	t.Helper()
	cases, err := Cases()
	require.NoError(t, err)
	return cases
}
