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

func testToken(t *testing.T, b browser, site string) {
	t.Helper()
	const asksForToken = "document.querySelector('dialog[open]')"
	t.Run("is requested once", func(t *testing.T) {
		p := b.openPage(t, site)
		p.expect("status of 401")
		p.open("/?project=default")
		p.wait(asksForToken)
		p.wait("document.querySelector('.skeleton')")
		assert.False(t, eval[bool](p, "document.querySelector('.failure') !== null"), "nothing has failed before there is a token")
		p.waitText("dialog", "The server prints one when it starts, or your operator has one for you.")
		p.pictures("token")
		p.press(escape)
		p.wait(asksForToken)
		p.fill("#token", "two words")
		p.press("\r")
		p.waitText("#token-problem", "no spaces")
		p.fill("#token", "wrong")
		p.press("\r")
		p.waitText("#token-problem", "did not accept")
		p.fill("#token", secret)
		p.press("\r")
		p.wait("document.querySelector('.chart')")
		assert.False(t, eval[bool](p, asksForToken+" !== null"))
		p.pictures("token-kept")
		for width, rows := range map[int64]int{1440: 1, 820: 1, 390: 2} {
			p.look(width, 900, "light")
			p.wait(fmt.Sprintf("innerWidth === %d", width))
			assert.LessOrEqual(t, eval[int](p, "document.querySelector('.header').offsetHeight"), 56*rows, "the header of %d pixels has too many rows", width)
		}
		p.look(1440, 900, "light")

		p.open("/endpoints?name=usage.api-counts&arg.project=acme&arg.interval=daily")
		p.click("button", "Run")
		p.waitText(".result-line", "200")
		p.waitText("[role=tabpanel]", "Bearer $SAVEDQ_TOKEN")
		assert.NotContains(t, eval[string](p, "document.body.textContent"), secret, "it is shown nowhere")
		p.open("/graphiql")
		p.waitText(".graphiql-doc-explorer", "QueryEndpoint")
		assert.False(t, eval[bool](p, asksForToken+" !== null"))

		p.open("/logs")
		p.wait("document.querySelector('.log-row')")
		p.click("button", "Sign out")
		p.wait(asksForToken)
		assert.False(t, eval[bool](p, "document.querySelector('.log-row') !== null"), "its data is gone, too")
		assert.NotContains(t, eval[string](p, "JSON.stringify({...sessionStorage, ...localStorage})"), secret)
	})
	t.Run("is requested when it has expired, and nothing is lost", func(t *testing.T) {
		const refresh, check = 2, 3
		p := b.openPage(t, serveFake(t, func(number int64, w http.ResponseWriter, r *http.Request) {
			switch number {
			case refresh:
				w.WriteHeader(http.StatusUnauthorized)
			case check:
				assert.Equal(t, "Bearer "+secret, r.Header.Get("Authorization"))
			default:
				writeStats(w, 40+number, "MISS", 0, false)
			}
		}))
		p.expect("status of 401")
		p.open("/?project=acme")
		p.waitText(".figure-value", "41")
		p.click("button", "Refresh")
		p.wait(asksForToken)
		assert.False(t, eval[bool](p, "document.querySelector('.warning, .failure') !== null"), "nothing has failed before there is a token")
		p.waitText(".figure-value", "41")
		p.fill("#token", secret)
		p.press("\r")
		p.wait("!" + asksForToken)
		p.wait("Number(document.querySelector('.figure-value').textContent) > 43")
		assert.Equal(t, "Refresh", eval[string](p, "document.activeElement.textContent"), "the focus is where it was")
	})
	t.Run("says which one is no longer accepted, and why", func(t *testing.T) {
		var revoked atomic.Bool
		p := b.openPage(t, serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
			switch {
			case revoked.Load():
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, `{"errors":[{"message":"the token expired at 2026-11-20T00:00:00Z; ask for a new one"}]}`)
			case operationOf(r) == "Viewer":
				_, _ = io.WriteString(w, strings.Replace(fakeViewer, `"viewer":{`, `"viewer":{"token":"dashboards",`, 1))
			default:
				writeStats(w, 41, "MISS", 0, false)
			}
		})))
		p.expect("status of 401")
		p.open("/?project=acme#token=" + secret)
		p.waitText(".figure-value", "41")
		p.wait("localStorage.getItem('savedq.tokenName') === 'dashboards'")
		revoked.Store(true)
		p.click("button", "Refresh")
		p.wait(asksForToken)
		p.waitText("#token-problem", "The server no longer accepts the token “dashboards”: the token expired at 2026-11-20T00:00:00Z; ask for a new one.")
		p.pictures("token-expired")
	})
	t.Run("in the fragment", func(t *testing.T) {
		p := b.openPage(t, site)
		p.open("/usage?project=acme#token=" + secret)
		p.wait("document.querySelector('.chart')")
		assert.Equal(t, "/usage?project=acme", p.address())
		assert.False(t, eval[bool](p, asksForToken+" !== null"))
		assert.Equal(t, 2, eval[int](p, "history.length"), "the address with the token is not in the history: only the blank page is before")
	})
	t.Run("a wrong one in the fragment", func(t *testing.T) {
		p := b.openPage(t, site)
		p.expect("status of 401")
		p.open("/logs#token=wrong")
		p.wait(asksForToken)
		p.waitText("#token-problem", "did not accept")
		assert.Equal(t, "/logs", p.address())
	})
	t.Run("pasted into an open page", func(t *testing.T) {
		p := b.openPage(t, site)
		p.expect("status of 401")
		p.open("/logs?project=acme")
		p.wait(asksForToken)
		eval[bool](p, "location.hash = 'token="+secret+"'; true")
		p.wait("document.querySelector('.log-row')")
		assert.Equal(t, "/logs?project=acme", p.address())
	})
	t.Run("GraphiQL requests it, too", func(t *testing.T) {
		p := b.openPage(t, site)
		p.expect("status of 401")
		p.open("/graphiql")
		p.wait(asksForToken)
		assert.NotContains(t, eval[string](p, "document.body.textContent"), "Error fetching schema", "nothing has failed before there is a token")
		p.picture("token-graphiql")
		p.fill("#token", secret)
		p.press("\r")
		p.waitText(".graphiql-doc-explorer", "QueryEndpoint")
	})
}

