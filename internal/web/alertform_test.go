package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeAlerts serves alerts that the pages change, beside the other interfaces of a site.
type fakeAlerts struct {
	mutex sync.Mutex
	// listed are the alerts, in JSON by name.
	listed map[string]string
	// sent has what was sent to a path, and refused what its next response says instead of the usual.
	sent    map[string][]string
	refused map[string]string
	saves   bool
}

// serveAlertsOf serves a site with alerts, and returns its address.
func serveAlertsOf(t *testing.T, site string, saves bool) (*fakeAlerts, string) {
	t.Helper()
	address, err := url.Parse(site)
	require.NoError(t, err)
	others := httputil.NewSingleHostReverseProxy(address)
	fake := &fakeAlerts{listed: make(map[string]string), sent: make(map[string][]string), refused: make(map[string]string), saves: saves}
	return fake, serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/alerts") {
			r.Host = address.Host
			others.ServeHTTP(w, r)
			return
		}
		fake.serve(w, r)
	}))
}

func (f *fakeAlerts) serve(w http.ResponseWriter, r *http.Request) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	action := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/api/alerts"), "/")
	f.sent[action] = append(f.sent[action], string(body))
	if said, found := f.refused[action]; found {
		delete(f.refused, action)
		if strings.HasPrefix(said, `{"error"`) {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = io.WriteString(w, said)
		return
	}
	var request struct{ Query, Name, Title, Condition, Reason, Until string }
	_ = json.Unmarshal(body, &request)
	switch action {
	case "":
		var all []string
		for _, one := range f.listed {
			all = append(all, one)
		}
		_, _ = fmt.Fprintf(w, `{"alerts":[%s],"manages":true,"saves":%t,"targets":["ops","pager"]}`, strings.Join(all, ","), f.saves)
	case "check":
		_, _ = io.WriteString(w, `{"mistakes":[],"yaml":"alerts:\n  errors-are-high:\n    every: 5m\n"}`)
	case "preview":
		_, _ = io.WriteString(w, `{"mistakes":[],"measured":"total_rest_requests","threshold":5,"stepSeconds":10800,"partial":false,"points":[`+
			`{"at":"2026-11-24T08:30:00Z","value":2,"outcome":"unmet","firing":false},{"at":"2026-11-24T12:00:00Z","value":9,"outcome":"met","firing":true}]}`)
	case "save":
		f.listed[request.Name] = listedAlert(request.Query, request.Name, request.Title, request.Condition, "")
		w.WriteHeader(http.StatusNoContent)
	case "delete":
		delete(f.listed, request.Name)
		w.WriteHeader(http.StatusNoContent)
	case "silence":
		silence := ""
		if request.Until != "" {
			silence = fmt.Sprintf(`"silence":{"until":%q,"reason":%q,"by":"oncall","at":"2026-11-24T12:00:00Z"},`, request.Until, request.Reason)
		}
		f.listed[request.Name] = listedAlert(request.Query, request.Name, "Errors", "first: total_rest_requests > 5", silence)
		w.WriteHeader(http.StatusNoContent)
	case "acknowledge":
		f.listed[request.Name] = listedAlert(request.Query, request.Name, "Errors", "first: total_rest_requests > 5",
			`"acknowledged":{"reason":"","by":"oncall","at":"2026-11-24T12:00:00Z"},`)
		w.WriteHeader(http.StatusNoContent)
	}
}

// body returns what was sent to a path last.
func (f *fakeAlerts) body(action string) string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if all := f.sent[action]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// refuse sets the next response of a path.
func (f *fakeAlerts) refuse(action, body string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.refused[action] = body
}

