package sqlqtest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestExactRank works entry 95 and 99 of the 101 boundaries out by hand (D5).
func TestExactRank(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		n, percent int
		want       int
	}{
		{"one value is every percentile", 1, 95, 0},
		{"two values", 2, 95, 1},
		{"19 values: only the last one exceeds 95 % of them", 19, 95, 18},
		{"20 values: 19 of them are 95 %", 20, 95, 18},
		{"21 values", 21, 95, 19},
		{"100 values: entry 95 is the 95th", 100, 95, 94},
		{"100 values: entry 99 is the 99th", 100, 99, 98},
		{"101 values", 101, 99, 99},
		{"1000 values", 1000, 95, 949},
		{"the median of 3", 3, 50, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, exactRank(test.n, test.percent))
		})
	}
}

// TestWithinRank proves the tolerance of D5 on both sides.
func TestWithinRank(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		observed []float64
		percent  int
		value    float64
		want     bool
	}{
		{"the exact value", upTo(100), 95, 95, true},
		{"one rank below", upTo(100), 95, 94, true},
		{"one rank above", upTo(100), 95, 96, true},
		{"two ranks below", upTo(100), 95, 93, false},
		{"two ranks above", upTo(100), 95, 97, false},
		{"between two values that were observed", upTo(100), 95, 95.5, false},
		{"above all values", upTo(100), 99, 101, false},
		{"below all values", upTo(100), 99, 0, false},
		{"1 % of 1000 below", upTo(1000), 95, 940, true},
		{"1 % of 1000 above", upTo(1000), 95, 960, true},
		{"more than 1 % of 1000 below", upTo(1000), 95, 939, false},
		{"more than 1 % of 1000 above", upTo(1000), 95, 961, false},
		{"1 % is cut down to whole ranks", upTo(199), 95, 188, false},
		{"few values still have a rank to either side", upTo(3), 95, 2, true},
		{"few values have no more than that", upTo(3), 95, 1, false},
		{"equal values share their ranks", []float64{1, 7, 7, 7, 7, 7, 7, 7, 7, 9}, 95, 7, true},
		{"equal values that are all too low", []float64{1, 1, 1, 1, 1, 1, 1, 1, 7, 9}, 95, 1, false},
		{"nothing was observed", nil, 95, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, withinRank(test.observed, test.percent, test.value))
		})
	}
}

// upTo returns the numbers from 1 up to n.
func upTo(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i + 1)
	}
	return values
}
