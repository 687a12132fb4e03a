package logstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"savedq/internal/files/durable"
	"savedq/internal/logs/parts"
)

// The store of release 0.1.0 was one DuckDB file. The first Open converts it: its events become parts, and the manifest,
// which is written last, replaces it. Until then it does not change, and a conversion that was interrupted begins again.

const (
	// oldName is the name of the old store's file in the data directory.
	oldName = "savedq.duckdb"
	// oldCatalog is how SQL names it.
	oldCatalog = "old"
	// roomRatio is how much room its parts need, compared to its file, and roomPerDay what the part of a day needs in
	// addition. A million events of a year took a third of their file, and half a MiB a day.
	roomRatio  = 0.5
	roomPerDay = 768 << 10
)

// hasOld reports whether a directory has a store of release 0.1.0.
func hasOld(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, oldName))
	return err == nil
}

// oldFiles are the files of the old store in the data directory.
func oldFiles() []string { return []string{oldName, oldName + ".wal", oldName + ".tmp", "ids"} }

// removeOld removes the old store if the manifest replaces it.
func (s *Store) removeOld() error {
	if s.manifest.Replaces == "" {
		return nil
	}
	for _, name := range oldFiles() {
		if err := os.RemoveAll(filepath.Join(s.config.directory, name)); err != nil {
			return fmt.Errorf("remove the store before its conversion: %w", err)
		}
	}
	if err := durable.SyncDirectory(s.config.directory); err != nil {
		return err
	}
	s.manifest.Replaces = ""
	return s.manifest.Write(s.config.directory)
}

// conversion converts an old store.
type conversion struct {
	*Store
	old    *oldStore
	writer *partWriter
	// done and all count the events.
	done, all int64
}

// convert converts the old store in the data directory, and returns its manifest, which it has written. The caller has
// locked the directory.
func (c *config) convert(ctx context.Context) (_ parts.Manifest, err error) {
	if err := (&parts.Manifest{}).RemoveOthers(c.directory); err != nil { // of a conversion that was interrupted
		return parts.Manifest{}, err
	}
	config := *c
	config.readable = append(slices.Clone(c.readable), c.directory)
	s := newStore(config)
	s.numbers.Store(1)
	if s.using, s.db, err = s.config.openDuckDB(ctx); err != nil {
		return parts.Manifest{}, err
	}
	defer func() { err = errors.Join(err, s.db.Close()) }()
	work := &conversion{Store: s}
	if err := work.run(ctx); err != nil {
		return parts.Manifest{}, fmt.Errorf("convert the store in %s to this version: %w; it was not changed", c.directory, err)
	}
	return s.manifest, nil
}

// checkRoom returns an error if the disk has too little room for the parts of the old store, which has that many days.
func (c *config) checkRoom(days int) error {
	size := int64(0)
	for _, name := range oldFiles()[:2] {
		if info, err := os.Stat(filepath.Join(c.directory, name)); err == nil {
			size += info.Size()
		}
	}
	needed := int64(roomRatio*float64(size)) + int64(days)*roomPerDay
	if free, known := c.free(c.directory); known && free < needed {
		const mib = 1 << 20
		return fmt.Errorf("this needs about %d MiB on its disk, and %d MiB are free; free some and start again", needed/mib+1, free/mib)
	}
	return nil
}

func (c *conversion) run(ctx context.Context) (err error) {
	if c.old, err = openOld(ctx, c.db, c.config.directory); err != nil {
		return err
	}
	c.manifest = parts.Manifest{Store: c.old.id, Program: c.config.program, Written: c.config.clock().UTC(), Position: c.old.position, HoldsOtherLogs: c.old.otherLogs, Tables: c.old.tables, Replaces: oldName}
	if err := c.readTables(); err != nil {
		return err
	}
	if err := c.openState(ctx); err != nil {
		return err
	}
	days, err := c.old.days(ctx, c.Tables())
	if err != nil {
		return err
	}
	if err := c.config.checkRoom(len(days)); err != nil {
		return err
	}
	for _, day := range days {
		c.all += day.events()
	}
	if c.writer, err = c.newPartWriter(ctx, 1); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.writer.end(ctx, err)) }()
	for _, day := range days {
		if err := c.convertDay(ctx, day); err != nil {
			return fmt.Errorf("%s: %w", day.start.Format(time.DateOnly), err)
		}
	}
	written, err := c.writer.finish(ctx)
	if err != nil {
		return err
	}
	if err := c.checkEvents(days, written); err != nil {
		return err
	}
	if err := c.copyState(ctx); err != nil {
		return err
	}
	c.manifest.Parts, c.manifest.Next = written, c.numbers.Load()
	return c.manifest.Write(c.config.directory)
}

// convertDay writes the events of a day to parts.
func (c *conversion) convertDay(ctx context.Context, day *oldDay) error {
	for _, source := range c.Tables() {
		if day.sources[source.Name] == 0 {
			continue
		}
		slices, err := c.old.slicesOf(ctx, source.Name, day)
		if err != nil {
			return err
		}
		for _, condition := range slices {
			if err := c.convertSlice(ctx, source.Name, condition); err != nil {
				return fmt.Errorf("%s: %w", source.Name, err)
			}
		}
	}
	return c.writer.flush(ctx) // a part is of one day
}

// convertSlice adds the events of a source that a condition selects to those in memory.
func (c *conversion) convertSlice(ctx context.Context, source, condition string) error {
	events, err := c.old.read(ctx, c.Tables(), source, condition)
	if err != nil {
		return err
	}
	if err := c.writer.add(ctx, events, nil); err != nil {
		return err
	}
	c.done += int64(len(events))
	if c.config.converting != nil {
		c.config.converting(c.done, c.all)
	}
	return nil
}

// checkEvents returns an error unless the parts have as many events of each source as the old store.
func (c *conversion) checkEvents(days []*oldDay, written []parts.Part) error {
	for _, source := range c.Tables() {
		want, got := int64(0), int64(0)
		for _, day := range days {
			want += day.sources[source.Name]
		}
		for i := range written {
			part, _ := written[i].Source(source.Name)
			got += part.Events
		}
		if want != got {
			return fmt.Errorf("%d of %d events of %s were converted", got, want, source.Name)
		}
	}
	return nil
}

// copyState copies the rejected events and the runs.
func (c *conversion) copyState(ctx context.Context) error {
	for name := range stateTables() {
		columns, err := c.old.sharedColumns(ctx, name)
		if err != nil {
			return err
		}
		if len(columns) == 0 {
			continue // an earlier version has no such table
		}
		list := strings.Join(columns, ", ")
		further := ""
		if name == rejectedTable {
			further = fmt.Sprintf(", %d AS sequence", c.old.position)
		}
		result, err := c.db.ExecContext(ctx, "INSERT INTO memory.main."+name+" BY NAME SELECT "+list+further+" FROM "+oldCatalog+"."+name+" ORDER BY rowid") //nolint:gosec // Names of tables and columns.
		if err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
		if count, err := result.RowsAffected(); err == nil && count > 0 {
			c.stateChanged.Store(true)
		}
	}
	number, err := c.writeState(ctx, c.old.position)
	if number != 0 {
		c.manifest.State = number
	}
	return err
}
