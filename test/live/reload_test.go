package live_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeNumber writes a saved query mine.number, which returns a number in two columns whose
// names have its parity.
func writeNumber(t *testing.T, directory string, number int) {
	t.Helper()
	odd := number % 2
	folder := filepath.Join(directory, "mine.number")
	require.NoError(t, os.MkdirAll(folder, 0o750))
	for name, content := range map[string]string{
		"query.yaml": fmt.Sprintf("id: 11111111-1111-4111-8111-111111111111\nname: mine.number\ndescription: Number %d.\ncache: 60s\ncolumns:\n"+
			"  - {name: a%d, type: INT64, description: A.}\n  - {name: b%d, type: INT64, description: B.}\n", number, odd, odd),
		"duckdb.sql": fmt.Sprintf("SELECT %d AS a%d, %d AS b%d\n", number, odd, number, odd),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
}

// readNumber returns the number of a response, or an error if it is half a change.
func readNumber(response string) (int, error) {
	var body struct{ Result []map[string]int }
	if err := json.Unmarshal([]byte(response), &body); err != nil || len(body.Result) != 1 {
		return 0, fmt.Errorf("not one row: %s", response)
	}
	for odd := range 2 {
		a, found := body.Result[0][fmt.Sprint("a", odd)]
		if found && a%2 == odd && a == body.Result[0][fmt.Sprint("b", odd)] {
			return a, nil
		}
	}
	return 0, fmt.Errorf("half a change: %s", response)
}

const numberPath = "/api/endpoints/mine.number"

// becomesNumber waits until the server returns a number.
func (s *server) becomesNumber(t *testing.T, want int) {
	t.Helper()
	assert.Eventually(t, func() bool {
		number, err := readNumber(s.get(t, numberPath))
		return err == nil && number == want
	}, time.Minute, 10*time.Millisecond)
}

// SIGHUP reloads the saved queries, once for all, and keeps the last good version of those
// with a mistake (D29).
func TestReloadOnSIGHUP(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	writeNumber(t, directory, 1)
	s := serve(t, "--data", t.TempDir(), "--queries", directory)
	s.becomesNumber(t, 1)
	reload := func() { require.NoError(t, s.command.Process.Signal(syscall.SIGHUP)) }
	writeNumber(t, directory, 2)
	reload()
	s.becomesNumber(t, 2)
	var fields struct{ MineNumber []struct{ A0 int } }
	s.graphql(t, "{ mineNumber { a0 } }", &fields)
	assert.Equal(t, 2, fields.MineNumber[0].A0)
	assert.Contains(t, s.get(t, "/schema.graphql"), "a0: Int64")

	require.NoError(t, os.WriteFile(filepath.Join(directory, "mine.number", "duckdb.sql"), []byte("SELECT\n  nosuch AS a0, 1 AS b0"), 0o600))
	reload()
	s.logs(t, `duckdb.sql","line":2,"column":3,"mistake":"`)
	s.becomesNumber(t, 2)
	var state struct {
		Catalog struct {
			Mistakes []struct {
				File         string
				Line, Column int
			}
		}
	}
	s.graphql(t, "{ catalog { mistakes { file line column } } }", &state)
	require.Len(t, state.Catalog.Mistakes, 1)
	assert.Equal(t, filepath.Join(directory, "mine.number", "duckdb.sql"), state.Catalog.Mistakes[0].File)
	assert.Equal(t, 2, state.Catalog.Mistakes[0].Line)
	assert.Contains(t, s.get(t, "/metrics"), "\nsavedq_catalog_last_reload_successful 0\n")
	assert.Zero(t, s.stop(t), s.stderr)
}

// While a folder changes every 100 ms, no request fails and none sees half a change. The
// last change is visible soon.
func TestWatchUnderLoad(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	writeNumber(t, directory, 1)
	s := serve(t, "--data", t.TempDir(), "--queries", directory, "--watch")
	stop := make(chan struct{})
	var loading sync.WaitGroup
	for range 2 {
		loading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				response := s.send(t, http.MethodGet, numberPath, nil)
				_, err := readNumber(body(t, response))
				assert.NoError(t, err)
			}
		})
	}
	const changes = 30
	every := time.NewTicker(100 * time.Millisecond)
	defer every.Stop()
	for number := 2; number <= changes; number++ {
		<-every.C
		writeNumber(t, directory, number)
	}
	close(stop)
	loading.Wait()
	s.becomesNumber(t, changes)
	assert.Zero(t, s.stop(t), s.stderr)
}

// --dev shows the engine's messages and watches, on loopback only.
func TestDev(t *testing.T) {
	t.Parallel()
	data, directory := t.TempDir(), filepath.Join(t.TempDir(), "new")
	rejected := run(t, "serve", "--dev", "--data", data, "--queries", directory, "--addr", "0.0.0.0:0")
	assert.Equal(t, 1, rejected.status)
	assert.Contains(t, rejected.stderr, "--dev: other machines can reach 0.0.0.0:0; use it only with a loopback address such as 127.0.0.1:8080")
	assert.NoDirExists(t, directory, "a start that fails leaves nothing behind")
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	rejected = run(t, "serve", "--dev", "--data", t.TempDir(), "--queries", directory, "--addr", "127.0.0.1:0", "--metrics-addr", busy.Addr().String())
	require.NoError(t, busy.Close())
	assert.Equal(t, 1, rejected.status)
	assert.Contains(t, rejected.stderr, "choose another --metrics-addr")
	assert.NoDirExists(t, directory, "nor does one that fails last")

	first := serve(t, "--dev", "--data", data, "--queries", directory)
	first.logs(t, "the directory of saved queries was created")
	writeNumber(t, directory, 1)
	require.Eventually(t, func() bool {
		response := first.send(t, http.MethodGet, numberPath, nil)
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	}, time.Minute, 10*time.Millisecond)
	assert.Contains(t, first.banner, "(kept in "+filepath.Join(data, "generated-token")+"; set SAVEDQ_TOKEN to choose one)")
	writeNumber(t, directory, 2)
	first.becomesNumber(t, 2)
	require.NoError(t, os.WriteFile(filepath.Join(directory, "mine.number", "duckdb.sql"), []byte("SELECT error('boom') AS a0, 1 AS b0"), 0o600))
	assert.Eventually(t, func() bool {
		response := first.send(t, http.MethodGet, numberPath, nil)
		defer func() { _ = response.Body.Close() }()
		var failure struct{ Error struct{ Cause string } }
		return response.StatusCode == http.StatusInternalServerError && json.NewDecoder(response.Body).Decode(&failure) == nil &&
			strings.Contains(failure.Error.Cause, "boom")
	}, time.Minute, 10*time.Millisecond)
	assert.Zero(t, first.stop(t), first.stderr)
	second := serve(t, "--data", data)
	assert.Equal(t, first.token, second.token, "a generated token survives a restart")
	assert.Zero(t, second.stop(t), second.stderr)
}
