// Package logstore is the embedded store of log events. Events are in immutable parts (package parts) and, since
// the last part was written, in tables in memory, which the write-ahead log of ingest can restore. DuckDB computes:
// its views join the parts and the tables in memory, and no file of it ever changes.
package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// Store is an open log store. It is safe for concurrent use. Readers see all of a change or nothing.
type Store struct {
	config    config
	connector *connector
	db        *sql.DB
	lock      *os.File
	changes   Changes
	tables    atomic.Pointer[sqlq.Tables]
	// stateFault is why the rejected events and the runs could not be read, or nil. mutex guards it.
	stateFault error
	attached   *attachments
	views      Views
	// numbers is the number of the next file.
	numbers atomic.Uint64

	// Each is held by one at a time: loading by a transaction or an ingestion, merging by what writes parts again, writing by what writes
	// events in memory to parts, changing while the manifest is replaced, and appending while events are added to those in
	// memory. Who needs several takes them in this order.
	loading, merging, writing, changing, appending *semaphore.Weighted
	// tooLarge are the parts that are not merged; see [Store.leave]. Who holds merging uses it.
	tooLarge map[uint64]bool
	// removed is what was hidden of parts when nothing was left of them, by their numbers, since parts were replaced last. Who
	// holds changing uses it.
	removed map[uint64][]parts.Selection
	// publishing is locked while the views change, and guards dropped. stating is locked while the state changes.
	publishing, stating sync.Mutex
	// behind is true while the views could not be changed.
	behind atomic.Bool
	// dropped are the schemas in memory that the next views do not read.
	dropped []*recent
	// replacing is locked for a moment when a new instance of DuckDB takes the place of an invalid one; see
	// [Store.onCurrent]. It guards using, the instance that has what the store has.
	replacing sync.RWMutex
	using     *instance

	// mutex guards what follows. It is held for moments only.
	mutex sync.Mutex
	// manifest is what the file says. Only who holds changing replaces it.
	manifest parts.Manifest
	// recent are the tables in memory, the oldest first. Rows are added to the last one.
	recent []*recent
	// position is the place in the write-ahead log up to which everything is in the store.
	position  uint64
	otherLogs bool
	// replay reads the write-ahead log of ingest, and journal has the changes of the state that are in no file yet, the
	// first of them since journalBegan.
	replay       Replay
	journal      journal
	journalBegan time.Time
	// names is the number of databases in memory that were attached so far.
	names int
	// sealed is closed and replaced when a table in memory has become a part, or writing one has failed or ended.
	sealed chan struct{}

	snapshots snapshots
	rejected  rejectedGrowth
	// stateChanged is true if the state was changed since it was written last.
	stateChanged atomic.Bool
	sealing      sync.WaitGroup
	isSealing    atomic.Bool
	// failing is why the last seal failed, or nil.
	failing atomic.Pointer[error]
	stop    context.CancelFunc
	ending  context.Context //nolint:containedctx // It ends what the store does in the background.
}

// OpenEmpty opens an empty store in memory.
func OpenEmpty(ctx context.Context, options ...Option) (*Store, error) {
	return open(ctx, newConfig("", "", options...))
}

// Exists reports whether there is a store in a directory.
func Exists(directory string) bool {
	return hasManifest(directory) || hasOld(directory)
}

// hasManifest reports whether there is a store of this version in a directory.
func hasManifest(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, parts.ManifestName))
	return !errors.Is(err, os.ErrNotExist)
}

// OpenExisting is like Open, but returns an error if the store does not exist.
func OpenExisting(ctx context.Context, directory, memoryLimit string, options ...Option) (*Store, error) {
	if !Exists(directory) {
		return nil, fmt.Errorf("there is no store in %s; load logs into it first, or choose another --data directory", directory)
	}
	return Open(ctx, directory, memoryLimit, options...)
}

