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

// mutant is an engine that is wrong in one rule: the reference, run on logs,
// arguments or a time that were changed first, or with its answer changed.
type mutant struct {
	name  string
	query string
	// logs changes the events of all tables; nil leaves them.
	logs func(Logs, *run) Logs
	// run changes the arguments and the time; nil leaves them.
	run func(*run)
	// answer changes the answer; nil leaves it.
	answer func(*Answer, *run)
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
		answer, err := Reference(changed.query, mutated, changed.args, changed.now)
		if err != nil {
			return nil, err
		}
		if m.answer != nil {
			m.answer(answer, &changed)
		}
		return &answer.Result, nil
	}}
}

// TestCasesCatchWrongEngines proves that the named cases are not toothless: each
// engine is wrong in one rule, and at least one case tells.
func TestCasesCatchWrongEngines(t *testing.T) {
	t.Parallel()
	cases, catalog := readCases(t), shipped(t)
	for _, mutant := range slices.Concat(invocationMutants(), apiCountMutants(), logMutants(), resultMutants()) {
		t.Run(mutant.query+"/"+mutant.name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, caseThatCatches(t, cases, catalog, mutant), "no case tells this engine from a right one")
		})
	}
}

// TestCasesLetRightEnginesPass is the other side: what catches the mutants is the
// rule that they break, and not the way in which they are made.
func TestCasesLetRightEnginesPass(t *testing.T) {
	t.Parallel()
	cases, catalog := readCases(t), shipped(t)
	for _, query := range []string{invocationStats, apiCounts, logsAll} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, caseThatCatches(t, cases, catalog, mutant{
				query:  query,
				logs:   mapEvents(func(event Event, _ *run) *Event { return &event }),
				run:    later(0),
				answer: eachRow(func([]any, []float64) {}),
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
