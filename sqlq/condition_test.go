package sqlq

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	asOf := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	columns := []Column{{Name: "value", Type: Int64}, {Name: "share", Type: Float64}, {Name: "price", Type: Numeric}, {Name: "at", Type: Timestamp}, {Name: "day", Type: Date}, {Name: "word", Type: String}, {Name: "on", Type: Bool}, {Name: "local", Type: Datetime}}
	row := []any{int64(5), 0.5, Decimal("1.10"), asOf.Add(-time.Hour), asOf.Truncate(24 * time.Hour), "a > b", true, asOf}
	for text, want := range map[string]Verdict{
		"value > 5": Unmet, "value >= 5": Met, "value < 5": Unmet, "value <= 5": Met, "value == 5": Met, "value != 5": Unmet, "value>4": Met, "value > -1": Met,
		"share > 0.4": Met, "share == 0.5": Met, "price == 1.1": Met, "price > 1.1": Unmet,
		"at < now-30m": Met, "at < now-2h": Unmet, "at == 2026-11-26T09:00:00Z": Met, "day == 2026-11-26": Met, "day < now": Unmet, "local >= 2026-11-26T10:00:00": Met,
		`word == "a > b"`: Met, "word == 'a > b'": Met, "word == a > b": Met, "word != a": Met, "word == a": Unmet, "on == true": Met, "on != true": Unmet,
	} {
		condition, err := ParseComparison(text, columns)
		require.NoError(t, err, text)
		assert.Equal(t, "first: "+text, condition.String())
		assert.Equal(t, want, condition.Check(&Result{Columns: columns, Rows: [][]any{row, {}}}, asOf), text)
		assert.Equal(t, NoData, condition.Check(&Result{Columns: columns}, asOf), text)
		assert.Equal(t, NoData, condition.Check(&Result{Columns: columns, Rows: [][]any{make([]any, len(columns))}}, asOf), text)
	}
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} { // they are null for callers
		condition, err := ParseComparison("share < 0.4", columns)
		require.NoError(t, err)
		assert.Equal(t, NoData, condition.Check(&Result{Columns: columns, Rows: [][]any{{nil, value}}}, asOf), "%v", value)
	}
	some, none := &Result{Columns: columns, Rows: [][]any{row}}, &Result{Columns: columns}
	anyRow, noRow := Condition{Kind: AnyRow}, Condition{Kind: NoRow}
	assert.Equal(t, []Verdict{Met, Unmet, Unmet, Met}, []Verdict{anyRow.Check(some, asOf), anyRow.Check(none, asOf), noRow.Check(some, asOf), noRow.Check(none, asOf)})
	assert.Equal(t, []string{"any", "none"}, []string{anyRow.String(), noRow.String()})
}
