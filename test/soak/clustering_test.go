package soak

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// clusteredDirectory names the variable with the store that [TestClusteringProcess] clusters.
const clusteredDirectory = "SAVEDQ_CLUSTERED_DIRECTORY"

// clusteringEnd is the end of the days that are clustered.
var clusteringEnd = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // It is a constant.

// TestClusteringProcess is the process that [TestKilledClustering] kills. It prints a line after
// each step, and checkpoints all the time.
func TestClusteringProcess(t *testing.T) {
	directory := os.Getenv(clusteredDirectory)
	if directory == "" {
		t.Skip("it is started by TestKilledClustering")
	}
	store, err := logstore.Open(t.Context(), directory, "512MiB", logstore.WithoutAutomaticCheckpoints())
	require.NoError(t, err)
	clustered := make(chan error, 1)
	go func() {
		clustered <- store.Cluster(t.Context(), logstore.Clustering{Before: clusteringEnd, Between: func(context.Context) error {
			_, err := os.Stdout.WriteString("step\n")
			return err
		}})
	}()
	for {
		select {
		case err := <-clustered:
			require.NoError(t, err)
			require.NoError(t, store.Close())
			return
		default:
			_, err := store.Checkpoint(t.Context())
			require.NoError(t, err)
		}
	}
}

// TestKilledClustering kills a process that clusters a store, at random moments, three times or
// as often as CLUSTERING_KILLS says. The rows are the same afterwards, and the next process
// continues.
func TestKilledClustering(t *testing.T) {
	t.Parallel()
	kills := 3
	if text := os.Getenv("CLUSTERING_KILLS"); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		require.NoError(t, err, "CLUSTERING_KILLS is a number")
	}
	directory := t.TempDir()
	want := fillForClustering(t, directory)
	random := rand.New(rand.NewPCG(3, uint64(time.Now().UnixNano())))
	killed, finished := 0, 0
	for killed < kills {
		if killClustering(t, directory, random) {
			killed++
		} else {
			finished++
		}
		store, err := logstore.Open(t.Context(), directory, "512MiB")
		require.NoError(t, err)
		require.Equal(t, want, clusteredContent(t, store), "after %d kills", killed)
		if len(killedDays(t, store)) == 0 {
			_, err := store.DB().ExecContext(t.Context(), "DELETE FROM clustered_days") // begin again
			require.NoError(t, err)
		}
		require.NoError(t, store.Close())
	}
	t.Logf("%d processes killed, %d finished", killed, finished)
}

// fillForClustering adds rows in the order of their time, and returns what the store holds.
func fillForClustering(t *testing.T, directory string) []string {
	t.Helper()
	store, err := logstore.Open(t.Context(), directory, "512MiB")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	for _, statement := range []string{
		`INSERT INTO function_invocations (timestamp, project_ref, function_id, execution_time_ms, status_code) SELECT TIMESTAMP '2026-11-18' + to_microseconds(i * 4800000), 'project-' || (hash(i) % 50), 'function', i, 200 FROM range(50000) AS numbers(i)`,
		`INSERT INTO edge_logs SELECT 'id-' || i, TIMESTAMP '2026-11-18' + to_microseconds(i * 16000000), 'message ' || i, 'project-' || (hash(i) % 50), '[{"request":[{"url":"https://' || repeat(hash(i)::VARCHAR, 10) || '"}]}]' FROM range(15000) AS numbers(i)`,
	} {
		_, err := store.DB().ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	return clusteredContent(t, store)
}

// clusteredContent returns a fingerprint of each table that is clustered.
func clusteredContent(t *testing.T, store *logstore.Store) (content []string) {
	t.Helper()
	for _, table := range []string{"function_invocations", "edge_logs"} {
		var rows int64
		var sum string
		require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*), sum(hash(r::VARCHAR)::HUGEINT)::VARCHAR FROM (SELECT COLUMNS(name -> name <> 'project_key') FROM "+table+") AS r").Scan(&rows, &sum))
		content = append(content, fmt.Sprintf("%s: %d rows, %s", table, rows, sum))
	}
	return content
}

// killedDays returns the days that are not finished.
func killedDays(t *testing.T, store *logstore.Store) (waiting []int) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	err := store.Cluster(ctx, logstore.Clustering{Before: clusteringEnd, Waiting: func(_ string, days int) {
		if days > 0 {
			waiting = append(waiting, days)
			stop()
		}
	}})
	if len(waiting) == 0 {
		require.NoError(t, err)
	} else {
		assert.ErrorIs(t, err, context.Canceled)
	}
	return waiting
}

// killClustering clusters a store in another process and kills it after some steps. It returns
// false if the process finished earlier.
func killClustering(t *testing.T, directory string, random *rand.Rand) (killed bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestClusteringProcess$")
	command.Env = append(os.Environ(), clusteredDirectory+"="+directory)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines := bufio.NewScanner(output)
	for steps := random.IntN(6); steps > 0 && lines.Scan(); {
		if lines.Text() == "step" {
			steps--
		}
	}
	timer := time.AfterFunc(time.Duration(random.Int64N(int64(100*time.Millisecond))), func() { _ = command.Process.Kill() })
	defer timer.Stop()
	_, _ = io.Copy(io.Discard, output)
	err = command.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() < 0 {
		return true // by the signal
	}
	require.NoError(t, err)
	return false
}
