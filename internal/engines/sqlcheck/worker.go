package sqlcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"savedq/internal/operations/memory"
	"savedq/sqlq"
)

// response is the worker's response to one saved query. The worker writes an empty response
// when it is ready.
type response struct {
	Plan     *sqlq.Plan      `json:"plan,omitempty"`
	Mistakes sqlq.FileErrors `json:"mistakes,omitempty"`
	// Error is a failure that the saved query did not cause.
	Error string `json:"error,omitempty"`
}

// statusMemory is the exit status of a worker that exceeds the memory limit.
const statusMemory = 3

// Checks checks saved queries, as [sqlq.Engine] does.
type Checks interface {
	Check(ctx context.Context, query *sqlq.SavedQuery) (*sqlq.Plan, error)
}

// Work checks the saved queries that it reads, one after the other, until the input ends.
// It then returns even if a check is still running, because nobody reads the result. A check
// that takes too much memory ends the process.
func Work(ctx context.Context, in io.Reader, out io.Writer, checker Checks) error {
	watch := memory.NewWatch(memoryLimit(memory.Read()))
	watched := func() (stop func()) { return watch.Start(func() { os.Exit(statusMemory) }) }
	queries, failed := make(chan *sqlq.SavedQuery), make(chan error, 1)
	go func() { failed <- respond(ctx, queries, json.NewEncoder(out), checker, watched) }()
	decoder := json.NewDecoder(in)
	for {
		var query sqlq.SavedQuery
		if err := decoder.Decode(&query); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a saved query: %w", err)
		}
		select {
		case queries <- &query:
		case err := <-failed:
			return err
		}
	}
}

// respond writes a response to each query. It calls watched before a check, and stop after it.
func respond(ctx context.Context, queries <-chan *sqlq.SavedQuery, out *json.Encoder, checker Checks, watched func() (stop func())) error {
	if err := out.Encode(response{}); err != nil {
		return fmt.Errorf("report that the check is ready: %w", err)
	}
	for query := range queries {
		var result response
		stop := watched()
		plan, err := checker.Check(ctx, query)
		stop()
		result.Plan = plan
		if err != nil && !errors.As(err, &result.Mistakes) {
			result.Error = err.Error()
		}
		if err := out.Encode(result); err != nil {
			return fmt.Errorf("write the result of a check: %w", err)
		}
	}
	return nil
}