// listedAlert returns an alert that fires, in JSON.
func listedAlert(query, name, title, condition, notes string) string {
	if !strings.Contains(notes, "silence") {
		notes += `"silence":null,`
	}
	if !strings.Contains(notes, "acknowledged") {
		notes += `"acknowledged":null,`
	}
	return fmt.Sprintf(`{"query":%q,"name":%q,"title":%q,"state":"firing","since":"2026-11-24T11:55:00Z","checked":"2026-11-24T12:00:00Z","next":null,`+
		`"every":300,"for":1,"count":1,"condition":%q,"measured":"total_rest_requests","threshold":5,"points":[`+
		`{"at":"2026-11-24T11:50:00Z","value":2,"outcome":"unmet"},{"at":"2026-11-24T11:55:00Z","value":9,"outcome":"met"},{"at":"2026-11-24T12:00:00Z","value":7,"outcome":"met"}],`+
		`"params":{"project":"acme","interval":"hourly"},"error":null,"columns":null,"rows":null,"truncated":false,"mostRows":20,%s`+
		`"notify":[{"target":"ops","pending":0,"delivered":null,"error":null}],"history":[]}`, query, name, title, condition, notes)
}

// inField finds the control of a label in the form.
func inField(label string) string {
	return fmt.Sprintf("[...document.querySelectorAll('.alert-form .field')].find((e) => e.querySelector('.label').textContent === %s).querySelector('input, select')", quote(label))
}

// The form of an alert: from a result to the alert in the list, with a mistake on the way, and by keys.
func testAlertForm(t *testing.T, b browser, site string) {
	t.Helper()
	fake, address := serveAlertsOf(t, site, true)
	p := b.openPage(t, address)
	p.open("/endpoints?name=usage.api-counts&arg.project=acme&arg.interval=hourly")
	p.click("button", "Run")
	p.click(".panel a", "Alert on this")
	p.waitText("h1", "New alert")
	assert.Equal(t, "/alerts?form=new&query=usage.api-counts&arg.project=acme&arg.interval=hourly", p.address())
	p.wait("document.querySelector('.alert-form .run-form select')?.value === 'hourly'")
	assert.Equal(t, []string{"usage.api-counts", "acme"}, eval[[]string](p, "["+inField("Saved query")+".value, document.querySelector('.alert-form .run-form input').value]"))
	p.choose(inField("Column"), "total_rest_requests")
	eval[bool](p, inField("Value")+".focus() === undefined")
	p.press("5")
	eval[bool](p, inField("Title (optional)")+".focus() === undefined")
	p.press("Errors are high")
	assert.Equal(t, "errors-are-high", eval[string](p, inField("Name")+".value"), "a name is made of the title")
	eval[bool](p, inField("Rows in a message (optional)")+".focus() === undefined")
	p.press("0")
	p.click(".alert-form label", "ops")
	p.pictures("alert-form")

	p.click("button", "Preview the last 7 days")
	p.waitText(".alert-preview", "The condition was met at 1 of 2 checks, one every 3 h.")
	assert.Equal(t, 1, eval[int](p, "document.querySelectorAll('.alert-preview .alert-met').length"))
	assert.Contains(t, fake.body("preview"), `"range":"7d"`)
	p.pictures("alert-preview")
	fake.refuse("preview", `{"error":{"code":"INVALID_ARGUMENT","message":"a preview needs the embedded store"}}`)
	p.expect("status of 400")
	p.click("button", "Preview the last day")
	p.waitText(".alert-preview .field-problem", "a preview needs the embedded store")

	fake.refuse("check", `{"mistakes":[{"field":"every","message":"every must be at least 10s"},{"field":"params.project","message":"parameter project: is wrong"}],"yaml":""}`)
	eval[bool](p, inField("Check every")+".focus() === undefined")
	p.press("\r")
	p.waitText(".alert-form .field-problem", "every must be at least 10s")
	p.waitText(".alert-form .parameter .field-problem", "parameter project: is wrong")
	p.wait("document.activeElement.ariaInvalid === 'true'")
	p.axe("alert form with mistakes")
	fake.refuse("save", `{"error":{"code":"INVALID_ARGUMENT","message":"query: has no folder","argument":"query"}}`)
	p.expect("status of 400")
	p.click("button", "Save")
	p.waitText(".alert-form .field-problem", "query: has no folder")
	eval[bool](p, "("+inField("Check every")+").focus(), ("+inField("Check every")+").select(), true")
	p.press("5m\r")
	p.wait("location.search === '?query=usage.api-counts&name=errors-are-high' && document.querySelector('.alert[open]')")
	assert.JSONEq(t, `{"query":"usage.api-counts","name":"errors-are-high","title":"Errors are high","every":"5m","params":{"project":["acme"],"interval":["hourly"]},
		"condition":"first: total_rest_requests > 5","notify":["ops"],"rows":0,"replace":false}`, fake.body("save"))

	p.click(".alert a", "Edit")
	p.waitText("h1", "Edit alert")
	p.wait(inField("Value") + "?.value === '5'")
	assert.Equal(t, "5m", eval[string](p, inField("Check every")+".value"))
	assert.True(t, eval[bool](p, inField("Name")+".readOnly"))
	p.choose(inField("Condition"), "none")
	p.click("button", "Save")
	p.wait("document.querySelector('.alert[open] code')?.textContent === 'none'")
	assert.Contains(t, fake.body("save"), `"replace":true`)

	p.click(".alert button", "Delete")
	p.waitText("dialog", "Delete “Errors are high”?")
	p.click("dialog button", "Cancel")
	p.wait("!document.querySelector('dialog')")
	p.click(".alert button", "Delete")
	p.click("dialog button", "Delete")
	p.waitText(".empty", "No alerts")
	assert.JSONEq(t, `{"query":"usage.api-counts","name":"errors-are-high"}`, fake.body("delete"))
	p.click(".empty a", "New alert")
	p.waitText("h1", "New alert")
}

