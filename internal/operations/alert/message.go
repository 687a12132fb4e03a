package alert

import (
	"encoding/json"
	"strings"
	"time"

	"savedq/sqlq"
)

// Event is what a message is about.
type Event string

// The events.
const (
	Begin Event = "begin"
	End   Event = "end"
)

// Message says that an announced state of an alert begins or ends. Its JSON is stored, and it is
// the body of the form savedq.
type Message struct {
	Version int `json:"version"`
	// ID is the same whenever the message is sent, and no other message of the alert has it.
	ID    string `json:"id"`
	Event Event  `json:"event"`
	Query string `json:"query"`
	Alert string `json:"alert"`
	Title string `json:"title"`
	// State is the state that begins or ends.
	State State `json:"state"`
	// Now is what an ended state is followed by: a state, or removed.
	Now       State               `json:"now,omitempty"`
	Began     time.Time           `json:"began"`
	Ended     *time.Time          `json:"ended"`
	Condition string              `json:"condition"`
	Params    map[string][]string `json:"params"`
	// Error is why the last check failed.
	Error string `json:"error,omitempty"`
	Rows
	// Link is the address of the page; empty if the server does not know its own.
	Link string `json:"link,omitempty"`
	// EverySeconds is the time between two checks.
	EverySeconds int `json:"every"`
}

// Removed follows the states of an alert that is no longer declared.
const Removed State = "removed"

// Rows are the first rows of a check.
type Rows struct {
	Columns   []Column        `json:"columns" doc:"Columns of rows."`
	Rows      json.RawMessage `json:"rows" doc:"First rows of the last check."`
	Truncated bool            `json:"truncated" doc:"Whether there were more rows."`
}

// Column is a column of rows.
type Column struct {
	Name string    `json:"name" doc:"Name."`
	Type sqlq.Type `json:"type" doc:"Type, in GoogleSQL's words."`
}

// mostRowBytes bounds the rows of a message.
const mostRowBytes = 64 << 10

// noRows are the rows before the first check.
func noRows() Rows { return Rows{Columns: []Column{}, Rows: json.RawMessage("[]")} }

// rowsOf returns the first rows of a result, at most a number of them.
func rowsOf(result *sqlq.Result, most int) Rows {
	rows := noRows()
	for _, column := range result.Columns {
		rows.Columns = append(rows.Columns, Column{Name: column.Name, Type: column.Type})
	}
	for count := min(most, len(result.Rows)); ; count /= 2 {
		cut := sqlq.Result{Columns: result.Columns, Rows: result.Rows[:count]}
		text := cut.AppendJSON(nil)
		if len(text) <= mostRowBytes || count == 0 {
			rows.Rows, rows.Truncated = text, result.Truncated || count < len(result.Rows)
			return rows
		}
	}
}

// idOf returns the id of a message.
func idOf(key string, began time.Time, state State, event Event) string {
	return strings.Join([]string{key, began.UTC().Format("20060102T150405.000Z"), string(state), string(event)}, ".")
}
