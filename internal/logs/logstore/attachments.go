package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"savedq/internal/logs/parts"
	"savedq/sqlq/duckdb/duckdbsql"
)

// attachments attaches parts to instances of DuckDB, and knows which cannot be read. It is safe for concurrent use, but
// attach and retire must not run at the same time for one instance.
type attachments struct {
	config *config
	// repair is what an operator does about a damaged part.
	repair string
	// remove removes the files of a part that no view reads any more. It is nil for parts of another process.
	remove func(part *parts.Part) error
	// report is called for a part that cannot be read, when that is found out.
	report func(part DamagedPart, err error)

	mutex sync.Mutex
	// damaged are the parts that cannot be read, by their numbers.
	damaged map[uint64]damage
}

// damage is why a part cannot be read.
type damage struct {
	DamagedPart
	// message is what queries of its events say.
	message string
}

// attachment is a part that is attached, or whose files must be removed.
type attachment struct {
	part parts.Part
	// open is true if the instance of DuckDB has it attached, and not only an earlier one.
	open bool
	// retired is when the views read it no more, or the zero time.
	retired time.Time
}

// bindingTime is longer than a query takes to find the tables that it reads: those of the views when it began.
const bindingTime = 10 * time.Second

// attach attaches the parts that an instance does not have attached yet, and notes in the branches which are damaged.
func (a *attachments) attach(ctx context.Context, conn *sql.Conn, to *instance, branches []branch) {
	defer func() {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		for i := range branches {
			if branches[i].part != nil {
				branches[i].damaged = a.damaged[branches[i].part.Number].message
			}
		}
	}()
	for i := range branches {
		branch := &branches[i]
		if branch.part == nil || a.isAttached(to, branch.place) {
			continue
		}
		err := a.attachPart(ctx, conn, branch)
		if isUnavailable(err) || ctx.Err() != nil {
			return // it says nothing about the part
		}
		a.noteDamage(branch.part, err)
		if err == nil {
			a.set(to, branch.place, &attachment{part: *branch.part, open: true})
		}
	}
}

func (a *attachments) isAttached(to *instance, place string) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return to.attached[place].open
}

// attachPart attaches a part. It must have its tables, because the views name them.
func (a *attachments) attachPart(ctx context.Context, conn *sql.Conn, branch *branch) error {
	path := a.path(branch.part.FileName())
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return errors.New("it is missing")
	case err == nil && info.Mode().IsRegular() && info.Size() != branch.part.Bytes:
		return fmt.Errorf("it has %d bytes instead of %d", info.Size(), branch.part.Bytes)
	}
	_, err = conn.ExecContext(ctx, "ATTACH "+quoted(path)+" AS "+branch.place+" (READ_ONLY)")
	return err
}

// path returns the path of a file in the directory of the parts.
func (a *attachments) path(name string) string {
	return filepath.Join(a.config.directory, parts.Directory, name)
}

// retire removes the files of parts that the views do not read any more, which DuckDB still has open, and detaches those
// that no query can begin to read.
func (a *attachments) retire(ctx context.Context, conn *sql.Conn, on *instance, branches []branch) error {
	now := a.config.clock()
	a.mutex.Lock()
	all := maps.Clone(on.attached)
	a.mutex.Unlock()
	var errs []error
	for place, attached := range all {
		switch {
		case slices.ContainsFunc(branches, func(branch branch) bool { return branch.place == place }):
			if !attached.retired.IsZero() { // a copy can have an earlier manifest again
				attached.retired = time.Time{}
				a.set(on, place, &attached)
			}
		case attached.retired.IsZero():
			attached.retired = now
			if a.remove != nil {
				errs = append(errs, a.remove(&attached.part))
			}
			a.set(on, place, &attached)
		case now.Sub(attached.retired) > bindingTime:
			if _, err := conn.ExecContext(ctx, "DETACH DATABASE IF EXISTS "+place); err != nil {
				errs = append(errs, err)
				continue
			}
			a.set(on, place, nil)
		}
	}
	return errors.Join(errs...)
}

// set notes what a place has; nil means nothing.
func (a *attachments) set(on *instance, place string, attached *attachment) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if attached == nil {
		delete(on.attached, place)
		return
	}
	on.attached[place] = *attached
}

// handOver makes a new instance know what an earlier one has attached: the files of some may have to be removed.
func (a *attachments) handOver(from, to *instance) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for place, attached := range from.attached {
		attached.open = false
		to.attached[place] = attached
	}
}

// noteDamage notes that a part cannot be read, or can be again.
func (a *attachments) noteDamage(part *parts.Part, err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if err == nil {
		delete(a.damaged, part.Number)
		return
	}
	if a.damaged == nil {
		a.damaged = make(map[uint64]damage)
	}
	found := damage{DamagedPart: DamagedPart{part.FileName(), reasonOf(err), part}}
	if _, known := a.damaged[part.Number]; !known && a.report != nil {
		a.report(found.DamagedPart, err)
	}
	found.message = fmt.Sprintf("%s%s; %s; queries of other times and sources work", duckdbsql.UnreadablePrefix, found.DamagedPart, a.repair)
	a.damaged[part.Number] = found
}

// isDamaged reports whether a part cannot be read.
func (a *attachments) isDamaged(part *parts.Part) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	_, damaged := a.damaged[part.Number]
	return damaged
}

// intact returns the parts that can be read.
func (a *attachments) intact(all []parts.Part) []parts.Part {
	return slices.DeleteFunc(slices.Clone(all), func(part parts.Part) bool { return a.isDamaged(&part) })
}

// damagedParts returns the parts that cannot be read.
func (a *attachments) damagedParts() []DamagedPart {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	found := make([]DamagedPart, 0, len(a.damaged))
	for _, number := range slices.Sorted(maps.Keys(a.damaged)) {
		found = append(found, a.damaged[number].DamagedPart)
	}
	return found
}
