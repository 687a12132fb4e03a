package sqlcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"savedq/sqlq"
)

// response is what the worker writes for each saved query that it reads. It writes an
// empty one when it is ready.
type response struct {
	Plan     *sqlq.Plan      `json:"plan,omitempty"`
	Mistakes sqlq.FileErrors `json:"mistakes,omitempty"`
	// Error is a failure that is not the fault of the saved query.
	Error string `json:"error,omitempty"`
}

// statusMemory is the exit status of a worker that took too much memory.
const statusMemory = 3

// Work checks the saved queries that it reads, one after the other, until the input ends.
// Work returns then even if a check is still running, so that the process can end: nobody
// waits for the result any more. A check that takes too much memory ends the process.
func Work(ctx context.Context, in io.Reader, out io.Writer, engine sqlq.Engine) error {
	watchMemory(memoryLimit, func() { os.Exit(statusMemory) })
	queries, failed := make(chan *sqlq.SavedQuery), make(chan error, 1)
	go func() { failed <- respond(ctx, queries, json.NewEncoder(out), engine) }()
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

// respond writes a response for each query.
func respond(ctx context.Context, queries <-chan *sqlq.SavedQuery, out *json.Encoder, engine sqlq.Engine) error {
	if err := out.Encode(response{}); err != nil {
		return fmt.Errorf("say that the check is ready: %w", err)
	}
	for query := range queries {
		var answer response
		plan, err := engine.Check(ctx, query)
		answer.Plan = plan
		if err != nil && !errors.As(err, &answer.Mistakes) {
			answer.Error = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			return fmt.Errorf("write the result of a check: %w", err)
		}
	}
	return nil
}
