package logstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

const (
	// firstOldVersion and lastOldVersion are the schema versions of old stores: 6 is the version of release 0.1.0.
	firstOldVersion, lastOldVersion = 6, 7
	// oldSliceEvents is the number of events of an old store that are in memory at a time.
	oldSliceEvents = 50_000
)

// oldStore is an old store that is open for reading.
type oldStore struct {
	db        *sql.DB
	id        string
	position  uint64
	otherLogs bool
	// tables are the definitions of the sources of authors.
	tables json.RawMessage
	// ends are conditions for the rows that are not of an interrupted load, by table.
	ends map[string]string
	// accepted are when the ids were accepted that the old store recognizes, in the order of their hashes.
	accepted []oldID
	// sliceEvents is [oldSliceEvents].
	sliceEvents int64
}

// oldID is the hash of an id, and when it was accepted, in microseconds.
type oldID struct {
	hash     uint64
	accepted int64
}

// openOld attaches the old store in a directory. DuckDB replays its log in memory.
func openOld(ctx context.Context, db *sql.DB, directory string) (*oldStore, error) {
	o := &oldStore{db: db, ends: make(map[string]string), sliceEvents: oldSliceEvents}
	if _, err := db.ExecContext(ctx, "ATTACH "+quoted(filepath.Join(directory, oldName))+" AS "+oldCatalog+" (READ_ONLY)"); err != nil {
		return nil, attachError(directory, err)
	}
	version, err := o.readInfo(ctx)
	if err != nil {
		return nil, err
	}
	if err := o.readJournal(ctx); err != nil {
		return nil, err
	}
	if version > firstOldVersion {
		err = o.readTables(ctx)
	}
	if err == nil {
		err = o.readAccepted(ctx)
	}
	return o, err
}

