package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// dashboardInterval is the time between the starts of two dashboards, unless one takes longer.
	dashboardInterval = 200 * time.Millisecond
	// Each server shows dashboards alone and beside ingest in dashboardRounds periods.
	dashboardRounds = 2
	dashboardPeriod = 10 * time.Second
)

// dashboard asks a server for the last day of a project: the newest entries, the histogram and
// the facets, one after the other.
func dashboard(ctx context.Context, s *server, project string) (time.Duration, error) {
	var sum time.Duration
	now := time.Now()
	for _, kind := range []kind{search, histogram, facets} {
		_, took, err := s.ask(ctx, question{kind: kind, project: project, from: now.AddDate(0, 0, -1), to: now})
		if err != nil {
			return 0, err
		}
		sum += took
	}
	return sum, nil
}

// dashboards shows dashboards for a period and returns their times in milliseconds.
func dashboards(ctx context.Context, s *server) ([]float64, error) {
	var times []float64
	for number, end := 0, time.Now().Add(dashboardPeriod); time.Now().Before(end); number++ {
		begin := time.Now()
		took, err := dashboard(ctx, s, projectName(number%projectCount))
		if err != nil {
			return times, err
		}
		times = append(times, milliseconds(took))
		if err := sleep(ctx, dashboardInterval-time.Since(begin)); err != nil {
			return times, err
		}
	}
	return times, nil
}

// measureDashboards measures dashboards alone and beside a steady ingest, alternately.
func (r *run) measureDashboards(ctx context.Context, servers [2]*server) ([]row, error) {
	var alone, beside [2][]float64
	var accepted, offered [2]float64
	for round := range dashboardRounds {
		r.progress("dashboards alone and beside %s events/s: %d of %d", whole(r.rate), round+1, dashboardRounds)
		if err := rest(ctx, servers[:]...); err != nil {
			return nil, err
		}
		for turn := range 2 {
			which := (round + turn) % 2
			times, err := dashboards(ctx, servers[which])
			if err != nil {
				return nil, err
			}
			alone[which] = append(alone[which], times...)
		}
		for turn := range 2 {
			which := (round + turn) % 2
			times, events, due, err := r.dashboardsBeside(ctx, servers[which])
			if err != nil {
				return nil, err
			}
			beside[which] = append(beside[which], times...)
			accepted[which] += events
			offered[which] += due
		}
	}
	p99 := func(times []float64) float64 { value, _ := percentile(times, 0.99); return value }
	both := func(name string, format format, value func(which int) float64) row {
		return row{name, format, value(0), value(1)}
	}
	ms := in("ms", significant)
	besideRate := fmt.Sprintf("dashboard beside %s events/s", whole(r.rate))
	return []row{
		both("dashboard alone: median", ms, func(which int) float64 { return median(alone[which]) }),
		both("dashboard alone: p99", ms, func(which int) float64 { return p99(alone[which]) }),
		both(besideRate+": median", ms, func(which int) float64 { return median(beside[which]) }),
		both(besideRate+": p99", ms, func(which int) float64 { return p99(beside[which]) }),
		both("dashboard p99, beside / alone", significant, func(which int) float64 { return p99(beside[which]) / p99(alone[which]) }),
		both("accepted beside dashboards", in("%", significant), func(which int) float64 { return 100 * accepted[which] / offered[which] }),
	}, nil
}

func (r *run) dashboardsBeside(ctx context.Context, s *server) (times []float64, accepted, offered float64, err error) {
	var sent sent
	var due int
	var sendErr error
	var sender sync.WaitGroup
	sender.Go(func() { due, sendErr = r.corpus.steady(ctx, s, r.rate, dashboardPeriod, &sent) })
	times, err = dashboards(ctx, s)
	sender.Wait()
	if err == nil {
		err = sendErr
	}
	return times, float64(sent.events.Load()), float64(due), err
}
