package usage_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/operations/usage"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// desk is a ledger at a time that the test sets.
type desk struct {
	*usage.Ledger
	directory string
	now       time.Time
	log       bytes.Buffer
}

// noon is the time at which a desk begins.
func noon() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{directory: filepath.Join(t.TempDir(), "usage"), now: noon()}
	d.open(t)
	return d
}

func (d *desk) config() usage.Config {
	return usage.Config{Directory: d.directory, Clock: func() time.Time { return d.now }, Logger: slog.New(slog.NewTextHandler(&d.log, nil))}
}

// open opens the ledger.
func (d *desk) open(t *testing.T) {
	t.Helper()
	ledger, err := usage.Open(d.config())
	require.NoError(t, err)
	d.Ledger = ledger
	t.Cleanup(func() { _ = ledger.Close() })
}

// crash goes on with a copy of the files, as a server does that was killed.
func (d *desk) crash(t *testing.T) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "usage")
	require.NoError(t, os.CopyFS(copied, os.DirFS(d.directory)))
	d.directory = copied
	d.open(t)
}

// file returns the path of the file of a day.
func (d *desk) file(day string) string { return filepath.Join(d.directory, day+".ndjson") }

// query returns a saved query with a name.
func query(name string) *sqlq.SavedQuery { return &sqlq.SavedQuery{Name: name} }

// respond counts a response with a number of rows.
func respond(caller *usage.Caller, endpoint string, status runner.CacheStatus, rows int) {
	caller.Responded(query(endpoint), &runner.Response{Cache: status, Entry: &cache.Entry{Result: &sqlq.Result{Rows: make([][]any, rows)}}}, nil)
}

// fail counts a request that failed.
func fail(caller *usage.Caller, endpoint string) {
	caller.Responded(query(endpoint), nil, errors.New("failed"))
}

// run reserves a run of logs.all and charges it.
func run(t *testing.T, caller *usage.Caller, took runner.EngineRun) {
	t.Helper()
	reservation, err := caller.Reserve(query("logs.all"))
	require.NoError(t, err)
	reservation.Charge(took)
}

// report returns the rows of the last 30 days, by all dimensions.
func (d *desk) report(t *testing.T) []usage.Row {
	t.Helper()
	rows, truncated, err := d.Report(t.Context(), usage.Query{From: d.now.AddDate(0, 0, -30), To: d.now, By: usage.Dimensions()})
	require.NoError(t, err)
	assert.False(t, truncated)
	return rows
}

// row returns a row of a day of November 2026.
func row(day int, token, subject, endpoint string, totals usage.Totals) usage.Row {
	return usage.Row{Day: time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC), ID: usage.ID{Token: token, Subject: subject}, Endpoint: endpoint, Totals: totals}
}

// cachedResponse returns a hit without rows.
func cachedResponse() *runner.Response {
	return &runner.Response{Cache: runner.Hit, Entry: &cache.Entry{Result: &sqlq.Result{}}}
}
