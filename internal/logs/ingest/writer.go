package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/writeahead"
	"savedq/sqlq"
)

// Store is the part of the embedded store that the writer uses; see [logstore.Store].
type Store interface {
	ID(ctx context.Context) (string, error)
	Tables() sqlq.Tables
	IngestPosition(ctx context.Context) (uint64, error)
	HoldsOtherLogs(ctx context.Context) (bool, error)
	RecentIDs(ctx context.Context, since time.Time, each func(logstore.RecentID)) error
	TrimRejected(ctx context.Context) error
	SetReplay(replay logstore.Replay)
	Ingest(ctx context.Context, ingestion logstore.Ingestion) error
	SealedPosition() uint64
}

var _ Store = (*logstore.Store)(nil)

// Observer counts what a writer does. Its methods must return quickly and be safe for
// concurrent use.
type Observer interface {
	// EventsCommitted is called for each source of a batch.
	EventsCommitted(source string, counts Counts)
	// EventsRejected is called with the number of rejected events of a batch.
	EventsRejected(source string, count int)
	// BatchCommitted is called with the time from a call of Commit to its return.
	BatchCommitted(duration time.Duration)
	// BatchRefused is called for a batch that cannot be stored now.
	BatchRefused()
	// EventsStored is called with the time from the commit of the oldest of some events until
	// they are stored, and so visible.
	EventsStored(count int, delay time.Duration)
}

// Config configures a [Writer].
type Config struct {
	Store Store
	// Directory holds the write-ahead log.
	Directory string
	// AcceptMissing makes the writer start although acknowledged events are missing from the
	// write-ahead log.
	AcceptMissing bool
	// Deduplicate is the length of the window in which duplicates are recognized; 0 turns
	// that off.
	Deduplicate time.Duration
	// WaitingBytes limits the memory for events that are not stored yet, and IDBytes the
	// memory for the ids of the window.
	WaitingBytes, IDBytes int64
	Clock                 func() time.Time
	Logger                *slog.Logger
	Observer              Observer
	// Committed is called with the events of one or more batches once they are durable. It
	// must return quickly.
	Committed func(events []logevent.Sourced)
}

// Writer makes batches durable and stores them. It is safe for concurrent use. Close must be
// called.
//
// A batch passes three stages: Commit, where it waits for its turn; [Writer.commitGroups], which
// drops duplicates and appends all waiting batches to the write-ahead log; and
// [Writer.applyParts], which adds them to the store in the background. So a slow or full
// store delays no acknowledgement.
type Writer struct {
	config Config
	log    *writeahead.Log

	// window is used by the goroutine of commitGroups.
	window *window
	// otherLogs reports whether logs that are not demo logs were committed. It is used by the
	// goroutine of commitGroups.
	otherLogs bool

	mutex sync.Mutex
	// requests wait to be committed.
	requests []*request
	// parts are committed and wait to be stored. loaded is the bytes of those that are in memory, and loadedBytes is the
	// constant, except in tests.
	parts               []*part
	loaded, loadedBytes int64
	// memory limits requests and parts together.
	memory *Memory
	closed bool
	// trouble is why parts cannot be stored now, for senders; or empty.
	trouble string
	// forgotten is the time of the newest id that was forgotten early; see [window].
	forgotten time.Time
	// stored is the sequence number up to which everything is stored. storedChanged is closed
	// and replaced when it grows.
	stored        uint64
	committed     uint64
	storedChanged chan struct{}

	// recoveryError is why the write-ahead log or the ids could not be read. It is set before
	// recovered is closed.
	recoveryError error
	recovered     chan struct{}

	// requested contains a value if there may be requests, and replayed if there may be parts of
	// a crashed process.
	requested, replayed chan struct{}
	// ending is closed when the writer closes.
	ending                     chan struct{}
	committing, applying       sync.WaitGroup
	stopRecovery, stopApplying context.CancelFunc
}

// request is a batch that waits to be committed.
type request struct {
	batch *Batch
	// rejected are the rejected events that are kept.
	rejected []logevent.Rejected
	bytes    int64
	done     chan outcome
}

// outcome is the result of [Writer.Commit].
type outcome struct {
	counts Counts
	err    error
}

// Open starts a writer. It reads what a crashed process committed but did not store, and stores
// it, in the background; batches are committed once it is read. See [Writer.WaitRecovered].
func Open(ctx context.Context, config Config) (*Writer, error) {
	position, err := config.Store.IngestPosition(ctx)
	if err != nil {
		return nil, err
	}
	w := &Writer{
		config: config, memory: NewMemory(config.WaitingBytes), loadedBytes: loadedBytes, window: newWindow(config.Deduplicate, config.IDBytes),
		stored: position, committed: position, storedChanged: make(chan struct{}),
		requested: make(chan struct{}, 1), replayed: make(chan struct{}, 1), recovered: make(chan struct{}), ending: make(chan struct{}),
	}
	if w.otherLogs, err = config.Store.HoldsOtherLogs(ctx); err != nil {
		return nil, err
	}
	if w.log, err = openLog(ctx, config.Store, config.Directory, config.AcceptMissing); err != nil {
		return nil, err
	}
	config.Store.SetReplay(w.readAgain)
	applier := &applier{Writer: w}
	background := context.WithoutCancel(ctx)
	recovering, stopRecovery := context.WithCancel(background)
	applying, stopApplying := context.WithCancel(background)
	w.stopRecovery, w.stopApplying = stopRecovery, stopApplying
	w.committing.Go(func() {
		if w.recover(recovering, position); w.recoveryError == nil {
			w.commitGroups(applying)
		}
	})
	w.applying.Go(func() { applier.applyParts(applying) })
	return w, nil
}

