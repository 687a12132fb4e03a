package logstore

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"time"

	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// errOtherStore is why an instance of DuckDB is used no more when another store takes the place of the one that is shown.
var errOtherStore = errors.New("another store has taken the place of the one that was shown")

// change makes the views show something else. If files cannot be read that could be read, or were not needed, before, it
// calls missing, and goes on if that returns taken. The caller holds changing.
func (f *Follower) change(ctx context.Context, next shown, missing func(next *shown) (outcome, error)) (result outcome, err error) {
	before, replaced := f.current(), false
	err = repeated(func() error {
		return onConnection(ctx, f.db, func(conn *sql.Conn, on *instance) (err error) {
			if !f.fits(on, &next.manifest) {
				f.replace(on, next)
				replaced = true
				return unavailable(errOtherStore) // the next connection starts an instance that shows it
			}
			ready, err := f.attach(ctx, conn, on, &next)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, ready.end(ctx, conn)) }()
			if next.lacksMore(&before) {
				if result, err = missing(&next); err != nil || result == outdated || result == waiting && !replaced {
					return err
				}
				result = taken
			}
			f.note(&before, &next)
			f.setTarget(next)
			if err := f.show(ctx, conn, on, &next, ready); err != nil {
				f.setTarget(before)
				return err
			}
			f.note(&before, &next)
			f.setShown(ctx, &before, next)
			if err := f.attached.retire(ctx, conn, on, ready.branches); err != nil { // the views are right
				f.config.logger.WarnContext(ctx, "old files of the store stay open", slog.Any("error", err))
			}
			return nil
		})
	})
	return result, err
}

// fits reports whether an instance can show a manifest: it has no other store's parts under the same names.
func (f *Follower) fits(on *instance, manifest *parts.Manifest) bool {
	return (on.store == "" || on.store == manifest.Store) && f.attached.fit(on, manifest.Parts)
}

// replace makes another instance of DuckDB show something, because this one cannot.
func (f *Follower) replace(on *instance, next shown) {
	f.attached.keep(nil)
	f.setTarget(next)
	f.connector.replace(on)
}

// restart starts an instance that shows what must be shown, after a fatal error or [Follower.replace]. There must be one
// call at a time.
func (f *Follower) restart(ctx context.Context) (*instance, error) {
	next, err := f.config.newInstance(ctx)
	if err != nil {
		return nil, err
	}
	f.mutex.Lock()
	target := f.target
	f.mutex.Unlock()
	err = next.with(func(db *sql.DB) error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		return errors.Join(f.start(ctx, conn, next, &target), conn.Close())
	})
	if err != nil {
		return nil, errors.Join(err, next.duckdb.Close())
	}
	return next, nil
}

// start gives an instance what a follower shows.
func (f *Follower) start(ctx context.Context, conn *sql.Conn, on *instance, target *shown) (err error) {
	if err := createOwn(ctx, conn); err != nil || target.manifest.Store == "" {
		return err
	}
	ready, err := f.attach(ctx, conn, on, target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ready.end(ctx, conn)) }()
	return f.show(ctx, conn, on, target, ready)
}

// noEvents is the schema with tables without rows, because a view over no part needs columns.
const noEvents = memoryCatalog + ".no_events"

// createOwn creates what an instance has in memory.
func createOwn(ctx context.Context, conn *sql.Conn) error {
	if err := createState(ctx, conn); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "CREATE SCHEMA "+noEvents); err != nil {
		return err
	}
	return createTables(ctx, conn, noEvents, storedColumns(tables.Shipped(), nil), "")
}

// attachedFiles are the files that the views will read.
type attachedFiles struct {
	branches []branch
	// state is the file with the rejected events and the runs, "" for none, and stateCatalog is where it is attached, "" if
	// the instance has its rows already or it cannot be read. It is detached at the end if detach is true.
	state, stateCatalog string
	detach              bool
}

func (a *attachedFiles) end(ctx context.Context, conn *sql.Conn) error {
	if !a.detach {
		return nil
	}
	_, err := conn.ExecContext(context.WithoutCancel(ctx), "DETACH state")
	return err
}

