package runner_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// A stream passes the engine's rows on and is paid for; without Emit it is refused.
func TestStream(t *testing.T) {
	t.Parallel()
	query := &sqlq.SavedQuery{Name: "all", Stream: true, MaxRows: 10, Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}}
	broken := errors.New("broken pipe")
	for name, streams := range map[string]bool{"an engine that streams": true, "one that does not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			queryRunner := newRunner(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
				runs++
				rows := [][]any{{int64(1)}, {int64(2)}}
				if !streams {
					return &sqlq.Result{Columns: query.Columns, Rows: rows}, nil
				}
				return &sqlq.Result{Columns: query.Columns, Streamed: 2}, statement.Emit(sqlq.BatchOf(query.Columns, rows))
			})
			account := &fakeAccount{}
			var received [][]any
			request := runner.Request{Query: query, Account: account, Emit: func(batch *sqlq.Batch) error { received = slices.AppendSeq(received, batch.Rows()); return nil }}
			for range 2 {
				response, err := queryRunner.Runner.Run(t.Context(), request)
				require.NoError(t, err)
				assert.Equal(t, runner.Off, response.Cache)
				assert.Equal(t, 2, response.Result.RowCount())
			}
			assert.Len(t, received, 4)
			assert.Equal(t, 2, runs, "nothing is cached")
			account.assertPaid(t, 2, 0, runner.EngineRun{Rows: 2}, runner.EngineRun{Rows: 2})

			request.HeadersOnly = true
			response, err := queryRunner.Runner.Run(t.Context(), request)
			require.NoError(t, err)
			assert.Zero(t, response.Result.RowCount())
			assert.Len(t, received, 4)
			assert.Equal(t, 2, runs, "the headers need no run")
			request.HeadersOnly = false

			request.Emit = func(*sqlq.Batch) error { return broken }
			_, err = queryRunner.Runner.Run(t.Context(), request)
			require.ErrorIs(t, err, broken)
			assert.Equal(t, sqlq.Cancelled, sqlq.AsError(err).Code)

			account.refuses = sqlq.Errorf(sqlq.ResourceExhausted, "nothing is left")
			_, err = queryRunner.Runner.Run(t.Context(), request)
			require.ErrorIs(t, err, account.refuses)

			request.Emit = nil
			_, err = queryRunner.Runner.Run(t.Context(), request)
			require.ErrorContains(t, err, "ask REST for it with format=ndjson, csv, parquet or arrow")
			assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
		})
	}
}

// A server that cancels a stream gives the reason; a caller who leaves is the reason itself.
func TestCancelledStream(t *testing.T) {
	t.Parallel()
	query := &sqlq.SavedQuery{Name: "all", Stream: true, MaxRows: 10, Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}}
	for code, cause := range map[sqlq.Code]error{
		sqlq.Unavailable: sqlq.Errorf(sqlq.Unavailable, "the server is shutting down"),
		sqlq.Cancelled:   nil,
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			queryRunner := newRunner(t, func(ctx context.Context, _ sqlq.Statement) (*sqlq.Result, error) {
				cancel(cause)
				<-ctx.Done()
				return nil, ctx.Err()
			})
			_, err := queryRunner.Runner.Run(ctx, runner.Request{Query: query, Emit: func(*sqlq.Batch) error { return nil }})
			assert.Equal(t, code, sqlq.AsError(err).Code)
		})
	}
}
