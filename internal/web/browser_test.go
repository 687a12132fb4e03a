package web_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/web/webtest"
)

// The pages in a real browser, which all tests share. Each test has its own tab.
func TestBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes too long for a short run")
	}
	b := browser{ctx: webtest.Chromium(t)}
	if directory := os.Getenv(screenshotsVariable); directory != "" {
		require.NoError(t, os.MkdirAll(directory, 0o750))
	}
	demo := serveDemo(t)
	site, guarded := demo.open, demo.guarded
	t.Run("axe is installed", func(t *testing.T) {
		if axeSource() == "" {
			t.Skip("axe-core is not in web/node_modules, so accessibility is not checked: run \"npm ci\" in web")
		}
	})
	runInTabs(t, []browserTest{
		{"functions", func(t *testing.T) { t.Helper(); testFunctions(t, b, site) }},
		{"function table", func(t *testing.T) { t.Helper(); testFunctionTable(t, b, site) }},
		{"pickers", func(t *testing.T) { t.Helper(); testPickers(t, b, site) }},
		{"usage", func(t *testing.T) { t.Helper(); testUsage(t, b, site) }},
		{"logs", func(t *testing.T) { t.Helper(); testLogs(t, b, site) }},
		{"search logs", func(t *testing.T) { t.Helper(); testSearchLogs(t, b, site) }},
		{"log entry", func(t *testing.T) { t.Helper(); testLogEntry(t, b, site) }},
		{"log keys", func(t *testing.T) { t.Helper(); testLogKeys(t, b, site) }},
		{"log panel", func(t *testing.T) { t.Helper(); testLogPanel(t, b, site) }},
		{"log ranges", func(t *testing.T) { t.Helper(); testLogRanges(t, b, site) }},
		{"log columns", func(t *testing.T) { t.Helper(); testLogColumns(t, b, site) }},
		{"log views", func(t *testing.T) { t.Helper(); testLogViews(t, b, site) }},
		{"log completion", func(t *testing.T) { t.Helper(); testLogCompletion(t, b, site) }},
		{"earlier overview", func(t *testing.T) { t.Helper(); testEarlierOverview(t, b) }},
		{"drill down", func(t *testing.T) { t.Helper(); testDrillDown(t, b, site) }},
		{"many logs", func(t *testing.T) { t.Helper(); testManyLogs(t, b) }},
		{"live logs", func(t *testing.T) { t.Helper(); testLiveLogs(t, b, site, demo.tailed) }},
		{"endpoints", func(t *testing.T) { t.Helper(); testEndpoints(t, b, site) }},
		{"user endpoints", func(t *testing.T) { t.Helper(); testUserEndpoints(t, b, site) }},
		{"calendar", func(t *testing.T) { t.Helper(); testCalendar(t, b, site) }},
		{"results", func(t *testing.T) { t.Helper(); testResults(t, b, site) }},
		{"links", func(t *testing.T) { t.Helper(); testLinks(t, b, site) }},
		{"keyboard", func(t *testing.T) { t.Helper(); testKeyboard(t, b, site) }},
		{"tab key", func(t *testing.T) { t.Helper(); testTabKey(t, b, site) }},
		{"keys of each page", func(t *testing.T) { t.Helper(); testKeysOfPages(t, b, site) }},
		{"narrow navigation", func(t *testing.T) { t.Helper(); testNarrowNavigation(t, b, site) }},
		{"preferences", func(t *testing.T) { t.Helper(); testPreferences(t, b, site) }},
		{"GraphiQL", func(t *testing.T) { t.Helper(); testGraphiQL(t, b, site) }},
		{"GraphiQL at odd addresses", func(t *testing.T) { t.Helper(); testOddGraphiQL(t, b, site) }},
		{"narrow GraphiQL", func(t *testing.T) { t.Helper(); testNarrowGraphiQL(t, b, site) }},
		{"base path", func(t *testing.T) { t.Helper(); testBasePath(t, b, demo.published) }},
		{"not found", func(t *testing.T) { t.Helper(); testNotFound(t, b, guarded) }},
		{"limited tokens", func(t *testing.T) { t.Helper(); testLimitedTokens(t, b, guarded) }},
		{"tabs", func(t *testing.T) { t.Helper(); testTabs(t, b, guarded) }},
		{"token", func(t *testing.T) { t.Helper(); testToken(t, b, guarded) }},
		{"explore", func(t *testing.T) { t.Helper(); testExplore(t, b, site) }},
		{"alerts", func(t *testing.T) { t.Helper(); testAlerts(t, b) }},
		{"alert form", func(t *testing.T) { t.Helper(); testAlertForm(t, b, site) }},
		{"alert lines", func(t *testing.T) { t.Helper(); testAlertLines(t, b, site) }},
		{"alert notes", func(t *testing.T) { t.Helper(); testAlertNotes(t, b, site) }},
		{"audit", func(t *testing.T) { t.Helper(); testAudit(t, b, site) }},
		{"stopped server", func(t *testing.T) { t.Helper(); testStoppedServer(t, b) }},
		{"palette", func(t *testing.T) { t.Helper(); testPalette(t, b, site) }},
		{"no explore", func(t *testing.T) { t.Helper(); testNoExplore(t, b, guarded) }},
		{"states", func(t *testing.T) { t.Helper(); testStates(t, b) }},
		{"tokens", func(t *testing.T) { t.Helper(); testTokensPage(t, b) }},
		{"no right to manage tokens", func(t *testing.T) { t.Helper(); testNoTokensPage(t, b, guarded) }},
	})
}

