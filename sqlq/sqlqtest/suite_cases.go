package sqlqtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
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
				report, err := s.checkQuestion(t.Context(), engine, catalog, c.Logs, question)
				require.NoError(t, err, question.Title)
				assert.Empty(t, report, "%s: %s %v", c.Title, question.Title, c.Proves)
			}
		})
	}
}

// checkQuestion runs a question of a case. The wanted rows are those that the
// case file writes out; the reference adds what an approximate percentile may be.
func (s suite) checkQuestion(
	ctx context.Context, engine sqlq.Engine, catalog *catalog.Catalog, logs Logs, question Question,
) (string, error) {
	bound, err := bind(catalog, logs, question.Query, question.Params, question.Now)
	if err != nil {
		return "", fmt.Errorf("bind: %w", err)
	}
	bound = bound.limit(question.MaxRows)
	want, err := bound.want()
	if err != nil {
		return "", err
	}
	return s.compare(ctx, engine, bound, &Expected{Result: question.Want, Observed: want.Observed})
}
