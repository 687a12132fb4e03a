package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/googleapis/gax-go/v2"
	"golang.org/x/sync/errgroup"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/writeahead"
	"savedq/sqlq"
)

// openLog opens the write-ahead log of a store.
func openLog(ctx context.Context, store Store, directory string, acceptMissing bool) (*writeahead.Log, error) {
	id, err := store.ID(ctx)
	if err != nil {
		return nil, err
	}
	return writeahead.Open(writeahead.Config{Directory: directory, Store: id, AcceptMissing: acceptMissing})
}

// WaitRecovered waits until everything that a crashed process committed is read. The error says
// why that failed; then the writer commits nothing.
func (w *Writer) WaitRecovered(ctx context.Context) error {
	select {
	case <-w.recovered:
		return w.recoveryError
	case <-ctx.Done():
		return fmt.Errorf("wait until the write-ahead log is read: %w", context.Cause(ctx))
	}
}

// recover reads the ids of the window, and what the write-ahead log holds above a position. The
// events are stored meanwhile, so a server that is killed again and again makes progress.
func (w *Writer) recover(ctx context.Context, position uint64) {
	defer close(w.recovered)
	replayed := newWindow(w.config.Deduplicate, w.config.IDBytes)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.readIDs(groupCtx) })
	group.Go(func() error { return w.readLog(groupCtx, position, replayed) })
	if w.recoveryError = group.Wait(); w.recoveryError != nil {
		w.refuseRequests()
		return
	}
	w.window.join(replayed)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.forgotten = w.window.forgotten
}

// readIDs reads the ids of stored events. It begins again while the store is being reopened, after a fatal error of
// DuckDB.
func (w *Writer) readIDs(ctx context.Context) error {
	if w.config.Deduplicate == 0 {
		return nil
	}
	for {
		w.window = newWindow(w.config.Deduplicate, w.config.IDBytes)
		err := w.config.Store.RecentIDs(ctx, w.config.Clock().Add(-w.config.Deduplicate), func(id logstore.RecentID) {
			w.window.add(id.Fingerprint, id.Accepted)
		})
		if err == nil || sqlq.AsError(err).Code != sqlq.Unavailable || gax.Sleep(ctx, retryInterval) != nil {
			return err
		}
	}
}

// readLog reads the write-ahead log above a position. One goroutine decodes records, and another
// passes them on to be stored and adds their ids to a window.
func (w *Writer) readLog(ctx context.Context, position uint64, replayed *window) error {
	const ahead = 16
	decoded := make(chan *part, ahead)
	group, ctx := errgroup.WithContext(ctx)
	events := 0
	group.Go(func() error {
		for part := range decoded {
			w.replay(part, replayed)
			events += part.count
		}
		return nil
	})
	group.Go(func() error {
		defer close(decoded)
		return readParts(ctx, w.log, w.config.Store.Tables(), position, w.config.Logger, func(part *part) error {
			decoded <- part
			return ctx.Err()
		})
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if events > 0 {
		w.config.Logger.InfoContext(ctx, "events that were committed before the last exit are being stored", slog.Int("events", events))
	}
	return nil
}

// readParts calls each for what a write-ahead log holds above a position, and warns of what cannot
// be read. None of it is a duplicate: its writer has dropped those, with the window that it had.
func readParts(ctx context.Context, log *writeahead.Log, tables sqlq.Tables, position uint64, logger *slog.Logger, each func(*part) error) error {
	recovery, err := log.Read(position, func(sequence uint64, content []byte) error {
		part, err := decodePart(sequence, content, tables)
		if err != nil {
			return err
		}
		return each(part)
	})
	for _, damage := range recovery.Damages {
		logger.WarnContext(ctx, "the write-ahead log is incomplete or damaged", slog.String("what", damage.String()))
	}
	for _, missing := range recovery.Missing {
		logger.WarnContext(ctx, "the server goes on without acknowledged events, as --accept-missing-events says", slog.String("what", missing))
	}
	return err
}

// readAgain implements [logstore.Replay]. Damaged records are left out, as before.
func (w *Writer) readAgain(ctx context.Context, after, through uint64, each func(logstore.Ingestion) error) error {
	sources := w.config.Store.Tables()
	return w.log.ReadAgain(after, through, func(sequence uint64, content []byte) error {
		decoded, err := decodePart(sequence, content, sources)
		if err != nil {
			return err
		}
		return errors.Join(ctx.Err(), each(ingestion([]*part{decoded})))
	})
}

// replay passes a part on to be stored.
func (w *Writer) replay(decoded *part, replayed *window) {
	for _, id := range decoded.ids {
		replayed.add(id, decoded.accepted)
	}
	w.otherLogs = w.otherLogs || !decoded.generated && len(decoded.events) > 0
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.wait(decoded)
	w.memory.Take(unknownSender, decoded.bytes)
	w.committed = decoded.sequence
	notify(w.replayed)
}

// StoreCommitted stores what a crashed writer committed to the write-ahead log in a directory. The ids
// that the writer recognizes stay as they are. No writer may use the directory.
func StoreCommitted(ctx context.Context, store Store, directory string, logger *slog.Logger) error {
	position, err := store.IngestPosition(ctx)
	if err != nil {
		return err
	}
	const acceptMissing = false
	log, err := openLog(ctx, store, directory, acceptMissing)
	if err != nil {
		return err
	}
	var waiting []*part
	bytes := int64(0)
	storeWaiting := func() error {
		for len(waiting) > 0 {
			parts := transactionOf(waiting)
			if err := store.Ingest(ctx, ingestion(parts)); err != nil {
				return err
			}
			waiting = waiting[len(parts):]
		}
		bytes = 0
		return nil
	}
	err = readParts(ctx, log, store.Tables(), position, logger, func(part *part) error {
		waiting = append(waiting, part)
		if bytes += part.bytes; bytes < applyBytes {
			return nil
		}
		return storeWaiting()
	})
	if err == nil {
		err = storeWaiting()
	}
	return errors.Join(err, log.Close())
}

// refuseRequests rejects the waiting requests and all further ones.
func (w *Writer) refuseRequests() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.closed = true
	for _, request := range w.requests {
		request.done <- outcome{err: errClosed()}
		w.memory.Release(request.batch.Sender, request.bytes)
	}
	w.requests = nil
}

func errClosed() error {
	return sqlq.Rejectf(sqlq.Unavailable, retryAfter, "the server is shutting down; send the events again")
}
