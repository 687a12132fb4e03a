package usage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/operations/usage"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// Requests, hits, errors, rows, bytes and engine time are counted by day, token, subject and
// saved query.
func TestLedgerCounts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	web, app := d.Caller(usage.ID{Token: "web"}, usage.Budget{}), d.Caller(usage.ID{Token: "issuer", Subject: "ann"}, usage.Budget{})
	respond(web, "logs.all", runner.Miss, 3)
	run(t, web, runner.EngineRun{Rows: 3, BytesProcessed: 10, Duration: time.Second})
	respond(web, "logs.all", runner.Hit, 3)
	respond(web, "logs.all", runner.Stale, 3)
	respond(web, "projects.list", runner.Joined, 1)
	fail(app, "logs.all")
	run(t, d.Caller(usage.Server(), usage.Budget{}), runner.EngineRun{Duration: 2 * time.Second})
	assert.Equal(t, []usage.Row{
		row(22, "(server)", "", "logs.all", usage.Totals{Runs: 1, EngineTime: 2 * time.Second}),
		row(22, "issuer", "ann", "logs.all", usage.Totals{Requests: 1, Errors: 1}),
		row(22, "web", "", "logs.all", usage.Totals{Requests: 3, Hits: 2, Rows: 9, Runs: 1, Bytes: 10, EngineTime: time.Second}),
		row(22, "web", "", "projects.list", usage.Totals{Requests: 1, Rows: 1}),
	}, d.report(t))
}

// The rows of a stream were sent even if it failed later, and are counted once.
func TestLedgerCountsStreams(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	web, stream := d.Caller(usage.ID{Token: "web"}, usage.Budget{}), &sqlq.SavedQuery{Name: "all", Stream: true}
	for rows, err := range map[int]error{5: nil, 3: errors.New("failed late")} {
		reservation, refused := web.Reserve(stream)
		require.NoError(t, refused)
		reservation.Charge(runner.EngineRun{Rows: rows})
		web.Responded(stream, &runner.Response{Entry: &cache.Entry{Result: &sqlq.Result{Streamed: rows}}}, err)
	}
	assert.Equal(t, []usage.Row{row(22, "web", "", "all", usage.Totals{Requests: 2, Errors: 1, Rows: 8, Runs: 2})}, d.report(t))
}

// Callers with the same id, such as a token before and after a reload, are counted together.
func TestLedgerAddsUpCallersOfOneID(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range 3 {
		respond(d.Caller(usage.ID{Token: "web"}, usage.Budget{}), "logs.all", runner.Hit, 0)
	}
	assert.Equal(t, []usage.Row{row(22, "web", "", "logs.all", usage.Totals{Requests: 3, Hits: 3})}, d.report(t))
}

// A clean shutdown loses nothing, and a crash what was not written yet. The next server goes
// on with what was stored.
func TestLedgerSurvivesRestarts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	web := d.Caller(usage.ID{Token: "web", Subject: "ann"}, usage.Budget{})
	respond(web, "logs.all", runner.Hit, 1)
	d.Flush()
	respond(web, "logs.all", runner.Hit, 1)
	d.Flush() // appended to the file
	respond(web, "logs.all", runner.Hit, 1)
	closed := d.Ledger
	d.crash(t)
	assert.Equal(t, int64(2), d.report(t)[0].Requests)
	require.NoError(t, closed.Close())
	require.NoError(t, d.Close())
	d.open(t)
	respond(d.Caller(usage.ID{Token: "web", Subject: "ann"}, usage.Budget{}), "logs.all", runner.Miss, 1)
	require.NoError(t, d.Close())
	d.open(t)
	assert.Equal(t, []usage.Row{row(22, "web", "ann", "logs.all", usage.Totals{Requests: 3, Hits: 2, Rows: 3})}, d.report(t))
}

