package web_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowsOfFunctions selects the rows of the table of functions.
const rowsOfFunctions = "[...document.querySelectorAll('.functions tbody tr')]"

// functionColumn returns a column of the table of functions: titles of numbers, or texts.
func functionColumn(p *page, index int) []string {
	p.t.Helper()
	return eval[[]string](p, fmt.Sprintf("%s.map((row) => row.cells[%d].querySelector('[title]')?.title ?? row.cells[%[2]d].textContent)", rowsOfFunctions, index))
}

// The table lists the functions that the chart counts, sorts them, and leads to the chart of each.
func testFunctionTable(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/?project=acme&interval=7day")
	p.wait(rowsOfFunctions + ".length > 1")
	const sum = `(() => { const sum = (i) => ` + rowsOfFunctions + `.reduce((sum, row) => sum + Number(row.cells[i].querySelector('data').value), 0);
		const figure = (i) => Number(document.querySelectorAll('.figure data')[i].value);
		return [sum(1), figure(0), sum(2), figure(1)]; })()`
	sums := eval[[]float64](p, sum)
	require.Len(t, sums, 4)
	assert.Positive(t, sums[0])
	assert.InDelta(t, sums[1], sums[0], 0, "the functions add up to the invocations of the chart")
	assert.InDelta(t, sums[3], sums[2], 0, "and to its errors")
	assert.Equal(t, "descending", eval[string](p, "document.querySelector('.functions [aria-sort]').ariaSort"))
	eval[bool](p, "document.querySelector('.functions').scrollIntoView(); true")
	p.pictures("function-table")

	p.click(".sort", "Function")
	p.wait("location.search.includes('sort=function')")
	assert.IsIncreasing(t, functionColumn(p, 0))
	p.click(".sort", "Error rate")
	p.wait("location.search.includes('sort=-rate')")
	p.click(".sort", "Errors")
	p.wait("location.search.includes('sort=-errors')")
	p.press(" ") // the button has the focus
	p.wait("location.search.includes('sort=errors')")
	assert.Equal(t, "ascending", eval[string](p, "document.querySelector('.functions [aria-sort]').ariaSort"))
	assert.Equal(t, "Errors", eval[string](p, "document.activeElement.textContent"), "the focus stays")
	p.open("/?project=acme&interval=7day&sort=-seen")
	p.wait(rowsOfFunctions + ".length > 1")
	assert.IsNonIncreasing(t, functionColumn(p, 5), "the address has the order")
	p.click("button", "Copy CSV")
	p.waitText("button", "Copied")

	function := functionColumn(p, 0)[0]
	eval[bool](p, "document.querySelector('.functions tbody a').focus(); true")
	p.press("\r")
	p.wait(fmt.Sprintf("new URLSearchParams(location.search).get('function') === %s && !document.querySelector('.previous')", quote(function)))
	assert.Zero(t, eval[int](p, "scrollY"), "the chart is in view")
	p.wait(fmt.Sprintf("document.querySelector('.functions [aria-current=true]').textContent.endsWith(%s)", quote(function)))
	assert.Equal(t, eval[string](p, "document.querySelector('.functions .current data').value"),
		eval[string](p, "document.querySelector('.figure data').value"), "the chart is that of the function")
	assert.Greater(t, len(functionColumn(p, 0)), 1, "the others stay in the table")
	eval[bool](p, "document.querySelector('.functions').scrollIntoView(); true")
	p.pictures("function-table-one")
	p.click(".functions a", "Show all functions")
	p.wait("!new URLSearchParams(location.search).has('function')")

	p.open("/?project=nobody")
	p.waitText(".empty", "The project nobody has no invocations")
	p.wait("!document.querySelector('.functions, [aria-busy=true]')") // it is said once
}

// fakeListViewer is the viewer of an unlimited token that may list functions and projects.
const fakeListViewer = `{"data":{"viewer":{"projects":null,"projectTier":null,"refresh":true},
	"endpoints":[{"name":"functions.invocation-stats"},{"name":"functions.list"},{"name":"projects.list"}]}}`

