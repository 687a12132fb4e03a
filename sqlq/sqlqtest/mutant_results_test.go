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
			{name: "D24: truncation is not marked", answer: func(a *Answer, _ *run) { a.Truncated = false }},
			{name: "D24: a full answer is marked", answer: func(a *Answer, _ *run) { a.Truncated = true }},
			{name: "a row is missing", answer: func(a *Answer, _ *run) { a.Rows = a.Rows[:max(0, len(a.Rows)-1)] }},
			{name: "a row comes twice", answer: func(a *Answer, _ *run) {
				if len(a.Rows) > 0 {
					a.Rows = append(a.Rows, a.Rows[0])
				}
			}},
			{name: "columns are out of order", answer: func(a *Answer, _ *run) { slices.Reverse(a.Columns) }},
			{name: "times are not in UTC", answer: eachRow(func(row []any, _ []float64) {
				for i, value := range row {
					if instant, isTime := value.(time.Time); isTime {
						row[i] = instant.In(time.FixedZone("", 3600))
					}
				}
			})},
			{name: "times are text", answer: eachRow(func(row []any, _ []float64) {
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
