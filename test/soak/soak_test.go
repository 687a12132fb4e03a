package soak

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Under twice the load that the server can serve, for SOAK_SECONDS, every response is
// right and in time, a token above its rate is rejected, memory does not grow after the
// first third, the log has no errors, and the server shuts down in order while requests
// are in flight.
func TestSoak(t *testing.T) { // It is not parallel, since it measures.
	duration := soakTime(t)
	s := start(t, "--queue-timeout", queueTimeout.String())
	capacity := newLoad(s).full(t.Context(), capacityConnections, 5*time.Second)

	soaking := newLoad(s)
	measured := measure(t.Context(), s, duration)
	notSent := soaking.paced(t.Context(), 2*capacity, connections, duration)
	memory := <-measured

	last := newLoad(s)
	last.kinds = []kind{{name: "while it ends", share: 100, statuses: []int{200}, make: logsByREST}}
	var asking sync.WaitGroup
	asking.Go(func() { last.once(capacityConnections) })
	time.Sleep(200 * time.Millisecond) // so that the server has accepted them all
	took, err := s.terminate()
	require.NoError(t, err)
	asking.Wait()

	report(t, soaking, capacity, notSent, memory, took, s.log)
	assert.Empty(t, soaking.mistakes)
	assert.Empty(t, last.mistakes)
	assert.Positive(t, soaking.count("429"), "the metered token exceeds its rate")
	assert.Less(t, slowest(soaking), queryTimeout)
	assert.Less(t, memory[2], memory[1]*115/100, "memory grows")
	assert.Less(t, took, drain)
	assert.Empty(t, s.log.errors)
}

// soakTime returns the duration of SOAK_SECONDS. It skips the test if that is not set.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	seconds, err := strconv.Atoi(os.Getenv("SOAK_SECONDS"))
	if err != nil || seconds < 1 {
		t.Skip("SOAK_SECONDS does not say for how many seconds")
	}
	return time.Duration(seconds) * time.Second
}

// measure sends the mean of the server's memory in each third of a duration, in bytes.
func measure(ctx context.Context, s *server, duration time.Duration) <-chan [3]int64 {
	measured := make(chan [3]int64, 1)
	go func() {
		var sums, counts, means [3]int64
		const often = 60
		for i := range often {
			select {
			case <-ctx.Done():
			case <-time.After(duration / often):
			}
			if memory, err := s.memory(); err == nil {
				sums[i*3/often] += memory
				counts[i*3/often]++
			}
		}
		for third := range means {
			means[third] = sums[third] / max(1, counts[third])
		}
		measured <- means
	}()
	return measured
}

func slowest(l *load) time.Duration {
	var slowest time.Duration
	for _, took := range l.took {
		slowest = max(slowest, slices.Max(took))
	}
	return slowest
}

// report prints what was measured.
func report(t *testing.T, l *load, capacity float64, notSent int, memory [3]int64, ended time.Duration, log *log) {
	t.Helper()
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "\ncapacity %.0f/s; sent %d at twice that, %d more found no connection\n", capacity, l.sent, notSent)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "REQUESTS\tSENT\tP50\tP99\tMAX\tOUTCOMES")
	for _, k := range l.kinds {
		took := l.took[k.name]
		if len(took) == 0 {
			continue
		}
		slices.Sort(took)
		_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", k.name, len(took),
			round(took[len(took)/2]), round(took[len(took)*99/100]), round(took[len(took)-1]), outcomes(l.outcomes[k.name]))
	}
	_ = table.Flush()
	_, _ = fmt.Fprintf(&text, "memory, by thirds: %d, %d, %d MiB\n", memory[0]>>20, memory[1]>>20, memory[2]>>20)
	_, _ = fmt.Fprintf(&text, "log lines: %s\nended within %s\n", outcomes(log.lines), round(ended))
	t.Log(text.String())
}

func round(duration time.Duration) time.Duration { return duration.Round(100 * time.Microsecond) }

// outcomes lists counts by name.
func outcomes(counts map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%s ×%d", name, counts[name]))
	}
	return strings.Join(list, ", ")
}