// Open opens the store in the directory, and creates both if they do not exist. The memory limit is in DuckDB's
// syntax, such as "1GiB". Empty means DuckDB's default, most of the memory of the machine or container. SQL then has
// no access to the network, nor to files outside the directories of [WithReadableDirectories].
//
// It returns an error for a store that another process has open and for one that it cannot read, and does not change
// them.
//
// Only the owner can read the files of the store, which hold all events, whatever the mode of the directory: Open sets
// the umask of the process to 077.
func Open(ctx context.Context, directory, memoryLimit string, options ...Option) (*Store, error) {
	absolute, err := absolutePath(directory)
	if err != nil {
		return nil, err
	}
	config := newConfig(absolute, memoryLimit, options...)
	config.spillIn = absolute
	return open(ctx, config)
}

// absolutePath returns the path of a data directory as DuckDB needs it.
func absolutePath(directory string) (string, error) {
	absolute, err := filepath.Abs(directory) // DuckDB would interpret ~ and s3:
	if err != nil {
		return "", fmt.Errorf("find the data directory: %w", err)
	}
	if strings.Contains(absolute, "?") {
		return "", fmt.Errorf("the data directory %s must not have a question mark in its name: DuckDB would read options after it", directory)
	}
	return absolute, nil
}

// newStore returns a store that is not open yet.
func newStore(config config) *Store {
	s := &Store{
		config:  config,
		loading: semaphore.NewWeighted(1), merging: semaphore.NewWeighted(1), writing: semaphore.NewWeighted(1), changing: semaphore.NewWeighted(1), appending: semaphore.NewWeighted(1),
		sealed: make(chan struct{}), snapshots: snapshots{taking: semaphore.NewWeighted(1)},
	}
	s.attached = &attachments{config: &s.config, repair: "restore the file from a backup and start the server again", remove: s.removeFiles, report: s.reportDamage}
	return s
}

func open(ctx context.Context, config config) (_ *Store, err error) {
	s := newStore(config)
	s.ending, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.changes.sources = s.Tables
	known := tables.Shipped()
	s.tables.Store(&known)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()
	if config.directory != "" {
		if err := s.openDirectory(ctx); err != nil {
			return nil, config.nameFullDisk(err)
		}
	} else {
		s.manifest = parts.Manifest{Store: uuid.NewString(), Next: 1}
	}
	if err := s.readTables(); err != nil {
		return nil, err
	}
	s.position = s.manifest.Position
	s.numbers.Store(s.manifest.Next)
	if s.using, err = s.config.newInstance(ctx); err != nil {
		return nil, err
	}
	s.connector, s.db = openPool(s.using, &s.config)
	s.connector.restart = s.restart
	if err := s.openState(ctx); err != nil {
		return nil, err
	}
	if err := s.startRecent(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// openDirectory locks the data directory, and reads its manifest or writes a first one.
func (s *Store) openDirectory(ctx context.Context) error {
	directory := s.config.directory
	const ownerOnly = 0o700
	if err := os.MkdirAll(filepath.Join(directory, parts.Directory), ownerOnly); err != nil {
		if link, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s is a link to a directory that does not exist", link.Path)
		}
		return fmt.Errorf("create the data directory: %w; choose another --data directory", err)
	}
	if err := keepPrivate(directory); err != nil {
		return fmt.Errorf("make the store in %s private: %w; its owner must start savedq", directory, err)
	}
	var err error
	if s.lock, err = lockDirectory(directory); err != nil {
		return err
	}
	s.manifest, err = parts.Read(directory)
	if errors.Is(err, os.ErrNotExist) && hasOld(directory) {
		s.manifest, err = s.config.convert(ctx)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		s.manifest = parts.Manifest{Store: uuid.NewString(), Program: s.config.program, Written: s.config.clock().UTC(), Next: 1}
		return s.manifest.Write(directory)
	case err != nil:
		return err
	}
	s.manifest.Program = s.config.program
	if err := s.removeOld(); err != nil {
		return err
	}
	return s.manifest.RemoveOthers(directory)
}

// ID returns what distinguishes the store from others. Its copies have the same.
func (s *Store) ID(context.Context) (string, error) { return s.current().Store, nil }

// current returns the manifest.
func (s *Store) current() parts.Manifest {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.manifest
}

// DB returns the database, for the engine.
func (s *Store) DB() *sql.DB { return s.db }

// Changes returns what has changed in the store's tables since it was opened.
func (s *Store) Changes() *Changes { return &s.changes }

// Ping runs a query, because DuckDB's driver has no ping.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.db.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return fmt.Errorf("query the store in %s: %w", s.config.directory, err)
	}
	return nil
}

