package sqlqtest

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// testRandom compares the engine with the reference on random data sets. Opening
// an engine costs more than a question, so each data set has several.
func (s suite) testRandom(t *testing.T, dataSets int) {
	t.Helper()
	if s.parallel {
		s.testSeeds(t, dataSets)
		return
	}
	setChecks(t, dataSets)
	s.checkRandom(t)
}

// testSeeds tries the data sets of the seeds from 0 on, in parallel.
func (s suite) testSeeds(t *testing.T, dataSets int) {
	t.Helper()
	if testing.Short() {
		dataSets = (dataSets + shortDivisor - 1) / shortDivisor
	}
	generator := randomDataSets()
	for seed := range dataSets {
		t.Run(fmt.Sprintf("seed-%03d", seed), func(t *testing.T) {
			t.Parallel()
			data := generator.Example(seed)
			engine := s.open(t, data.logs)
			report, err := s.checkDataSet(t.Context(), engine, catalogOf(t, engine), data)
			require.NoError(t, err, "%#v", data)
			require.Empty(t, report, "%#v", data)
		})
	}
}

// shortDivisor is by how much -short divides the number of data sets, as rapid does.
const shortDivisor = 5

// checkRandom tries as many data sets as rapid's flag says.
func (s suite) checkRandom(t *testing.T) {
	t.Helper()
	generator := randomDataSets()
	rapid.Check(t, func(rt *rapid.T) {
		data := generator.Draw(rt, "data set")
		engine := s.open(scope{TB: t, dataSet: rt}, data.logs)
		report, err := s.checkDataSet(rt.Context(), engine, catalogOf(t, engine), data)
		if err != nil {
			rt.Fatal(err)
		}
		if report != "" {
			rt.Fatal(report)
		}
	})
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

// setChecks makes rapid try n data sets for the time of the test. Rapid has no
// other way to say so than its flag; one on the command line is left alone.
func setChecks(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	require.NotNil(t, checks, "rapid has a flag for the number of checks")
	given := false
	flag.Visit(func(set *flag.Flag) { given = given || set == checks })
	if given {
		return
	}
	before := checks.Value.String()
	require.NoError(t, checks.Value.Set(strconv.Itoa(n)))
	t.Cleanup(func() {
		require.NoError(t, checks.Value.Set(before))
	})
}
