package logstore

import "context"

// writer lets one transaction write to the store at a time, so that each sees all
// ids that were stored before it.
type writer struct {
	// place holds a value while there is a writer.
	place chan struct{}
	// mustUndo reports whether a transaction could not be undone, and the next
	// writer has to. Only the writer may use it.
	mustUndo bool
}

func newWriter() *writer { return &writer{place: make(chan struct{}, 1)} }

// acquire waits until there is no writer. Callers must call release after it succeeds.
func (w *writer) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case w.place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) release() { <-w.place }
