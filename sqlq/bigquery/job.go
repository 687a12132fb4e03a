package bigquery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"cloud.google.com/go/bigquery"
	"github.com/google/uuid"

	"savedq/sqlq"
)

// cancelTimeout bounds the attempt to cancel a job whose caller has left. After
// it, the job's own timeout ends the job.
const cancelTimeout = 5 * time.Second

// job is a query job on the service.
type job struct {
	id       string
	location string
}

// newQuery returns the request that jobs and dry runs have in common. The cache
// of results stays in use: it costs nothing, is never older than the tables, and
// saves runs of queries that do not use "now".
func (e *Engine) newQuery(query *sqlq.SavedQuery, params []bigquery.QueryParameter) *bigquery.Query {
	request := e.client.Query(query.SQL)
	request.DefaultProjectID = e.config.Project
	request.DefaultDatasetID = e.config.Dataset
	request.Parameters = params
	request.Labels = e.config.labels(query.Name)
	return request
}

// insert starts the job of a statement. The job's id is chosen here, once: the
// client repeats a request that had no valid response, and the service refuses to
// run the same id twice. If the insert fails and the service may have started
// the job anyway, the job is cancelled.
func (e *Engine) insert(ctx context.Context, statement sqlq.Statement) (job, error) {
	request := e.newQuery(statement.Query, parameters(statement.Args, statement.Now))
	request.JobID = "savedq_" + uuid.NewString()
	request.JobTimeout = e.config.JobTimeout
	request.MaxBytesBilled = e.config.MaxBytesBilled
	inserted, err := request.Run(ctx)
	if err != nil {
		started := job{id: request.JobID, location: e.config.Location}
		if failure, ok := failureOf(err); ok && failure.status == http.StatusConflict {
			return started, nil // an earlier attempt arrived, and its response was lost
		}
		if ctx.Err() != nil || isTransient(err) {
			e.cancel(ctx, started)
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return job{}, fmt.Errorf("insert the job: %w: %w", errNotAccepted, err)
		}
		return job{}, fmt.Errorf("insert the job: %w", err)
	}
	if status := inserted.LastStatus(); status != nil && status.Err() != nil {
		return job{}, fmt.Errorf("job %s: %w", request.JobID, status.Err())
	}
	return job{id: inserted.ID(), location: inserted.Location()}, nil
}

// cancel stops a job on the service, even though the context has ended. A job
// that cannot be found yet may still be on its way.
func (e *Engine) cancel(ctx context.Context, started job) {
	detached, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	backoff := newBackoff()
	for {
		call := e.service.Jobs.Cancel(e.config.Project, started.id).Context(detached)
		if started.location != "" {
			call = call.Location(started.location)
		}
		_, err := call.Do()
		if err == nil {
			return
		}
		failure, _ := failureOf(err)
		again := failure.status == http.StatusNotFound || isTransient(err)
		if !again || pause(detached, backoff.Pause()) != nil {
			e.config.Logger.WarnContext(ctx, "a job could not be cancelled; its timeout will end it",
				slog.String("job", started.id), slog.Any("error", err))
			return
		}
	}
}

// ended returns why a job failed, or nil if it has not ended or has succeeded.
// It distinguishes a failed job from a failed service.
func (e *Engine) ended(ctx context.Context, started job) error {
	call := e.service.Jobs.Get(e.config.Project, started.id).Fields("status").Context(ctx)
	if started.location != "" {
		call = call.Location(started.location)
	}
	found, err := call.Do()
	if err != nil || found.Status == nil || found.Status.State != "DONE" || found.Status.ErrorResult == nil {
		return nil //nolint:nilerr // The caller goes on to request rows, and gets the error there.
	}
	result := found.Status.ErrorResult
	return fmt.Errorf("job %s: %w", started.id, &bigquery.Error{
		Location: result.Location, Message: result.Message, Reason: result.Reason,
	})
}

// errNotAccepted means that the service did not accept a job in time. It had not begun
// the query, so all other queries would have waited as long.
var errNotAccepted = errors.New("the service did not accept the job in time")

// errIncomplete means that the service returned fewer rows than it announced.
var errIncomplete = errors.New("the service's response is incomplete")
