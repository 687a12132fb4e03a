package sqlqtest

import (
	"slices"
	"time"
)

// resultMutants give right rows in a wrong result.
func resultMutants() []mutant {
	var mutants []mutant
	for _, query := range []string{invocationStats, apiCounts, logsAll} {
		mutants = append(mutants, named(query, []mutant{
			{name: "D24: truncation is not marked", result: func(e *Expected, _ *run) { e.Truncated = false }},
			{name: "D24: a result of max rows is marked", result: func(e *Expected, _ *run) { e.Truncated = true }},
			{name: "a row is missing", result: func(e *Expected, _ *run) { e.Rows = e.Rows[:max(0, len(e.Rows)-1)] }},
			{name: "a row comes twice", result: func(e *Expected, _ *run) {
				if len(e.Rows) > 0 {
					e.Rows = append(e.Rows, e.Rows[0])
				}
			}},
			{name: "columns are out of order", result: func(e *Expected, _ *run) { slices.Reverse(e.Columns) }},
			{name: "times are not in UTC", result: eachRow(func(row []any, _ []float64) {
				for i, value := range row {
					if instant, isTime := value.(time.Time); isTime {
						row[i] = instant.In(time.FixedZone("", 3600))
					}
				}
			})},
			{name: "times are text", result: eachRow(func(row []any, _ []float64) {
				for i, value := range row {
					if instant, isTime := value.(time.Time); isTime {
						row[i] = instant.Format(time.RFC3339Nano)
					}
				}
			})},
		})...)
	}
	return mutants
}