// attach attaches files, and notes which cannot be read.
func (f *Follower) attach(ctx context.Context, conn *sql.Conn, on *instance, next *shown) (ready attachedFiles, err error) {
	if next.recent != "" {
		recent, err := f.attachRecent(ctx, conn, on, next)
		if err != nil {
			return attachedFiles{}, err
		}
		ready.branches = append(ready.branches, recent)
	}
	ready.branches = append(append(ready.branches, partBranches(next.manifest)...), branch{place: noEvents})
	f.attached.attach(ctx, conn, on, ready.branches)
	if err := ctx.Err(); err != nil || on.invalid.Load() {
		return attachedFiles{}, errors.Join(err, unavailable(errReopening))
	}
	next.damaged = make(map[uint64]bool)
	for i := range ready.branches {
		if branch := &ready.branches[i]; branch.damaged != "" {
			next.damaged[branch.part.Number] = true
		}
	}
	return ready, f.attachState(ctx, conn, on, next, &ready)
}

// attachRecent attaches the file with recent events.
func (f *Follower) attachRecent(ctx context.Context, conn *sql.Conn, on *instance, next *shown) (branch, error) {
	found := branch{place: next.catalog}
	if !f.attached.isAttached(on, next.catalog) {
		if _, err := conn.ExecContext(ctx, "ATTACH "+quoted(next.recent)+" AS "+next.catalog+" (READ_ONLY)"); err != nil {
			return branch{}, err
		}
		f.attached.set(on, next.catalog, &attachment{open: true})
	}
	var column string
	query := "SELECT column_name FROM duckdb_columns() WHERE database_name = ? AND table_name = ? AND contains(column_name, '.')"
	err := eachRow(ctx, conn, query, []any{next.catalog, eventsTable}, []any{&column}, func() error {
		found.fields = append(found.fields, column)
		return nil
	})
	return found, err
}

// attachState attaches the file with the rejected events and the runs, unless the instance has its rows: that of the
// manifest, or the one with the recent events.
func (f *Follower) attachState(ctx context.Context, conn *sql.Conn, on *instance, next *shown, ready *attachedFiles) error {
	if next.recent != "" {
		var hasState bool
		err := conn.QueryRowContext(ctx, "SELECT count(*) > 0 FROM duckdb_tables() WHERE database_name = ? AND table_name = ?", next.catalog, rejectedTable).Scan(&hasState)
		if err != nil {
			return err
		}
		if hasState {
			ready.state, ready.stateCatalog = next.recent, next.catalog
			return nil
		}
	}
	if next.manifest.State != 0 {
		ready.state = f.attached.path(next.manifest.StateName())
	}
	if ready.state == on.state || ready.state == "" {
		return nil
	}
	_, err := conn.ExecContext(ctx, "ATTACH "+quoted(ready.state)+" AS state (READ_ONLY)")
	switch {
	case isUnavailable(err):
		return err
	case err != nil:
		next.stateFault = err
	default:
		ready.stateCatalog, ready.detach = "state", true
	}
	return nil
}

// show makes the views of an instance show what is attached.
func (f *Follower) show(ctx context.Context, conn *sql.Conn, on *instance, next *shown, ready attachedFiles) error {
	on.store = next.manifest.Store
	if next.stateFault == nil && ready.state != on.state {
		err := inTransaction(ctx, conn, func() error { return replaceState(ctx, conn, ready.stateCatalog) })
		switch {
		case isUnavailable(err):
			return err
		case err != nil:
			next.stateFault = err
		default:
			on.state = ready.state
		}
	}
	return inTransaction(ctx, conn, func() error { return execAll(ctx, conn, viewsOf(next.sources, ready.branches)) })
}

// replaceState makes the tables of the state have the rows of a catalog, or none.
func replaceState(ctx context.Context, conn *sql.Conn, catalog string) error {
	for name := range stateTables() {
		statements := []string{"DELETE FROM memory.main." + name}
		if catalog != "" {
			statements = append(statements, "INSERT INTO memory.main."+name+" BY NAME SELECT * FROM "+catalog+"."+name)
		}
		if err := execAll(ctx, conn, statements); err != nil {
			return err
		}
	}
	return nil
}

