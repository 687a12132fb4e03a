// Package health tells those who watch the server whether it is alive, and whether
// requests should be sent to it.
package health

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	// remembered is for how long what the engine said is taken for true: a probe may
	// come from anybody, and must not cost anything.
	remembered = 5 * time.Second
	// patience is how long the engine may take to answer a probe.
	patience = 3 * time.Second
)

// Alive answers that the server runs.
func Alive() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, http.StatusOK, "alive") })
}

// Readiness says whether requests should be sent to the server: while it can reach
// its engine, and until it ends.
type Readiness struct {
	ping   func(context.Context) error
	clock  func() time.Time
	logger *slog.Logger
	ending context.Context //nolint:containedctx // It is what is asked, not what asks.

	mutex sync.Mutex
	asked time.Time
	err   error
}

// NewReadiness returns the readiness of a server that ends with the context, and
// whose engine can be reached while ping gives no error.
func NewReadiness(ending context.Context, ping func(context.Context) error, clock func() time.Time, logger *slog.Logger) *Readiness {
	return &Readiness{ending: ending, ping: ping, clock: clock, logger: logger}
}

// ServeHTTP answers 200 or 503.
func (h *Readiness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case h.ending.Err() != nil:
		answer(w, r, http.StatusServiceUnavailable, "draining")
	case h.engineError(r.Context()) != nil:
		answer(w, r, http.StatusServiceUnavailable, "engine unreachable")
	default:
		answer(w, r, http.StatusOK, "ready")
	}
}

// engineError asks the engine, but not again in a while.
func (h *Readiness) engineError(ctx context.Context) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	now := h.clock()
	if !h.asked.IsZero() && now.Sub(h.asked) < remembered {
		return h.err
	}
	// Others take what this probe learns for true, so it does not end with its caller.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := h.ping(ctx)
	if err != nil {
		h.logger.WarnContext(ctx, "the engine cannot be reached", slog.Any("error", err))
	}
	h.asked, h.err = h.clock(), err
	return err
}

func answer(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		status, text = http.StatusMethodNotAllowed, "method not allowed"
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"status":"`+text+`"}`+"\n")
}
