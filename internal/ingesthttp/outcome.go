package ingesthttp

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"savedq/internal/http/httperror"
	"savedq/internal/http/httpstatus"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
)

// outcome is what became of the events of a request.
type outcome struct {
	counts   ingest.Counts
	rejected []logevent.Rejected
	// refused reports whether no event of the request was accepted because of the rejected
	// ones, and strict that one was enough for that.
	refused, strict bool
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
	return httpstatus.Of(sqlq.AsError(err).Code)
}
