package sqlcheck_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/engines/sqlcheck"
	"savedq/internal/operations/memory"
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

// Checks leave most of a small container to the server.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	for available, want := range map[int64]int64{256 << 20: 64 << 20, 512 << 20: 128 << 20, 2 << 30: 512 << 20, 64 << 30: 512 << 20} {
		assert.Equal(t, want, sqlcheck.MemoryLimit(memory.Available{Bytes: available}, nil), available)
	}
	assert.Equal(t, int64(512<<20), sqlcheck.MemoryLimit(memory.Available{}, errors.New("unknown")))
}