// Close writes what is in memory to parts, as far as that is possible, and closes the store. What is not written
// stays in the write-ahead log.
func (s *Store) Close() error {
	s.stop()
	s.sealing.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	if _, err := s.Checkpoint(ctx); err != nil {
		s.config.logger.WarnContext(ctx, "recent events were not written to a part; they stay in the write-ahead log", slog.Any("error", err))
	}
	return s.release()
}

// lockName is the name of the file in the data directory that the process with the store has locked.
const lockName = "lock"

// closePatience is how long closing a store may take.
const closePatience = 30 * time.Second

// release closes the database and unlocks the directory.
func (s *Store) release() (err error) {
	s.stop()
	if s.db != nil {
		err = s.db.Close()
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	if err != nil {
		return fmt.Errorf("close the store in %s: %w", s.config.directory, err)
	}
	return nil
}

// changeManifest replaces the manifest by what change makes of it, and then the views. Tables in memory that are in parts
// now are dropped. After an error, nothing has changed. If the views cannot be changed, that is logged: the change is
// durable, and [Store.catchUp] shows it.
func (s *Store) changeManifest(ctx context.Context, change func(next *parts.Manifest) error, written ...*recent) error {
	if err := s.changing.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for another change of the store: %w", err)
	}
	defer s.changing.Release(1)
	next := s.current()
	next.Parts = slices.Clone(next.Parts)
	if err := change(&next); err != nil {
		return err
	}
	next.Next, next.Written = s.numbers.Load(), s.config.clock().UTC()
	if s.config.directory != "" {
		if err := s.writeManifest(next); err != nil && !next.IsIn(s.config.directory) {
			return err
		}
	}
	s.mutex.Lock()
	if next.State != s.manifest.State {
		s.journal.cut(next.State)
	}
	s.manifest = next
	s.recent = slices.DeleteFunc(slices.Clone(s.recent), func(table *recent) bool { return slices.Contains(written, table) })
	s.mutex.Unlock()
	if err := s.publish(ctx, written...); err != nil { // the change is durable, and the next call shows it
		s.config.logger.ErrorContext(ctx, "a change of the store is not visible yet", slog.Any("error", err))
	}
	return nil
}

// settled returns the manifest once all that it names is attached.
func (s *Store) settled(ctx context.Context) (manifest parts.Manifest, err error) {
	err = holding(ctx, s.changing, func() error {
		manifest = s.current()
		return s.catchUp(ctx)
	})
	return manifest, err
}

// holding runs work while it holds a lock.
func holding(ctx context.Context, lock *semaphore.Weighted, work func() error) error {
	if err := lock.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for other work on the store: %w", err)
	}
	defer lock.Release(1)
	return work()
}

func (s *Store) writeManifest(next parts.Manifest) error {
	if err := s.config.step("write the manifest"); err != nil {
		return err
	}
	if err := next.Write(s.config.directory); err != nil {
		return s.config.nameFullDisk(err)
	}
	return s.config.step("use the manifest")
}

// discard removes new files after an error, unless the manifest in the data directory names them: it can be replaced
// although that failed, and then a restart needs them.
func (s *Store) discard(err error, added []parts.Part) error {
	if err == nil || len(added) == 0 {
		return nil
	}
	found, readErr := parts.Read(s.config.directory)
	if readErr != nil {
		return nil //nolint:nilerr // Opening the store removes what no manifest names.
	}
	var errs []error
	for i := range added {
		isNamed := func(part parts.Part) bool { return part.Number == added[i].Number }
		if !slices.ContainsFunc(found.Parts, isNamed) {
			errs = append(errs, s.removeFiles(&added[i]))
		}
	}
	return errors.Join(errs...)
}
