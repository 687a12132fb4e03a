package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// testResults tests how the pages show any result, as a table and as a chart.
func testResults(t *testing.T, b browser, site string) {
	t.Helper()
	runInTabs(t, []browserTest{
		{"table", func(t *testing.T) { t.Helper(); testResultTable(t, b, site) }},
		{"exact copies", func(t *testing.T) { t.Helper(); testExactCopies(t, b, site) }},
		{"axes", func(t *testing.T) { t.Helper(); testAxes(t, b) }},
		{"roles", func(t *testing.T) { t.Helper(); testRoles(t, b) }},
		{"hundred thousand rows", func(t *testing.T) { t.Helper(); testHundredThousandRows(t, b) }},
		{"many rows", func(t *testing.T) { t.Helper(); testManyRows(t, b) }},
		{"shapes", func(t *testing.T) { t.Helper(); testShapes(t, b, site) }},
		{"bars", func(t *testing.T) { t.Helper(); testBars(t, b) }},
		{"mistakes stay local", func(t *testing.T) { t.Helper(); testLocalMistakes(t, b, site) }},
		{"engine message", func(t *testing.T) { t.Helper(); testEngineMessage(t, b) }},
		{"history", func(t *testing.T) { t.Helper(); testHistory(t, b, site) }},
		{"phone", func(t *testing.T) { t.Helper(); testEndpointOnPhone(t, b, site) }},
		{"token usage", func(t *testing.T) { t.Helper(); testTokenUsage(t, b, site) }},
	})
}

// shown returns the text of a cell of the rows.
func (p *page) shown(row, column int) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelectorAll('.result tbody tr')[%d].cells[%d].innerText", row, column))
}

// Columns of mine.everything.
const hourColumn, latencyColumn = 0, 3

