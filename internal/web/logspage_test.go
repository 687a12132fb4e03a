package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// openedEntry is a JavaScript expression for the id of the entry that the address names.
const openedEntry = "new URLSearchParams(location.search).get('entry')"

// The open entry is beside the list, has an address, and follows the arrow keys.
func testLogPanel(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/logs?project=default&tier=PRO&range=1d")
	p.waitOverview()
	p.click(".log-row", "")
	p.waitText(".log-panel .log-details", "timestamp")
	assert.True(t, eval[bool](p, `(() => {
		const list = document.querySelector('.log-scroll').getBoundingClientRect(), panel = document.querySelector('.log-panel').getBoundingClientRect();
		return panel.left >= list.right - 1 && panel.top < list.bottom && panel.bottom <= innerHeight; })()`), "the panel is beside the list")
	assert.GreaterOrEqual(t, eval[int](p, rowsInView), 28, "the list stays")
	p.pictures("logs-panel")
	first := eval[string](p, openedEntry)
	assert.NotEmpty(t, first)
	p.press(arrowDown)
	p.wait(openedEntry + " !== " + quote(first))
	p.wait("document.querySelector('.log-list > .current time').dateTime === [...document.querySelectorAll('.log-details code')].find((e) => /T.*Z/.test(e.textContent)).textContent")
	second := eval[string](p, openedEntry)
	p.press(arrowUp)
	p.wait(openedEntry + " === " + quote(first))
	p.click(".log-panel button", "Older entry")
	p.wait(openedEntry + " === " + quote(second))

	// Another browser opens the address, also where the filter of the list leaves the entry out.
	address := p.address()
	p.open(address)
	p.waitText(".log-panel .log-details", "timestamp")
	p.wait("document.querySelector('.log-list > .current')")
	p.open("/logs?project=default&tier=PRO&range=1d&q=-source:" + strings.Split(second, ":")[0] + "&entry=" + second)
	p.waitText(".log-panel .log-details", strings.Split(second, ":")[1])
	assert.False(t, eval[bool](p, "document.querySelector('.log-list > .current') !== null"))
	p.open("/logs?project=default&tier=PRO&range=1d&entry=edge_logs:no-such-id")
	p.waitText(".log-panel", "There is no entry edge_logs:no-such-id")
	p.click(".log-panel button", "Close")
	p.wait("!document.querySelector('.log-panel') && !location.search.includes('entry')")
}

// A time range that cannot be read is said, and no other range is shown in its place.
func testLogRanges(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	for query, problem := range map[string]string{
		"range=1w":                      "“1w” is not a time range. The ranges are all, 15m, 1h, 6h, 1d, 7d, custom.",
		"range=90%20days":               "“90 days” is not a time range.",
		"range=custom&start=2026-13-01": "“2026-13-01” is not a time, such as 2026-11-24 04:00.",
		"range=custom&start=2026-11-20T10:00:00Z&end=2026-11-20T09:00:00Z": "which is not before its end",
	} {
		p.open("/logs?project=default&" + query)
		p.waitText(".range-problem", problem)
		assert.False(t, eval[bool](p, "document.querySelector('.log-row') !== null"), query)
	}
	p.pictures("logs-range-problem")
	p.click("button", "Show the last day")
	p.wait("location.search.includes('range=1d') && document.querySelector('.log-row')")

	// A day of the calendar is a range from its midnight to the next one.
	p.open("/logs?project=default&range=custom&start=2026-11-20T10:00:00Z&end=2026-11-20T11:00:00Z")
	p.click(".time-custom button", "")
	p.waitText(".calendar strong", "November 2026")
	p.click(".calendar td button", "17 November 2026")
	p.wait("document.querySelector('" + timeField(0) + "').value === '2026-11-17 00:00' && document.querySelector('" + timeField(1) + "').value === ''")
	p.click(".calendar td button", "18 November 2026")
	p.wait("document.querySelector('" + timeField(1) + "').value === '2026-11-19 00:00'")
	p.wait("document.querySelectorAll('.calendar [aria-pressed=true]').length === 2")
	p.pictures("logs-calendar")
	p.press(arrowDown)
	p.wait("document.activeElement.ariaLabel === '25 November 2026'")
	p.press(arrowLeft)
	p.wait("document.activeElement.ariaLabel === '24 November 2026'")
	p.click(".time-fields button", "Apply")
	p.wait("location.search.includes('start=2026-11-17T00%3A00%3A00Z&end=2026-11-19T00%3A00%3A00Z')")

	// Each zoom can be taken back.
	p.open("/logs?project=default&range=1d")
	p.waitOverview()
	zoom := func() {
		t.Helper()
		p.wait("document.querySelector('.log-histogram .explorer-slider') && !document.querySelector('.previous')")
		eval[bool](p, "document.querySelector('.explorer-slider').focus() === undefined")
		p.press(arrowLeft + arrowLeft + "\r")
	}
	zoom()
	p.wait("location.search.includes('range=custom')")
	once := p.address()
	zoom()
	p.wait("decodeURIComponent(location.search) !== " + quote(strings.TrimPrefix(once, "/logs")))
	p.click("button", "Undo zoom")
	p.wait("decodeURIComponent(location.search) === " + quote(strings.TrimPrefix(once, "/logs")))
	p.click("button", "Undo zoom")
	p.wait("location.search.includes('range=1d')")
	p.wait("![...document.querySelectorAll('button')].some((e) => e.textContent === 'Undo zoom')")
}

