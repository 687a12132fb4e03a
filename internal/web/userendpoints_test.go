package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testUserEndpoints tests the Endpoints page with the saved queries of testdata, which have
// parameters and columns of every type.
func testUserEndpoints(t *testing.T, b browser, site string) {
	t.Helper()
	runInTabs(t, []browserTest{
		{"search", func(t *testing.T) { t.Helper(); testSearch(t, b, site) }},
		{"inputs", func(t *testing.T) { t.Helper(); testInputs(t, b, site) }},
		{"values", func(t *testing.T) { t.Helper(); testValues(t, b, site) }},
		{"charts", func(t *testing.T) { t.Helper(); testResultCharts(t, b, site) }},
		{"problems", func(t *testing.T) { t.Helper(); testProblems(t, b, site) }},
		{"downloads", func(t *testing.T) { t.Helper(); testDownloads(t, b, site) }},
		{"snippets", func(t *testing.T) { t.Helper(); testSnippets(t, b, site) }},
		{"mistakes", func(t *testing.T) { t.Helper(); testMistakes(t, b) }},
	})
}

// everything is the address of the saved query with everything.
const everything = "/endpoints?name=mine.everything&arg.project=default&arg.kind=get"

const listed = "[...document.querySelectorAll('.endpoint-list strong')].map((e) => e.textContent)"

func testSearch(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/endpoints")
	p.wait(listed + ".length > 3")
	total := eval[int](p, listed+".length")
	p.press("/")
	p.wait("document.activeElement.type === 'search'")
	p.fill("input[type=search]", "mine")
	p.wait(listed + ".length === 3")
	p.waitText("[role=status]", fmt.Sprintf("3 of %d saved queries", total))
	p.press(arrowDown)
	p.press(arrowDown)
	p.wait("document.activeElement.querySelector('strong').textContent === 'mine.daily'")
	p.press(arrowUp)
	p.press(arrowUp)
	p.wait("document.activeElement.type === 'search'")
	p.fill("input[type=search]", "value of every")
	p.wait("String(" + listed + ") === 'mine.everything'") // a part of its description
	p.press("\r")
	p.waitText("h2", "mine.everything")
	p.fill("input[type=search]", "no such thing")
	p.waitText("[role=status]", fmt.Sprintf("0 of %d saved queries", total))
	p.fill(".parameter input", "a/b")
	assert.Equal(t, "a/b", eval[string](p, "document.activeElement.value"), "a slash can be typed elsewhere")
}

// Each parameter has a control that fits its type, with its default and its limits.
func testInputs(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/endpoints?name=mine.everything")
	p.waitText("h2", "mine.everything")
	for name, want := range map[string]string{
		"since":     "text now-7d",
		"first_day": "text",
		"hours":     "number 48 1 500",
		"big":       "text 7",
		"share":     "number 0.5 0 1",
	} {
		assert.Equal(t, want, eval[string](p, fmt.Sprintf("(() => { const e = %s; return `${e.type} ${e.placeholder} ${e.min} ${e.max}`.trim(); })()", control(name))), name)
	}
	for name, want := range map[string]string{
		"all":   "default: false,true,false",
		"kind":  "choose …,get,put",
		"order": "default: mean,mean,p-95",
	} {
		assert.Equal(t, want, eval[string](p, "String([..."+control(name)+".options].map((o) => o.textContent))"), name)
	}
	p.waitText(".parameter", "1 to 500")
	p.waitText(".parameter", "at most 3 values")
	p.waitText(".parameter", "Deprecated: rows are always ordered by time.")
	p.waitText(".warning", "Deprecated. it exists to try things; use mine.daily.")
	p.waitText(".endpoint-list a", "deprecated")
	p.pictures("endpoints-inputs")

	// An ARRAY has a control for each of its values.
	p.fill("[aria-label='paths 1']", "/x")
	p.click("button", "Add value")
	p.wait("document.activeElement.ariaLabel === 'paths 2'")
	p.press("/y")
	p.click("button", "Add value")
	p.wait("document.activeElement.ariaLabel === 'paths 3'")
	p.click("button", "Remove paths 1")
	p.wait("document.querySelector(\"[aria-label='paths 1']\").value === '/y'")
	assert.Equal(t, "paths 2", eval[string](p, "document.activeElement.ariaLabel"), "the focus stays in the list")
	p.click(".parameter label", "POST")
	p.click(".parameter label", "GET")
	p.waitText(".run-line code", "paths=%2Fy&methods=GET&methods=POST")
	assert.Contains(t, p.address(), "arg.paths=/y&arg.paths=&arg.methods=GET&arg.methods=POST")

	// What a control cannot show is shown as text; a project can be removed.
	p.open("/endpoints?name=mine.everything&arg.first_day=1+March&arg.hours=many&arg.kind=head&arg.project=")
	p.waitText("h2", "mine.everything")
	assert.Equal(t, "1 March,many,head,", eval[string](p, fmt.Sprintf("String([%s, %s, %s, %s].map((e) => e.value))",
		control("first_day"), control("hours"), control("kind"), control("project"))))
	p.waitText(".run-line", "Required: project")
}

