package main

import (
	"context"
	"fmt"
	"time"
)

// task is a question that is asked many times, about a project at a time.
type task struct {
	name     string
	days     int
	question question
}

func tasks() []task {
	return []task{
		{"newest 100, 1 day", 1, question{kind: search}},
		{"rare word, 7 days", 7, question{kind: search, word: rareWord}},
		{"rare word, VictoriaLogs: exact case", 7, question{kind: search, word: rareWord, match: exactWord}},
		{"rare word, VictoriaLogs: part of a word", 7, question{kind: search, word: rareWord, match: substringInAnyCase}},
		{"common word, newest 100, 7 days", 7, question{kind: search, word: commonWord}},
		{"histogram by hour, 7 days", 7, question{kind: histogram}},
		{"histogram of a common word, 7 days", 7, question{kind: histogram, word: commonWord}},
		{"facets, 7 days", 7, question{kind: facets}},
	}
}

// round returns the question of a round. Rounds differ in the project, and by a second in the
// beginning of a week, before which there are no events. No two rounds are equal, so no cache
// can answer.
func (t task) round(round int, end time.Time) question {
	q := t.question
	q.project = projectName(round % projectCount)
	q.from, q.to = end.AddDate(0, 0, -t.days).Add(-time.Duration(round+1)*time.Second), end
	return q
}

// measureQueries asks both servers the same questions, alternately, and compares what they find.
func (r *run) measureQueries(ctx context.Context, servers [2]*server) ([]row, error) {
	var rows []row
	for _, task := range tasks() {
		r.progress("%s: %d rounds", task.name, r.rounds)
		var times [2][]float64
		var events int64
		for round := range r.rounds + 1 {
			q := task.round(round, r.corpus.end)
			var found [2]answer
			for turn := range 2 {
				which := (round + turn) % 2
				answer, took, err := servers[which].ask(ctx, q)
				if err != nil {
					return rows, err
				}
				found[which] = answer
				if round > 0 { // the first one warms up
					times[which] = append(times[which], milliseconds(took))
				}
			}
			events += found[0].sum()
			if err := mismatch(task.name+" of "+q.project, found[0], found[1]); err != nil {
				return rows, err
			}
		}
		if events == 0 {
			return rows, fmt.Errorf("%s: no round finds an event; use more -events or -rounds", task.name)
		}
		rows = append(rows, row{task.name, in("ms", significant), median(times[0]), median(times[1])})
	}
	return rows, nil
}

func milliseconds(duration time.Duration) float64 { return duration.Seconds() * 1000 }
