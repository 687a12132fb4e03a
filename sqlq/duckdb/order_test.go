package duckdb_test

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// A statement means the same whatever ran before it (D29): each parameter has its declared
// type, and the rows depend on the values of their own call only.
func TestRowsDoNotDependOnEarlierCalls(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 10, 0, 0, 1000, time.UTC)
	midnight := day.Truncate(24 * time.Hour)
	values := map[sqlq.Type][]any{
		sqlq.String:    {"a", "it's [x, \"y\"]", "NULL"},
		sqlq.Int64:     {int64(1), int64(-9223372036854775808), int64(9223372036854775807)},
		sqlq.Float64:   {1.0, -0.1, 1e300},
		sqlq.Numeric:   {sqlq.Decimal("1"), sqlq.Decimal("-99999999999999999999999999999.999999999"), sqlq.Decimal("0.000000001")},
		sqlq.Bool:      {true, false, true},
		sqlq.Timestamp: {day, day.Add(time.Hour), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)},
		sqlq.Date:      {midnight, midnight.AddDate(0, 0, 1), midnight.AddDate(-1000, 0, 0)},
	}
	stored := map[sqlq.Type]string{
		sqlq.String: "VARCHAR", sqlq.Int64: "BIGINT", sqlq.Float64: "DOUBLE", sqlq.Numeric: "DECIMAL(38,9)", sqlq.Bool: "BOOLEAN", sqlq.Timestamp: "TIMESTAMP", sqlq.Date: "DATE",
	}
	engine := duckdb.New(openStore(t, nil).DB())
	for _, scalar := range sqlq.ParamTypes() {
		some := values[scalar]
		for declared, calls := range map[sqlq.Type][]any{
			scalar:               {nil, some[0], some[1], some[2]},
			sqlq.ArrayOf(scalar): {[]any{}, some[:1], some[1:2], some},
		} {
			wantType := stored[scalar]
			if declared.IsArray() {
				wantType += "[]"
			}
			t.Run(string(declared), func(t *testing.T) {
				t.Parallel()
				for order := range orders() {
					query := savedQuery("SELECT $p AS value, typeof($p) AS kind, $other AS other",
						sqlq.Column{Name: "value", Type: declared, Nullable: true}, sqlq.Column{Name: "kind", Type: sqlq.String}, sqlq.Column{Name: "other", Type: sqlq.Int64, Nullable: true})
					query.Params = []sqlq.Param{{Name: "p", Type: declared}, {Name: "other", Type: sqlq.Int64}}
					for step, i := range append(order, order...) {
						var other any
						if step%2 == 1 {
							other = int64(step)
						}
						args := []sqlq.Arg{{Name: "p", Type: declared, Value: calls[i]}, {Name: "other", Type: sqlq.Int64, Value: other}}
						result, err := engine.Run(t.Context(), sqlq.NewStatement(query, args, day))
						require.NoError(t, err, "call %d of %v", step, order)
						assert.Equal(t, [][]any{{calls[i], wantType, other}}, result.Rows, "call %d of %v", step, order)
					}
				}
			})
		}
	}
}

// orders returns all orders of four calls.
func orders() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for n := range 24 {
			left, order := []int{0, 1, 2, 3}, []int(nil)
			for k := n; len(left) > 0; {
				i := k % len(left)
				k /= len(left)
				order = append(order, left[i])
				left = slices.Delete(left, i, i+1)
			}
			if !yield(order) {
				return
			}
		}
	}
}
