package random_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/test/random/randomcatalog"
)

// The rows of a call are the same in every order of calls (D29): with lists that are absent, empty, of one and
// of several elements, of every type, beside a list that has a default and a parameter that can be NULL.
func TestRowsInEveryOrder(t *testing.T) {
	t.Parallel()
	for element, values := range map[sqlq.Type][2]string{
		sqlq.String: {"a", "b"}, sqlq.Int64: {"1", "-9223372036854775808"}, sqlq.Float64: {"1.5", "-2.25"}, sqlq.Bool: {"true", "false"},
		sqlq.Timestamp: {"2026-03-01T10:00:00Z", "9999-12-31T23:59:59.999999Z"}, sqlq.Date: {"2026-03-01", "1970-01-01"},
	} {
		t.Run(string(element), func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for n := range 24 { // a saved query for each order, because the calls of one share statements
				files[fmt.Sprintf("lists%d/query.yaml", n)] = &fstest.MapFile{Data: fmt.Appendf(nil, `id: 00000000-0000-4000-8000-0000000000%02[3]d
name: lists%[3]d
description: A test.
cache: disabled
params:
  - {name: p, type: ARRAY<%[1]s>, description: A list.}
  - {name: q, type: ARRAY<%[1]s>, default: ["%[2]s"], description: A list.}
  - {name: r, type: %[1]s, description: One value.}
columns:
  - {name: rows, type: STRING, description: All.}
`, element, values[1], n)}
				files[fmt.Sprintf("lists%d/duckdb.sql", n)] = &fstest.MapFile{Data: []byte(
					`SELECT array_to_string(list_concat($p::VARCHAR[], ['|'], $q::VARCHAR[], ['|'], [coalesce($r::VARCHAR, 'NULL')]), ' ') AS rows`)}
			}
			s := serveFiles(t, files)
			calls := []map[string][]string{{}, {"p": {}, "r": values[:1]}, {"p": values[:1], "q": values[:1]}, {"p": values[:], "q": values[:], "r": values[1:]}}
			one, other := stored(values[0]), stored(values[1])
			want := []string{"| " + other + " | NULL", "| " + other + " | " + one, one + " | " + one + " | NULL", one + " " + other + " | " + one + " " + other + " | " + other}
			for n := range 24 {
				order := nthOrder(n)
				for _, i := range order {
					overREST, overGraphQL := s.rows(t, randomcatalog.Query{Name: fmt.Sprintf("lists%d", n), Params: calls[i]})
					rows := canonical(t, fmt.Appendf(nil, `[{"rows":%q}]`, want[i]))
					assert.Equal(t, rows, overREST, "call %d of %v", i, order)
					assert.Equal(t, rows, overGraphQL, "call %d of %v", i, order)
				}
			}
		})
	}
}

// stored is the text that DuckDB writes for a value.
func stored(text string) string {
	return strings.TrimSuffix(strings.Replace(text, "T", " ", 1), "Z")
}

// nthOrder returns one of the 24 orders of four calls.
func nthOrder(n int) []int {
	left, order := []int{0, 1, 2, 3}, []int(nil)
	for len(left) > 0 {
		i := n % len(left)
		n /= len(left)
		order = append(order, left[i])
		left = append(left[:i:i], left[i+1:]...)
	}
	return order
}
