package memory

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program stays within --memory. No test is parallel, since they measure.
func TestProgramFitsIntoMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the unit of the largest memory depends on the system")
	}
	binary := filepath.Join(t.TempDir(), "savedq")
	output, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", binary, "savedq").CombinedOutput()
	require.NoError(t, err, "%s", output)
	t.Run("load of large events", func(t *testing.T) { testLoad(t, binary) })
	t.Run("streams", func(t *testing.T) { testStreams(t, binary) })
}

// testLoad loads more large events than a row group has rows, with texts that no compression
// shortens much: a row group of them takes 250 MB.
func testLoad(t *testing.T, binary string) {
	t.Helper()
	const events = 125_000
	path := filepath.Join(t.TempDir(), "events.ndjson")
	writeLargeEvents(t, path, events)
	load := exec.CommandContext(t.Context(), binary, "load", "--source", "edge_logs", "--data", t.TempDir(), "--memory", memory, path)
	output, err := load.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "125,000 events loaded, 0 rejected")
	requireWithin(t, load)
}

const (
	limit  = 512 << 20
	memory = "512MiB"
)

// requireWithin requires that a process that has ended never had more memory than the limit.
func requireWithin(t *testing.T, ended *exec.Cmd) {
	t.Helper()
	usage, measured := ended.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, measured)
	t.Logf("largest memory: %d MiB", usage.Maxrss>>10)
	require.Less(t, usage.Maxrss<<10, int64(limit))
}

// writeLargeEvents writes events of about 2,200 bytes.
func writeLargeEvents(t *testing.T, path string, count int) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	written, random := bufio.NewWriter(file), rand.New(rand.NewPCG(1, 1))
	for n := range count {
		var headers strings.Builder
		for i := range 30 {
			_, _ = fmt.Fprintf(&headers, `"header_%d":"%016x%016x%016x",`, i, random.Uint64(), random.Uint64(), random.Uint64())
		}
		_, _ = fmt.Fprintf(written, `{"id":"%d","timestamp":%d,"event_message":"GET | 200","project":"acme","metadata":{"request":{"url":"https://acme.example.com/?id=%d","headers":{%s"accept":"*/*"}},"response":{"status_code":200}}}`+"\n",
			n, 1_795_000_000_000_000+n*1000, n, headers.String())
	}
	require.NoError(t, written.Flush())
	require.NoError(t, file.Close())
}