// browserTest is a test in a tab of its own.
type browserTest struct {
	name string
	run  func(t *testing.T)
}

// runInTabs runs tests side by side, because each waits more than it computes. With "go test -shuffle", they begin in
// another order: each stands for itself.
func runInTabs(t *testing.T, tests []browserTest) {
	t.Helper()
	if order := flag.Lookup("test.shuffle").Value.String(); order != "off" {
		seed, err := strconv.ParseUint(order, 10, 64)
		if err != nil { // on
			seed = rand.Uint64N(1 << 32)
		}
		t.Logf("-shuffle=%d repeats this order", seed)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t)
		})
	}
}

func testFunctions(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/")
	p.wait("document.querySelectorAll('[data-series]').length === 6")
	assert.Equal(t, "Functions · default · savedq", eval[string](p, "document.title"))
	p.pictures("functions")

	p.click(".segmented span", "7 days")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '8'")
	assert.Equal(t, "/?project=default&interval=7day", p.address())
	p.fill("input[value=default]", "acme\r")
	p.wait("location.search.includes('project=acme') && !document.querySelector('.previous')")
	// D2: eight days are shown, so the totals are since the first of them began.
	p.wait(`/^Totals since \d+ \w+, 00:00 UTC$/.test(document.querySelector('.caption').textContent)`)
	assert.Equal(t, tableSum(p, 1), eval[string](p, "document.querySelector('.figure data').value"), "the card says what the table adds up to")
	p.click("button", "Copy Invocations: ")
	p.waitText(".copy-icon", "Copied")

	p.click(".segmented span", "5 min")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '301'")
	p.pictures("functions-seconds")
	p.click(".segmented span", "1 day")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '25'")
	p.click(".segmented span", "Log")
	p.waitText(".chart-label", "10 ms")
	p.picture("functions-log")

	p.click(".segmented span", "Table")
	p.wait("document.querySelectorAll('.panel:not(.functions) tbody tr').length === 25")
	assert.Contains(t, p.address(), "view=table")
	assert.Contains(t, eval[string](p, "document.querySelector('tbody tr').textContent"), "In progress", "the newest bucket is first")
	assert.True(t, eval[bool](p, `[...document.querySelectorAll('td data')].some((e) => / ms$/.test(e.textContent) && e.title.length > e.textContent.length)`),
		"times are rounded, and have all digits in their titles")
	p.click("button", "Copy CSV")
	p.waitText("button", "Copied")
	p.pictures("functions-table")

	p.fill("input[placeholder='All functions']", "no-such-function\r")
	p.waitText(".empty", "The function no-such-function of the project acme has no invocations in this time range.")
	assert.False(t, eval[bool](p, "document.body.textContent.includes('No data yet?')"), "the project has some")
	p.pictures("functions-empty")
	p.click("button", "Show 7 days")
	p.waitText(".empty h2", "No invocations since")
}

// tableSum shows the table, adds a column up, and goes back to the chart.
func tableSum(p *page, column int) string {
	p.t.Helper()
	p.click(".segmented span", "Table")
	p.wait("document.querySelector('.panel:not(.functions) tbody')")
	sum := eval[float64](p, fmt.Sprintf("[...document.querySelectorAll('.panel:not(.functions) tbody tr')].reduce((sum, row) => sum + Number(row.cells[%d].querySelector('data')?.value ?? 0), 0)", column))
	p.click(".segmented span", "Chart")
	p.wait("document.querySelector('.chart')")
	return fmt.Sprint(sum)
}

