package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func end() time.Time { return time.Date(2026, 11, 28, 7, 0, 0, 0, time.UTC) }

type decoded struct {
	ID           string         `json:"id"`
	Timestamp    time.Time      `json:"timestamp"`
	Source       string         `json:"source"`
	Project      string         `json:"project"`
	EventMessage string         `json:"event_message"`
	Metadata     map[string]any `json:"metadata"`
}

// docs/performance.md describes the events with these figures.
func TestEvents(t *testing.T) {
	t.Parallel()
	const count = 40_000
	g := newGenerator(1, count, end())
	ids, perSource, perProject, words := make(map[string]bool), make(map[string]int), make(map[string]int), make(map[string]int)
	var previous time.Time
	size := 0
	for number := range count {
		line, origin := g.append(nil, number)
		size += len(line)
		var event decoded
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if event.ID != string(line[idOffset:][:idLength]) || event.Timestamp.Format(timeLayout) != string(line[timeOffset:][:len(timeLayout)]) {
			t.Fatalf("the id or the time is not at its place: %s", line)
		}
		if !event.Timestamp.Equal(origin.time) || event.Source != sources()[origin.source].name || event.Project != projectName(origin.project) {
			t.Fatalf("origin %v of %s", origin, line)
		}
		if !event.Timestamp.After(previous) || event.Timestamp.Before(end().Add(-period)) || !event.Timestamp.Before(end()) {
			t.Fatalf("time %v after %v", event.Timestamp, previous)
		}
		previous = event.Timestamp
		ids[event.ID] = true
		perSource[event.Source]++
		perProject[event.Project]++
		for word := range strings.FieldsSeq(event.EventMessage) {
			words[word]++
		}
		if len(event.Metadata) == 0 {
			t.Fatalf("no metadata: %s", line)
		}
	}
	if len(ids) != count {
		t.Errorf("%d ids of %d events", len(ids), count)
	}
	requireBetween(t, "bytes per event", size/count, 560, 680)
	requireBetween(t, commonWord, words[commonWord], count/10*9/10, count/10*11/10)
	requireBetween(t, rareWord, words[rareWord], 1, count/10_000*3)
	for _, source := range sources() {
		requireBetween(t, source.name, perSource[source.name], count*source.share/100*9/10, count*source.share/100*11/10)
	}
	for project := range projectCount {
		requireBetween(t, projectName(project), perProject[projectName(project)], count/projectCount*9/10, count/projectCount*11/10)
	}
}

func requireBetween(t *testing.T, what string, value, low, high int) {
	t.Helper()
	if value < low || value > high {
		t.Errorf("%s: %d, want %d to %d", what, value, low, high)
	}
}

func TestEventsAreAFunctionOfTheSeed(t *testing.T) {
	t.Parallel()
	first, again, other := newGenerator(1, 1000, end()), newGenerator(1, 1000, end()), newGenerator(2, 1000, end())
	for _, number := range []int{999, 0, 500} {
		line, _ := first.append(nil, number)
		again.append(nil, number/2) // events do not depend on those before
		same, _ := again.append(nil, number)
		different, _ := other.append(nil, number)
		if string(line) != string(same) {
			t.Errorf("one seed gives two events:\n%s%s", line, same)
		}
		if string(line) == string(different) {
			t.Errorf("two seeds give the event %s", line)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	g := newGenerator(1, 1000, end())
	ordered, shuffled, again := g.order(false), g.order(true), g.order(true)
	seen, ascending := make(map[int]bool), 0
	for position := range g.count {
		if ordered(position) != position {
			t.Fatalf("event %d is sent as number %d in order of time", ordered(position), position)
		}
		if shuffled(position) != again(position) {
			t.Fatal("the order is not a function of the seed")
		}
		seen[shuffled(position)] = true
		if position > 0 && shuffled(position) > shuffled(position-1) {
			ascending++
		}
	}
	if len(seen) != g.count {
		t.Errorf("%d of %d events are sent", len(seen), g.count)
	}
	requireBetween(t, "ascending neighbours", ascending, 400, 600)
}
