package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// All that the pages load, request and link to is below the base path: the rest of the site is not
// the server's, and responds with 404, which the browser logs.
func testBasePath(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open(basePath + "/")
	p.wait("document.querySelectorAll('[data-series]').length === 6")
	p.click(".nav a", "API usage")
	p.wait("document.querySelectorAll('[data-series]').length === 4")
	assert.Equal(t, basePath+"/usage?project=default", p.address())
	p.click("button", "Usage of all tokens")
	p.waitText(".table-frame", "no-auth")
	p.click(".nav a", "Logs")
	p.wait("document.querySelector('.log-row')")
	p.click(".nav a", "Endpoints")
	p.waitText("h2", "functions.invocation-stats")
	p.open(basePath + "/endpoints?name=usage.api-counts&arg.project=acme&arg.interval=daily")
	p.click("button", "Run")
	p.waitText(".result-line", "200")
	p.waitText("[role=tabpanel]", site+basePath+"/api/endpoints/usage.api-counts")
	p.click("[role=tab]", "GraphQL")
	p.click("a.button", "Open in GraphiQL")
	p.waitText(".graphiql-doc-explorer", "QueryEndpoint")
	p.waitText(".nav [aria-current=page]", "GraphiQL")
	p.waitColours(".graphiql-query-editor")
	p.runExample("apiCounts")
	p.expect("status of 404")
	p.open(basePath + "/no/such/page")
	p.waitText("h1", "Page not found")
	assert.Equal(t, http.StatusNotFound, eval[int](p, "performance.getEntriesByType('navigation')[0].responseStatus"))
	p.click(".empty a", "Go to Functions")
	p.waitText("h1", "Functions")
}
