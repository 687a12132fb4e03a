package logstore

import (
	"context"
	"sync"
)

// statements counts the queries that run on the store, and can hold further ones. It is safe
// for concurrent use.
type statements struct {
	mutex   sync.Mutex
	running int
	// idle is closed when no query runs, if it is not nil.
	idle chan struct{}
	// resumed is closed when held queries may run. It is nil while none is held.
	resumed chan struct{}
}

// begin waits while queries are held, and counts one. The caller must call end unless it
// fails.
func (s *statements) begin(ctx context.Context) error {
	for {
		s.mutex.Lock()
		resumed := s.resumed
		if resumed == nil {
			s.running++
			s.mutex.Unlock()
			return nil
		}
		s.mutex.Unlock()
		select {
		case <-resumed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *statements) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.running--
	if s.running == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
		s.hold()
	}
}

// count returns the number of running queries.
func (s *statements) count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.running
}

// pause waits until no query runs, and then holds further ones. If early is true, it holds
// them from the start. It returns false, and holds none, if the context ends first. Otherwise
// the caller must call resume. There must be one caller at a time.
func (s *statements) pause(ctx context.Context, early bool) bool {
	s.mutex.Lock()
	if early || s.running == 0 {
		s.hold()
	}
	if s.running == 0 {
		s.mutex.Unlock()
		return true
	}
	idle := make(chan struct{})
	s.idle = idle
	s.mutex.Unlock()
	select {
	case <-idle:
		return true
	case <-ctx.Done():
	}
	s.mutex.Lock()
	missed := s.idle != nil
	s.idle = nil
	s.mutex.Unlock()
	if missed {
		s.resume()
	}
	return !missed
}

// hold holds further queries. The caller must have locked the mutex.
func (s *statements) hold() {
	if s.resumed == nil {
		s.resumed = make(chan struct{})
	}
}

// resume lets held queries run.
func (s *statements) resume() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.resumed != nil {
		close(s.resumed)
		s.resumed = nil
	}
}
