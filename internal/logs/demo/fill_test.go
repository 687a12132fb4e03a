package demo

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

func TestFillAddsWhatIsMissing(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, time.November, 13, 14, 17, 0, 0, time.UTC)
	tests := []struct {
		name          string
		newest        time.Time
		from, through time.Time
	}{
		{"a week in an empty store", time.Time{}, begin, friday()},
		{"a moment", friday().Add(-time.Microsecond), friday(), friday()},
		{"a night", friday().Add(-9 * time.Hour), friday().Add(-9*time.Hour + time.Microsecond), friday()},
		{"a week at most", friday().AddDate(0, -1, 0), begin, friday()},
		{"nothing after the clock was set back", friday().Add(time.Hour), friday().Add(time.Hour + time.Microsecond), friday().Add(time.Hour)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			from, through := missing(friday(), test.newest, !test.newest.IsZero())
			assert.Equal(t, []time.Time{test.from, test.through}, []time.Time{from, through})
		})
	}
}

// filledThrough returns a store that holds the hour up to a moment.
func filledThrough(t *testing.T, through time.Time) *logstore.Store {
	t.Helper()
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	transaction, err := store.Begin(t.Context(), logstore.Generated)
	require.NoError(t, err)
	for source, event := range seeded(1).all(through.Add(-time.Hour), justAfter(through)) {
		require.NoError(t, transaction.Add(t.Context(), source, event))
	}
	require.NoError(t, transaction.Commit(t.Context()))
	return store
}

// justAfter is a microsecond after a moment: where the half-open range ends that includes it.
func justAfter(moment time.Time) time.Time { return moment.UTC().Add(precision) }

// assertHolds checks that a store has each event of [from, to) once, and no others.
func assertHolds(t *testing.T, store *logstore.Store, from, to time.Time) {
	t.Helper()
	for _, source := range tables.Shipped() {
		var want []string
		for _, event := range collect(seeded(1), source, from, to) {
			want = append(want, event.ID)
		}
		var ids []string
		rows, err := store.DB().QueryContext(t.Context(), "SELECT id FROM "+source.Name)
		require.NoError(t, err)
		for rows.Next() {
			var id string
			require.NoError(t, rows.Scan(&id))
			ids = append(ids, id)
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
		assert.ElementsMatch(t, want, ids, source.Name)
	}
}

// neverBegins is for a call that writes nothing, and must not say that it begins to.
func neverBegins(t *testing.T) func() {
	t.Helper()
	return func() { t.Error("the filling begins") }
}

// Fill continues after the newest event, and live events continue after Fill.
func TestFillAndRunAddEachEventOnce(t *testing.T) {
	t.Parallel()
	store := filledThrough(t, friday())
	now := friday().Add(time.Minute + 999*time.Nanosecond).In(time.FixedZone("", 3600))
	begun := 0
	filling, err := Fill(t.Context(), store, seeded(1), now, func() { begun++ })
	require.NoError(t, err)
	assert.Equal(t, 1, begun)
	assert.Equal(t, friday().Add(time.Minute), filling.Through)
	assert.Positive(t, filling.Events)
	again, err := Fill(t.Context(), store, seeded(1), now, neverBegins(t))
	require.NoError(t, err)
	assert.Equal(t, Filling{Through: filling.Through}, again)
	assertHolds(t, store, friday().Add(-time.Hour), justAfter(filling.Through))

	feed := &feed{}
	through, err := advance(t.Context(), feed, seeded(1), filling.Through, filling.Through.Add(7*time.Second))
	require.NoError(t, err)
	assert.Equal(t, filling.Through.Add(7*time.Second), through)
	feed.assertHolds(t, justAfter(filling.Through), justAfter(through))
}

// Fill includes events at now.
func TestFillIncludesTheEventOfTheMoment(t *testing.T) {
	t.Parallel()
	moment := collect(seeded(1), sourceOf(t, "edge_logs"), friday(), friday().Add(time.Hour))[0].Timestamp
	store := filledThrough(t, moment.Add(-time.Second))
	for _, now := range []time.Time{moment.Add(-time.Nanosecond), moment} {
		_, err := Fill(t.Context(), store, seeded(1), now, func() {})
		require.NoError(t, err)
		assertHolds(t, store, moment.Add(-time.Hour-time.Second), justAfter(now.Truncate(precision)))
	}
}

func TestFillFails(t *testing.T) {
	t.Parallel()
	t.Run("other logs", func(t *testing.T) {
		t.Parallel()
		store := filledThrough(t, friday())
		transaction, err := store.Begin(t.Context(), logstore.Sent)
		require.NoError(t, err)
		sent := logevent.Event{ID: "sent", Timestamp: friday()}
		require.NoError(t, transaction.Add(t.Context(), sourceOf(t, "edge_logs"), sent))
		require.NoError(t, transaction.Commit(t.Context()))
		filling, err := Fill(t.Context(), store, seeded(1), friday().Add(time.Hour), neverBegins(t))
		require.ErrorIs(t, err, logstore.ErrHoldsOtherLogs)
		require.ErrorContains(t, err, "begin writing demo logs: ")
		assert.Zero(t, filling)
	})
	t.Run("looking for the newest", func(t *testing.T) {
		t.Parallel()
		store, err := logstore.OpenEmpty(t.Context())
		require.NoError(t, err)
		require.NoError(t, store.Close())
		_, err = Fill(t.Context(), store, seeded(1), friday(), neverBegins(t))
		require.ErrorContains(t, err, "find the newest demo log: ")
	})
	t.Run("its context ends", func(t *testing.T) {
		t.Parallel()
		store := filledThrough(t, friday())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		filling, err := Fill(ctx, store, seeded(1), friday().AddDate(0, 0, 7), func() { time.AfterFunc(200*time.Millisecond, cancel) }) // of seconds
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "write demo logs: ")
		assert.Zero(t, filling)
		assertHolds(t, store, friday().Add(-time.Hour), justAfter(friday()))
	})
}
