package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	// filterBar selects the field for all filters of the logs.
	filterBar = ".filter-bar input"
	// rowsInView is how many rows of the logs a person sees whole, without scrolling.
	rowsInView = `[...document.querySelectorAll('.log-row')].filter((row) => {
		const frame = row.closest('.log-scroll').getBoundingClientRect(), place = row.getBoundingClientRect();
		return place.top >= frame.top && place.bottom <= Math.min(frame.bottom, innerHeight);
	}).length`
)

// facet is a JavaScript expression for the box of a value of the facets.
func facet(value string) string {
	return fmt.Sprintf("[...document.querySelectorAll('.facet label')].find((label) => label.querySelector('span').textContent === %s)?.querySelector('input')", quote(value))
}

// The Logs page searches the events of all sources on the server.
func testSearchLogs(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/logs?project=default&tier=PRO&range=1d")
	p.waitOverview()
	p.wait("/^[\\d,]+ entries, 100 loaded, newest first$/.test(document.querySelector('.list-count').textContent.split(' first')[0] + ' first')")
	assert.Greater(t, eval[int](p, "new Set([...document.querySelectorAll('.log-source')].map((e) => e.textContent)).size"), 1, "several sources")
	assert.GreaterOrEqual(t, eval[int](p, rowsInView), 28)
	p.pictures("logs-search")
	p.look(390, 844, "light")
	p.open("/logs?project=default&tier=PRO&range=1d")
	p.wait(rowsInView + " >= 8")
	p.pictures("logs-search-phone")
	p.look(390, 844, "light")
	assert.False(t, eval[bool](p, "document.querySelector('.log-rest').checkVisibility()"), "one line of controls above the filter")
	p.wait("(() => { const r = document.querySelector('.time-picker label:has(:checked)').getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth; })()")
	p.click(".log-options", "default")
	p.wait("document.querySelector('.log-rest').checkVisibility()")
	p.picture("logs-phone-options")
	p.choose(tierField, "ENTERPRISE")
	p.wait("!location.search.includes('tier=')")
	limit := "document.querySelector('.list-count [data-limited]')?.checkVisibility()"
	p.wait(limit + " === false")
	p.open("/logs?project=default&tier=PRO&range=all")
	p.wait(limit) // what limits the entries is said in a narrow window, too
	p.look(1440, 900, "light")
	p.open("/logs?project=default&tier=PRO&range=1d")
	p.waitOverview()

	// Several values of a facet, whose other values stay; other facets follow.
	p.wait(facet("edge_logs"))
	sources := eval[int](p, "[...document.querySelectorAll('.facet')].at(-2).querySelectorAll('label').length")
	p.click(".facet label", "edge_logs")
	p.wait("location.search.includes('source%3Aedge_logs')")
	p.wait("!document.querySelector('.previous') && [...document.querySelectorAll('.log-source')].every((e) => e.textContent === 'edge_logs')")
	p.waitOverview()
	p.wait(facet("auth_logs"))
	assert.Equal(t, sources, eval[int](p, "[...document.querySelectorAll('.facet legend')].find((e) => e.textContent === 'Source').parentElement.querySelectorAll('label').length"), "its siblings stay")
	p.click(".facet label", "auth_logs")
	p.wait("location.search.includes('source%3Aedge_logs+source%3Aauth_logs') && !document.querySelector('.previous')")
	p.wait("new Set([...document.querySelectorAll('.log-source')].map((e) => e.textContent)).size === 2")
	assert.True(t, eval[bool](p, facet("edge_logs")+".checked && "+facet("auth_logs")+".checked"))
	p.pictures("logs-facets")
	p.click(".facet-exclude", "Exclude source auth_logs")
	p.wait("location.search.includes('-source%3Aauth_logs')")
	p.wait("!document.querySelector('.previous') && [...document.querySelectorAll('.log-source')].every((e) => e.textContent === 'edge_logs')")
	p.click("button", "Facets")
	p.wait("!document.querySelector('.facets')")
	p.click("button", "Facets")
	p.wait("document.querySelector('.facets')")

	// One bar for words and fields.
	p.fill(filterBar, "EXAMPLE.COM/REST status:5xx path:/rest/ source:edge_logs\r")
	p.wait("location.search.includes('status%3A5xx')")
	p.wait("document.querySelector('.log-row mark') && !document.querySelector('.previous')")
	p.wait("[...document.querySelectorAll('.log-state')].every((e) => e.textContent >= '500')")
	p.pictures("logs-search-filtered")

	// A minus excludes words. The histogram, the facets and the rows follow.
	messages := "[...document.querySelectorAll('.log-row')].map((e) => e.textContent)"
	p.fill(filterBar, "source:edge_logs -\"GET |\" -curl\r")
	p.wait("location.search.includes('-%22GET')")
	p.wait("document.querySelector('.log-row') && !document.querySelector('.previous') && " + messages + ".every((text) => text.includes('edge_logs') && !text.includes('GET'))")
	p.waitOverview()
	p.wait("![...document.querySelectorAll('.facet-value label')].some((e) => e.textContent.startsWith('GET'))")

	// A mistake marks the bar, and the page keeps its rows.
	address := p.address()
	for typed, problem := range map[string]string{
		"status:teapot": "Use a status such as 404, or a class such as 5xx.",
		"colour:red":    `There is no field "colour". The fields are source, status, method, level, path, id and metadata.NAME.`,
	} {
		p.fill(filterBar, typed+"\r")
		p.waitText(".filter-bar .field-problem", problem)
		assert.Equal(t, "true", eval[string](p, "document.querySelector('"+filterBar+"').ariaInvalid"))
		assert.Positive(t, eval[int](p, rowsInView), "the rows stay")
		assert.Equal(t, address, p.address())
	}
	p.pictures("logs-search-mistake")

	// Completion of fields and values.
	p.fill(filterBar, "sour")
	p.waitText("[role=option]", "source:")
	p.press(arrowDown + "\r")
	p.waitText("[role=option]", "auth_logs")
	p.picture("logs-completion")
	p.fill(filterBar, "sour"+arrowDown+"\rauth"+arrowDown+"\r") // the caret is where it was completed, however fast one types
	p.wait("document.querySelector('" + filterBar + "').value.startsWith('source:auth_logs')")
	p.wait("location.search.includes('q=source%3Aauth_logs')")

	// A search without matches offers a way out, and not the advice for an empty server.
	p.fill(filterBar, "path:/no/such/path\r")
	p.waitText(".empty h2", "No matching events")
	assert.False(t, eval[bool](p, "document.body.textContent.includes('No data yet?')"))
	p.wait("!document.querySelector('.facets-place') && document.querySelector('.facets')?.checkVisibility() !== true") // no empty panel
	p.pictures("logs-search-empty")
	p.click("button", "Clear filters")
	p.wait("document.querySelector('.log-row')")
	assert.Equal(t, "/logs?project=default&tier=PRO&range=1d", p.address(), "the project and the range stay")
	assert.Empty(t, eval[string](p, "document.querySelector('"+filterBar+"').value"))
	p.open("/logs?project=nobody")
	p.waitText(".empty h2", "No log entries")
	p.waitText(".empty", "No data yet?")

	// Addresses of earlier versions.
	p.open("/logs?project=default&tier=PRO&range=1d&source=edge_logs&status=5xx")
	p.wait("document.querySelector('" + filterBar + "').value.includes('status:')")
	p.wait("document.querySelector('.log-row') && [...document.querySelectorAll('.log-state')].every((e) => e.textContent >= '500')")

	p.open("/logs?project=default&tier=PRO&range=1d")
	p.wait("document.querySelector('.log-histogram .explorer-slider')")

	// The keyboard narrows the range to a bucket: whole steps, with the zone that they are in.
	eval[bool](p, "document.querySelector('.explorer-slider').focus() === undefined")
	p.press(arrowLeft + arrowLeft + "\r")
	p.wait("location.search.includes('range=custom')")
	p.wait("/ – .*UTC/.test(document.querySelector('.time-custom button').textContent)")
	assert.Regexp(t, `start=\S+:[03]0:00Z&end=\S+:[03]0:00Z$`, p.address())
	p.wait("document.querySelector('.list-count').textContent.includes(' until ')")
	assert.NotContains(t, eval[string](p, "document.querySelector('.list-count').textContent"), ":59")
	p.wait("document.querySelector('.log-row')")
}

