package sqlcheck_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/sqlcheck"
	"savedq/sqlq"
)

// checks is a checker that is a function.
type checks func()

func (c checks) Check(context.Context, *sqlq.SavedQuery) (*sqlq.Plan, error) {
	c()
	return &sqlq.Plan{}, nil
}

// The memory of a worker is watched during each check, and not while the worker is idle.
func TestIdleWorkerIsNotWatched(t *testing.T) {
	t.Parallel()
	var events []string
	note := func(event string) func() { return func() { events = append(events, event) } }
	queries := make(chan *sqlq.SavedQuery, 2)
	queries <- savedQuery("SELECT 1")
	queries <- savedQuery("SELECT 2")
	close(queries)
	require.NoError(t, sqlcheck.Respond(t.Context(), queries, checks(note("check")), func() func() {
		note("watch")()
		return note("stop")
	}))
	assert.Equal(t, []string{"watch", "check", "stop", "watch", "check", "stop"}, events)
}
