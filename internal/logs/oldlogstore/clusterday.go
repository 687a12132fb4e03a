package logstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"
)

// clusteredDay is a day of a table and how far it is clustered, as in the table clustered_days.
type clusteredDay struct {
	table clusteredTable
	start time.Time
	// slices is the number of slices of the day, and slice that of finished ones.
	slices, slice int
	// position is the place in the next slice.
	position clusterPosition
	// rows is the number of rows when the last slice was finished.
	rows int64
	// moved is the number of rows of the slice that this process has moved. It is not recorded.
	moved int64
}

// clusterPosition is a place in a slice: the rows of earlier projects are clustered, and those
// of the project until a time. There is no project at the start of a slice.
type clusterPosition struct {
	project sql.NullString
	until   time.Time
}

func (d *clusteredDay) end() time.Time { return d.start.Add(dayLength) }

// sliceBounds returns the start and the end of the next slice.
func (d *clusteredDay) sliceBounds() (start, end time.Time) {
	length := dayLength / time.Duration(d.slices)
	start = d.start.Add(time.Duration(d.slice) * length)
	if d.slice == d.slices-1 {
		return start, d.end()
	}
	return start, start.Add(length)
}

// record writes the state of the day in the connection's transaction.
func (d *clusteredDay) record(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "DELETE FROM clustered_days WHERE table_name = ? AND day = ?", d.table.name, d.start); err != nil {
		return err
	}
	until := sql.NullTime{Time: d.position.until, Valid: d.position.project.Valid}
	_, err := conn.ExecContext(ctx, "INSERT INTO clustered_days VALUES (?, ?, ?, ?, ?, ?, ?)", d.table.name, d.start, d.slices, d.slice, d.position.project, until, d.rows)
	return err
}

// daysToCluster returns the closed days of a table that are not clustered, or that got enough
// rows since to be clustered again. The newest ones are first, because most queries read those.
func (s *Store) daysToCluster(ctx context.Context, table clusteredTable, before time.Time) ([]clusteredDay, error) {
	counts, err := s.countDays(ctx, table, before)
	if err != nil {
		return nil, err
	}
	recorded, err := s.recordedDays(ctx, table)
	if err != nil {
		return nil, err
	}
	if err := s.forgetRows(ctx, recorded, counts); err != nil {
		return nil, err
	}
	var days []clusteredDay
	for start, count := range counts {
		day, found := recorded[start]
		switch clustered := found && day.slice == day.slices; {
		case found && !clustered:
			days = append(days, day)
		case count-day.rows >= max(count/lateShare, smallestDay):
			days = append(days, clusteredDay{table: table, start: start, slices: int((count + s.limits.sliceRows - 1) / s.limits.sliceRows)})
		}
	}
	slices.SortFunc(days, func(a, b clusteredDay) int { return b.start.Compare(a.start) })
	return days, nil
}

// countDays counts the rows of each day before a time.
func (s *Store) countDays(ctx context.Context, table clusteredTable, before time.Time) (counts map[time.Time]int64, err error) {
	counts = make(map[time.Time]int64)
	var day time.Time
	var count int64
	query := "SELECT CAST(timestamp AS DATE), count(*) FROM " + table.name + " WHERE timestamp < ? GROUP BY ALL"
	return counts, eachRow(ctx, s.db, query, []any{before}, []any{&day, &count}, func() error {
		counts[day.UTC()] = count
		return nil
	})
}

// recordedDays returns the days of a table that are clustered, or in part.
func (s *Store) recordedDays(ctx context.Context, table clusteredTable) (days map[time.Time]clusteredDay, err error) {
	days = make(map[time.Time]clusteredDay)
	day := clusteredDay{table: table}
	var until sql.NullTime
	return days, eachRow(ctx, s.db, "SELECT day, slices, slice, project, until, row_count FROM clustered_days WHERE table_name = ?", []any{table.name},
		[]any{&day.start, &day.slices, &day.slice, &day.position.project, &until, &day.rows}, func() error {
			day.start, day.position.until = day.start.UTC(), until.Time.UTC()
			days[day.start] = day
			return nil
		})
}

// forgetRows reduces the recorded numbers of rows to those that are there, because rows were
// deleted. Otherwise as many new ones would not be noticed.
func (s *Store) forgetRows(ctx context.Context, recorded map[time.Time]clusteredDay, counts map[time.Time]int64) error {
	fewer := make(map[time.Time]clusteredDay)
	for start, day := range recorded {
		if count := counts[start]; count < day.rows || count == 0 {
			day.rows = count
			fewer[start] = day
		}
	}
	if len(fewer) == 0 {
		return nil
	}
	_, err := s.deleteStep(ctx, func(conn *sql.Conn) (int64, error) {
		for day := range maps.Values(fewer) {
			if err := day.record(ctx, conn); err != nil {
				return 0, err
			}
		}
		return changeRows(ctx, conn, "DELETE FROM clustered_days WHERE row_count = 0 AND slice = slices")
	})
	if err != nil {
		return err
	}
	for start, day := range fewer {
		recorded[start] = day
		if day.rows == 0 {
			delete(recorded, start)
		}
	}
	return nil
}

// endSlice records that a slice is finished. Its rows have left their old places, so the space
// there can be freed.
func (s *Store) endSlice(ctx context.Context, day *clusteredDay) error {
	next := *day
	next.slice++
	next.position, next.moved = clusterPosition{}, 0
	_, err := s.deleteStep(ctx, func(conn *sql.Conn) (int64, error) {
		if next.slice == next.slices {
			query := "SELECT count(*) FROM " + day.table.name + " WHERE timestamp >= ? AND timestamp < ?"
			if err := conn.QueryRowContext(ctx, query, day.start, day.end()).Scan(&next.rows); err != nil {
				return 0, err
			}
		}
		return day.moved, next.record(ctx, conn)
	})
	if err != nil {
		return err
	}
	*day = next
	return nil
}