func testResultTable(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open(everything)
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.result tbody tr').length === 48")
	assert.Regexp(t, `^\d+ \w{3} \d\d:00:00$`, p.shown(0, hourColumn), "times for people")
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:00:00\.000000Z \(\d{16} µs\)$`,
		eval[string](p, "document.querySelector('.result tbody th [title]').title"), "microseconds on demand")
	assert.LessOrEqual(t, len(p.shown(1, latencyColumn)), 7, "rounded for reading")

	// Details of the run are shown on demand.
	assert.False(t, eval[bool](p, "document.querySelector('.result-line').checkVisibility()"))
	p.click(".run-facts summary", "48 rows in")
	p.wait("document.querySelector('.result-line').checkVisibility()")
	p.waitText(".result-line dt", "X-Request-Id")

	// A header sorts, reverses, and restores the order.
	first := p.shown(0, hourColumn)
	order := "document.querySelectorAll('.result thead th')[3].ariaSort"
	number := func(row int) float64 {
		return eval[float64](p, fmt.Sprintf("Number(document.querySelectorAll('.result tbody tr')[%d].cells[3].querySelector('[data-exact]').dataset.exact)", row))
	}
	p.click(".result thead button", "latency")
	p.wait(order + " === 'descending'")
	assert.GreaterOrEqual(t, number(0), number(1))
	assert.GreaterOrEqual(t, number(1), number(47))
	p.pictures("results-sorted")
	p.click(".result thead button", "latency")
	p.wait(order + " === 'ascending'")
	assert.LessOrEqual(t, number(0), number(1))
	assert.Contains(t, p.address(), "&sort=latency", "a link has the order")
	p.click(".result thead button", "latency")
	p.wait(order + " === null")
	assert.Equal(t, first, p.shown(0, hourColumn))

	// Keys resize the column of the header that has the focus.
	width := "document.querySelectorAll('.result thead th')[3].offsetWidth"
	before := eval[int](p, width)
	p.press(arrowRight, chromedp.KeyModifiers(chromedp.ModifierShift))
	p.wait(fmt.Sprintf("%s === %d", width, before+24))
	x := eval[[]float64](p, "(() => { const r = document.querySelectorAll('.result .resizer')[3].getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
	p.drag(x[0], x[1], x[0]+60)
	p.wait(fmt.Sprintf("Math.abs(%s - %d) <= 3", width, before+24+60))

	// A wide table shows that it scrolls, and to which side.
	shade := func(side string) string {
		return fmt.Sprintf("getComputedStyle(document.querySelector('.result .scroll-edges'), '::%s').opacity", side)
	}
	assert.Equal(t, []string{"0", "1"}, []string{eval[string](p, shade("before")), eval[string](p, shade("after"))})
	eval[bool](p, "(document.querySelector('.result .table-frame').scrollLeft = 10000, true)")
	p.wait(shade("before") + " === '1' && " + shade("after") + " === '0'")

	p.click("label", "Wrap text")
	p.wait("getComputedStyle(document.querySelector('.result tbody td')).whiteSpace === 'pre-wrap'")
	p.click("label", "Exact values")
	p.wait(`/^\d{4}-\d\d-\d\dT\d\d:00:00\.000000Z$/.test(document.querySelector('.result tbody th').innerText)`)
	assert.Greater(t, len(p.shown(1, latencyColumn)), 10, "all digits")
	p.pictures("results-exact")
}

// drag moves the pressed pointer from a point to another one at the same height.
func (p *page) drag(x, y, to float64) {
	p.t.Helper()
	for _, step := range []struct {
		kind string
		x    float64
	}{{"mouseMoved", x}, {"mousePressed", x}, {"mouseMoved", (x + to) / 2}, {"mouseMoved", to}, {"mouseReleased", to}} {
		p.mouse(step.kind, step.x, y)
	}
}

// Copied numbers have all digits.
func testExactCopies(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open(everything + "&arg.hours=3")
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.result tbody tr').length === 3")
	copied := func(selector string) string {
		return eval[string](p, fmt.Sprintf(`(() => {
			getSelection().selectAllChildren(document.querySelector(%s));
			const event = new ClipboardEvent('copy', {clipboardData: new DataTransfer(), bubbles: true, cancelable: true});
			document.querySelector('.result .table-frame').dispatchEvent(event);
			return event.clipboardData.getData('text/plain'); })()`, quote(selector)))
	}
	exact := eval[string](p, "document.querySelector('.result tbody tr:nth-child(2) td:nth-child(4) [data-exact]').dataset.exact")
	assert.Greater(t, len(exact), len(p.shown(1, latencyColumn)))
	assert.Equal(t, exact, copied(".result tbody tr:nth-child(2) td:nth-child(4) [data-exact]"), "a value")
	rows := strings.Split(copied(".result tbody"), "\n")
	assert.Len(t, rows, 3)
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:00:00\.000000Z\t\d+\t`, rows[1], "rows, for a spreadsheet")
	assert.Contains(t, rows[1], exact)
}

// fakeColumn is a column of a fake saved query, without its fields.
func fakeColumn(name, kind string) string {
	return fmt.Sprintf(`{"name":%q,"field":"x","type":%q,"nullable":true,"description":"","deprecated":null,"fields":[]}`, name, kind)
}

// serveResult serves a saved query with columns, whose runs get a response.
func serveResult(t *testing.T, run http.HandlerFunc, columns ...string) string {
	t.Helper()
	return serveFake(t, func(_ int64, w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/"):
			run(w, r)
		case operationOf(r) == "Catalog":
			_, _ = io.WriteString(w, `{"data":{"catalog":{"loadedAt":"2026-11-20T12:00:00Z","mistakes":[]}}}`)
		default:
			_, _ = fmt.Fprintf(w, `{"data":{"endpoints":[{"id":"00000000-0000-4000-8000-000000000001","name":"mine","aliases":[],"field":"mine","description":"Rows.","deprecated":null,"language":"duckdb","sql":"SELECT 1","parameters":[],"columns":[%s],"maxRows":10000,"cacheSeconds":null,"warmSeconds":null,"sandboxed":false}]}}`, strings.Join(columns, ","))
		}
	})
}

