package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The columns of testRoles.
const (
	idColumn = iota
	ordersColumn
	priceColumn
	bytesColumn
	atColumn
)

// Numbers are written by what they are: ids without separators, quantities with them, money with all its digits. Rows
// have a filter and totals.
func testRoles(t *testing.T, b browser) {
	t.Helper()
	p := b.openPage(t, serveResult(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Date", "Tue, 24 Nov 2026 04:10:00 GMT")
		_, _ = io.WriteString(w, `{"result":[
			{"user_id":1234567,"orders":1234567,"price":9007199254740993.25,"sent_bytes":3100,"at":1795492800000000},
			{"user_id":7654321,"orders":12,"price":19.9,"sent_bytes":900,"at":1795406400000000},
			{"user_id":42,"orders":null,"price":5,"sent_bytes":0,"at":null}]}`)
	}, fakeColumn("user_id", "INT64"), fakeColumn("orders", "INT64"), fakeColumn("price", "NUMERIC"), fakeColumn("sent_bytes", "INT64"), fakeColumn("at", "TIMESTAMP")))
	p.open("/endpoints")
	p.click("button", "Run")
	p.wait("document.querySelectorAll('.result tbody tr').length === 3")
	assert.Equal(t, "1234567", p.shown(0, idColumn))
	assert.Equal(t, "1,234,567", p.shown(0, ordersColumn))
	assert.Equal(t, "9,007,199,254,740,993.25", p.shown(0, priceColumn), "never rounded")
	assert.Equal(t, "19.90", p.shown(1, priceColumn), "decimals are aligned")
	assert.Equal(t, "3.1 kB", p.shown(0, bytesColumn))
	title := func(column int) string {
		return eval[string](p, fmt.Sprintf("document.querySelectorAll('.result thead button')[%d].title", column))
	}
	assert.Contains(t, title(idColumn), "INT64: id, guessed", "a guess says so")
	assert.Contains(t, title(bytesColumn), "INT64: bytes, guessed")

	p.click("label", "Totals")
	p.wait("document.querySelector('.result tfoot')")
	totals := eval[[]string](p, "[...document.querySelectorAll('.result tfoot tr > *')].map((e) => e.innerText)")
	assert.Equal(t, []string{"Total", "1,234,579", "9,007,199,254,741,018.15", "4.0 kB", ""}, totals, "exact")
	p.fill(".row-filter", "orders<1000")
	p.wait("document.querySelectorAll('.result tbody tr').length === 1 && document.querySelector('.result tfoot').innerText.includes('19.90')")
	p.pictures("results-totals")
	p.fill(".row-filter", "993.25 user_id:345")
	p.wait("document.querySelector('.result tbody tr').innerText.includes('1234567')")
	p.fill(".row-filter", "nothing")
	p.waitText(".result p", "No row matches the filter.")
	p.fill(".row-filter", "\b")
	p.wait("document.querySelectorAll('.result tbody tr').length === 3")

	p.click("label", "Relative times")
	p.wait("document.querySelector('.result tbody').innerText.includes('10 min ago')")
	assert.Equal(t, "1 day ago", p.shown(1, atColumn))
	p.click(".column-roles summary", "Columns")
	p.choose("document.querySelector('.column-roles select')", "quantity")
	p.wait("document.querySelector('.result tbody th').innerText === '1,234,567'")
	p.wait("document.querySelectorAll('.result thead button')[0].title.includes('quantity, chosen')")
	p.pictures("results-roles")
}

