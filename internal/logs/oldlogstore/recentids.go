package logstore

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/sqlq/duckdb/appender"
)

// mostRemembered limits the ids of a transaction that servers recognize, because a server reads
// them when it starts.
const mostRemembered = 1_000_000

// rememberedIDs are the fingerprints of the last events of a transaction.
type rememberedIDs struct {
	accepted time.Time
	ids      []logevent.Fingerprint
	// oldest is the index of the oldest one, once there are as many as possible.
	oldest int
}

func (r *rememberedIDs) add(id logevent.Fingerprint) {
	if len(r.ids) < mostRemembered {
		r.ids = append(r.ids, id)
		return
	}
	r.ids[r.oldest] = id
	r.oldest = (r.oldest + 1) % mostRemembered
}

// Remember makes servers recognize the ids of the transaction's events as if the events had been
// sent to them at a time (D30): those of the last million.
func (t *Transaction) Remember(accepted time.Time) {
	t.remembered = &rememberedIDs{accepted: accepted}
}

// appendRemembered appends the remembered ids.
func (t *Transaction) appendRemembered(ctx context.Context) error {
	if t.remembered == nil {
		return nil
	}
	const columns = 3
	row := make([]driver.Value, columns)
	err := t.appendRows(ctx, appender.Target{Table: recentIDsTable}, appender.RowsAt(len(t.remembered.ids), func(i int) []driver.Value {
		row[0], row[1], row[2] = t.remembered.accepted, t.remembered.ids[i].High, t.remembered.ids[i].Low
		return row
	}))
	if err != nil {
		return fmt.Errorf("append to %s: %w", recentIDsTable, err)
	}
	return nil
}
