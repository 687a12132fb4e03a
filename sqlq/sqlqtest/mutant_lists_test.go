package sqlqtest

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// functionListMutants break the rules of functions.list.
func functionListMutants() []mutant {
	return named(functionsList, []mutant{
		{name: "any project counts", logs: fieldOfElements("project_ref", func(_ any, r *run) any { return r.args["project"] })},
		{name: "a function without an id is left out", result: dropRows(func(row []any) bool { return row[0] == nil })},
		{name: "an empty id is no id", result: dropRows(func(row []any) bool { return row[0] == "" })},
		{name: "an id of null is an empty one", logs: fieldOfElements("function_id", func(id any, _ *run) any {
			if id == nil {
				return ""
			}
			return id
		})},
		{name: "ties are in reverse order", result: reverseTies(1)},
		{name: "the start is included", run: shiftArgument("iso_timestamp_start", -time.Microsecond)},
		{name: "the end is excluded", run: shiftArgument("iso_timestamp_end", -time.Microsecond)},
		{name: "the end is ignored", run: set("iso_timestamp_end", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))},
		{name: "the start is ignored", run: set("iso_timestamp_start", time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))},
		{name: "errors: 400 is none", logs: mapField("response", "status_code", replaceNumber(400, 399))},
		{name: "errors: 399 is one", logs: mapField("response", "status_code", replaceNumber(399, 400))},
		{name: "D4: only the first response counts", logs: mapNested("response", firstOf)},
		{name: "D4: an element without a response counts", logs: mapNested("response", leftJoin)},
		{name: "D5: p95 is p90", result: percentileMutant(3, 90)},
		{name: "D22: another table is read", logs: func(logs Logs, _ *run) Logs { return Logs{functionEdgeLogs: logs["function_logs"]} }},
		{name: "D24: the result is not cut", run: unlimited},
	})
}

// projectListMutants break the rules of projects.list.
func projectListMutants() []mutant {
	mutants := []mutant{
		{name: "the projects are ignored", run: set("projects", []any{})},
		{name: "an empty project is one", result: func(e *Expected, _ *run) {
			if len(e.Rows) > 0 {
				e.Rows = append(e.Rows, []any{"", e.Rows[0][1], int64(1)})
			}
		}},
		{name: "ties are in reverse order", result: reverseTies(2)},
		{name: "the start is included", run: shiftArgument("iso_timestamp_start", -time.Microsecond)},
		{name: "the end is excluded", run: shiftArgument("iso_timestamp_end", -time.Microsecond)},
		{name: "only the first element counts", logs: firstElement()},
		{name: "every element counts", logs: func(logs Logs, _ *run) Logs {
			events := slices.Clone(logs[functionEdgeLogs])
			for _, event := range logs[functionEdgeLogs] {
				elements, err := metadataRecords(event.Metadata)
				must(err)
				for i := 1; i < len(elements); i++ {
					metadata, err := json.Marshal(elements[i : i+1])
					must(err)
					event.Metadata = metadata
					events = append(events, event)
				}
			}
			changed := maps.Clone(logs)
			changed[functionEdgeLogs] = events
			return changed
		}},
		{name: "D24: the result is not cut", run: unlimited},
	}
	for _, table := range Tables() {
		mutants = append(mutants, mutant{name: "D22: " + table + " is not read", logs: withoutTable(table)})
	}
	return named(projectsList, mutants)
}
