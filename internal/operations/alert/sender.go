package alert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"savedq/internal/http/httpstatus"
	"savedq/internal/http/outgoing"
	"savedq/internal/text/printable"
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
	client *http.Client
	clock  func() time.Time
}

var _ Sender = (*HTTPSender)(nil)

// NewHTTPSender returns a sender. Callers must call Close.
func NewHTTPSender(clock func() time.Time) *HTTPSender {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // It is documented.
	return &HTTPSender{clock: clock, client: &http.Client{
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
	request, err := outgoing.NewRequest(ctx, http.MethodPost, target.URL, bytes.NewReader(body))
	if err != nil {
		return &SendError{Reason: "the URL cannot be used"}
	}
	for name, value := range target.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(idHeader, message.ID)
	if target.Secret != "" {
		request.Header.Set(signatureHeader, signature(target.Secret, body, now))
	}
	response, err := s.client.Do(request)
	if err != nil {
		return &SendError{Reason: withoutURL(err)}
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	said := readReason(response.Body)
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return &SendError{Reason: fmt.Sprintf("the target responds with the redirect %d, which is not followed; correct the url", status)}
	default:
		return &SendError{
			Reason:     fmt.Sprintf("the target responds with status %d%s", status, said),
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

const (
	// mostReason limits how much of the body of a failed response is quoted, and mostDiscarded how much more is read,
	// so that the connection can be used again.
	mostReason    = 300
	mostDiscarded = 64 << 10
)

// readReason returns the start of the body of a response in one line of printable characters, as what follows the
// status in an error. A target says there what it does not like, such as Slack: no_service.
func readReason(body io.Reader) string {
	start, _ := io.ReadAll(io.LimitReader(body, mostReason))
	rest, _ := io.Copy(io.Discard, io.LimitReader(body, mostDiscarded))
	reason := strings.Join(strings.Fields(string(printable.Escape(bytes.ToValidUTF8(start, nil)))), " ")
	switch {
	case reason == "":
		return ""
	case rest > 0:
		reason += "…"
	}
	return ": " + reason
}
