package sqlqtest

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// mapEvents changes every event of the tables that the query reads; nil drops it.
func mapEvents(change func(Event, *run) *Event) func(Logs, *run) Logs {
	return func(logs Logs, r *run) Logs {
		all := Logs{}
		for _, table := range tablesOf(r.query.Name) {
			for _, event := range logs[table] {
				if kept := change(event, r); kept != nil {
					all[table] = append(all[table], *kept)
				}
			}
		}
		return all
	}
}

// tablesOf returns the tables that a query reads.
func tablesOf(query string) []string {
	switch query {
	case invocationStats, functionsList:
		return []string{functionEdgeLogs}
	case projectsList, logsSearch, logsHistogram, logsFacets:
		return Tables()
	default:
		return []string{edgeLogs}
	}
}

// mapElements changes the metadata elements of every event.
func mapElements(change func([]map[string]any, *run) []map[string]any) func(Logs, *run) Logs {
	return mapEvents(func(event Event, r *run) *Event {
		if event.Metadata == nil {
			return &event
		}
		var elements []map[string]any
		must(json.Unmarshal(event.Metadata, &elements))
		text, err := json.Marshal(change(elements, r))
		must(err)
		event.Metadata = text
		return &event
	})
}

// mapNested changes the elements of a nested list of every metadata element.
func mapNested(name string, change func([]any) []any) func(Logs, *run) Logs {
	return mapElements(func(elements []map[string]any, _ *run) []map[string]any {
		for _, element := range elements {
			list, _ := element[name].([]any)
			element[name] = change(list)
		}
		return elements
	})
}

// mapField changes a field of every object of a nested list.
func mapField(name, field string, change func(any) any) func(Logs, *run) Logs {
	return mapNested(name, func(list []any) []any {
		for _, object := range list {
			fields := object.(map[string]any)
			fields[field] = change(fields[field])
		}
		return list
	})
}

// fieldOfElements changes a field of every metadata element.
func fieldOfElements(field string, change func(any, *run) any) func(Logs, *run) Logs {
	return mapElements(func(elements []map[string]any, r *run) []map[string]any {
		for _, element := range elements {
			element[field] = change(element[field], r)
		}
		return elements
	})
}

// firstElement keeps the first metadata element alone.
func firstElement() func(Logs, *run) Logs {
	return mapElements(func(elements []map[string]any, _ *run) []map[string]any { return elements[:min(1, len(elements))] })
}

func firstOf(list []any) []any { return list[:min(1, len(list))] }

// leftJoin gives an empty list an element, as a left join would.
func leftJoin(list []any) []any {
	if len(list) == 0 {
		return []any{map[string]any{}}
	}
	return list
}

// withoutTable leaves out the events of a table.
func withoutTable(table string) func(Logs, *run) Logs {
	return func(logs Logs, _ *run) Logs {
		others := maps.Clone(logs)
		delete(others, table)
		return others
	}
}

func dropAt(when func(*run) time.Time) func(Logs, *run) Logs {
	return mapEvents(func(event Event, r *run) *Event {
		if event.Timestamp.Equal(when(r)) {
			return nil
		}
		return &event
	})
}

func dropAfterNow(event Event, r *run) *Event {
	if event.Timestamp.After(r.now) {
		return nil
	}
	return &event
}

// later moves the time of asking.
func later(by time.Duration) func(*run) {
	return func(r *run) { r.now = r.now.Add(by) }
}

// swap replaces one value of an argument by another.
func swap(name, from string, to any) func(*run) {
	return func(r *run) {
		if r.args[name] == from {
			r.args[name] = to
		}
	}
}

// set replaces every value of an argument.
func set(name string, to any) func(*run) {
	return func(r *run) { r.args[name] = to }
}

// shiftArgument moves a time that is given.
func shiftArgument(name string, by time.Duration) func(*run) {
	return func(r *run) {
		if instant, given := r.args[name].(time.Time); given {
			r.args[name] = instant.Add(by)
		}
	}
}

// eachRow changes the values of every row.
func eachRow(change func(row []any, observed []float64)) func(*Expected, *run) {
	return func(expected *Expected, _ *run) {
		for i, row := range expected.Rows {
			var observed []float64
			if expected.Observed != nil {
				observed = expected.Observed[i]
			}
			change(row, observed)
		}
	}
}

// replaceValue replaces one value of a column.
func replaceValue(column int, from, to any) func(*Expected, *run) {
	return eachRow(func(row []any, _ []float64) {
		if row[column] == from {
			row[column] = to
		}
	})
}

// dropRows leaves out the rows that match.
func dropRows(match func(row []any) bool) func(*Expected, *run) {
	return func(expected *Expected, _ *run) { expected.Rows = slices.DeleteFunc(expected.Rows, match) }
}

// reverseTies orders rows with the same number in a column in reverse.
func reverseTies(column int) func(*Expected, *run) {
	return func(expected *Expected, _ *run) {
		slices.Reverse(expected.Rows)
		slices.Reverse(expected.Observed)
		slices.SortStableFunc(expected.Rows, func(a, b []any) int { return int(b[column].(int64) - a[column].(int64)) })
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// unlimited takes the limit of the saved query away.
func unlimited(r *run) {
	query := *r.query
	query.MaxRows = 0
	r.query = &query
}

// named sets the query of mutants.
func named(query string, mutants []mutant) []mutant {
	for i := range mutants {
		mutants[i].query = query
	}
	return mutants
}