// tidy detaches what the views do not read any more.
func (f *Follower) tidy(ctx context.Context, now *shown) error {
	return repeated(func() error {
		return onConnection(ctx, f.db, func(conn *sql.Conn, on *instance) error {
			branches := partBranches(now.manifest)
			if now.recent != "" {
				branches = append(branches, branch{place: now.catalog})
			}
			return f.attached.retire(ctx, conn, on, branches)
		})
	})
}

func (f *Follower) setTarget(target shown) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.target = target
}

// setShown notes what the views show now.
func (f *Follower) setShown(ctx context.Context, before *shown, now shown) {
	f.attached.keep(now.manifest.Parts)
	f.reopenings = f.Reopenings()
	now.number = before.number + 1
	f.mutex.Lock()
	f.shown, f.target = now, now
	waited := !f.waiting.IsZero()
	f.waiting = time.Time{}
	f.mutex.Unlock()
	if waited && now.isWhole() {
		f.config.logger.InfoContext(ctx, "the copy of the store is complete again")
	}
	for _, damaged := range f.attached.damagedParts() {
		if !before.damaged[damaged.Part.Number] {
			f.config.logger.ErrorContext(ctx, "a part of the store cannot be read", slog.String("part", damaged.Name), slog.String("reason", damaged.Reason))
		}
	}
	if now.stateFault != nil && before.stateFault == nil {
		f.config.logger.ErrorContext(ctx, "the file with the rejected events and the runs cannot be read", slog.Any("error", now.stateFault))
	}
}

// waitsFor reports whether the follower waits for files that a copy lacks.
func (f *Follower) waitsFor(ctx context.Context) bool {
	now := f.config.clock()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.shown.manifest.Store == "" {
		return false
	}
	if f.waiting.IsZero() {
		f.waiting = now
		f.config.logger.WarnContext(ctx, "the copy of the store lacks files that its manifest names; the earlier events are shown until they are there", slog.Duration("patience", copyPatience))
	}
	return now.Sub(f.waiting) < copyPatience
}

// note notes where the events differ between what is shown before and after.
func (f *Follower) note(before, next *shown) {
	if before.manifest.Store == "" {
		return
	}
	if before.manifest.Store != next.manifest.Store || before.recent != next.recent || !reflect.DeepEqual(before.manifest.Tables, next.manifest.Tables) {
		f.changes.forget()
		return
	}
	for _, pair := range []struct{ one, other *shown }{{before, next}, {next, before}} {
		for i := range pair.one.manifest.Parts {
			part := &pair.one.manifest.Parts[i]
			if pair.other.shows(part, pair.one.damaged[part.Number]) {
				continue
			}
			for _, source := range part.Sources {
				if table, found := next.sources.FindSource(source.Name); found {
					f.changes.noteRange(table, sqlq.Range{From: source.Oldest, To: source.Newest})
				}
			}
		}
	}
}

// shows reports whether the same events of a part are shown, which is damaged or not.
func (s *shown) shows(part *parts.Part, damaged bool) bool {
	return slices.ContainsFunc(s.manifest.Parts, func(other parts.Part) bool {
		return other.Number == part.Number && other.Checksum == part.Checksum && slices.Equal(other.Hidden, part.Hidden) && slices.Equal(other.Fields, part.Fields) && s.damaged[other.Number] == damaged
	})
}

// fit reports whether what an instance has attached is what parts name.
func (a *attachments) fit(on *instance, all []parts.Part) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return !slices.ContainsFunc(all, func(part parts.Part) bool {
		attached := on.attached[partCatalog(part.Number)]
		return attached.open && attached.part.Checksum != part.Checksum
	})
}

// keep forgets the damage of all but some parts.
func (a *attachments) keep(all []parts.Part) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	maps.DeleteFunc(a.damaged, func(number uint64, _ damage) bool {
		return !slices.ContainsFunc(all, func(part parts.Part) bool { return part.Number == number })
	})
}