// The fields suggest what the server lists. Any other value can be typed, and an error of the
// list leaves a plain field.
func testPickers(t *testing.T, b browser, site string) {
	t.Helper()
	const suggestions = "[...document.querySelectorAll('datalist')].map((list) => [...list.options].map((o) => o.value))"
	t.Run("projects and functions", func(t *testing.T) {
		p := b.openPage(t, site)
		p.open("/?project=acme")
		p.wait(rowsOfFunctions + ".length > 1")
		functions := functionColumn(p, 0)
		eval[bool](p, "document.querySelector('.field input').focus(); true")
		p.wait(suggestions + "[0].length === 3")
		assert.ElementsMatch(t, []string{"acme", "default", "globex"}, eval[[][]string](p, suggestions)[0])
		assert.ElementsMatch(t, functions, eval[[][]string](p, suggestions)[1])
		eval[bool](p, `(() => { const e = document.querySelector('.field input');
			Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(e, 'globex');
			return e.dispatchEvent(new InputEvent('input', {bubbles: true, inputType: 'insertReplacementText'})); })()`)
		p.wait("location.search.includes('project=globex')") // a choice needs no Enter
		p.fill(".field input", "acme")
		assert.Contains(t, p.address(), "project=globex", "acme can be the beginning of another name")
		p.fill(".field input", "new-project\r")
		p.waitText(".empty", "The project new-project has no invocations")
	})
	t.Run("of a saved query", func(t *testing.T) {
		p := b.openPage(t, site)
		p.open("/endpoints?name=functions.invocation-stats&arg.project=acme")
		p.wait("document.querySelector('.run-form input')")
		eval[bool](p, "document.querySelector('.run-form input').focus(); true")
		p.wait(suggestions + ".every((list) => list.length > 1)")
		assert.ElementsMatch(t, []string{"acme", "default", "globex"}, eval[[][]string](p, suggestions)[0])
	})
	t.Run("the lists fail", func(t *testing.T) {
		p := b.openPage(t, serveFakeLists(t, func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, failure)
		}))
		p.expect("status of 503")
		p.open("/?project=acme")
		p.waitText(".functions .warning", "the store is busy; try again in 5 s")
		p.pictures("function-table-failed")
		p.fill(".field input", "globex\r")
		p.wait("location.search.includes('project=globex')")
		p.fill("input[placeholder='All functions']", "f-1\r")
		p.wait("location.search.includes('function=f-1')")
	})
	t.Run("more functions than listed", func(t *testing.T) {
		p := b.openPage(t, serveFakeLists(t, func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"data":{"rows":[
				{"functionId":"f-1","invocations":9,"errors":1,"p95ExecutionTime":null,"lastSeen":"2026-11-20T12:00:00Z"},
				{"functionId":null,"invocations":3,"errors":0,"p95ExecutionTime":1.5,"lastSeen":"2026-11-20T12:01:00Z"}]},
				"extensions":{"freshness":{"rows":{"cache":"HIT","ageSeconds":0,"asOf":"2026-11-20T12:03:21Z","truncated":true,"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0}}}}`)
		}))
		p.open("/?project=acme")
		p.waitText(".functions", "Only the 2 functions with the most invocations are listed.")
		p.waitText(".functions tbody", "without an id")
		assert.Equal(t, []string{"f-1"}, eval[[]string](p, "[...document.querySelectorAll('.functions tbody a')].map((a) => a.textContent)"), "no chart has those without an id alone")
		assert.Equal(t, "–", functionColumn(p, 4)[0])
	})
}

// serveFakeLists serves statistics, and a response to each request for a list.
func serveFakeLists(t *testing.T, respond func(w http.ResponseWriter)) string {
	t.Helper()
	return serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/graphql-response+json; charset=utf-8")
		switch operationOf(r) {
		case "Viewer":
			_, _ = io.WriteString(w, fakeListViewer)
		case "Functions":
			writeStats(w, 12, "HIT", 0, false)
		default:
			respond(w)
		}
	}))
}
