package demo

import (
	"testing"
	"time"

	"savedq/sqlq/tables"
)

// BenchmarkEvents generates a week of all sources. The first start with demo logs waits
// for it. It must remain a small part of the ten seconds that filling an empty store may
// take.
func BenchmarkEvents(b *testing.B) {
	generator := seeded(1)
	from := time.Date(2026, time.November, 13, 10, 17, 0, 0, time.UTC)
	events, metadata := 0, 0
	for b.Loop() {
		for _, source := range tables.Shipped() {
			for event := range generator.Events(source, from, from.AddDate(0, 0, 7)) {
				events++
				metadata += len(event.Metadata)
			}
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(events)/float64(b.N), "events/op")
	b.ReportMetric(float64(metadata)/float64(events), "metadata-bytes/event")
}
