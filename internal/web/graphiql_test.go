package web_test

import (
	"fmt"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These are findings in GraphiQL and its editor, Monaco.
var (
	editorColours = exception{ //nolint:gochecknoglobals // It is never written.
		rule: "color-contrast", node: `class="mtk`, reason: "Monaco's themes colour what is written",
	}
	lastNumber = exception{ //nolint:gochecknoglobals // It is never written.
		rule: "color-contrast", node: `class="line-numbers`, reason: "Monaco's themes dim the number of the last line",
	}
	closableTab = exception{ //nolint:gochecknoglobals // It is never written.
		rule: "nested-interactive", node: `role="tab" class="graphiql-tab`, reason: "the tab of a document has the button that closes it",
	}
)

// openGraphiQL opens GraphiQL, and waits until its workers have coloured the first
// example.
func (p *page) openGraphiQL() {
	p.t.Helper()
	p.open("/graphiql")
	p.waitText(".graphiql-query-editor .view-lines", "invocationStats")
	p.waitColours(".graphiql-query-editor")
}

// runExample runs the document of the tab, and waits until its result, which has a field, is
// coloured.
func (p *page) runExample(field string) {
	p.t.Helper()
	p.click("button.graphiql-execute-button", "")
	p.waitText(".result-window .view-lines", field)
	p.waitColours(".result-window")
}

// waitColours waits until the syntax highlighting of an editor, which appears after the
// text.
func (p *page) waitColours(editor string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("new Set([...document.querySelectorAll(%s)].map((e) => e.classList[0])).size > 3", quote(editor+" .view-line [class^=mtk]")))
}

func testGraphiQL(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.openGraphiQL()
	p.waitText(".graphiql-doc-explorer", "QueryEndpoint")
	p.axe("graphiql, types", lastNumber, closableTab)
	p.click(".graphiql-doc-explorer a", "Query")
	p.waitText(".graphiql-doc-explorer", "Every field is read-only.")
	eval[bool](p, "document.querySelector('.graphiql-doc-explorer-field-name').scrollIntoView(); true")
	p.axe("graphiql, fields", lastNumber, closableTab)
	p.runExample("invocationStats")
	p.picture("graphiql-light")
	p.axe("graphiql light", editorColours, lastNumber, closableTab)
	p.waitText(".header .nav [aria-current=page]", "GraphiQL")
	p.click("button", "Theme: system")
	p.click("button", "Theme: light")
	p.wait("document.querySelector('.monaco-editor.vs-dark')")
	assert.Equal(t, "dark", eval[string](p, "getComputedStyle(document.querySelector('.header')).colorScheme"), "header and editor have one theme")
	p.click("button", "Theme: dark")
	p.look(1440, 900, "dark")
	p.openGraphiQL()
	p.wait("document.querySelector('.monaco-editor.vs-dark')")
	p.picture("graphiql-dark")
	p.axe("graphiql dark", editorColours, lastNumber, closableTab)
	p.open("/graphiql?query=%7B%20endpoints%20%7B%20name%20%7D%20%7D")
	p.waitText(".graphiql-query-editor .view-lines", "endpoints")
	p.wait(`document.querySelector('.nav a[href="/logs?project=default"]')`)
	p.click(".nav a", "Logs")
	p.wait("document.querySelector('.log-row')")
}

