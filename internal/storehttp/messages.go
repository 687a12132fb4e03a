// Package storehttp lets operators maintain the store of a running server: a handler, and a
// client for it.
package storehttp

import (
	"errors"
	"time"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
)

// Paths of the handler.
const (
	Path         = "/api/store/"
	statsPath    = Path + "stats"
	deletePath   = Path + "delete"
	rejectedPath = Path + "rejected"
	backupPath   = Path + "backup"
)

// statsMessage is [logstore.Stats] in JSON.
type statsMessage struct {
	Sources       []sourceMessage `json:"sources"`
	Rejected      int64           `json:"rejected"`
	FileBytes     int64           `json:"file_bytes"`
	FreeBytes     int64           `json:"free_bytes"`
	WriteLogBytes int64           `json:"log_bytes"`
}

type sourceMessage struct {
	Source   string     `json:"source"`
	Events   int64      `json:"events"`
	Bytes    int64      `json:"bytes"`
	Oldest   *time.Time `json:"oldest"`
	Newest   *time.Time `json:"newest"`
	LastHour int64      `json:"last_hour"`
	LastDay  int64      `json:"last_day"`
}

func messageOf(stats logstore.Stats) statsMessage {
	message := statsMessage{Rejected: stats.Rejected, FileBytes: stats.FileBytes, FreeBytes: stats.FreeBytes, WriteLogBytes: stats.LogBytes}
	for _, source := range stats.Sources {
		message.Sources = append(message.Sources, sourceMessage{
			Source: source.Source, Events: source.Events, Bytes: source.Bytes, Oldest: timeOrNil(source.Oldest, source.Events > 0), Newest: timeOrNil(source.Newest, source.Events > 0),
			LastHour: source.LastHour, LastDay: source.LastDay,
		})
	}
	return message
}

func (m *statsMessage) stats() logstore.Stats {
	stats := logstore.Stats{Rejected: m.Rejected, FileBytes: m.FileBytes, FreeBytes: m.FreeBytes, LogBytes: m.WriteLogBytes}
	for _, source := range m.Sources {
		stats.Sources = append(stats.Sources, logstore.SourceStats{
			Source: source.Source, Events: source.Events, Bytes: source.Bytes, Oldest: timeOf(source.Oldest), Newest: timeOf(source.Newest),
			LastHour: source.LastHour, LastDay: source.LastDay,
		})
	}
	return stats
}

func timeOrNil(at time.Time, known bool) *time.Time {
	if !known {
		return nil
	}
	return &at
}

func timeOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}

// deleteMessage is [upkeep.Erasure] in JSON.
type deleteMessage struct {
	Project string     `json:"project"`
	Sources []string   `json:"sources,omitempty"`
	Before  *time.Time `json:"before,omitempty"`
	DryRun  bool       `json:"dry_run,omitempty"`
}

// erasure returns the selection, or an error for the caller.
func (m *deleteMessage) erasure() (upkeep.Erasure, error) {
	erasure := upkeep.Erasure{Project: m.Project, Before: timeOf(m.Before), DryRun: m.DryRun}
	if m.Project == "" {
		return erasure, errors.New("project: is required")
	}
	if m.Before != nil {
		if err := upkeep.CheckBefore("before", erasure.Before); err != nil {
			return erasure, err
		}
	}
	if m.Sources != nil && len(m.Sources) == 0 {
		return erasure, errors.New("sources: is empty; name sources, or leave it out for all")
	}
	erasure.Sources = m.Sources
	return erasure, nil
}

// deletedMessage lists what was deleted.
type deletedMessage struct {
	Deleted []deletedSource `json:"deleted"`
}

type deletedSource struct {
	Source string `json:"source"`
	Events int64  `json:"events"`
}
