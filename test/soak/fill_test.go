package soak

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

const (
	// fillDirectory and fillFields tell the process that is killed its store, and how many fields to fill.
	fillDirectory = "SAVEDQ_TEST_FILL"
	fillFields    = "SAVEDQ_TEST_FILL_FIELDS"
	// filledEvents take several steps.
	filledEvents = 12_000
)

// numbered returns a log source with fields that all have the number of their event.
func numbered(fields int) *sqlq.Table {
	table := &sqlq.Table{Name: "numbered", Place: sqlq.Place{File: "table.yaml", Line: 1, Column: 1}}
	for i := range fields {
		table.Fields = append(table.Fields, sqlq.Field{Name: fmt.Sprintf("n_%d", i), Type: sqlq.Int64, Path: []string{"inner", "n"}})
	}
	return table
}

func addNumbered(ctx context.Context, store *logstore.Store, from, count int) error {
	source, _ := store.Tables().FindSource("numbered")
	transaction, err := store.Begin(ctx, logstore.Sent)
	if err != nil {
		return err
	}
	for i := from; i < from+count; i++ {
		event := logevent.Event{
			ID: strconv.Itoa(i), Timestamp: time.Unix(1_790_000_000+int64(i), 0),
			Metadata: fmt.Appendf(nil, `[{"text":"%032x","inner":[{"n":%d}]}]`, i*7919, i),
		}
		if err := transaction.Add(ctx, source, event); err != nil {
			return err
		}
	}
	return transaction.Commit(ctx)
}

// TestFillUntilKilled is the process that [TestSoakKilledFilling] kills: it declares fields, and fills them.
// Between the steps it adds events, and says so.
func TestFillUntilKilled(t *testing.T) {
	directory := os.Getenv(fillDirectory)
	if directory == "" {
		t.Skip("another test runs it")
	}
	fields, err := strconv.Atoi(os.Getenv(fillFields))
	require.NoError(t, err)
	store, err := logstore.Open(t.Context(), directory, "256MiB")
	require.NoError(t, err)
	fmt.Println("opened")
	require.NoError(t, store.Declare(t.Context(), sqlq.Tables{numbered(fields)}))
	next := 0
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT max(id::INTEGER) + 1 FROM numbered").Scan(&next))
	_, err = store.Fill(t.Context(), func(ctx context.Context) error {
		err := addNumbered(ctx, store, next, 1)
		next++
		fmt.Printf("stored %d\n", next)
		return err
	})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	fmt.Println("filled")
}

// TestSoakKilledFilling kills processes that fill a new field, at random moments, until it is filled, and goes
// on with another field. Then every event has its values, and none is lost.
func TestSoakKilledFilling(t *testing.T) {
	t.Parallel()
	kills := killsOf(t, 4, 100)
	directory := t.TempDir()
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	require.NoError(t, store.Declare(t.Context(), sqlq.Tables{numbered(0)}))
	require.NoError(t, addNumbered(t.Context(), store, 0, filledEvents))
	require.NoError(t, store.Close())

	random := rand.New(rand.NewPCG(3, uint64(time.Now().UnixNano())))
	// within is the time in which a process is killed. It adapts to the machine, so that several are killed
	// until a field is filled.
	fields, killed, events, within := 1, 0, filledEvents, 300*time.Millisecond
	for killed < kills || fields == 1 {
		filled, stored := fillAndKill(t, directory, fields, time.Duration(random.Int64N(int64(within))))
		events = max(events, stored)
		if !filled {
			killed++
			within += 20 * time.Millisecond
			continue
		}
		checkFilled(t, directory, fields, events)
		fields++
		within = max(within/2, 100*time.Millisecond)
	}
	for {
		filled, stored := fillAndKill(t, directory, fields, time.Minute)
		events = max(events, stored)
		if filled {
			break
		}
	}
	checkFilled(t, directory, fields, events)
	t.Logf("%d processes killed until %d fields were filled", killed, fields)
}

// fillAndKill runs a process that fills the fields, and kills it some time after it has opened the store. It
// returns whether all are filled, and how many events were stored for sure.
func fillAndKill(t *testing.T, directory string, fields int, after time.Duration) (filled bool, stored int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestFillUntilKilled$")
	command.Env = append(os.Environ(), fillDirectory+"="+directory, fmt.Sprintf("%s=%d", fillFields, fields))
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var timer *time.Timer
	lines, said := bufio.NewScanner(output), []string(nil)
	for lines.Scan() {
		said = append(said, lines.Text())
		switch word, number, _ := strings.Cut(lines.Text(), " "); word {
		case "opened":
			timer = time.AfterFunc(after, func() { _ = command.Process.Kill() })
		case "stored":
			stored, err = strconv.Atoi(number)
			require.NoError(t, err)
		case "filled":
			filled = true
		}
	}
	_ = command.Wait()
	require.NotNil(t, timer, "%s", said)
	timer.Stop()
	require.False(t, command.ProcessState.Exited() && !filled, "%s", said)
	return filled, stored
}

// checkFilled proves that a store has all events, with the values of all fields. More can be there, whose
// process was killed before it could say so.
func checkFilled(t *testing.T, directory string, fields, events int) {
	t.Helper()
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	conditions := []string{"metadata IS DISTINCT FROM format('[{{\"text\":\"{:032x}\",\"inner\":[{{\"n\":{}}}]}}]', id::BIGINT * 7919, id::BIGINT)"}
	for i := range fields {
		conditions = append(conditions, fmt.Sprintf("n_%d IS DISTINCT FROM id::BIGINT", i))
		query := &sqlq.SavedQuery{SQL: fmt.Sprintf("SELECT n_%d FROM numbered", i), Tables: store.Tables()}
		require.NoError(t, store.CheckFilled(query))
	}
	var rows, ids, wrong int
	row := store.DB().QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT id), count(*) FILTER ("+strings.Join(conditions, " OR ")+") FROM numbered")
	require.NoError(t, row.Scan(&rows, &ids, &wrong))
	assert.Zero(t, wrong)
	assert.Equal(t, rows, ids)
	assert.GreaterOrEqual(t, rows, events)
}
