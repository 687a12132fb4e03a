package usage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"savedq/internal/files/durable"
)

const (
	// FlushInterval is how often changes are written. A crash loses at most what was counted
	// since the last time.
	FlushInterval = 2 * time.Second
	// KeptDays is for how many days usage is stored.
	KeptDays = 400
)

// Config configures a [Ledger].
type Config struct {
	// Directory holds a file for each day. It is created if it does not exist. One process at
	// a time can use it.
	Directory string
	Clock     func() time.Time
	Logger    *slog.Logger
}

// Ledger counts the usage of all callers. It is safe for concurrent use.
type Ledger struct {
	config Config
	limits limits
	lock   *os.File
	today  atomic.Pointer[day]
	// rejected and failures count requests that were over a budget, and writes that failed.
	rejected, failures atomic.Int64

	// changing is held while a day begins.
	changing sync.Mutex
	// ended are the days before today that may not have been written completely.
	ended []*day

	// writing guards the files.
	writing sync.Mutex
	// failing reports whether the last write failed, so that the log has each failure once.
	failing bool
}

// lockName is the name of the file that an open ledger locks.
const lockName = "lock"

// Open opens a ledger, with what it has stored. Callers must close it.
func Open(config Config) (*Ledger, error) {
	return open(config, limits{accounts: maxAccounts, rows: maxRows})
}

func open(config Config, limits limits) (*Ledger, error) {
	if err := os.MkdirAll(config.Directory, ownerOnlyFolder); err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(config.Directory, lockName))
	if err != nil {
		return nil, err
	}
	l := &Ledger{config: config, limits: limits, lock: lock}
	today, err := l.stored(config.Clock())
	if err == nil {
		l.today.Store(today)
		err = l.removeOld()
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return l, nil
}

// stored returns the day of a time, with what is stored of it.
func (l *Ledger) stored(now time.Time) (*day, error) {
	stored := &day{start: startOf(now), limits: l.limits, accounts: make(map[ID]*account)}
	path := pathOf(l.config.Directory, stored.start)
	damaged, err := readFile(path, stored.restore)
	if damaged > 0 {
		l.config.Logger.Warn("lines of a usage file could not be read and are ignored; the last one is cut off by a crash",
			slog.String("file", path), slog.Int("lines", damaged))
	}
	return stored, err
}

// Caller returns the caller with an id and a budget.
func (l *Ledger) Caller(id ID, budget Budget) *Caller {
	return &Caller{ledger: l, id: id.bounded(), budget: budget}
}

// Rejected returns how many requests were over a budget.
func (l *Ledger) Rejected() int64 { return l.rejected.Load() }

// WriteFailures returns how often usage could not be written.
func (l *Ledger) WriteFailures() int64 { return l.failures.Load() }

// Maintain writes changes until the context ends.
func (l *Ledger) Maintain(ctx context.Context) {
	for {
		left := l.today.Load().end().Sub(l.config.Clock()) // so that requests are counted on their day
		timer := time.NewTimer(min(FlushInterval, max(left, time.Millisecond)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
			l.flush()
		}
	}
}

// Close writes all changes. Callers must not be used any more.
func (l *Ledger) Close() error {
	err := l.write()
	l.writing.Lock()
	defer l.writing.Unlock()
	for _, day := range l.days() {
		day.journal.close()
	}
	if err != nil {
		err = fmt.Errorf("write the usage of the last seconds: %w", err)
	}
	return errors.Join(err, l.lock.Close())
}

// now returns the time, and begins its day if that is not today.
func (l *Ledger) now() time.Time {
	now := l.config.Clock()
	if l.today.Load().contains(now) {
		return now
	}
	l.changing.Lock()
	defer l.changing.Unlock()
	if previous := l.today.Load(); !previous.contains(now) {
		l.today.Store(l.dayOf(now))
		l.ended = append(l.ended, previous)
	}
	return now
}

// dayOf returns the day of a time. If the clock was wrong, it can be a day that has begun before.
// The mutex changing must be held.
func (l *Ledger) dayOf(now time.Time) *day {
	for _, ended := range l.ended {
		if ended.start.Equal(startOf(now)) {
			return ended
		}
	}
	begun, err := l.stored(now)
	if err != nil {
		l.config.Logger.Error("what is stored of the usage of a day cannot be read; its usage and budgets begin at zero",
			slog.String("day", begun.start.Format(time.DateOnly)), slog.Any("error", err))
	}
	return begun
}

// flush writes changes, and logs the first of several failures.
func (l *Ledger) flush() {
	err := l.write()
	switch {
	case err != nil:
		l.failures.Add(1)
		if !l.failing {
			l.config.Logger.Error("usage cannot be written; a crash would lose it, and what was spent of budgets; it is tried again", slog.Any("error", err))
		}
	case l.failing:
		l.config.Logger.Info("usage is written again")
	}
	l.failing = err != nil
}

// days returns the days that may not have been written completely, today as the last one.
func (l *Ledger) days() []*day {
	l.changing.Lock()
	defer l.changing.Unlock()
	return slices.Concat(l.ended, []*day{l.today.Load()})
}

// write writes changes. The last requests of a day may still be counted when another one has
// begun, so that a day is written once more before it is forgotten.
func (l *Ledger) write() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	days := l.days()
	ended := len(days) - 1
	l.now()
	for _, previous := range days[:ended] {
		previous.journal.close() // what is complete is compacted
		if err := l.writeDay(previous); err != nil {
			return err
		}
		previous.journal.close()
	}
	if ended > 0 {
		l.changing.Lock()
		l.ended = l.ended[ended:]
		l.changing.Unlock()
		if err := l.removeOld(); err != nil {
			return err
		}
	}
	for _, day := range l.days() {
		if err := l.writeDay(day); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) writeDay(written *day) error {
	return written.write(pathOf(l.config.Directory, written.start))
}

// removeOld removes the files of days that are too long ago.
func (l *Ledger) removeOld() error {
	return removeBefore(l.config.Directory, l.today.Load().start.AddDate(0, 0, 1-KeptDays))
}

// Backup writes all changes, and calls each for the files of a copy, by day. Counting and writing
// go on meanwhile. What is written later is not in the copy.
func (l *Ledger) Backup(ctx context.Context, each durable.EachFile) error {
	if err := l.write(); err != nil {
		return err
	}
	return durable.Backup(ctx, l.config.Directory, IsFile, &l.writing, each)
}

// Backup calls each for the files of a directory that no ledger uses, by day. A directory that
// does not exist has none.
func Backup(ctx context.Context, directory string, each durable.EachFile) error {
	return durable.Backup(ctx, directory, IsFile, &sync.Mutex{}, each)
}