func testUsage(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/usage?project=globex")
	p.wait("document.querySelectorAll('[data-series]').length === 4")
	assert.Equal(t, "8", eval[string](p, "document.querySelector('[role=slider]').ariaValueMax"))
	assert.Equal(t, "API usage · globex · savedq", eval[string](p, "document.title"))
	p.waitText("h1", "API usage")
	p.waitText(".nav [aria-current=page]", "API usage")
	// D6: the window is not cut to buckets.
	p.wait(`/^Totals since \d+ \w+, \d\d:\d\d UTC$/.test(document.querySelector('.caption').textContent)`)
	assert.Equal(t, tableSum(p, 1), eval[string](p, "document.querySelector('.figure data').value"))
	p.pictures("usage")
	p.click(".segmented span", "Last hour")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '61'")
	p.click("label:nth-child(2) span", "Last hour")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '2'")
	p.picture("usage-hour")
	p.click(".segmented span", "Last hour by minute")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '61'")
	p.picture("usage-minutes")
	p.click(".segmented span", "Table")
	p.wait("document.querySelectorAll('tbody tr').length === 61")
	p.waitText("tbody th .badge", "Partial")
	assert.Less(t, eval[float64](p, "Math.max(...[...document.querySelectorAll('tbody th')].map((e) => e.offsetWidth))"), 300.0, "the numbers are near their bucket")
	caret := "getComputedStyle(document.querySelector('button[aria-expanded] .icon')).transform"
	closed := eval[string](p, caret)
	p.click("button", "Usage of all tokens")
	p.wait("document.querySelector('button[aria-expanded=true]')")
	assert.NotEqual(t, closed, eval[string](p, caret), "an open section looks different")
	shows := func(caption, text string) {
		p.wait(fmt.Sprintf("[...document.querySelectorAll('.table-frame')].some((frame) => frame.ariaLabel === %s && frame.textContent.includes(%s))", quote(caption), quote(text)))
	}
	shows("Usage by token", "no-auth")
	p.pictures("usage-tokens")
	p.click(".segmented span", "Subject")
	shows("Usage by subject", "no-auth–") // a static token, without a subject
	p.click(".segmented span", "Endpoint")
	shows("Usage by endpoint", "usage.api-counts")
	p.click(".segmented span", "Day")
	shows("Usage by day", time.Now().UTC().Format("2006-"))
	p.picture("usage-days")

	p.fill(".field input", "nobody\r")
	p.waitText(".empty", "matches nobody")
	p.expect("status of 400") // the browser logs it
	p.fill(".field input", "acme(\r")
	p.waitText(".field-failure", "INVALID_ARGUMENT")
	p.waitText(".field-problem", "missing closing )")
	assert.Equal(t, "true", eval[string](p, "document.querySelector('.field input').ariaInvalid"), "the field is marked")
	p.pictures("usage-error")
	p.fill(".field input", "acme")
	p.wait("!document.querySelector('.field-problem')")
}

// requestRow selects the newest entry of edge_logs. The newest of all may be of any source, with other
// metadata.
const requestRow = ".log-row:has(> .log-duration)"

