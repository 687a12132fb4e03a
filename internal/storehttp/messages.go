// Package storehttp lets operators maintain the store of a running server: a handler, and a
// client for it.
package storehttp

import (
	"errors"
	"time"

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

// deleteMessage is [upkeep.Erasure] in JSON.
type deleteMessage struct {
	Project string     `json:"project"`
	Sources []string   `json:"sources,omitempty"`
	Before  *time.Time `json:"before,omitempty"`
	DryRun  bool       `json:"dry_run,omitempty"`
}

// erasure returns the selection, or an error for the caller.
func (m *deleteMessage) erasure() (upkeep.Erasure, error) {
	erasure := upkeep.Erasure{Project: m.Project, Sources: m.Sources, DryRun: m.DryRun}
	if m.Project == "" {
		return erasure, errors.New("project: is required")
	}
	if m.Before != nil {
		erasure.Before = m.Before.UTC()
		if err := upkeep.CheckBefore("before", erasure.Before); err != nil {
			return erasure, err
		}
	}
	if m.Sources != nil && len(m.Sources) == 0 {
		return erasure, errors.New("sources: is empty; name sources, or leave it out for all")
	}
	return erasure, nil
}

// deletedMessage lists what was deleted.
type deletedMessage struct {
	Deleted []upkeep.Deleted `json:"deleted"`
}
