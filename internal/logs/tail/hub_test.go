package tail_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/tail"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// shippedTables reads the shipped tables once, because tests need them for every event.
var shippedTables = sync.OnceValue(tables.Shipped) //nolint:gochecknoglobals // They do not change.

// smallLimits are reached with a few events.
func smallLimits() tail.Limits {
	return tail.Limits{Subscriptions: 2, CallerSubscriptions: 2, HubEvents: 10, HubBytes: 1 << 20, Events: 4, Bytes: 1 << 20}
}

// eventOf returns an event of a source with a message and a project, either of which may be
// empty.
func eventOf(t *testing.T, source, id, message, project, metadata string) logevent.Sourced {
	t.Helper()
	found, ok := shippedTables().FindSource(source)
	require.True(t, ok, source)
	event := logevent.Sourced{Source: found, Event: logevent.Event{ID: id, Timestamp: time.Unix(0, 0).UTC()}}
	if message != "" {
		event.EventMessage = &message
	}
	if project != "" {
		event.Project = &project
	}
	if metadata != "" {
		event.Metadata = json.RawMessage(metadata)
	}
	return event
}

// numbered returns edge events with the ids from first to last.
func numbered(t *testing.T, first, last int) []logevent.Sourced {
	t.Helper()
	var events []logevent.Sourced
	for i := first; i <= last; i++ {
		events = append(events, eventOf(t, "edge_logs", strconv.Itoa(i), "message", "acme", ""))
	}
	return events
}

func subscribe(t *testing.T, hub *tail.Hub, filter tail.Filter) *tail.Subscription {
	t.Helper()
	subscription, err := hub.Subscribe("", filter)
	require.NoError(t, err)
	t.Cleanup(subscription.Close)
	return subscription
}

// idsOf returns the ids of a batch.
func idsOf(batch tail.Batch) string {
	ids := make([]string, len(batch.Events))
	for i, event := range batch.Events {
		ids[i] = event.ID
	}
	return strings.Join(ids, " ")
}

func TestSubscriptionReceivesWhatIsPublishedLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hub := tail.NewHub(tail.DefaultLimits())
		hub.Publish(numbered(t, 1, 1))
		first := subscribe(t, hub, tail.Filter{})
		hub.Publish(numbered(t, 2, 3))
		synctest.Wait()
		second := subscribe(t, hub, tail.Filter{})
		hub.Publish(numbered(t, 4, 4))
		synctest.Wait()
		batch, err := first.Next(t.Context(), 2)
		require.NoError(t, err)
		assert.Equal(t, "2 3", idsOf(batch), "at most two at once")
		batch, err = first.Next(t.Context(), 2)
		require.NoError(t, err)
		assert.Equal(t, "4", idsOf(batch))
		batch, err = second.Next(t.Context(), 100)
		require.NoError(t, err)
		assert.Equal(t, "4", idsOf(batch))
		assert.Zero(t, batch.Dropped)
	})
}

// A slow reader loses the oldest events and is told how many. The writer does not wait.
func TestSlowReaderLosesTheOldestEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hub := tail.NewHub(smallLimits())
		slow, quick := subscribe(t, hub, tail.Filter{}), subscribe(t, hub, tail.Filter{})
		for i := 1; i <= 7; i++ {
			hub.Publish(numbered(t, i, i))
			synctest.Wait()
			batch, err := quick.Next(t.Context(), 100)
			require.NoError(t, err)
			assert.Equal(t, strconv.Itoa(i), idsOf(batch), "a slow reader does not slow others down")
		}
		batch, err := slow.Next(t.Context(), 100)
		require.NoError(t, err)
		assert.Equal(t, "4 5 6 7", idsOf(batch))
		assert.Equal(t, 3, batch.Dropped)
		hub.Publish(numbered(t, 8, 8))
		batch, err = slow.Next(t.Context(), 100)
		require.NoError(t, err)
		assert.Equal(t, "8", idsOf(batch))
		assert.Zero(t, batch.Dropped, "each is counted once")
	})
}

// One commit can be larger than all buffers.
func TestLargeCommit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hub := tail.NewHub(smallLimits())
		reader := subscribe(t, hub, tail.Filter{})
		hub.Publish(numbered(t, 1, 25))
		synctest.Wait()
		batch, err := reader.Next(t.Context(), 100)
		require.NoError(t, err)
		assert.Equal(t, "22 23 24 25", idsOf(batch))
		assert.Equal(t, 21, batch.Dropped, "those that the hub dropped, and those that the subscription dropped")
	})
}

func TestBytesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := smallLimits()
		limits.Bytes = 3000 // for one reader
		hub := tail.NewHub(limits)
		reader := subscribe(t, hub, tail.Filter{})
		hub.Publish([]logevent.Sourced{
			eventOf(t, "edge_logs", "a", strings.Repeat("x", 1000), "", ""),
			eventOf(t, "edge_logs", "b", "", "", `[{"k":"`+strings.Repeat("x", 1000)+`"}]`),
			eventOf(t, "edge_logs", "c", strings.Repeat("x", 1000), "", ""),
			eventOf(t, "edge_logs", "too large", strings.Repeat("x", 4000), "", ""),
		})
		synctest.Wait()
		batch, err := reader.Next(t.Context(), 100)
		require.NoError(t, err)
		assert.Equal(t, "b c", idsOf(batch))
		assert.Equal(t, 2, batch.Dropped)
	})
}

func TestNextEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader := subscribe(t, tail.NewHub(smallLimits()), tail.Filter{})
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Minute)
			cancel(assert.AnError)
		}()
		_, err := reader.Next(ctx, 1)
		assert.Equal(t, assert.AnError, err)
	})
}

func TestSubscriptionsAreBounded(t *testing.T) {
	t.Parallel()
	hub := tail.NewHub(smallLimits())
	first := subscribe(t, hub, tail.Filter{})
	subscribe(t, hub, tail.Filter{})
	_, err := hub.Subscribe("", tail.Filter{})
	assert.Equal(t, sqlq.ResourceExhausted, sqlq.AsError(err).Code)
	require.ErrorContains(t, err, "2 callers follow the logs already")
	first.Close()
	first.Close() // once counts
	subscribe(t, hub, tail.Filter{})
	_, err = hub.Subscribe("", tail.Filter{})
	assert.Error(t, err)
}

// One caller cannot take all subscriptions, however often it connects.
func TestSubscriptionsOfACallerAreBounded(t *testing.T) {
	t.Parallel()
	limits := smallLimits()
	limits.Subscriptions, limits.CallerSubscriptions = 10, 1
	hub := tail.NewHub(limits)
	first, err := hub.Subscribe("a", tail.Filter{})
	require.NoError(t, err)
	_, err = hub.Subscribe("a", tail.Filter{})
	require.ErrorContains(t, err, "the token follows the logs 1 times already, the most that it can; end a subscription and try again")
	assert.Equal(t, sqlq.ResourceExhausted, sqlq.AsError(err).Code)
	for _, caller := range []string{"b", "", "", ""} {
		other, err := hub.Subscribe(caller, tail.Filter{})
		require.NoError(t, err)
		t.Cleanup(other.Close)
	}
	first.Close()
	again, err := hub.Subscribe("a", tail.Filter{})
	require.NoError(t, err)
	again.Close()
}

// A few readers that keep up receive the largest commit that a sender can cause, without loss:
// 100,000 events, or 12 MB.
func TestLargestCommit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ events, messageBytes int }{
		"many events":  {100_000, 50},
		"large events": {500, 24 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				hub := tail.NewHub(tail.DefaultLimits())
				reader := subscribe(t, hub, tail.Filter{})
				subscribe(t, hub, tail.Filter{}) // it never reads
				message := strings.Repeat("x", test.messageBytes)
				events := numbered(t, 1, test.events)
				for i := range events {
					events[i].EventMessage = &message
				}
				hub.Publish(events)
				synctest.Wait()
				batch, err := reader.Next(t.Context(), test.events)
				require.NoError(t, err)
				assert.Len(t, batch.Events, test.events)
				assert.Zero(t, batch.Dropped)
			})
		})
	}
}

// Events that wait for many readers are bounded: each reader has a share.
func TestReadersShareBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := smallLimits()
		limits.Subscriptions, limits.Bytes, limits.MinBytes = 4, 10_000, 1000
		for readers, want := range map[int]string{1: "1 2 3 4", 2: "1 2 3 4", 4: "3 4"} {
			hub := tail.NewHub(limits)
			var subscriptions []*tail.Subscription
			for range readers {
				subscriptions = append(subscriptions, subscribe(t, hub, tail.Filter{}))
			}
			events, message := numbered(t, 1, 4), strings.Repeat("x", 800)
			for i := range events {
				events[i].EventMessage = &message
			}
			hub.Publish(events)
			synctest.Wait()
			batch, err := subscriptions[0].Next(t.Context(), 100)
			require.NoError(t, err)
			assert.Equal(t, want, idsOf(batch), "%d readers", readers)
			for _, subscription := range subscriptions {
				subscription.Close()
			}
		}
	})
}

// A server whose logs nobody follows does not pay for the hub.
func TestPublishWithoutSubscriptions(t *testing.T) { // not parallel, because it counts allocations
	hub, events := tail.NewHub(tail.DefaultLimits()), numbered(t, 1, 500)
	subscription, err := hub.Subscribe("", tail.Filter{})
	require.NoError(t, err)
	subscription.Close()
	assert.Zero(t, testing.AllocsPerRun(100, func() { hub.Publish(events) }))
}

