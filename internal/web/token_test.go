package web_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// secret is the only token that withToken lets in.
const secret = "savedq_only-this-one"

// withToken lets only requests in that present the secret.
func withToken(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+secret {
			api.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("WWW-Authenticate", `Bearer realm="savedq"`)
		w.WriteHeader(http.StatusUnauthorized)
		body := `{"error":"no token","code":"UNAUTHENTICATED"}`
		if r.URL.Path == "/graphql" {
			body = `{"errors":[{"message":"no token","extensions":{"code":"UNAUTHENTICATED"}}]}`
		}
		_, _ = io.WriteString(w, body)
	})
}

func testToken(t *testing.T, b browser, site string) {
	t.Helper()
	const asksForToken = "document.querySelector('dialog[open]')"
	t.Run("is asked for once", func(t *testing.T) {
		p := b.openPage(t, site)
		p.expect("status of 401")
		p.open("/?project=default")
		p.wait(asksForToken)
		p.wait("document.querySelector('.skeleton')")
		assert.False(t, eval[bool](p, "document.querySelector('.failure') !== null"), "nothing has failed before there is a token")
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
		p.click("button", "Forget token")
		p.wait(asksForToken)
		assert.False(t, eval[bool](p, "document.querySelector('.log-row') !== null"), "what it gave is gone, too")
		assert.NotContains(t, eval[string](p, "JSON.stringify({...sessionStorage, ...localStorage})"), secret)
	})
	t.Run("is asked for when one has expired, and nothing is lost", func(t *testing.T) {
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
	t.Run("GraphiQL asks, too", func(t *testing.T) {
		p := b.openPage(t, site)
		p.expect("status of 401")
		p.open("/graphiql")
		p.wait(asksForToken)
		p.wait("document.querySelector('.graphiql-doc-explorer .graphiql-spinner')")
		assert.NotContains(t, eval[string](p, "document.body.textContent"), "Error fetching schema", "nothing has failed before there is a token")
		p.picture("token-graphiql")
		p.fill("#token", secret)
		p.press("\r")
		p.waitText(".graphiql-doc-explorer", "QueryEndpoint")
	})
}