// An entry leads to others like it, to those around it and to those of its request.
func testLogEntry(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	open := func(query string) {
		t.Helper()
		p.open("/logs?project=default&tier=PRO&range=1d&q=" + query)
		p.click(".log-row", "")
		p.waitText(".log-details", "timestamp")
	}
	open("source:function_edge_logs")
	assert.NotContains(t, eval[string](p, "document.querySelector('.tree').textContent"), "{…}", "how it is stored is not shown")
	p.pictures("logs-entry")
	p.click(".value-actions button", "Filter by metadata.function_id ")
	p.wait("location.search.includes('metadata.function_id%3A')")
	p.wait("!document.querySelector('.previous') && document.querySelector('.log-row')")
	open("source:function_edge_logs")
	p.click(".value-actions button", "Exclude status ")
	p.wait("location.search.includes('-status%3A')")
	open("source:edge_logs")
	p.click("button", "Copy link")
	p.waitText("button", "Copied")
	at := eval[string](p, "document.querySelector('.log-row time').dateTime")
	p.click(".log-details a", "Events around it")
	p.wait("location.search.includes('range=custom') && !location.search.includes('q=') && !document.querySelector('.previous')")
	p.wait("document.querySelector('.log-list > .current') && document.querySelector('.log-panel .log-details')")
	assert.Equal(t, at, eval[string](p, "document.querySelector('.log-list > .current time').dateTime"))
	open("source:auth_logs+metadata.component:api")
	p.click(".log-details a", "Same request")
	p.wait("location.search.includes('metadata.*') && document.querySelector('.log-row')")
}

