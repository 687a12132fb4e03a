package livetest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "savedq/internal/cli" // so that a change of the program is one of the test, which the cache of test results sees
)

// token lets the tests in.
const token = "savedq_for-the-clients-of-the-examples-0123456789"

// binary is the built program.
var binary string //nolint:gochecknoglobals // It is set once, before the tests.

func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "savedq")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(directory, "savedq")
	if output, err := exec.Command("go", "build", "-o", binary, "savedq").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build the program: %v\n%s", err, output))
	}
	status := m.Run()
	_ = os.RemoveAll(directory)
	os.Exit(status)
}

// serve starts a server on a free port, with the logs of examples/logs, that ends
// with the test. It returns where the server is.
func serve(t *testing.T) (url string) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	files, err := filepath.Glob(filepath.Join(examples, "logs", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		source := strings.TrimSuffix(filepath.Base(file), ".json")
		output, err := exec.CommandContext(t.Context(), binary, "load", "--data", data, "--source", source, file).CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	var stderr bytes.Buffer
	command := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data", data)
	command.Env = append(os.Environ(), "SAVEDQ_TOKEN="+token)
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	banner := bufio.NewReader(stdout)
	t.Cleanup(func() {
		require.NoError(t, command.Process.Signal(syscall.SIGTERM))
		_, _ = io.Copy(io.Discard, banner)
		assert.NoError(t, command.Wait(), "%s", &stderr)
	})
	ready, err := banner.ReadString('\n')
	require.NoError(t, err, "the server ended early: %s", &stderr)
	url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(ready)
	require.NotEmpty(t, url, ready)
	return url
}

// rows reads the rows that the server gives on a path, into a pointer to a list.
func rows(t *testing.T, url, path string, list any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
	require.NoError(t, err)
	request.Header.Set("X-API-KEY", token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	answer := struct{ Result any }{Result: list}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
}
