package bigquery_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// Whatever ends a run ends its job on the service, too, where it runs.
func TestRunCancelsItsJob(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limit time.Duration // of the caller's context
		leave time.Duration
		want  sqlq.Code
		after time.Duration
	}{
		"a caller leaves":       {time.Hour, 3 * time.Second, sqlq.Cancelled, 3 * time.Second},
		"the caller's deadline": {5 * time.Second, time.Hour, sqlq.DeadlineExceeded, 5 * time.Second},
		"the job's own timeout": {time.Hour, time.Hour, sqlq.DeadlineExceeded, 25 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := &fakeService{results: neverComplete}
				engine := open(t, fake)
				ctx, stop := context.WithTimeout(t.Context(), test.limit)
				defer stop()
				ctx, leave := context.WithCancel(ctx)
				defer leave()
				timer := time.AfterFunc(test.leave, leave)
				defer timer.Stop()
				start := time.Now()
				result, err := engine.Run(ctx, numbers(5))
				require.Error(t, err)
				assert.Nil(t, result)
				assert.Equal(t, test.want, sqlq.AsError(err).Code)
				assert.Equal(t, test.after, time.Since(start))
				require.Len(t, fake.requestIDs, 1)
				assert.Equal(t, []string{"job_" + fake.requestIDs[0] + " EU"}, fake.cancels, "in the location that the service found")
			})
		})
	}
}

// The attempt to cancel bears failures, waits for a job that is still on its
// way, and does not go on for ever.
func TestCancelIsPatient(t *testing.T) {
	t.Parallel()
	broken := refusal(http.StatusServiceUnavailable, "backendError", "")
	unknown := refusal(http.StatusNotFound, "notFound", "Not found: Job p:savedq")
	tests := map[string]struct {
		responses []response
		cancels   func(int) bool
		after     time.Duration // at most
	}{
		"passing failures":    {[]response{broken, unknown, broken, ok(`{}`)}, func(n int) bool { return n == 4 }, 5 * time.Second},
		"a job never found":   {[]response{unknown}, func(n int) bool { return n > 2 }, 5 * time.Second},
		"no right to do that": {[]response{refusal(http.StatusForbidden, "accessDenied", "")}, func(n int) bool { return n == 1 }, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := &fakeService{results: neverComplete, cancel: inTurn(test.responses...)}
				engine := open(t, fake)
				ctx, stop := context.WithTimeout(t.Context(), time.Second)
				defer stop()
				start := time.Now()
				_, err := engine.Run(ctx, numbers(5))
				assert.Equal(t, sqlq.DeadlineExceeded, sqlq.AsError(err).Code)
				assert.True(t, test.cancels(len(fake.cancels)), len(fake.cancels))
				assert.LessOrEqual(t, time.Since(start), time.Second+test.after)
			})
		})
	}
}

// A response that arrives after its caller has left names the job, which is then cancelled.
// Nothing is to be cancelled if the query is complete, or has no response.
func TestRunCancelsQueryWithoutResponse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		leave   time.Duration // of the caller
		respond time.Duration
		query   func(*rest.QueryRequest) response
		want    sqlq.Code
		after   time.Duration
		cancels int
	}{
		"the service creates a job late":   {time.Second, 2 * time.Second, created, sqlq.Cancelled, 2 * time.Second, 1},
		"the query completes":              {time.Second, 2 * time.Second, completed, sqlq.Cancelled, 2 * time.Second, 0},
		"the query fails":                  {time.Second, 2 * time.Second, failing, sqlq.Cancelled, 2 * time.Second, 0},
		"the service does not respond":     {time.Second, time.Hour, created, sqlq.Cancelled, 6 * time.Second, 0},
		"the service does not accept it":   {time.Hour, time.Hour, created, sqlq.Unavailable, 20 * time.Second, 0},
		"the service accepts it very late": {time.Hour, 18 * time.Second, created, sqlq.Unavailable, 18 * time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := &fakeService{}
				engine := openSlow(t, fake, test.respond)
				fake.query = test.query
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				defer time.AfterFunc(test.leave, leave).Stop()
				start := time.Now()
				_, err := engine.Run(ctx, numbers(5))
				require.Error(t, err)
				assert.Equal(t, test.want, sqlq.AsError(err).Code)
				assert.Equal(t, test.after, time.Since(start))
				assert.Len(t, fake.cancels, test.cancels)
				assert.LessOrEqual(t, len(fake.requestIDs), 1, "a query that may run is not repeated")
			})
		})
	}
}

// A caller who has left already begins no job.
func TestRunForNobody(t *testing.T) {
	t.Parallel()
	fake := &fakeService{}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	_, err := open(t, fake).Run(ctx, numbers(5))
	assert.Equal(t, sqlq.Cancelled, sqlq.AsError(err).Code)
	assert.Zero(t, fake.requests)
}

// A query that the service rejected is not cancelled.
func TestRunCancelsNoRejectedQuery(t *testing.T) {
	t.Parallel()
	fake := &fakeService{query: failing}
	_, err := run(t, open(t, fake), numbers(5))
	require.Error(t, err)
	assert.Empty(t, fake.cancels)
}

// Closing the engine ends its jobs and rejects further ones.
func TestCloseCancelsJobs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeService{results: neverComplete}
		engine := open(t, fake)
		done := make(chan error, 1)
		go func() {
			_, err := engine.Run(t.Context(), numbers(5))
			done <- err
		}()
		synctest.Wait()
		require.NoError(t, engine.Close())
		assert.Len(t, fake.cancels, 1, "before Close returns")
		assert.Equal(t, sqlq.Cancelled, sqlq.AsError(<-done).Code)
		_, err := engine.Run(t.Context(), numbers(5))
		require.Error(t, err)
		assert.Len(t, fake.requestIDs, 1)
	})
}