// control returns the control of a parameter.
func control(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('.parameter label')].find((e) => e.querySelector('code')?.textContent === %s).control`, quote(name))
}

// Arrays and structs are trees, in which null and empty are not the same.
func testValues(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open(everything + "&arg.hours=12&arg.big=9007199254740993")
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.result tbody tr').length === 12")
	cell := func(row, column int) string {
		return eval[string](p, fmt.Sprintf("document.querySelectorAll('.result tbody tr')[%d].cells[%d].innerText", row, column))
	}
	const note, labels, place, items, big = 8, 9, 10, 11, 7
	const hour3, hour2, hour1 = 8, 9, 10 // hours ago, of twelve rows that end now
	assert.Equal(t, "empty string", cell(hour3, note))
	assert.Equal(t, "null", cell(hour1, note))
	assert.Equal(t, "empty list", cell(hour3, labels))
	assert.Equal(t, `["/a","/b"]`, cell(hour2, labels))
	assert.Equal(t, "9,007,199,254,740,995", cell(hour2, big), "no digit is lost")
	assert.Equal(t, "null", cell(3, place), "eight hours ago")
	assert.Equal(t, "empty list", cell(hour1, items))
	for range 2 { // the list, then the objects in it
		eval[bool](p, fmt.Sprintf("document.querySelectorAll('.result tbody tr')[%d].cells[%d].querySelectorAll('details:not([open])').forEach((e) => { e.open = true; }) ?? true", hour2, items))
		p.wait(fmt.Sprintf("document.querySelectorAll('.result tbody tr')[%d].cells[%d].querySelector('li')", hour2, items))
	}
	p.waitText(".value-tree", `tags ["x",null]`)
	p.waitText(".value-tree", "sku null")
	p.waitText(".value-tree", "tags empty list")
	p.pictures("endpoints-values")
	eval[bool](p, "(document.querySelector('.value-tree[open]').scrollIntoView({block: 'center', inline: 'end'}), true)")
	p.picture("endpoints-values-trees")
	p.look(390, 844, "light")
	eval[bool](p, "(document.querySelector('.result').scrollIntoView(), new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))")
	p.picture("endpoints-values-rows")
}

func testResultCharts(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open(everything)
	p.click("button", "Run")
	p.wait("document.querySelector('.result tbody')")
	assert.Empty(t, eval[[]string](p, "performance.getEntriesByType('resource').map((e) => e.name).filter((name) => name.includes('ResultChart'))"),
		"the code of charts is loaded when the first one is shown")
	p.click(".segmented span", "Chart")
	p.wait("document.querySelectorAll('.result [data-series]').length === 6")
	assert.Contains(t, p.address(), "view=chart")
	assert.Equal(t, "48", eval[string](p, "document.querySelector('[role=slider]').ariaValueMax"))
	eval[bool](p, "document.querySelector('[role=slider]').focus(); true")
	p.press(arrowLeft)
	p.waitText(".tooltip", "latency")
	p.press(escape)
	assert.True(t, eval[bool](p, `[...document.querySelectorAll('.result figure')].every((figure) =>
		figure.querySelector('.legend button') !== null && figure.querySelector('h2') === null)`), "the legend names the columns")
	p.pictures("endpoints-chart")

	// A day without a row is a gap.
	p.open("/endpoints?name=mine.daily&view=chart&arg.days=8")
	p.click("button", "Run")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '8'")
	p.wait("document.querySelectorAll('.chart-dot').length === 7")
	p.click(".segmented span", "Table")
	p.wait("document.querySelectorAll('.result tbody tr').length === 7")

	// Rows of the same time are told apart by a STRING column.
	p.open("/endpoints?name=mine.by-path&view=chart")
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.result [data-series]').length === 6")
	p.wait("document.querySelector('[role=slider]').ariaValueMax === '24'")
	p.waitText(".result figure h2", "latency")
	p.picture("endpoints-chart-split")

	p.open("/endpoints?name=logs.all&view=chart&arg.project=default")
	p.click("button", "Run")
	p.waitText(".result", "A chart needs a column of numbers.")
}

// The server's message is at its field, which has the focus, until the value changes.
func testProblems(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.expect("status of 400")
	for address, want := range map[string][2]string{
		everything + "&arg.hours=501":                     {"hours", `"501" is more than the maximum, 500`},
		everything + "&arg.first_day=2019-12-31":          {"first_day", `"2019-12-31" is less than the minimum, 2020-01-01`},
		everything + "&arg.big=1e3":                       {"big", "is not a whole number"},
		everything + "&arg.since=yesterday":               {"since", "yesterday"},
		everything + "&arg.order=newest":                  {"order", "use one of mean, p-95"},
		everything + "&arg.methods=HEAD":                  {"methods", "use one of GET, PUT, POST"},
		everything + "&arg.paths=/toolongpath":            {"paths", "Is longer than 8 characters"},
		everything + "&arg.paths=/a&arg.paths=b":          {"paths", `"b" does not match the pattern`},
		everything + strings.Repeat("&arg.paths=%2Fa", 4): {"paths", "Has 4 values; give at most 3"},
	} {
		p.open(address)
		p.click("button", "Run")
		p.waitText(".parameter .field-problem", want[1])
		p.wait("document.activeElement.ariaInvalid === 'true'")
		described := "document.getElementById(document.activeElement.getAttribute('aria-describedby').split(' ')[0]).textContent"
		assert.Contains(t, eval[string](p, described), want[1])
		assert.Equal(t, want[0], eval[string](p, "document.activeElement.closest('.parameter').querySelector('code').textContent"))
	}
	p.open(everything + "&arg.hours=501&arg.paths=x")
	p.click("button", "Run")
	p.waitText(".parameter .field-problem", "maximum")
	p.pictures("endpoints-problem")
	p.press("\b")
	p.wait("document.querySelector('.field-problem') === null")
	p.click("button", "Run")
	p.waitText(".parameter .field-problem", "does not match the pattern")
}

// A download has the format that its name says, and the rows of the latest run.
func testDownloads(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/endpoints?name=mine.daily&arg.days=3")
	p.click("button", "Run")
	p.wait("document.querySelector('.result tbody')")
	eval[bool](p, `(() => { window.files = [];
		const create = URL.createObjectURL;
		URL.createObjectURL = (blob) => { blob.text().then((text) => files.push(text)); return create(blob); };
		HTMLAnchorElement.prototype.click = function () { files.push(this.download); };
		return true; })()`)
	p.click("button", "Download CSV")
	p.wait("files.length === 2")
	p.click("button", "Download JSON")
	p.wait("files.length === 4")
	files := eval[[]string](p, "files")
	assert.Equal(t, []string{"mine.daily.csv", "mine.daily.json"}, []string{files[0], files[2]})
	assert.Regexp(t, `^day,requests\n\d{4}-\d\d-\d\d,\d+\n`, files[1])
	assert.Regexp(t, `^\{"result":\[\{"day":"\d{4}-\d\d-\d\d","requests":\d+\}`, files[3])
}

// Each snippet works as it is, with the names of a user's saved query, whatever is filled in.
func testSnippets(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	for _, address := range []string{
		everything + "&arg.hours=3&arg.since=2026-11-20&arg.first_day=2026-11-20&arg.big=9007199254740993&arg.share=0.25&arg.all=true&arg.order=p-95&arg.paths=/a&arg.paths=/b&arg.methods=GET&arg.numbers=1&arg.numbers=2",
		"/endpoints?name=mine.everything",
		"/endpoints?name=mine.by-path",
		"/endpoints?name=usage.api-counts&arg.interval=hourly",
	} {
		p.open(address)
		snippet := func(tab string) string {
			t.Helper()
			p.click("[role=tab]", tab)
			p.wait("document.querySelector('[role=tab][aria-selected=true]').textContent === " + quote(tab))
			return eval[string](p, "document.querySelector('[role=tabpanel] code').textContent")
		}
		document := snippet("GraphQL")
		response := post(t, site+"/graphql", map[string]string{"query": document})
		assert.NotContains(t, response, `{"errors":[`, document)

		code := snippet("fetch")
		code = regexp.MustCompile(`(?s)^type Row = \{.*?\n\};\n`).ReplaceAllString(code, "")
		code = strings.Replace(code, " as { result: Row[] }", "", 1)
		assert.Positive(t, eval[int](p, "(async () => { "+code+"; return result.length; })()"), code)

		program := snippet("Go") + "\n"
		formatted, err := format.Source([]byte(program))
		require.NoError(t, err, program)
		assert.Equal(t, program, string(formatted))
		assert.Contains(t, snippet("curl"), "curl --get '"+site+"/api/endpoints/")
	}
}

func post(t *testing.T, url string, body any) string {
	t.Helper()
	encoded, err := json.Marshal(body)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(encoded))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { assert.NoError(t, response.Body.Close()) }()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(content)
}

// The mistakes of a folder are shown until they are fixed; then the page has the new saved
// queries.
func testMistakes(t *testing.T, b browser) {
	t.Helper()
	const endpoint = `{"id":"00000000-0000-4000-8000-000000000001","name":%q,"aliases":["mine.earlier"],"field":"mine","description":"Rows.","deprecated":null,"language":"duckdb","sql":"SELECT 1","parameters":[],"columns":[],"maxRows":10,"cacheSeconds":null,"warmSeconds":null,"sandboxed":false}`
	var fixed atomic.Bool
	p := b.openPage(t, serveFake(t, func(_ int64, w http.ResponseWriter, r *http.Request) {
		name, catalog := "mine.before", `{"loadedAt":"2026-11-20T12:00:00Z","mistakes":[
			{"file":"queries/mine/query.yaml","line":3,"column":7,"message":"unknown key nam; use name"},
			{"file":"queries/other","line":null,"column":null,"message":"has no query.yaml"}]}`
		if fixed.Load() {
			name, catalog = "mine.after", `{"loadedAt":"2026-11-20T12:00:05Z","mistakes":[]}`
		}
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("query Catalog")) {
			_, _ = io.WriteString(w, `{"data":{"catalog":`+catalog+`}}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"data":{"endpoints":[`+endpoint+`]}}`, name)
	}))
	p.open("/endpoints")
	p.waitText(".danger", "2 mistakes in the saved queries")
	p.waitText(".danger li", "queries/mine/query.yaml:3:7 unknown key nam; use name")
	p.waitText(".danger li", "queries/other has no query.yaml")
	p.waitText(".endpoint-list", "mine.before")
	p.waitText(".facts", "mine.earlier")
	p.pictures("endpoints-mistakes")
	fixed.Store(true)
	p.wait("!document.querySelector('.danger')")
	p.waitText(".endpoint-list", "mine.after")
}

// A time has a calendar, which keeps the time of the day, and can be used by keys.
func testCalendar(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/endpoints?name=logs.search&arg.project=acme&arg.iso_timestamp_start=2026-11-24T04:30:00Z")
	const button, field = "[aria-label='Choose a day for iso_timestamp_start']", ".time-value:has([aria-label$=iso_timestamp_start]) input"
	p.wait("document.querySelector(" + quote(button) + ")")
	eval[bool](p, "document.querySelector("+quote(button)+").focus() === undefined")
	p.press("\r")
	p.wait("document.activeElement.ariaLabel === '24 November 2026'")
	p.pictures("calendar")
	p.press(arrowRight + "\r")
	p.wait("document.activeElement.matches(" + quote(button) + ")")
	assert.Equal(t, "2026-11-25T04:30:00Z", eval[string](p, "document.querySelector("+quote(field)+").value"))
	p.press("\r")
	p.wait("document.activeElement.ariaLabel === '25 November 2026'")
	p.press(escape)
	p.wait("!document.querySelector('.day-popup') && document.activeElement.matches(" + quote(button) + ")")
}
