package ingest

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/googleapis/gax-go/v2"
	"golang.org/x/sync/errgroup"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/writeahead"
	"savedq/sqlq"
)

// WaitRecovered waits until everything that a crashed process committed is read. The error says
// why that failed; then the writer commits nothing.
func (w *Writer) WaitRecovered(ctx context.Context) error {
	select {
	case <-w.recovered:
		return w.recoveryError
	case <-ctx.Done():
		return fmt.Errorf("wait until the write-ahead log is read: %w", ctx.Err())
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
}

// readIDs reads the ids of stored events. It begins again after the store was reopened, which the first
// checkpoint causes if the disk is full.
func (w *Writer) readIDs(ctx context.Context) error {
	if w.config.Deduplicate == 0 {
		return nil
	}
	for {
		w.window = newWindow(w.config.Deduplicate, w.config.IDBytes)
		err := w.config.Store.RecentIDs(ctx, w.config.Clock().Add(-w.config.Deduplicate), func(id logstore.RecentID) {
			w.window.add(fingerprint{id.High, id.Low}, id.Accepted)
		})
		if err == nil || sqlq.AsError(err).Code != sqlq.Unavailable || gax.Sleep(ctx, retryInterval) != nil {
			return err
		}
	}
}

// readLog reads the write-ahead log. One goroutine decodes records, and another drops duplicates.
func (w *Writer) readLog(ctx context.Context, position uint64, replayed *window) error {
	const ahead = 16
	decoded := make(chan *part, ahead)
	group, ctx := errgroup.WithContext(ctx)
	events := 0
	group.Go(func() error {
		for part := range decoded {
			events += w.replay(part, replayed)
		}
		return nil
	})
	var recovery writeahead.Recovery
	group.Go(func() (err error) {
		defer close(decoded)
		recovery, err = w.log.Read(position, func(sequence uint64, content []byte) error {
			part, err := decodePart(sequence, content)
			if err != nil {
				return err
			}
			decoded <- part
			return ctx.Err()
		})
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	for _, damage := range recovery.Damages {
		w.config.Logger.WarnContext(ctx, "the write-ahead log is incomplete or damaged", slog.String("what", damage.String()))
	}
	if events > 0 {
		w.config.Logger.InfoContext(ctx, "events that were committed before the last exit are being stored", slog.Int("events", events))
	}
	return nil
}

// replay passes the events of a part on to be stored, and returns how many. A failed append can
// have left events behind that were sent again, so duplicates are dropped here, too. All of them
// are in the log: before an append failed, its events were compared with the window.
func (w *Writer) replay(decoded *part, replayed *window) int {
	unique := &part{sequence: decoded.sequence, accepted: decoded.accepted, generated: decoded.generated}
	unique.reject(decoded.rejected)
	for i, id := range decoded.ids {
		if !replayed.has(id) {
			replayed.add(id, decoded.accepted)
			unique.add(&decoded.events[i], id)
		}
	}
	w.otherLogs = w.otherLogs || !unique.generated && len(unique.events) > 0
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.parts = append(w.parts, unique)
	w.waitingBytes += unique.bytes
	w.committed = unique.sequence
	notify(w.replayed)
	return len(unique.events)
}

// refuseRequests rejects the waiting requests and all further ones.
func (w *Writer) refuseRequests() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.closed = true
	for _, request := range w.requests {
		request.done <- outcome{err: errClosed()}
		w.waitingBytes -= request.bytes
	}
	w.requests = nil
}

func errClosed() error {
	return sqlq.Rejectf(sqlq.Unavailable, retryAfter, "the server is shutting down; send the events again")
}
