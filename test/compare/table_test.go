package main

import (
	"math"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	got := comparison{"VictoriaLogs", []row{
		{"burst ingest", in("/s", whole), 1_234_567, 654_321},
		{"latency", in("ms", significant), 0.0123, 4.5},
		{"refused", whole, 3, 0},
		{"not measured", in("MB", whole), 12, math.NaN()},
	}}.table()
	const golden = `| measurement  |       savedq | VictoriaLogs |  ratio |
|--------------|-------------:|-------------:|-------:|
| burst ingest | 1,234,567 /s |   654,321 /s |    1.9 |
| latency      |     0.012 ms |       4.5 ms | 0.0027 |
| refused      |            3 |            0 |        |
| not measured |        12 MB |            - |        |
`
	if got != golden {
		t.Errorf("got\n%s\nwant\n%s", got, golden)
	}
}
