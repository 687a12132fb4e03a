package logstore

import (
	"database/sql/driver"
	"math"

	"github.com/tidwall/gjson"

	"savedq/internal/logevent"
)

// recordTable is where the records of a source's events go (D4): the few fields
// that statistics read, one row per pair of nested elements. A field of an odd
// type is NULL there, since that is no reason to lose an event.
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
	for _, metadata := range objects(gjson.ParseBytes(event.Metadata)) {
		for _, response := range objects(metadata.Get("response")) {
			rows = append(rows, []driver.Value{
				event.Timestamp,
				text(metadata.Get("project_ref")),
				text(metadata.Get("function_id")),
				number(metadata.Get("execution_time_ms")),
				wholeNumber(response.Get("status_code")),
			})
		}
	}
	return rows
}

// edgeRequests returns the (metadata, request) pairs of an event.
func edgeRequests(event *logevent.Event) [][]driver.Value {
	var rows [][]driver.Value
	for _, metadata := range objects(gjson.ParseBytes(event.Metadata)) {
		for _, request := range objects(metadata.Get("request")) {
			rows = append(rows, []driver.Value{event.Timestamp, text(request.Get("url")), text(request.Get("path"))})
		}
	}
	return rows
}

// objects returns the objects of a list; none where there is no list.
func objects(list gjson.Result) []gjson.Result {
	if !list.IsArray() {
		return nil
	}
	items := list.Array()
	objects := items[:0]
	for _, item := range items {
		if item.IsObject() {
			objects = append(objects, item)
		}
	}
	return objects
}

func text(value gjson.Result) driver.Value {
	if value.Type != gjson.String {
		return nil
	}
	return value.Str
}

func number(value gjson.Result) driver.Value {
	if value.Type != gjson.Number {
		return nil
	}
	return value.Num
}

func wholeNumber(value gjson.Result) driver.Value {
	if value.Type != gjson.Number || value.Num != math.Trunc(value.Num) || math.Abs(value.Num) > 1<<53 {
		return nil
	}
	return int64(value.Num)
}