// maxRejectedEvents limits the rejected events that are kept of one batch.
const maxRejectedEvents = 1_000

// retryAfter is when a sender whose batch cannot be stored should try again.
const retryAfter = time.Second

// Commit implements [Committer].
func (w *Writer) Commit(ctx context.Context, batch Batch) (Counts, error) {
	began := w.config.Clock()
	waiting := &request{batch: &batch, done: make(chan outcome, 1)}
	for i := range batch.Events {
		waiting.bytes += int64(batch.Events[i].MemoryBytes())
	}
	waiting.rejected = storable(&batch)
	for i := range waiting.rejected {
		waiting.bytes += rejectedBytes(&waiting.rejected[i])
	}
	if err := w.enqueue(waiting); err != nil {
		w.config.Observer.BatchRefused()
		return Counts{}, err
	}
	select {
	case result := <-waiting.done:
		if result.err != nil {
			w.config.Observer.BatchRefused()
			return Counts{}, result.err
		}
		w.config.Observer.BatchCommitted(w.config.Clock().Sub(began))
		return result.counts, nil
	case <-ctx.Done():
		return Counts{}, fmt.Errorf("wait until events are durable: %w", context.Cause(ctx))
	}
}

// enqueue adds a request to those that wait to be committed.
func (w *Writer) enqueue(waiting *request) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch {
	case w.closed:
		return errClosed()
	case w.memory.Used() == 0: // a batch may be larger than the limit
		w.memory.Take(waiting.batch.Sender, waiting.bytes)
	case !w.memory.Reserve(waiting.batch.Sender, waiting.bytes):
		reason := cmp.Or(w.trouble, "too many events are waiting to be stored")
		return sqlq.Rejectf(sqlq.Unavailable, retryAfter, "%s; send the events again later", reason)
	}
	w.requests = append(w.requests, waiting)
	notify(w.requested)
	return nil
}

// notify puts a value into a channel with room for one, unless it has one.
func notify(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

// WaitingBytes returns the memory for events that are not stored yet.
func (w *Writer) WaitingBytes() int64 { return w.memory.Used() }

// LogBytes returns the size of the write-ahead log.
func (w *Writer) LogBytes() int64 { return w.log.Bytes() }

// Reach returns how far back duplicates are recognized: the whole window, unless there are
// more ids than the memory for them holds.
func (w *Writer) Reach() time.Duration {
	now := w.config.Clock()
	return now.Sub(w.knownSince(now))
}

// knownSince returns the time since which all ids are known.
func (w *Writer) knownSince(now time.Time) time.Time {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if start := now.Add(-w.config.Deduplicate); w.forgotten.Before(start) {
		return start
	}
	return w.forgotten
}

// WaitStored waits until everything that is committed now is stored. It returns the error of
// [Writer.WaitRecovered], if any.
func (w *Writer) WaitStored(ctx context.Context) error {
	if err := w.WaitRecovered(ctx); err != nil {
		return err
	}
	w.mutex.Lock()
	target := w.committed
	w.mutex.Unlock()
	for {
		w.mutex.Lock()
		stored, changed := w.stored, w.storedChanged
		w.mutex.Unlock()
		if stored >= target {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait until events are stored: %w", context.Cause(ctx))
		}
	}
}

// Close rejects further batches, and ends the writer once everything is stored or the context
// ends. Events that are not stored by then stay in the write-ahead log. It returns the error of
// [Writer.WaitRecovered], if any.
func (w *Writer) Close(ctx context.Context) error {
	w.mutex.Lock()
	w.closed = true
	w.mutex.Unlock()
	close(w.ending)
	defer context.AfterFunc(ctx, w.stopRecovery)()
	w.committing.Wait()
	err := w.WaitStored(ctx)
	w.stopRecovery()
	w.stopApplying()
	w.applying.Wait()
	if w.recoveryError != nil && !errors.Is(w.recoveryError, context.Canceled) {
		return errors.Join(w.recoveryError, w.log.Close())
	}
	if err != nil {
		w.config.Logger.WarnContext(ctx, "not all committed events were stored in time; they are stored after the next start", slog.Any("error", err))
	}
	return w.log.Close()
}

// storable returns the rejected events of a batch that are kept.
func storable(batch *Batch) []logevent.Rejected {
	stored := make([]logevent.Rejected, 0, min(len(batch.Rejected), maxRejectedEvents))
	for _, rejected := range batch.Rejected[:cap(stored)] {
		event := rejected.Event[:min(len(rejected.Event), logevent.MaxRejectedBytes)]
		stored = append(stored, logevent.Rejected{
			Received: batch.Received.UTC(), RequestID: batch.RequestID, Source: strings.ToValidUTF8(rejected.Source, "\uFFFD"),
			Position: rejected.Position, Reason: strings.ToValidUTF8(rejected.Reason, "\uFFFD"), Event: strings.ToValidUTF8(event, "\uFFFD"),
		})
	}
	return stored
}
