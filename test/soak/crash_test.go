package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// recorded are the sources that have a record table.
func recorded() map[string]string {
	return map[string]string{"edge_logs": "edge_requests", "function_edge_logs": "function_invocations"}
}

// crashEvents is how many events a load has: more than a row group of DuckDB.
const crashEvents = 150_000

const crashMetadata = `{"request":{},"response":{}}`

func soakDuration(t *testing.T) time.Duration {
	t.Helper()
	seconds, err := strconv.Atoi(os.Getenv("SOAK_SECONDS"))
	if err != nil || seconds < 1 {
		t.Skip("SOAK_SECONDS does not say for how many seconds")
	}
	return time.Duration(seconds) * time.Second
}

// killsOf returns how often a test kills processes: as often as KILLS says, or else many times with SOAK_SECONDS and few
// times without.
func killsOf(t *testing.T, few, many int) int {
	t.Helper()
	if text := os.Getenv("KILLS"); text != "" {
		kills, err := strconv.Atoi(text)
		require.NoError(t, err, "KILLS is a number")
		return kills
	}
	if os.Getenv("SOAK_SECONDS") != "" {
		return many
	}
	return few
}

// stored counts the events in a store, and proves that there are as many records and ids.
func stored(t *testing.T, directory string) map[string]int {
	t.Helper()
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	counts := make(map[string]int)
	for table, records := range recorded() {
		var rows, ids, recordRows int
		row := store.DB().QueryRowContext(t.Context(), fmt.Sprintf("SELECT (SELECT count(*) FROM %[1]s), (SELECT count(DISTINCT id) FROM %[1]s), (SELECT count(*) FROM %[2]s)", table, records))
		require.NoError(t, row.Scan(&rows, &ids, &recordRows))
		assert.Equal(t, rows, ids, "%s: no id is there twice", table)
		assert.Equal(t, rows, recordRows, "%s: each event has its record", table)
		counts[table] = rows
	}
	return counts
}

// TestSoakKilledLoads kills loads for SOAK_SECONDS, most of them around the moment of
// their last commit, and loads again. It finds that moment as it goes: after a load that
// was stored it kills the next one earlier, after one that was not, later.
func TestSoakKilledLoads(t *testing.T) {
	end := time.Now().Add(soakDuration(t))
	binary := program(t)
	random := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	pipe := filepath.Join(t.TempDir(), "events.ndjson")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))

	commits := make(map[string]*search)
	kills, whole, nothing := 0, 0, 0
	for run := 0; time.Now().Before(end) || kills == 0; run++ {
		table := []string{"edge_logs", "function_edge_logs"}[run%2]
		directory := t.TempDir()
		for other := range recorded() { // what is there before
			_, err := loadPipe(t, binary, directory, other, pipe, "before", 10, nil)
			require.NoError(t, err)
		}
		before := stored(t, directory)
		var kill *time.Duration
		anywhere := run%4 == 3
		commit := commits[table]
		if commit != nil {
			moment := max(0, commit.moment+time.Duration(random.Int64N(int64(20*time.Millisecond)))-10*time.Millisecond)
			if anywhere {
				moment = -time.Duration(random.Int64N(int64(time.Second))) // before the last event is sent
			}
			kill = &moment
		}
		took, err := loadPipe(t, binary, directory, table, pipe, "load", crashEvents, kill)
		if kill == nil {
			require.NoError(t, err)
			commits[table] = &search{moment: took / 2, step: took / 4}
			continue
		}
		kills++
		after := stored(t, directory)
		switch after[table] {
		case before[table]:
			nothing++
			if !anywhere {
				commit.later()
			}
		case before[table] + crashEvents:
			whole++
			commit.earlier()
		default:
			t.Errorf("killed at %s: %d events of %s", *kill, after[table], table)
		}
		_, err = loadPipe(t, binary, directory, table, pipe, "load", crashEvents, nil)
		require.NoError(t, err)
		assert.Equal(t, before[table]+crashEvents, stored(t, directory)[table], "loaded again")
		require.NoError(t, os.RemoveAll(directory))
	}
	t.Logf("%d loads killed: %d were stored whole, %d not at all", kills, whole, nothing)
}

// search looks for a moment that varies between runs. It halves its step whenever it
// changes direction, down to the variation of the moment.
type search struct {
	moment, step time.Duration
	backwards    bool
}

func (s *search) later() { s.move(false) }

func (s *search) earlier() { s.move(true) }

func (s *search) move(backwards bool) {
	if backwards != s.backwards {
		s.step = max(s.step/2, 10*time.Millisecond)
	}
	s.backwards = backwards
	if backwards {
		s.moment -= s.step
	} else {
		s.moment += s.step
	}
}

// loadPipe runs "savedq load" on events sent through a pipe, and kills it at a moment,
// counted from the end of the events; nil does not. It returns how long the load took
// from there.
func loadPipe(t *testing.T, binary, directory, table, pipe, ids string, count int, kill *time.Duration) (time.Duration, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary, "load", "--data", directory, "--source", table, pipe)
	require.NoError(t, command.Start())
	events, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	require.NoError(t, err)
	killAt := count
	if kill != nil && *kill < 0 { // a share of the events
		killAt = int(float64(count) * (1 + kill.Seconds()))
	}
	text := make([]byte, 0, 1<<16)
	for i := range count {
		if i == killAt {
			require.NoError(t, command.Process.Kill())
		}
		text = fmt.Appendf(text, `{"id":"%s-%d","timestamp":"2026-11-20T10:00:00Z","metadata":%s}`+"\n", ids, i, crashMetadata)
		if len(text) >= 1<<15 {
			if _, err := events.Write(text); err != nil {
				break
			}
			text = text[:0]
		}
	}
	if killAt == count {
		_, err = events.Write(text)
		require.NoError(t, err)
	}
	_ = events.Close()
	sent := time.Now()
	if kill != nil && *kill >= 0 {
		time.AfterFunc(*kill, func() { _ = command.Process.Kill() })
	}
	err = command.Wait()
	return time.Since(sent), err
}