func testManyRows(t *testing.T, b browser) {
	t.Helper()
	const count = 10_000
	body := func(run int) string {
		rows := make([]string, count)
		for i := range rows {
			rows[i] = fmt.Sprintf(`{"run":%d,"at":%d,"path":"/rest/v1/things/%d","mean":%d.3999999999996,"ok":true,"n":%d}`, run, 1_795_492_800_000_000+i, i, i, i)
		}
		return `{"result":[` + strings.Join(rows, ",") + `]}`
	}
	const runs = 4
	bodies := make([]string, runs)
	for i := range bodies {
		bodies[i] = body(i)
	}
	next := 0
	p := b.openPage(t, serveResult(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, bodies[next%runs])
		next++
	}, fakeColumn("run", "INT64"), fakeColumn("at", "TIMESTAMP"), fakeColumn("path", "STRING"), fakeColumn("mean", "FLOAT64"), fakeColumn("ok", "BOOL"), fakeColumn("n", "INT64")))
	p.open("/endpoints")
	p.click("button", "Run")
	p.wait("document.querySelector('.result table').ariaRowCount === '10001'")
	assert.Less(t, eval[int](p, "document.querySelectorAll('.result tbody tr').length"), 100, "only the rows in view are drawn")
	// How long it takes from the click to the rows depends on what else the machine does, so it is not an assertion.
	for i := 1; i < runs; i++ {
		p.wait("[...document.querySelectorAll('button')].some((e) => e.textContent === 'Run')")
		t.Logf("%.0f ms", eval[float64](p, fmt.Sprintf(`new Promise((done) => {
			const began = performance.now();
			[...document.querySelectorAll('button')].find((e) => e.textContent === 'Run').click();
			const look = () => document.querySelector('.result tbody th').innerText === '%d'
				? requestAnimationFrame(() => done(performance.now() - began)) : requestAnimationFrame(look);
			look(); })`, i)))
	}
	eval[bool](p, "(document.querySelector('.result .table-frame').scrollTop = 1e9, true)")
	p.waitText(".result tbody td", "/rest/v1/things/9999")
	p.click(".result thead button", "path")
	p.wait("document.querySelectorAll('.result thead th')[2].ariaSort === 'ascending'")
	p.pictures("results-many")
	assert.InDelta(t, 30, eval[float64](p, "document.querySelector('.result tbody tr:not(.spacer)').getBoundingClientRect().height"), 0, "as high as the table expects")
	p.click(".segmented span", "Chart")
	p.wait("document.querySelectorAll('.result [data-series]').length === 3")
	assert.Less(t, eval[int](p, "document.querySelector('.result .chart').innerHTML.length"), 200_000, "only what can be seen is drawn")
}

func testShapes(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open(everything + "&view=chart")
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.result [data-series]').length === 6")
	p.waitText(".legend", "In progress")
	eval[bool](p, "document.querySelector('[role=slider]').focus(); true")
	p.press(arrowLeft)
	p.waitText(".tooltip-note", "In progress")
	p.press(arrowLeft)
	p.wait("!document.querySelector('.tooltip-note')")

	p.click(".legend button", "errors")
	p.wait("document.querySelectorAll('.result [data-series]').length === 5")
	assert.Equal(t, "false", eval[string](p, "[...document.querySelectorAll('.legend button')].find((e) => e.textContent === 'errors').ariaPressed"))
	p.click(".legend button", "errors")
	p.wait("document.querySelectorAll('.result [data-series]').length === 6")

	p.click(".segmented span", "Areas")
	p.wait("document.querySelectorAll('.result .chart-area').length === 6")
	p.click(".segmented span", "Stacked")
	p.waitText(".result p", "Values below zero are not stacked.")
	p.waitText(".result p", "An array has several values in one row, which have no place in a chart: labels, items.")
	p.pictures("results-areas")
	p.click(".segmented span", "Columns")
	p.wait("!document.querySelector('.result .chart-area')")
	p.click(".segmented span", "Side by side")
	p.pictures("results-columns")

	// Keys and a drag zoom.
	eval[bool](p, "document.querySelector('[role=slider]').focus(); true")
	p.press(home)
	for range 3 {
		p.press(arrowRight, chromedp.KeyModifiers(chromedp.ModifierShift))
	}
	p.press("\r")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '4'")
	assert.Contains(t, p.address(), "&shape=columns&arrangement=side&zoom=")
	p.open(p.address()) // the link shows the same
	p.click("button", "Run")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '4' && !document.querySelector('.result .chart-area')")
	p.click("button", "Reset zoom")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '48'")
	plot := eval[[]float64](p, "(() => { const e = document.querySelector('.result .chart'); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, r.x + r.width * 3 / 4]; })()")
	p.drag(plot[0], plot[1], plot[2])
	p.wait("Number(document.querySelector('[role=slider]').ariaValueMax) < 16")
	p.picture("results-zoomed")
}

