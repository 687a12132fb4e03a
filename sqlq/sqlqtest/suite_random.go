package sqlqtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

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
