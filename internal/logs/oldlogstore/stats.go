package logstore

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"savedq/sqlq"
)

// SourceStats describes the events of a source.
type SourceStats struct {
	// Source is the table of the source.
	Source string `json:"source"`
	Events int64  `json:"events"`
	// Bytes is the space of the events and their records in the store's file. It does not
	// include events that no checkpoint has moved there yet.
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
	// FileBytes is the size of the store's file, of which FreeBytes are free for new rows.
	// LogBytes is the size of DuckDB's write-ahead log.
	FileBytes int64 `json:"file_bytes"`
	FreeBytes int64 `json:"free_bytes"`
	LogBytes  int64 `json:"log_bytes"`
}

// Stats returns what the store holds at a time.
func (s *Store) Stats(ctx context.Context, now time.Time) (stats Stats, err error) {
	bytes, err := s.tableBytes(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("find the size of tables: %w", err)
	}
	records := recordTables()
	for _, source := range s.Tables() {
		found := SourceStats{Source: source.Name, Bytes: bytes[source.Name]}
		if record, ok := records[source.Name]; ok {
			found.Bytes += bytes[record.table]
		}
		var oldest, newest sql.NullTime
		query := "SELECT count(*), min(timestamp), max(timestamp), count(*) FILTER (WHERE timestamp > $1 AND timestamp <= $3), count(*) FILTER (WHERE timestamp > $2 AND timestamp <= $3) FROM " + source.Name
		const day = 24 * time.Hour
		now := now.UTC()
		if err := s.db.QueryRowContext(ctx, query, now.Add(-time.Hour), now.Add(-day), now).
			Scan(&found.Events, &oldest, &newest, &found.LastHour, &found.LastDay); err != nil {
			return Stats{}, fmt.Errorf("count the events of %s: %w", source.Name, err)
		}
		if oldest.Valid {
			found.Oldest, found.Newest = new(oldest.Time.UTC()), new(newest.Time.UTC())
		}
		stats.Sources = append(stats.Sources, found)
	}
	if stats.Rejected, err = countRows(ctx, s.db, "rejected_events"); err != nil {
		return Stats{}, err
	}
	if err := s.db.QueryRowContext(ctx, "SELECT free_blocks * block_size FROM pragma_database_size()").Scan(&stats.FreeBytes); err != nil {
		return Stats{}, fmt.Errorf("find the free space: %w", err)
	}
	stats.FileBytes, stats.LogBytes = s.FileBytes(), s.UncheckpointedBytes()
	return stats, nil
}

// FileBytes returns the size of the store's file. It is 0 for a store in memory.
func (s *Store) FileBytes() int64 {
	info, err := os.Stat(filepath.Join(s.directory, fileName))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Oldest returns the time of the oldest event of a source, and false if it has none.
func (s *Store) Oldest(ctx context.Context, source *sqlq.Table) (time.Time, bool, error) {
	var oldest sql.NullTime
	if err := s.db.QueryRowContext(ctx, "SELECT min(timestamp) FROM "+source.Name).Scan(&oldest); err != nil {
		return time.Time{}, false, fmt.Errorf("find the oldest event of %s: %w", source.Name, err)
	}
	return oldest.Time.UTC(), oldest.Valid, nil
}

// tableBytes returns the space of each table in the store's file. Tables can share a block,
// of which each then has an equal part.
func (s *Store) tableBytes(ctx context.Context) (bytes map[string]int64, err error) {
	blocks := make([]string, 0, len(s.loadedTables()))
	for _, table := range s.loadedTables() {
		blocks = append(blocks, fmt.Sprintf("SELECT '%[1]s' AS name, block_id FROM pragma_storage_info('%[1]s') WHERE persistent UNION ALL "+
			"SELECT '%[1]s', unnest(additional_block_ids) FROM pragma_storage_info('%[1]s') WHERE persistent", table))
	}
	// UNION ALL alone, because the parser nests one that alternates with UNION, and limits the depth.
	query := "SELECT name, (sum(part) * any_value(block_size))::BIGINT " +
		"FROM (SELECT name, 1 / count(*) OVER (PARTITION BY block_id) AS part " +
		"FROM (SELECT DISTINCT * FROM (" + strings.Join(blocks, " UNION ALL ") + ") WHERE block_id >= 0)), pragma_database_size() " +
		"GROUP BY name"
	bytes = make(map[string]int64)
	var name string
	var size int64
	return bytes, eachRow(ctx, s.db, query, nil, []any{&name, &size}, func() error {
		bytes[name] = size
		return nil
	})
}