// Whatever the address and the storage of the browser hold, GraphiQL opens, with the document of the
// address, and its tabs can be changed and closed.
func testOddGraphiQL(t *testing.T, b browser, site string) {
	t.Helper()
	const document, tab = "?query=query%20Asked%7Bendpoints%7Bname%7D%7D", `{"id":"x","title":"Stored","query":"query Stored{a}","variables":null,"headers":null,"operationName":null,"response":null}`
	open := func(t *testing.T, p *page, address string) {
		t.Helper()
		p.open("/graphiql" + address)
		p.wait("document.querySelector('.graphiql-query-editor .view-lines')")
		if address == document {
			p.waitText(".graphiql-query-editor .view-lines", "Asked")
		}
	}
	useTabs := func(p *page) {
		eval[bool](p, `(async () => {
			const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
			document.querySelector('.graphiql-tab-add').click(); await drawn();
			for (const tab of document.querySelectorAll('.graphiql-tab-button')) { tab.click(); await drawn(); }
			for (let close; (close = document.querySelector('.graphiql-tab-close')); await drawn()) close.click();
			return true; })()`)
		p.wait("document.querySelectorAll('.graphiql-tab').length === 1")
	}
	t.Run("addresses", func(t *testing.T) { // with what the ones before have stored
		p := b.openPage(t, site)
		for _, address := range []string{
			"?query=", "?query=null", "?query=a&query=b", "?variables=%7B&query=%7Ba%7D", "?tab=99", "?query=%ff%00%01", "?query=%22%22%22", "?query=query%20__proto__%7Ba%7D", "?query=query%20" + strings.Repeat("A", 2000) + "%7Ba%7D",
			"?query=%ED%A0%80", document, "?query=%7Bendpoints(a:%22%E2%80%A8%E2%80%A9%22)%7Bname%7D%7D",
		} {
			open(t, p, address)
		}
		p.waitText(".graphiql-doc-explorer", "QueryEndpoint")
		useTabs(p)
	})
	// One tab keeps what it has compiled, which takes most of the time.
	p := b.openPage(t, site)
	for name, stored := range map[string][2]string{
		"no tabs":                    {"tabState", `{"tabs":[],"activeTabIndex":0}`},
		"a tab that does not exist":  {"tabState", `{"tabs":[` + tab + `],"activeTabIndex":7}`},
		"half a tab":                 {"tabState", `{"tabs":[` + tab + `],"activeTabIndex":0.5}`},
		"tabs that are none":         {"tabState", `{"tabs":[null],"activeTabIndex":0}`},
		"tabs that are no JSON":      {"tabState", `{"tabs":`},
		"a history that is no JSON":  {"queries", "{"},
		"a history without a list":   {"queries", "{}"},
		"a history of nothing":       {"queries", `{"queries":[null]}`},
		"favourites without a list":  {"favorites", "[]"},
		"an unknown plugin":          {"visiblePlugin", "None"},
		"a size that is none":        {"editorFlex", "x"},
		"variables that are no JSON": {"variables", "{"},
	} {
		t.Run(name, func(t *testing.T) {
			p.lend(t)
			script, err := chromedp.Call(p.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
				Source: fmt.Sprintf("localStorage.clear(); localStorage.setItem(%s, %s)", quote("graphiql:"+stored[0]), quote(stored[1])),
			})
			require.NoError(t, err)
			defer call(p, cdppage.RemoveScriptToEvaluateOnNewDocument, cdppage.RemoveScriptToEvaluateOnNewDocumentParams(script))
			open(t, p, document)
			p.click(".graphiql-sidebar button", "Show History")
			p.waitText("section", "History")
			useTabs(p)
		})
	}
}

// Where the window is narrow, GraphiQL has one thing below the other.
func testNarrowGraphiQL(t *testing.T, b browser, site string) {
	t.Helper()
	for name, window := range map[string]struct {
		width, height int64
		exceptions    []exception
	}{
		"tablet": {820, 1180, []exception{editorColours, lastNumber, closableTab}},
		"phone":  {390, 844, []exception{editorColours, closableTab}}, // the last line is out of sight
	} {
		t.Run(name, func(t *testing.T) {
			p := b.openPage(t, site)
			p.look(window.width, window.height, "light")
			p.openGraphiQL()
			p.runExample("invocationStats")
			for _, part := range []string{".graphiql-query-editor", ".result-window"} {
				assert.Greater(t, eval[float64](p, fmt.Sprintf("document.querySelector(%s).clientWidth", quote(part))), 0.75*float64(window.width), part)
				assert.Greater(t, eval[int](p, fmt.Sprintf("document.querySelector(%s).clientHeight", quote(part))), 200, part)
			}
			assert.LessOrEqual(t, eval[int64](p, "document.documentElement.scrollWidth"), window.width)
			p.picture("graphiql-" + name)
			p.axe("graphiql "+name, window.exceptions...)
			p.click(".graphiql-sidebar button", "Show Documentation Explorer")
			p.click(".graphiql-doc-explorer a", "Query")
			p.waitText(".graphiql-doc-explorer", "Every field is read-only.")
			p.picture("graphiql-documentation-" + name)
			p.click(".graphiql-sidebar button", "Hide Documentation Explorer")
			p.wait("document.querySelector('.graphiql-doc-explorer') === null")
		})
	}
}
