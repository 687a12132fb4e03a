package main

import (
	"context"
	"math"
	"time"
)

// loaded is what a server did with all events.
type loaded struct {
	// rate is the median of the bursts in events/s, and visible that of the seconds from the last
	// response until queries found everything.
	rate, visible float64
	refused       float64
	// rest is what the server has used when it is idle again, and processor what of that is ingest.
	rest      resources
	processor time.Duration
}

// load sends all events to fresh servers of both products, alternately. It returns the servers of the
// last round, which keep their events.
func (r *run) load(ctx context.Context) (servers [2]*server, results [2]loaded, err error) {
	var rates, visible [2][]float64
	for round := range r.bursts {
		for turn := range 2 {
			which := (round + turn) % 2 // each is the first in every other round
			r.progress("burst %d of %d: %s", round+1, r.bursts, r.products[which].name())
			s, err := r.start(ctx, r.products[which])
			if err != nil {
				return servers, results, err
			}
			before, err := s.resources()
			if err != nil {
				return servers, results, err
			}
			var sent sent
			took, err := r.corpus.burst(ctx, s, &sent)
			if err != nil {
				return servers, results, err
			}
			delay, err := r.corpus.awaitVisible(ctx, s)
			if err != nil {
				return servers, results, err
			}
			rates[which] = append(rates[which], float64(r.corpus.events)/took.Seconds())
			visible[which] = append(visible[which], delay.Seconds())
			results[which].refused += float64(sent.refused.Load())
			if round < r.bursts-1 {
				r.stop(s)
				continue
			}
			r.progress("waiting until %s is idle", s.name())
			servers[which] = s
			if err := rest(ctx, s); err != nil {
				return servers, results, err
			}
			if results[which].rest, err = s.resources(); err != nil {
				return servers, results, err
			}
			results[which].processor = results[which].rest.processor - before.processor
		}
	}
	for which := range results {
		results[which].rate, results[which].visible = median(rates[which]), median(visible[which])
	}
	return servers, results, nil
}

func loadRows(results [2]loaded) []row {
	of := func(name string, format format, value func(loaded) float64) row {
		return row{name, format, value(results[0]), value(results[1])}
	}
	return []row{
		of("burst ingest", in("events/s", whole), func(l loaded) float64 { return l.rate }),
		of("burst: refused requests", whole, func(l loaded) float64 { return l.refused }),
		of("burst: until all is visible", in("s", significant), func(l loaded) float64 { return l.visible }),
		of("burst: processor time", in("s", significant), func(l loaded) float64 { return l.processor.Seconds() }),
		of("at rest: disk", in("MB", whole), func(l loaded) float64 { return float64(l.rest.disk) / 1e6 }),
		of("at rest: resident memory", in("MB", whole), func(l loaded) float64 { return float64(l.rest.resident) / 1e6 }),
		of("most resident memory of a burst", in("MB", whole), func(l loaded) float64 { return float64(l.rest.maximum) / 1e6 }),
	}
}

func median(values []float64) float64 {
	value, found := percentile(values, 0.5)
	if !found {
		return math.NaN()
	}
	return value
}
