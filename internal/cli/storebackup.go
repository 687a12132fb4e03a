package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"savedq/internal/logs/logstore"
	"savedq/internal/server"
)

// storeBackupCommand is "savedq store backup".
type storeBackupCommand struct {
	Directory string `arg:"" name:"dir" help:"Directory for the copy. It may have an earlier backup of the store, of which only what has changed is written again."`
	Keep      *int   `min:"1" placeholder:"N" help:"Write the copy to a folder in the directory that is named by the time, and remove all but the N newest of these. Files that the last one has are linked, so they take no further space."`
	maintenanceFlags
}

func (c *storeBackupCommand) Validate() error {
	if info, err := os.Stat(c.Directory); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file; choose a directory", c.Directory)
	}
	return nil
}

// Run writes a backup and checks it.
func (c *storeBackupCommand) Run(ctx context.Context, term *terminal) error {
	target := c.Directory
	if c.Keep != nil {
		target = filepath.Join(c.Directory, term.clock().UTC().Format(backupName))
	}
	stats, err := c.write(ctx, target, c.Keep != nil, term)
	if _, damaged := errors.AsType[*damageError](err); damaged && c.Keep != nil {
		_, _ = fmt.Fprintln(term.stderr, "savedq: the backup is written again without files of the last one, of which some may be damaged")
		stats, err = c.write(ctx, target, false, term)
	}
	if err != nil {
		return err
	}
	events := int64(0)
	for _, source := range stats.Sources {
		events += source.Events
	}
	_, err = fmt.Fprintf(term.stdout, "%s: %s, %s\n", target, countEvents(events), byteSize(stats.FileBytes))
	if c.Keep == nil || err != nil {
		return err
	}
	return removeOldBackups(c.Directory, *c.Keep)
}

// write writes a backup to a directory, checks it, and returns what it holds. It links files of the last one of --keep if
// that is asked for.
func (c *storeBackupCommand) write(ctx context.Context, target string, link bool, term *terminal) (logstore.Stats, error) {
	if err := c.copyFiles(ctx, target, link, term); err != nil {
		return logstore.Stats{}, err
	}
	stats, err := c.verify(ctx, target, term)
	if err != nil && c.Keep != nil { // the next run would count it as complete
		err = errors.Join(err, os.RemoveAll(target))
	}
	return stats, err
}

// copyFiles writes the files of a backup.
func (c *storeBackupCommand) copyFiles(ctx context.Context, target string, link bool, term *terminal) (err error) {
	writer, err := logstore.NewBackupWriter(target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Discard()) }()
	writer.Further = server.IsBackedUp
	if link {
		c.linkLast(writer, target, term)
	}
	store, end, err := c.open(ctx, term)
	if err != nil {
		return err
	}
	err = store.Backup(ctx, writer.Held(), writer.Write)
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	return writer.Commit()
}

// linkLast makes the writer link what the last backup has. One that cannot be read is left out.
func (c *storeBackupCommand) linkLast(writer *logstore.BackupWriter, target string, term *terminal) {
	backups, err := backupsIn(c.Directory)
	if err != nil {
		return // the writer finds out what is wrong
	}
	for _, path := range slices.Backward(backups) {
		if path == target {
			continue
		}
		err := writer.LinkFrom(path)
		if err == nil {
			return
		}
		if !errors.Is(err, fs.ErrNotExist) { // it is interrupted, or of release 0.1.0
			_, _ = fmt.Fprintf(term.stderr, "savedq: %s; its files are not used\n", err)
		}
	}
}

// verify checks and opens a backup, and returns what it holds.
func (c *storeBackupCommand) verify(ctx context.Context, directory string, term *terminal) (logstore.Stats, error) {
	if err := checkStore(ctx, directory, term.stderr); err != nil {
		return logstore.Stats{}, fmt.Errorf("the backup was written, but not all of it can be read: %w", err)
	}
	copied, err := c.openExisting(ctx, directory, term)
	if err != nil {
		return logstore.Stats{}, fmt.Errorf("the backup was written, but does not open: %w", err)
	}
	stats, err := copied.Stats(ctx, term.clock())
	if err = errors.Join(err, copied.Close()); err != nil {
		return logstore.Stats{}, fmt.Errorf("the backup was written, but cannot be read: %w", err)
	}
	return stats, nil
}

// backupName is the time layout that names the folders of --keep. The names sort by time.
const backupName = "2006-01-02T15-04-05Z"

// backupsIn returns the folders of --keep in a directory, the oldest first. They need not be complete.
func backupsIn(directory string) (paths []string, err error) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if _, err := time.Parse(backupName, entry.Name()); err == nil && entry.IsDir() {
			paths = append(paths, filepath.Join(directory, entry.Name()))
		}
	}
	return paths, nil
}

// removeOldBackups removes all but the newest backups in a directory. Only complete ones count, and
// nothing else in the directory is touched.
func removeOldBackups(directory string, keep int) error {
	backups, err := backupsIn(directory)
	if err != nil {
		return err
	}
	var removed []error
	for _, path := range slices.Backward(backups) {
		if keep > 0 {
			if logstore.Exists(path) {
				keep--
			}
			continue
		}
		removed = append(removed, os.RemoveAll(path))
	}
	return errors.Join(removed...)
}