// A browser that opens an unknown path gets a page of the site, and a way out of it.
func testNotFound(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.expect("status of 404")
	p.expect("status of 401")
	p.open("/nosuch#token=" + secret)
	p.waitText("h1", "Page not found")
	p.waitText(".nav", "API usage")
	assert.Equal(t, "Page not found · savedq", eval[string](p, "document.title"))
	assert.Equal(t, http.StatusNotFound, eval[int](p, "performance.getEntriesByType('navigation')[0].responseStatus"))
	p.pictures("not-found")
	p.click(".empty a", "Go to Functions")
	p.waitText("h1", "Functions")
}

// A token that is limited sees what it may see, and nothing else is offered.
func testLimitedTokens(t *testing.T, b browser, site string) {
	t.Helper()
	t.Run("to a project", func(t *testing.T) {
		p := b.openPage(t, site)
		p.open("/#token=" + acmeSecret)
		p.wait("document.querySelector('.chart')")
		p.waitText("h1", "Functions")
		assert.Equal(t, "Functions · acme · savedq", eval[string](p, "document.title"))
		assert.Equal(t, []string{"acme"}, optionsOf(p, ".field select"), "the only choice")
		p.pictures("limited-functions")
		p.open("/usage")
		p.wait("document.querySelector('.chart')")
		assert.False(t, offersUsage(p))
		p.open("/logs")
		p.wait("document.querySelector('.log-row')")
		assert.Equal(t, []string{"FREE", "PRO"}, optionsOf(p, ".field:nth-child(3) select"), "higher tiers are left out")
		assert.Equal(t, "PRO", eval[string](p, "document.querySelector('.field:nth-child(3) select').value"))
		p.pictures("limited-logs")
		p.open("/endpoints?name=logs.all")
		p.wait("document.querySelector('.parameter select')")
		assert.Equal(t, "acme", eval[string](p, "document.querySelector('.parameter input[readonly]').value"))
		assert.Equal(t, []string{"", "FREE", "PRO"}, optionsOf(p, ".parameter:nth-child(2) select"))
		p.click("button", "Run")
		p.waitText(".result-line", "200")
		p.open("/graphiql")
		p.waitText(".graphiql-query-editor .view-lines", `"acme"`)
		p.open("/?project=globex")
		p.waitText(".field-problem", "The token does not allow this project")
		p.waitText(".field-failure", "PERMISSION_DENIED")
		p.pictures("limited-forbidden")
	})
	t.Run("to values", func(t *testing.T) {
		p := b.openPage(t, site)
		p.open("/endpoints#token=" + boundSecret)
		p.waitText("h2", "mine.everything")
		p.wait("document.querySelectorAll('.parameter input[readonly]').length === 3")
		assert.Equal(t, []string{"acme", "7", "get"}, eval[[]string](p, "[...document.querySelectorAll('.parameter input[readonly]')].map((input) => input.value)"))
		assert.Equal(t, []string{"/a true", "PUT true"}, eval[[]string](p,
			"[...document.querySelectorAll('.parameter [type=checkbox]')].map((box) => `${box.parentElement.textContent} ${box.checked && box.disabled}`)"), "the only value of a list")
		assert.Equal(t, []string{"", "mean", "p-95"}, optionsOf(p, ".parameter:nth-child(9) select"))
		p.click("button", "Run")
		p.waitText(".result-line", "200")
		p.pictures("limited-values")
		p.open("/endpoints?name=mine.everything&arg.kind=put")
		p.wait("document.querySelector('.parameter:nth-child(8) select')")
		assert.Equal(t, []string{"", "put", "get"}, optionsOf(p, ".parameter:nth-child(8) select"), "a value of a link can be replaced")
		full := b.openPage(t, site)
		full.open("/usage#token=" + secret)
		full.wait("document.querySelector('.chart')")
		full.click("button", "Usage of all tokens")
		full.wait("document.querySelector('[aria-label=\"Usage by token\"]')")
		full.click(".segmented span", "Subject")
		full.wait("document.querySelector('[aria-label=\"Usage by subject\"]')")
		assert.Equal(t, []string{"Issuer or token", "Subject", "Requests"}, eval[[]string](full,
			"[...document.querySelectorAll('[aria-label=\"Usage by subject\"] thead th')].slice(0, 3).map((cell) => cell.textContent)"))
		assert.Contains(t, eval[[]string](full,
			"[...document.querySelectorAll('[aria-label=\"Usage by subject\"] tbody tr')].map((row) => `${row.cells[0].textContent} ${row.cells[1].textContent}`)"), "https://app.example.com ann")
	})
	t.Run("to reading", func(t *testing.T) {
		p := b.openPage(t, site)
		p.open("/usage#token=" + readerSecret)
		p.wait("document.querySelector('.chart')")
		assert.False(t, offersUsage(p), "the server refuses it without full access")
		other := b.openPage(t, site)
		other.open("/usage#token=" + secret)
		other.wait("document.querySelector('.chart')")
		assert.True(t, offersUsage(other))
	})
	t.Run("to a saved query", func(t *testing.T) {
		p := b.openPage(t, site)
		p.open("/#token=" + logsSecret)
		p.waitText("h1", "Logs")
		p.wait("document.querySelector('.log-row')")
		assert.Equal(t, []string{"Logs", "Endpoints", "Alerts", "GraphiQL"}, eval[[]string](p, "[...document.querySelectorAll('.nav a')].map((a) => a.textContent)"))
		p.picture("limited-endpoint")
	})
}

