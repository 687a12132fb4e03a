package logstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"savedq/internal/logs/idfile"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/parts"
)

// knownIDs are the ids that a transaction must not add again.
type knownIDs struct {
	// files have the hashes of ids of parts, and hashes those of events in memory.
	files  []*idfile.File
	hashes map[uint64]struct{}
	// own are the files of the transaction's own parts, and mine the hashes of its events in memory.
	own  []*idfile.File
	mine map[uint64]struct{}
}

// knownIDs returns the ids that the store has.
func (s *Store) knownIDs(ctx context.Context) (*knownIDs, error) {
	for {
		manifest := s.current()
		known, err := s.knownIDsOf(ctx, manifest.Parts)
		if errors.Is(err, errReplaced) {
			continue
		}
		return known, err
	}
}

func (s *Store) knownIDsOf(ctx context.Context, all []parts.Part) (_ *knownIDs, err error) {
	known := &knownIDs{hashes: make(map[uint64]struct{}), mine: make(map[uint64]struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, known.close())
		}
	}()
	s.mutex.Lock()
	for _, table := range s.recent {
		for _, hash := range table.hashes {
			known.hashes[hash] = struct{}{}
		}
	}
	s.mutex.Unlock()
	for i := range all {
		if s.attached.isDamaged(&all[i]) {
			continue // its events cannot be looked up either
		}
		file, err := s.openIDs(ctx, &all[i])
		if err != nil {
			return nil, err
		}
		known.files = append(known.files, file)
	}
	return known, nil
}

// errReplaced is the error for a part that the manifest names no more.
var errReplaced = errors.New("the part was replaced")

// openIDs opens the file with the ids of a part. One that is missing or damaged is made again. A single damaged block is
// not noticed; the ids that it could have are looked up in the events.
func (s *Store) openIDs(ctx context.Context, part *parts.Part) (*idfile.File, error) {
	file, err := idfile.Open(s.path(part.IDName()))
	if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, idfile.ErrDamaged) {
		return file, err
	}
	if err := s.restoreIDs(ctx, part, err); err != nil {
		return nil, fmt.Errorf("make %s again: %w", part.IDName(), err)
	}
	return idfile.Open(s.path(part.IDName()))
}

// restoreAllIDs makes files with ids again that are missing or damaged.
func (s *Store) restoreAllIDs(ctx context.Context, all []parts.Part) error {
	for i := range all {
		if s.attached.isDamaged(&all[i]) {
			continue
		}
		file, err := s.openIDs(ctx, &all[i])
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restoreIDs makes the file with the ids of a part again from its events: the same as before. The error is [errReplaced]
// for a part that the manifest names no more.
func (s *Store) restoreIDs(ctx context.Context, part *parts.Part, damage error) error {
	return holding(ctx, s.changing, func() error {
		manifest := s.current()
		if !slices.ContainsFunc(manifest.Parts, func(other parts.Part) bool { return other.Number == part.Number }) {
			return errReplaced
		}
		var hashes []uint64
		err := s.reading(ctx, func(conn *sql.Conn, _ []branch) (err error) {
			hashes, err = hashesOf(ctx, conn, s.Tables(), partCatalog(part.Number))
			return err
		})
		if err != nil {
			return err
		}
		if err := s.remove(part.IDName()); err != nil {
			return err
		}
		if err := s.writeIDs(part, hashes); err != nil {
			return err
		}
		s.config.logger.WarnContext(ctx, "a file with the ids of events was made again from the events", slog.String("file", part.IDName()), slog.Any("error", damage))
		return s.syncNames()
	})
}

// writeIDs writes the file with the ids of a part.
func (s *Store) writeIDs(part *parts.Part, hashes []uint64) error {
	if err := s.config.step("write the ids of a part"); err != nil {
		return err
	}
	hashes = slices.Clone(hashes)
	slices.Sort(hashes)
	file, err := idfile.Write(s.path(part.IDName()), slices.Compact(hashes))
	if err != nil {
		return err
	}
	return file.Close()
}

// has reports whether an id may be known.
func (k *knownIDs) has(hash uint64) bool {
	_, found := k.hashes[hash]
	return found || k.isOwn(hash) || slices.ContainsFunc(k.files, func(file *idfile.File) bool { return file.MayHave(hash) })
}

// remove returns the events whose ids are not known, with the hashes of their ids, and makes them known.
func (k *knownIDs) remove(ctx context.Context, t *Transaction, events []sourced) (fresh []sourced, hashes []uint64, err error) {
	suspects := make(map[string][]sourced)
	for _, event := range events {
		hash := logevent.FingerprintOf(event.source, event.event.ID).High
		if k.has(hash) {
			suspects[event.source.Name] = append(suspects[event.source.Name], event)
			continue
		}
		k.mine[hash] = struct{}{}
		fresh, hashes = append(fresh, event), append(hashes, hash)
	}
	for source, events := range suspects {
		stored, err := t.stored(ctx, source, events)
		if err != nil {
			return nil, nil, fmt.Errorf("look for duplicates in %s: %w", source, err)
		}
		for _, event := range events {
			hash := logevent.FingerprintOf(event.source, event.event.ID).High
			if !stored[event.event.ID] && !k.isOwn(hash) {
				k.mine[hash] = struct{}{}
				fresh, hashes = append(fresh, event), append(hashes, hash)
			}
		}
	}
	return fresh, hashes, nil
}

// isOwn reports whether the transaction has added the id itself.
func (k *knownIDs) isOwn(hash uint64) bool {
	_, found := k.mine[hash]
	return found || slices.ContainsFunc(k.own, func(file *idfile.File) bool { return file.MayHave(hash) })
}

// addFile moves the ids of the transaction's events from memory to the file of a new part.
func (k *knownIDs) addFile(s *Store, part *parts.Part, hashes []uint64) error {
	file, err := idfile.Open(s.path(part.IDName()))
	if err != nil {
		return err
	}
	k.own = append(k.own, file)
	for _, hash := range hashes {
		delete(k.mine, hash)
	}
	return nil
}

func (k *knownIDs) close() error {
	var errs []error
	for _, file := range append(k.files, k.own...) {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}

// stored returns the ids among those of events that a source has.
func (t *Transaction) stored(ctx context.Context, source string, events []sourced) (_ map[string]bool, err error) {
	if err := t.store.catchUp(ctx); err != nil { // the views would lack events that are stored
		return nil, err
	}
	ids := make([]string, 0, len(events))
	for i := range events {
		ids = append(ids, events[i].event.ID)
	}
	// Binding a list takes the driver longer than the search takes DuckDB, so the ids are JSON.
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	stored := make(map[string]bool, len(events))
	var id string
	err = t.store.reading(ctx, func(conn *sql.Conn, branches []branch) error {
		query := "SELECT id FROM " + readable(branches, source, idText) + ` WHERE id IN (SELECT unnest(from_json(?, '["VARCHAR"]')))`
		return eachRow(ctx, conn, query, []any{string(list)}, []any{&id}, func() error {
			stored[id] = true
			return nil
		})
	})
	return stored, err
}
