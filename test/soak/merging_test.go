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
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq/tables"
)

const (
	// mergedDirectory names the variable with the store whose parts [TestMergingProcess] merges.
	mergedDirectory = "SAVEDQ_MERGED_DIRECTORY"
	// mergedEvents are in so many parts that merging them takes several steps.
	mergedEvents = 16_000
	mergedBatch  = 500
)

// smallParts makes a part of every few batches.
func smallParts() logstore.Option { return logstore.WithRecentBytes(200 << 10) }

// TestMergingProcess is the process that [TestKilledMerging] kills. It prints a line when it has
// opened the store and after each step.
func TestMergingProcess(t *testing.T) {
	directory := os.Getenv(mergedDirectory)
	if directory == "" {
		t.Skip("it is started by TestKilledMerging")
	}
	store, err := logstore.Open(t.Context(), directory, "512MiB", smallParts())
	require.NoError(t, err)
	step := func(context.Context) error {
		_, err := os.Stdout.WriteString("step\n")
		return err
	}
	require.NoError(t, step(t.Context()))
	_, err = store.Merge(t.Context(), time.Now(), step)
	require.NoError(t, err)
	require.NoError(t, store.Close())
}

// TestKilledMerging kills a process that merges the parts of a store, at random moments. The rows are the same afterwards,
// no file is left over, and the next process continues.
func TestKilledMerging(t *testing.T) {
	t.Parallel()
	kills := killsOf(t, 3, 100)
	arrived := t.TempDir()
	want := fillForMerging(t, arrived)
	random := rand.New(rand.NewPCG(3, uint64(time.Now().UnixNano())))
	killed, finished, directory := 0, 0, ""
	for killed < kills {
		if directory == "" {
			directory = t.TempDir()
			require.NoError(t, os.CopyFS(directory, os.DirFS(arrived)))
		}
		done := !killMerging(t, directory, random)
		store, err := logstore.Open(t.Context(), directory, "512MiB")
		require.NoError(t, err)
		require.Equal(t, want, mergedContent(t, store), "after %d kills", killed)
		require.NoError(t, store.Close())
		checkFiles(t, directory)
		if !done {
			killed++
			continue
		}
		finished++
		require.NoError(t, os.RemoveAll(directory))
		directory = ""
	}
	t.Logf("%d processes killed, %d finished", killed, finished)
}

// fillForMerging adds events of two days in no order, and returns what the store holds.
func fillForMerging(t *testing.T, directory string) []string {
	t.Helper()
	store, err := logstore.Open(t.Context(), directory, "512MiB", smallParts())
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	random, shipped := rand.New(rand.NewPCG(5, 6)), tables.Shipped()
	start := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	for position := range uint64(mergedEvents / mergedBatch) {
		var batch []logstore.Accepted
		for i := range mergedBatch {
			source, _ := shipped.FindSource([]string{"edge_logs", "function_edge_logs"}[random.IntN(2)])
			project := fmt.Sprintf("project-%d", random.IntN(50))
			event := &logevent.Event{
				ID: fmt.Sprintf("%d-%d", position, i), Timestamp: start.Add(time.Duration(random.Int64N(int64(48 * time.Hour)))), Project: &project,
				Metadata: fmt.Appendf(nil, `[{"project_ref":%q,"execution_time_ms":%d,"request":[{"url":"https://%016x"}],"response":[{"status_code":200}]}]`, project, i, random.Uint64()),
			}
			batch = append(batch, logstore.Accepted{Source: source, Event: event, ID: logevent.FingerprintOf(source, event.ID), At: start})
		}
		require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Position: position + 1, Events: func(yield func(logstore.Accepted) bool) {
			for _, event := range batch {
				if !yield(event) {
					return
				}
			}
		}}))
	}
	_, err = store.Checkpoint(t.Context())
	require.NoError(t, err)
	return mergedContent(t, store)
}

// mergedContent returns a fingerprint of each view of the events.
func mergedContent(t *testing.T, store *logstore.Store) (content []string) {
	t.Helper()
	for source, records := range recorded() {
		for _, table := range []string{source, records} {
			var rows int64
			var sum string
			require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*), sum(hash(r::VARCHAR)::HUGEINT)::VARCHAR FROM "+table+" AS r").Scan(&rows, &sum))
			content = append(content, fmt.Sprintf("%s: %d rows, %s", table, rows, sum))
		}
	}
	slices.Sort(content)
	return content
}

// killMerging merges the parts of a store in another process, and kills it after some steps. It returns false if the
// process finished earlier.
func killMerging(t *testing.T, directory string, random *rand.Rand) (killed bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMergingProcess$")
	command.Env = append(os.Environ(), mergedDirectory+"="+directory)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	lines := bufio.NewScanner(output)
	for steps := 1 + random.IntN(2); steps > 0 && lines.Scan(); {
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