// offersUsage reports whether a page offers what all tokens used.
func offersUsage(p *page) bool {
	p.t.Helper()
	return eval[bool](p, "[...document.querySelectorAll('button')].some((b) => b.textContent === 'Usage of all tokens')")
}

// optionsOf returns the values that a list offers.
func optionsOf(p *page, selector string) []string {
	p.t.Helper()
	return eval[[]string](p, fmt.Sprintf("[...document.querySelector(%s).options].map((o) => o.value)", quote(selector)))
}

// Signing in or out in one tab does so in all, and a reload changes nothing.
func testTabs(t *testing.T, b browser, site string) {
	t.Helper()
	const asksForToken = "document.querySelector('dialog[open]')"
	first := b.openPage(t, site)
	second := first.openTab()
	for _, p := range []*page{first, second} {
		p.expect("status of 401")
		p.open("/logs?project=acme")
		p.wait(asksForToken)
	}
	first.fill("#token", secret)
	first.press("\r")
	for _, p := range []*page{first, second} {
		p.wait("document.querySelector('.log-row')")
		assert.False(t, eval[bool](p, asksForToken+" !== null"))
	}
	second.open("/graphiql")
	second.waitText(".graphiql-doc-explorer", "QueryEndpoint")
	second.click("button", "Sign out")
	for _, p := range []*page{first, second} {
		p.wait(asksForToken)
		assert.False(t, eval[bool](p, "document.querySelector('.log-row') !== null"), "the data of the token is gone")
	}
}
