package logstore

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
)

// RebuiltTable is a record table that did not match the events of its source.
type RebuiltTable struct {
	Table, Source string
	// Before and After are its numbers of rows.
	Before, After int64
}

// repairRecords makes the record tables of a store of version 1 match the events. Version 1
// wrote a load in one commit of any size, and a crash could leave records without their
// events, or events without their records. So repairRecords compares every record table
// with its source, and rebuilds it if they differ. It can be interrupted and repeated.
func (s *Store) repairRecords(ctx context.Context) error {
	records := recordTables()
	for _, source := range Sources() {
		record, ok := records[source.Table]
		if !ok {
			continue
		}
		table, err := s.verify(ctx, source, record)
		if err != nil {
			return fmt.Errorf("verify %s: %w", record.table, err)
		}
		if table == nil {
			continue
		}
		if err := s.rebuild(ctx, source, record); err != nil {
			return fmt.Errorf("rebuild %s: %w", record.table, err)
		}
		s.recovery.Rebuilt = append(s.recovery.Rebuilt, *table)
	}
	return nil
}

// verify compares a record table with the records of its source's events in any order. It
// returns nil if they are the same.
func (s *Store) verify(ctx context.Context, source Source, record recordTable) (*RebuiltTable, error) {
	seed := maphash.MakeSeed()
	stored, expected := fingerprint{seed: seed}, fingerprint{seed: seed}
	err := s.scan(ctx, columnScan{table: record.table, columns: "*", count: 1 + len(record.fields), rows: fewRows}, func(row []driver.Value) error {
		stored.add(row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = s.scanRecords(ctx, source, record, func(row []driver.Value) error {
		expected.add(row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if stored.count == expected.count && stored.sum == expected.sum {
		return nil, nil //nolint:nilnil // There is nothing to rebuild.
	}
	return &RebuiltTable{Table: record.table, Source: source.Table, Before: stored.count, After: expected.count}, nil
}

// rebuild fills a record table again from the events of its source, in small commits
// like a load.
func (s *Store) rebuild(ctx context.Context, source Source, record recordTable) (err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "DELETE FROM "+record.table); err != nil { //nolint:gosec // The table is one of two constants.
		return err
	}
	var batch [][]driver.Value
	appendBatch := func() error {
		position := 0
		_, err := appendRows(ctx, conn, record.target(), len(batch), func() ([]driver.Value, bool) {
			position++
			return batch[position-1], true
		})
		batch = batch[:0]
		return err
	}
	err = s.scanRecords(ctx, source, record, func(row []driver.Value) error {
		batch = append(batch, slices.Clone(row))
		if len(batch) < flushEvents {
			return nil
		}
		return appendBatch()
	})
	if err != nil {
		return err
	}
	return appendBatch()
}

// scanRecords computes the records of a source's events.
func (s *Store) scanRecords(ctx context.Context, source Source, record recordTable, each func(row []driver.Value) error) error {
	records := newRecords(record)
	return s.scan(ctx, columnScan{table: source.Table, columns: "timestamp, metadata", count: 2, rows: fewRows}, func(row []driver.Value) error {
		if row[1] == nil {
			return nil
		}
		event := logevent.Event{Timestamp: row[0].(time.Time), Metadata: []byte(row[1].(string))} //nolint:forcetypeassert // The schema says so.
		for _, row := range records.of(&event) {
			if err := each(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// columnScan says what to read of a table.
type columnScan struct {
	table string
	// columns are separated by commas, and count is their number.
	columns string
	count   int
	// skip is the number of rows to leave out at the beginning of the table.
	skip int64
	// rows is the number of rows of a query. The driver holds its whole result in memory, but
	// each query looks at all row groups.
	rows int64
}

// fewRows is the number of rows of a query that may be large.
const fewRows = 20_000

// scan reads columns of a table. The function each must not retain a row. All queries run in one
// transaction, in which row ids do not change.
func (s *Store) scan(ctx context.Context, scan columnScan, each func(row []driver.Value) error) (err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return inTransaction(ctx, conn, func() error {
		var start, end int64
		query := fmt.Sprintf("SELECT coalesce((SELECT rowid FROM %[1]s LIMIT 1 OFFSET %[2]d), max(rowid) + 1, 0), coalesce(max(rowid) + 1, 0) FROM %[1]s", scan.table, scan.skip) //nolint:gosec // The table is one of a few constants.
		if err := conn.QueryRowContext(ctx, query).Scan(&start, &end); err != nil {
			return err
		}
		for first := start; first < end; first += scan.rows {
			query := fmt.Sprintf("SELECT %s FROM %s WHERE rowid >= %d AND rowid < %d", scan.columns, scan.table, first, first+scan.rows)
			if err := conn.Raw(func(raw any) error { return readRows(ctx, raw, query, scan.count, each) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// readRows runs a query without database/sql, which would take half of the time.
func readRows(ctx context.Context, conn any, query string, columns int, each func(row []driver.Value) error) (err error) {
	queryer, ok := conn.(driver.QueryerContext)
	if !ok {
		return fmt.Errorf("a connection of type %T is not DuckDB's", conn)
	}
	rows, err := queryer.QueryContext(ctx, query, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	row := make([]driver.Value, columns)
	for {
		if err := rows.Next(row); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// fingerprint is a fingerprint of rows in any order.
type fingerprint struct {
	seed  maphash.Seed
	count int64
	sum   uint64
	row   []byte
}

func (f *fingerprint) add(row []driver.Value) {
	f.row = f.row[:0]
	for _, value := range row {
		switch value := value.(type) {
		case nil:
			f.row = append(f.row, 'n')
		case string:
			f.row = append(binary.LittleEndian.AppendUint64(append(f.row, 's'), uint64(len(value))), value...)
		case float64:
			f.row = binary.LittleEndian.AppendUint64(append(f.row, 'f'), math.Float64bits(value))
		case int64:
			f.row = binary.LittleEndian.AppendUint64(append(f.row, 'i'), uint64(value)) //nolint:gosec // Only the bits matter.
		case time.Time:
			f.row = binary.LittleEndian.AppendUint64(append(f.row, 't'), uint64(value.UnixMicro()))
		}
	}
	f.count++
	f.sum += maphash.Bytes(f.seed, f.row)
}
