// Package sqlqtest proves that an engine gives the right rows. It holds a plain
// Go reference implementation of the shipped saved queries, which follows the
// specification and not any SQL, and a conformance suite, [TestEngine],
// that any engine can be put through: named boundary cases in data files, random
// logs, and hostile parameter values. It also has a [FakeEngine] for the tests
// of whatever uses an engine.
package sqlqtest

import (
	"encoding/json"
	"time"
)

// Event is a log event as a source table stores it (D23). It has the fields of
// the store's own event type, in the same order, so that one converts to the
// other; it is a type of its own because this package knows no store.
type Event struct {
	// ID is unique within its table.
	ID string
	// Timestamp is in UTC and cut to microseconds.
	Timestamp time.Time
	// EventMessage is nil where the sender gave none.
	EventMessage *string
	// Project is nil where the sender gave none.
	Project *string
	// Metadata is nil (NULL) or a JSON list of objects in the warehouse's
	// storage shape: every nested object is a list of one object (D14).
	Metadata json.RawMessage
}

// Logs are the events of each table, by the table's logical name (D22). A table
// that is not listed is empty.
type Logs map[string][]Event

// Tables returns the logical names of the nine source tables, in the order of
// D22. logs.all returns rows of the first only (2.4 rules 1 and 2).
func Tables() []string {
	return []string{
		edgeLogs, "postgres_logs", functionEdgeLogs, "function_logs", "auth_logs",
		"realtime_logs", "storage_logs", "postgrest_logs", "pgbouncer_logs",
	}
}

// The two tables that the shipped queries return anything of.
const (
	edgeLogs         = "edge_logs"
	functionEdgeLogs = "function_edge_logs"
)
