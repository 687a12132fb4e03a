package logstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"savedq/internal/files/durable"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

// PutBack replaces files of a store that are missing or damaged by those of a backup, if it has the same part, and calls
// each for every damaged part, with whether it is whole again. No process may have the store open.
func PutBack(ctx context.Context, directory, backupDirectory string, each func(damaged DamagedPart, whole bool)) (err error) {
	from, err := readBackup(backupDirectory)
	if err != nil {
		return fmt.Errorf("read the backup in %s: %w", backupDirectory, err)
	}
	lock, err := lockDirectory(directory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	manifest, err := parts.Read(directory)
	if err != nil {
		return fmt.Errorf("read the store in %s: %w", directory, err)
	}
	for i := range manifest.Parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := &manifest.Parts[i]
		damaged, err := checkPart(directory, part)
		if err != nil {
			return fmt.Errorf("check the store in %s: %w", directory, err)
		}
		if damaged == nil {
			continue
		}
		whole, err := from.putBack(part, directory)
		if err != nil {
			return fmt.Errorf("put back %s: %w", damaged.Name, err)
		}
		each(*damaged, whole)
	}
	return nil
}

// putBack copies the files of a part to a store, if the backup has it undamaged.
func (b *backup) putBack(part *parts.Part, directory string) (bool, error) {
	if !b.namesEqual(part) {
		return false, nil
	}
	if damaged, err := checkPart(b.directory, part); damaged != nil || err != nil {
		return false, err
	}
	target := filepath.Join(directory, parts.Directory)
	for _, name := range []string{part.IDName(), part.FileName()} {
		if err := replaceFile(filepath.Join(b.directory, parts.Directory, name), filepath.Join(target, name)); err != nil {
			return false, err
		}
	}
	return true, durable.SyncDirectory(target)
}

// replaceFile replaces a file by a copy of another one.
func replaceFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	written := to + partialSuffix
	defer func() { _ = os.Remove(written) }() // it has been renamed unless writing failed
	if err := os.Remove(written); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := writeNew(written, BackupFile{Name: from, Size: info.Size(), Content: source}); err != nil {
		return err
	}
	return os.Rename(written, to)
}

// EventsOfDay calls each for the events of a source with a timestamp of a day in UTC. What the follower shows must not change
// meanwhile.
func (f *Follower) EventsOfDay(ctx context.Context, source *sqlq.Table, day time.Time, each func(logevent.Event) error) error {
	const step = time.Hour
	for from := day; from.Before(day.AddDate(0, 0, 1)); from = from.Add(step) {
		query := fmt.Sprintf("SELECT id, timestamp, event_message, project, metadata FROM %s WHERE timestamp >= make_timestamp(%d) AND timestamp < make_timestamp(%d)",
			duckdbsql.QuoteName(source.Name), from.UnixMicro(), from.Add(step).UnixMicro())
		var event logevent.Event
		var metadata *string
		err := eachRow(ctx, f.db, query, nil, []any{&event.ID, &event.Timestamp, &event.EventMessage, &event.Project, &metadata}, func() error {
			found := event
			if metadata != nil {
				found.Metadata = []byte(*metadata)
			}
			return each(found)
		})
		if err != nil {
			return fmt.Errorf("read the events of %s: %w", source.Name, err)
		}
	}
	return nil
}