// Without a mouse: the first row is a few keys away, and each key does what the list of keys says.
func testLogKeys(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/logs?project=default&tier=PRO&range=1d")
	p.waitOverview()
	p.press("\t\r") // to the content
	p.press("\t")
	assert.Equal(t, "Skip to entries", eval[string](p, "document.activeElement.textContent"))
	p.press("\r")
	p.wait("document.activeElement.matches('.log-row')")
	index := "Number(document.activeElement.closest('[data-index]').dataset.index)"
	assert.Zero(t, eval[int](p, index))
	p.press(arrowDown + arrowDown + arrowUp)
	p.wait(index + " === 1")
	p.press("\r")
	p.wait("document.activeElement.ariaExpanded === 'true'")
	p.press(escape)
	p.wait("document.activeElement.ariaExpanded === 'false'")
	for i := range 40 {
		p.press(arrowDown)
		p.wait(fmt.Sprintf("%s === %d", index, i+2))
	}
	assert.True(t, eval[bool](p, "document.activeElement.getBoundingClientRect().bottom <= innerHeight"), "the row is in view")
	p.press(home)
	p.wait(index + " === 0")
	p.press("/")
	p.wait("document.activeElement === document.querySelector('" + filterBar + "')")
	p.fill(filterBar, "a?") // is text
	p.wait("document.querySelector('" + filterBar + "').value === 'a?' && !document.querySelector('dialog')")
	p.fill(filterBar, "\b")
	eval[bool](p, "document.activeElement.blur() === undefined")
	p.press("?")
	p.waitText("dialog[open]", "Move through the entries")
	assert.True(t, eval[bool](p, "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)(document.querySelector('dialog'))"), "all of it is seen")
	p.pictures("logs-keys")
	p.press(escape)
	p.wait("!document.querySelector('dialog[open]')")
}

