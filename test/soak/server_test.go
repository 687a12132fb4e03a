package soak

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
)

// The server's limits. The queue's is shorter than the server's own, so that load
// that stays is rejected within the time of the test.
const (
	queryTimeout = 10 * time.Second
	queueTimeout = 3 * time.Second
	drain        = 15 * time.Second
	cacheBytes   = "32MiB"
)

// meteredRate is how many requests a second the metered token may send: far fewer
// than are sent with it.
const meteredRate = 5

// server is "savedq serve" with demo logs, in a process of its own.
type server struct {
	command *exec.Cmd
	address string
	// token may do everything, and metered all of that at its rate.
	token, metered string
	log            *log
	// read is closed when the server's output has been read to its end.
	read chan struct{}
}

// start starts the server with some flags, and waits until it is ready.
func start(t *testing.T, flags ...string) *server {
	t.Helper()
	token, tokenEntry := newToken(t, auth.FullAccess("unmetered"))
	limited := auth.FullAccess("metered")
	limited.Rate = meteredRate
	metered, meteredEntry := newToken(t, limited)
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(tokens, []byte("tokens:\n"+tokenEntry+meteredEntry), 0o600))
	flags = append([]string{
		"serve", "--demo", "--tokens", tokens, "--addr", "127.0.0.1:0", "--data", t.TempDir(),
		"--log-format", "json", "--cache-bytes", cacheBytes, "--query-timeout", queryTimeout.String(), "--drain", drain.String(),
	}, flags...)
	command := exec.CommandContext(t.Context(), program(t), flags...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SAVEDQ_") {
			command.Env = append(command.Env, variable)
		}
	}
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	stderr, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	s := &server{command: command, token: token, metered: metered, log: newLog(), read: make(chan struct{})}
	t.Cleanup(func() { _ = command.Process.Kill() })
	address := make(chan string, 1)
	var reading sync.WaitGroup
	reading.Go(func() { findAddress(stdout, address) })
	reading.Go(func() { s.log.read(stderr) })
	go func() {
		reading.Wait()
		close(s.read)
	}()
	select {
	case s.address = <-address:
	case <-s.read:
		t.Fatalf("the server ended: %v", s.log.errors)
	case <-time.After(3 * time.Minute):
		t.Fatal("the server is not ready")
	}
	return s
}

// newToken makes a secret for a token, and its entry of the tokens file.
func newToken(t *testing.T, token auth.Token) (secret, entry string) {
	t.Helper()
	secret, err := auth.New(rand.Reader)
	require.NoError(t, err)
	return secret, auth.EntryYAML(token, auth.HashOf(secret))
}

// findAddress reads what the server says to people, and sends its address.
func findAddress(stdout io.Reader, address chan<- string) {
	ready := regexp.MustCompile(`^savedq is ready on (http://\S+)$`)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if match := ready.FindStringSubmatch(lines.Text()); match != nil {
			address <- match[1]
		}
	}
}

// terminate sends SIGTERM and waits for the end. It returns how long that took; the
// error is the exit status, if it is not 0.
func (s *server) terminate() (time.Duration, error) {
	began := time.Now()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	<-s.read
	return time.Since(began), s.command.Wait()
}

// memory returns how much memory the server has in use, in bytes.
func (s *server) memory() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	match := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	if match == nil {
		return 0, fmt.Errorf("/proc says nothing of memory: %s", status)
	}
	kibibytes, err := strconv.ParseInt(string(match[1]), 10, 64)
	return kibibytes << 10, err
}

// log counts the lines of the server's log, and keeps the first errors.
type log struct {
	lines  map[string]int
	errors []string
}

func newLog() *log { return &log{lines: make(map[string]int)} }

// read reads the log to its end.
func (l *log) read(stderr io.Reader) {
	const mostErrors = 10
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct{ Level string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			line.Level = "ERROR" // a panic, or the like
		}
		l.lines[line.Level]++
		if line.Level == "ERROR" && len(l.errors) < mostErrors {
			l.errors = append(l.errors, lines.Text())
		}
	}
}
