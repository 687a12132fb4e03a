package runner_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// engineFunc is an engine that is nothing but its Run.
type engineFunc func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error)

func (f engineFunc) Dialect() sqlq.Dialect { return duckdbsql.Dialect{} }
func (f engineFunc) Check(context.Context, *sqlq.SavedQuery) (*sqlq.Plan, error) {
	return &sqlq.Plan{}, nil
}

func (f engineFunc) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	return f(ctx, statement)
}

func newRunner(t *testing.T, engine engineFunc) finding {
	t.Helper()
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	now := time.Date(2026, 11, 20, 12, 0, 0, 123456789, time.FixedZone("CET", 3600))
	return finding{runner.New(sqlqtest.Config(catalog, engine, func() time.Time { return now }))}
}

// D1: every run gets "now" from the injected clock, in UTC, in microseconds.
func TestRunBindsNow(t *testing.T) {
	t.Parallel()
	result := &sqlq.Result{}
	now := time.Date(2026, 11, 20, 11, 0, 0, 123456000, time.UTC)
	queryRunner := newRunner(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		assert.Equal(t, "logs.all", statement.Query.Name)
		assert.Equal(t, now, statement.Now)
		assert.Equal(t, "acme", statement.Args[0].Value)
		return result, nil
	})
	for _, nameOrID := range []string{"logs.all", "C4D5E6F7-1A2B-4C3D-8E9F-0A1B2C3D4E32"} {
		entry, err := queryRunner.Run(t.Context(), runner.Request{Query: named(nameOrID), Params: map[string][]string{"project": {"acme"}}})
		require.NoError(t, err)
		assert.Equal(t, now, entry.AsOf)
		assert.Same(t, result, entry.Result)
		assert.Equal(t, "logs.all", entry.Query.Name)
	}
}

// A run as of a moment is not the run of now, nor of another moment, and is kept for none of them.
func TestRunAt(t *testing.T) {
	t.Parallel()
	var ran []time.Time
	queryRunner := newRunner(t, func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		ran = append(ran, statement.Now)
		return &sqlq.Result{}, nil
	})
	then := time.Date(2026, 11, 13, 11, 0, 0, 0, time.UTC)
	for _, at := range []time.Time{{}, then, then, then.Add(time.Hour), {}} {
		response, err := queryRunner.Run(t.Context(), runner.Request{Query: named("usage.api-counts"), At: at, Params: map[string][]string{"project": {"acme"}, "interval": {"hourly"}}})
		require.NoError(t, err)
		if !at.IsZero() {
			assert.Equal(t, at, response.AsOf)
		}
	}
	now := time.Date(2026, 11, 20, 11, 0, 0, 123456000, time.UTC)
	assert.Equal(t, []time.Time{now, then, then, then.Add(time.Hour)}, ran, "the last is from the cache")
}

func TestRunRejectsBeforeTheEngineRuns(t *testing.T) {
	t.Parallel()
	queryRunner := newRunner(t, func(context.Context, sqlq.Statement) (*sqlq.Result, error) {
		t.Error("the engine ran")
		return nil, errors.New("unexpected")
	})
	_, err := queryRunner.Run(t.Context(), runner.Request{Query: named("logs.none")})
	assert.Equal(t, sqlq.NotFound, sqlq.AsError(err).Code)
	require.EqualError(t, err, `there is no saved query with the name or id "logs.none"`)
	_, err = queryRunner.Run(t.Context(), runner.Request{Query: named("logs.al")})
	require.EqualError(t, err, `there is no saved query with the name or id "logs.al"; did you mean "logs.all"?`)
	_, err = queryRunner.Run(t.Context(), runner.Request{Query: named("logs.all")})
	assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
}

func TestRunReturnsCodes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want sqlq.Code
	}{
		"an engine's own code":  {sqlq.Errorf(sqlq.ResourceExhausted, "too many bytes"), sqlq.ResourceExhausted},
		"an engine's own cause": {errors.New("disk on fire"), sqlq.Internal},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queryRunner := newRunner(t, func(context.Context, sqlq.Statement) (*sqlq.Result, error) { return nil, test.err })
			_, err := queryRunner.Run(t.Context(), requestFor(uncached, "acme"))
			assert.Equal(t, test.want, sqlq.AsError(err).Code)
			assert.ErrorIs(t, err, test.err)
		})
	}
}

// A query that takes too long has another code than a caller who left.
func TestRunTimesOut(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context, _ sqlq.Statement) (*sqlq.Result, error) {
		<-ctx.Done()
		return nil, errors.New("interrupted")
	}
	synctest.Test(t, func(t *testing.T) {
		_, err := newRunner(t, hang).Run(t.Context(), requestFor(uncached, "acme"))
		assert.Equal(t, sqlq.DeadlineExceeded, sqlq.AsError(err).Code)
		assert.Equal(t, "the query took longer than 30s; ask for a shorter time range or try again later", sqlq.AsError(err).PublicText(""))
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		_, err := newRunner(t, hang).Run(ctx, requestFor(uncached, "acme"))
		assert.Equal(t, sqlq.DeadlineExceeded, sqlq.AsError(err).Code, "the caller's own deadline")
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, leave)
		_, err := newRunner(t, hang).Run(ctx, requestFor(uncached, "acme"))
		assert.Equal(t, sqlq.Cancelled, sqlq.AsError(err).Code)
	})
}
