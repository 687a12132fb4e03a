package soak

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/engines"
	"savedq/internal/logs/parts"
)

const (
	// steadyBatches is how many batches of steadyEvents events are sent a second.
	steadyBatches = 10
	steadyEvents  = 300
	// steadyWarmUp is when retention has freed space several times, and sizes should no longer grow.
	steadyWarmUp = 15 * time.Minute
)

// TestSoakSteadyIngest sends events at a steady rate for SOAK_SECONDS to a server that keeps
// them for a minute. In the last quarter neither its memory nor its files are larger than in the
// quarter before.
func TestSoakSteadyIngest(t *testing.T) {
	duration := soakDuration(t)
	if duration < 2*steadyWarmUp {
		t.Skipf("SOAK_SECONDS must be at least %.0f", (2 * steadyWarmUp).Seconds())
	}
	binary := program(t)
	directory := t.TempDir()
	server := startIngest(t, binary, directory, "--retention", "1m", "--deduplicate", "1m", "--memory", "512MiB")
	ticker := time.NewTicker(time.Second / steadyBatches)
	defer ticker.Stop()
	began, sent, slowest := time.Now(), 0, time.Duration(0)
	var before, after []sizes
	next := began
	for time.Since(began) < duration {
		<-ticker.C
		var body strings.Builder
		for i := range steadyEvents {
			_, _ = fmt.Fprintf(&body, `{"id":"%d-%d","event_message":"steady event %d","project":"acme","metadata":{"project_ref":"acme","execution_time_ms":%d,"response":{"status_code":200}}}`+"\n", sent, i, i*sent, i)
		}
		sent++
		posted := time.Now()
		response, err := http.Post(server.url+"/api/logs?source=function_edge_logs", "application/x-ndjson", strings.NewReader(body.String()))
		require.NoError(t, err)
		_ = response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		slowest = max(slowest, time.Since(posted))
		if time.Now().Before(next) {
			continue
		}
		next = next.Add(10 * time.Second)
		now := measureSizes(t, server.command.Process.Pid, directory)
		t.Logf("%4.0f s: %s", time.Since(began).Seconds(), now)
		switch quarter := int(4 * time.Since(began) / duration); quarter {
		case 2:
			before = append(before, now)
		case 3:
			after = append(after, now)
		}
	}
	server.stop(t)
	t.Logf("slowest response %s", slowest)
	// A sample can hit a merge, which takes more memory and disk for a moment.
	assertFlat(t, "memory", before, after, func(s sizes) int64 { return s.memory })
	assertFlat(t, "store", before, after, func(s sizes) int64 { return s.store })
	assertFlat(t, "logs", before, after, func(s sizes) int64 { return s.logs })
}

// assertFlat asserts that the median of a size is not a fifth, and its maximum not half, larger
// afterwards.
func assertFlat(t *testing.T, what string, before, after []sizes, size func(sizes) int64) {
	t.Helper()
	medianBefore, maximumBefore := medianAndMaximum(before, size)
	medianAfter, maximumAfter := medianAndMaximum(after, size)
	t.Logf("%s: median %d and then %d bytes, maximum %d and then %d bytes", what, medianBefore, medianAfter, maximumBefore, maximumAfter)
	assert.LessOrEqual(t, medianAfter, medianBefore*6/5, "median of %s", what)
	assert.LessOrEqual(t, maximumAfter, maximumBefore*3/2, "maximum of %s", what)
}

func medianAndMaximum(all []sizes, size func(sizes) int64) (median, maximum int64) {
	values := make([]int64, 0, len(all))
	for _, each := range all {
		values = append(values, size(each))
	}
	slices.Sort(values)
	return values[len(values)/2], values[len(values)-1]
}

// sizes are the sizes in bytes of a server's memory, the files of the store, and the write-ahead log of events that are
// not in them yet.
type sizes struct{ memory, store, logs int64 }

func (s sizes) String() string {
	return fmt.Sprintf("memory %d MiB, store %d MiB, logs %d MiB", s.memory>>20, s.store>>20, s.logs>>20)
}

func measureSizes(t *testing.T, process int, directory string) sizes {
	t.Helper()
	var found sizes
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	require.NoError(t, err)
	for line := range bytes.Lines(status) {
		if _, err := fmt.Sscanf(string(line), "VmRSS: %d kB", &found.memory); err == nil {
			found.memory <<= 10
		}
	}
	found.store, found.logs = filesSize(t, directory, parts.Directory), filesSize(t, directory, engines.IngestLog)
	return found
}

// filesSize returns the size of the files in a directory of the data directory.
func filesSize(t *testing.T, data, directory string) (bytes int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, directory, "*"))
	require.NoError(t, err)
	for _, path := range files {
		if info, err := os.Stat(path); err == nil { // and has not just been deleted
			bytes += info.Size()
		}
	}
	return bytes
}
