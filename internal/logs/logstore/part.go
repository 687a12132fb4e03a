package logstore

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
)

// writing is what a new part is written from.
type writing struct {
	// from are the databases with the events, of which there are about as many as events says.
	from   []branch
	events int
	// days limits the events to those of some days; the zero value means all.
	days  days
	level int
	// fields are the columns of sources of authors that the part gets.
	fields []string
	// hashes are of the ids of the events; nil means that they are computed.
	hashes []uint64
}

// order is the order of the events in a part: readers skip all but the events of a project, and of a source and a time.
const order = " ORDER BY project_key, source, timestamp, id"

// writePart writes a part. It returns nil if there are no events to write. The part becomes visible with the manifest.
func (s *Store) writePart(ctx context.Context, from writing) (_ *parts.Part, err error) {
	known := fieldsOf(s.Tables()) // a field can be dropped meanwhile
	from.fields = slices.DeleteFunc(slices.Clone(from.fields), func(field string) bool { return !slices.Contains(known, field) })
	part := parts.Part{Number: s.numbers.Add(1) - 1, Level: from.level, Typed: true, Places: true, Fields: from.fields}
	err = s.onConnection(ctx, func(conn *sql.Conn) error { return s.fillPart(ctx, conn, &part, from) })
	if err == nil && part.Events() > 0 {
		err = s.finishPart(&part)
	}
	if err != nil || part.Events() == 0 {
		_ = s.removeFiles(&part) // a file that stays is removed when the store is opened
		return nil, s.config.nameFullDisk(err)
	}
	return &part, nil
}

// newCatalog is the name of the part that is written. There is one at a time.
func newCatalog(part *parts.Part) string { return fmt.Sprintf("new%d", part.Number) }

// fillPart writes the file with the events, and finds out what it has.
func (s *Store) fillPart(ctx context.Context, conn *sql.Conn, part *parts.Part, from writing) (err error) {
	catalog := newCatalog(part)
	if err := s.config.step("create a part"); err != nil {
		return err
	}
	// A part is written once, so DuckDB needs no log of it.
	if _, err := conn.ExecContext(ctx, "ATTACH "+quoted(s.path(part.FileName()))+" AS "+catalog+fmt.Sprintf(" (STORAGE_VERSION 'latest', RECOVERY_MODE 'no_wal_writes', ROW_GROUP_SIZE %d)", groupRows)); err != nil {
		return err
	}
	defer func() {
		if _, detachErr := conn.ExecContext(context.WithoutCancel(ctx), "DETACH "+catalog); err == nil {
			err = detachErr
		}
	}()
	columns := storedColumns(s.Tables(), from.fields)
	if part.UUIDs, err = haveUUIDs(ctx, conn, from); err != nil {
		return err
	}
	if part.UUIDs {
		storeUUIDs(columns)
	}
	if err := createTables(ctx, conn, catalog, columns, "zstd"); err != nil {
		return err
	}
	sorted, err := s.slicesOf(ctx, conn, from)
	if err != nil {
		return err
	}
	err = inTransaction(ctx, conn, func() error {
		for _, slice := range sorted {
			selects := make([]string, 0, len(from.from))
			for i := range from.from {
				selects = append(selects, from.from[i].copied(columns, eventsTable, slice))
			}
			if err := execQuietly(ctx, conn, "INSERT INTO "+catalog+"."+eventsTable+" "+unionAll(selects)+order); err != nil {
				return err
			}
		}
		var records []string
		for i := range from.from {
			if from.from[i].hasRecords() {
				records = append(records, from.from[i].copied(eventrow.RecordColumns(), recordsTable, from.days.condition()))
			}
		}
		if len(records) == 0 {
			return nil
		}
		return execQuietly(ctx, conn, "INSERT INTO "+catalog+"."+recordsTable+" "+unionAll(records)+" ORDER BY ALL")
	})
	if err == nil {
		err = describe(ctx, conn, catalog, part)
	}
	if err == nil {
		err = s.config.step("checkpoint a part")
	}
	if err == nil {
		err = execQuietly(ctx, conn, "CHECKPOINT "+catalog)
	}
	if err != nil || part.Events() == 0 {
		return err
	}
	hashes := from.hashes
	if hashes == nil {
		if hashes, err = hashesOf(ctx, conn, s.Tables(), catalog); err != nil {
			return err
		}
	}
	return s.writeIDs(part, hashes)
}

