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
	// Drain is the longest time that requests in flight may take after the end began.
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
		return nil, fmt.Errorf("cannot listen on %s: %w", address, err)
	}
	return listener, nil
}

// Serve serves until the context ends, and then lets requests in flight finish;
// what takes longer than it may is cancelled.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, limits Limits, logger *slog.Logger) error {
	// Requests outlive ctx: they may finish while the server drains.
	requests, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      readTimeout + limits.QueryTimeout + writeGrace,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	logger.InfoContext(ctx, "draining requests in flight")
	if shutdown(requests, server, limits.Drain) == nil {
		return nil
	}
	logger.WarnContext(ctx, "cancelling requests that did not finish")
	cancelRequests()
	if err := shutdown(context.WithoutCancel(requests), server, cancelGrace); err != nil {
		return errors.Join(fmt.Errorf("drain: %w", err), server.Close())
	}
	return nil
}

// shutdown waits for requests in flight, but no longer than the time given.
func shutdown(ctx context.Context, server *http.Server, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return server.Shutdown(ctx)
}
