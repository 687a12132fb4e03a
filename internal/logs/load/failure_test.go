package load_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/load"
)

// failingTransport fails the requests for which failure returns an error.
type failingTransport struct {
	http.RoundTripper

	failure func() error
}

func (t *failingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.failure(); err != nil {
		return nil, err
	}
	return t.RoundTripper.RoundTrip(request)
}

// A server that cannot be reached at all is an error at once, because its URL is likely wrong.
func TestSendFailsAtOnce(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	plain := newFakeServer(t)
	encrypted := httptest.NewUnstartedServer(http.NotFoundHandler())
	encrypted.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshakes fail on purpose
	encrypted.StartTLS()
	t.Cleanup(encrypted.Close)
	unknown := &failingTransport{failure: func() error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nosuch", IsNotFound: true}}
	}}
	for name, test := range map[string]struct {
		url       string
		transport http.RoundTripper
		want      string
	}{
		"a refused connection":     {closed.URL, http.DefaultTransport, "connect: connection refused; start the server, or correct the URL; nothing was sent"},
		"https to an http port":    {strings.Replace(plain.URL, "http:", "https:", 1), http.DefaultTransport, "http: server gave HTTP response to HTTPS client; nothing was sent"},
		"an unknown host":          {"http://nosuch", unknown, "dial tcp: lookup nosuch: no such host; nothing was sent"},
		"an untrusted certificate": {encrypted.URL, http.DefaultTransport, "tls: failed to verify certificate: x509: certificate signed by unknown authority; nothing was sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var waits delays
			options := sendOptions(plain, &waits)
			options.Server.Client = &http.Client{Transport: test.transport}
			options.Server.URL = test.url
			path := writeInput(t, `{"event_message":"m"}`)
			_, err := load.Send(t.Context(), path, edgeLogs(t), options)
			require.ErrorContains(t, err, "send "+path+": reach the server: ")
			require.ErrorContains(t, err, test.want)
			assert.Empty(t, waits.list())
			assert.NoFileExists(t, load.SentPath(path))
		})
	}
}

// A server that was reached once, and is out of reach later, is expected to come back.
func TestSendWaitsForAServerThatWasReached(t *testing.T) {
	t.Parallel()
	server := newFakeServer(t)
	var waits delays
	options := sendOptions(server, &waits)
	options.Parallel = 1
	requests := 0
	options.Server.Client.Transport = &failingTransport{RoundTripper: options.Server.Client.Transport, failure: func() error {
		if requests++; requests == 2 || requests == 3 {
			return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		return nil
	}}
	summary, err := load.Send(t.Context(), writeInput(t, manyEvents(3000)), edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, 2970, summary.Loaded)
	assert.Len(t, waits.list(), 2)
}

// A lasting failure in the middle names what is acknowledged.
func TestSendFailsLater(t *testing.T) {
	t.Parallel()
	var waits delays
	options := sendOptions(newFakeServer(t), &waits)
	options.Parallel = 1
	requests := 0
	options.Server.Client.Transport = &failingTransport{RoundTripper: options.Server.Client.Transport, failure: func() error {
		if requests++; requests == 2 {
			return &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
		}
		return nil
	}}
	_, err := load.Send(context.WithoutCancel(t.Context()), writeInput(t, manyEvents(3000)), edgeLogs(t), options)
	require.ErrorContains(t, err, "x509: certificate signed by unknown authority; acknowledged so far: 990 events; run the same command again to continue")
	assert.Empty(t, waits.list())
}
