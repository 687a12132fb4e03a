package web_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/stretchr/testify/assert"
)

const (
	// networkDelay is the time that each response takes, in milliseconds.
	networkDelay = 300
	// mostShift bounds the layout shift of a page while it loads.
	mostShift = 0.05
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

// Nothing jumps while a page loads over a slow network: what comes has its place from the start.
func testShift(t *testing.T, b browser, site string) {
	t.Helper()
	alerts := serveAlerts(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, alertsResponse) })
	tests := map[string]struct{ site, address, shown string }{
		"functions":        {site, "/?project=default", ".functions tbody"},
		"functions, table": {site, "/?project=default&view=table", ".functions tbody"},
		"usage":            {site, "/usage?project=default", ".chart"},
		"usage, table":     {site, "/usage?project=default&view=table", "tbody"},
		"logs":             {site, "/logs?project=default", ".log-histogram .chart"},
		"live logs":        {site, "/logs?project=default&live=1", ".log-row"},
		"endpoints":        {site, "/endpoints", "[role=tabpanel] .code"},
		"alerts":           {alerts, "/alerts", ".alert tbody"},
		"GraphiQL":         {site, "/graphiql", ".graphiql-query-editor .view-lines"},
	}
	for name, test := range tests {
		for _, width := range []int64{1440, 390} {
			t.Run(fmt.Sprintf("%s %d", name, width), func(t *testing.T) {
				t.Parallel()
				p := b.openPage(t, test.site)
				p.watchShift(width)
				p.open(test.address)
				p.wait("document.querySelector(" + quote(test.shown) + ")")
				p.assertShift()
			})
		}
	}
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
