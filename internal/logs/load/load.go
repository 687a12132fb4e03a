// Package load loads files of log events into the store. A file is one transaction.
// Malformed events are written to a file beside the input, and each load has a summary.
package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/uuid"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logfile"
	"savedq/internal/logs/logstore"
	"savedq/internal/text/printable"
	"savedq/sqlq"
)

// Transaction adds events to a store, all of them or none.
type Transaction interface {
	// Add adds an event unless the source already has its id.
	Add(ctx context.Context, source *sqlq.Table, event logevent.Event) error
	// Counts returns the numbers of added events and of duplicates. It is final after
	// Commit.
	Counts() (added, duplicates int)
	// Mistyped returns the mistyped fields of the added events, with the numbers of events
	// that have them. It is final after Commit.
	Mistyped() map[eventrow.MistypedField]int
	Commit(ctx context.Context) error
	// Rollback drops the added events. After Commit it does nothing.
	Rollback() error
}

var _ Transaction = (*logstore.Transaction)(nil)

// Options are what a load needs besides its file.
type Options struct {
	// Begin starts a transaction of the store.
	Begin func(ctx context.Context) (Transaction, error)
	// Now is the clock. It is read twice per file: at the start, for events without a
	// timestamp, and at the end, to compute the speed.
	Now func() time.Time
	// MaxEventBytes is the maximum length of an event. Longer ones are rejected. 0, or more
	// than [logfile.MaxEventBytes], means [logfile.MaxEventBytes].
	MaxEventBytes int
	// Progress is the terminal for the progress bar, or nil for no bar.
	Progress io.Writer
	// Input is read for the path [StandardInput].
	Input io.Reader
	// CSV is how files of comma-separated values are read.
	CSV logfile.CSV
}

// File loads one file into a source, in one transaction. After an error, or if the context
// ends, nothing of the file is stored. Malformed events are not errors: they are counted
// and written to the file of rejected events, see [RejectedPath].
func File(ctx context.Context, path string, source *sqlq.Table, options Options) (Summary, error) {
	load := newLoading(path, source, options, batchLimits{batchEvents, batchBytes})
	if err := load.run(ctx, path, options); err != nil {
		return Summary{}, errors.Join(fmt.Errorf("load %s: %w", inputName(path), withoutPath(err)), load.rejects.discard())
	}
	summary := load.summary(path)
	summary.Loaded, summary.Duplicates = load.transaction.Counts()
	summary.Mistyped = mistypedFields(load.transaction.Mistyped())
	return summary, nil
}

func newLoading(path string, source *sqlq.Table, options Options, limits batchLimits) *loading {
	started := options.Now()
	return &loading{
		source:   source,
		maxBytes: cmp.Or(options.MaxEventBytes, logfile.MaxEventBytes),
		limits:   limits,
		started:  started,
		duration: func() time.Duration { return options.Now().Sub(started) },
		rejects:  newRejectWriter(path),
		ignored:  fieldCounter{counts: make(map[string]int)},
		ids:      newEventIDs(source),
	}
}

// summary returns the summary without what is known of the stored events.
func (l *loading) summary(path string) Summary {
	return Summary{
		Path:         inputName(path),
		Source:       l.source,
		Rejected:     l.rejects.count,
		RejectedPath: l.rejects.createdPath(),
		Rejections:   l.rejects.first,
		Ignored:      l.ignored.fields(),
		IgnoredMore:  l.ignored.more,
		Duration:     l.duration(),
	}
}

// loading is the load of one file.
type loading struct {
	source   *sqlq.Table
	maxBytes int
	limits   batchLimits
	// started is the timestamp of events without one.
	started     time.Time
	duration    func() time.Duration
	transaction Transaction
	rejects     *rejectWriter
	ignored     fieldCounter
	ids         *eventIDs
}

func (l *loading) run(ctx context.Context, path string, options Options) (err error) {
	file, err := l.open(ctx, path, options)
	if err != nil {
		return err
	}
	defer func() {
		closeErr := file.Close()
		if err != nil { // once the events are stored, the input is no longer needed
			err = errors.Join(err, closeErr)
		}
	}()
	l.transaction, err = options.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.transaction.Rollback())
		}
	}()
	bar := newBar(options.Progress, path, file.Size())
	defer func() { _ = bar.Clear() }()
	if err := l.read(ctx, file, bar, l.decode, l.add); err != nil {
		return err
	}
	// Rejected events must be on disk before the others are committed.
	if err := l.rejects.close(); err != nil {
		return err
	}
	return l.transaction.Commit(ctx)
}

// open opens the input, and removes the rejected events of an earlier load.
func (l *loading) open(ctx context.Context, path string, options Options) (*logfile.File, error) {
	if err := l.rejects.removeOld(); err != nil {
		return nil, err
	}
	if path == StandardInput {
		return logfile.Read(ctx, options.Input, options.CSV)
	}
	return logfile.Open(ctx, path, options.CSV)
}

