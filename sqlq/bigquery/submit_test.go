package bigquery_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// A short query takes one request, whether or not the service creates a job.
func TestRunReadsRowsOfResponse(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]func(*rest.QueryRequest) response{
		"without a job": completed,
		"with a job": func(*rest.QueryRequest) response {
			response := page(1, "", 7)
			response.body = `{"jobReference":{"projectId":"p","jobId":"j","location":"EU"},` + response.body[1:]
			return response
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := &fakeService{query: query}
			result, err := run(t, open(t, fake), numbers(5))
			require.NoError(t, err)
			assert.Equal(t, [][]any{{int64(7)}}, result.Rows)
			assert.EqualValues(t, 4096, result.BytesProcessed)
			assert.False(t, result.Truncated)
			assert.Equal(t, 1, fake.requests)
		})
	}
}

// The rows of the response are cut to max rows (D24), and further pages come from the job.
func TestRunReadsFurtherPagesOfResponse(t *testing.T) {
	t.Parallel()
	withJob := func(page response) func(*rest.QueryRequest) response {
		page.body = `{"jobReference":{"projectId":"p","jobId":"j","location":"EU"},` + page.body[1:]
		return func(*rest.QueryRequest) response { return page }
	}
	fake := &fakeService{query: withJob(page(4, "next", 1, 2)), results: rows(page(4, "", 3, 4))}
	result, err := run(t, open(t, fake), numbers(3))
	require.NoError(t, err)
	assert.Equal(t, [][]any{{int64(1)}, {int64(2)}, {int64(3)}}, result.Rows)
	assert.True(t, result.Truncated)
	require.Len(t, fake.rowRequests, 1)
	assert.Contains(t, fake.rowRequests[0], "location=EU&maxResults=2&pageToken=next")
}

// A response that is not complete is an error, and not a result with fewer rows.
func TestRunRejectsIncompleteQueries(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"neither rows nor a job":     `{"jobComplete":false,"queryId":"q"}`,
		"fewer rows, and no job":     `{"jobComplete":true,"totalRows":"2","schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{"v":"1"}]}]}`,
		"another page, and no job":   `{"jobComplete":true,"totalRows":"2","pageToken":"next","schema":{"fields":[{"name":"n","type":"INTEGER"}]},"rows":[{"f":[{"v":"1"}]}]}`,
		"complete, without a schema": `{"jobComplete":true,"totalRows":"0"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := &fakeService{query: func(*rest.QueryRequest) response { return ok(body) }}
			_, err := run(t, open(t, fake), numbers(5))
			require.Error(t, err)
			assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
			assert.Equal(t, 1, fake.requests)
		})
	}
}

// A query that becomes a job is waited for, and the job has the limits of the request.
func TestRunWaitsForSlowQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeService{results: rows(ok(`{"jobComplete":false}`), page(1, "", 7))}
		start := time.Now()
		result, err := run(t, openSlow(t, fake, 2*time.Second), numbers(5))
		require.NoError(t, err)
		assert.Equal(t, [][]any{{int64(7)}}, result.Rows)
		assert.Greater(t, time.Since(start), 2*time.Second)
		assert.Len(t, fake.rowRequests, 2)
		assert.Empty(t, fake.cancels)
	})
}
