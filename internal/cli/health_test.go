package cli

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/observe/health"
)

// healthServer starts a server and returns its address.
func healthServer(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// probes returns the probes of a server that drains when ending is done. engine is the
// error of its engine, and cached reports whether it has cached responses.
func probes(ending context.Context, engine error, cached bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/healthz", health.Alive())
	mux.Handle("/readyz", health.NewReadiness(ending, func(context.Context) error { return engine }, func(time.Time) bool { return cached }, time.Now, slog.New(slog.DiscardHandler)))
	return mux
}

// The command distinguishes a healthy server, an unhealthy one and none.
func TestHealth(t *testing.T) {
	t.Parallel()
	draining, end := context.WithCancel(t.Context())
	end()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	hanging := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, test := range map[string]struct {
		server http.Handler
		alive  bool
		want   string
		wrong  string
	}{
		"ready":                     {server: probes(t.Context(), nil, false), want: "ready\n"},
		"alive":                     {server: probes(t.Context(), nil, false), alive: true, want: "alive\n"},
		"draining":                  {server: probes(draining, nil, false), wrong: "is not healthy: draining (503)"},
		"draining, but alive":       {server: probes(draining, nil, false), alive: true, want: "alive\n"},
		"no engine":                 {server: probes(t.Context(), errors.New("gone"), false), wrong: "is not healthy: engine unreachable (503)"},
		"no engine, but a cache":    {server: probes(t.Context(), errors.New("gone"), true), want: "degraded: the engine cannot be reached; cached responses are served\n"},
		"no engine, but alive":      {server: probes(t.Context(), errors.New("gone"), false), alive: true, want: "alive\n"},
		"another program":           {server: http.NotFoundHandler(), wrong: "is not savedq; it responded with status 404"},
		"another program, with 200": {server: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }), wrong: "is not savedq; it responded with status 200"},
		"a server that redirects":   {server: http.RedirectHandler("/elsewhere", http.StatusFound), wrong: "is not savedq; it responded with status 302"},
		"a server that hangs":       {server: hanging, wrong: "no server responds on 127.0.0.1:"},
		"none":                      {wrong: "no server responds on 127.0.0.1:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := healthCommand{Addr: strings.TrimPrefix(closed.URL, "http://"), Alive: test.alive, Timeout: time.Minute}
			if test.server != nil {
				command.Addr = healthServer(t, test.server)
			}
			if strings.Contains(name, "hangs") {
				command.Timeout = 10 * time.Millisecond
			}
			var stdout strings.Builder
			err := command.Run(t.Context(), &terminal{stdout: &stdout})
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, test.want, stdout.String())
		})
	}
}

// A server that listens on all addresses is probed on loopback.
func TestHealthAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"127.0.0.1:8080":          "http://127.0.0.1:8080/readyz",
		"0.0.0.0:8080":            "http://127.0.0.1:8080/readyz",
		":8080":                   "http://127.0.0.1:8080/readyz",
		"[::]:8080":               "http://[::1]:8080/readyz",
		"[::ffff:0.0.0.0]:8080":   "http://127.0.0.1:8080/readyz",
		"[::1]:9090":              "http://[::1]:9090/readyz",
		"192.0.2.7:8080":          "http://192.0.2.7:8080/readyz",
		"savedq.example.com:8080": "http://savedq.example.com:8080/readyz",
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, (&healthCommand{Addr: address}).url())
		})
	}
}