// storedColumns returns the columns of a part with some fields.
func storedColumns(sources sqlq.Tables, fields []string) []eventrow.Column {
	own := fieldsOf(sources)
	return slices.DeleteFunc(eventrow.Columns(sources), func(column eventrow.Column) bool {
		return slices.Contains(own, column.Name) && !slices.Contains(fields, column.Name)
	})
}

// copied returns the SELECT of visible rows of a table for a part, as far as a further condition selects them.
func (b *branch) copied(columns []eventrow.Column, table, further string) string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = duckdbsql.QuoteName(column.Name)
		if column.Name == idColumn {
			names[i] += "::" + column.Type + " AS " + names[i]
		}
		if column.Name == eventrow.TypedColumn && !b.isTyped() || column.Name == sqlq.PlacesColumn && !b.hasPlaces() || strings.Contains(column.Name, ".") && !slices.Contains(b.fields, column.Name) {
			names[i] = "NULL::" + column.Type + " AS " + names[i]
		}
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM " + b.place + "." + table + also(b.condition(""), further)
}

// slicesOf returns the conditions for slices of the events in their order, of at most about sliceRows events each, so
// that sorting them needs little memory.
func (s *Store) slicesOf(ctx context.Context, conn *sql.Conn, from writing) ([]string, error) {
	within := from.days.condition()
	most := min(max(2*s.config.recentBytes/usualEventBytes, chunkRows), groupRows)
	if from.events <= most+most/2 {
		return []string{within}, nil
	}
	selects := make([]string, 0, len(from.from))
	for i := range from.from {
		selects = append(selects, from.from[i].copied([]eventrow.Column{{Name: "project_key"}, {Name: "source"}, {Name: "timestamp"}}, eventsTable, within))
	}
	var found []string
	var first, last sliceKey
	count := 0
	add := func(end *sliceKey) {
		conditions := []string{fmt.Sprintf("project_key BETWEEN %d AND %d", first.project, last.project)}
		if within != "" {
			conditions = append(conditions, within)
		}
		if len(found) > 0 {
			conditions = append(conditions, "NOT ("+first.before()+")")
		} else {
			conditions[0] = fmt.Sprintf("project_key <= %d", last.project)
		}
		if end != nil {
			conditions = append(conditions, end.before())
		} else {
			conditions[0] = fmt.Sprintf("project_key >= %d", first.project)
		}
		found = append(found, strings.Join(conditions, " AND "))
	}
	const columns = 4
	query := "SELECT project_key, source, date_trunc('hour', timestamp) AS hour, count(*) FROM (" + unionAll(selects) + ") GROUP BY ALL ORDER BY ALL"
	err := readRows(ctx, conn, query, columns, func(row []any) error {
		key := sliceKey{row[0].(uint64), row[1].(string), row[2].(time.Time)} //nolint:forcetypeassert // The columns have these types.
		events := int(row[3].(int64))                                         //nolint:forcetypeassert // As above.
		if count > 0 && count+events > most {
			add(&key)
			count = 0
		}
		if count == 0 {
			first = key
		}
		last = key
		count += events
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return []string{within}, nil
	}
	add(nil)
	return found, nil
}

const (
	// usualEventBytes is about the size of an event in memory.
	usualEventBytes = 700
	// chunkRows is the number of rows that DuckDB handles at a time, and groupRows that of a row group. One is in memory
	// while a part is written. When more rows are inserted at a time, DuckDB writes the row groups that are full at once,
	// and some again later: parts were almost twice as large.
	chunkRows = 2048
	groupRows = 30 * chunkRows
)

// sliceKey is a place in the order of events.
type sliceKey struct {
	project uint64
	source  string
	hour    time.Time
}

// before returns the SQL condition for the events before the place.
func (k *sliceKey) before() string {
	return fmt.Sprintf("(project_key < %[1]d OR project_key = %[1]d AND (source < %[2]s OR source = %[2]s AND timestamp < make_timestamp(%[3]d)))", k.project, quoted(k.source), k.hour.UnixMicro())
}

// describe finds out what a part has.
func describe(ctx context.Context, conn *sql.Conn, catalog string, part *parts.Part) error {
	const columns = 8
	query := "SELECT source, count(*), min(timestamp), max(timestamp), max(accepted), count(of_projects), count(*) FILTER (" + eventrow.TypedColumn + " IS NOT TRUE), count(*) - count(" + sqlq.PlacesColumn + ") FROM " + catalog + "." + eventsTable + " GROUP BY source ORDER BY source"
	err := readRows(ctx, conn, query, columns, func(row []any) error {
		part.Sources = append(part.Sources, parts.Source{Name: row[0].(string), Events: row[1].(int64), Oldest: row[2].(time.Time), Newest: row[3].(time.Time), Untyped: row[6].(int64)}) //nolint:forcetypeassert // The columns have these types.
		if accepted, ok := row[4].(time.Time); ok && accepted.After(part.Accepted) {
			part.Accepted = accepted
		}
		part.Shared += row[5].(int64)   //nolint:forcetypeassert // As above.
		part.Unplaced += row[7].(int64) //nolint:forcetypeassert // As above.
		return nil
	})
	if err != nil {
		return err
	}
	return conn.QueryRowContext(ctx, "SELECT count(*) FROM "+catalog+"."+recordsTable).Scan(&part.Records)
}

// hashesOf returns the hashes of the ids of a part.
func hashesOf(ctx context.Context, conn *sql.Conn, sources sqlq.Tables, catalog string) (hashes []uint64, err error) {
	const columns, step = 2, 100_000
	for start := 0; ; start += step {
		count := 0
		query := fmt.Sprintf("SELECT source, "+idText+" FROM %s.%s WHERE rowid >= %d AND rowid < %d", catalog, eventsTable, start, start+step)
		err := readRows(ctx, conn, query, columns, func(row []any) error {
			count++
			source, found := sources.FindSource(row[0].(string)) //nolint:forcetypeassert // The columns have these types.
			if !found {
				source = &sqlq.Table{Name: row[0].(string)} //nolint:forcetypeassert // As above.
			}
			hashes = append(hashes, logevent.FingerprintOf(source, row[1].(string)).High) //nolint:forcetypeassert // As above.
			return nil
		})
		if err != nil || count == 0 {
			return hashes, err
		}
	}
}

// finishPart makes the files of a part durable, and notes their sizes.
func (s *Store) finishPart(part *parts.Part) (err error) {
	if err := s.syncFile(s.path(part.FileName())); err != nil {
		return err
	}
	if part.Bytes, part.Checksum, err = parts.Sum(s.path(part.FileName())); err != nil {
		return err
	}
	info, err := os.Stat(s.path(part.IDName()))
	if err != nil {
		return err
	}
	part.IDBytes = info.Size()
	return s.syncNames()
}

// syncNames makes the names of the files of the parts durable.
func (s *Store) syncNames() error {
	if err := s.config.step("sync the directory of the parts"); err != nil {
		return err
	}
	return parts.SyncFiles(s.config.directory)
}

// syncFile makes the content of a file durable.
func (s *Store) syncFile(path string) error {
	if err := s.config.step("sync a file"); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// unionAll joins SELECTs, of which there must be one.
func unionAll(selects []string) string {
	return "SELECT * FROM (" + strings.Join(selects, " UNION ALL ") + ")"
}