func testLogs(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/logs?project=default")
	p.wait("document.querySelector('.log-row')")
	p.waitOverview()
	p.wait("document.querySelector('.log-histogram .chart .chart-partial')") // the last bucket is not over
	assert.Equal(t, 1, eval[int](p, "new Set([...document.querySelectorAll('.log-state + *')].map((e) => e.getBoundingClientRect().left)).size"), "texts begin in one line, after any level")
	p.click(requestRow, "")
	p.waitText(".tree", "request")
	assert.NotContains(t, eval[string](p, "document.querySelector('.tree').textContent"), "[object", "values are shown as JSON")
	p.pictures("logs")
	eval[bool](p, "document.querySelector('[aria-busy]').classList.add('previous'), true")
	p.wait("getComputedStyle(document.querySelector('.previous')).opacity < 1")
	p.axe("logs-previous")
	eval[bool](p, "document.querySelector('.previous').classList.remove('previous'), true")
	p.click("button", "Copy as JSON")
	p.waitText("button", "Copied")

	// Older entries are loaded as their place comes into view.
	p.waitText(".list-count", " 100 loaded")
	eval[bool](p, "(document.querySelector('.log-scroll').scrollTop = 1e6, true)")
	p.waitText(".list-count", " 200 loaded")
	ids := eval[[]string](p, "[...document.querySelectorAll('.log-row time')].map((e) => e.dateTime)")
	assert.IsNonIncreasing(t, ids, "newest first")

	p.fill(filterBar, "example.com/rest method:GET\r")
	p.wait("!document.querySelector('.previous') && document.querySelector('.log-row')")
	assert.Contains(t, p.address(), "q=example.com/rest+method:GET")
	p.wait("[...document.querySelectorAll('.log-row')].every((e) => e.querySelector('mark'))")
	p.pictures("logs-filter")
	p.fill(filterBar, "nothing-has-this\r")
	p.waitText(".empty h2", "No matching events")
	p.fill(filterBar, "\b\r")
	p.waitText(".list-count", "newest first")
	p.click(".log-row", "")
	p.wait("document.querySelector('.log-details')")
	id := eval[string](p, "document.querySelector('.log-details code').textContent")
	p.fill(filterBar, "id:"+id+"\r")
	p.waitText(".list-count", "1 entry, newest first")
	p.fill(filterBar, "\b\r")

	p.click(".segmented span", "15 min")
	p.wait("location.search.includes('range=15m')")
	p.wait("document.querySelector('.log-row')")
	p.waitText(".list-count", "Showing logs since")
	p.click(".segmented span", "7 days")
	p.wait("location.search.includes('range=7d')")
	p.waitText(".list-count", "Showing logs since")
	assert.Equal(t, "ENTERPRISE", eval[string](p, tierField+".value"), "the highest that is allowed")
	assert.NotContains(t, p.address(), "tier=", "the usual tier is not in the address")
	p.choose(tierField, "FREE")
	p.waitText(".list-count", "The Free tier keeps 1 day: showing logs since")
	assert.Contains(t, p.address(), "tier=FREE")
	p.pictures("logs-tier")
	p.choose(tierField, "ENTERPRISE")

	// One format for people, in the zone of the page.
	p.pickRange("2040-01-02 03:04:05", "2040-01-01 00:00")
	p.waitText(".time-fields .field-problem", "From is not before To.")
	p.press("\r")
	assert.NotContains(t, p.address(), "2040", "contradicting bounds are not requested")
	p.pictures("logs-custom")
	p.fill(timeField(0), "01/02/2040 3:04 AM")
	p.waitText(".time-fields .field-problem", "Use a time such as 2026-11-24 04:00.")
	p.fill(timeField(0), "2040-01-02 03:04:05")
	p.fill(timeField(1), "\b\r")
	p.waitText(".empty", "No log entries")
	assert.Contains(t, p.address(), "range=custom&start=2040-01-02T03:04:05")
	assert.False(t, eval[bool](p, "document.body.textContent.includes('not before To')"))
	p.open("/logs?project=default&range=custom&start=yesterday")
	p.waitText(".field-problem", "yesterday")
	p.waitText(".range-problem", "“yesterday” is not a time, such as 2026-11-24 04:00.")
	assert.False(t, eval[bool](p, "document.querySelector('.log-row') !== null"), "no entries of another range")
	assert.Equal(t, 1, eval[int](p, "new Set([...document.querySelectorAll('.time-picker .segmented, .time-custom, .log-rest')].map((e) => e.getBoundingClientRect().top)).size"), "and moves no control")
	p.open("/logs?project=default&range=custom&start=2026-11-20+10:00%2B01:00")
	p.click(".time-custom button", "")
	p.wait("document.querySelector('" + timeField(0) + "').value === '2026-11-20 09:00'")
	p.waitText(".time-fields label", "From (UTC)")

	// The fields have the zone of the page, and the address is in UTC.
	p.zone("America/New_York")
	p.open("/logs?project=default&range=custom&start=2026-11-20+10:00%2B01:00")
	p.click(".time-custom button", "")
	p.waitText(".time-fields label", "From (UTC-5)")
	p.wait("document.querySelector('" + timeField(0) + "').value === '2026-11-20 04:00'")
	p.fill(timeField(0), "2026-07-01 20:30:15")
	p.waitText(".time-fields label", "From (UTC-4)")
	p.pictures("logs-custom-zone")
	p.press("\r")
	p.wait("location.search.includes('start=2026-07-02T00%3A30%3A15Z')")
	p.waitText(".time-custom button", "2026-07-01 20:30:15 – now UTC-4")
	p.click(".segmented span", "UTC")
	p.waitText(".time-custom button", "2026-07-02 00:30:15 – now UTC")
}

