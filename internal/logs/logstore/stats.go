package logstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"savedq/sqlq"
)

// SourceStats describes the events of a source.
type SourceStats struct {
	// Source is the table of the source.
	Source string `json:"source"`
	Events int64  `json:"events"`
	// Bytes is about the space of the events in files. It does not include events that are in no part yet.
	Bytes int64 `json:"bytes"`
	// Oldest and Newest are timestamps of events; nil if there are none.
	Oldest *time.Time `json:"oldest"`
	Newest *time.Time `json:"newest"`
	// LastHour and LastDay are the numbers of events with a timestamp in the last hour and day.
	LastHour int64 `json:"last_hour"`
	LastDay  int64 `json:"last_day"`
}

// Stats describes a store.
type Stats struct {
	Sources []SourceStats `json:"sources"`
	// Rejected is the number of rejected events.
	Rejected int64 `json:"rejected"`
	// Parts is the number of files with events, and FileBytes the size of all files.
	Parts     int   `json:"parts"`
	FileBytes int64 `json:"file_bytes"`
	// RecentBytes is about how much memory the events take that are in no part yet.
	RecentBytes int64 `json:"recent_bytes"`
}

// Stats returns numbers about the store at a time.
func (s *Store) Stats(ctx context.Context, now time.Time) (stats Stats, err error) {
	sizes := s.Sizes()
	err = s.reading(ctx, func(conn *sql.Conn, branches []branch) error {
		stats = Stats{}
		for _, source := range s.Tables() {
			found := SourceStats{Source: source.Name, Bytes: sizes[source.Name].Bytes}
			if err := found.count(ctx, conn, branches, now); err != nil {
				return fmt.Errorf("count the events of %s: %w", source.Name, err)
			}
			stats.Sources = append(stats.Sources, found)
		}
		return nil
	})
	if err != nil {
		return Stats{}, err
	}
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM "+rejectedTable).Scan(&stats.Rejected); err != nil {
		return Stats{}, fmt.Errorf("count the rejected events: %w", err)
	}
	stats.Parts, stats.FileBytes, stats.RecentBytes = len(s.current().Parts), s.FileBytes(), s.RecentBytes()
	return stats, nil
}

// count counts the events of the source, as far as they can be read.
func (f *SourceStats) count(ctx context.Context, conn *sql.Conn, branches []branch, now time.Time) error {
	const day = 24 * time.Hour
	var oldest, newest sql.NullTime
	query := "SELECT count(*), min(timestamp), max(timestamp), count(*) FILTER (timestamp > ? AND timestamp <= ?), count(*) FILTER (timestamp > ? AND timestamp <= ?) FROM " + readable(branches, f.Source, "timestamp")
	if err := conn.QueryRowContext(ctx, query, now.Add(-time.Hour), now, now.Add(-day), now).Scan(&f.Events, &oldest, &newest, &f.LastHour, &f.LastDay); err != nil {
		return err
	}
	if oldest.Valid {
		f.Oldest, f.Newest = new(oldest.Time.UTC()), new(newest.Time.UTC())
	}
	return nil
}

// Size is the size of the events of a source that are in parts.
type Size struct{ Bytes, Events int64 }

// Sizes divides the files of the parts among their sources, by the numbers of events. It reads no file.
func (s *Store) Sizes() map[string]Size {
	sizes := make(map[string]Size)
	manifest := s.current()
	for i := range manifest.Parts {
		part := &manifest.Parts[i]
		for _, source := range part.Sources {
			size := sizes[source.Name]
			size.Bytes += int64(float64(part.Bytes+part.IDBytes) * float64(source.Events) / float64(part.Events()))
			size.Events += source.Events
			sizes[source.Name] = size
		}
	}
	return sizes
}

// FileBytes returns the size of the files of the parts.
func (s *Store) FileBytes() int64 {
	total := int64(0)
	manifest := s.current()
	for i := range manifest.Parts {
		total += manifest.Parts[i].Bytes + manifest.Parts[i].IDBytes
	}
	return total
}

// Oldest returns the time of the oldest event of a source, and false if it has none.
func (s *Store) Oldest(ctx context.Context, source *sqlq.Table) (time.Time, bool, error) {
	var oldest sql.NullTime
	damaged, isDamaged := s.oldestDamaged(source.Name)
	err := s.reading(ctx, func(conn *sql.Conn, branches []branch) error {
		return conn.QueryRowContext(ctx, "SELECT min(timestamp) FROM "+readable(branches, source.Name, "timestamp")).Scan(&oldest)
	})
	if err != nil {
		return time.Time{}, false, fmt.Errorf("find the oldest event of %s: %w", source.Name, err)
	}
	if isDamaged && (!oldest.Valid || damaged.Before(oldest.Time)) {
		return damaged.UTC(), true, nil
	}
	return oldest.Time.UTC(), oldest.Valid, nil
}

// Newest returns the time of the newest event, and false if the store is empty.
func (s *Store) Newest(ctx context.Context) (time.Time, bool, error) {
	var newest sql.NullTime
	err := s.reading(ctx, func(conn *sql.Conn, branches []branch) error {
		newestOfEach := make([]string, 0, len(s.Tables()))
		for _, source := range s.Tables() {
			newestOfEach = append(newestOfEach, "SELECT max(timestamp) AS timestamp FROM "+readable(branches, source.Name, "timestamp"))
		}
		return conn.QueryRowContext(ctx, "SELECT max(timestamp) FROM ("+strings.Join(newestOfEach, " UNION ALL ")+")").Scan(&newest)
	})
	if err != nil {
		return time.Time{}, false, fmt.Errorf("find the newest event: %w", err)
	}
	return newest.Time.UTC(), newest.Valid, nil
}

// Empty reports whether the store has no events. It takes no longer in a large store. A damaged part has some.
func (s *Store) Empty(ctx context.Context) (empty bool, err error) {
	err = s.reading(ctx, func(conn *sql.Conn, branches []branch) error {
		for _, branch := range branches {
			found := branch.damaged != ""
			if !found {
				query := "SELECT count(*) > 0 FROM (SELECT 1 FROM " + branch.place + "." + eventsTable + branch.condition("") + " LIMIT 1)"
				if err := conn.QueryRowContext(ctx, query).Scan(&found); err != nil {
					return fmt.Errorf("look for events: %w", err)
				}
			}
			if found {
				return nil
			}
		}
		empty = true
		return nil
	})
	return empty, err
}
