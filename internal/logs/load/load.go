// Package load brings files of log events into the store: one transaction per
// file, malformed events set aside beside the input, and a summary at the end.
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
	// Add adds an event, unless the source already holds one with its id.
	Add(ctx context.Context, source logstore.Source, event logevent.Event) error
	// Counts returns how many events were added, and how many were not because
	// their ids are taken. It is final after Commit.
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
	// Now is the clock. It is read twice per file: at the start, which is the
	// timestamp of events that have none, and at the end, for the speed.
	Now func() time.Time
	// MaxEventBytes is the length of the longest event that is accepted; 0, and more
	// than [logfile.MaxEventBytes], mean that. A longer one is rejected.
	MaxEventBytes int
	// Progress is where a progress bar is drawn: a terminal, or nil for none.
	Progress io.Writer
}

// progressEvery is how many events pass between two looks at the progress bar.
const progressEvery = 512

// File loads one file into a source, in one transaction: after an error, and so
// after the end of the context, the file has left nothing in the store. A
// malformed event is no error: it is counted and written to the file of
// rejected events, see [RejectedPath].
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
		Of1970:       load.of1970,
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
	of1970      int
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
		if err != nil { // once the events are stored, the input does not matter any more
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
	// What was rejected is safe on disk before what was accepted is.
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

// decode decodes one event, or writes it to the rejected ones.
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
	const epochYear = 1970
	if event.Timestamp.Year() == epochYear {
		l.of1970++
	}
	return batches.write(ctx, event)
}

// withoutPath takes the path out of an error of the file system that stands
// alone, because the message of the load starts with it.
func withoutPath(err error) error {
	if failure, ok := err.(*fs.PathError); ok { //nolint:errorlint // Only the outermost error would repeat the path.
		return failure.Err
	}
	return err
}
