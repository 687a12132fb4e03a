// Package querytest runs the test cases of saved queries: given rows, parameters and a time,
// and the rows or the error that they must give.
package querytest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// File is a file of cases.
type File struct {
	// Path is the path of the file, for messages.
	Path  string
	Data  []byte
	Cases []Case
}

// Case is one test case.
type Case struct {
	Name  string
	Place sqlq.Place
	// Now is the time of the run.
	Now    time.Time
	Params map[string][]string
	// Alert is the alert whose parameters the case runs with, and whose condition it checks; empty for none.
	Alert string
	Data  Data
	// Want is nil if the case does not say what it expects.
	Want *Expectation
}

// Data is what the tables hold in a case. Tables that it does not name are empty.
type Data struct {
	// Events are events as the store keeps them.
	Events []SourceEvents
	// Tables hold rows as they are stored.
	Tables []TableRows
}

// SourceEvents are the events of a source.
type SourceEvents struct {
	Source *sqlq.Table
	Events []logevent.Event
}

// TableRows are rows of a table.
type TableRows struct {
	Table string
	Place sqlq.Place
	Rows  []Row
}

// Row is a row of a table, or an expected one.
type Row struct {
	Place  sqlq.Place
	Values []Value
}

// Value is the value of a column.
type Value struct {
	Column string
	Place  sqlq.Place
	JSON   json.RawMessage
}

// Expectation is what a case expects: rows or an error.
type Expectation struct {
	// Rows are nil if an error is expected, or only a state.
	Rows []Row
	// Truncated reports whether the result must be cut to max_rows.
	Truncated bool
	// Tolerance is by how much a FLOAT64 may differ.
	Tolerance float64
	// State is what the condition of the alert says: firing, ok or no_data; empty if the case expects none.
	State string
	Error *ExpectedError
}

// ExpectedError is an expected error of the caller.
type ExpectedError struct {
	Code sqlq.Code
	// Message is a part of the message.
	Message string
}

// stateOf returns the state that a verdict leads to.
func stateOf(verdict sqlq.Verdict) string {
	return map[sqlq.Verdict]string{sqlq.Met: "firing", sqlq.Unmet: "ok", sqlq.NoData: "no_data"}[verdict]
}

// alertOf returns an alert of a saved query; nil if it has none of the name.
func alertOf(query *sqlq.SavedQuery, name string) *sqlq.Alert {
	index := slices.IndexFunc(query.Alerts, func(alert sqlq.Alert) bool { return alert.Name == name })
	if index < 0 {
		return nil
	}
	return &query.Alerts[index]
}

// bind returns the arguments of a case. A case of an alert has the arguments of the alert.
func bind(query *sqlq.SavedQuery, c *Case) ([]sqlq.Arg, error) {
	if alert := alertOf(query, c.Alert); alert != nil {
		return query.Bind(alert.Params)
	}
	return query.Bind(c.Params)
}

// undeclaredAlert returns what is wrong with the name of an alert; empty for nothing.
func undeclaredAlert(query *sqlq.SavedQuery, name string) string {
	if name == "" || alertOf(query, name) != nil {
		return ""
	}
	message := fmt.Sprintf("%s has no alert %q", query.Name, name)
	if advice := sqlq.DidYouMean(name, query.AlertNames(), ""); advice != "" {
		message += "; " + advice
	}
	return message
}