func testBars(t *testing.T, b browser) {
	t.Helper()
	p := b.openPage(t, serveResult(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"result":[{"2024":1200,"2025":340,"path":"/a","tags":["x"],"place":{"lat":50.5}},{"2024":30,"2025":null,"path":"/b","tags":[],"place":null}]}`)
	}, fakeColumn("path", "STRING"), fakeColumn("2024", "INT64"), fakeColumn("2025", "INT64"), fakeColumn("tags", "ARRAY<INT64>"),
		strings.Replace(fakeColumn("place", "STRUCT"), `"fields":[]`, `"fields":[`+fakeColumn("lat", "FLOAT64")+`]`, 1)))
	p.open("/endpoints?name=mine&view=chart")
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.bars table').length === 2") // whole numbers and others
	assert.Equal(t, "/a 1,200 340", strings.Join(strings.Fields(eval[string](p, "document.querySelector('.bars tbody tr').innerText")), " "),
		"the values are texts")
	p.waitText(".result p", "An array has several values in one row, which have no place in a chart: tags.")
	p.waitText(".legend", "place.lat")
	p.pictures("results-bars")
	rects := "document.querySelector('.bars tbody tr').querySelectorAll('rect')"
	assert.NotEqual(t, eval[string](p, rects+"[0].getAttribute('y')"), eval[string](p, rects+"[1].getAttribute('y')"), "side by side")
	p.click(".segmented span", "Stacked")
	p.wait(rects + "[0].getAttribute('y') === " + rects + "[1].getAttribute('y')")
	p.waitText(".bars tbody tr", "1,540")
	eval[bool](p, "document.querySelector('.bars table').focus(); true")
	p.press(home)
	p.waitText(".bars [role=status]", "/a: 2024 1,200, 2025 340, Total 1,540")
	p.waitText(".tooltip", "1,540")
	p.pictures("results-bars-stacked")
	p.click(".legend button", "2024")
	p.wait(rects + ".length === 1")

	p.click(".segmented span", "Table")
	p.wait("document.querySelectorAll('.result tbody tr').length === 2")
	assert.Equal(t, "1,200", p.shown(0, 1), "of the column 2024")
}

// A mistake marks its field, and the page keeps its rows.
func testLocalMistakes(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.expect("status of 400")
	p.open("/usage?project=globex")
	p.wait("document.querySelectorAll('[data-series]').length === 4")
	p.fill(".field input", "globex(\r")
	p.waitText(".field-problem", "missing closing )")
	p.waitText(".field-failure", "Correct the marked field.")
	assert.Less(t, eval[float64](p, "document.querySelector('.field-failure').offsetHeight"), 40.0, "the field says what is wrong, and the rest takes a line")
	assert.False(t, eval[bool](p, "document.querySelector('.notice') !== null"))
	assert.Equal(t, 4, eval[int](p, "document.querySelectorAll('[data-series]').length"), "the chart is still there")
	p.pictures("usage-mistake")
	p.fill(".field input", "acme\r")
	p.wait("!document.querySelector('.field-failure') && !document.querySelector('.previous')")

	p.open(everything)
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.result tbody tr').length === 48")
	p.fill(".parameter input[type=number]", "501")
	p.click("button", "Run")
	p.waitText(".parameter .field-problem", "maximum")
	assert.Equal(t, 48, eval[int](p, "document.querySelectorAll('.previous .result tbody tr').length"), "the rows stay, in grey")
	p.axe("endpoints-previous")
}

// A server for development sends what the engine said, and the page shows it at the error.
func testEngineMessage(t *testing.T, b browser) {
	t.Helper()
	p := b.openPage(t, serveResult(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"error":{"code":"INTERNAL","message":"the query failed","cause":"Binder Error: no column <n>\nLINE 1: SELECT n"}}`)
	}, fakeColumn("n", "INT64")))
	p.expect("status of 500")
	p.open("/endpoints")
	p.click("button", "Run")
	p.waitText(".failure .engine-message", "Binder Error: no column <n>\nLINE 1: SELECT n")
	p.pictures("endpoints-engine-message")
}

