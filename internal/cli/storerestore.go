package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// storeRestoreCommand is "savedq store restore".
type storeRestoreCommand struct {
	Backup string   `arg:"" help:"Directory with a backup, or one of the folders of --keep."`
	Day    []string `sep:"," placeholder:"DAY" help:"Add the events of this day in UTC, such as 2026-01-31, that the backup has and the store lacks; can be repeated. Default: none, only files are put back."`
	localFlags
}

func (c *storeRestoreCommand) Validate() error {
	for _, text := range c.Day {
		if _, err := dayOf("--day", text, parsingTime()); err != nil {
			return err
		}
	}
	if logstore.Exists(c.Backup) {
		return nil
	}
	if backups, err := backupsIn(c.Backup); err == nil && len(backups) > 0 {
		return fmt.Errorf("%s has backups; name one of them, such as %s", c.Backup, backups[len(backups)-1])
	}
	return fmt.Errorf("there is no backup in %s", c.Backup)
}

// Run puts back files that are missing or damaged, and adds events of days.
func (c *storeRestoreCommand) Run(ctx context.Context, term *terminal) error {
	if !logstore.Exists(c.Data) {
		return fmt.Errorf("there is no store in %s; to restore all of a backup, put its files into an empty data directory", c.Data)
	}
	if isSameDirectory(c.Data, c.Backup) {
		return fmt.Errorf("%s is the store itself; name a backup of it", c.Backup)
	}
	count, missing := 0, 0
	err := logstore.PutBack(ctx, c.Data, c.Backup, func(damaged logstore.DamagedPart, whole bool) {
		count++
		if whole {
			_, _ = fmt.Fprintf(term.stdout, "%s; it was put back\n", damaged)
			return
		}
		missing++
		_, _ = fmt.Fprintf(term.stdout, "%s; the backup does not have it undamaged\n", damaged)
	})
	if err != nil {
		return err
	}
	if len(c.Day) == 0 && count == 0 {
		if _, err := fmt.Fprintf(term.stdout, "%s: no file is damaged or missing\n", c.Data); err != nil {
			return err
		}
	}
	if len(c.Day) > 0 {
		if err := c.addDays(ctx, term); err != nil {
			return err
		}
	}
	if missing > 0 {
		return &damageError{filepath.Join(c.Data, parts.Directory), missing}
	}
	return nil
}

// isSameDirectory reports whether two paths lead to one directory.
func isSameDirectory(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// addDays adds the events of days.
func (c *storeRestoreCommand) addDays(ctx context.Context, term *terminal) (err error) {
	memory, err := c.budget(memorySplit{duckDB: unchosen}, term)
	if err != nil {
		return err
	}
	manifest, err := parts.Read(c.Backup)
	if err != nil {
		return err
	}
	origin := logstore.Sent
	if !manifest.HoldsOtherLogs {
		origin = logstore.Generated
	}
	backup, err := logstore.Follow(ctx, c.Backup, fmt.Sprintf("%dB", memory.duckDB))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backup.Close()) }()
	store, err := c.openExisting(ctx, c.Data, term)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, text := range c.Day {
		day, _ := dayOf("--day", text, term.clock()) // Validate has read it
		restored, present, err := addDay(ctx, store, backup, origin, day)
		if err != nil {
			return fmt.Errorf("nothing of %s was restored: %w", text, err)
		}
		if _, err := fmt.Fprintf(term.stdout, "%s: %s restored, %s were there already\n", text, countEvents(int64(restored)), countEvents(int64(present))); err != nil {
			return err
		}
	}
	return nil
}

// addDay adds the events of a day that a store lacks, all or none, and returns how many it added, and how many it had.
func addDay(ctx context.Context, store *logstore.Store, backup *logstore.Follower, origin logstore.Origin, day time.Time) (added, present int, err error) {
	transaction, err := store.Begin(ctx, origin)
	if err != nil {
		return 0, 0, err
	}
	for _, source := range backup.Tables().Sources() {
		err := backup.EventsOfDay(ctx, source, day, func(event logevent.Event) error {
			target, found := store.Tables().FindSource(source.Name)
			if !found {
				return fmt.Errorf("the store has no log source %s; start a server with the tables that declare it first", source.Name)
			}
			return transaction.Add(ctx, target, event)
		})
		if err != nil {
			return 0, 0, errors.Join(err, transaction.Rollback()) //nolint:contextcheck // It ends the transaction also after the context has ended.
		}
	}
	if err := transaction.Commit(ctx); err != nil {
		return 0, 0, err
	}
	added, present = transaction.Counts()
	return added, present, nil
}
