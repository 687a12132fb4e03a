// Package health serves the liveness and readiness probes.
package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// remembered is how long the result of a ping is reused. Probes need no token, so they
	// must be cheap.
	remembered = 5 * time.Second
	// pingTimeout is the engine's timeout for a ping.
	pingTimeout = 3 * time.Second
	// patience is how long a probe waits for a ping. Kubernetes allows a probe one second,
	// and probes must not fail while the engine hangs but responses can be served.
	patience = 500 * time.Millisecond
)

// errNoPing is the result before the first ping has ended.
var errNoPing = errors.New("the first ping of the engine has not ended")

// Alive returns a handler that responds with 200 while the server runs.
func Alive() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		respond(w, r, http.StatusOK, `{"status":"alive"}`)
	})
}

// Readiness reports whether requests should be sent to the server: while it can respond,
// with fresh rows or with cached ones, and until it ends (D34). It is safe for concurrent
// use.
type Readiness struct {
	ping     func(context.Context) error
	canServe func(now time.Time) bool
	clock    func() time.Time
	logger   *slog.Logger
	// written returns when the data that is served was written; nil if it is never older than the engine.
	written func() time.Time
	ending  context.Context //nolint:containedctx // The context belongs to the ping, not to the probe.

	// pings makes one ping of all probes that wait for one.
	pings singleflight.Group
	mutex sync.Mutex
	// last is the result of the last ping, and ended is when it ended, or the zero time
	// before that.
	last  error
	ended time.Time
}

// NewReadiness returns the readiness of a server that ends with the context. Its engine
// can be reached while ping returns no error; canServe reports whether it has cached
// responses that can be served without the engine.
func NewReadiness(ending context.Context, ping func(context.Context) error, canServe func(now time.Time) bool, clock func() time.Time, logger *slog.Logger) *Readiness {
	return &Readiness{ending: ending, ping: ping, canServe: canServe, clock: clock, logger: logger, last: errNoPing}
}

// ShowWritten makes the responses of a standby tell when the data that it serves was written, which written returns. It must
// be called before the first request.
func (h *Readiness) ShowWritten(written func() time.Time) { h.written = written }

// ServeHTTP responds with 200 or 503.
func (h *Readiness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case h.ending.Err() != nil:
		respond(w, r, http.StatusServiceUnavailable, `{"status":"draining"}`)
	case h.EngineReachable():
		respond(w, r, http.StatusOK, `{"status":"ready"`+h.standby()+`}`)
	case h.canServe(h.clock()):
		respond(w, r, http.StatusOK, `{"status":"degraded","reason":"the engine cannot be reached; cached responses are served"}`)
	default:
		respond(w, r, http.StatusServiceUnavailable, `{"status":"engine unreachable"}`)
	}
}

// standby returns the members of a response that describe a standby.
func (h *Readiness) standby() string {
	if h.written == nil {
		return ""
	}
	written := h.written()
	return fmt.Sprintf(`,"written":%q,"age_seconds":%d`, written.UTC().Format(time.RFC3339), max(0, int(h.clock().Sub(written).Seconds())))
}

// EngineReachable reports whether the last ping succeeded. It pings the engine at most
// once in five seconds, and waits for it only briefly.
func (h *Readiness) EngineReachable() bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-h.pings.DoChan("", h.refresh):
	case <-timer.C:
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.last == nil
}

// refresh pings the engine, unless the last result is still good. A ping does not end with a probe:
// others use its result.
func (h *Readiness) refresh() (done any, _ error) {
	h.mutex.Lock()
	fresh := !h.ended.IsZero() && h.clock().Sub(h.ended) < remembered
	h.mutex.Unlock()
	if fresh {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ending), pingTimeout)
	defer cancel()
	err := h.ping(ctx)
	if err != nil {
		h.logger.WarnContext(ctx, "the engine cannot be reached", slog.Any("error", err))
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.last, h.ended = err, h.clock()
	return true, nil
}

func respond(w http.ResponseWriter, r *http.Request, status int, body string) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		status, body = http.StatusMethodNotAllowed, `{"status":"method not allowed"}`
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body+"\n")
}