// The last runs are kept in the browser, and fill in the form again.
func testHistory(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	for _, days := range []string{"3", "5", "3"} {
		p.open("/endpoints?name=mine.daily&arg.days=" + days)
		p.click("button", "Run")
		p.wait("document.querySelector('.result tbody')")
	}
	p.click(".run-history summary", "History")
	p.wait("document.querySelectorAll('.run-history a').length === 2")
	assert.Equal(t, "mine.daily days=3", eval[string](p, "[...document.querySelector('.run-history a').children].slice(0, 2).map((e) => e.textContent).join(' ')"))
	p.pictures("endpoints-history")
	p.open("/endpoints") // opens the last one
	p.waitText("h2", "mine.daily")
	p.open("/endpoints?name=mine.by-path")
	p.click(".run-history summary", "History")
	p.click(".run-history a:nth-child(1)", "mine.daily")
	p.waitText("h2", "mine.daily")
	assert.Contains(t, p.address(), "arg.days=3")
	p.click(".run-history summary", "History")
	p.click("button", "Clear history")
	p.wait("!document.querySelector('.run-history')")
	assert.Nil(t, eval[*string](p, "localStorage.getItem('savedq.runs')"))
}

// On a phone, the chosen saved query is in view, and the others are behind a button.
func testEndpointOnPhone(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.look(390, 844, "light")
	p.open("/endpoints?name=usage.api-counts")
	p.waitText("h2", "usage.api-counts")
	assert.True(t, eval[bool](p, "document.querySelector('.run-form input').getBoundingClientRect().bottom < innerHeight"), "the form is in view")
	assert.False(t, eval[bool](p, "document.querySelector('.endpoint-list').checkVisibility()"))
	p.click(".index-toggle", "usage.api-counts")
	p.click(".endpoint-list a", "mine.daily")
	p.waitText("h2", "mine.daily")
	p.wait("!document.querySelector('.endpoint-list').checkVisibility()")

	// In the column of a wide window, it is scrolled to.
	p.look(1440, 500, "light")
	p.open("/endpoints?name=usage.api-counts")
	p.wait(`(() => { const link = document.querySelector('.endpoint-list [aria-current]').getBoundingClientRect();
		const list = document.querySelector('.endpoint-list').getBoundingClientRect();
		return link.top >= list.top && link.bottom <= list.bottom; })()`)
}

// Totals have the numbers of the table, and what costs most is first.
func testTokenUsage(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/usage?project=globex")
	p.waitText(".figure:has(data) dt", "Total")
	assert.Regexp(t, `^\d+,\d{3}$`, eval[string](p, "document.querySelector('.figure data').textContent"), "all digits")
	p.click("button", "Usage of all tokens")
	p.click(".segmented span", "Endpoint")
	frame := "document.querySelector(\".table-frame[aria-label='Usage by endpoint']\")"
	p.wait(frame)
	assert.Equal(t, "Engine time", eval[string](p, frame+".querySelector('[aria-sort=descending]').textContent"), "by cost")
	assert.True(t, eval[bool](p, `(() => { const table = `+frame+`.querySelector('table');
		const numbers = [...table.tBodies[0].rows].map((row) => Number(row.cells[1].textContent.replaceAll(',', '')));
		return numbers.reduce((a, b) => a + b) === Number(table.tFoot.rows[0].cells[1].textContent.replaceAll(',', '')); })()`), "the total adds up")
	assert.NotContains(t, eval[string](p, frame+".textContent"), "0 B")
	p.click(".sort", "Requests")
	p.wait(frame + ".querySelector('[aria-sort=descending]').textContent === 'Requests'")
	p.pictures("usage-totals")

	// Days of one's own, in UTC.
	p.click(".sections .time-custom button", "Custom")
	p.fill(".sections .time-fields .field:nth-child(1) input", "2026-02-30")
	p.waitText(".sections .field-problem", "Use a day such as 2026-11-24.")
	p.fill(".sections .time-fields .field:nth-child(1) input", "2020-01-01")
	p.fill(".sections .time-fields .field:nth-child(2) input", "2020-01-01\r")
	p.waitText(".sections .empty", "No requests")
	p.waitText(".sections .time-custom button", "2020-01-01 UTC")
	p.click(".sections .segmented span", "7 days")
	p.wait(frame)
}
