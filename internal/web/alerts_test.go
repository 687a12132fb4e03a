package web_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// alertsResponse has an alert in each state, in the order of their names.
const alertsResponse = `{"alerts":[
	{"query":"functions.list","name":"quiet","title":"No invocations","state":"no_data","since":"2026-11-24T10:00:00Z","checked":"2026-11-24T12:00:00Z","next":null,"every":300,"for":1,"count":1,"condition":"none","params":{},"error":null,"columns":null,"rows":null,"measured":"rows","threshold":0,"points":[],"mostRows":20,"silence":null,"acknowledged":null,"truncated":false,"notify":[],"history":[]},
	{"query":"logs.search","name":"broken","title":"Logins fail","state":"failing","since":"2026-11-24T11:58:00Z","checked":"2026-11-24T12:00:00Z","next":"2026-11-24T12:01:00Z","every":60,"for":1,"count":3,"condition":"any","params":{"filters":["source:auth_logs","level:error"]},"error":"the engine did not respond in time","columns":null,"rows":null,"measured":"rows","threshold":0,"points":[],"mostRows":20,"silence":null,"acknowledged":null,"truncated":false,"notify":[],"history":[]},
	{"query":"usage.api-counts","name":"errors-high","title":"Errors are high","state":"firing","since":"2026-11-24T11:55:00Z","checked":"2026-11-24T12:00:00Z","next":"2026-11-24T12:01:00Z","every":60,"for":2,"count":5,"condition":"first: errors > 5","params":{"project":"acme","interval":"hourly"},"error":null,
		"columns":[{"name":"bucket","type":"TIMESTAMP"},{"name":"errors","type":"FLOAT64"}],"rows":[{"bucket":1795518000000000,"errors":2319.3999999999996},{"bucket":1795521600000000,"errors":7}],"measured":"rows","threshold":0,"points":[],"mostRows":20,"silence":null,"acknowledged":null,"truncated":true,
		"notify":[{"target":"ops","pending":0,"delivered":"2026-11-24T11:55:01Z","error":null},{"target":"pager","pending":2,"delivered":null,"error":"the target answered with the status 503"}],
		"history":[{"at":"2026-11-24T11:55:00Z","state":"firing"},{"at":"2026-11-24T11:54:00Z","state":"pending"},{"at":"2026-11-23T08:00:00Z","state":"ok"}]},
	{"query":"usage.api-counts","name":"few","title":"Few requests","state":"pending","since":"2026-11-24T11:59:00Z","checked":"2026-11-24T12:00:00Z","next":null,"every":60,"for":3,"count":2,"condition":"first: total < 1","params":{},"error":null,"columns":[],"rows":[],"measured":"rows","threshold":0,"points":[],"mostRows":20,"silence":null,"acknowledged":null,"truncated":false,"notify":[],"history":[]},
	{"query":"usage.api-counts","name":"fresh","title":"New alert","state":"unknown","since":null,"checked":null,"next":null,"every":60,"for":1,"count":0,"condition":"any","params":{},"error":null,"columns":null,"rows":null,"measured":"rows","threshold":0,"points":[],"mostRows":20,"silence":null,"acknowledged":null,"truncated":false,"notify":[],"history":[]},
	{"query":"usage.api-counts","name":"well","title":"All well","state":"ok","since":"2026-11-20T12:00:00Z","checked":"2026-11-24T12:00:00Z","next":null,"every":86400,"for":1,"count":1,"condition":"any","params":{},"error":null,"columns":null,"rows":null,"measured":"rows","threshold":0,"points":[],"mostRows":20,"silence":null,"acknowledged":null,"truncated":false,"notify":[],"history":[]}],"manages":false,"saves":false,"targets":[]}`

// serveAlerts serves a viewer, and alerts.
func serveAlerts(t *testing.T, alerts http.HandlerFunc) string {
	t.Helper()
	return serveFake(t, func(_ int64, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/alerts" {
			_, _ = io.WriteString(w, `{"data":{"endpoints":[],"catalog":{"loadedAt":"2026-11-20T12:00:00Z","mistakes":[]}}}`)
			return
		}
		alerts(w, r)
	})
}

