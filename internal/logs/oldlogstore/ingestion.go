package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/appender"
)

// Ingestion is what one transaction stores for the ingest writer, with the place in its
// write-ahead log up to which that is everything.
type Ingestion struct {
	// Events are stored as they are: the writer has dropped duplicates.
	Events iter.Seq2[*sqlq.Table, logevent.Event]
	// Generated is true if all events are demo logs.
	Generated bool
	IDs       []RecentID
	Rejected  []logevent.Rejected
	Position  uint64
}

// RecentID is a fingerprint of the source and the id of an event that was accepted recently.
type RecentID struct {
	Accepted time.Time
	logevent.Fingerprint
}

// recentIDsTable has each [RecentID].
const recentIDsTable = "recent_ids"

// infoIngestPosition is the key of [Ingestion.Position] in store_info.
const infoIngestPosition = "ingest_position"

// Ingest stores an ingestion in one transaction: all or none, even if the process or the
// machine crashes.
func (s *Store) Ingest(ctx context.Context, ingestion Ingestion) (err error) {
	transaction, err := s.Begin(ctx, Sent)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, transaction.Rollback()) }() //nolint:contextcheck // It works after the context has ended.
	transaction.unique = true
	if ingestion.Generated {
		transaction.origin = Generated
	}
	for source, event := range ingestion.Events {
		if err := transaction.Add(ctx, source, event); err != nil {
			return err
		}
	}
	if err := transaction.flush(ctx); err != nil {
		return err
	}
	if err := transaction.appendIngestion(ctx, ingestion); err != nil {
		return err
	}
	if err := transaction.Commit(ctx); err != nil {
		return err
	}
	s.rejected.add(ingestion.Rejected)
	return nil
}

// appendIngestion appends everything but the events.
func (t *Transaction) appendIngestion(ctx context.Context, ingestion Ingestion) error {
	err := t.appendFew(ctx, recentIDsTable, len(ingestion.IDs), func(i int) []driver.Value {
		id := &ingestion.IDs[i]
		return []driver.Value{id.Accepted, id.High, id.Low}
	})
	if err != nil {
		return err
	}
	err = t.appendFew(ctx, "rejected_events", len(ingestion.Rejected), func(i int) []driver.Value {
		event := &ingestion.Rejected[i]
		return []driver.Value{event.Received, event.RequestID, event.Source, int64(event.Position), event.Reason, event.Event}
	})
	if err != nil {
		return err
	}
	if err := setInfo(ctx, t.conn, infoIngestPosition, strconv.FormatUint(ingestion.Position, 10)); err != nil {
		return fmt.Errorf("store the place in the write-ahead log: %w", err)
	}
	return nil
}

// appendFew appends rows within the current commit. There must be at most commitRows.
func (t *Transaction) appendFew(ctx context.Context, table string, count int, row func(i int) []driver.Value) error {
	if _, err := appender.Append(ctx, t.conn, appender.Target{Table: table}, commitRows, appender.RowsAt(count, row)); err != nil {
		return fmt.Errorf("append to %s: %w", table, err)
	}
	return nil
}

// IngestPosition returns the place in the write-ahead log of ingest up to which everything
// is stored.
func (s *Store) IngestPosition(ctx context.Context) (uint64, error) {
	position, err := s.info(ctx, infoIngestPosition)
	if err != nil || position == "" {
		return 0, err
	}
	parsed, err := strconv.ParseUint(position, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("store_info: %s: %w", infoIngestPosition, err)
	}
	return parsed, nil
}

// HoldsOtherLogs reports whether the store holds logs that are not demo logs.
func (s *Store) HoldsOtherLogs(ctx context.Context) (bool, error) {
	other, err := s.info(ctx, infoOtherLogs)
	return other != "", err
}

// RecentIDs calls each for every id that was accepted at a time or later, in the order in
// which they were stored.
func (s *Store) RecentIDs(ctx context.Context, since time.Time, each func(RecentID)) error {
	const columns = 3
	query := fmt.Sprintf("SELECT accepted, high, low FROM recent_ids WHERE accepted >= make_timestamp(%d)", since.UnixMicro())
	err := s.onConnection(ctx, func(conn *sql.Conn) error {
		return readRows(ctx, conn, query, columns, func(row []driver.Value) error {
			each(RecentID{row[0].(time.Time), logevent.Fingerprint{High: row[1].(uint64), Low: row[2].(uint64)}}) //nolint:forcetypeassert // The schema says so.
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("read the recent ids: %w", err)
	}
	return nil
}

// ForgetIDs deletes the ids that were accepted before a time.
func (s *Store) ForgetIDs(ctx context.Context, before time.Time) error {
	return s.deleteWhere(ctx, recentIDsTable, "accepted < ?", before)
}

// UncheckpointedBytes returns the size of DuckDB's write-ahead log: what a checkpoint has not
// yet moved to the store's file. It is 0 for a store in memory.
func (s *Store) UncheckpointedBytes() int64 {
	info, err := os.Stat(filepath.Join(s.directory, fileName+".wal"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// HasRoomForCheckpoint reports whether the disk has room for all that a checkpoint moves, as far as that
// is known. A checkpoint often needs less, and frees the space of DuckDB's write-ahead log.
func (s *Store) HasRoomForCheckpoint() bool {
	free, known := freeBytes(s.directory)
	return !known || free >= s.UncheckpointedBytes()
}

// Checkpoint moves what is in DuckDB's write-ahead log to the store's file. It returns false
// if transactions of readers or a backup prevent that; then a later call can succeed. It is for a store
// that was opened with [WithoutAutomaticCheckpoints].
//
// It also frees the space of deleted rows for new ones, unless queries take very long.
func (s *Store) Checkpoint(ctx context.Context) (done bool, err error) {
	if !s.checkpoints.TryLock() {
		return false, nil
	}
	defer s.checkpoints.Unlock()
	if err := s.writer.Acquire(ctx, 1); err != nil {
		return false, fmt.Errorf("wait for the store's other writer: %w", err)
	}
	defer s.writer.Release(1)
	err = s.freeing.checkpoint(ctx, func() error {
		_, err := s.db.ExecContext(ctx, "CHECKPOINT")
		return err
	})
	var failure *duckdb.Error
	if errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeTransaction {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("checkpoint the store: %w", err)
	}
	return true, nil
}
