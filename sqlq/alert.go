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
	// Params are the raw parameters of the checks. [SavedQuery.BindAlert] binds them.
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

// BindAlert is [SavedQuery.Bind] for the parameters of an alert. A TIMESTAMP or a DATE can also be
// relative to now, as in a default, because an alert asks for other times at each check.
func (q *SavedQuery) BindAlert(raw map[string][]string) ([]Arg, error) {
	return q.bind(raw, (*Param).bindRelative)
}

// bindRelative returns the value for the texts of a parameter, which can be one relative time.
func (p *Param) bindRelative(texts []string) (any, error) {
	isTime := p.Type == Timestamp || p.Type == Date
	limited := len(p.Allowed) > 0 || p.Pattern != "" || p.Min != nil || p.Max != nil
	if isTime && !limited && len(texts) == 1 && isRelativeText(texts[0]) {
		return ParseFromNow(texts[0])
	}
	return p.bindAll(texts)
}