// The alerts with what a person needs: what is urgent is first and open.
func testAlerts(t *testing.T, b browser) {
	t.Helper()
	p := b.openPage(t, serveAlerts(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, alertsResponse)
	}))
	p.zone("UTC")
	p.open("/logs?project=acme&tier=FREE")
	p.click(".nav a", "Alerts")
	p.wait("document.querySelectorAll('.alert').length === 6")
	assert.Equal(t, []string{"Firing", "Failing", "No data", "Pending", "Not checked yet", "OK"},
		eval[[]string](p, "[...document.querySelectorAll('summary .alert-state')].map((e) => e.textContent)"), "the state is a word, most urgent first")
	assert.True(t, eval[bool](p, "[...document.querySelectorAll('.alert-state')].every((e) => e.querySelector('svg'))"), "and an icon")
	assert.Equal(t, []bool{true, true, false, false, false, false}, eval[[]bool](p, "[...document.querySelectorAll('.alert')].map((e) => e.open)"))
	p.waitText("[role=status]", "1 firing, 1 failing, 1 no data, 1 pending, 1 not checked yet, 1 OK")
	assert.Equal(t, "1 firing, 1 failing, 1 no data, 1 pending, 1 not checked yet, 1 OK · Alerts · savedq", eval[string](p, "document.title"))
	firing := eval[string](p, "document.querySelector('.alert').textContent")
	for _, text := range []string{
		"Errors are high", "usage.api-counts", "since 24 Nov, 11:55:00 UTC", "first: errors > 5", "project=acme interval=hourly", "every 1 min, 2 in a row change the state",
		"last delivered: 24 Nov, 11:55:01 UTC", "2 messages wait", "the target answered with the status 503", "There were more rows.",
	} {
		assert.Contains(t, firing, text)
	}
	p.waitText(".alert tbody", "2,319.4")
	assert.Equal(t, "2319.3999999999996", eval[string](p, "document.querySelector('.alert tbody td [data-exact]').dataset.exact"), "all digits")
	assert.Equal(t, []string{"Firing", "Pending", "OK"}, eval[[]string](p, "[...document.querySelectorAll('.alert-history .alert-state')].map((e) => e.textContent)"), "newest first")
	p.waitText(".alert:nth-child(2) .danger", "the engine did not respond in time")
	titles := "new Set([...document.querySelectorAll('.alert:not(:has(summary .badge:not(.good, .warning, .danger))) h2')].map((e) => e.getBoundingClientRect().left)).size"
	assert.Equal(t, 1, eval[int](p, titles), "the titles begin in one line")
	assert.Less(t, eval[float64](p, "document.querySelector('.alert .table-frame').offsetWidth"), 600.0, "a few numbers are not spread over the page")
	p.look(390, 844, "light")
	assert.Equal(t, 1, eval[int](p, "new Set([...document.querySelectorAll('.alert > summary > :not(.icon), .alert[open] dt')].map((e) => e.getBoundingClientRect().left)).size"), "all is beside the arrow")
	p.look(1440, 900, "light")
	p.pictures("alerts")
	p.look(390, 844, "light")
	p.axe("alerts narrow")
	p.look(1440, 900, "light")

	// A closed alert stays closed, and another one can be opened without a mouse.
	eval[bool](p, "document.querySelectorAll('.alert summary')[3].focus() === undefined")
	p.press("\r")
	p.waitText(".alert:nth-child(4)[open]", "2 of 3 so far")

	// The query, with the parameters of the alert.
	p.expect("404")
	p.click(".alert a", "Open the query")
	p.waitText("h1", "Endpoints")
	assert.Equal(t, "/endpoints?project=acme&name=usage.api-counts&arg.project=acme&arg.interval=hourly", p.address())

	t.Run("refresh", func(t *testing.T) {
		requests := atomic.Int64{}
		p := b.openPage(t, serveAlerts(t, func(w http.ResponseWriter, _ *http.Request) {
			body := alertsResponse
			if requests.Add(1) > 1 {
				body = strings.ReplaceAll(body, `"state":"firing","since"`, `"state":"ok","since"`)
			}
			_, _ = io.WriteString(w, body)
		}))
		p.open("/alerts")
		p.waitText(".caption", "1 firing")
		p.waitText("button[aria-pressed=true]", "Auto-refresh · 10 s")
		p.click("button", "Refresh")
		p.waitText(".caption", "2 OK")
	})
	t.Run("none", func(t *testing.T) {
		p := b.openPage(t, serveAlerts(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"alerts":[],"manages":false,"saves":false,"targets":[]}`)
		}))
		p.open("/alerts")
		p.waitText(".empty a", "New alert")
		p.pictures("alerts-none")
	})
	t.Run("failure", func(t *testing.T) {
		p := b.openPage(t, serveAlerts(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"error":{"code":"UNAVAILABLE","message":"the store is busy"}}`)
		}))
		p.expect("status of 503")
		p.open("/alerts")
		p.waitText(".failure", "the store is busy")
	})
}
