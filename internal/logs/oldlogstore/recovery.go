package logstore

import (
	"fmt"
	"strings"
)

// Recovery is what opening a store repaired.
type Recovery struct {
	// Removed is what an interrupted load left behind. Its file can be loaded again.
	Removed []RemovedRows
	// UpgradedFrom is the schema version before an upgrade, or 0.
	UpgradedFrom int
	// DamagedLog is what was cut off DuckDB's write-ahead log, or nil.
	DamagedLog *DamagedLog
}

// Recovery returns what opening the store repaired.
func (s *Store) Recovery() Recovery { return s.recovery }

// Notes returns sentences for the operator about what was repaired.
func (r Recovery) Notes() []string {
	var notes []string
	if log := r.DamagedLog; log != nil {
		notes = append(notes, fmt.Sprintf("DuckDB's write-ahead log was damaged at byte %d: everything before that is kept, and the other %d bytes were cut off; ingested events among them are stored again, a load among them must be run again; the whole log is kept in %s",
			log.Offset, log.Bytes, log.Copy))
	}
	if r.UpgradedFrom != 0 {
		notes = append(notes, fmt.Sprintf("the store was upgraded from schema version %d; the savedq that wrote it cannot open it any more", r.UpgradedFrom))
	}
	if len(r.Removed) > 0 {
		removed := make([]string, 0, len(r.Removed))
		for _, table := range r.Removed {
			removed = append(removed, fmt.Sprintf("%d rows of %s", table.Rows, table.Table))
		}
		notes = append(notes, "an interrupted load was undone: "+strings.Join(removed, ", ")+" were removed; run that load again")
	}
	return notes
}