func TestFilter(t *testing.T) {
	t.Parallel()
	acme := eventOf(t, "edge_logs", "Edge-1", "GET | 404 | /Rest/v1", "acme", `[{"request":[{"method":"GET"}]}]`)
	function := eventOf(t, "function_logs", "f-1", "", "", `[{"project_ref":"acme"},{"project_ref":"acme"}]`)
	storage := eventOf(t, "storage_logs", "s-1", "", "", `[{"project":"globex"}]`)
	mixed := eventOf(t, "storage_logs", "s-2", "", "", `[{"project":"globex"},{"project":"acme"}]`)
	none := eventOf(t, "postgres_logs", "p-1", "message", "", "")
	escaped := eventOf(t, "postgres_logs", "e-1", "", "", `[{"city":"CAF\u00c9","path":"\/rest\/v1"}]`)
	all := []logevent.Sourced{acme, function, storage, mixed, none, escaped}
	for name, test := range map[string]struct {
		filter tail.Filter
		want   string
	}{
		"everything":                 {tail.Filter{}, "Edge-1 f-1 s-1 s-2 p-1 e-1"},
		"a source":                   {tail.Filter{Table: "storage_logs"}, "s-1 s-2"},
		"a project (D23)":            {tail.Filter{Project: "acme"}, "Edge-1 f-1 s-2"},
		"a limited token":            {tail.Filter{Allowed: []string{"acme"}}, "Edge-1 f-1"},
		"limited to several":         {tail.Filter{Allowed: []string{"acme", "globex"}}, "Edge-1 f-1 s-1 s-2"},
		"limited to none":            {tail.Filter{Allowed: []string{}}, ""},
		"limited, and a project":     {tail.Filter{Allowed: []string{"acme", "globex"}, Project: "globex"}, "s-1 s-2"},
		"words in any order":         {tail.Filter{Words: tail.Words("  rest GET ")}, "Edge-1"},
		"the id":                     {tail.Filter{Words: tail.Words("edge-1")}, "Edge-1"},
		"the metadata":               {tail.Filter{Words: tail.Words("GLOBEX")}, "s-1 s-2"},
		"a word that nothing has":    {tail.Filter{Words: tail.Words("get nothing")}, ""},
		"an escaped character":       {tail.Filter{Words: tail.Words("Café /rest/v1")}, "e-1"},
		"a part of an escape":        {tail.Filter{Words: tail.Words("u00e9")}, ""},
		"no word across two fields":  {tail.Filter{Words: tail.Words("p-1message")}, ""},
		"a source and a word":        {tail.Filter{Table: "function_logs", Words: tail.Words("acme")}, "f-1"},
		"a source without the words": {tail.Filter{Table: "edge_logs", Words: tail.Words("globex")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				hub := tail.NewHub(tail.DefaultLimits())
				reader, end := subscribe(t, hub, test.filter), subscribe(t, hub, tail.Filter{})
				hub.Publish(all)
				synctest.Wait()
				_, err := end.Next(t.Context(), 100)
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				batch, err := reader.Next(ctx, 100)
				if test.want == "" {
					assert.ErrorIs(t, err, context.DeadlineExceeded)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, test.want, idsOf(batch))
			})
		})
	}
}

// Readers come and go while events are published. Each receives its events in order, and is
// told of all that it did not receive.
func TestConcurrentReaders(t *testing.T) {
	t.Parallel()
	hub := tail.NewHub(tail.Limits{Subscriptions: 8, HubEvents: 100, HubBytes: 1 << 20, Events: 30, Bytes: 8 << 20})
	ctx, cancel := context.WithCancel(t.Context())
	var writer, readers sync.WaitGroup
	writer.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			hub.Publish(numbered(t, i*10, i*10+9))
			runtime.Gosched()
		}
	})
	for range 8 {
		readers.Go(func() {
			for range 20 {
				subscription, err := hub.Subscribe("", tail.Filter{})
				assert.NoError(t, err) //nolint:testifylint // It is another goroutine.
				readInOrder(t, subscription)
				subscription.Close()
			}
		})
	}
	readers.Wait()
	cancel()
	writer.Wait()
}

// readInOrder reads a few batches of numbered events.
func readInOrder(t *testing.T, subscription *tail.Subscription) {
	t.Helper()
	first, last, known := -1, -1, 0
	for range 3 {
		batch, err := subscription.Next(t.Context(), 7)
		assert.NoError(t, err) //nolint:testifylint // It is another goroutine.
		known += batch.Dropped + len(batch.Events)
		for _, event := range batch.Events {
			number := 0
			_, err := fmt.Sscan(event.ID, &number)
			assert.NoError(t, err) //nolint:testifylint // It is another goroutine.
			assert.Greater(t, number, last)
			if first < 0 {
				first = number
			}
			last = number
		}
	}
	assert.LessOrEqual(t, last-first+1, known, "some are missing")
}
