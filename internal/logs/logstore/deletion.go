package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"savedq/internal/logs/parts"
	"savedq/sqlq"
)

// Deletion selects events of a source. Their records are deleted with them.
type Deletion struct {
	Source *sqlq.Table
	// Project selects the events of a project (D23); empty means all projects.
	Project string
	// Before selects events with an earlier timestamp; the zero time means all.
	Before time.Time
	// Between is called after each part that was written again; nil means that the next one follows at once.
	Between func(ctx context.Context) error
}

func (d *Deletion) selection() parts.Selection {
	return parts.Selection{Source: d.Source.Name, Project: d.Project, Before: d.Before.UTC()}
}

// Delete deletes events, and returns how many. No query sees any of them once it has begun to delete files. Parts with
// nothing else are removed. Others are written again without the events of a project, so that they are on no disk, or
// when less than half of their events are left. An event that is added while Delete runs may stay. The events that are
// deleted are in parts then, because those in memory would come again from the write-ahead log of ingest.
func (s *Store) Delete(ctx context.Context, deletion Deletion) (deleted int64, err error) {
	if deleted, err = s.delete(ctx, &deletion); err != nil {
		return deleted, fmt.Errorf("delete events of %s: %w", deletion.Source.Name, err)
	}
	return deleted, nil
}

func (s *Store) delete(ctx context.Context, deletion *Deletion) (deleted int64, err error) {
	var unsealed error
	if s.isRecent(deletion) {
		if _, unsealed = s.Checkpoint(ctx); unsealed != nil && deletion.Project != "" {
			return 0, unsealed
		}
	}
	// The oldest events are deleted also when the disk has no room for another part: that is what makes room.
	if deleted, err = s.count(ctx, deletion, s.config.directory == ""); err != nil {
		return 0, err
	}
	if deleted > 0 {
		if err := s.hide(ctx, deletion); err != nil {
			return 0, err
		}
	}
	for {
		rewritten, err := s.rewriteNext(ctx, deletion.Project != "")
		if err != nil || !rewritten {
			return deleted, errors.Join(unsealed, err)
		}
		if deletion.Between != nil {
			if err := deletion.Between(ctx); err != nil {
				return deleted, err
			}
		}
	}
}

// isRecent reports whether events in memory may be selected.
func (s *Store) isRecent(deletion *Deletion) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.ContainsFunc(s.recent, func(table *recent) bool { return table.mayHave(deletion.selection()) })
}

// mayHave reports whether the table in memory may have selected events.
func (r *recent) mayHave(selection parts.Selection) bool {
	oldest, found := r.oldest[selection.Source]
	return found && (selection.Before.IsZero() || oldest.Before(selection.Before))
}

// hide hides the events of a deletion, and removes the parts of which nothing is left.
func (s *Store) hide(ctx context.Context, deletion *Deletion) error {
	changed := sqlq.Range{From: time.Unix(0, 0).AddDate(-1970, 0, 0), To: deletion.Before}
	if deletion.Before.IsZero() {
		changed.To = changed.From.AddDate(20_000, 0, 0) // no event is later
	}
	s.changes.noteRange(deletion.Source, changed)
	defer s.changes.noteRange(deletion.Source, changed)
	selection := deletion.selection()
	return s.changeManifest(ctx, func(next *parts.Manifest) error {
		var kept []parts.Part
		for _, part := range next.Parts {
			if part = part.Hide(selection); !part.IsHidden() {
				kept = append(kept, part)
				continue
			}
			if s.removed == nil {
				s.removed = make(map[uint64][]parts.Selection)
			}
			s.removed[part.Number] = part.Hidden // it may be merged at this moment
		}
		next.Parts = kept
		if s.config.directory != "" {
			return nil
		}
		return holding(ctx, s.appending, func() error { return s.hideRecent(ctx, selection) })
	})
}

