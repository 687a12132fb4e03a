package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// product is a program that is compared: how to start it, and how to ask it.
type product interface {
	name() string
	version(ctx context.Context) (string, error)
	// command returns the command line of a server, and variables to add to the environment.
	command(address, data string) (arguments, environment []string)
	readyPath() string
	authorize(request *http.Request)
	insertPath(source string) string
	query(q question) string
	// fresh returns an error if a response comes from a cache.
	fresh(header http.Header) error
	answer(q question, body []byte) (answer, error)
}

// server is a running server with a data directory of its own.
type server struct {
	product
	directory string
	base      string
	client    *http.Client
	process   *exec.Cmd
	exited    chan struct{}
}

// start starts a server with an empty store below directory and waits until it is ready.
func start(ctx context.Context, p product, directory string) (*server, error) {
	directory, err := os.MkdirTemp(directory, p.name()+"-")
	if err != nil {
		return nil, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	s := &server{
		product: p, directory: directory, base: "http://" + address, exited: make(chan struct{}),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16, DisableCompression: true}, Timeout: time.Minute},
	}
	arguments, environment := p.command(address, filepath.Join(directory, "data"))
	log, err := os.Create(s.logPath())
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // The server writes it.
	// It outlives ctx, because stop ends it, and the process group, so that Ctrl+C does not end it earlier.
	s.process = exec.Command(arguments[0], arguments[1:]...) //nolint:gosec,noctx // see above
	s.process.Env = append(os.Environ(), environment...)
	s.process.Stdout, s.process.Stderr = log, log
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.exited)
		_ = s.process.Wait() // alive reports the end
	}()
	if err := s.awaitReady(ctx); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func (s *server) logPath() string { return filepath.Join(s.directory, "log") }

func (s *server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if err := s.alive(); err != nil {
			return err
		}
		if _, _, err := s.do(ctx, http.MethodGet, s.readyPath(), nil); err == nil {
			return nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("%s is not ready: %w", s.name(), err)
		}
	}
}

// alive returns an error with the server's log if its process has ended.
func (s *server) alive() error {
	select {
	case <-s.exited:
		log, _ := os.ReadFile(s.logPath())
		return fmt.Errorf("%s ended (%s):\n%s", s.name(), s.process.ProcessState, log[max(0, len(log)-4096):])
	default:
		return nil
	}
}

// stop ends the process and removes its data.
func (s *server) stop() {
	_ = s.process.Process.Signal(syscall.SIGINT) // it may have ended
	select {
	case <-s.exited:
	case <-time.After(20 * time.Second):
		_ = s.process.Process.Kill()
		<-s.exited
	}
	s.client.CloseIdleConnections()
	_ = os.RemoveAll(s.directory) // main removes the directory around it, and reports errors
}

// statusError is a response with an unexpected status.
type statusError struct {
	status int
	header http.Header
	body   []byte
}

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d: %s", e.status, e.body[:min(len(e.body), 500)])
}

// do sends a request and returns the response of status 200 or 204.
func (s *server) do(ctx context.Context, method, path string, body []byte) (http.Header, []byte, error) {
	return s.doAs(ctx, method, path, "", body)
}

// doAs is do with the type of the body.
func (s *server) doAs(ctx context.Context, method, path, contentType string, body []byte) (http.Header, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	s.authorize(request)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // It was read to its end.
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusNoContent {
		return nil, nil, fmt.Errorf("%s: %s: %w", s.name(), path, &statusError{response.StatusCode, response.Header, content})
	}
	return response.Header, content, nil
}

// ask returns the answer to a question and the time until the whole response was read.
func (s *server) ask(ctx context.Context, q question) (answer, time.Duration, error) {
	path := s.query(q)
	begin := time.Now()
	header, body, err := s.do(ctx, http.MethodGet, path, nil)
	took := time.Since(begin)
	if err != nil {
		return nil, 0, err
	}
	if err := s.fresh(header); err != nil {
		return nil, 0, fmt.Errorf("%s: %s: %w", s.name(), path, err)
	}
	found, err := s.answer(q, body)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %s: %w", s.name(), path, err)
	}
	return found, took, nil
}

// refusal returns how long to wait before a refused request is sent again, and whether the error is a refusal.
func refusal(e *statusError) (time.Duration, bool) {
	if e.status != http.StatusTooManyRequests && e.status != http.StatusServiceUnavailable {
		return 0, false
	}
	seconds, err := strconv.Atoi(e.header.Get("Retry-After"))
	if err != nil {
		seconds = 1
	}
	return time.Duration(seconds) * time.Second, true
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
