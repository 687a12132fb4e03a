package main

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

func TestCorpus(t *testing.T) {
	t.Parallel()
	for name, shuffled := range map[string]bool{"in order of time": false, "in no order": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const count = 12_345
			c, err := writeCorpus(t.Context(), t.TempDir(), newGenerator(1, count, end()), shuffled)
			if err != nil {
				t.Fatal(err)
			}
			defer c.file.Close() //nolint:errcheck // It is only read.
			ids, perProject, last := make(map[string]bool), make(map[string]int64), make(map[string]time.Time)
			var buffer []byte
			for _, request := range c.requests {
				if buffer, err = c.read(request, buffer); err != nil {
					t.Fatal(err)
				}
				lines := bytes.SplitAfter(bytes.TrimSuffix(buffer, []byte("\n")), []byte("\n"))
				if len(lines) != request.events || len(lines) > perRequest {
					t.Fatalf("%d lines in a request of %d events", len(lines), request.events)
				}
				for _, line := range lines {
					var event decoded
					if err := json.Unmarshal(line, &event); err != nil {
						t.Fatal(err)
					}
					if event.Source != request.source {
						t.Fatalf("an event of %s in a request of %s", event.Source, request.source)
					}
					ids[event.ID] = true
					perProject[event.Project]++
					last[event.Source] = event.Timestamp
				}
			}
			if len(ids) != count {
				t.Errorf("%d of %d events", len(ids), count)
			}
			for project, want := range c.perProject {
				if perProject[projectName(project)] != want {
					t.Errorf("%d events of project %d, counted %d", perProject[projectName(project)], project, want)
				}
			}
			for source, origin := range c.last {
				if !origin.time.Equal(last[sources()[source].name]) {
					t.Errorf("the last event of %s is at %v, not %v", sources()[source].name, last[sources()[source].name], origin.time)
				}
			}
		})
	}
}

func TestRelive(t *testing.T) {
	t.Parallel()
	g := newGenerator(1, 1000, end())
	var body []byte
	for number := range 10 {
		body, _ = g.append(body, number)
	}
	ids := make(map[string]bool)
	for pass := range uint32(300) {
		lived := bytes.Clone(body)
		if pass > 0 {
			relive(lived, pass, end().Add(time.Minute))
		}
		if len(lived) != len(body) {
			t.Fatal("the length differs")
		}
		for line := range bytes.Lines(lived) {
			var event decoded
			if err := json.Unmarshal(line, &event); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if pass > 0 && !event.Timestamp.Equal(end().Add(time.Minute)) {
				t.Fatalf("the time is %v", event.Timestamp)
			}
			ids[event.ID] = true
		}
	}
	if len(ids) != 3000 {
		t.Errorf("%d ids of 3,000 events", len(ids))
	}
}
