package main

import "testing"

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i
	}
	for name, test := range map[string]struct {
		values []int
		share  float64
		want   int
	}{
		"one":              {[]int{7}, 0.99, 7},
		"median of three":  {[]int{9, 1, 5}, 0.5, 5},
		"median of four":   {[]int{4, 1, 3, 2}, 0.5, 2},
		"p99 of 100":       {hundred, 0.99, 99},
		"p99 of few":       {[]int{1, 2, 3}, 0.99, 3},
		"the smallest one": {[]int{3, 2}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, found := percentile(test.values, test.share); got != test.want || !found {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
	if _, found := percentile([]int(nil), 0.5); found {
		t.Error("no values have a median")
	}
	if hundred[0] != 100 {
		t.Error("the values of the caller are sorted")
	}
}