// readInfo reads what the store is, and returns its version.
func (o *oldStore) readInfo(ctx context.Context) (version int, err error) {
	info := make(map[string]string)
	var key, value string
	err = eachRow(ctx, o.db, "SELECT key, value FROM "+oldCatalog+".store_info", nil, []any{&key, &value}, func() error {
		info[key] = value
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read store_info: %w", err)
	}
	version, err = strconv.Atoi(info["schema_version"])
	if err != nil || version < firstOldVersion || version > lastOldVersion {
		return 0, fmt.Errorf("it has schema version %s, and this savedq reads versions %d and %d; use the program that wrote it (%s), or choose another --data directory",
			info["schema_version"], firstOldVersion, lastOldVersion, cmp.Or(info["program"], "unknown"))
	}
	o.id, o.otherLogs = info["store_id"], info["other_logs"] != ""
	if position := info["ingest_position"]; position != "" {
		if o.position, err = strconv.ParseUint(position, 10, 64); err != nil {
			return 0, fmt.Errorf("store_info: ingest_position: %w", err)
		}
	}
	return version, nil
}

// readJournal reads the load journal. A load that was interrupted has rows after the counts in it.
func (o *oldStore) readJournal(ctx context.Context) error {
	counts := make(map[string]int64)
	var table string
	var count int64
	err := eachRow(ctx, o.db, "SELECT table_name, row_count FROM "+oldCatalog+".load_journal", nil, []any{&table, &count}, func() error {
		counts[table] = count
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the load journal: %w", err)
	}
	for table, count := range counts {
		var row int64
		err := o.db.QueryRowContext(ctx, fmt.Sprintf("SELECT rowid FROM %s.%s LIMIT 1 OFFSET %d", oldCatalog, table, count)).Scan(&row)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return fmt.Errorf("find the end of %s before an interrupted load: %w", table, err)
		default:
			o.ends[table] = fmt.Sprintf(" AND rowid < %d", row)
		}
	}
	return nil
}

// readTables reads the sources of authors.
func (o *oldStore) readTables(ctx context.Context) error {
	definitions := []json.RawMessage{}
	var definition string
	err := eachRow(ctx, o.db, "SELECT definition FROM "+oldCatalog+".own_tables ORDER BY name", nil, []any{&definition}, func() error {
		definitions = append(definitions, json.RawMessage(definition))
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the tables of the store: %w", err)
	}
	o.tables, err = json.Marshal(definitions)
	return err
}

// readAccepted reads when the recent ids were accepted.
func (o *oldStore) readAccepted(ctx context.Context) error {
	const columns = 2
	query := "SELECT high, max(epoch_us(accepted)) FROM " + oldCatalog + ".recent_ids WHERE true" + o.ends["recent_ids"] + " GROUP BY high ORDER BY high"
	conn, err := o.db.Conn(ctx)
	if err != nil {
		return err
	}
	err = readRows(ctx, conn, query, columns, func(row []any) error {
		o.accepted = append(o.accepted, oldID{row[0].(uint64), row[1].(int64)}) //nolint:forcetypeassert // The columns have these types.
		return nil
	})
	if err = errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("read the recent ids: %w", err)
	}
	return nil
}

// acceptedAt returns when an event was accepted, or the zero time if its id is not recognized.
func (o *oldStore) acceptedAt(source *sqlq.Table, event *logevent.Event) time.Time {
	if len(o.accepted) == 0 {
		return time.Time{}
	}
	hash := logevent.FingerprintOf(source, event.ID).High
	at, found := slices.BinarySearchFunc(o.accepted, hash, func(id oldID, hash uint64) int { return cmp.Compare(id.hash, hash) })
	if !found {
		return time.Time{}
	}
	return time.UnixMicro(o.accepted[at].accepted).UTC()
}

// oldDay has the events of a day: their numbers, by source.
type oldDay struct {
	start   time.Time
	sources map[string]int64
}

func (d *oldDay) events() (count int64) {
	for _, events := range d.sources {
		count += events
	}
	return count
}

// days returns the days with events, the earliest first.
func (o *oldStore) days(ctx context.Context, sources sqlq.Tables) ([]*oldDay, error) {
	days := make(map[time.Time]*oldDay)
	var start time.Time
	var count int64
	for _, source := range sources {
		query := "SELECT date_trunc('day', timestamp)::TIMESTAMP, count(*) FROM " + o.table(source.Name) + " GROUP BY 1"
		err := eachRow(ctx, o.db, query, nil, []any{&start, &count}, func() error {
			if days[start] == nil {
				days[start] = &oldDay{start: start.UTC(), sources: make(map[string]int64)}
			}
			days[start].sources[source.Name] += count
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("count the events of %s: %w", source.Name, err)
		}
	}
	return slices.SortedFunc(maps.Values(days), func(a, b *oldDay) int { return a.start.Compare(b.start) }), nil
}

// table returns a FROM clause for the events of a source, without those of an interrupted load. Its condition goes on.
func (o *oldStore) table(source string) string {
	return oldCatalog + "." + duckdbsql.QuoteName(source) + " WHERE true" + o.ends[source]
}

// slicesOf returns conditions for slices of a source's events of a day.
func (o *oldStore) slicesOf(ctx context.Context, source string, day *oldDay) (conditions []string, err error) {
	next := day.start.AddDate(0, 0, 1).UnixMicro()
	if day.sources[source] <= o.sliceEvents {
		return []string{between(day.start.UnixMicro(), next)}, nil
	}
	from, events := day.start.UnixMicro(), int64(0)
	var moment, count int64
	query := "SELECT epoch_us(date_trunc('second', timestamp)), count(*) FROM " + o.table(source) + " AND " + between(from, next) + " GROUP BY 1 ORDER BY 1"
	err = eachRow(ctx, o.db, query, nil, []any{&moment, &count}, func() error {
		if events > 0 && events+count > o.sliceEvents {
			conditions = append(conditions, o.divided(between(from, moment), events)...)
			from, events = moment, 0
		}
		events += count
		return nil
	})
	return append(conditions, o.divided(between(from, next), events)...), err
}

// divided divides a slice that is too large, because many of its events have the same time.
func (o *oldStore) divided(condition string, events int64) (conditions []string) {
	pieces := (events + o.sliceEvents - 1) / o.sliceEvents
	if pieces <= 1 {
		return []string{condition}
	}
	for piece := range pieces {
		conditions = append(conditions, fmt.Sprintf("%s AND hash(id) %% %d = %d", condition, pieces, piece))
	}
	return conditions
}

func between(from, to int64) string {
	return fmt.Sprintf("timestamp >= make_timestamp(%d) AND timestamp < make_timestamp(%d)", from, to)
}

// read returns the events of a source that a condition selects.
func (o *oldStore) read(ctx context.Context, sources sqlq.Tables, source, condition string) (events []sourced, err error) {
	const columns = 7
	query := fmt.Sprintf("SELECT %s, id, timestamp, event_message, project, metadata, NULL FROM %s AND %s", quoted(source), o.table(source), condition)
	conn, err := o.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	err = readRows(ctx, conn, query, columns, func(row []any) error {
		event, err := storedEvent(sources, row)
		if err == nil {
			event.accepted = o.acceptedAt(event.source, event.event)
			events = append(events, event)
		}
		return err
	})
	return events, errors.Join(err, conn.Close())
}

// sharedColumns returns the columns that a table has in the old store and in this one.
func (o *oldStore) sharedColumns(ctx context.Context, table string) (columns []string, err error) {
	var column string
	query := "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND database_name = ? AND column_name IN " +
		"(SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND database_name = ? AND schema_name = 'main') ORDER BY column_index"
	err = eachRow(ctx, o.db, query, []any{table, oldCatalog, table, memoryCatalog}, []any{&column}, func() error {
		columns = append(columns, duckdbsql.QuoteName(column))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the columns of %s: %w", table, err)
	}
	return columns, nil
}
