package live_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "savedq/internal/cli" // so that a change of the program is one of the test, which the cache of test results sees
)

// root is the root of the repository. Nothing changes to it, since the cache of test
// results would then not see which files a test reads.
const root = "../.."

// binary is the built program, which all tests run.
var binary string //nolint:gochecknoglobals // It is set once, before the tests.

// TestMain installs the program as the documents say.
func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "savedq")
	if err != nil {
		panic(err)
	}
	install := exec.Command("go", "install", ".")
	install.Dir = root
	install.Env = append(os.Environ(), "GOBIN="+directory)
	if output, err := install.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("install the program: %v\n%s", err, output))
	}
	binary = filepath.Join(directory, "savedq")
	status := m.Run()
	_ = os.RemoveAll(directory)
	os.Exit(status)
}

// outcome is what a finished command has left.
type outcome struct {
	status         int
	stdout, stderr string
}

// run runs the program to its end.
func run(t *testing.T, args ...string) outcome {
	t.Helper()
	return (&server{}).run(t, args...)
}

// run runs the program to its end, with the server's token if it has one.
func (s *server) run(t *testing.T, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a command that should have ended
	defer cancel()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, binary, args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	if s.token != "" {
		command.Env = append(os.Environ(), "SAVEDQ_TOKEN="+s.token)
	}
	err := command.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended { //nolint:errorlint // It is never wrapped.
		require.NoError(t, err)
	}
	return outcome{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// server is a running "savedq serve".
type server struct {
	command *exec.Cmd
	stdout  *bufio.Reader
	stderr  *output
	// banner is what the server printed until it was ready.
	banner string
	url    string
	// token is the one that the server made for its run.
	token string
}

// output is what a program prints while it runs.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.Write(text)
}

// String returns what was printed so far.
func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}

// serve starts a server on a free port and waits until it is ready.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	return serveIn(t, "", args...)
}

// serveIn does what serve does in a directory.
func serveIn(t *testing.T, directory string, args ...string) *server {
	t.Helper()
	s := &server{command: exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...), stderr: &output{}}
	s.command.Dir = directory
	s.command.Stderr = s.stderr
	s.start(t)
	return s
}

// start starts the server and waits until it is ready.
func (s *server) start(t *testing.T) {
	t.Helper()
	stdout, err := s.command.StdoutPipe()
	require.NoError(t, err)
	s.stdout = bufio.NewReader(stdout)
	require.NoError(t, s.command.Start())
	t.Cleanup(func() { _ = s.command.Process.Kill() })
	for !strings.Contains(s.banner, "\n  curl ") || !strings.HasSuffix(s.banner, "\n") {
		line, err := s.stdout.ReadString('\n')
		s.banner += line
		if err != nil {
			_ = s.command.Wait()
			require.NoError(t, err, "the server ended early: %s%s", s.banner, s.stderr)
		}
	}
	s.url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(s.banner)
	require.NotEmpty(t, s.url)
	s.token = regexp.MustCompile(`savedq_[\w-]{43}`).FindString(s.banner)
}

// stop ends the server with SIGTERM and returns its exit status.
func (s *server) stop(t *testing.T) int {
	t.Helper()
	require.NoError(t, s.command.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, s.stdout)
	_ = s.command.Wait()
	return s.command.ProcessState.ExitCode()
}

// logs waits until the server's log contains a text: a line may come after the response that it is about.
func (s *server) logs(t *testing.T, text string) {
	t.Helper()
	assert.Eventually(t, func() bool { return strings.Contains(s.stderr.String(), text) }, time.Minute, 10*time.Millisecond, "%s in %s", text, s.stderr)
}

// get returns the body of a response, which must be 200.
func (s *server) get(t *testing.T, path string) string {
	t.Helper()
	return body(t, s.send(t, http.MethodGet, path, nil))
}

// send sends a request with the server's token.
func (s *server) send(t *testing.T, method, path string, body io.Reader) *http.Response {
	t.Helper()
	return ask(t, method, s.url+path, body, "X-API-KEY", s.token, "Content-Type", "application/json")
}

// ask sends a request with headers, which are pairs of a name and a value.
func ask(t *testing.T, method, url string, body io.Reader, headers ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	return response
}

// graphql returns the data of a response, which must have no errors.
func (s *server) graphql(t *testing.T, query string, data any) {
	t.Helper()
	request, err := json.Marshal(map[string]string{"query": query})
	require.NoError(t, err)
	response := s.send(t, http.MethodPost, "/graphql", bytes.NewReader(request))
	decoded := struct {
		Data   any
		Errors []any
	}{Data: data}
	require.NoError(t, json.Unmarshal([]byte(body(t, response)), &decoded))
	require.Empty(t, decoded.Errors)
}

func body(t *testing.T, response *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", text)
	return string(text)
}
