package sqlq_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/sqlq"
)

// Every NUMERIC is the same number in units, and a number with more digits is none.
func TestUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[sqlq.Decimal]sqlq.Units{
		"0": {}, "0.000000001": {Low: 1}, "-0.000000001": {Low: 1<<64 - 1, High: -1}, "1.5": {Low: 1_500_000_000},
		"18446744073.709551616": {High: 1}, "-18446744073.709551616": {High: -1},
		"99999999999999999999999999999.999999999": {Low: 687399551400673279, High: 5421010862427522170},
	} {
		units, ok := sqlq.UnitsOf(text)
		require.True(t, ok, text)
		assert.Equal(t, want, units, text)
		assert.Equal(t, text, units.Decimal())
	}
	for _, text := range []sqlq.Decimal{"0.0000000001", "100000000000000000000000000000", "-123456789012345678901234567890.5"} {
		_, ok := sqlq.UnitsOf(text)
		assert.False(t, ok, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		number, err := sqlq.ParseNumeric(rapid.StringMatching(`-?[0-9]{1,29}(\.[0-9]{1,9})?`).Draw(t, "number"))
		require.NoError(t, err)
		units, ok := sqlq.UnitsOf(number)
		require.True(t, ok)
		require.Equal(t, number, units.Decimal())
		require.Equal(t, strings.HasPrefix(string(number), "-"), units.High < 0)
	})
}
