package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tokensResponse has a token of each kind. SECRET is never in it.
const tokensResponse = `{"result":{"obstacle":"","scopes":[
	{"name":"ingest","allows":"Send log events.","grantable":true},
	{"name":"explore","allows":"Run any SELECT over the rows of its projects.","grantable":false},
	{"name":"manage_tokens","allows":"List, create and revoke tokens; only for a token without limits.","grantable":true}],
	"choices":{"endpoints":["logs.all","usage.api-counts"],"projectTiers":["FREE","PRO"],"sources":["edge_logs"]},
	"tokens":[
	{"name":"admin","state":"valid","current":true,"revocable":true,"created":"2026-11-01T10:00:00Z","expires":null,"lastUsed":"2026-11-20T11:59:00Z","lastDay":null,
	 "scopes":["ingest","manage_tokens"],"endpoints":null,"projects":null,"projectTier":null,"sources":null,"rate":null,"burst":null,"budgetHour":AMOUNTS,"budgetDay":AMOUNTS,
	 "today":{"requests":0,"runs":0,"bytes":0,"engineSeconds":0}},
	{"name":"dashboard","state":"valid","current":false,"revocable":true,"created":"2026-11-02T10:00:00Z","expires":"2027-01-31T00:00:00Z","lastUsed":null,"lastDay":"2026-11-19",
	 "scopes":[],"endpoints":["logs.all"],"projects":["acme"],"projectTier":"PRO","sources":null,"rate":20,"burst":40,"budgetHour":AMOUNTS,"budgetDay":{"requests":1000,"rows":0,"bytes":0,"engineSeconds":60},
	 "today":{"requests":1234,"runs":12,"bytes":0,"engineSeconds":1.25}},
	{"name":"environment","state":"valid","current":false,"revocable":false,"created":null,"expires":null,"lastUsed":null,"lastDay":null,
	 "scopes":[],"endpoints":null,"projects":null,"projectTier":null,"sources":null,"rate":null,"burst":null,"budgetHour":AMOUNTS,"budgetDay":AMOUNTS,
	 "today":{"requests":0,"runs":0,"bytes":0,"engineSeconds":0}},
	{"name":"old","state":"expired","current":false,"revocable":true,"created":null,"expires":"2026-01-01T00:00:00Z","lastUsed":null,"lastDay":null,
	 "scopes":["ingest"],"endpoints":null,"projects":null,"projectTier":null,"sources":["edge_logs"],"rate":null,"burst":null,"budgetHour":AMOUNTS,"budgetDay":AMOUNTS,
	 "today":{"requests":0,"runs":0,"bytes":0,"engineSeconds":0}}]}}`

// createdSecret is the secret of the token that the test creates.
const createdSecret = "savedq_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// tokenAPI serves tokens, and records what the page changes.
type tokenAPI struct {
	mutex    sync.Mutex
	list     string
	created  []map[string]any
	revoked  []string
	rejected string
}

