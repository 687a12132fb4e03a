package alert

import (
	"slices"
	"time"

	"savedq/sqlq"
)

// Listed is an alert with its state, as it is listed.
type Listed struct {
	Query     string     `json:"query" doc:"Name of the saved query."`
	Name      string     `json:"name" doc:"Name of the alert, which is unique within the saved query."`
	Title     string     `json:"title" doc:"Title for people."`
	State     State      `json:"state" doc:"Its state."`
	Since     *time.Time `json:"since" doc:"When the state began."`
	Checked   *time.Time `json:"checked" doc:"When the alert was last checked."`
	Next      *time.Time `json:"next" doc:"When it is checked next."`
	Every     int        `json:"every" doc:"Seconds between two checks."`
	For       int        `json:"for" doc:"How many checks in a row change the state."`
	Count     int        `json:"count" doc:"How many of the last checks in a row showed the same, at most as many as for."`
	Condition string     `json:"condition" doc:"The condition."`
	// Measured and Threshold describe Points.
	Measured  string         `json:"measured" doc:"What the condition is about: a column, or rows for their number."`
	Threshold *float64       `json:"threshold" doc:"The number that it is compared with. Null if the condition compares no number."`
	Points    []Point        `json:"points" doc:"What the last checks measured, the oldest first, at most 240."`
	Params    map[string]any `json:"params" doc:"The parameters of its checks."`
	Error     *string        `json:"error" doc:"Why the last check failed."`
	Rows                     // of the last check
	// MostRows are the most rows of a message.
	MostRows     int              `json:"mostRows" doc:"Most rows in a message."`
	Silence      *Silence         `json:"silence" doc:"What keeps its messages back. Null for nothing."`
	Acknowledged *Acknowledgement `json:"acknowledged" doc:"Who knows of the state. Null for nobody."`
	Notify       []ListedTarget   `json:"notify" doc:"Who is notified. Empty for tokens with limits."`
	History      []Change         `json:"history" doc:"The last changes of the state, the newest first."`
}

// ListedTarget is a target of an alert.
type ListedTarget struct {
	Target    string     `json:"target" doc:"Name of the target."`
	Pending   int        `json:"pending" doc:"Messages that are not delivered yet."`
	Delivered *time.Time `json:"delivered" doc:"When the last message was delivered."`
	Error     *string    `json:"error" doc:"Why the last attempt failed."`
}

// List returns the alerts that may be seen, by saved query and name. next returns when an alert is
// checked next; the zero time if that is unknown.
func (b *Book) List(visible func(query *sqlq.SavedQuery, params map[string][]string) bool, next func(key string) time.Time, now time.Time) []Listed {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	all := []Listed{}
	for _, definition := range b.sortedDefinitions() {
		if visible(definition.Query, definition.Alert.Params) {
			all = append(all, b.listed(&definition, next(definition.Key()), now))
		}
	}
	return all
}

func (b *Book) listed(d *Definition, next, now time.Time) Listed {
	record := b.record(d)
	listed := Listed{
		Query: d.Query.Name, Name: d.Alert.Name, Title: d.Alert.Title, State: record.Status.State,
		Since: timeOrNil(record.Status.Since), Checked: timeOrNil(record.Status.Checked), Next: timeOrNil(next),
		Every: int(d.Alert.Every / time.Second), For: d.Alert.For, Count: record.Status.Count,
		Condition: d.Alert.When.String(), Params: make(map[string]any), Error: textOrNil(record.Error), Rows: record.Rows,
		Notify: []ListedTarget{}, History: []Change{}, Measured: d.Alert.When.Measured(d.Query.Columns), Threshold: d.Alert.When.Threshold(),
		Points: append([]Point{}, record.Points...), MostRows: d.Alert.Rows,
	}
	if record.silenced(now) {
		listed.Silence = record.Silence
	}
	if record.Episode != nil {
		listed.Acknowledged = record.Episode.Acknowledged
	}
	for name, values := range d.Alert.Params {
		listed.Params[name] = values
		if param := d.Query.Param(name); param != nil && !param.Type.IsArray() && len(values) == 1 {
			listed.Params[name] = values[0]
		}
	}
	for _, change := range record.History {
		listed.History = append(listed.History, Change{At: change.At.UTC(), State: change.State})
	}
	var targets []string
	for _, target := range d.Alert.Notify {
		targets = append(targets, target.Name)
	}
	for _, entry := range record.Outbox {
		if !slices.Contains(targets, entry.Target) {
			targets = append(targets, entry.Target)
		}
	}
	for _, target := range targets {
		listed.Notify = append(listed.Notify, b.listedTarget(record, target))
	}
	return listed
}

func (b *Book) listedTarget(record *Record, target string) ListedTarget {
	listed := ListedTarget{Target: target, Delivered: timeOrNil(record.Delivered[target])}
	for _, entry := range record.Outbox {
		if entry.Target == target {
			listed.Pending++
		}
	}
	if of := b.lanes[laneKey{record.Key, target}]; of != nil {
		listed.Error = textOrNil(of.err)
	}
	return listed
}

// WithoutOperator returns the alert without what is the operator's: targets, and names of tokens.
func (l Listed) WithoutOperator() Listed {
	l.Notify = []ListedTarget{}
	if l.Silence != nil {
		silence := *l.Silence
		silence.By, l.Silence = "", &silence
	}
	if l.Acknowledged != nil {
		acknowledged := *l.Acknowledged
		acknowledged.By, l.Acknowledged = "", &acknowledged
	}
	return l
}

// timeOrNil returns nil for the zero time.
func timeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return new(at.UTC().Truncate(time.Millisecond))
}

func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
