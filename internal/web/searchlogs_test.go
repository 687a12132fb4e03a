package web_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The Logs page searches the events of all sources on the server.
func testSearchLogs(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/logs?project=default&tier=PRO&range=7d")
	p.wait("document.querySelectorAll('.log-row').length === 100")
	p.wait("document.querySelector('.log-histogram .chart') && document.querySelectorAll('.facet').length > 15")
	assert.Greater(t, eval[int](p, "new Set([...document.querySelectorAll('.log-target .badge')].map((e) => e.textContent)).size"), 3, "several sources")
	p.pictures("logs-search")

	p.click(".facet", "edge")
	p.wait("location.search.includes('source=edge_logs')")
	p.wait("[...document.querySelectorAll('.log-target .badge')].every((e) => e.textContent === 'edge')")
	p.wait("document.querySelector('.facet[aria-pressed=true]')")
	p.fill("input[placeholder='404 or 5xx']", "5xx\r")
	p.wait("location.search.includes('status=5xx')")
	p.wait("[...document.querySelectorAll('.log-row > .badge')].every((e) => e.textContent >= '500')")
	p.fill("input[placeholder='/rest/v1/']", "/rest/\r")
	p.wait("location.search.includes('path=%2Frest%2F')")
	p.fill("input[placeholder='Case-insensitive']", "EXAMPLE.COM/REST\r")
	p.wait("location.search.includes('text=')")
	p.wait("document.querySelector('.log-row mark') && !document.querySelector('.previous')")
	p.pictures("logs-search-filtered")

	// A search without matches offers a way out, and not the advice for an empty server.
	p.fill("input[placeholder='/rest/v1/']", "/no/such/path\r")
	p.waitText(".empty h2", "No matching events")
	assert.False(t, eval[bool](p, "document.body.textContent.includes('No data yet?')"))
	p.pictures("logs-search-empty")
	p.click("button", "Clear filters")
	p.wait("document.querySelectorAll('.log-row').length === 100")
	assert.Equal(t, "/logs?project=default&tier=PRO&range=7d", p.address(), "the project and the range stay")
	assert.Empty(t, eval[string](p, "document.querySelector('input[placeholder=\"/rest/v1/\"]').value"))
	p.open("/logs?project=nobody")
	p.waitText(".empty h2", "No log entries")
	p.waitText(".empty", "No data yet?")

	p.open("/logs?project=default&tier=PRO&range=7d")
	p.expect("status of 400")
	p.fill("input[placeholder='404 or 5xx']", "teapot\r")
	p.waitText(".field-problem", "use a status such as 404, or a class such as 5xx")
	p.open("/logs?project=default&tier=PRO&range=7d")
	p.wait("document.querySelector('.log-histogram .explorer-slider')")

	// The keyboard narrows the range to a bucket.
	eval[bool](p, "document.querySelector('.explorer-slider').focus() === undefined")
	p.press(arrowLeft + arrowLeft + "\r")
	p.wait("location.search.includes('range=custom')")
	p.wait("document.querySelector('.caption').textContent.includes(' until ')")
	p.wait("document.querySelector('.log-row')")
}
