package logstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"savedq/internal/logs/parts"
	"savedq/sqlq"
)

// Follower shows the events of a store that another process writes, or of a copy of one. It takes no lock, writes nothing
// into the data directory and needs no permission to. It is safe for concurrent use. Readers see all of a change or
// nothing.
type Follower struct {
	config    config
	attached  *attachments
	connector *connector
	db        *sql.DB
	changes   Changes

	// changing is held by one at a time, while what the views read changes. It guards what follows.
	changing *semaphore.Weighted
	// content is the manifest's file if the views show it, or nil, and reopenings is how many instances there were then.
	content    []byte
	reopenings int64
	// catalogs is the number of files with recent events so far.
	catalogs int
	// declared are the log sources that the follower was given.
	declared sqlq.Tables

	// mutex guards what follows. It is held for moments only.
	mutex sync.Mutex
	// target is what a new instance of DuckDB shows; shown is what the views show.
	target, shown shown
	// waiting is since when a newer manifest is not shown because files of it are missing, or the zero time.
	waiting time.Time
}

// shown is what a follower shows.
type shown struct {
	manifest parts.Manifest
	sources  sqlq.Tables
	// written is when the manifest was written.
	written time.Time
	// number is greater for what is shown later.
	number uint64
	// recent is the path of a file with events that are in no part yet, and catalog DuckDB's name of it; "" if there is none.
	recent, catalog string
	// damaged are the parts that cannot be read, by their numbers, and stateFault is why the rejected events and the runs
	// cannot be.
	damaged    map[uint64]bool
	stateFault error
}

// Shown describes what a follower shows.
type Shown struct {
	// Store is what distinguishes the store from others.
	Store string
	// Position is the place in the write-ahead log of ingest up to which all events are shown.
	Position uint64
	// Written is when the manifest was written.
	Written time.Time
	// Waiting is since when a newer manifest is not shown because the copy lacks files of it; the zero time if none waits.
	Waiting time.Time
	// Damaged are the parts that cannot be read.
	Damaged []DamagedPart
}

const (
	// copyPatience is how long a follower shows an earlier manifest because the copy lacks files of the newer one. After
	// that, it shows the newer one, and queries of the missing events fail.
	copyPatience = 5 * time.Minute
	// mostReadings limits how often the manifest is read because its files have gone meanwhile. Each time it was replaced.
	mostReadings = 100
)

// ErrOutdated is the error for a manifest whose files were removed, because the data directory has a newer one.
var ErrOutdated = errors.New("the store has changed meanwhile")

