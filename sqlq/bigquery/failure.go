package bigquery

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"
)

// failure is the service's description of a failed request or job.
type failure struct {
	// status is the HTTP status; zero for a job that failed.
	status int
	// reason is one of the words of
	// https://cloud.google.com/bigquery/docs/error-messages.
	reason  string
	message string
}

// failureOf returns the service's description in an error; ok is false if the service has
// not responded.
func failureOf(err error) (_ failure, ok bool) {
	var ofRequest *googleapi.Error
	var ofJob *bigquery.Error
	switch {
	case errors.As(err, &ofRequest):
		found := failure{status: ofRequest.Code, message: ofRequest.Message}
		if len(ofRequest.Errors) > 0 {
			found.reason = ofRequest.Errors[0].Reason
			if found.message == "" {
				found.message = ofRequest.Errors[0].Message
			}
		}
		return found, true
	case errors.As(err, &ofJob):
		return failure{reason: ofJob.Reason, message: ofJob.Message}, true
	default:
		return failure{}, false
	}
}

// isTransient reports whether an error is temporary: the service is overloaded or fails, or
// the network does.
func isTransient(err error) bool {
	if found, ok := failureOf(err); ok {
		switch found.reason {
		case "rateLimitExceeded", "jobRateLimitExceeded", "backendError", "internalError", "jobBackendError", "jobInternalError":
			return true
		}
		return slices.Contains([]int{
			http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		}, found.status)
	}
	var ofNetwork *url.Error
	if isCredentials(err) || !errors.As(err, &ofNetwork) {
		return errors.Is(err, io.ErrUnexpectedEOF)
	}
	// A context that ended during a request is not the network's fault; one that
	// ended between two attempts, which the client adds to the error, may be.
	return !errors.Is(ofNetwork.Err, context.Canceled) && !errors.Is(ofNetwork.Err, context.DeadlineExceeded)
}

// isCredentials reports whether an error is about getting a token, which happens
// before the request is sent.
func isCredentials(err error) bool {
	var refused *auth.Error
	return errors.As(err, &refused) && !refused.Temporary()
}
