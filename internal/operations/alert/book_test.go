package alert

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// droppedTargets counts dropped messages by target.
type droppedTargets map[string]int

func (droppedTargets) AlertChecked(string, Outcome) {}

func (d droppedTargets) AlertMessage(target, outcome string) {
	if outcome == dropped {
		d[target]++
	}
}

// While a target is unreachable, an alert that changes its state over and over keeps a bounded number of messages for
// it: the one that may be on its way with its episode, and the newest whole episodes. Other targets get every message.
func TestMessagesThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	for _, sent := range []int{0, 1} { // how many messages the target received before
		d := declared(t, "errors > 5", "dead", "alive")
		book, err := OpenBook(make(memoryStore), everyTarget)
		require.NoError(t, err)
		counts := make(droppedTargets)
		book.Observe(counts)
		require.NoError(t, book.Use([]Definition{*d}, noon))
		var all, alive []string
		const changes = 101
		for i := range changes {
			at := noon.Add(time.Duration(i) * time.Minute)
			check, event := met(at), Begin
			if i%2 == 1 {
				check, event, at = unmet(at), End, at.Add(-time.Minute)
			}
			all = append(all, at.Format("1504")+" "+string(event))
			require.NoError(t, book.Checked(d, check))
			if due := book.Due(at)["dead"]; i < sent {
				require.NoError(t, book.Delivered(due, at))
			}
			due, ok := book.Due(at)["alive"]
			require.True(t, ok)
			alive = append(alive, shortID(due.Message.ID))
			require.NoError(t, book.Delivered(due, at))
			assert.LessOrEqual(t, len(book.records[d.Key()].Outbox), mostWaiting)
		}
		assert.Equal(t, all, alive)
		var waiting []string
		for _, entry := range book.records[d.Key()].Outbox {
			assert.Equal(t, "dead", entry.Target)
			waiting = append(waiting, shortID(entry.Message.ID))
		}
		kept := all[sent:2] // the episode of the first message
		newest := all[changes-(len(waiting)-len(kept)):]
		assert.Equal(t, slices.Concat(kept, newest), waiting)
		assert.GreaterOrEqual(t, len(waiting), mostWaiting-1)
		assert.Equal(t, droppedTargets{"dead": changes - sent - len(waiting)}, counts)
	}
}

// shortID returns the time and the event of a message.
func shortID(id string) string {
	parts := strings.Split(id, ".")
	return parts[2][len("20261126T"):len("20261126T")+4] + " " + parts[len(parts)-1]
}

// slowStore is a store whose changes of one alert wait.
type slowStore struct {
	memoryStore

	slow string
	// proceed receives a value for each change that may be stored.
	proceed chan struct{}
	mutex   sync.Mutex
	saved   []string
}

func (s *slowStore) Save(record *Record) error {
	if record.Key == s.slow {
		<-s.proceed
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.saved = append(s.saved, fmt.Sprint(record.Query, " ", record.Status.State, " ", len(record.Outbox)))
	return s.memoryStore.Save(record)
}

// While the state of an alert is being stored, nothing of it shows, and everything else goes on. Changes of one alert
// are stored in their order.
func TestStoringHoldsNothingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow, other := declared(t, "errors > 5", "ops"), declared(t, "errors > 5", "ops")
		other.Query.ID, other.Query.Name = [16]byte{1}, "other"
		definitions := []Definition{*slow, *other}
		store := &slowStore{memoryStore: make(memoryStore), slow: slow.Key(), proceed: make(chan struct{})}
		book, err := OpenBook(store, everyTarget)
		require.NoError(t, err)
		require.NoError(t, book.Use(definitions, noon))
		var changes sync.WaitGroup
		changes.Go(func() { assert.NoError(t, book.Checked(slow, met(noon))) })
		synctest.Wait()
		changes.Go(func() { assert.NoError(t, book.Checked(slow, unmet(noon.Add(time.Minute)))) })
		synctest.Wait()
		counts := book.Counts(noon)
		states, pending := counts.States, counts.Pending
		assert.Equal(t, 2, states[Unknown])
		assert.Zero(t, pending)
		require.NoError(t, book.Checked(other, met(noon)))
		due := book.Due(noon)
		assert.Equal(t, other.Key(), due["ops"].Key)
		require.NoError(t, book.Delivered(due["ops"], noon))
		assert.Zero(t, book.NextRetry(noon))
		book.Repeat(slow.Key(), "ops")
		listed := book.List(func(*sqlq.SavedQuery, map[string][]string) bool { return true }, func(string) time.Time { return time.Time{} }, noon)
		assert.Equal(t, []State{Firing, Unknown}, []State{listed[0].State, listed[1].State})
		store.proceed <- struct{}{}
		synctest.Wait()
		// The alert is removed while it changes: that is stored after the change.
		changes.Go(func() { assert.NoError(t, book.Use(definitions[1:], noon.Add(2*time.Minute))) })
		synctest.Wait()
		store.proceed <- struct{}{}
		store.proceed <- struct{}{}
		changes.Wait()
		assert.Equal(t, []string{"other firing 1", "other firing 0", "usage.errors firing 1", "usage.errors ok 2", "usage.errors unknown 2"}, store.saved)
	})
}
