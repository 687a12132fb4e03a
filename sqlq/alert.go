package sqlq

import "time"

// Alert is a condition on the rows of a saved query that a server checks again and again. It is
// immutable.
type Alert struct {
	// Name is unique within the saved query.
	Name string
	// Title is what people read; the name if the author wrote none.
	Title string
	// Every is the time between two checks.
	Every time.Duration
	// Params are the raw parameters of the checks. [SavedQuery.Bind] binds them.
	Params map[string][]string
	When   Condition
	// For is how many checks in a row must show the same before the alert changes to it.
	For int
	// Notify are the names of the targets that get messages.
	Notify []Named
	// Rows is the most rows in a message.
	Rows int
	// Place is where the name is declared, for messages.
	Place Place
}

// Named is a name in a file.
type Named struct {
	Name  string
	Place Place
}