// tierField is a JavaScript expression for the field of the tier.
const tierField = "document.querySelector('.log-controls .field:not(:has(input)) select')"

// timeField selects the field for the start of a custom range, or that for its end.
func timeField(index int) string {
	return []string{".time-fields input", ".time-fields .field + .field input"}[index]
}

// pickRange opens the fields of a custom range, and fills them.
func (p *page) pickRange(from, to string) {
	p.t.Helper()
	p.click(".time-custom button", "Custom")
	p.fill(timeField(0), from)
	p.fill(timeField(1), to)
}

// waitOverview waits for the histogram and the facets, which are requested after the entries.
func (p *page) waitOverview() {
	p.t.Helper()
	p.wait("document.querySelector('.log-histogram .explorer-slider') && document.querySelector('.facets')")
}

func testEndpoints(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/endpoints")
	p.waitText("h2", "functions.invocation-stats")
	p.wait("document.querySelectorAll('.code span').length > 20")
	p.wait("document.querySelector('th p')?.closest('th').offsetWidth > 300") // descriptions of columns have room
	p.pictures("endpoints")
	p.click(".endpoint-list a", "usage.api-counts")
	p.waitText("h2", "usage.api-counts")
	assert.True(t, eval[bool](p, "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Run').disabled"), "interval is missing")
	p.fill(".parameter input", "(acme)") // no other test caches it
	p.choose("document.querySelector('.parameter select')", "daily")
	p.click("button", "Run")
	p.waitText(".result-line", "X-CacheMISS")
	p.click("button", "Run")
	p.waitText(".result-line", "X-CacheHIT")
	p.waitText(".result-line", "Engine8 rows read · 0 reused")
	assert.Equal(t, "Run", eval[string](p, "document.activeElement.textContent"), "the focus stays")
	p.wait("document.querySelectorAll('.result tbody tr').length === 8")
	p.pictures("endpoints-run")
	assert.Equal(t, "/endpoints?project=default&name=usage.api-counts&arg.project=(acme)&arg.interval=daily", p.address())
	p.click("[role=tab]", "GraphQL")
	p.waitText("[role=tabpanel]", `apiCounts(project: "(acme)", interval: DAILY)`)
	p.click("[role=tab]", "fetch")
	p.waitText("[role=tabpanel]", "total_rest_requests: number;")
	for tab, text := range map[string]string{
		"urql": "new Client({", "Apollo": "new ApolloClient({", "Go": "type Row struct", "Python": "urllib.request.urlopen", "DuckDB": "FROM read_csv('/dev/stdin')",
	} {
		p.click("[role=tab]", tab)
		p.waitText("[role=tabpanel]", text)
		assert.Greater(t, eval[int](p, "document.querySelectorAll('[role=tabpanel] code span').length"), 3, "%s is coloured", tab)
	}
	p.waitText(".endpoint-list a", "used today")
	p.picture("endpoints-snippets")
	p.click("[role=tab]", "curl")
	p.waitText("[role=tabpanel]", "--data-urlencode 'project=(acme)'")

	p.open("/endpoints?name=logs.all&arg.project=default")
	p.wait("[...document.querySelectorAll('.parameter select')].some((e) => e.value === 'ENTERPRISE')") // the highest tier that the token allows
	p.waitText(".run-line code", "project_tier=ENTERPRISE")
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.result tbody tr').length === 100")
	p.waitText(".run-facts summary", "100 rows in ")

	p.open("/endpoints?name=logs.all&arg.project=acme&arg.iso_timestamp_start=1+March")
	p.expect("status of 400")
	p.click("button", "Run")
	p.waitText(".parameter .field-problem", "1 March")
	p.waitText(".field-failure", "INVALID_ARGUMENT")
	p.pictures("endpoints-error")
	p.open("/endpoints?name=nosuch")
	p.waitText(".empty", "No such saved query")
	p.pictures("endpoints-none")
}

