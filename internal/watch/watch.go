package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long nothing must change before a change is reported, because an editor
	// or a script changes several files, one after the other.
	quiet = 100 * time.Millisecond
	// longest is how long a change is held back while further ones follow.
	longest = 500 * time.Millisecond
	// interval is how often a change is reported if the system cannot report changes.
	interval = time.Second
)

// Watcher reports changes in directories.
type Watcher struct {
	directories []string
	logger      *slog.Logger
	// system is nil if the system reports no changes at all.
	system  *fsnotify.Watcher
	changes chan struct{}
	// watched are the directories that the system watches, as they were when it began to.
	watched map[string]os.FileInfo
	places  places
	// failed is why a directory cannot be watched; nil if all are.
	failed error
	ended  chan struct{}
}

// New watches directories until the context ends, from before it returns. The directories
// need not exist.
func New(ctx context.Context, directories []string, logger *slog.Logger) *Watcher {
	w := &Watcher{
		directories: directories, logger: logger,
		changes: make(chan struct{}, 1), watched: make(map[string]os.FileInfo), ended: make(chan struct{}),
	}
	system, err := fsnotify.NewWatcher()
	if err != nil {
		w.fail(ctx, err)
	} else {
		w.system = system
		w.update(ctx)
	}
	go w.run(ctx)
	return w
}

// Changes receives a value after something has changed. One value is enough for many
// changes, and there may have been none: if the system cannot report them, a value is sent
// every second.
func (w *Watcher) Changes() <-chan struct{} { return w.changes }

// Wait waits until the watcher has stopped, after its context has ended.
func (w *Watcher) Wait() { <-w.ended }

func (w *Watcher) run(ctx context.Context) {
	defer close(w.ended)
	var events chan fsnotify.Event
	var failures chan error
	if w.system != nil {
		defer func() { _ = w.system.Close() }()
		events, failures = w.system.Events, w.system.Errors
	}
	// due and late end when a change is to be reported.
	due, late, repeat := time.NewTimer(quiet), time.NewTimer(longest), time.NewTicker(interval)
	due.Stop()
	late.Stop()
	defer due.Stop()
	defer late.Stop()
	defer repeat.Stop()
	waiting := false // whether there are changes that are not reported yet
	for {
		select {
		case <-ctx.Done():
			return
		case <-repeat.C:
			if w.failed != nil {
				w.report()
			}
			continue
		case event := <-events:
			if !w.places.matters(event.Name) {
				continue
			}
		case <-failures: // events were lost
		case <-due.C:
			waiting = w.settle(ctx, due, late)
			continue
		case <-late.C:
			waiting = w.settle(ctx, due, late)
			continue
		}
		due.Reset(quiet)
		if !waiting {
			late.Reset(longest)
		}
		waiting = true
	}
}

// settle reports changes, and returns false: none wait any more.
func (w *Watcher) settle(ctx context.Context, due, late *time.Timer) (waiting bool) {
	due.Stop()
	late.Stop()
	w.update(ctx)
	w.report()
	return false
}

func (w *Watcher) report() {
	select {
	case w.changes <- struct{}{}:
	default:
	}
}

// update makes the system watch the directories that now matter.
func (w *Watcher) update(ctx context.Context) {
	w.places = placesOf(w.directories)
	for directory, info := range w.watched {
		now, err := os.Stat(directory)
		if w.places[directory] == nil || err != nil || !os.SameFile(info, now) {
			_ = w.system.Remove(directory) // which the system may have done already
			delete(w.watched, directory)
		}
	}
	var failed error
	for directory := range w.places {
		if w.watched[directory] != nil {
			continue
		}
		info, err := os.Stat(directory)
		if err == nil {
			err = w.system.Add(directory)
		}
		switch {
		case err == nil:
			w.watched[directory] = info
		case !errors.Is(err, fs.ErrNotExist): // else its parent reports more
			failed = fmt.Errorf("%s: %w", directory, err)
		}
	}
	if failed == nil {
		w.failed = nil
		return
	}
	w.fail(ctx, failed)
}

// fail records that changes are not reported, and logs it once.
func (w *Watcher) fail(ctx context.Context, err error) {
	if w.failed == nil {
		remedy := "send SIGHUP after a change, or wait for a second"
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
			remedy = "raise the limits fs.inotify.max_user_watches and fs.inotify.max_user_instances"
		}
		w.logger.WarnContext(ctx, "the system cannot watch the folders of saved queries, so they are read every second",
			slog.Any("error", err), slog.String("remedy", remedy))
	}
	w.failed = err
}
