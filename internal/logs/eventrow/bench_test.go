package eventrow_test

import (
	"testing"
	"time"

	"savedq/internal/logs/demo"
	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// BenchmarkRow computes the rows of an hour of demo events. It counts the bytes of their metadata.
func BenchmarkRow(b *testing.B) {
	type sourced struct {
		source *sqlq.Table
		event  logevent.Event
	}
	var events []sourced
	bytes := 0
	generator := demo.New(7)
	shipped := tables.Shipped()
	for _, source := range shipped {
		for event := range generator.Events(source, noon(), noon().Add(time.Hour)) {
			events = append(events, sourced{source, event})
			bytes += len(event.Metadata)
		}
	}
	reader := eventrow.NewReader(shipped)
	b.SetBytes(int64(bytes / len(events)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		next := &events[i%len(events)]
		if _, err := reader.Row(next.source, &next.event, noon()); err != nil {
			b.Fatal(err)
		}
	}
}
