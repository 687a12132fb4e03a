package sqlqtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

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