// hideRecent hides the events of a store in memory, but not later ones with an earlier timestamp. The caller holds
// appending.
func (s *Store) hideRecent(ctx context.Context, selection parts.Selection) error {
	if s.last().mayHave(selection) {
		if err := s.startRecent(ctx); err != nil {
			return err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, table := range s.recent {
		if table.mayHave(selection) {
			part := parts.Part{Sources: []parts.Source{{Name: selection.Source}}, Hidden: table.hidden}
			table.hidden = part.Hide(selection).Hidden
		}
	}
	return nil
}

// rewriteNext is rewriteHidden for callers that do not hold merging.
func (s *Store) rewriteNext(ctx context.Context, ofProjects bool) (rewritten bool, err error) {
	err = holding(ctx, s.merging, func() error {
		rewritten, err = s.rewriteHidden(ctx, ofProjects)
		return err
	})
	return rewritten, err
}

// rewriteHidden writes the next part again that has hidden events of a project, if these are asked for, or others that
// [Store.isDue] does not leave on the disk. It reports whether there was one. The caller holds merging.
func (s *Store) rewriteHidden(ctx context.Context, ofProjects bool) (rewritten bool, err error) {
	manifest, err := s.settled(ctx)
	if err != nil {
		return false, err
	}
	for _, part := range s.attached.intact(manifest.Parts) {
		if ofProjects && hidesProjects(&part) {
			return true, s.rewrite(ctx, []parts.Part{part}, nil)
		}
		due, err := s.isDue(ctx, &part)
		if err != nil {
			return false, err
		}
		if due && !s.tooLarge[part.Number] {
			return true, s.rewriteOrLeave(ctx, []parts.Part{part}, nil)
		}
	}
	return false, nil
}

// mostExpired is how much older than the oldest events of a source that are visible those may be that a part still has.
// So a part of many days is written again once a day while its events become older than the retention.
const mostExpired = 24 * time.Hour

// hidesProjects reports whether events of a project are hidden of a part.
func hidesProjects(part *parts.Part) bool {
	return slices.ContainsFunc(part.Hidden, func(hidden parts.Selection) bool { return hidden.Project != "" })
}

// isDue reports whether a part must be written again, because events were too old a day ago or less than half is left.
func (s *Store) isDue(ctx context.Context, part *parts.Part) (bool, error) {
	if len(part.Hidden) == 0 {
		return false, nil
	}
	if slices.ContainsFunc(part.Hidden, func(hidden parts.Selection) bool {
		source, has := part.Source(hidden.Source)
		return has && hidden.Project == "" && source.Oldest.Before(hidden.Before.Add(-mostExpired))
	}) {
		return true, nil
	}
	visible, err := s.visible(ctx, part)
	return 2*visible < part.Events(), err
}

// visible returns the number of events of a part that are not hidden.
func (s *Store) visible(ctx context.Context, part *parts.Part) (count int64, err error) {
	if s.attached.isDamaged(part) {
		return part.Events(), nil // it cannot be written again
	}
	from := branch{place: partCatalog(part.Number), part: part, hidden: part.Hidden}
	err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM "+from.place+"."+eventsTable+from.condition("")).Scan(&count)
	return count, err
}

// Count returns the number of events that Delete would delete.
func (s *Store) Count(ctx context.Context, deletion Deletion) (count int64, err error) {
	if count, err = s.count(ctx, &deletion, true); err != nil {
		return 0, fmt.Errorf("count events of %s: %w", deletion.Source.Name, err)
	}
	return count, nil
}

// count counts the selected events in parts, and if that is asked for, also those in memory.
func (s *Store) count(ctx context.Context, deletion *Deletion, inMemory bool) (count int64, err error) {
	if err := s.catchUp(ctx); err != nil { // the views would have events that are deleted
		return 0, err
	}
	err = s.reading(ctx, func(conn *sql.Conn, branches []branch) error {
		selects := []string{"SELECT 0 AS events"}
		for _, branch := range branches {
			if !branch.has(deletion.Source.Name) || branch.part == nil && !inMemory {
				continue
			}
			if branch.damaged != "" {
				if events, all := selectsAll(deletion.selection(), branch.part); all {
					selects = append(selects, fmt.Sprintf("SELECT %d AS events", events))
				}
				continue
			}
			selects = append(selects, "SELECT count(*) AS events FROM "+branch.place+"."+eventsTable+branch.condition(deletion.Source.Name)+" AND "+selected(deletion.selection()))
		}
		return conn.QueryRowContext(ctx, "SELECT sum(events)::BIGINT FROM ("+unionAll(selects)+")").Scan(&count)
	})
	return count, err
}
