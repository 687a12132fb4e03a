package demo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMarkers(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, recorded, want string }{
		{"none", "GET | 200", "GET | 200"},
		{"a time", "at ~t2006-01-02 15:04:05.000 UTC~", "at 2026-11-20 10:00:00.123 UTC"},
		{"microseconds", `{"time":"~u~","pid":1}`, `{"time":1795168800123456,"pid":1}`},
		{"digits", "~xa16~/~xb4~/~xa4~", "0123456789abcdef/cdef/0123"},
		{"all digits of the last letter", "~xe16~", "0123456789abcdef"},
		{"numbers", `["~n240~","~n1~"]`, "[300,1]"},
		{"a small number", `["~n0~"]`, "[1]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			variation := newVariation()
			variation.time = time.Date(2026, time.November, 20, 10, 0, 0, 123_456_000, time.UTC)
			copy(variation.digits[:], "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
			variation.factor = 1.25
			assert.Equal(t, test.want, string(variation.appendVaried(nil, []byte(test.recorded))))
		})
	}
}

func TestAroundIsTheMeanOnAverage(t *testing.T) {
	t.Parallel()
	variation := newVariation()
	for _, mean := range []float64{-1, 0, 0.04, 1, 7.5} {
		const throws = 20_000
		sum := 0
		for range throws {
			sum += variation.around(mean)
		}
		assert.InDelta(t, max(mean, 0), float64(sum)/throws, 0.05)
	}
}

func TestMinutesHaveNothingInCommon(t *testing.T) {
	t.Parallel()
	variation, first := newVariation(), make(map[uint64]bool)
	minute := time.Date(2026, time.November, 20, 10, 0, 0, 0, time.UTC)
	for seed := range uint64(10) {
		for _, table := range []string{"function_edge_logs", "function_logs", "postgres_logs", "postgrest_logs"} {
			for i := range 100 {
				variation.seed(seed, table, minute.Add(time.Duration(i)*time.Minute))
				first[variation.Uint64()] = true
			}
		}
	}
	assert.Len(t, first, 10*4*100)
}

func TestDecodeFails(t *testing.T) {
	t.Parallel()
	_, err := decode([]byte("not compressed"))
	require.Error(t, err)
}
