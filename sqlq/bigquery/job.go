package bigquery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	rest "google.golang.org/api/bigquery/v2"

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

// dryRunRequest returns the request for a dry run.
func (e *Engine) dryRunRequest(statement sqlq.Statement) *rest.Job {
	return &rest.Job{
		JobReference: &rest.JobReference{ProjectId: e.config.Project, JobId: uuid.NewString(), Location: e.config.Location},
		Configuration: &rest.JobConfiguration{
			DryRun: true,
			Labels: e.config.labels(statement.Query.Name),
			Query: &rest.JobConfigurationQuery{
				Query: boundedSQL(statement.Query).Text, UseLegacySql: new(false), DefaultDataset: e.dataset(),
				QueryParameters: parameters(statement),
			},
		},
	}
}

// dataset returns the dataset that resolves unqualified names.
func (e *Engine) dataset() *rest.DatasetReference {
	return &rest.DatasetReference{ProjectId: e.config.Project, DatasetId: e.config.Dataset}
}

// jobError is why a job failed.
type jobError struct{ *rest.ErrorProto }

// Error returns all that the service says.
func (e *jobError) Error() string {
	return fmt.Sprintf("{Location: %q; Message: %q; Reason: %q}", e.Location, e.Message, e.Reason)
}

// jobErrorOf returns why a job failed, or nil if it has not ended or has succeeded.
func jobErrorOf(found *rest.Job) error {
	if found.Status == nil || found.Status.State != "DONE" || found.Status.ErrorResult == nil {
		return nil
	}
	return &jobError{found.Status.ErrorResult}
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
	if err != nil {
		return nil //nolint:nilerr // The caller goes on to request rows, and gets the error there.
	}
	if err := jobErrorOf(found); err != nil {
		return fmt.Errorf("job %s: %w", started.id, err)
	}
	return nil
}

// errNotAccepted means that the service did not accept a job in time. It had not begun
// the query, so all other queries would have waited as long.
var errNotAccepted = errors.New("the service did not accept the job in time")

// errIncomplete means that the service returned fewer rows than it announced.
var errIncomplete = errors.New("the service's response is incomplete")
