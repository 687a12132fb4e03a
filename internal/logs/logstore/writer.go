package logstore

import "context"

// writer serializes transactions, so that each sees the ids of all earlier ones.
type writer struct {
	// place contains a value while there is a writer.
	place chan struct{}
	// mustUndo is true if a transaction could not be undone, which the next writer must do.
	// Only the writer may use it.
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
