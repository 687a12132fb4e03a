package logstore

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/googleapis/gax-go/v2"
	"golang.org/x/sync/semaphore"
)

// statements counts the queries that run on the store, and can hold further ones. It is safe
// for concurrent use.
type statements struct {
	running atomic.Int64
	// places has one for each query. A pause takes all of them.
	places *semaphore.Weighted
}

const allPlaces = math.MaxInt64

func newStatements() *statements { return &statements{places: semaphore.NewWeighted(allPlaces)} }

// begin waits while queries are held, and counts one. The caller must call end unless it
// fails.
func (s *statements) begin(ctx context.Context) error {
	if err := s.places.Acquire(ctx, 1); err != nil {
		return err
	}
	s.running.Add(1)
	return nil
}

func (s *statements) end() {
	s.running.Add(-1)
	s.places.Release(1)
}

// pause waits until no query runs, and then holds further ones. If early is true, it holds
// them from the start. It returns false, and holds none, if the context ends first. Otherwise
// the caller must call resume once.
func (s *statements) pause(ctx context.Context, early bool) bool {
	if early {
		return s.places.Acquire(ctx, allPlaces) == nil
	}
	for !s.places.TryAcquire(allPlaces) {
		if gax.Sleep(ctx, time.Millisecond) != nil {
			return false
		}
	}
	return true
}

// resume lets held queries run.
func (s *statements) resume() { s.places.Release(allPlaces) }