// Buckets of a chart and counts of errors lead to the logs behind them.
func testDrillDown(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/?project=default&interval=1day")
	p.wait("document.querySelector('.functions tbody tr')")
	p.wait("[...document.querySelectorAll('.functions th a')].some((e) => e.textContent.startsWith('heartbeat '))") // the name, before the id
	failures := eval[string](p, `(() => {
		const row = [...document.querySelectorAll('.functions tbody tr')].find((row) => row.querySelector('td a'));
		row.querySelector('td a').id = 'failures';
		return row.querySelector('td a').textContent.replaceAll(',', ''); })()`)
	p.click("#failures", "")
	p.waitText("h1", "Logs")
	p.wait("document.querySelector('.log-row') && [...document.querySelectorAll('.log-state')].every((e) => e.textContent >= '400')")
	p.wait("document.querySelector('.list-count')")
	p.wait(fmt.Sprintf("document.querySelector('.list-count').textContent.replaceAll(',', '').startsWith('%s entr')", failures))

	p.open("/?project=default&interval=1day")
	p.wait("document.querySelector('[role=slider]')")
	eval[bool](p, "document.querySelector('[role=slider]').focus() === undefined")
	p.press(arrowLeft + arrowLeft)
	p.wait("document.querySelector('[role=slider]').ariaValueNow === '24'")
	count := eval[string](p, `/Invocations ([\d,]*\d)/.exec(document.querySelector('[role=slider]').ariaValueText)[1]`)
	p.press("\r")
	p.waitText("h1", "Logs")
	p.wait(fmt.Sprintf("document.querySelector('.list-count')?.textContent.startsWith(%s)", quote(count+" entr")))

	p.open("/usage?project=acme&interval=minutely")
	p.wait("document.querySelector('[role=slider]')")
	eval[bool](p, "document.querySelector('[role=slider]').focus() === undefined")
	p.press(home + arrowRight)
	for range 60 { // until a minute with requests
		if eval[bool](p, "/REST [1-9]/.test(document.querySelector('[role=slider]').ariaValueText)") {
			break
		}
		p.press(arrowRight)
	}
	p.press("\r")
	p.waitText("h1", "Logs")
	p.wait("document.querySelector('.log-row') && [...document.querySelectorAll('.log-source')].every((e) => e.textContent === 'edge_logs')")
	assert.Contains(t, p.address(), "project=acme&range=custom&start=")
}

// Of a hundred thousand rows, only those in view are drawn, and the last one can be reached.
func testManyLogs(t *testing.T, b browser) {
	t.Helper()
	const many = 100_000
	var rows strings.Builder
	for i := range many {
		_, _ = fmt.Fprintf(&rows, `,{"id":"edge_logs:%d","eventId":"%d","timestamp":"2026-11-20T12:00:00Z","source":"edge_logs","eventMessage":"GET | 200 | %d","status":200,"method":"GET","path":"/rest/v1/%d","level":null,"metadata":null}`, i, i, i, i)
	}
	p := b.openPage(t, serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		switch operationOf(r) {
		case "Viewer":
			_, _ = io.WriteString(w, strings.Replace(fakeViewer, `"endpoints":[`, `"endpoints":[{"name":"logs.search"},`, 1))
		case "LogSearch":
			writeRows(w, rows.String()[1:])
		default:
			_, _ = io.WriteString(w, `{"data":{"endpoint":null}}`)
		}
	})))
	p.open("/logs?project=acme&range=custom&start=2026-11-20T11:00:00Z&end=2026-11-20T12:30:00Z&tier=ENTERPRISE")
	p.waitText(".list-count", "100,000 entries loaded")
	// How long a frame takes depends on what else the machine does, so it is not an assertion.
	t.Logf("the longest frame took %.0f ms", eval[float64](p, `new Promise((resolve) => {
		const scroller = document.querySelector('.log-scroll');
		let last = 0, longest = 0, frames = 0;
		const step = (now) => {
			if (last > 0) longest = Math.max(longest, now - last);
			last = now;
			scroller.scrollTop += frames % 20 === 0 ? 100000 : 400;
			frames++ < 120 ? requestAnimationFrame(step) : resolve(longest);
		};
		scroller.scrollTop = 0;
		requestAnimationFrame(step);
	})`))
	assert.Less(t, eval[int](p, "document.querySelectorAll('.log-row').length"), 100, "only what is in view is drawn")
	eval[bool](p, "(document.querySelector('.log-scroll').scrollTop = 1e9, true)")
	p.waitText(".log-target", "/rest/v1/99999")
}