// read splits a file into batches, decodes them in parallel, and passes them to add in the order of
// the file. All goroutines have ended when it returns.
func (l *loading) read(ctx context.Context, file *logfile.File, bar *progressbar.ProgressBar, decode func(*batch),
	add func(context.Context, *batch) error,
) error {
	group, ctx := errgroup.WithContext(ctx)
	room := semaphore.NewWeighted(bytesAhead)
	batches := make(chan *batch, batchesAhead)
	group.Go(func() error {
		defer close(batches)
		var decoders errgroup.Group
		decoders.SetLimit(min(runtime.GOMAXPROCS(0), maxDecoders))
		defer func() { _ = decoders.Wait() }() // they return no errors
		return l.split(ctx, file, func(next *batch) error {
			if err := room.Acquire(ctx, next.weight()); err != nil {
				return err
			}
			decoders.Go(func() error {
				decode(next)
				close(next.decoded)
				return nil
			})
			select {
			case batches <- next:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	group.Go(func() error {
		for batch := range batches {
			<-batch.decoded
			_ = bar.Set64(batch.offset) // a bar that cannot be drawn does not stop the load
			for _, rejected := range batch.rejected {
				if err := l.rejects.write(&rejected); err != nil {
					return err
				}
			}
			l.ignored.add(batch.ignored)
			if err := add(ctx, batch); err != nil {
				return err
			}
			room.Release(batch.weight())
		}
		return nil
	})
	return group.Wait()
}

// split splits the file into batches.
func (l *loading) split(ctx context.Context, file *logfile.File, send func(*batch) error) error {
	batch := l.limits.newBatch(0)
	for {
		raw, line, err := file.Next(ctx)
		ended := errors.Is(err, io.EOF)
		reason := ""
		if malformed, ok := errors.AsType[*logfile.MalformedError](err); ok {
			raw, reason = malformed.Raw, malformed.Reason
		} else if err != nil && !ended {
			return err
		}
		if !ended {
			batch.add(raw, line, l.ids.next(raw), reason)
		}
		if !l.limits.reached(batch) && !ended {
			continue
		}
		batch.offset = file.Position()
		if err := send(batch); err != nil || ended {
			return err
		}
		batch = l.limits.newBatch(batch.number + 1)
	}
}

// decode decodes the events of a batch. It is safe for concurrent use.
func (l *loading) decode(batch *batch) {
	var decoder logevent.Decoder
	var id uuid.UUID
	defaults := logevent.Defaults{Now: l.started, Rows: l.source.TakesRows(), ID: func() string { return id.String() }}
	batch.events = make([]logevent.Event, 0, len(batch.items))
	batch.lines = make([]int, 0, len(batch.items))
	for _, item := range batch.items {
		raw, reason := batch.text[item.start:item.end], item.malformed
		if reason == "" && len(raw) > l.maxBytes {
			reason = fmt.Sprintf("event: has %d bytes; --max-event allows %s", len(raw), sqlq.FormatBytes(int64(l.maxBytes)))
		}
		if reason == "" {
			id = item.id
			event, ignored, err := decoder.Decode(raw, defaults)
			if err == nil {
				batch.ignored = append(batch.ignored, ignored...)
				batch.events = append(batch.events, event)
				batch.lines = append(batch.lines, item.line)
				continue
			}
			reason = err.Error()
		}
		batch.rejected = append(batch.rejected, logevent.Rejected{
			Position: item.line, Reason: reason, Event: logevent.Cut(raw, logevent.MaxRejectedBytes),
		})
	}
}

// add adds the events of a batch to the transaction.
func (l *loading) add(ctx context.Context, batch *batch) error {
	for i := range batch.events {
		if err := l.transaction.Add(ctx, l.source, batch.events[i]); err != nil {
			return err
		}
	}
	return nil
}

// withoutPath removes the path from a file system error, because the message of the load
// starts with it.
func withoutPath(err error) error {
	if failure, ok := err.(*fs.PathError); ok { //nolint:errorlint // Only the outermost error would repeat the path.
		return failure.Err
	}
	return err
}

// StandardInput is the path that stands for the standard input.
const StandardInput = "-"

// inputName names an input for people.
func inputName(path string) string {
	if path == StandardInput {
		return "standard input"
	}
	return path
}

// newBar returns a progress bar. Without a terminal it is not visible.
func newBar(terminal io.Writer, path string, size int64) *progressbar.ProgressBar {
	isVisible := terminal != nil
	if !isVisible {
		terminal = io.Discard
	}
	if size == 0 {
		size = -1 // a pipe has no size
	}
	return progressbar.NewOptions64(
		size,
		progressbar.OptionSetVisibility(isVisible),
		progressbar.OptionSetWriter(printable.Unescaped(terminal)),
		progressbar.OptionSetDescription(string(printable.Escape([]byte(filepath.Base(path))))),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}
