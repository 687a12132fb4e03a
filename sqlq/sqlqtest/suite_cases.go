package sqlqtest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/catalog"
)

// testCases runs the questions of every case file.
func (s suite) testCases(t *testing.T) {
	cases, err := Cases()
	require.NoError(t, err)
	for _, c := range cases {
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
