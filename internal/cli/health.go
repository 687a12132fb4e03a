package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"savedq/internal/http/httpserver"
	"savedq/internal/http/outgoing"
)

// healthCommand is "savedq health": a probe for environments without another HTTP client,
// such as a container.
type healthCommand struct {
	Addr    string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address of the server, its --addr or its --metrics-addr; an address such as 0.0.0.0 is probed on loopback. Default: ${default}."`
	Alive   bool          `help:"Check whether the server is alive, not whether it is ready for requests."`
	Timeout time.Duration `default:"5s" min:"1ms" placeholder:"DURATION" help:"Longest time that the response may take. Default: ${default}."`
}

// Validate implements kong's validation, which runs before any request is sent.
func (c *healthCommand) Validate() error {
	if host, port, err := net.SplitHostPort(c.Addr); err != nil || port == "" || port == "0" || !isHost(host) {
		return fmt.Errorf("--addr: %q is not an address such as 127.0.0.1:8080", c.Addr)
	}
	return nil
}

// isHost reports whether a string can be the host of an address, and is not, say, a URL.
func isHost(host string) bool {
	parsed, err := url.Parse("http://" + net.JoinHostPort(host, "80"))
	return err == nil && parsed.Hostname() == host && parsed.Path == "" && parsed.User == nil
}

// Run probes the server and prints its status. The error is one line that says why the
// server should not receive requests or cannot be reached.
func (c *healthCommand) Run(ctx context.Context, term *terminal) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	status, message, err := c.probe(ctx)
	switch {
	case err != nil:
		return err
	case status != http.StatusOK:
		return fmt.Errorf("the server on %s is not healthy: %s (%d)", c.Addr, message, status)
	}
	_, err = fmt.Fprintln(term.stdout, message)
	return err
}

// probe returns the status code and the message of the server's response.
func (c *healthCommand) probe(ctx context.Context) (status int, message string, err error) {
	request, err := outgoing.NewRequest(ctx, http.MethodGet, c.url(), http.NoBody)
	if err != nil {
		return 0, "", err
	}
	// Proxies and redirects are not followed, so that only the server itself is probed.
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, "", fmt.Errorf("no server responds on %s: %w", c.Addr, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	const maxBytes = 4 << 10
	var body struct {
		Status string `json:"status"`
		Reason string `json:"reason"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxBytes)).Decode(&body); err != nil || body.Status == "" {
		return 0, "", fmt.Errorf("the server on %s is not savedq; it responded with status %d", c.Addr, response.StatusCode)
	}
	if body.Reason != "" {
		body.Status += ": " + body.Reason
	}
	return response.StatusCode, body.Status, nil
}

// url returns the URL of the probe.
func (c *healthCommand) url() string {
	path := httpserver.ReadyPath
	if c.Alive {
		path = httpserver.AlivePath
	}
	host, port, _ := net.SplitHostPort(c.Addr) // Validate has checked it
	return "http://" + net.JoinHostPort(reachableHost(host), port) + path
}

// reachableHost returns the host at which a server that listens on host is reachable from
// its own machine.
func reachableHost(host string) string {
	address, err := netip.ParseAddr(host)
	switch {
	case host == "" || err == nil && address.Unmap() == netip.IPv4Unspecified():
		return "127.0.0.1"
	case err == nil && address.IsUnspecified():
		return "::1"
	}
	return host
}
