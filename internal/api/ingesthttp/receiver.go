package ingesthttp

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"savedq/internal/auth"
	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpstatus"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// receiver receives the events of requests.
type receiver struct {
	Config

	// memory is what the bodies of all requests share.
	memory  *ingest.Memory
	codings *contentcoding.Decoder
}

// receive reads, decodes and commits the events of a request. It rejects the request before
// it reads the body if the request is invalid or the memory is used up.
func (s *receiver) receive(w http.ResponseWriter, r *http.Request, format logbody.Format, params params) (outcome, error) {
	received := s.Clock()
	body, err := s.read(w, r, format)
	if err != nil {
		return outcome{}, err
	}
	if format == logbody.JSON {
		if params.source, err = s.sourceOf(r, params.source, body.bytes); err != nil {
			body.free()
			return outcome{}, err
		}
	}
	result, err := s.events(r, format, params, body.bytes, received)
	body.free() // the committer accounts for the events
	if err != nil {
		return outcome{}, err
	}
	return s.commit(r, params, result, received)
}

// events returns the events of a body, or of a part of one.
func (s *receiver) events(r *http.Request, format logbody.Format, params params, body []byte, received time.Time) (logbody.Result, error) {
	result, err := logbody.Read(r.Context(), format, body, logbody.Options{
		Source: params.source, Index: params.index, Members: params.members, Tables: s.Tables(), Project: params.project, Now: received, NewID: s.NewID, MaxEventBytes: s.MaxEventBytes,
		Allow: func(source *sqlq.Table) error { return auth.MayIngest(r.Context(), source.Name, s.Logger) },
	})
	return result, withStatus(err)
}

// commit makes the events of a body durable.
func (s *receiver) commit(r *http.Request, params params, result logbody.Result, received time.Time) (outcome, error) {
	rejected := slices.Concat(result.Rejected, result.Denied)
	slices.SortStableFunc(rejected, func(a, b logevent.Rejected) int { return cmp.Compare(a.Position, b.Position) })
	switch {
	case len(result.Denied) > 0 && len(result.Events)+len(result.Rejected) == 0:
		return outcome{}, result.DeniedError
	case len(result.Events)+len(result.Rejected) == 0, params.strict && len(rejected) > 0:
		return outcome{rejected: rejected, refused: len(rejected) > 0, strict: params.strict, items: result.Items}, nil
	}
	counts, err := s.Committer.Commit(r.Context(), ingest.Batch{
		Received: received, RequestID: requestlog.ID(r.Context()), Sender: senderOf(r), Events: result.Events, Rejected: result.Rejected,
	})
	if err != nil {
		return outcome{}, err
	}
	return outcome{counts: counts, rejected: rejected, refused: len(result.Events) == 0, items: result.Items}, nil
}

// withStatus adds the status 413 to errors about the size of a batch.
func withStatus(err error) error {
	if err == logbody.ErrTooManyEvents || err == logbody.ErrTooManyBytes { //nolint:errorlint // They are not wrapped.
		return &statusError{http.StatusRequestEntityTooLarge, err}
	}
	return err
}

// statusError is an error whose status is more precise than its code.
type statusError struct {
	status int
	err    error
}

// Error returns the text of the error.
func (e *statusError) Error() string { return e.err.Error() }

// Unwrap returns the error.
func (e *statusError) Unwrap() error { return e.err }

// errTooLarge is the error for a body over the limit.
func errTooLarge() error {
	return &statusError{http.StatusRequestEntityTooLarge, sqlq.Errorf(sqlq.InvalidArgument,
		"the request body is larger than %d bytes, the limit for a compressed body and for a decompressed one; send smaller batches", logbody.MaxBytes)}
}

// outcome is what became of the events of a request.
type outcome struct {
	counts   ingest.Counts
	rejected []logevent.Rejected
	// refused reports whether no event of the request was accepted because of the rejected
	// ones, and strict that one was enough for that.
	refused, strict bool
	// items are the actions of Elasticsearch's bulk API.
	items []logbody.BulkItem
}

// responseBody is the body of a response, with an error (D36) if nothing is stored.
type responseBody struct {
	Error      *httperror.Detail `json:"error,omitempty"`
	Message    string            `json:"message,omitempty"`
	Accepted   int               `json:"accepted"`
	Duplicates int               `json:"duplicates"`
	Rejected   int               `json:"rejected"`
	Errors     []listedError     `json:"errors,omitempty"`
}

// listedError is a rejected event in a response.
type listedError struct {
	// Position is the event's place in the request, counted from 0.
	Position int    `json:"position"`
	Reason   string `json:"reason"`
}

// reason returns why no event was accepted.
func (o *outcome) reason() string {
	first := o.rejected[0]
	if o.strict {
		return fmt.Sprintf("nothing is stored, because the request is strict and %s rejected; at position %d: %s",
			areEvents(len(o.rejected)), first.Position, first.Reason)
	}
	return fmt.Sprintf("every event is rejected; at position %d: %s", first.Position, first.Reason)
}

// areEvents returns a number of events with its verb.
func areEvents(count int) string {
	if count == 1 {
		return "1 event is"
	}
	return strconv.Itoa(count) + " events are"
}

// write writes the response.
func (o *outcome) write(w http.ResponseWriter) {
	status, response := http.StatusOK, responseBody{Accepted: o.counts.Accepted, Duplicates: o.counts.Duplicates, Rejected: len(o.rejected)}
	if o.refused {
		status, response.Error = http.StatusUnprocessableEntity, &httperror.Detail{Code: sqlq.InvalidArgument, Message: o.reason()}
	} else {
		response.Message = "Logged!"
	}
	for _, rejected := range o.rejected[:min(len(o.rejected), logbody.MaxListedErrors)] {
		response.Errors = append(response.Errors, listedError{rejected.Position, rejected.Reason})
	}
	writeBody(w, status, "application/json; charset=utf-8", httperror.Encode(response))
}

func writeBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// statusOf returns the status of an error.
func statusOf(err error) int {
	if precise, ok := errors.AsType[*statusError](err); ok {
		return precise.status
	}
	return httpstatus.OfError(err)
}
