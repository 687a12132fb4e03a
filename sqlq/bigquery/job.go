package bigquery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"cloud.google.com/go/bigquery"
	"github.com/googleapis/gax-go/v2"

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

// newQuery returns the request for a dry run.
func (e *Engine) newQuery(query *sqlq.SavedQuery, params []parameter) *bigquery.Query {
	request := e.client.Query(boundedSQL(query).Text)
	request.DefaultProjectID = e.config.Project
	request.DefaultDatasetID = e.config.Dataset
	for _, param := range params {
		request.Parameters = append(request.Parameters, param.forClient())
	}
	request.Labels = e.config.labels(query.Name)
	return request
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

// newBackoff returns growing, jittered pauses between attempts.
func newBackoff() *gax.Backoff {
	return &gax.Backoff{Initial: 200 * time.Millisecond, Max: 4 * time.Second, Multiplier: 2}
}

// pause waits. It returns an error with the reason if the context ends first.
func pause(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait for another attempt: %w", context.Cause(ctx))
	case <-timer.C:
		return nil
	}
}
