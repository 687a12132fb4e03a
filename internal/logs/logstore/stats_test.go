package logstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
)

func TestStats(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	const day = 24 * time.Hour
	var events []logevent.Event
	for i, before := range []time.Duration{40 * day, day, day - 1000, time.Hour, time.Hour - 1000, time.Minute, 0, -time.Minute} {
		added := event(i)
		added.Timestamp = noon.Add(-before)
		events = append(events, added)
	}
	addEvents(t, store, "edge_logs", events[:4]...)
	ingestEvents(t, store, source(t, "edge_logs"), events[4:]...)
	message := strings.Repeat("x", 200)
	for i := range 3000 {
		events = append(events, logevent.Event{ID: fmt.Sprintf("%08x", i*2654435761%(1<<32)), Timestamp: noon.Add(-day), EventMessage: &message})
	}
	addEvents(t, store, "auth_logs", events...)
	ingestRejected(t, store, 2, rejectedEvents(3))
	check := func() {
		t.Helper()
		stats, err := store.Stats(t.Context(), noon)
		require.NoError(t, err)
		require.Len(t, stats.Sources, 9)
		edge, auth, function := stats.Sources[0], stats.Sources[4], stats.Sources[2]
		assert.Positive(t, edge.Bytes)
		assert.Positive(t, auth.Bytes)
		edge.Bytes = 0
		assert.Equal(t, logstore.SourceStats{
			Source: "edge_logs", Events: 8, Oldest: new(noon.Add(-40 * day)), Newest: new(noon.Add(time.Minute)), LastHour: 3, LastDay: 5,
		}, edge)
		assert.EqualValues(t, 3008, auth.Events)
		assert.Equal(t, logstore.Size{Bytes: auth.Bytes, Events: 3008}, store.Sizes()["auth_logs"])
		assert.Equal(t, logstore.SourceStats{Source: "function_edge_logs"}, function)
		assert.EqualValues(t, 3, stats.Rejected)
		assert.Equal(t, store.FileBytes(), stats.FileBytes)
		assert.Positive(t, stats.FileBytes)
		oldest, found, err := store.Oldest(t.Context(), source(t, "edge_logs"))
		require.NoError(t, err)
		assert.True(t, found)
		assert.Equal(t, noon.Add(-40*day), oldest)
		_, found, err = store.Oldest(t.Context(), source(t, "function_logs"))
		require.NoError(t, err)
		assert.False(t, found)
		newest, found, err := store.Newest(t.Context())
		require.NoError(t, err)
		assert.True(t, found)
		assert.Equal(t, noon.Add(time.Minute), newest)
	}
	assert.Positive(t, store.RecentBytes())
	check()
	require.NoError(t, store.Close())
	store = open(t, directory)
	assert.Zero(t, store.RecentBytes())
	check()
	require.NoError(t, store.Close())
}

func listRejected(t *testing.T, store *logstore.Store, filter logstore.RejectedFilter) (positions []int) {
	t.Helper()
	require.NoError(t, store.Rejected(t.Context(), filter, func(event logevent.Rejected) error {
		assert.Equal(t, rejectedEvents(event.Position + 1)[event.Position], event)
		positions = append(positions, event.Position)
		return nil
	}))
	return positions
}

func TestRejected(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	ingestRejected(t, store, 1, rejectedEvents(6))
	for range 2 {
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, listRejected(t, store, logstore.RejectedFilter{}))
		assert.Equal(t, []int{1, 3, 5}, listRejected(t, store, logstore.RejectedFilter{Source: "nothing"}))
		assert.Equal(t, []int{3, 5}, listRejected(t, store, logstore.RejectedFilter{Source: "nothing", Most: 2}))
		assert.Equal(t, []int{4, 5}, listRejected(t, store, logstore.RejectedFilter{Since: noon.Add(4 * time.Second)}))
		require.NoError(t, store.Close())
		store = open(t, directory)
	}
	require.NoError(t, store.ForgetRejected(t.Context(), noon.Add(5*time.Second)))
	assert.Equal(t, []int{5}, listRejected(t, store, logstore.RejectedFilter{}))
	require.ErrorIs(t, store.Rejected(t.Context(), logstore.RejectedFilter{}, func(logevent.Rejected) error { return assert.AnError }), assert.AnError)
	require.NoError(t, store.Close())
	store = open(t, directory)
	assert.Equal(t, []int{5}, listRejected(t, store, logstore.RejectedFilter{}))
	require.NoError(t, store.Close())
}

// The oldest rejected events go when there are too many.
func TestRejectedAreBounded(t *testing.T) {
	t.Parallel()
	store := openMemory(t, logstore.WithMostRejected(4))
	ingestRejected(t, store, 1, rejectedEvents(6))
	require.NoError(t, store.TrimRejected(t.Context()))
	assert.Equal(t, []int{2, 3, 4, 5}, listRejected(t, store, logstore.RejectedFilter{}), "after the first events")
	ingestRejected(t, store, 2, rejectedEvents(7)[6:])
	require.NoError(t, store.TrimRejected(t.Context()))
	assert.Equal(t, []int{2, 3, 4, 5, 6}, listRejected(t, store, logstore.RejectedFilter{}), "not after few more")

	large := rejectedEvents(18)
	for i := range large {
		large[i].Event = strings.Repeat("x", 4<<20)
	}
	other := openMemory(t)
	ingestRejected(t, other, 1, large)
	require.NoError(t, other.TrimRejected(t.Context()))
	assert.Equal(t, []string{"15"}, texts(t, other, "SELECT count(*)::VARCHAR FROM rejected_events"), "64 MiB, with reasons")
}
