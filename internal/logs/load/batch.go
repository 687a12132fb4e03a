package load

import (
	"context"

	"savedq/internal/logs/logevent"
)

const (
	// batchEvents and batchBytes bound a batch.
	batchEvents = 256
	batchBytes  = 1 << 20
	// batchesAhead is the number of decoded batches that may wait.
	batchesAhead = 4
)

// batchWriter passes decoded events to the goroutine that adds them.
type batchWriter struct {
	batches chan []logevent.Event
	batch   []logevent.Event
	bytes   int
}

func (w *batchWriter) write(ctx context.Context, event logevent.Event) error {
	if w.batch == nil {
		w.batch = make([]logevent.Event, 0, batchEvents)
	}
	w.batch = append(w.batch, event)
	w.bytes += len(event.Metadata)
	if event.EventMessage != nil {
		w.bytes += len(*event.EventMessage)
	}
	if len(w.batch) < batchEvents && w.bytes < batchBytes {
		return nil
	}
	return w.flush(ctx)
}

func (w *batchWriter) flush(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	select {
	case w.batches <- w.batch:
	case <-ctx.Done():
		return ctx.Err()
	}
	w.batch, w.bytes = nil, 0
	return nil
}

// addAll adds the events to the transaction while decode decodes the next ones in another
// goroutine. That goroutine has ended when addAll returns.
func (l *loading) addAll(ctx context.Context, decode func(ctx context.Context, batches *batchWriter) error) error {
	decoding, stop := context.WithCancel(ctx)
	defer stop()
	writer := &batchWriter{batches: make(chan []logevent.Event, batchesAhead)}
	decoded := make(chan error, 1)
	go func() {
		defer close(writer.batches)
		decoded <- decode(decoding, writer)
	}()
	var failed error
	for batch := range writer.batches {
		for _, event := range batch {
			if failed == nil {
				failed = l.transaction.Add(ctx, l.source, event)
			}
		}
		if failed != nil {
			stop() // The rest of the batches is dropped.
		}
	}
	if err := <-decoded; failed == nil {
		return err
	}
	return failed
}