// A line that a crash cut off, or that is damaged, hides no other line.
func TestLedgerReadsDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]struct {
		change func(content string) string
		lines  int
	}{
		"cut off":   {func(content string) string { return content + `{"token":"web","endpoint":"logs.all","requ` }, 1},
		"zeros":     {func(content string) string { return content + "\x00\x00\x00\x00" }, 1},
		"overlong":  {func(content string) string { return strings.Repeat("x", 100_000) + "\n" + content }, 2},
		"damaged":   {func(content string) string { return "{]\n\n" + content }, 2},
		"no fields": {func(content string) string { return "{}\n" + content }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			respond(d.Caller(usage.ID{Token: "web"}, usage.Budget{}), "logs.all", runner.Hit, 1)
			require.NoError(t, d.Close())
			content, err := os.ReadFile(d.file("2026-11-22"))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(d.file("2026-11-22"), []byte(damage.change(string(content))), 0o600))
			d.open(t)
			assert.Contains(t, d.log.String(), fmt.Sprintf("lines=%d", damage.lines))
			respond(d.Caller(usage.ID{Token: "web"}, usage.Budget{}), "logs.all", runner.Hit, 1)
			d.Flush()
			d.crash(t)
			assert.Equal(t, []usage.Row{row(22, "web", "", "logs.all", usage.Totals{Requests: 2, Hits: 2, Rows: 2})}, d.report(t))
		})
	}
}

// Requests are counted on the day in UTC in which they were made, and the rows of days that
// have ended are read from their files.
func TestLedgerBeginsDays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger, err := usage.Open(usage.Config{Directory: t.TempDir(), Clock: time.Now})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		var maintaining sync.WaitGroup
		maintaining.Go(func() { ledger.Maintain(ctx) })
		web := ledger.Caller(usage.ID{Token: "web"}, usage.Budget{})
		start := time.Now().UTC() // midnight, in a bubble
		const days, perDay = 3, 100
		time.Sleep(time.Minute)
		for range days * perDay {
			respond(web, "logs.all", runner.Hit, 1)
			time.Sleep(24 * time.Hour / perDay)
		}
		rows, _, err := ledger.Report(t.Context(), usage.Query{From: start, To: time.Now(), By: usage.Dimensions()})
		require.NoError(t, err)
		require.Len(t, rows, days)
		for i, row := range rows {
			assert.Equal(t, start.AddDate(0, 0, days-1-i), row.Day)
			assert.Equal(t, int64(perDay), row.Requests)
		}
		stop()
		maintaining.Wait()
		require.NoError(t, ledger.Close())
	})
}

// A caller who goes on during midnight is counted for one of the two days, and not lost.
func TestLedgerLosesNothingAtMidnight(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	web := d.Caller(usage.ID{Token: "web"}, usage.Budget{})
	respond(web, "logs.all", runner.Hit, 1)
	reservation, err := web.Reserve(query("logs.all"))
	require.NoError(t, err)
	d.now = noon().Add(12 * time.Hour)
	respond(web, "logs.all", runner.Hit, 1) // the day has not been changed yet
	d.Flush()
	respond(web, "logs.all", runner.Hit, 1)
	reservation.Charge(runner.EngineRun{Duration: time.Second})
	d.Flush()
	d.Flush()
	d.crash(t)
	assert.Equal(t, []usage.Row{
		row(23, "web", "", "logs.all", usage.Totals{Requests: 1, Hits: 1, Rows: 1, Runs: 1, EngineTime: time.Second}),
		row(22, "web", "", "logs.all", usage.Totals{Requests: 2, Hits: 2, Rows: 2}),
	}, d.report(t))
}

// Days are stored for 400 days, today included.
func TestLedgerRemovesOldDays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.NoError(t, d.Close())
	oldest := noon().AddDate(0, 0, -399).Format(time.DateOnly)
	tooOld := noon().AddDate(0, 0, -400).Format(time.DateOnly)
	for _, name := range []string{oldest, tooOld} {
		require.NoError(t, os.WriteFile(d.file(name), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(d.directory, "README"), nil, 0o600))
	d.open(t)
	assert.FileExists(t, d.file(oldest))
	assert.NoFileExists(t, d.file(tooOld))
	d.now = d.now.Add(24 * time.Hour)
	d.Flush()
	d.Flush()
	d.Flush()
	assert.NoFileExists(t, d.file(oldest))
	assert.FileExists(t, filepath.Join(d.directory, "README"))
}

