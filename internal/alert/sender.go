package alert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"savedq/internal/http/httpstatus"
)

// Sender sends a message to a target. The error is a [*SendError].
type Sender interface {
	Send(ctx context.Context, target *Target, message *Message) error
}

// SendError is why a message was not delivered. It quotes neither URLs nor secrets.
type SendError struct {
	Reason string
	// RetryAfter is how long the target asked to wait; zero if it did not.
	RetryAfter time.Duration
}

// Error returns the reason.
func (e *SendError) Error() string { return e.Reason }

// sendTimeout limits one attempt.
const sendTimeout = 10 * time.Second

// HTTPSender sends messages with POST. It follows no redirects, so that signed messages reach only
// the configured address.
type HTTPSender struct {
	client  *http.Client
	clock   func() time.Time
	program string
}

var _ Sender = (*HTTPSender)(nil)

// NewHTTPSender returns a sender. program names the program in requests. Callers must call Close.
func NewHTTPSender(program string, clock func() time.Time) *HTTPSender {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // It is documented.
	return &HTTPSender{clock: clock, program: program, client: &http.Client{
		Transport: transport, Timeout: sendTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes idle connections.
func (s *HTTPSender) Close() { s.client.CloseIdleConnections() }

// Send implements [Sender].
func (s *HTTPSender) Send(ctx context.Context, target *Target, message *Message) error {
	now := s.clock()
	body, err := target.body(message, now)
	if err != nil {
		return &SendError{Reason: err.Error()}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.URL, bytes.NewReader(body))
	if err != nil {
		return &SendError{Reason: "the URL cannot be used"}
	}
	for name, value := range target.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "savedq/"+s.program)
	request.Header.Set(idHeader, message.ID)
	if target.Secret != "" {
		request.Header.Set(signatureHeader, signature(target.Secret, body, now))
	}
	response, err := s.client.Do(request)
	if err != nil {
		return &SendError{Reason: withoutURL(err)}
	}
	const mostRead = 64 << 10
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostRead)) // so that the connection can be used again
	_ = response.Body.Close()
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return &SendError{Reason: fmt.Sprintf("the target responds with the redirect %d, which is not followed; correct the url", status)}
	default:
		return &SendError{
			Reason:     fmt.Sprintf("the target responds with status %d", status),
			RetryAfter: httpstatus.RetryAfterOf(response.Header, now),
		}
	}
}

// withoutURL returns the message of an error without the URL, which can hold a secret.
func withoutURL(err error) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		if failed.Timeout() {
			return fmt.Sprintf("the target did not respond within %s", sendTimeout)
		}
		return failed.Err.Error()
	}
	return err.Error()
}
