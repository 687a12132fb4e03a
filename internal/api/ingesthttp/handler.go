// Package ingesthttp receives log events over HTTP: in the formats of savedq, of log shippers
// of OpenTelemetry, and of protocols for which there are shippers. It acknowledges events once they are durable (D30).
package ingesthttp

import (
	"log/slog"
	"net/http"
	"time"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
	"savedq/sqlq"
)

// DefaultMemoryBytes is the default of [Config.MemoryBytes].
const DefaultMemoryBytes = 128 << 20

// Config configures the handlers.
type Config struct {
	// Committer makes events durable. It is nil if the engine has no store of its own.
	Committer ingest.Committer
	// Follows means that there is no Committer because the server only reads a store that another one writes.
	Follows bool
	// MemoryBytes limits the bodies that all requests together hold in memory. It is at
	// least [MinMemoryBytes].
	MemoryBytes int64
	// MaxEventBytes is the maximum length of an event. Longer ones are rejected.
	MaxEventBytes int
	// VercelVerify is the value of the header x-vercel-verify, with which Vercel checks who
	// owns the address of a log drain. It may be empty.
	VercelVerify string
	// Tables returns the tables whose log sources events can be of.
	Tables func() sqlq.Tables
	// NewID returns the id of an event without one.
	NewID  func() string
	Clock  func() time.Time
	Errors *httperror.Writer
	Logger *slog.Logger
}

// MinMemoryBytes is the memory in which the share of a sender holds one body of any size while it is decoded.
const MinMemoryBytes = (2*logbody.MaxBytes + contentcoding.DecodeSlack + 1) * (ingest.SenderShare + 1) / ingest.SenderShare

// Handlers serve the ways to send events.
type Handlers struct {
	JSON, OTLP, Cloudflare, Vector, Vercel, Syslog http.Handler
	// WriteOTLPError writes an error in the form of OTLP.
	WriteOTLPError func(w http.ResponseWriter, r *http.Request, err error)
	// Protocols receive events as other log stores do.
	Protocols []Protocol
}

// New returns the handlers. They share the memory.
func New(config Config) *Handlers {
	shared := &receiver{
		Config: config, memory: ingest.NewMemory(config.MemoryBytes), codings: contentcoding.NewDecoder(logbody.MaxBytes),
	}
	otlp := &otlpHandler{shared}
	return &Handlers{
		JSON:       &handler{shared, logbody.JSON},
		OTLP:       otlp,
		Cloudflare: &handler{shared, logbody.Cloudflare},
		Vector:     &handler{shared, logbody.Vector},
		Vercel:     shared.verified(&handler{shared, logbody.Vercel}),
		Syslog:     &handler{shared, logbody.Syslog},

		WriteOTLPError: otlp.writeError,
		Protocols:      shared.protocols(),
	}
}

// verified sets the header with which Vercel checks who owns the address.
func (s *receiver) verified(next http.Handler) http.Handler {
	if s.VercelVerify == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Vercel-Verify", s.VercelVerify)
		next.ServeHTTP(w, r)
	})
}

// handler serves all formats but OTLP.
type handler struct {
	*receiver
	format logbody.Format
}

// ServeHTTP receives the events of one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	params, err := h.params(r, h.format == logbody.JSON)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	outcome, err := h.receive(w, r, h.format, params)
	if err != nil {
		h.writeError(w, r, err)
		return
	}
	outcome.write(w)
}

// writeError writes an error with the status of a [statusError], or else of its code.
func (h *handler) writeError(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf(err)
	if status == http.StatusMethodNotAllowed {
		h.Errors.WriteMethodNotAllowed(w, r, http.MethodPost)
		return
	}
	h.Errors.WriteStatus(w, r, status, err)
}
