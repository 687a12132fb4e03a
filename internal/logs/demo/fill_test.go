package demo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/demo"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

func TestFillWritesAWeekIntoAnEmptyStore(t *testing.T) {
	t.Parallel()
	store, generator := &fakeStore{}, demo.New(1)
	now := friday().Add(999 * time.Nanosecond).In(time.FixedZone("", 3600))

	filling, err := demo.Fill(t.Context(), store, generator, now)

	require.NoError(t, err)
	from := time.Date(2026, time.November, 13, 14, 17, 0, 0, time.UTC)
	assert.Equal(t, demo.Filling{Events: len(store.events), Through: friday()}, filling)
	assert.GreaterOrEqual(t, filling.Events, 350_000)
	assert.LessOrEqual(t, filling.Events, 450_000)
	assert.Equal(t, 1, store.begun, "one transaction")
	// Its first hour shows where it begins, in all sources.
	store.events = slices.DeleteFunc(store.events, func(stored stored) bool { return !stored.event.Timestamp.Before(from.Add(time.Hour)) })
	store.assertHolds(t, generator, from, from.Add(time.Hour))
}

// Fill includes events at now.
func TestFillIncludesTheEventOfTheMoment(t *testing.T) {
	t.Parallel()
	generator := demo.New(1)
	events := collect(generator, sourceOf(t, "edge_logs"), friday(), friday().Add(time.Hour))
	require.NotEmpty(t, events)
	tests := []struct {
		name     string
		now      time.Time
		included bool
	}{
		{"at the event", events[0].Timestamp, true},
		{"a nanosecond before", events[0].Timestamp.Add(-time.Nanosecond), false},
		{"a microsecond before", events[0].Timestamp.Add(-time.Microsecond), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store := filledThrough(t, generator, test.now.Add(-time.Hour))
			_, err := demo.Fill(t.Context(), store, generator, test.now)
			require.NoError(t, err)
			found := false
			for _, stored := range store.events {
				found = found || stored.event.ID == events[0].ID
			}
			assert.Equal(t, test.included, found)
		})
	}
}

// filledThrough returns a store that holds the hour up to the moment.
func filledThrough(t *testing.T, generator *demo.Generator, through time.Time) *fakeStore {
	t.Helper()
	store := &fakeStore{}
	for _, source := range tables.Shipped() {
		for event := range generator.Events(source, through.Add(-time.Hour), through.Add(time.Microsecond)) {
			store.events = append(store.events, stored{table: source.Name, event: event})
		}
	}
	require.NotEmpty(t, store.events)
	return store
}

func TestFillContinuesAfterTheNewestEvent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		gap  time.Duration
	}{
		{"a moment", time.Microsecond},
		{"a minute", time.Minute},
		{"a night", 9 * time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			generator := demo.New(1)
			store := filledThrough(t, generator, friday())
			before := len(store.events)
			now := friday().Add(test.gap)

			filling, err := demo.Fill(t.Context(), store, generator, now)

			require.NoError(t, err)
			assert.Equal(t, len(store.events)-before, filling.Events)
			assert.Equal(t, now, filling.Through)
			store.assertHolds(t, generator, friday().Add(-time.Hour), now.Add(time.Microsecond))
		})
	}
}

func TestFillReachesAWeekBackAtMost(t *testing.T) {
	t.Parallel()
	generator := demo.New(1)
	store := filledThrough(t, generator, friday())
	now := friday().AddDate(0, 1, 0)
	var first stored
	enough := errors.New("the first event is enough")
	store.add = func(event stored) error {
		first = event
		return enough
	}

	_, err := demo.Fill(t.Context(), store, generator, now)

	require.ErrorIs(t, err, enough)
	assert.Equal(t, firstOfWeekBefore(t, generator, now), first)
}

// firstOfWeekBefore returns the first event of a week of demo logs, which starts at a
// whole minute.
func firstOfWeekBefore(t *testing.T, generator *demo.Generator, now time.Time) stored {
	t.Helper()
	source := tables.Shipped()[0]
	from := now.UTC().Add(-week).Truncate(time.Minute)
	events := collect(generator, source, from, from.Add(time.Hour))
	require.NotEmpty(t, events)
	return stored{table: source.Name, event: events[0]}
}

// A clock that was set back must not duplicate events.
func TestFillWaitsForAClockThatWasSetBack(t *testing.T) {
	t.Parallel()
	generator := demo.New(1)
	store := filledThrough(t, generator, friday())
	newest, _, err := store.Newest(t.Context())
	require.NoError(t, err)

	filling, err := demo.Fill(t.Context(), store, generator, friday().Add(-20*time.Minute))

	require.NoError(t, err)
	assert.Zero(t, filling.Events)
	assert.Equal(t, newest, filling.Through)
	store.assertHolds(t, generator, friday().Add(-time.Hour), friday().Add(time.Microsecond))
}

func TestFillFails(t *testing.T) {
	t.Parallel()
	failure := errors.New("disk full")
	fail := func() error { return failure }
	tests := []struct {
		name        string
		breakStore  func(store *fakeStore)
		want        error
		wantMessage string
		rolledBack  int
	}{
		{
			"other logs", func(store *fakeStore) { store.begin = func() error { return logstore.ErrHoldsOtherLogs } },
			logstore.ErrHoldsOtherLogs, "begin writing demo logs: ", 0,
		},
		{"at the start", func(store *fakeStore) { store.begin = fail }, failure, "begin writing demo logs: ", 0},
		{"looking for the newest", func(store *fakeStore) { store.newest = fail }, failure, "find the newest demo log: ", 0},
		{"adding an event", func(store *fakeStore) {
			store.add = func(event stored) error {
				if event.table == "function_logs" {
					return failure
				}
				return nil
			}
		}, failure, "write demo logs: function_logs: ", 1},
		{"at the end", func(store *fakeStore) { store.commit = fail }, failure, "write demo logs: ", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			generator := demo.New(1)
			store := filledThrough(t, generator, friday())
			test.breakStore(store)

			filling, err := demo.Fill(t.Context(), store, generator, friday().Add(time.Hour))

			require.ErrorIs(t, err, test.want)
			require.ErrorContains(t, err, test.wantMessage)
			assert.Zero(t, filling)
			assert.Equal(t, test.rolledBack, store.dropped)
			store.assertHolds(t, generator, friday().Add(-time.Hour), friday().Add(time.Microsecond))
		})
	}
}

func TestFillStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	added := 0
	store := &fakeStore{add: func(stored) error {
		if added++; added == 500 {
			cancel()
		}
		return nil
	}}
	_, err := demo.Fill(ctx, store, demo.New(1), friday())
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 500, added)
	assert.Empty(t, store.events)
	assert.Equal(t, 1, store.dropped)
}
