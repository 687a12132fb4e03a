package alert

import (
	"maps"
	"slices"
	"time"

	"savedq/sqlq"
)

// Definition is an alert with its saved query.
type Definition struct {
	Query *sqlq.SavedQuery
	Alert *sqlq.Alert
}

// Key identifies the alert. It stays the same if the saved query gets another name.
func (d *Definition) Key() string { return d.Query.ID.String() + "." + d.Alert.Name }

// Definitions returns the alerts of saved queries.
func Definitions(queries []*sqlq.SavedQuery) []Definition {
	var all []Definition
	for _, query := range queries {
		for i := range query.Alerts {
			all = append(all, Definition{Query: query, Alert: &query.Alerts[i]})
		}
	}
	return all
}

// Check is what a check of an alert showed.
type Check struct {
	At      time.Time
	Outcome Outcome
	// Value is the number that the condition is about; nil if there is none.
	Value *float64
	Rows  Rows
	// Error is why it failed, as callers may read it.
	Error string
}

// Record is the stored state of an alert: its status, and the messages to deliver. They
// are stored together, so that no crash separates them. Records are immutable.
type Record struct {
	Key   string `json:"key"`
	Query string `json:"query"`
	Alert string `json:"alert"`
	// Condition has the condition and the parameters that Status counts checks of.
	Condition string `json:"condition"`
	Status    Status `json:"status"`
	// Episode is the announced state that the alert is in; nil if it is in none.
	Episode *Episode `json:"episode,omitempty"`
	// LastBegan is when the last episode began.
	LastBegan time.Time `json:"last_began"`
	Rows      Rows      `json:"rows"`
	Error     string    `json:"error,omitempty"`
	// History are the last changes of the state, the newest first.
	History []Change `json:"history,omitempty"`
	// Points are what the last checks measured, the oldest first.
	Points []Point `json:"points,omitempty"`
	// Silence keeps messages back, until its end; nil for none.
	Silence *Silence `json:"silence,omitempty"`
	// Outbox are the messages to deliver, in their order.
	Outbox []Entry `json:"outbox,omitempty"`
	// Delivered is when each target received its last message.
	Delivered map[string]time.Time `json:"delivered,omitempty"`

	// stored is the time of the last check whose point is stored.
	stored time.Time
}

// Episode is an announced state, from its begin to its end.
type Episode struct {
	Begin Message `json:"begin"`
	// Targets are the targets that were notified of it, and will be notified of its end.
	Targets []string `json:"targets"`
	// Acknowledged says that somebody knows of it; nil if nobody said so.
	Acknowledged *Acknowledgement `json:"acknowledged,omitempty"`
}

// Change is a change of the state.
type Change struct {
	At    time.Time `json:"at" doc:"When."`
	State State     `json:"state" doc:"The state that began."`
}

// Entry is a message to a target.
type Entry struct {
	Target  string  `json:"target"`
	Message Message `json:"message"`
}

const mostHistory = 20

// newRecord returns the record of an alert that was not checked yet.
func newRecord(d *Definition) *Record {
	return (&Record{Key: d.Key(), Status: Status{State: Unknown}, Rows: noRows()}).declaredAs(d)
}

// declaredAs returns the record for an alert as it is declared now. The state stays after a change
// of the condition, and the next check decides, but checks of another condition do not count.
func (r *Record) declaredAs(d *Definition) *Record {
	next := *r
	next.Query, next.Alert = d.Query.Name, d.Alert.Name
	condition := d.Alert.When.String() + " " + paramsText(d.Alert.Params)
	if next.Condition != condition {
		next.Condition, next.Status.Outcome, next.Status.Count = condition, "", 0
		next.Points = nil // of what it measured before
	}
	return &next
}

// checked returns the record after a check. known reports whether a target can get messages.
func (r *Record) checked(d *Definition, check Check, known func(target string) bool) *Record {
	next := *r.declaredAs(d)
	next.Status = next.Status.after(check.Outcome, check.At, d.Alert)
	next.Rows, next.Error, next.Points = check.Rows, check.Error, next.measured(check)
	if next.Status.State != r.Status.State {
		next.History = r.changed(next.Status.State, check.At)
	}
	if next.Episode != nil && next.Episode.Begin.State != next.Status.State {
		next.end(next.Status.State, check.At)
	}
	if next.Status.State.announced() {
		next.begin(d, check.At, func(target string) bool { return known(target) && !next.silenced(check.At) })
	}
	return &next
}

// removed returns the record of an alert that is no longer declared.
func (r *Record) removed(now time.Time) *Record {
	next := *r
	next.end(Removed, now)
	next.Status, next.Points, next.Silence = Status{State: Unknown}, nil, nil // A new declaration starts from scratch.
	return &next
}

// changed returns the history with one more change.
func (r *Record) changed(to State, at time.Time) []Change {
	history := append([]Change{{At: at, State: to}}, r.History...)
	return history[:min(len(history), mostHistory)]
}