func (a *tokenAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	switch {
	case r.Method == http.MethodDelete:
		name := strings.TrimPrefix(r.URL.Path, "/api/tokens/")
		a.revoked = append(a.revoked, name)
		a.list = strings.Replace(a.list, `"name":"`+name+`"`, `"name":"`+name+`-is-gone"`, 1)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPost && a.rejected != "":
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, a.rejected)
	case r.Method == http.MethodPost:
		var request map[string]any
		if json.NewDecoder(r.Body).Decode(&request) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		a.created = append(a.created, request)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"result":{"name":"ci","secret":"`+createdSecret+`"}}`)
	default:
		const none = `{"requests":0,"rows":0,"bytes":0,"engineSeconds":0}`
		_, _ = io.WriteString(w, strings.ReplaceAll(a.list, "AMOUNTS", none))
	}
}

func (a *tokenAPI) reject(body string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.rejected = body
}

// serveTokens serves a viewer who may manage tokens, and the tokens.
func serveTokens(t *testing.T, api *tokenAPI) string {
	t.Helper()
	viewer := strings.Replace(fakeViewer, `"viewer":{`, `"viewer":{"manageTokens":true,"usage":true,"token":"admin",`, 1)
	return serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/tokens"):
			api.ServeHTTP(w, r)
		case operationOf(r) == "Viewer":
			_, _ = io.WriteString(w, viewer)
		default:
			_, _ = io.WriteString(w, `{"data":{"rows":[]},"extensions":{"freshness":{}}}`)
		}
	}))
}

// Tokens are listed in words, created with a secret that is shown once, and revoked after a question, with the keyboard
// alone.
func testTokensPage(t *testing.T, b browser) {
	t.Helper()
	api := &tokenAPI{list: tokensResponse}
	p := b.openPage(t, serveTokens(t, api))
	p.zone("UTC")
	p.open("/logs?project=acme&tier=FREE")
	p.click(".nav a", "Tokens")
	p.waitText("h1", "Tokens")
	p.waitText("tbody", "environment")
	rows := eval[[]string](p, "[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent).join('|'))")
	require.Len(t, rows, 4)
	assert.Regexp(t, `^adminThis page\|all saved queries, send logs, manage tokens\|All\|–\|Never\|1 Nov 2026\|.* ago\|0\|0 s\|Revoke$`, rows[0])
	assert.Equal(t, "dashboard|logs.all|acme; up to PRO|20 per s; 1,000 runs per day; 60 s per day|31 Jan 2027|2 Nov 2026|19 Nov|1,234|1.25 s|Revoke", rows[1])
	assert.Equal(t, "environment|all saved queries|All|–|Never|–|Not in 30 days|0|0 s|", rows[2], "it cannot be revoked")
	assert.Regexp(t, `^oldExpired\|all saved queries, send logs\|logs of edge_logs\|`, rows[3])
	assert.Contains(t, eval[string](p, "document.querySelector('tbody a').getAttribute('href')"), "by=endpoint&token=admin", "its usage is one click away")
	p.pictures("tokens")

	p.click("button", "New token")
	p.waitText("dialog h2", "New token")
	assert.Equal(t, 1, eval[int](p, "[...document.querySelectorAll('.token-scope input')].filter((e) => e.disabled).length"), "what the own token lacks cannot be granted")
	p.pictures("tokens-new")
	p.press("ci") // the name has the focus
	p.press("\t\t ")
	p.waitText("dialog .label", "Log sources")
	p.waitText("dialog .label", "Projects")
	p.fill("dialog .token-fields + fieldset + .token-fields input", "acme, globex")
	api.reject(`{"error":{"code":"INVALID_ARGUMENT","message":"name: there is a token of this name already; revoke it, or choose another name","argument":"name"}}`)
	p.expect("status of 400")
	p.press("\r")
	p.waitText("dialog .field-problem", "There is a token of this name already")
	assert.Equal(t, "ci", eval[string](p, "document.querySelector('dialog input').value"), "nothing that was typed is lost")
	api.reject("")
	p.press("\r")
	p.waitText("dialog code", createdSecret)
	p.waitText("dialog p", "it is shown only once")
	p.click("dialog button", "Copy token")
	p.waitText("dialog button", "Copied")
	p.pictures("tokens-secret")
	p.click("dialog button", "Done")
	p.wait("!document.querySelector('dialog')")
	assert.NotContains(t, eval[string](p, "document.documentElement.outerHTML + JSON.stringify({...localStorage, ...sessionStorage}) + location.href"), createdSecret, "nothing keeps it")
	require.Len(t, api.created, 1)
	delete(api.created[0], "expires")
	assert.Equal(t, map[string]any{"name": "ci", "scopes": []any{"ingest"}, "projects": []any{"acme", "globex"}}, api.created[0])

	p.click("button", "Revoke dashboard")
	p.waitText("dialog", "rejects requests with this token at once")
	p.press(escape)
	p.wait("!document.querySelector('dialog')")
	assert.Empty(t, api.revoked, "Escape revokes nothing")
	assert.Equal(t, "Revoke dashboard", eval[string](p, "document.activeElement.ariaLabel"), "the focus is where it was")
	p.press("\r")
	p.waitText("dialog h2", "Revoke dashboard?")
	p.pictures("tokens-revoke")
	p.click("dialog button", "Revoke")
	p.waitText("tbody", "dashboard-is-gone")
	assert.Equal(t, []string{"dashboard"}, api.revoked)
	p.click("button", "Revoke admin")
	p.waitText("dialog .notice", "You are signed in with this token.")
	p.click("dialog button", "Cancel")

	api.list = strings.ReplaceAll(strings.Replace(tokensResponse, `"obstacle":""`, `"obstacle":"this server has no tokens file; start it with --tokens FILE"`, 1), `"revocable":true`, `"revocable":false`)
	p.open("/tokens")
	p.waitText(".notice", "this server has no tokens file; start it with --tokens FILE.")
	assert.False(t, eval[bool](p, "[...document.querySelectorAll('main button')].some((e) => /New token|Revoke/.test(e.textContent))"))
	p.pictures("tokens-read-only")
}

// A token without the right learns what to ask for.
func testNoTokensPage(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/tokens#token=" + acmeSecret)
	p.waitText("h1", "This token may not manage tokens")
	p.waitText(".empty", "Ask your operator for a token with manage_tokens: true")
	assert.False(t, eval[bool](p, "[...document.querySelectorAll('.nav a')].some((e) => e.textContent === 'Tokens')"))
}
