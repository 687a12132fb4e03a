package logstore

import (
	"context"
	"database/sql"
	"slices"

	"savedq/internal/logs/eventrow"
)

// A part whose ids are all UUIDs, as they are usually written, stores them as numbers of 16 bytes. Whoever reads ids gets
// the texts that were sent.

const (
	// idColumn is the column with the ids of events.
	idColumn = "id"
	// idText selects it as text, from any part.
	idText = "id::VARCHAR AS id"
	// isNoUUID is the SQL condition for ids that would not be the same text if they were stored as UUIDs: DuckDB also reads
	// them with capitals, in braces, and without hyphens.
	isNoUUID = "try_cast(id AS UUID)::VARCHAR IS DISTINCT FROM id"
)

// haveUUIDs reports whether all ids of the events for a part can be stored as UUIDs.
func haveUUIDs(ctx context.Context, conn *sql.Conn, from writing) (bool, error) {
	for i := range from.from {
		branch := &from.from[i]
		if branch.part != nil && branch.part.UUIDs {
			continue
		}
		query := "SELECT count(*) FROM (SELECT 1 FROM " + branch.place + "." + eventsTable +
			also(also(branch.condition(""), from.days.condition()), isNoUUID) + " LIMIT 1)"
		var others int64
		if err := conn.QueryRowContext(ctx, query).Scan(&others); err != nil || others > 0 {
			return false, err
		}
	}
	return true, nil
}

// storeUUIDs makes the column of ids one of UUIDs.
func storeUUIDs(columns []eventrow.Column) {
	at := slices.IndexFunc(columns, func(column eventrow.Column) bool { return column.Name == idColumn })
	columns[at].Type = "UUID"
}
