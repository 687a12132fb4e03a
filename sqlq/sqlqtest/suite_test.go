package sqlqtest

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// TestDataSetsAreTheSame proves that data sets are the same every time, in whichever order
// they are tried, and that there are as many as requested.
func TestDataSetsAreTheSame(t *testing.T) {
	const dataSets = 4
	var mutex sync.Mutex
	tried := func() []string {
		var texts []string
		s := suite{parallel: true, open: func(_ testing.TB, logs Logs) sqlq.Engine {
			mutex.Lock()
			defer mutex.Unlock()
			texts = append(texts, dataSet{logs: logs}.GoString())
			return ReferenceEngine(logs)
		}}
		t.Run("random", func(t *testing.T) { s.testRandom(t, dataSets) })
		slices.Sort(texts)
		return texts
	}
	first := tried()
	assert.Len(t, first, dataSets)
	assert.Equal(t, first, tried())
	assert.Greater(t, len(slices.Compact(first)), len(first)/2, "they differ from one another")
}

// TestRandomDataCatchesWrongEngines proves that random data sets reach the rules:
// a hundred of them, always the same ones here, catch engines that are wrong in one rule.
func TestRandomDataCatchesWrongEngines(t *testing.T) {
	t.Parallel()
	const dataSets = 100
	catalog, generator, questions := shipped(t), randomDataSets(), wantedQuestions{}
	for seed := range dataSets {
		data := generator.Example(seed)
		for _, random := range data.questions {
			question, err := bind(catalog, data.logs, random.query, random.params, data.now)
			require.NoError(t, err)
			question = question.limit(random.maxRows)
			want, err := question.want()
			require.NoError(t, err)
			questions.add(question, want)
		}
	}
	for _, mutant := range brokenRules() {
		t.Run(mutant.query+"/"+mutant.name, func(t *testing.T) {
			if mutant.query == invocationStats && mutant.name == "D22: other tables are read too" {
				t.Skip("random edge logs have no function records; a case has")
			}
			if mutant.rare {
				t.Skip("random data is unlikely to reach the rule; a case does")
			}
			require.NotEmpty(t, mutant.caughtBy(t, questions))
		})
	}
}