// Members of the metadata become columns, which the address keeps.
func testLogColumns(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/logs?project=default&tier=PRO&range=1d&q=source:function_edge_logs")
	p.click(".log-row", "")
	p.click(".value-actions button", "Show the column function_id")
	p.wait("location.search.includes('columns=function_id')")
	p.wait("[...document.querySelectorAll('.log-row')].every((row) => /^[0-9a-f-]{36}$/.test(row.querySelector('.log-column').title))")
	assert.Equal(t, 1, eval[int](p, "new Set([...document.querySelectorAll('.log-target')].map((e) => e.getBoundingClientRect().left)).size"), "texts begin in one line")
	p.pictures("logs-columns")
	p.click(".log-column-heads button", "Hide the column function_id")
	p.wait("!document.querySelector('.log-column') && !location.search.includes('columns')")
}

// A saved view is a link with a name.
func testLogViews(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/logs?project=default&tier=PRO&range=7d&q=status:5xx")
	p.wait("document.querySelector('.log-row')")
	p.click(".saved-views button", "Views")
	p.click(".saved-view-list button", "Save")
	p.waitText(".saved-view-list .field-problem", "Give the view a name.")
	p.fill(".saved-view-list input", "Failures\r")
	p.waitText(".saved-view-list a", "Failures")
	p.waitText(".saved-views > button", "Failures")
	p.pictures("logs-views")
	p.press(escape)
	p.wait("!document.querySelector('.saved-view-list')")
	p.open("/logs?project=default")
	p.wait("document.querySelector('.log-row')")
	p.click(".saved-views button", "Views")
	p.click(".saved-view-list a", "Failures")
	p.wait("location.search === '?project=default&tier=PRO&range=7d&q=status%3A5xx'")
	p.click(".saved-view-list button", "Remove the view Failures")
	p.waitText(".saved-view-list", "A view is the link to what this page shows")
}

// Completions say what a field is and how many entries have a value. Escape closes them and keeps the filter.
func testLogCompletion(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/logs?project=default&tier=PRO&range=1d&q=status:5xx")
	p.waitOverview()
	p.fill(filterBar, "status:5xx sou")
	p.waitText("[role=option]", "The table of the log")
	p.press(arrowDown + "\r")
	p.wait("[...document.querySelectorAll('[role=option]')].some((e) => /^edge_logs [\\d,]+$/.test(e.textContent))")
	p.pictures("logs-completion-counts")
	p.press(escape)
	p.wait("!document.querySelector('[role=option]')")
	p.press(escape)
	assert.Equal(t, "status:5xx source:", eval[string](p, "document.querySelector('"+filterBar+"').value"), "the filter stays")
	p.fill(filterBar, "metadata.funct")
	p.waitText("[role=option]", "metadata.function_id:")
}

// The histogram and the facets of an earlier filter are in grey until those of the new one are there.
func testEarlierOverview(t *testing.T, b browser) {
	t.Helper()
	release := make(chan struct{})
	var searches atomic.Int64
	p := b.openPage(t, serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		operation := operationOf(r)
		if later := operation == "LogHistogram" || operation == "LogFacets"; later && searches.Load() > 1 {
			select {
			case <-release:
			case <-r.Context().Done():
				return
			}
		}
		switch operation {
		case "Viewer":
			names := `{"name":"logs.search"},{"name":"logs.histogram"},{"name":"logs.facets"},`
			_, _ = io.WriteString(w, strings.Replace(fakeViewer, `"endpoints":[`, `"endpoints":[`+names, 1))
		case "LogSearch":
			id := searches.Add(1)
			writeRows(w, fmt.Sprintf(`{"id":"edge_logs:%d","eventId":"%d","timestamp":"2026-11-20T12:00:00Z","source":"edge_logs","eventMessage":"m","status":200,"method":"GET","path":"/","level":null,"metadata":null}`, id, id))
		case "LogHistogram":
			writeRows(w, `{"timestamp":"2026-11-20T12:00:00Z","count":1,"errors":0,"warnings":0}`)
		case "LogFacets":
			writeRows(w, `{"facet":"status","value":"200","count":1}`)
		default:
			_, _ = io.WriteString(w, `{"data":{"endpoint":null}}`)
		}
	})))
	p.open("/logs?project=acme&range=custom&start=2026-11-20T11:00:00Z&end=2026-11-20T12:30:00Z&tier=ENTERPRISE")
	p.waitOverview()
	p.fill(filterBar, "other\r")
	p.wait("document.querySelector('.previous .log-histogram') && document.querySelector('.facets.previous') && !document.querySelector('.previous .log-row')")
	close(release)
	p.wait("!document.querySelector('.previous')")
}
