// Package upkeep keeps the embedded store in order. While a server runs, it deletes old events, and
// writes and merges parts. For operators, it has the statistics of the store, the deletion of a project,
// backups, and rejected events.
package upkeep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// Maintenance works on a store, in this process or in a server.
type Maintenance interface {
	Stats(ctx context.Context) (logstore.Stats, error)
	// Delete deletes events of a project and their records. It returns what it deleted before
	// an error, too. It can be repeated.
	Delete(ctx context.Context, erasure Erasure) ([]Deleted, error)
	// Rejected calls each for rejected events, the oldest first.
	Rejected(ctx context.Context, filter logstore.RejectedFilter, each func(logevent.Rejected) error) error
	// Backup calls each for the files of a consistent copy but those of the parts that the receiver holds, the files of
	// the store first; see [logstore.Store.Backup].
	Backup(ctx context.Context, held logstore.HeldParts, each func(logstore.BackupFile) error) error
}

// Erasure selects events of a project.
type Erasure struct {
	// Project is the project (D23), which must not be empty.
	Project string
	// Sources limits the sources, by their names; nil means all. Further mentions of a source are ignored.
	Sources []string
	// Before selects events with an earlier timestamp; the zero time means all.
	Before time.Time
	// DryRun counts the events and deletes none.
	DryRun bool
}

// CheckBefore returns an error, under a name, for a time before which there are no events. Callers who
// send it have most likely not set it, and [Erasure] takes it for all events.
func CheckBefore(name string, before time.Time) error {
	if before.IsZero() {
		return fmt.Errorf("%s: 0001-01-01T00:00:00Z is earlier than every event; name a later time, or leave it out to delete all events", name)
	}
	return nil
}

// Deleted is the number of events of a source that were deleted.
type Deleted struct {
	// Source is the table of the source.
	Source string `json:"source"`
	Events int64  `json:"events"`
}

// Local works on an open store.
type Local struct {
	Store *logstore.Store
	// Settle waits until all acknowledged events are in the store. It may be nil.
	Settle func(ctx context.Context) error
	// BackupMore calls each for files that a backup has besides the files of the store. It may be nil.
	BackupMore func(ctx context.Context, each func(logstore.BackupFile) error) error
	Clock      func() time.Time
}

var _ Maintenance = (*Local)(nil)

func (l *Local) settle(ctx context.Context) error {
	if l.Settle == nil {
		return nil
	}
	return l.Settle(ctx)
}

// Stats implements [Maintenance].
func (l *Local) Stats(ctx context.Context) (logstore.Stats, error) {
	return l.Store.Stats(ctx, l.Clock())
}

// Delete implements [Maintenance].
func (l *Local) Delete(ctx context.Context, erasure Erasure) ([]Deleted, error) {
	if err := l.settle(ctx); err != nil {
		return nil, err
	}
	sources, err := sourcesOf(l.Store.Tables(), erasure.Sources)
	if err != nil {
		return nil, err
	}
	work := l.Store.Delete
	if erasure.DryRun {
		work = l.Store.Count
	}
	deleted := make([]Deleted, 0, len(sources))
	for _, source := range sources {
		count, err := work(ctx, logstore.Deletion{Source: source, Project: erasure.Project, Before: erasure.Before})
		deleted = append(deleted, Deleted{Source: source.Name, Events: count})
		if err != nil {
			return deleted, err
		}
	}
	if erasure.DryRun {
		return deleted, nil
	}
	if erasure.Sources == nil {
		if err := l.Store.DeleteRuns(ctx, erasure.Project, erasure.Before); err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}

// sourcesOf returns the sources with the names, each once; all if none is named.
func sourcesOf(tables sqlq.Tables, names []string) (sqlq.Tables, error) {
	if names == nil {
		return tables, nil
	}
	var sources sqlq.Tables
	for _, name := range names {
		source, err := tables.Source(name)
		if err != nil {
			return nil, sqlq.ParamErrorf("sources", "%s", err)
		}
		if !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	return sources, nil
}

// Rejected implements [Maintenance].
func (l *Local) Rejected(ctx context.Context, filter logstore.RejectedFilter, each func(logevent.Rejected) error) error {
	if source, found := l.Store.Tables().FindSource(filter.Source); found {
		filter.Source = source.Name
	}
	return l.Store.Rejected(ctx, filter, each)
}

// Backup implements [Maintenance].
func (l *Local) Backup(ctx context.Context, held logstore.HeldParts, each func(logstore.BackupFile) error) error {
	if err := l.settle(ctx); err != nil {
		return err
	}
	if err := l.Store.Backup(ctx, logstore.BackupOptions{Skip: held.Has}, each); err != nil || l.BackupMore == nil {
		return err
	}
	return l.BackupMore(ctx, each)
}