// Every view has a URL, and Back returns to the previous view.
func testLinks(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/?project=acme&interval=15min&view=table")
	p.wait("document.querySelectorAll('.panel:not(.functions) tbody tr').length === 16")
	p.click(".nav a", "API usage")
	p.waitText("h1", "API usage")
	assert.Equal(t, "/usage?project=acme", p.address(), "the project comes along")
	p.click(".nav a", "Logs")
	p.waitText("h1", "Logs")
	eval[bool](p, "history.back(); true")
	p.waitText("h1", "API usage")
	eval[bool](p, "history.back(); true")
	p.wait("document.querySelectorAll('.panel:not(.functions) tbody tr').length === 16")
	p.open("/logs?project=globex&tier=PRO&range=1d&q=status:404")
	p.waitText(".list-count", "newest first")
	assert.Equal(t, "PRO", eval[string](p, "document.querySelector('select').value"))
	p.open("/usage")
	p.wait("document.querySelector('.field input').value === 'globex'") // the project that was used last
	p.wait("[...document.querySelectorAll('datalist option')].some((o) => o.value === 'acme')")
}

// All that the pointer can do, the keyboard can.
func testKeyboard(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/?project=default&interval=1day")
	p.wait("document.querySelector('[role=slider]')")
	p.press("\t")
	assert.Equal(t, "Skip to content", eval[string](p, "document.activeElement.textContent"))
	p.press("\r")
	p.wait("location.hash === '#main'")
	eval[bool](p, "document.querySelector('[role=slider]').focus(); true")
	p.press(arrowLeft)
	p.waitText(".tooltip-note", "In progress")
	p.press(arrowLeft)
	p.wait("document.querySelector('[role=slider]').ariaValueNow === '24'")
	assert.Regexp(t, `^\d+ \w+, \d\d:\d\d – \d\d:\d\d: Invocations [\d,]+, Succeeded [\d,]+, Errors .*, max .* ms`,
		eval[string](p, "document.querySelector('[role=slider]').ariaValueText"))
	p.picture("functions-tooltip")
	p.press(home)
	p.wait("document.querySelector('[role=slider]').ariaValueNow === '1'")
	p.press(escape)
	p.wait("!document.querySelector('.tooltip')")

	p.open("/endpoints?name=logs.all")
	p.wait("document.querySelector('[role=tab]')")
	eval[bool](p, "document.querySelector('[role=tab]').focus(); true")
	p.press(arrowLeft)
	p.wait("document.activeElement.textContent === 'DuckDB' && document.activeElement.ariaSelected === 'true'")
	p.press(arrowRight)
	p.wait("document.activeElement.textContent === 'curl'")

	p.open("/logs?project=default")
	p.wait("document.querySelector('" + requestRow + "')")
	eval[bool](p, "document.querySelector('"+requestRow+"').focus(); true")
	p.press("\r")
	p.wait("document.querySelector('" + requestRow + "').ariaExpanded === 'true'")
	p.wait("document.querySelector('.tree summary')")
	eval[bool](p, "document.querySelector('.tree summary').focus(); true")
	p.press(escape)
	p.wait("document.querySelector('" + requestRow + "').ariaExpanded === 'false'")
	assert.True(t, eval[bool](p, "document.activeElement === document.querySelector('"+requestRow+"')"), "what had the focus is gone, and its row has it")
	assert.NotEqual(t, "none", eval[string](p, "getComputedStyle(document.activeElement).outlineStyle"), "the focus can be seen")
}

// Each page lists its keys.
func testKeysOfPages(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	for address, text := range map[string]string{
		"/?project=default": "show the logs of the bucket", "/usage?project=default": "show the logs of the bucket",
		"/logs?project=default": "Move through the entries", "/endpoints": "Search the saved queries", "/explore": "Complete a name",
		"/alerts": "Open or close an alert",
	} {
		p.expect("404") // this site serves neither Explore nor alerts
		p.open(address)
		p.wait("document.querySelector('.keys-button')")
		p.press("?")
		p.waitText("dialog[open]", text)
		p.press(escape)
		p.wait("!document.querySelector('dialog[open]')")
		p.click("button", "Keys")
		p.waitText("dialog[open]", "Show these keys")
		p.click("dialog button", "Close")
		p.wait("!document.querySelector('dialog[open]')")
	}
}