// Invented subjects fill neither memory nor disk.
func TestLedgerBoundsSubjects(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.NoError(t, d.Close())
	ledger, err := usage.OpenBounded(d.config(), 5, 3)
	require.NoError(t, err)
	d.Ledger = ledger
	defer func() { _ = ledger.Close() }()
	for i := range 1000 {
		caller := d.Caller(usage.ID{Token: "issuer", Subject: fmt.Sprintf("%03d", i)}, usage.Budget{Day: usage.Amounts{Requests: 1}})
		respond(caller, "logs.all", runner.Hit, 1)
		_, err := caller.Reserve(query("logs.all"))
		if i < 5 { // of which the last is the first of the others
			require.NoError(t, err)
		} else {
			require.Error(t, err, "the others share one budget")
		}
	}
	respond(d.Caller(usage.ID{Token: "static"}, usage.Budget{}), "logs.all", runner.Hit, 1)
	hits := func(requests int64) usage.Totals {
		return usage.Totals{Requests: requests, Hits: requests, Rows: requests}
	}
	want := []usage.Row{
		row(22, "issuer", "(other)", "logs.all", hits(997)),
		row(22, "issuer", "000", "logs.all", hits(1)),
		row(22, "issuer", "001", "logs.all", hits(1)),
		row(22, "issuer", "002", "logs.all", hits(1)),
		row(22, "static", "", "logs.all", hits(1)),
	}
	assert.Equal(t, want, d.report(t))
	d.Flush()
	d.crash(t)
	assert.Equal(t, want, d.report(t))
}

// A subject has a bounded length, and long ones stay different.
func TestLedgerShortensSubjects(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, subject := range []string{strings.Repeat("ü", 10_000), strings.Repeat("ü", 10_000) + "x", "a\xff"} {
		for range 2 {
			respond(d.Caller(usage.ID{Token: "issuer", Subject: subject}, usage.Budget{}), "logs.all", runner.Hit, 1)
			d.Flush()
			d.crash(t)
		}
	}
	rows := d.report(t)
	require.Len(t, rows, 3)
	for _, row := range rows {
		assert.LessOrEqual(t, len(row.Subject), 128)
		assert.Equal(t, int64(2), row.Requests)
	}
}

// The file of a day does not grow with the number of its requests.
func TestLedgerCompactsFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	callers := make([]*usage.Caller, 100)
	for i := range callers {
		callers[i] = d.Caller(usage.ID{Token: "issuer", Subject: strings.Repeat("x", 100) + strconv.Itoa(i)}, usage.Budget{})
	}
	for range 120 {
		for _, caller := range callers {
			respond(caller, "logs.all", runner.Hit, 1)
		}
		d.Flush()
		info, err := os.Stat(d.file("2026-11-22"))
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(1<<20+200_000))
	}
	d.now = noon().Add(24 * time.Hour)
	d.Flush()
	d.Flush()
	content, err := os.ReadFile(d.file("2026-11-22"))
	require.NoError(t, err)
	assert.Equal(t, len(callers), strings.Count(string(content), "\n"), "one line each")
}

// While the disk is full, everything is counted in memory, and written as soon as it can be.
func TestLedgerSurvivesWriteFailures(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	web := d.Caller(usage.ID{Token: "web"}, usage.Budget{})
	respond(web, "logs.all", runner.Hit, 1)
	require.NoError(t, os.Mkdir(d.file("2026-11-22")+".part", 0o700))
	for range 3 {
		respond(web, "logs.all", runner.Hit, 1)
		d.Flush()
	}
	assert.Equal(t, int64(3), d.WriteFailures())
	assert.Equal(t, 1, strings.Count(d.log.String(), "usage cannot be written"), "it is logged once")
	require.NoError(t, os.Remove(d.file("2026-11-22")+".part"))
	d.Flush()
	assert.Equal(t, 1, strings.Count(d.log.String(), "usage is written again"))
	d.crash(t)
	assert.Equal(t, int64(4), d.report(t)[0].Requests)
}

// Two servers with one directory would overwrite each other's files.
func TestLedgerIsLocked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, err := usage.Open(d.config())
	require.EqualError(t, err, "another server uses it; give each server a directory of its own")
	require.NoError(t, d.Close())
	d.open(t)
}

func TestOpenReturnsErrors(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := d.config()
	config.Directory = d.file("file")
	require.NoError(t, os.WriteFile(config.Directory, nil, 0o600))
	_, err := usage.Open(config)
	assert.ErrorContains(t, err, "not a directory")
}

// A cached response allocates nothing to be counted.
func TestRespondedAllocatesNothing(t *testing.T) {
	d := newDesk(t)
	web, saved := d.Caller(usage.ID{Token: "web"}, usage.Budget{Day: usage.Amounts{Requests: 1}}), query("logs.all")
	response := cachedResponse()
	assert.Zero(t, testing.AllocsPerRun(100, func() { web.Responded(saved, response, nil) }))
}