// A server that writes no folders shows the lines to add.
func testAlertLines(t *testing.T, b browser, site string) {
	t.Helper()
	_, address := serveAlertsOf(t, site, false)
	p := b.openPage(t, address)
	p.open("/alerts?form=new&query=usage.api-counts")
	p.click("button", "Show the lines")
	p.waitText(".alert-example", "every: 5m")
	p.click(".alert-form a", "Cancel")
	p.waitText(".empty", "No alerts")
	p.open("/alerts?form=edit&query=none&name=none")
	p.waitText(".empty", "No such alert")
}

// Silences and acknowledgements, and what the last checks measured.
func testAlertNotes(t *testing.T, b browser, site string) {
	t.Helper()
	fake, address := serveAlertsOf(t, site, true)
	fake.listed["high"] = listedAlert("usage.api-counts", "high", "Errors", "first: total_rest_requests > 5", "")
	p := b.openPage(t, address)
	p.open("/alerts")
	p.wait("document.querySelector('.alert[open] .alert-notes') && document.querySelector('.alert-chart [data-series]')")
	assert.Equal(t, 2, eval[int](p, "document.querySelectorAll('.alert-chart .alert-met').length"), "where the condition was met")
	assert.Equal(t, 1, eval[int](p, "document.querySelectorAll('summary .alert-spark-line').length"), "also in the line of the alert")
	p.waitText(".alert-details h3", "total_rest_requests at the last 3 checks")
	p.pictures("alert-notes")
	p.click(".alert-notes button", "Acknowledge")
	p.waitText("summary .badge:not(.alert-state)", "Acknowledged")
	p.waitText(".alert-notes", "by oncall")
	assert.JSONEq(t, `{"query":"usage.api-counts","name":"high","undo":false}`, fake.body("acknowledge"))
	p.fill(".alert-notes input", "deploying\r")
	p.waitText("summary .badge:not(.alert-state)", "Silenced")
	p.waitText(".alert-notes", "by oncall: deploying")
	assert.Contains(t, fake.body("silence"), `"reason":"deploying"`)
	fake.refuse("silence", `{"error":{"code":"INVALID_ARGUMENT","message":"until: is in the past","argument":"until"}}`)
	p.expect("status of 400")
	p.click(".alert-notes button", "End silence")
	p.waitText(".alert-notes .field-problem", "until: is in the past")
	p.click(".alert-notes button", "End silence")
	p.wait("!document.querySelector('summary .badge:not(.alert-state)')")
	assert.Contains(t, fake.body("silence"), `"until":null`)
}
