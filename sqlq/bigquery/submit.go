package bigquery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// inlineWait is how long the service may run a query before it responds. A query that takes
// longer becomes a job, which can be cancelled.
const inlineWait = 2 * time.Second

// queryRequest returns the request for a statement. The service responds with the rows, and
// creates a job only if it has to. The cache of results stays in use: it costs nothing, is
// never older than the tables, and saves runs of queries that do not use "now".
func (e *Engine) queryRequest(statement sqlq.Statement) *rest.QueryRequest {
	var params []*rest.QueryParameter
	for _, param := range parameters(statement) {
		params = append(params, param.forService())
	}
	return &rest.QueryRequest{
		Query:              boundedSQL(statement.Query).Text,
		UseLegacySql:       new(false),
		DefaultDataset:     &rest.DatasetReference{ProjectId: e.config.Project, DatasetId: e.config.Dataset},
		QueryParameters:    params,
		Location:           e.config.Location,
		Labels:             e.config.labels(statement.Query.Name),
		MaximumBytesBilled: e.config.MaxBytesBilled,
		JobTimeoutMs:       e.config.JobTimeout.Milliseconds(),
		JobCreationMode:    "JOB_CREATION_OPTIONAL",
		RequestId:          uuid.NewString(),
		TimeoutMs:          inlineWait.Milliseconds(),
		MaxResults:         int64(statement.Query.MaxRows) + 1,
		FormatOptions:      &rest.DataFormatOptions{UseInt64Timestamp: true},
	}
}

// submit sends a request until the service responds. It repeats one that failed with the same
// request id, so that the service recognizes a request whose response was lost.
func (e *Engine) submit(ctx context.Context, request *rest.QueryRequest) (*rest.QueryResponse, error) {
	backoff := newBackoff()
	for {
		response, err := e.send(ctx, request)
		if err == nil {
			return response, nil
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("send the query: %w: %w", errNotAccepted, err)
		}
		if ctx.Err() != nil || !isTransient(err) || hasRun(err) || pause(ctx, backoff.Pause()) != nil {
			return nil, fmt.Errorf("send the query: %w", err)
		}
	}
}

// hasRun reports whether a query ran and failed. Repeating it with the same request id would
// return the same error.
func hasRun(err error) bool {
	found, _ := failureOf(err)
	return slices.Contains([]string{"jobBackendError", "jobInternalError"}, found.reason)
}

// send sends a request once. Only the response has the id of the job, so if the context ends
// first, send waits for the response, and cancels the job if the query still runs.
func (e *Engine) send(ctx context.Context, request *rest.QueryRequest) (*rest.QueryResponse, error) {
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	type outcome struct {
		response *rest.QueryResponse
		err      error
	}
	arrived := make(chan outcome, 1)
	go func() {
		response, err := e.service.Jobs.Query(e.config.Project, request).Context(sending).Do()
		arrived <- outcome{response, err}
	}()
	select {
	case result := <-arrived:
		return result.response, result.err
	case <-ctx.Done():
	}
	defer time.AfterFunc(cancelTimeout, stop).Stop()
	result := <-arrived
	switch {
	case result.err == nil && !result.response.JobComplete:
		e.cancel(ctx, jobOf(result.response))
	case result.err != nil && (sending.Err() != nil || isTransient(result.err)):
		e.config.Logger.WarnContext(ctx, "a query may still be running, its timeout ends it",
			slog.String("request", request.RequestId), slog.Any("error", result.err))
	}
	return nil, fmt.Errorf("wait for the response: %w", ctx.Err())
}

// jobOf returns the job that a response names. It has no id if the service created none.
func jobOf(response *rest.QueryResponse) job {
	if response.JobReference == nil {
		return job{location: response.Location}
	}
	return job{id: response.JobReference.JobId, location: response.JobReference.Location}
}

// nameOf names the job of a response, or the query if it has none, for the log.
func nameOf(response *rest.QueryResponse) string {
	if response.JobReference == nil {
		return "query " + response.QueryId
	}
	return "job " + response.JobReference.JobId
}
