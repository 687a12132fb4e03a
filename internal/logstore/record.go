package logstore

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"math"

	"savedq/internal/logevent"
)

// recordTable is where the records of a source's events go (D4): the few fields
// that statistics read, one row per pair of nested elements.
type recordTable struct {
	table string
	rows  func(*logevent.Event) [][]driver.Value
}

// recordTables returns the record tables by the table of their source.
func recordTables() map[string]recordTable {
	return map[string]recordTable{
		"function_edge_logs": {table: "function_invocations", rows: functionInvocations},
		"edge_logs":          {table: "edge_requests", rows: edgeRequests},
	}
}

// functionInvocations returns the (metadata, response) pairs of an event.
func functionInvocations(event *logevent.Event) [][]driver.Value {
	var rows [][]driver.Value
	for _, metadata := range elements(event.Metadata) {
		var m struct {
			ProjectRef      text            `json:"project_ref"`
			FunctionID      text            `json:"function_id"`
			ExecutionTimeMS number          `json:"execution_time_ms"`
			Response        json.RawMessage `json:"response"`
		}
		if json.Unmarshal(metadata, &m) != nil {
			continue
		}
		for _, response := range elements(m.Response) {
			var r struct {
				StatusCode number `json:"status_code"`
			}
			if json.Unmarshal(response, &r) != nil {
				continue
			}
			rows = append(rows, []driver.Value{
				event.Timestamp, m.ProjectRef.value, m.FunctionID.value, m.ExecutionTimeMS.value, r.StatusCode.whole(),
			})
		}
	}
	return rows
}

// edgeRequests returns the (metadata, request) pairs of an event.
func edgeRequests(event *logevent.Event) [][]driver.Value {
	var rows [][]driver.Value
	for _, metadata := range elements(event.Metadata) {
		var m struct {
			Request json.RawMessage `json:"request"`
		}
		if json.Unmarshal(metadata, &m) != nil {
			continue
		}
		for _, request := range elements(m.Request) {
			var r struct {
				URL  text `json:"url"`
				Path text `json:"path"`
			}
			if json.Unmarshal(request, &r) != nil {
				continue
			}
			rows = append(rows, []driver.Value{event.Timestamp, r.URL.value, r.Path.value})
		}
	}
	return rows
}

// elements returns the objects of a JSON list; none where there is no list.
func elements(list json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return nil
	}
	objects := items[:0]
	for _, item := range items {
		if bytes.HasPrefix(item, []byte("{")) {
			objects = append(objects, item)
		}
	}
	return objects
}

// text is a JSON string; anything else is NULL, since one odd field is no reason
// to lose an event.
type text struct{ value any }

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(data []byte) error {
	var value string
	if json.Unmarshal(data, &value) == nil && data[0] == '"' {
		t.value = value
	}
	return nil
}

// number is a JSON number; anything else is NULL.
type number struct{ value any }

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(data []byte) error {
	var value float64
	if json.Unmarshal(data, &value) == nil && data[0] != 'n' {
		n.value = value
	}
	return nil
}

// whole returns the number as an integer; NULL if it is none.
func (n *number) whole() any {
	value, ok := n.value.(float64)
	if !ok || value != math.Trunc(value) || math.Abs(value) > 1<<53 {
		return nil
	}
	return int64(value)
}
