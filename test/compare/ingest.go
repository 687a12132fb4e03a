package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// connections is the number of requests that a server gets at a time.
const connections = 4

// sent is what a server accepted and refused.
type sent struct {
	events, requests, refused atomic.Int64
}

// insert sends a body until the server accepts it. It counts refusals and waits as long as they ask for.
func (s *server) insert(ctx context.Context, source string, body []byte, events int, sent *sent) error {
	sent.requests.Add(1)
	for {
		_, _, err := s.do(ctx, http.MethodPost, s.insertPath(source), body)
		if err == nil {
			sent.events.Add(int64(events))
			return nil
		}
		var status *statusError
		if !errors.As(err, &status) {
			return errors.Join(err, s.alive())
		}
		wait, refused := refusal(status)
		if !refused {
			return err
		}
		sent.refused.Add(1)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// job is a request to send: the number of a request of the corpus, and 0 or the pass for which its
// events get new ids and times.
type job struct {
	number int
	pass   uint32
}

// burst sends all events as fast as the server takes them, and returns how long that took.
func (c *corpus) burst(ctx context.Context, s *server, sent *sent) (time.Duration, error) {
	jobs := make(chan job, len(c.requests))
	for number := range c.requests {
		jobs <- job{number: number}
	}
	close(jobs)
	begin := time.Now()
	err := c.send(ctx, s, jobs, sent)
	return time.Since(begin), err
}

// steady sends new events at a rate in events/s for a duration, and stops then even if the server
// has not taken all. It returns how many events it should have sent.
func (c *corpus) steady(ctx context.Context, s *server, rate float64, duration time.Duration, sent *sent) (int, error) {
	timed, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	jobs := make(chan job, len(c.requests))
	go func() {
		defer close(jobs)
		begin, due, pass := time.Now(), 0.0, uint32(0)
		for number := 0; ; number = (number + 1) % len(c.requests) {
			if number == 0 {
				pass = c.passes.Add(1)
			}
			if sleep(timed, time.Duration(due/rate*float64(time.Second))-time.Since(begin)) != nil {
				return
			}
			select {
			case jobs <- job{number, pass}:
				due += float64(c.requests[number].events)
			case <-timed.Done():
				return
			}
		}
	}()
	err := c.send(timed, s, jobs, sent)
	if ctx.Err() == nil && timed.Err() != nil {
		err = nil // the time is over
	}
	return int(rate * duration.Seconds()), err
}

// send sends the requests over some connections.
func (c *corpus) send(ctx context.Context, s *server, jobs <-chan job, sent *sent) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var senders sync.WaitGroup
	for range connections {
		senders.Go(func() {
			var body []byte
			for job := range jobs {
				request := c.requests[job.number]
				var err error
				if body, err = c.read(request, body); err == nil {
					if job.pass > 0 {
						relive(body, job.pass, time.Now())
					}
					err = s.insert(ctx, request.source, body, request.events, sent)
				}
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	senders.Wait()
	return context.Cause(ctx)
}

// awaitVisible waits until queries find everything that was sent. The last event of each source is
// looked for in its microsecond, which takes the servers little time. Then all are counted.
func (c *corpus) awaitVisible(ctx context.Context, s *server) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	begin := time.Now()
	for _, last := range c.last {
		if last.time.IsZero() {
			continue // there are no events of the source
		}
		q := question{kind: search, project: projectName(last.project), from: last.time.Add(-time.Microsecond), to: last.time}
		if err := awaitCount(ctx, s, q, 1); err != nil {
			return 0, err
		}
	}
	visible := time.Since(begin)
	for project, want := range c.perProject {
		q := question{kind: histogram, project: projectName(project), from: c.end.Add(-period - time.Hour), to: c.end}
		found, _, err := s.ask(ctx, q)
		if err != nil {
			return 0, err
		}
		if found.sum() == want {
			continue
		}
		if err := awaitCount(ctx, s, q, want); err != nil {
			return 0, err
		}
		visible = time.Since(begin)
	}
	return visible, nil
}

func awaitCount(ctx context.Context, s *server, q question, want int64) error {
	for {
		found, _, err := s.ask(ctx, q)
		if err != nil {
			return err
		}
		if found.sum() == want {
			return nil
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return fmt.Errorf("%s shows %d events of %s, and %d were sent: %w", s.name(), found.sum(), q.project, want, err)
		}
	}
}