// Follow shows the store in a directory. See [Open] for the memory limit and for what SQL can reach. Callers must close the
// follower, and call [Follower.Refresh] to see later changes.
func Follow(ctx context.Context, directory, memoryLimit string, options ...Option) (*Follower, error) {
	absolute, err := absolutePath(directory)
	if err != nil {
		return nil, err
	}
	f := &Follower{config: newConfig(absolute, memoryLimit, options...), changing: semaphore.NewWeighted(1)}
	f.attached = &attachments{config: &f.config, repair: "copy the file again, or restore it from a backup"}
	f.changes.sources = f.Tables
	if err := f.checkDirectory(); err != nil {
		return nil, err
	}
	first, err := f.config.newInstance(ctx)
	if err != nil {
		return nil, err
	}
	f.connector, f.db = openPool(first, &f.config)
	f.connector.restart = f.restart
	err = onConnection(ctx, f.db, func(conn *sql.Conn, _ *instance) error { return createOwn(ctx, conn) })
	if err == nil {
		_, err = f.Refresh(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// checkDirectory explains why there is no store that can be followed.
func (f *Follower) checkDirectory() error {
	directory := f.config.directory
	_, err := os.Stat(filepath.Join(directory, parts.ManifestName))
	info, statErr := os.Stat(directory)
	switch {
	case err == nil:
		return nil
	case statErr == nil && !info.IsDir():
		return fmt.Errorf("%s is a file, not the data directory of a store", directory)
	case !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("follow the store in %s: %w", directory, err)
	case hasOld(directory):
		return fmt.Errorf("the store in %s was written by savedq 0.1; start this savedq on it once, which converts it, before another process follows it", directory)
	}
	return fmt.Errorf("there is no store in %s; it needs a %s", directory, parts.ManifestName)
}

// DB returns the database, for the engine.
func (f *Follower) DB() *sql.DB { return f.db }

// Changes returns what has changed in the tables since Follow.
func (f *Follower) Changes() *Changes { return &f.changes }

// Tables returns the log sources that the store has.
func (f *Follower) Tables() sqlq.Tables { return f.current().sources }

// Shown describes what the views show.
func (f *Follower) Shown() Shown {
	now := f.current()
	found := Shown{Store: now.manifest.Store, Position: now.manifest.Position, Written: now.written}
	for _, damaged := range f.attached.damagedParts() {
		if now.damaged[damaged.Part.Number] {
			found.Damaged = append(found.Damaged, damaged)
		}
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	found.Waiting = f.waiting
	return found
}

// State returns what the views show, for [Follower.Show] of another process, and a number that is greater for what is shown
// later.
func (f *Follower) State() (number uint64, manifest parts.Manifest, err error) {
	now := f.current()
	manifest = now.manifest
	manifest.Tables, err = definitionsOf(now.sources)
	return now.number, manifest, err
}

func (f *Follower) current() shown {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.shown
}

// Reopenings returns how often a new instance of DuckDB was started, after a fatal error or because another store took the
// place of the one that was shown.
func (f *Follower) Reopenings() int64 { return f.connector.restarts.Load() }

// Ping runs a query, because DuckDB's driver has no ping.
func (f *Follower) Ping(ctx context.Context) error {
	var one int
	if err := f.db.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("query the store in %s: %w", f.config.directory, err)
	}
	return nil
}

// Close frees what the follower has open.
func (f *Follower) Close() error { return f.db.Close() }

// Refresh shows the manifest that the data directory has now, and reports whether something has changed. A copy can have
// the manifest before the files that it names; until they are there, but not for longer than some minutes, the earlier
// events are shown. After an error, what was shown is still shown.
func (f *Follower) Refresh(ctx context.Context) (changed bool, err error) {
	err = holding(ctx, f.changing, func() error {
		changed, err = f.refresh(ctx)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("follow the store in %s: %w", f.config.directory, err)
	}
	return changed, nil
}

func (f *Follower) refresh(ctx context.Context) (changed bool, err error) {
	for range mostReadings {
		content, next, err := f.read()
		if err != nil {
			return false, err
		}
		next.sources = withDeclared(next.sources, f.declared)
		before := f.current()
		if bytes.Equal(content, f.content) && before.isWhole() && f.reopenings == f.Reopenings() {
			return false, f.tidy(ctx, &before)
		}
		outcome, err := f.change(ctx, next, func(*shown) (outcome, error) {
			latest, err := os.ReadFile(f.manifestPath())
			switch {
			case err != nil:
				return 0, err
			case !bytes.Equal(latest, content):
				return outdated, nil
			case f.waitsFor(ctx):
				return waiting, nil
			}
			return taken, nil
		})
		switch {
		case err != nil:
			return false, err
		case outcome == outdated:
			continue
		case outcome == waiting:
			return false, nil
		}
		f.content = content
		now := f.current()
		return !now.equals(&before), nil
	}
	return false, ErrOutdated
}

// Show shows a manifest, and the events and the state in a DuckDB file with the tables of a part, if recent is not empty:
// so a process shows what another one with the store has, also what is in its memory. Each file needs a path of its own in
// one of the directories of [WithReadableDirectories], and must not change. It must stay until something else is shown.
// The error is [ErrOutdated] if files of the manifest were removed because the directory has a newer one. After an error,
// what was shown is still shown.
func (f *Follower) Show(ctx context.Context, manifest parts.Manifest, recent string) error {
	err := holding(ctx, f.changing, func() error {
		next, err := newShown(manifest, time.Time{})
		if err != nil {
			return err
		}
		next.sources = withDeclared(next.sources, f.declared)
		if recent != "" {
			f.catalogs++
			next.recent, next.catalog = recent, fmt.Sprintf("recent%d", f.catalogs)
		}
		outcome, err := f.change(ctx, next, f.areNeeded)
		if err == nil && outcome == outdated {
			err = ErrOutdated
		}
		if err == nil {
			f.content = nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("show a state of the store in %s: %w", f.config.directory, err)
	}
	return nil
}

// areNeeded finds out whether the directory's manifest names the files that are missing.
func (f *Follower) areNeeded(next *shown) (outcome, error) {
	latest, err := parts.Read(f.config.directory)
	if err != nil {
		return 0, err
	}
	for number := range next.damaged {
		if !slices.ContainsFunc(latest.Parts, func(part parts.Part) bool { return part.Number == number }) {
			return outdated, nil
		}
	}
	if next.stateFault != nil && latest.State != next.manifest.State {
		return outdated, nil
	}
	return taken, nil
}

// outcome is what became of a manifest that should be shown.
type outcome int

const (
	// taken means that the views show it.
	taken outcome = iota
	// outdated means that files of it are gone, because there is a newer one, and waiting that files of it are not there yet.
	outdated
	waiting
)

func (f *Follower) manifestPath() string {
	return filepath.Join(f.config.directory, parts.ManifestName)
}

// read reads the manifest of the directory.
func (f *Follower) read() (content []byte, next shown, err error) {
	file, err := os.Open(f.manifestPath())
	if err != nil {
		return nil, shown{}, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, shown{}, err
	}
	if content, err = io.ReadAll(file); err != nil {
		return nil, shown{}, err
	}
	manifest, err := parts.Decode(f.config.directory, content)
	if err != nil {
		return nil, shown{}, err
	}
	next, err = newShown(manifest, info.ModTime())
	return content, next, err
}

// newShown returns what shows a manifest, whose file was written at a time.
func newShown(manifest parts.Manifest, written time.Time) (shown, error) {
	next := shown{manifest: manifest, written: manifest.Written}
	if next.written.IsZero() {
		next.written = written.UTC()
	}
	var err error
	next.sources, err = tablesOf(&manifest)
	return next, err
}

// isWhole reports whether everything can be read.
func (s *shown) isWhole() bool { return len(s.damaged) == 0 && s.stateFault == nil }

// equals reports whether the same is shown.
func (s *shown) equals(other *shown) bool {
	return s.recent == other.recent && reflect.DeepEqual(s.sources, other.sources) && reflect.DeepEqual(s.manifest, other.manifest) && maps.Equal(s.damaged, other.damaged) && (s.stateFault == nil) == (other.stateFault == nil)
}

// lacksMore reports whether files cannot be read that could be read, or were not needed, before.
func (s *shown) lacksMore(before *shown) bool {
	for number := range s.damaged {
		if !before.damaged[number] {
			return true
		}
	}
	return s.stateFault != nil && before.stateFault == nil
}