// 100,000 rows are sorted, filtered and drawn in steps, between which the page draws itself.
func testHundredThousandRows(t *testing.T, b browser) {
	t.Helper()
	const count = 100_000
	rows := make([]string, count)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"at":%d,"path":"/rest/v1/things/%d","mean":%d.25,"n":%d}`, 1_795_492_800_000_000+1_000_000*i, i*7919%count, i%997, i*31%count)
	}
	body := `{"result":[` + strings.Join(rows, ",") + `]}`
	p := b.openPage(t, serveResult(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}, fakeColumn("at", "TIMESTAMP"), fakeColumn("path", "STRING"), fakeColumn("mean", "FLOAT64"), fakeColumn("n", "INT64")))
	p.open("/endpoints")
	p.click("button", "Run")
	p.wait("document.querySelector('.result table').ariaRowCount === '100001'")
	// watch counts the frames until a condition holds, and notes the longest time between two of them.
	eval[bool](p, `(window.watchFrames = () => {
		window.frames_ = 0; window.longest = 0; window.watching = true;
		let last = performance.now();
		const frame = (now) => { frames_++; longest = Math.max(longest, performance.now() - last); last = performance.now(); if (watching) requestAnimationFrame(frame); };
		requestAnimationFrame(frame); return true; }, true)`)
	watch := func(what string, act func(), condition string) {
		t.Helper()
		eval[bool](p, "watchFrames()")
		act()
		p.wait(condition)
		eval[bool](p, "(watching = false, true)")
		// The time depends on what else the machine does, so it is not an assertion. Work in one task would draw no frame.
		t.Logf("%s: longest frame %.0f ms, %d frames", what, eval[float64](p, "longest"), eval[int](p, "frames_"))
		assert.Greater(t, eval[int](p, "frames_"), 3, what)
	}
	first := func(text string) string {
		return fmt.Sprintf("document.querySelector('.result tbody tr:not(.spacer) td').innerText === %s && document.querySelector('.result table').ariaBusy === 'false'", quote(text))
	}
	eval[bool](p, `(window.wasBusy = false, new MutationObserver(() => { if (document.querySelector('.result table')?.ariaBusy === 'true') wasBusy = true; })
		.observe(document.body, {subtree: true, attributes: true, attributeFilter: ['aria-busy']}), true)`)
	watch("sort", func() { p.click(".result thead button", "path") }, first("/rest/v1/things/0"))
	assert.True(t, eval[bool](p, "wasBusy"), "the page has drawn itself while it sorted")
	watch("filter", func() { p.fill(".row-filter", "things/9999") }, "document.querySelector('.result table').ariaRowCount === '12'")
	watch("no filter", func() { p.fill(".row-filter", "\b") }, "document.querySelector('.result table').ariaRowCount === '100001'")
	watch("totals", func() { p.click("label", "Totals") }, "document.querySelector('.result tfoot')?.innerText.includes('4,999,950,000')")
	watch("chart", func() { p.click(".segmented span", "Chart") }, "document.querySelectorAll('.result [data-series]').length === 2")
}

// The viewer chooses what a chart has across, which numbers, what splits them into series, and the scale.
func testAxes(t *testing.T, b browser) {
	t.Helper()
	p := b.openPage(t, serveResult(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"result":[
			{"at":1795492800000000,"method":"GET","path":"/a","n":1,"mean":0.02},
			{"at":1795492800000000,"method":"PUT","path":"/a","n":40,"mean":0.1},
			{"at":1795492860000000,"method":"GET","path":"/b","n":900,"mean":0.05},
			{"at":1795492860000000,"method":"PUT","path":"/b","n":5,"mean":0.07}]}`)
	}, fakeColumn("at", "TIMESTAMP"), fakeColumn("method", "STRING"), fakeColumn("path", "STRING"), fakeColumn("n", "INT64"), fakeColumn("mean", "FLOAT64")))
	p.open("/endpoints?view=chart")
	p.click("button", "Run")
	series := func(names string) {
		t.Helper()
		p.wait("[...document.querySelectorAll('.result [data-series]')].map((e) => e.dataset.series).join() === " + quote(names))
	}
	choice := func(label string) string {
		return fmt.Sprintf("[...document.querySelectorAll('.axis-choice')].find((e) => e.textContent.startsWith(%s)).querySelector('select')", quote(label))
	}
	labels := "[...document.querySelectorAll('.result .chart-label[text-anchor=end]')].map((e) => e.textContent)"
	series("GET,PUT,GET,PUT") // of n and of mean
	p.click(".axes summary", "Y: Auto (2)")
	p.click(".axes label", "n")
	series("GET,PUT")
	assert.Contains(t, p.address(), "&y=mean")
	p.wait("new Set(" + labels + ").size === " + labels + ".length && " + labels + ".includes('0.025')") // no label is repeated
	p.choose(choice("Series"), "path")
	series("/a,/b")
	p.waitText(".result p", "Rows of the same time and series are added up.")
	p.pictures("results-axes")
	p.click(".segmented span", "Log")
	p.wait(labels + ".join() === '0.1,1'")
	assert.Contains(t, p.address(), "&scale=log")
	p.pictures("results-log")
	p.choose(choice("X"), "method")
	p.wait("document.querySelectorAll('.bars tbody tr').length === 2")
	p.choose(choice("Series"), "none")
	p.wait("document.querySelectorAll('.bars tbody tr').length === 4")
	assert.Contains(t, p.address(), "&x=method")
}
