package sqlcheck

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"savedq/internal/operations/memory"
	"savedq/sqlq"
)

// SetTimeout sets the time limit of the check of one saved query.
func (c *Checker) SetTimeout(timeout time.Duration) { c.timeout = timeout }

// Respond checks queries as a worker does.
func Respond(ctx context.Context, queries <-chan *sqlq.SavedQuery, checker Checks, watched func() (stop func())) error {
	return respond(ctx, queries, json.NewEncoder(io.Discard), checker, watched)
}

// MemoryLimit returns how much memory checks may take.
func MemoryLimit(available memory.Available, err error) int64 { return memoryLimit(available, err) }
