package main

import (
	"context"
	"time"
)

const (
	// sustainedShare is the share of VictoriaLogs' burst rate that both servers get.
	sustainedShare  = 0.8
	sustainedPeriod = 15 * time.Second
)

// measureSustained sends both servers events at a rate that VictoriaLogs can take.
func (r *run) measureSustained(ctx context.Context, servers [2]*server, burst float64) ([]row, error) {
	rate := sustainedShare * burst
	var accepted, refused [2]float64
	for which, s := range servers {
		r.progress("sustained ingest of %s events/s: %s", whole(rate), s.name())
		if err := rest(ctx, servers[:]...); err != nil {
			return nil, err
		}
		var sent sent
		if _, err := r.corpus.steady(ctx, s, rate, sustainedPeriod, &sent); err != nil {
			return nil, err
		}
		accepted[which] = float64(sent.events.Load()) / sustainedPeriod.Seconds()
		refused[which] = float64(sent.refused.Load())
	}
	name := "sustained ingest of " + whole(rate) + " events/s: "
	return []row{
		{name + "accepted", in("events/s", whole), accepted[0], accepted[1]},
		{name + "refused requests", whole, refused[0], refused[1]},
	}, nil
}
