package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"savedq/internal/http/onewrite"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

const (
	// These bound how long a slow client can hold a connection.
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	// writeGrace is what sending an answer may take beyond making it.
	writeGrace     = 30 * time.Second
	maxHeaderBytes = 64 << 10
	// cancelGrace is what requests may take to end after they were cancelled.
	cancelGrace = 5 * time.Second
)

// Limits bound the time that requests take.
type Limits struct {
	// QueryTimeout is the longest time that a query may take.
	QueryTimeout time.Duration
	// ShutdownDelay is how long requests are still taken after the end began.
	ShutdownDelay time.Duration
	// Drain is the longest time that requests in flight may take after that.
	Drain time.Duration
}

// Listen opens the address; the error is one line that names it, and the flag that
// gave it.
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

// Serve serves until the context ends, and for the shutdown delay after that, in which
// whoever sends requests here learns of the end. Then it lets requests in flight
// finish; what takes longer than it may is cancelled.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, limits Limits, logger *slog.Logger) error {
	// Requests outlive ctx: they may finish while the server drains.
	requests, cancelRequests := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelRequests(nil)
	errorLog := requestlog.NewLimiter(logger)
	defer errorLog.Close()
	server := &http.Server{
		Handler:           movingOn(ctx, handler),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      readTimeout + limits.QueryTimeout + writeGrace,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		// OPTIONS * is answered like everything else: with a token.
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
		logger.InfoContext(ctx, "shutting down, requests are still taken", slog.Duration("for", limits.ShutdownDelay))
		select {
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case <-time.After(limits.ShutdownDelay):
		}
	}
	logger.InfoContext(ctx, "draining requests in flight", slog.String("address", listener.Addr().String()))
	if shutdown(requests, server, limits.Drain) == nil {
		return nil
	}
	logger.WarnContext(ctx, "cancelling requests that did not finish")
	cancelRequests(shuttingDown())
	if err := shutdown(context.WithoutCancel(requests), server, cancelGrace); err != nil {
		return errors.Join(fmt.Errorf("drain: %w", err), server.Close())
	}
	return nil
}

// shuttingDown is the error of requests that the server cancels when the time for
// draining is up. Their callers did not leave, and may try again elsewhere.
func shuttingDown() error {
	return sqlq.Rejectf(sqlq.Unavailable, time.Second, "the server is shutting down; try again")
}

// movingOn asks callers for a new connection once the context has ended, which leads
// them to another server if there is one.
func movingOn(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// shutdown waits for requests in flight, but no longer than the time given.
func shutdown(ctx context.Context, server *http.Server, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return server.Shutdown(ctx)
}
