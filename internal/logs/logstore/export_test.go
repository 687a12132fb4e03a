package logstore

import (
	"time"

	"golang.org/x/time/rate"

	"savedq/sqlq"
)

// WithSteps calls a function before each step that changes files. An error takes the place of the step.
func WithSteps(before func(step string) error) Option {
	return func(c *config) { c.beforeStep = before }
}

// WithMostRejected limits the rejected events that are kept.
func WithMostRejected(events int) Option { return func(c *config) { c.mostRejected = events } }

// WithRunsKept limits the runs of each saved query, and of all.
func WithRunsKept(each, all int64) Option {
	return func(c *config) { c.runsKept = runsKept{each, all} }
}

// MostChanges limits the changes that are remembered.
const MostChanges = mostChanges

// NoteRange notes a change.
func (c *Changes) NoteRange(source *sqlq.Table, changed sqlq.Range) { c.noteRange(source, changed) }

// WithFree sets what returns how much is free on a disk.
func WithFree(free func(directory string) (bytes int64, known bool)) Option {
	return func(c *config) { c.free = free }
}

// AttachError explains why an old store cannot be read.
func AttachError(directory string, err error) error { return attachError(directory, err) }

// WithAttempts limits how often the store is opened again.
func WithAttempts(attempts *rate.Limiter) Option {
	return func(c *config) { c.attempts = attempts }
}

// WithPatience sets how long a new connection waits for the store to be opened again.
func WithPatience(patience time.Duration) Option {
	return func(c *config) { c.patience = patience }
}

// WithRangeBytes sets how large the parts of several days are at most.
func WithRangeBytes(bytes int64) Option { return func(c *config) { c.rangeBytes = bytes } }

// SnapshotPause returns the time between the end of a snapshot that took some time and the next one.
func SnapshotPause(took time.Duration) time.Duration { return pauseAfter(took) }
