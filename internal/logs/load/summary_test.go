package load_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/internal/logs/load"
	"savedq/sqlq"
)

func TestSummaryLine(t *testing.T) {
	edge := &sqlq.Table{Name: "edge_logs"}
	tests := []struct {
		name    string
		summary load.Summary
		want    string
	}{
		{
			name: "everything",
			summary: load.Summary{
				Path: "app.ndjson", Source: edge, Loaded: 1234, Rejected: 2, RejectedPath: "app.ndjson.rejected.ndjson",
				Duplicates: 10, Duration: 1246 * time.Second / 56789,
			},
			want: "edge_logs ← app.ndjson: 1,234 events loaded, 2 rejected (app.ndjson.rejected.ndjson), 10 already stored, 56,789 events/s",
		},
		{
			name:    "one row",
			summary: load.Summary{Path: "one.json", Source: edge, Loaded: 1, Duration: time.Second},
			want:    "edge_logs ← one.json: 1 event loaded, 0 rejected, 1 events/s",
		},
		{
			name:    "millions",
			summary: load.Summary{Path: "big", Source: edge, Loaded: 1_234_567, Duration: 10 * time.Second},
			want:    "edge_logs ← big: 1,234,567 events loaded, 0 rejected, 123,456 events/s",
		},
		{
			name:    "a clock that stands still gives no speed",
			summary: load.Summary{Path: "a", Source: edge, Loaded: 999},
			want:    "edge_logs ← a: 999 events loaded, 0 rejected",
		},
		{
			name:    "an empty file",
			summary: load.Summary{Path: "a", Source: edge, Duration: time.Second},
			want:    "edge_logs ← a: 0 events loaded, 0 rejected",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, test.summary.String())
		})
	}
}
