package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// Records have no reference to their event, and edge_requests has no project. So the records
// of some events are found by computing them again, and as many equal rows are deleted.
// Equal rows are interchangeable.

// chunkBytes limits the metadata of events that is in memory.
const chunkBytes = 8 << 20

// recordsOf computes the records of the events that a condition selects.
func recordsOf(ctx context.Context, conn *sql.Conn, source *sqlq.Table, condition string, args ...any) (rows [][]driver.Value, err error) {
	chunks, err := chunksOf(ctx, conn, source, condition, args...)
	if err != nil {
		return nil, err
	}
	records := eventrow.NewRecords(source.Name)
	for _, chunk := range chunks {
		err := chunk.read(ctx, conn, source, "timestamp", func(timestamp driver.Value, metadata []byte) {
			event := logevent.Event{Timestamp: timestamp.(time.Time), Metadata: metadata} //nolint:forcetypeassert // The schema says so.
			rows = append(rows, records.Of(&event)...)
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// chunk has the row ids of events that have metadata, in ascending order.
type chunk []string

// condition returns the SQL condition for the events. The first and the last row id spare reading the rest of the
// table.
func (c chunk) condition() string {
	return fmt.Sprintf("rowid BETWEEN %s AND %s AND rowid IN (%s)", c[0], c[len(c)-1], strings.Join(c, ", "))
}

// read calls each with a column and the metadata of each event.
func (c chunk) read(ctx context.Context, conn *sql.Conn, source *sqlq.Table, column string,
	each func(value driver.Value, metadata []byte),
) error {
	const columns = 2
	query := fmt.Sprintf("SELECT %s, metadata FROM %s WHERE %s", column, source.Name, c.condition())
	return readRows(ctx, conn, query, columns, func(row []driver.Value) error {
		each(row[0], []byte(row[1].(string))) //nolint:forcetypeassert // The schema says so.
		return nil
	})
}

// chunksOf returns chunks of limited size of the events that a condition selects.
func chunksOf(ctx context.Context, conn *sql.Conn, source *sqlq.Table, condition string, args ...any) (chunks []chunk, err error) {
	query := "SELECT rowid, strlen(metadata) FROM " + source.Name + " WHERE metadata IS NOT NULL AND " + condition + " ORDER BY rowid"
	const most = 5_000
	bytes := int64(chunkBytes)
	var id, length int64
	err = eachRow(ctx, conn, query, args, []any{&id, &length}, func() error {
		if last := len(chunks) - 1; bytes+length > chunkBytes || len(chunks[last]) >= most {
			chunks = append(chunks, nil)
			bytes = 0
		}
		last := len(chunks) - 1
		chunks[last] = append(chunks[last], strconv.FormatInt(id, 10))
		bytes += length
		return nil
	})
	return chunks, err
}

// remove deletes records, each as often as it is given, among the rows that a condition on
// their timestamps selects.
func (t recordTable) remove(ctx context.Context, conn *sql.Conn, records [][]driver.Value, condition string, args []any) error {
	if len(records) == 0 {
		return nil
	}
	list := make([]map[string]any, 0, len(records))
	for _, row := range records {
		values := map[string]any{"t": row[0].(time.Time).UnixMicro()} //nolint:forcetypeassert // Every record begins with its time.
		for i, field := range t.fields {
			values[field.Name] = row[1+i]
		}
		list = append(list, values)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	names, types, given, equal := []string{"timestamp"}, []string{`"t":"BIGINT"`}, []string{"make_timestamp(record.t) AS timestamp"}, []string{"stored.timestamp = given.timestamp"}
	for _, field := range t.fields {
		names = append(names, field.Name)
		types = append(types, fmt.Sprintf("%q:%q", field.Name, map[bool]string{false: "VARCHAR", true: "DOUBLE"}[field.IsNumber()]))
		given = append(given, "record."+field.Name)
		equal = append(equal, fmt.Sprintf("stored.%[1]s IS NOT DISTINCT FROM given.%[1]s", field.Name))
	}
	statement := fmt.Sprintf(`DELETE FROM %[1]s WHERE %[3]s AND rowid IN (
		SELECT stored.rowid
		FROM (SELECT rowid, %[2]s, row_number() OVER (PARTITION BY %[2]s) AS place FROM %[1]s WHERE %[3]s) AS stored
		JOIN (SELECT %[4]s, count(*) AS number FROM (SELECT unnest(from_json(?, '[{%[5]s}]')) AS record) GROUP BY ALL) AS given ON %[6]s
		WHERE stored.place <= given.number)`,
		t.table, strings.Join(names, ", "), condition, strings.Join(given, ", "), strings.Join(types, ","), strings.Join(equal, " AND "))
	_, err = changeRows(ctx, conn, statement, slices.Concat(args, args, []any{string(text)})...)
	return err
}
