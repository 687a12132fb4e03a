package load

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"savedq/internal/http/httpstatus"
	"savedq/internal/http/outgoing"
	"savedq/sqlq"
)

// Server is a running server that receives events.
type Server struct {
	// Client sends the requests. It must not follow redirects, which would turn a POST into
	// a GET.
	Client *http.Client
	URL    string
	// Token is the access token; empty for none.
	Token string
	// Wait waits before a request is repeated, or until the context ends.
	Wait func(ctx context.Context, delay time.Duration) error
	// Random returns a number from 0 to 1.
	Random func() float64
	Now    func() time.Time
	// Retrying is called before each wait.
	Retrying func(reason error, delay time.Duration)

	// reached is true once the server has responded to a request.
	reached atomic.Bool
}

const (
	// firstDelay and maxDelay are the means of the first and the longest delay between two
	// attempts. The delay doubles with each attempt.
	firstDelay = 500 * time.Millisecond
	maxDelay   = 30 * time.Second
	// patience is how long one request is repeated.
	patience = 5 * time.Minute

	maxReplyBytes = 4 << 20
)

// reply is a response of the server that acknowledges a request.
type reply struct {
	Message    string `json:"message"`
	Accepted   int    `json:"accepted"`
	Duplicates int    `json:"duplicates"`
	Rejected   int    `json:"rejected"`
	Errors     []struct {
		Position int    `json:"position"`
		Reason   string `json:"reason"`
	} `json:"errors"`
	// Error is set if the server acknowledges nothing (D36).
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

// temporaryError is a failure after which a request is worth repeating.
type temporaryError struct {
	error

	// after is how long the server wants the client to wait, or 0.
	after time.Duration
}

// Unwrap returns the error itself.
func (e *temporaryError) Unwrap() error { return e.error }

// send sends events, compressed with zstd, until the server acknowledges them. It repeats the request while the server
// is busy or out of reach. If it cannot be reached for the first request, the URL is likely wrong,
// so that is an error at once.
func (s *Server) send(ctx context.Context, source *sqlq.Table, packed []byte) (*reply, error) {
	started := s.Now()
	for delay := firstDelay; ; delay = min(2*delay, maxDelay) {
		reply, err := s.attempt(ctx, source, packed)
		temporary, ok := errors.AsType[*temporaryError](err)
		if !ok {
			return reply, err
		}
		if waited := s.Now().Sub(started); waited >= patience {
			return nil, fmt.Errorf("no success in %s: %w", patience, temporary.error)
		}
		// Clients that were rejected at the same time must not come back at the same time.
		wait := temporary.after + time.Duration((0.5+s.Random())*float64(delay))
		s.Retrying(temporary.error, wait)
		if err := s.Wait(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// attempt sends a request once.
func (s *Server) attempt(ctx context.Context, source *sqlq.Table, packed []byte) (*reply, error) {
	address := strings.TrimSuffix(s.URL, "/") + "/api/logs?source=" + url.QueryEscape(source.Name)
	request, err := outgoing.NewRequest(ctx, http.MethodPost, address, bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Content-Encoding", "zstd")
	if s.Token != "" {
		request.Header.Set("Authorization", "Bearer "+s.Token)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return nil, s.failedAttempt(ctx, err)
	}
	s.reached.Store(true)
	text, err := io.ReadAll(io.LimitReader(response.Body, maxReplyBytes))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, s.failedAttempt(ctx, err)
	}
	return s.read(response, text)
}

// failedAttempt returns the error for a request that has no response.
func (s *Server) failedAttempt(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failure, ok := errors.AsType[*url.Error](err); ok {
		err = failure.Err // without the URL, which the message has already
	}
	failure := fmt.Errorf("reach the server: %w", err)
	switch {
	case isPermanent(err, s.reached.Load()):
		return &unsentError{failure}
	case isDial(err) && !s.reached.Load():
		return &unsentError{fmt.Errorf("%w; start the server, or correct the URL", failure)}
	}
	return &temporaryError{error: failure}
}

// read reads a response.
func (s *Server) read(response *http.Response, text []byte) (*reply, error) {
	var reply reply
	readErr := json.Unmarshal(text, &reply)
	switch status := response.StatusCode; {
	case status == http.StatusOK && (readErr != nil || reply.Message == ""):
		return nil, fmt.Errorf("%s does not respond like a savedq server; is the URL right?", s.URL)
	case status == http.StatusOK,
		status == http.StatusUnprocessableEntity && readErr == nil && len(reply.Errors) > 0: // all are rejected
		return &reply, nil
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		after := min(httpstatus.RetryAfterOf(response.Header, s.Now()), patience)
		return nil, &temporaryError{error: s.problem(response, reply.Error.Message), after: after}
	case status == http.StatusUnauthorized:
		return nil, fmt.Errorf("%s does not accept the token; set the variable SAVEDQ_TOKEN to one of its tokens that may send events", s.URL)
	case status >= 300 && status < 400:
		return nil, fmt.Errorf("%s redirects to %s; use the URL of the server itself", s.URL, response.Header.Get("Location"))
	}
	return nil, s.problem(response, reply.Error.Message)
}

// problem returns the error for a response that acknowledges nothing.
func (s *Server) problem(response *http.Response, message string) error {
	if message == "" {
		return fmt.Errorf("%s responds with %s", s.URL, response.Status)
	}
	return fmt.Errorf("%s responds with %s: %s", s.URL, response.Status, message)
}

// unsentError is a failure that retrying cannot fix, before the server has received
// anything.
type unsentError struct{ error }

// Unwrap returns the error itself.
func (e *unsentError) Unwrap() error { return e.error }

// isPermanent reports whether a failure to connect lasts: the URL, the certificate or the
// configuration of the server must change. While a server that was reached before is restarted, its name
// may not resolve, and connections may end with an alert.
func isPermanent(err error, reached bool) bool {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return name.IsNotFound && !reached
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return true
	}
	var (
		certificate *tls.CertificateVerificationError
		header      tls.RecordHeaderError
		alert       tls.AlertError
	)
	return errors.As(err, &certificate) || errors.As(err, &header) || !reached && errors.As(err, &alert)
}

// isDial reports whether no connection could be made.
func isDial(err error) bool {
	failure, ok := errors.AsType[*net.OpError](err)
	return ok && failure.Op == "dial"
}
