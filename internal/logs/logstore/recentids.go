package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/internal/logs/logevent"
)

// idsOfPart selects the ids of a part that were accepted recently, with their sources.
type idsOfPart struct{ file, query string }

// RecentIDs calls each for every id in parts that was accepted at a time or later, in the order of these times. The ids of a
// damaged part are left out.
func (s *Store) RecentIDs(ctx context.Context, since time.Time, each func(RecentID)) error {
	var found []idsOfPart
	err := s.reading(ctx, func(_ *sql.Conn, branches []branch) error {
		found = nil
		for _, branch := range branches {
			if branch.part != nil && branch.damaged == "" && !branch.part.Accepted.Before(since) {
				query := fmt.Sprintf("SELECT accepted, source, "+idText+" FROM %s.%s WHERE accepted >= make_timestamp(%d)", branch.place, eventsTable, since.UnixMicro())
				found = append(found, idsOfPart{branch.part.FileName(), query})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err = s.readIDs(ctx, found, each); cannotRead(err) { // sorting comes first, so each was not called
		err = s.readIDs(ctx, s.withReadableIDs(ctx, found), each)
	}
	if err != nil {
		return fmt.Errorf("read the recent ids: %w", err)
	}
	return nil
}

// cannotRead reports whether an error says that a file cannot be read.
func cannotRead(err error) bool {
	failure := new(duckdb.Error)
	return errors.As(err, &failure) && failure.Type == duckdb.ErrorTypeIO
}

// withReadableIDs returns the parts of which all that is selected can be read. The others are logged.
func (s *Store) withReadableIDs(ctx context.Context, all []idsOfPart) (intact []idsOfPart) {
	for _, part := range all {
		var newest any
		if err := s.db.QueryRowContext(ctx, "SELECT max((accepted, source, id)) FROM ("+part.query+")").Scan(&newest); cannotRead(err) {
			s.config.logger.ErrorContext(ctx, "the ids of a part of the store cannot be read; events of it that are sent again are stored twice", slog.String("part", part.file), slog.Any("error", err))
			continue
		}
		intact = append(intact, part)
	}
	return intact
}

// readIDs calls each for the selected ids, in the order of the times when they were accepted.
func (s *Store) readIDs(ctx context.Context, from []idsOfPart, each func(RecentID)) error {
	if len(from) == 0 {
		return nil
	}
	selects := make([]string, len(from))
	for i := range from {
		selects[i] = from[i].query
	}
	sources := s.Tables()
	return s.onConnection(ctx, func(conn *sql.Conn) error {
		const columns = 3
		return readRows(ctx, conn, unionAll(selects)+" ORDER BY accepted", columns, func(row []any) error {
			source, found := sources.FindSource(row[1].(string)) //nolint:forcetypeassert // The columns have these types.
			if found {
				each(RecentID{row[0].(time.Time), logevent.FingerprintOf(source, row[2].(string))}) //nolint:forcetypeassert // As above.
			}
			return nil
		})
	})
}
