package sqlqtest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
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

// brokenRules are mutants that break one rule of a query each.
func brokenRules() []mutant {
	return slices.Concat(invocationMutants(), apiCountMutants(), logMutants(), functionListMutants(), projectListMutants(), searchMutants())
}

// The named cases find wrong engines: each engine breaks one rule, and at least one case
// fails.
func TestCasesCatchWrongEngines(t *testing.T) {
	t.Parallel()
	questions := caseQuestions(t)
	for _, mutant := range append(brokenRules(), resultMutants()...) {
		t.Run(mutant.query+"/"+mutant.name, func(t *testing.T) {
			assert.NotEmpty(t, mutant.caughtBy(t, questions), "no case fails with this engine")
		})
	}
}

// TestCasesLetRightEnginesPass is the other side: what catches the mutants is the
// rule that they break, and not the way in which they are made.
func TestCasesLetRightEnginesPass(t *testing.T) {
	t.Parallel()
	questions := caseQuestions(t)
	for query := range references() {
		right := mutant{
			query:  query,
			logs:   mapEvents(func(event Event, _ *run) *Event { return &event }),
			run:    later(0),
			result: eachRow(func([]any, []float64) {}),
		}
		assert.Empty(t, right.caughtBy(t, questions), query)
	}
}

// wantedQuestions are questions with their expected results, by query.
type wantedQuestions map[string][]wantedQuestion

type wantedQuestion struct {
	boundQuestion
	want *Expected
}

func (w wantedQuestions) add(question boundQuestion, want *Expected) {
	query := question.statement.Query.Name
	w[query] = append(w[query], wantedQuestion{question, want})
}

// caughtBy returns how the result of a mutant differs for the first question that catches it; empty if none does.
func (m mutant) caughtBy(t *testing.T, questions wantedQuestions) (report string) {
	t.Helper()
	tried := questions[m.query]
	caught := slices.IndexFunc(tried, func(question wantedQuestion) bool {
		var err error
		report, err = suite{}.compare(t.Context(), m.engine(question.logs), question.boundQuestion, question.want)
		require.NoError(t, err)
		return report != ""
	})
	if caught > 0 { // what catches one mutant is likely to catch others, and is tried first
		question := tried[caught]
		copy(tried[1:], tried[:caught])
		tried[0] = question
	}
	return report
}

// caseQuestions returns the questions of all cases.
func caseQuestions(t *testing.T) wantedQuestions {
	t.Helper()
	cases, err := Cases()
	require.NoError(t, err)
	catalog, questions := shipped(t), wantedQuestions{}
	for _, c := range cases {
		for _, question := range c.Questions {
			bound, want, err := question.bind(catalog, c.Logs)
			require.NoError(t, err, "%s: %s", c.Name, question.Title)
			questions.add(bound, want)
		}
	}
	return questions
}
