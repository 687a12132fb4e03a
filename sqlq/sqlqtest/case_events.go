package sqlqtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// eventLine is the text form of an [Event] in a case file. Of call, request and
// metadata at most one is given; without any, the metadata is NULL.
type eventLine struct {
	// ID is made of the table and the position where a case does not care.
	ID      string  `yaml:"id"`
	At      string  `yaml:"at"`
	Project *string `yaml:"project"`
	Message *string `yaml:"message"`
	// Call is a normal function invocation: one record.
	Call *call `yaml:"call"`
	// Request is a normal edge request: one record.
	Request *request `yaml:"request"`
	// Metadata is metadata of the storage shape, as JSON.
	Metadata *string `yaml:"metadata"`
	Repeat   *repeat `yaml:"repeat"`
}

// call is a function invocation, which becomes a metadata element; a field that is not given is missing.
type call struct {
	MS       *float64   `yaml:"ms" json:"execution_time_ms,omitempty"`
	Function *string    `yaml:"function" json:"function_id,omitempty"`
	Project  *string    `yaml:"project" json:"project_ref,omitempty"`
	Response []response `yaml:"-" json:"response"`
	Status   *float64   `yaml:"status" json:"-"`
}

type response struct {
	Status *float64 `json:"status_code,omitempty"`
}

// request is an edge request; a field that is not given is missing from the event.
type request struct {
	Path *string `yaml:"path" json:"path,omitempty"`
	URL  *string `yaml:"url" json:"url,omitempty"`
}

// repeat makes further events of one line.
type repeat struct {
	// Times is the number of events, the first one included.
	Times int `yaml:"times"`
	// Every is what each one is later than the one before, as a Go duration.
	Every string `yaml:"every"`
	// AddMS is what each one's call takes longer than the one's before.
	AddMS float64 `yaml:"add_ms"`
}

// logsOf converts the events of a case file.
func logsOf(tables map[string][]eventLine) (Logs, error) {
	logs := Logs{}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		if !slices.Contains(Tables(), table) {
			return nil, fmt.Errorf("no source table is named %q", table)
		}
		for i, line := range tables[table] {
			events, err := line.events(fmt.Sprintf("%s-%02d", table, i))
			if err != nil {
				return nil, fmt.Errorf("event %d of %s: %w", i, table, err)
			}
			logs[table] = append(logs[table], events...)
		}
	}
	return logs, nil
}

// events converts a line, which stands for several events when it repeats.
func (l eventLine) events(defaultID string) ([]Event, error) {
	first, err := parseInstant(l.At)
	if err != nil {
		return nil, err
	}
	if l.ID == "" {
		l.ID = defaultID
	}
	if l.Repeat == nil {
		event, err := l.event(l.ID, first, 0)
		return []Event{event}, err
	}
	every, err := time.ParseDuration(l.Repeat.Every)
	if err != nil {
		return nil, err
	}
	var events []Event
	for i := range l.Repeat.Times {
		id := fmt.Sprintf("%s-%04d", l.ID, i)
		event, err := l.event(id, first.Add(time.Duration(i)*every), float64(i)*l.Repeat.AddMS)
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

// event makes one event of the line.
func (l eventLine) event(id string, at time.Time, moreMS float64) (Event, error) {
	metadata, err := l.metadata(moreMS)
	if err != nil {
		return Event{}, err
	}
	return Event{ID: id, Timestamp: at, EventMessage: l.Message, Project: l.Project, Metadata: metadata}, nil
}

func (l eventLine) metadata(moreMS float64) (json.RawMessage, error) {
	switch {
	case l.Metadata != nil:
		if !json.Valid([]byte(*l.Metadata)) {
			return nil, fmt.Errorf("metadata is not JSON: %s", *l.Metadata)
		}
		return json.RawMessage(*l.Metadata), nil
	case l.Call != nil:
		element := *l.Call
		element.Response = []response{{element.Status}}
		if element.MS != nil {
			element.MS = new(*element.MS + moreMS)
		}
		return json.Marshal([]call{element})
	case l.Request != nil:
		return json.Marshal([]map[string][]*request{{"request": {l.Request}}})
	default:
		return nil, nil
	}
}
