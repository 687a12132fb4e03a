package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"savedq/internal/http/onewrite"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

const (
	// These limit how long a slow client can hold a connection. See also limitBodies.
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	// writeGrace is how long sending a response may take after it was computed.
	writeGrace     = 30 * time.Second
	maxHeaderBytes = 64 << 10
	// cancelGrace is how long cancelled requests may take to end.
	cancelGrace = 5 * time.Second
)

// Limits limit the time that requests take.
type Limits struct {
	// QueryTimeout is the longest time that a query may take.
	QueryTimeout time.Duration
	// ShutdownDelay is how long new requests are still accepted after shutdown begins.
	ShutdownDelay time.Duration
	// Drain is the longest time that in-flight requests may take after that.
	Drain time.Duration
	// OnDrain is called when the server begins to wait for in-flight requests; nil means that
	// nothing happens. It ends requests that have no end of their own.
	OnDrain func()
}

// Listen listens on a TCP address. The error is one line that names the address and the
// flag that sets it.
func Listen(ctx context.Context, flag, address string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("cannot listen on %s: the port is in use; stop what uses it, or choose another %s", address, flag)
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another %s", address, err, flag)
	}
	return listener, nil
}

// Serve serves until the context ends and the shutdown delay has passed. The delay gives
// load balancers time to stop sending requests. Serve then waits for in-flight requests to
// finish and cancels those that exceed the drain limit.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, limits Limits, logger *slog.Logger) error {
	// Requests outlive ctx, so that they can finish while the server drains.
	requests, cancelRequests := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelRequests(nil)
	errorLog := requestlog.NewLimiter(logger)
	defer errorLog.Close()
	var inFlight sync.WaitGroup
	server := &http.Server{
		Handler:           counted(&inFlight, closeAfter(ctx, limitBodies(handler))),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      readTimeout + limits.QueryTimeout + writeGrace,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		// OPTIONS * requires a token like every other request.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(errorLog.LimitHandler(logger.Handler(), "net/http"), slog.LevelWarn),
		BaseContext:                  func(net.Listener) context.Context { return requests },
		ConnContext:                  onewrite.ConnContext,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(onewrite.Listener(listener)) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	if limits.ShutdownDelay > 0 {
		logger.InfoContext(ctx, "shutting down, requests are still accepted", slog.Duration("for", limits.ShutdownDelay))
		select {
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case <-time.After(limits.ShutdownDelay):
		}
	}
	logger.InfoContext(ctx, "draining requests in flight", slog.String("address", listener.Addr().String()))
	if limits.OnDrain != nil {
		limits.OnDrain()
	}
	if shutdown(requests, server, &inFlight, limits.Drain) == nil {
		return nil
	}
	logger.WarnContext(ctx, "cancelling requests that did not finish")
	cancelRequests(shuttingDown())
	if err := shutdown(context.WithoutCancel(requests), server, &inFlight, cancelGrace); err != nil {
		return errors.Join(fmt.Errorf("drain: %w", err), server.Close())
	}
	return nil
}

// shuttingDown returns the error of requests that the server cancels when the drain limit
// is reached. Their clients are still connected and may retry on another server.
func shuttingDown() error {
	return sqlq.Rejectf(sqlq.Unavailable, time.Second, "the server is shutting down; try again")
}

// closeAfter closes connections after their next response once the context has ended, so
// that clients reconnect, to another server if there is one.
func closeAfter(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// counted counts the requests in flight.
func counted(inFlight *sync.WaitGroup, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inFlight.Add(1)
		defer inFlight.Done()
		next.ServeHTTP(w, r)
	})
}

// shutdown waits for in-flight requests to finish, at most for the timeout. The server's own
// Shutdown does not wait for WebSockets, but after it no request begins.
func shutdown(ctx context.Context, server *http.Server, inFlight *sync.WaitGroup, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return err
	}
	finished := make(chan struct{})
	go func() {
		inFlight.Wait()
		close(finished)
	}()
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
