package requestlog

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"savedq/internal/observe/logging"
)

const (
	// linesPerSecond and burstOfLines are how many lines of one kind are written about
	// requests that were not let in.
	linesPerSecond = 2
	burstOfLines   = 50
	// summaryInterval is how long omitted lines are counted before a summary line.
	summaryInterval = 10 * time.Second
	// maxClients limits the number of clients that are counted separately in that time.
	maxClients = 1000
)

// Limiter limits the lines about requests that were not admitted, so that nobody without a
// token can fill the disk. It counts omitted lines and summarizes them in one line every
// ten seconds. A nil Limiter limits nothing. It is safe for concurrent use.
type Limiter struct {
	logger  *slog.Logger
	omitted atomic.Int64

	mutex sync.Mutex
	// kinds does not grow: messages are constants, and the server has few tokens.
	kinds map[lineKind]*lineLimit
}

// lineKind identifies lines that are limited together: those with one message, with or
// without a known token.
type lineKind struct{ message, token string }

// lineLimit limits the lines of one kind.
type lineLimit struct {
	allowed *rate.Limiter
	// omitted is zero where no summary is due.
	omitted int
	clients map[netip.Prefix]int
	timer   *time.Timer
}

// NewLimiter returns a limiter that writes its summaries to the logger. Callers must
// close it before they close the log.
func NewLimiter(logger *slog.Logger) *Limiter {
	return &Limiter{logger: logger, kinds: make(map[lineKind]*lineLimit)}
}

// Omitted returns how many lines were omitted.
func (l *Limiter) Omitted() int64 { return l.omitted.Load() }

// Close writes the summaries that are due. The limiter can still be used.
func (l *Limiter) Close() {
	l.mutex.Lock()
	kinds := make([]lineKind, 0, len(l.kinds))
	for kind := range l.kinds {
		kinds = append(kinds, kind)
	}
	l.mutex.Unlock()
	for _, kind := range kinds {
		l.summarize(kind)
	}
}

// allow reports whether a line about a request may be written. A line that may not is
// counted for the client at the remote address.
func (l *Limiter) allow(kind lineKind, remote string, at time.Time) bool {
	if l == nil {
		return true
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	limit := l.kinds[kind]
	if limit == nil {
		limit = &lineLimit{allowed: rate.NewLimiter(linesPerSecond, burstOfLines)}
		l.kinds[kind] = limit
	}
	if limit.allowed.AllowN(at, 1) {
		return true
	}
	l.omitted.Add(1)
	if limit.omitted == 0 {
		limit.clients = make(map[netip.Prefix]int)
		limit.timer = time.AfterFunc(summaryInterval, func() { l.summarize(kind) })
	}
	limit.omitted++
	address, _ := netip.ParseAddrPort(remote) // the zero value is unknown
	client := ClientAt(address)
	if _, known := limit.clients[client]; known || len(limit.clients) < maxClients {
		limit.clients[client]++
	}
	return false
}

// summarize writes how many lines of a kind were omitted, if there were any.
func (l *Limiter) summarize(kind lineKind) {
	l.mutex.Lock()
	limit := l.kinds[kind]
	omitted, clients := limit.omitted, limit.clients
	limit.omitted, limit.clients = 0, nil
	if limit.timer != nil {
		limit.timer.Stop()
	}
	l.mutex.Unlock()
	if omitted == 0 {
		return
	}
	var mostFrequent netip.Prefix
	for client, lines := range clients {
		if most := clients[mostFrequent]; lines > most || lines == most && client.String() < mostFrequent.String() {
			mostFrequent = client
		}
	}
	attrs := []any{
		slog.String("line", kind.message), slog.Int("omitted", omitted),
		slog.Int("clients", len(clients)), slog.String("most_frequent", nameOf(mostFrequent)), slog.Int("most_frequent_omitted", clients[mostFrequent]),
	}
	if kind.token != "" {
		attrs = append(attrs, slog.String("token", kind.token))
	}
	l.logger.Warn("log lines about unauthenticated requests were omitted", attrs...)
}

// ClientAt returns the client at a remote address: an IPv4 address, or a /64 network of
// IPv6, because a client usually owns all of it. The zero prefix means unknown.
func ClientAt(remote netip.AddrPort) netip.Prefix {
	const networkBits = 64
	plain := remote.Addr().Unmap().WithZone("")
	client, _ := plain.Prefix(min(plain.BitLen(), networkBits)) // it has that many bits
	return client
}

func nameOf(client netip.Prefix) string {
	switch {
	case !client.IsValid():
		return "unknown"
	case client.IsSingleIP():
		return client.Addr().String()
	}
	return client.String()
}

// LimitHandler returns a handler that limits the lines of another one together, for
// those that are written outside of requests. The message names them in summaries.
func (l *Limiter) LimitHandler(next slog.Handler, message string) slog.Handler {
	return logging.Intercept(next, func(ctx context.Context, record slog.Record, next slog.Handler) error {
		if !l.allow(lineKind{message: message}, "", record.Time) {
			return nil
		}
		return next.Handle(ctx, record)
	})
}
