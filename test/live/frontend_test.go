package live_test

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/web/webtest"
)

// The page of examples/frontend, on another origin, draws live data of its user's project in a
// browser, with tokens that its backend signs, and gets no other project's.
func TestFrontend(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	browser := webtest.Chromium(t)
	directory := copyClient(t, "frontend")
	const secretBytes = 32
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret)
	require.NoError(t, os.WriteFile(filepath.Join(directory, "jwt.secret"), []byte(hex.EncodeToString(secret)), 0o600))
	port := freePort(t)
	origin := fmt.Sprintf("http://127.0.0.1:%d", port)
	data := filepath.Join(t.TempDir(), "data")
	loadDemo(t, data)
	s := serveIn(t, directory, "--demo", "--data", data, "--jwt", "jwt.yaml", "--cors-origins", origin)
	startBackend(t, directory, port, s.url)

	require.NoError(t, chromedp.Do(browser, chromedp.Navigate(origin)))
	const text = "document.querySelector('[role=status]').textContent"
	shown := func() string {
		value, err := chromedp.Run(browser, chromedp.Evaluate[string](text))
		require.NoError(t, err)
		return value
	}
	assert.Eventually(t, func() bool { return invocations(shown()) > 0 }, time.Minute, 100*time.Millisecond, "the page shows: %s", shown())
	points, err := chromedp.Run(browser, chromedp.Evaluate[int]("document.querySelector('polyline').points.length"))
	require.NoError(t, err)
	assert.Equal(t, 61, points, "a point for each minute")
	answer, err := chromedp.Run(browser, chromedp.Evaluate[string](`(async () => {
		const { token, url } = await (await fetch('/token')).json();
		const path = '/api/endpoints/functions.invocation-stats?interval=1hr&project=globex';
		const response = await fetch(url + path, { headers: { Authorization: 'Bearer ' + token } });
		return response.status + ' ' + (await response.json()).error.code;
	})()`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	assert.Equal(t, "403 PERMISSION_DENIED", answer)
}

// invocations returns the number at the start of what the page shows.
func invocations(shown string) (count int) {
	_, _ = fmt.Sscanf(shown, "%d invocations", &count)
	return count
}

// freePort returns a port that was free just now.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// startBackend starts the backend of the page, and waits until it listens.
func startBackend(t *testing.T, directory string, port int, savedq string) {
	t.Helper()
	backend := exec.Command("node", "backend.mjs")
	backend.Dir = directory
	backend.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port), "SAVEDQ_URL="+savedq)
	stdout, err := backend.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, backend.Start())
	t.Cleanup(func() {
		_ = backend.Process.Kill()
		_ = backend.Wait()
	})
	_, err = stdout.Read(make([]byte, 1)) // it prints its address when it listens
	require.NoError(t, err)
}
