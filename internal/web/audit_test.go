package web_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// networkDelay is the time that each response takes, in milliseconds.
	networkDelay = 300
	// mostShift bounds the layout shift of a page while it loads.
	mostShift = 0.02
	// mostTabs is how often Tab is pressed before what a page is for must have had the focus.
	mostTabs = 100
)

// networkConditions are the parameters of emulateNetwork. A negative throughput is any.
type networkConditions struct {
	Offline            bool    `json:"offline"`
	Latency            float64 `json:"latency"`
	DownloadThroughput float64 `json:"downloadThroughput"`
	UploadThroughput   float64 `json:"uploadThroughput"`
}

// emulateNetwork is deprecated, but the releases of Chromium differ in the parameters of its successor.
var emulateNetwork = cdp.Command[networkConditions, cdp.Empty]{Method: "Network.emulateNetworkConditions"} //nolint:gochecknoglobals // as in cdproto

// watchShift adds up how far what is shown jumps, with what jumped.
const watchShift = `window.shift = 0; window.jumped = [];
	new PerformanceObserver((list) => { for (const entry of list.getEntries()) {
		if (entry.hadRecentInput) continue;
		shift += entry.value;
		const name = ({node}) => node?.parentElement === undefined ? '?' : (node.className || node.nodeName) + ' in ' + (node.parentElement?.className || node.parentElement?.nodeName);
		jumped.push(entry.value.toFixed(4) + ': ' + entry.sources.map((s) => name(s) + ' ' + s.previousRect.y + '→' + s.currentRect.y + ' h ' + s.previousRect.height + '→' + s.currentRect.height).join(', '));
	} }).observe({type: 'layout-shift', buffered: true});`

// audited is a page that is audited.
type audited struct {
	site, address string
	// shown is what is there when the page has loaded.
	shown string
	// task is what a user of the keyboard comes to with Tab to do what the page is for, and keys do it, so that a
	// condition holds. It is empty for a page whose keys other tests press.
	task, keys, done string
}

// Each page is loaded over a slow network, once for each width. Nothing jumps: what comes has its place from the start. No
// rule of axe is broken, in either theme, and the page fits the window. Its task can be done with the keyboard alone, and the
// focus can be seen on the way. As of each page, the console is empty and the Content-Security-Policy is kept.
func testAudit(t *testing.T, b browser, site string) {
	t.Helper()
	alerts := serveAlerts(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, alertsResponse) })
	tokens := serveTokens(t, &tokenAPI{list: tokensResponse})
	const slider = "[role=slider]"
	var tests []browserTest
	for name, page := range map[string]audited{
		"functions":        {site, "/?project=default", ".functions tbody", slider, arrowLeft + "\r", "location.pathname === '/logs'"},
		"functions, table": {site, "/?project=default&view=table", ".functions tbody", ".functions tbody th a", "\r", "location.search.includes('function=')"},
		"usage":            {site, "/usage?project=default", ".chart", slider, arrowLeft + "\r", "location.pathname === '/logs'"},
		"usage, table":     {site, "/usage?project=default&view=table", "tbody", "[aria-expanded=false]", "\r", "document.querySelector('.load tbody')"},
		"logs":             {site, "/logs?project=default", ".log-histogram .chart", ".log-row", "\r", "document.querySelector('.log-details')"},
		"live logs":        {site, "/logs?project=default&live=1", ".log-row", "", "", ""},
		"endpoints":        {site, "/endpoints?name=usage.api-counts&arg.project=acme&arg.interval=daily", "[role=tabpanel] .code", ".run-form [type=submit]", "\r", "document.querySelector('.result tbody, .result .chart')"},
		"alerts":           {alerts, "/alerts", ".alert tbody", ".alert:not([open]) summary", "\r", "document.querySelectorAll('.alert[open]').length === 3"},
		"tokens":           {tokens, "/tokens", "tbody", ".page-head .button-main", "\r", "document.activeElement.matches('dialog input')"},
		"GraphiQL":         {site, "/graphiql", ".graphiql-query-editor .view-lines", "", "", ""},
	} {
		for _, width := range []int64{1440, 390} {
			tests = append(tests, browserTest{fmt.Sprintf("%s %d", name, width), func(t *testing.T) { t.Helper(); audit(t, b, &page, width) }})
		}
	}
	runInTabs(t, tests)
}

// audit audits a page at a width.
func audit(t *testing.T, b browser, page *audited, width int64) {
	t.Helper()
	p := b.openPage(t, page.site)
	p.watchShift(width)
	p.open(page.address)
	p.wait("document.querySelector(" + quote(page.shown) + ")")
	p.assertShift()
	assert.LessOrEqual(t, eval[int](p, "document.documentElement.scrollWidth"), int(width), "it is wider than the window")
	if page.address != "/graphiql" { // its editor is not ours; testGraphiQL checks it with exceptions
		p.axe("light")
		p.look(width, 900, "dark")
		p.contrast("dark")
	}
	if page.task == "" || width < 720 {
		return
	}
	for range mostTabs {
		p.press("\t")
		there := eval[[]bool](p, fmt.Sprintf("[document.activeElement.matches(%s), %s]", quote(page.task), focusSeen))
		require.True(t, there[1], "the focus cannot be seen: %s", focused(p))
		if there[0] {
			p.press(page.keys)
			p.wait(page.done)
			return
		}
	}
	require.Fail(t, "Tab does not come to what the page is for", page.task)
}

// watchShift makes responses slow, and watches what jumps.
func (p *page) watchShift(width int64) {
	p.t.Helper()
	p.look(width, 900, "light")
	call(p, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watchShift})
	call(p, emulateNetwork, networkConditions{Latency: networkDelay, DownloadThroughput: -1, UploadThroughput: -1})
}

// assertShift waits until nothing more is loaded, and checks what has jumped until then.
func (p *page) assertShift() {
	p.t.Helper()
	p.wait("!document.querySelector('.skeleton, [aria-busy=true]')")
	eval[bool](p, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
	p.t.Logf("layout shift %.4f", eval[float64](p, "shift"))
	assert.LessOrEqual(p.t, eval[float64](p, "shift"), mostShift, "what jumped: %v", eval[[]string](p, "jumped"))
}
