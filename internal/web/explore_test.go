package web_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/ingesthttp"
	"savedq/internal/engines"
	"savedq/internal/http/httpserver"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/internal/server"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/runner"
)

// inProcess is DuckDB whose SQL is compiled in the process of the test.
type inProcess struct {
	engines.DuckDB
	t *testing.T
}

func (p inProcess) OfflineChecker() engines.Checker {
	store, err := logstore.OpenEmpty(p.t.Context())
	require.NoError(p.t, err)
	return storeChecker{duckdb.New(store.DB()), store}
}

func (p inProcess) Checker(context.Context, engines.Environment) (engines.Checker, error) {
	return p.OfflineChecker(), nil
}

type storeChecker struct {
	*duckdb.Engine
	store *logstore.Store
}

func (c storeChecker) Close() error { return c.store.Close() }

// output is what a server prints.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (o *output) Write(data []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.Write(data)
}

// address returns the address that the welcome names; empty until it was printed.
func (o *output) address() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(o.text.String())
}

// serveDevelopment serves demo logs with --dev and a directory of saved queries, and returns the address and the
// directory.
func serveDevelopment(t *testing.T) (site, directory string) {
	t.Helper()
	directory = filepath.Join(t.TempDir(), "queries")
	require.NoError(t, os.CopyFS(directory, os.DirFS("testdata/queries")))
	data, printed := t.TempDir(), &output{}
	s := server.New(server.Config{
		Address: "127.0.0.1:0", NoAuth: true, Dev: true, Watch: true, Demo: true, MaxRequests: 100,
		Limits: httpserver.Limits{QueryTimeout: patience, Drain: time.Second}, Connections: httpserver.ConnectionLimits{Total: 100, PerClient: 100},
		Data: data, Engine: inProcess{engines.DuckDB{Store: engines.Store{Directory: data, MemoryBytes: 256 << 20}}, t}, Queries: engines.Folders{Directories: []string{directory}},
		Runner:  runner.Config{QueryTimeout: patience, SandboxTimeout: patience, EngineConcurrency: 4, QueueTimeout: patience, CacheBytes: 1 << 20, StaleIfError: time.Hour, WarmConcurrency: 1},
		GraphQL: graphqlhttp.Config{BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits()},
		Ingest:  ingest.Config{WaitingBytes: 64 << 20, IDBytes: 64 << 20}, IngestHTTP: ingesthttp.Config{MemoryBytes: ingesthttp.MinMemoryBytes},
		Retention: &upkeep.RetentionPolicy{}, Registry: prometheus.NewRegistry(), Logger: slog.New(slog.DiscardHandler),
		DroppedLogLines: func() int64 { return 0 }, Output: printed, Clock: time.Now, Getenv: func(string) string { return "" }, RunMore: func(int) {},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	const start = 2 * time.Minute // it fills a store first
	require.Eventually(t, func() bool { return printed.address() != "" }, start, 20*time.Millisecond)
	return printed.address(), directory
}

// inEditor is the tree of the editor, which has its own.
const inEditor = "document.querySelector('.explore-editor').shadowRoot"

// parameterLabels has the names and types of the parameters.
const parameterLabels = "String([...document.querySelectorAll('.parameter > :is(label, legend)')].map((e) => e.textContent.trim()))"

// openSQL opens the page with SQL and further parts of an address, and waits for the editor.
func openSQL(p *page, sql string, more ...string) {
	p.t.Helper()
	p.open("/explore?project=acme&sql=" + url.QueryEscape(sql) + strings.Join(more, ""))
	p.wait(inEditor + ".querySelector('.cm-content')")
}

// Explore runs SQL over the tables: an editor with completion and marked mistakes, rows as a table or chart, a link
// that reproduces it, and a saved query from it.
func testExplore(t *testing.T, b browser, closed string) {
	t.Helper()
	other := b.openPage(t, closed)
	other.open("/")
	other.wait("document.querySelectorAll('[data-series]').length === 6")
	assert.NotContains(t, eval[string](other, "document.querySelector('.nav').textContent"), "Explore", "only tokens that may explore see it")

	site, directory := serveDevelopment(t)
	p := b.openPage(t, site)
	p.open("/endpoints")
	p.waitText(".endpoint-list", "demo.server-errors")
	p.waitText("h2", "functions.invocation-stats") // a shipped one is first
	p.click(".nav a", "Explore")
	p.waitText(".nav [aria-current=page]", "Explore")
	p.wait(inEditor + ".querySelector('.cm-content')?.textContent.includes('TIMESTAMP_TRUNC')")
	assert.Equal(t, "Explore · savedq", eval[string](p, "document.title"))
	assert.Equal(t, "SQL", eval[string](p, inEditor+".querySelector('.cm-content').ariaLabel"))
	p.wait("document.activeElement === document.querySelector('.explore-editor')") // it has the focus
	assert.Equal(t, "450", eval[string](p, "String(document.querySelector('.explore-editor-frame').offsetHeight)"), "and half of the window")
	p.press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.waitText(".run-facts", "rows in")
	assert.Contains(t, p.address(), "&sql=SELECT\n++TIMESTAMP_TRUNC")
	assert.Equal(t, "minute,events", eval[string](p, "String([...document.querySelectorAll('thead th')].map((e) => e.textContent))"))
	p.click(".segmented span", "Chart")
	p.wait("document.querySelector('.chart')")
	assert.Contains(t, p.address(), "view=chart")
	p.pictures("explore-chart")
	p.click(".segmented span", "Table")
	p.wait("document.querySelector('tbody tr')")
	p.pictures("explore")
	p.look(390, 844, "light")
	p.axe("explore narrow")
	p.look(1440, 900, "light")

	// A link runs its SQL. A mistake is marked where it is, until the SQL changes.
	openSQL(p, "SELECT id\nFROM egde_logs")
	p.waitText(".field-problem", "line 2, column 6: there is no table egde_logs; did you mean edge_logs?")
	p.wait(inEditor + ".querySelector('.cm-mistake').textContent === 'egde_logs'")
	p.pictures("explore-mistake")
	eval[bool](p, inEditor+".querySelector('.cm-content').focus() ?? true")
	p.press("\b")
	p.wait(inEditor + ".querySelector('.cm-mistake')?.textContent !== 'egde_logs'")

	// Completion inserts what is chosen. Escape, then Tab leaves the editor.
	openSQL(p, "SELECT id FROM ")
	eval[bool](p, inEditor+".querySelector('.cm-content').focus() ?? true")
	p.press(endKey)
	p.press("stora")
	p.wait(inEditor + ".querySelector('.cm-tooltip-autocomplete li[aria-selected]')?.textContent.startsWith('tablestorage_logs')")
	p.picture("explore-completion")
	eval[bool](p, inEditor+".querySelector('.cm-tooltip-autocomplete li').dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))")
	p.wait(inEditor + ".querySelector('.cm-line').textContent === 'SELECT id FROM storage_logs'")
	p.press(escape)
	p.press("\t")
	p.wait("document.activeElement !== document.querySelector('.explore-editor')")

	// A run can be cancelled.
	openSQL(p, "SELECT COUNT(*) AS n FROM UNNEST(GENERATE_ARRAY(1, 200000)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 200000)) AS b WHERE a < b")
	p.waitText("button", "Running …")
	p.click("button", "Cancel")
	p.waitText("[role=status]", "Cancelled.")

	// Parameters have fields, with their mistakes.
	p.expect("status of 400") // the browser logs wrong values
	openSQL(p, "SELECT COUNT(*) AS n, SUM(@more) AS m FROM edge_logs WHERE project = @project")
	p.wait(parameterLabels + " === '@more FLOAT64,@project STRING'")
	p.wait("document.querySelectorAll('.run-form [aria-invalid=true]').length === 2") // a link does not run without its values
	assert.Nil(t, eval[*string](p, "document.querySelector('.run-facts')?.textContent ?? null"))
	p.waitText(".run-form .field-problem", "Give a value.")
	assert.NotContains(t, eval[string](p, "document.querySelector('.run-form').textContent"), "required", "it is said once")
	p.fill(".run-form div:nth-child(2) input", "acme")
	p.fill(".run-form input", "many")
	p.wait("!document.querySelector('.run-form [aria-invalid=true]')") // a changed value has not failed
	p.click("button", "Run")
	p.wait("document.querySelector('.run-form input[aria-invalid=true]')")
	p.pictures("explore-parameters")
	p.fill(".run-form input", "1\r")
	p.waitText(".run-facts", "1 row in")
	assert.Contains(t, p.address(), "&arg.more=1&arg.project=acme")
	p.open(p.address())
	p.waitText(".run-facts", "1 row in") // with the same parameters

	// Each parameter has a field that fits its type, while the SQL is typed, too.
	openSQL(p, "SELECT COUNT(*) AS n FROM edge_logs WHERE id IN UNNEST(@ids) OR timestamp > @since AND (@all IS NULL OR @all)")
	p.wait(parameterLabels + " === '@ids ARRAY<STRING>,@since TIMESTAMP,@all BOOL'")
	p.waitText(".parameter", "ISO 8601")
	p.fill("[aria-label='@ids 1']", "a")
	p.click("button", "Add value")
	p.fill("[aria-label='@ids 2']", "b")
	p.choose("document.querySelector('.run-form select')", "true")
	p.fill(".parameter:nth-child(2) input", "yesterday\r")
	p.waitText(".parameter:nth-child(2) .field-problem", "yesterday")
	p.pictures("explore-fields")
	p.fill(".parameter:nth-child(2) input", "2026-11-24T04:00:00Z\r")
	p.waitText(".run-facts", "1 row in")
	assert.Contains(t, p.address(), "&arg.ids=a&arg.ids=b&arg.since=2026-11-24T04:00:00Z&arg.all=true")
	eval[bool](p, inEditor+".querySelector('.cm-content').focus() ?? true")
	p.press(endKey)
	p.press(" AND 1 < @share")
	p.wait("/@share (INT64|FLOAT64)$/.test(" + parameterLabels + ")")

	// A link jumps neither while the page loads nor when its rows arrive.
	for _, width := range []int64{1440, 390} {
		other := b.openPage(t, site)
		other.watchShift(width)
		openSQL(other, "SELECT id, timestamp FROM edge_logs LIMIT 10")
		other.waitText(".run-facts", "10 rows in")
		other.assertShift()
	}

	// A saved query is written, and opens on its page.
	openSQL(p, "SELECT id, timestamp FROM edge_logs WHERE project = @project LIMIT 10")
	p.click("button", "Save as query")
	p.fill("dialog input", "logs.all")
	p.click("dialog button", "Save")
	p.waitText("dialog .field-problem", "logs.all")
	p.pictures("explore-save")
	p.fill("dialog input", "mine.saved")
	p.click("dialog button", "Save")
	p.waitText("h2", "mine.saved")
	assert.Equal(t, "/endpoints?project=acme&name=mine.saved", p.address())
	assert.FileExists(t, filepath.Join(directory, "mine.saved", "query.sql"))
	p.wait("document.querySelector('.parameter code')?.textContent === 'project'")

	// A developer can choose DuckDB's dialect, with its own draft, parameters, link and file.
	p.open("/explore?project=acme")
	p.wait(inEditor + ".querySelector('.cm-content')?.textContent.includes('LIMIT 10')") // what was open last
	p.click(".segmented span", "DuckDB")
	p.wait(inEditor + ".querySelector('.cm-content')?.textContent.includes('date_trunc')")
	p.click("button", "Run")
	p.waitText(".run-facts", "rows in")
	assert.Contains(t, p.address(), "&dialect=duckdb&sql=SELECT")
	p.pictures("explore-duckdb")
	openSQL(p, "FROM edge_logs SELECT count(*) AS n WHERE project = $project AND nosuch", "&dialect=duckdb&arg.project=acme")
	p.waitText(".field-problem", "nosuch")
	p.wait(inEditor + ".querySelector('.cm-mistake').textContent === 'nosuch'")
	openSQL(p, "FROM edge_logs SELECT count(*) AS n WHERE project = $project", "&dialect=duckdb&arg.project=acme")
	p.waitText(".run-facts", "1 row in")
	p.wait(parameterLabels + " === '$project STRING'")
	p.click("button", "Save as query")
	p.fill("dialog input", "mine.duck")
	p.click("dialog button", "Save")
	p.waitText("h2", "mine.duck")
	assert.FileExists(t, filepath.Join(directory, "mine.duck", "duckdb.sql"))

	runInTabs(t, []browserTest{
		{"typing", func(t *testing.T) { t.Helper(); testExploreTyping(t, b, site) }},
		{"tabs", func(t *testing.T) { t.Helper(); testExploreTabs(t, b, site) }},
		{"tables", func(t *testing.T) { t.Helper(); testExploreTables(t, b, site) }},
		{"edit", func(t *testing.T) { t.Helper(); testExploreEdit(t, b, site, directory) }},
		{"ClickHouse", func(t *testing.T) { t.Helper(); testExploreClickHouse(t, b, site, directory) }},
		{"failures", func(t *testing.T) { t.Helper(); testExploreFailures(t, b, site) }},
	})
}
