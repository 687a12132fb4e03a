package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/web"
)

// Without the server, what is shown stays in its place, and nothing says that it is refreshed.
func testStoppedServer(t *testing.T, b browser) {
	t.Helper()
	fake := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		if operationOf(r) == "Viewer" {
			_, _ = w.Write([]byte(fakeViewer))
			return
		}
		writeStats(w, 41, "MISS", 0, false)
	})
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler(""))
	mux.Handle("/graphql", fake)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p := b.openPage(t, server.URL)
	p.expect("net::ERR_CONNECTION_REFUSED")
	p.open("/?project=acme")
	p.waitText(".figure-value", "41")
	dot := "getComputedStyle(document.querySelector('button[aria-pressed=true] > .icon')).color"
	place := "document.querySelector('.chart').getBoundingClientRect().top"
	green, top := eval[string](p, dot), eval[float64](p, place)
	server.CloseClientConnections()
	server.Close()
	p.click("button", "Refresh")
	p.waitText(".age", "the server cannot be reached")
	assert.NotEqual(t, green, eval[string](p, dot), "the dot is no longer green")
	assert.InDelta(t, top, eval[float64](p, place), 0.5, "nothing moves")
	assert.Equal(t, "41Copy", eval[string](p, "document.querySelector('.figure').textContent.match(/41Copy/)?.[0] ?? document.querySelector('.figure').textContent"))
	p.pictures("state-stopped")
}

// Ctrl+K finds pages, saved queries and settings.
func testPalette(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/usage?project=globex")
	p.wait("document.querySelector('.keys-button')")
	command := func(text string) {
		t.Helper()
		p.press("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
		p.wait("document.activeElement.matches('.palette input')")
		p.press(text)
	}
	command("log")
	p.waitText(".palette-command[aria-selected=true]", "Logs")
	p.pictures("palette")
	p.press("\r")
	p.waitText("h1", "Logs")
	assert.Contains(t, p.address(), "project=globex", "the project comes along")
	p.wait("!document.querySelector('.palette')")
	command("api-counts\r")
	p.waitText("h2", "usage.api-counts")
	command("theme: dark\r")
	p.wait("document.documentElement.dataset.theme === 'dark'")
	command("no such thing")
	p.waitText(".palette", "Nothing has this name.")
	p.press(escape)
	p.wait("!document.querySelector('.palette')")
}

// A token without the right to explore learns what to ask for.
func testNoExplore(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/explore#token=" + acmeSecret)
	p.waitText("h1", "This token may not explore the tables")
	p.waitText(".empty", "Ask your operator for a token with explore: true")
	assert.False(t, eval[bool](p, "[...document.querySelectorAll('button')].some((e) => e.textContent === 'Try again')"))
	p.pictures("explore-denied")
	p.click(".empty a", "Go to Endpoints")
	p.waitText("h1", "Endpoints")
	require.Contains(t, p.address(), "/endpoints")
}