// begin notifies the targets that were not notified yet of the episode, which begins unless there is one.
func (r *Record) begin(d *Definition, now time.Time, known func(target string) bool) {
	if r.Episode == nil {
		const step = time.Millisecond // of the time in an id
		began := now.UTC().Truncate(step)
		if !began.After(r.LastBegan) { // the clock went back
			began = r.LastBegan.Add(step)
		}
		r.LastBegan = began
		r.Episode = &Episode{Begin: Message{
			Version: 1, ID: idOf(r.Key, began, r.Status.State, Begin), Event: Begin, State: r.Status.State, Began: began,
		}}
	}
	episode := *r.Episode
	r.describe(&episode.Begin, d)
	for _, target := range d.Alert.Notify {
		if known(target.Name) && !slices.Contains(episode.Targets, target.Name) {
			episode.Targets = append(slices.Clone(episode.Targets), target.Name)
			r.Outbox = append(slices.Clone(r.Outbox), Entry{Target: target.Name, Message: episode.Begin})
		}
	}
	r.Episode = &episode
}

// describe sets what a message says about an alert and its last check.
func (r *Record) describe(message *Message, d *Definition) {
	message.Query, message.Alert, message.Title = r.Query, r.Alert, d.Alert.Title
	message.Condition, message.Params = d.Alert.When.String(), d.Alert.Params
	if message.Params == nil {
		message.Params = make(map[string][]string) // an object in JSON
	}
	message.EverySeconds = int(d.Alert.Every / time.Second)
	message.Rows, message.Error = r.Rows, r.Error
}

// end ends the episode, if there is one, and notifies the targets that were notified of it.
func (r *Record) end(followedBy State, now time.Time) {
	if r.Episode == nil {
		return
	}
	message := r.Episode.Begin
	ended := now.UTC().Truncate(time.Millisecond)
	if ended.Before(message.Began) {
		ended = message.Began
	}
	message.ID, message.Event, message.Ended, message.Now = idOf(r.Key, message.Began, message.State, End), End, &ended, followedBy
	message.Rows, message.Error = r.Rows, r.Error
	r.Outbox = slices.Clone(r.Outbox)
	for _, target := range r.Episode.Targets {
		r.Outbox = append(r.Outbox, Entry{Target: target, Message: message})
	}
	r.Episode = nil
}

// without returns the record without the first message to a target. delivered is when it was
// delivered; the zero time if it was not.
func (r *Record) without(target string, delivered time.Time) *Record {
	next := *r
	first := slices.IndexFunc(r.Outbox, func(entry Entry) bool { return entry.Target == target })
	next.Outbox = slices.Delete(slices.Clone(r.Outbox), first, first+1)
	if !delivered.IsZero() {
		next.Delivered = maps.Clone(r.Delivered)
		if next.Delivered == nil {
			next.Delivered = make(map[string]time.Time)
		}
		next.Delivered[target] = delivered
	}
	return &next
}

// mostWaiting limits the messages of an alert that wait for a target.
const mostWaiting = 20

// bounded returns the record with at most [mostWaiting] messages for each target, and the target of each message that
// it drops. It drops the begin and the end of whole episodes, the oldest first. The first message may be on its way, so
// its episode stays, and so does the newest state.
func (r *Record) bounded() (next *Record, crowdedOut []string) {
	next = r
	for {
		first, last := next.droppable()
		if first < 0 {
			return next, crowdedOut
		}
		shorter := *next
		target := next.Outbox[first].Target
		shorter.Outbox = slices.Delete(slices.Clone(next.Outbox), last, last+1)
		shorter.Outbox = slices.Delete(shorter.Outbox, first, first+1)
		next, crowdedOut = &shorter, append(crowdedOut, target, target)
	}
}

// droppable returns the places of the begin and the end of an episode to drop; -1 if none has to be.
func (r *Record) droppable() (begin, end int) {
	places := make(map[string][]int)
	for i, entry := range r.Outbox {
		places[entry.Target] = append(places[entry.Target], i)
	}
	for _, of := range places {
		if len(of) <= mostWaiting {
			continue
		}
		for i := 1; i+1 < len(of); i++ {
			if a, b := &r.Outbox[of[i]].Message, &r.Outbox[of[i+1]].Message; a.Event == Begin && b.Event == End && a.Began.Equal(b.Began) {
				return of[i], of[i+1]
			}
		}
	}
	return -1, -1
}

// hasUnstored reports whether points are only in memory.
func (r *Record) hasUnstored() bool {
	return len(r.Points) > 0 && r.Points[len(r.Points)-1].At.After(r.stored)
}

// needsStore reports whether a later record has what a crash must not lose, or points that have been in memory for long
// enough. Otherwise alerts in order cost no writes.
func (r *Record) needsStore(next *Record) bool {
	before, after := r.Status, next.Status
	before.Checked, after.Checked = time.Time{}, time.Time{}
	counting := after.Count > 0 && after.State != stateOf(after.Outcome)
	pointsAreDue := after.State != Unknown && next.Points[len(next.Points)-1].At.Sub(r.stored).Abs() >= keepPoints
	return before != after || counting || pointsAreDue || len(r.Outbox) != len(next.Outbox) || r.Condition != next.Condition || !sameEpisode(r.Episode, next.Episode)
}

func sameEpisode(a, b *Episode) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Begin.ID == b.Begin.ID && len(a.Targets) == len(b.Targets)
}
