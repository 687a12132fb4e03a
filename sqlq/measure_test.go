package sqlq_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	columns := []sqlq.Column{
		{Name: "n", Type: sqlq.Int64}, {Name: "share", Type: sqlq.Float64}, {Name: "price", Type: sqlq.Numeric}, {Name: "level", Type: sqlq.String},
	}
	row := []any{int64(7), 2.5, sqlq.Decimal("12.25"), "error"}
	for comparison, want := range map[string]struct {
		rows             [][]any
		measured         string
		value, threshold *float64
	}{
		"n > 5":            {[][]any{row}, "n", new(7.0), new(5.0)},
		"share <= 0.5":     {[][]any{row}, "share", new(2.5), new(0.5)},
		"price >= 10.5":    {[][]any{row}, "price", new(12.25), new(10.5)},
		`level == "error"`: {[][]any{row}, "level", nil, nil},
		"n > 6":            {nil, "n", nil, new(6.0)},
		"n > 8":            {[][]any{{nil, 1.0, nil, nil}}, "n", nil, new(8.0)},
		"share > 1":        {[][]any{{nil, math.Inf(1), nil, nil}}, "share", nil, new(1.0)},
	} {
		condition, err := sqlq.ParseComparison(comparison, columns)
		require.NoError(t, err, comparison)
		assert.Equal(t, want.measured, condition.Measured(columns), comparison)
		assert.Equal(t, want.value, condition.Measure(&sqlq.Result{Columns: columns, Rows: want.rows}), comparison)
		assert.Equal(t, want.threshold, condition.Threshold(), comparison)
	}
	for _, kind := range []sqlq.ConditionKind{sqlq.AnyRow, sqlq.NoRow} {
		condition := sqlq.Condition{Kind: kind}
		assert.Equal(t, "rows", condition.Measured(columns))
		assert.Equal(t, new(1.0), condition.Measure(&sqlq.Result{Columns: columns, Rows: [][]any{row}}))
		assert.Equal(t, new(0.0), condition.Threshold())
	}
}