// On a phone, the links are in one line, and that of the page is in view.
func testNarrowNavigation(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.look(390, 844, "light")
	for _, address := range []string{"/?project=default", "/usage?project=default", "/logs?project=default", "/endpoints"} {
		p.open(address)
		p.wait("document.querySelector('.nav [aria-current]') && !document.querySelector('.skeleton, [aria-busy=true]')")
		assert.Equal(t, 1, eval[int](p, "new Set([...document.querySelector('.nav').querySelectorAll('a')].map((e) => e.getBoundingClientRect().top)).size"), address)
		p.wait("(() => { const r = document.querySelector('.nav [aria-current]').getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth; })()")
		p.axe(address + " narrow")
	}
	p.open("/logs?project=default&range=custom&start=2026-11-20T10:00:00Z")
	p.click(".time-custom button", "")
	p.wait("document.querySelector('.time-fields label').getBoundingClientRect().height > 10") // the fields have labels
	assert.GreaterOrEqual(t, eval[float64](p, "document.querySelector('"+timeField(0)+"').getBoundingClientRect().width"), 200.0)
}

// The tab key reaches every control in the order in which it is read, and each can
// be seen to have the focus.
func testTabKey(t *testing.T, b browser, site string) {
	t.Helper()
	for name, address := range map[string]string{
		"functions": "/?project=default",
		"table":     "/usage?project=default&view=table",
		"logs":      "/logs?project=default&q=status:404",
		"endpoints": "/endpoints?name=logs.all",
	} {
		t.Run(name, func(t *testing.T) {
			p := b.openPage(t, site)
			p.open(address)
			p.wait("document.querySelector('[role=slider], .list-count, [role=tab], main:not(:has(.run-form)) .table-frame')")
			if name == "logs" {
				p.waitOverview()
			}
			controls := eval[int](p, `(() => {
				const all = document.querySelectorAll('a[href], button:enabled, input:enabled, select, summary, [tabindex="0"]');
				window.controls = [...all].filter((e) => e.checkVisibility() && e.tabIndex >= 0 && (e.type !== 'radio' || e.checked));
				return controls.length; })()`)
			for i := range controls {
				p.press("\t")
				require.Equal(t, []bool{true, true}, eval[[]bool](p, fmt.Sprintf("[document.activeElement === controls[%d], %s]", i, focusSeen)),
					"after %d controls, has it the focus, and can it be seen: %s", i, focused(p))
			}
			for i := controls - 2; i >= 0; i-- {
				p.press("\t", chromedp.KeyModifiers(chromedp.ModifierShift))
				require.Equal(t, []bool{true, true}, eval[[]bool](p, fmt.Sprintf(`(() => {
					const header = document.querySelector('.header');
					const e = document.activeElement;
					return [e === controls[%d], header.contains(e) || e.matches('.skip') || e.getBoundingClientRect().top >= header.getBoundingClientRect().bottom];
				})()`, i)), "back to %d, has it the focus, and is it below the header: %s", i, focused(p))
			}
		})
	}
}

// focusSeen reports whether what has the focus has an outline, itself or the label of a hidden radio button.
const focusSeen = `[document.activeElement, document.activeElement.nextElementSibling].some((e) =>
	e !== null && getComputedStyle(e).outlineStyle === 'solid' && parseFloat(getComputedStyle(e).outlineWidth) >= 2)`

// focused returns the beginning of what has the focus.
func focused(p *page) string {
	p.t.Helper()
	return eval[string](p, "document.activeElement.outerHTML.slice(0, 200)")
}

// A viewer's preferences are stored in the browser, not in the URL.
func testPreferences(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.zone("America/New_York")
	p.open("/?project=default&interval=1day")
	p.waitText(".age", "UTC-")
	p.click(".segmented span", "UTC")
	p.wait("/ UTC,/.test(document.querySelector('.age').textContent)")
	p.click("button", "Theme: system")
	p.click("button", "Theme: light")
	p.wait("document.documentElement.dataset.theme === 'dark'")
	p.click("button", "Auto-refresh · 5 min") // as often as the cache refreshes
	p.wait("document.querySelector('[aria-pressed]').ariaPressed === 'false'")
	assert.Equal(t, "/?project=default&interval=1day", p.address())
	p.open("/logs")
	p.waitText(".age", " UTC,")
	assert.Equal(t, "dark", eval[string](p, "document.documentElement.dataset.theme"))
	assert.Equal(t, "false", eval[string](p, "document.querySelector('[aria-pressed]').ariaPressed"))
}
