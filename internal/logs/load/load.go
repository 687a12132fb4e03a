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
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logfile"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// Transaction adds events to a store, all of them or none.
type Transaction interface {
	// Add adds an event unless the source already has its id.
	Add(ctx context.Context, source logstore.Source, event logevent.Event) error
	// Counts returns the numbers of added events and of duplicates. It is final after
	// Commit.
	Counts() (added, duplicates int)
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
}

// progressEvery is the number of events between updates of the progress bar.
const progressEvery = 512

// File loads one file into a source, in one transaction. After an error, or if the context
// ends, nothing of the file is stored. Malformed events are not errors: they are counted
// and written to the file of rejected events, see [RejectedPath].
func File(ctx context.Context, path string, source logstore.Source, options Options) (Summary, error) {
	started := options.Now()
	rejects := newRejectWriter(path)
	load := &loading{
		source:   source,
		maxBytes: cmp.Or(options.MaxEventBytes, logfile.MaxEventBytes),
		started:  started,
		rejects:  rejects,
		ignored:  newFieldCounter(),
		types:    logstore.NewTypeCheck(source),
		mistyped: make(map[logstore.MistypedField]int),
		ids:      newEventIDs(source),
	}
	if err := load.run(ctx, path, options); err != nil {
		return Summary{}, errors.Join(fmt.Errorf("load %s: %w", path, withoutPath(err)), rejects.discard())
	}
	added, duplicates := load.transaction.Counts()
	return Summary{
		Path:         path,
		Source:       source,
		Loaded:       added,
		Duplicates:   duplicates,
		Rejected:     rejects.count,
		RejectedPath: rejects.createdPath(),
		Ignored:      load.ignored.fields(),
		IgnoredMore:  load.ignored.more,
		Mistyped:     mistypedFields(load.mistyped),
		Duration:     options.Now().Sub(started),
	}, nil
}

// loading is the load of one file.
type loading struct {
	source      logstore.Source
	maxBytes    int
	started     time.Time
	transaction Transaction
	rejects     *rejectWriter
	ignored     *fieldCounter
	types       logstore.TypeCheck
	mistyped    map[logstore.MistypedField]int
	ids         *eventIDs
	// position is the number of the event in the file, malformed ones included.
	position int
}

func (l *loading) run(ctx context.Context, path string, options Options) (err error) {
	if err := l.rejects.removeOld(); err != nil {
		return err
	}
	file, err := logfile.Open(ctx, path)
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
	committed := false
	defer func() {
		if !committed {
			err = errors.Join(err, l.transaction.Rollback())
		}
	}()
	bar := newBar(options.Progress, path, file.Size())
	defer bar.finish()
	if err := l.addAll(ctx, func(ctx context.Context, batches *batchWriter) error { return l.decodeAll(ctx, file, bar, batches) }); err != nil {
		return err
	}
	// Rejected events must be on disk before the others are committed.
	if err := l.rejects.close(); err != nil {
		return err
	}
	err = l.transaction.Commit(ctx)
	committed = err == nil
	return err
}

// decodeAll decodes the events of the file into batches.
func (l *loading) decodeAll(ctx context.Context, file *logfile.File, bar bar, batches *batchWriter) error {
	for {
		raw, line, err := file.Next(ctx)
		if errors.Is(err, io.EOF) {
			return batches.flush(ctx)
		}
		if malformed, ok := errors.AsType[*logfile.MalformedError](err); ok {
			l.ids.next(malformed.Raw)
			err = l.rejects.write(malformed.Line, malformed.Reason, malformed.Raw)
		} else if err == nil {
			err = l.decode(ctx, raw, line, batches)
		}
		if err != nil {
			return err
		}
		l.position++
		if l.position%progressEvery == 0 {
			bar.set(file.Position())
		}
	}
}

// decode decodes one event, or rejects it.
func (l *loading) decode(ctx context.Context, raw []byte, line int, batches *batchWriter) error {
	l.ids.next(raw)
	if len(raw) > l.maxBytes {
		return l.rejects.write(line, fmt.Sprintf("event: has %d bytes; --max-event allows %s", len(raw), sqlq.FormatBytes(int64(l.maxBytes))), raw)
	}
	defaults := logevent.Defaults{Now: l.started, ID: l.ids.String}
	event, ignored, err := logevent.Decode(raw, defaults)
	if err != nil {
		return l.rejects.write(line, err.Error(), raw)
	}
	l.ignored.add(ignored)
	for _, field := range l.types.Mistyped(&event) {
		l.mistyped[field]++
	}
	return batches.write(ctx, event)
}

// withoutPath removes the path from a file system error, because the message of the load
// starts with it.
func withoutPath(err error) error {
	if failure, ok := err.(*fs.PathError); ok { //nolint:errorlint // Only the outermost error would repeat the path.
		return failure.Err
	}
	return err
}
