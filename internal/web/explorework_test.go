package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// editorText waits until the editor has a text.
func (p *page) editorText(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("%s.querySelector('.cm-content')?.textContent === %s", inEditor, quote(text)))
}

// typeSQL replaces the text of the editor.
func (p *page) typeSQL(sql string) {
	p.t.Helper()
	eval[bool](p, inEditor+".querySelector('.cm-content').focus() ?? true")
	p.press("a", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.press(sql)
}

// A mistake is underlined while the SQL is typed, at its place and without an error in the console, and the
// completions say what each is.
func testExploreTyping(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/explore?project=acme")
	p.wait("document.activeElement === document.querySelector('.explore-editor')")
	run := eval[float64](p, "document.querySelector('.run-line').getBoundingClientRect().top")
	p.typeSQL("SELECT idd FROM edge_logs ")
	p.wait(inEditor + ".querySelector('.cm-mistake')?.textContent === 'idd'")
	p.waitText(".field-problem", "idd")
	assert.Contains(t, eval[string](p, inEditor+".querySelector('.cm-mistake').title"), "idd", "the pointer shows what is wrong")
	assert.InDelta(t, run, eval[float64](p, "document.querySelector('.run-line').getBoundingClientRect().top"), 0.5, "and moves nothing")
	assert.Equal(t, "status", eval[string](p, "document.querySelector('.field-problem').role"), "it interrupts nobody")
	p.press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)) // a run finds it without a response that is an error
	p.wait("document.querySelector('.field-problem')?.role === 'alert'")
	p.typeSQL("SELECT id FROM edge_logs ")
	p.wait("document.querySelector('.field-problem') === null && " + inEditor + ".querySelector('.cm-mistake') === null")

	p.typeSQL("SELECT  FROM edge_logs WHERE COU")
	p.wait(inEditor + ".querySelector('.cm-tooltip-autocomplete li')?.textContent.includes('COUNT')")
	kinds := eval[[]string](p, "[..."+inEditor+".querySelectorAll('.cm-tooltip-autocomplete li')].map((e) => [...e.children].map((c) => c.textContent).join(' '))")
	assert.Regexp(t, `^function COUNT(IF)? \(.*\) → INT64$`, kinds[0], "kind, name and type")
	p.typeSQL("SELECT event_m FROM edge_logs")
	for range len(" FROM edge_logs") {
		p.press(arrowLeft)
	}
	p.press("e")
	p.wait(inEditor + ".querySelector('.cm-tooltip-autocomplete li')?.textContent.startsWith('columnevent_m')")
	p.wait(inEditor + ".querySelector('.cm-completionInfo')?.textContent.length > 5") // its description
	// The list is over the page, whatever the height of the editor is.
	p.press(escape)
	eval[bool](p, "document.querySelector('.splitter').focus() ?? true")
	p.press(home)
	p.wait("document.querySelector('.explore-editor-frame').offsetHeight === 120")
	p.typeSQL("SELECT 1\r\r\r\r FROM e")
	p.wait(inEditor + ".querySelector('.cm-tooltip-autocomplete')")
	assert.True(t, eval[bool](p, `(() => { const e = `+inEditor+`.querySelector('.cm-tooltip-autocomplete'), r = e.getBoundingClientRect();
		return r.bottom > document.querySelector('.explore-editor-frame').getBoundingClientRect().bottom && r.bottom <= innerHeight &&
			[r.top + 4, r.bottom - 4].every((y) => `+inEditor+`.elementFromPoint(r.left + 20, y)?.closest('.cm-tooltip-autocomplete') === e); })()`), "it is not cut off")
	p.picture("explore-completion-low")
	p.press(escape)

	// The splitter can be dragged, and its place is kept.
	eval[bool](p, "(document.querySelector('.splitter').scrollIntoView({block: 'center'}), true)")
	at := eval[[]float64](p, "(() => { const r = document.querySelector('.splitter').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
	p.mouse("mousePressed", at[0], at[1])
	p.mouse("mouseMoved", at[0], at[1]+100)
	p.mouse("mouseReleased", at[0], at[1]+100)
	p.wait("document.querySelector('.explore-editor-frame').offsetHeight === 220")
	p.open("/explore?project=acme")
	p.wait("document.querySelector('.explore-editor-frame')?.offsetHeight === 220")
	p.wait("document.querySelector('.splitter').ariaValueNow === '220'")
}

// Tabs keep their SQL and their rows, also in another visit. The history finds a run, and Ctrl+Enter works everywhere.
func testExploreTabs(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	openSQL(p, "SELECT 1 AS one FROM edge_logs LIMIT 1")
	p.waitText(".run-facts", "1 row in")
	p.click("button", "New query")
	p.wait("document.querySelectorAll('.explore-tab').length === 2")
	p.waitText(".empty", "No rows yet")
	p.typeSQL("SELECT 2 AS two FROM auth_logs LIMIT 1")
	p.wait("[...document.querySelectorAll('.explore-tab')].map((e) => e.textContent).join() === 'edge_logs,auth_logs'")
	p.click(".explore-side input", "") // the run key works outside of the editor, too
	p.press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.waitText("thead", "two")
	p.click(".explore-tab", "edge_logs")
	p.editorText("SELECT 1 AS one FROM edge_logs LIMIT 1")
	p.waitText("thead", "one")
	p.open("/explore")
	p.editorText("SELECT 1 AS one FROM edge_logs LIMIT 1")
	assert.Equal(t, 2, eval[int](p, "document.querySelectorAll('.explore-tab').length"), "the tabs are kept")
	p.pictures("explore-tabs")

	p.click(".segmented span", "History")
	p.wait("document.querySelectorAll('.explore-entry').length === 2")
	p.waitText(".explore-entry", "1 row")
	p.fill(".explore-side input[type=search]", "TWO auth")
	p.wait("document.querySelectorAll('.explore-entry').length === 1")
	p.pictures("explore-history")
	p.click(".explore-entry", "")
	p.editorText("SELECT 2 AS two FROM auth_logs LIMIT 1")
	assert.Equal(t, 2, eval[int](p, "document.querySelectorAll('.explore-tab').length"), "it is open already")
	p.fill(".explore-side input[type=search]", "nothing-like-it")
	p.waitText(".explore-side p", "No run matches.")
	p.click("button", "Clear history")
	p.waitText(".explore-side p", "It stays in this browser.")

	p.click("button", "Close auth_logs")
	p.editorText("SELECT 1 AS one FROM edge_logs LIMIT 1")
	p.click("button", "Close edge_logs")
	p.wait("document.querySelectorAll('.explore-tab').length === 1")
	p.wait(inEditor + ".querySelector('.cm-content')?.textContent.includes('TIMESTAMP_TRUNC')")
}

// The tables have a filter, and show some rows and how many they have.
func testExploreTables(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/explore?project=acme")
	p.wait("document.querySelectorAll('.explore-table').length > 5")
	p.wait("/^\\d.* [KM]?B$/i.test(document.querySelector('.explore-size')?.textContent)")
	p.waitText(".explore-bytes", "Reads at most ")
	p.fill(".explore-side input[type=search]", "execution")
	p.wait("document.querySelectorAll('.explore-table').length < 5 && document.querySelector('.explore-table').open")
	p.waitText(".explore-table", "execution_time_ms")
	p.pictures("explore-filter")
	p.fill(".explore-side input[type=search]", "no-such-column")
	p.waitText(".explore-side p", "No table or column matches.")
	p.fill(".explore-side input[type=search]", "edge_logs")
	p.click(".explore-table button", "Rows and size")
	p.waitText("dialog", "rows from")
	p.wait("document.querySelectorAll('dialog tbody tr').length === 10")
	p.pictures("explore-preview")
	p.press(escape)
	p.wait("!document.querySelector('dialog')")
}

// Any saved query opens in the editor. With --dev its SQL goes back to its folder.
func testExploreEdit(t *testing.T, b browser, site, directory string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/explore?project=acme")
	p.click(".segmented span", "Queries")
	p.wait("document.querySelectorAll('.explore-entry').length > 10")
	p.fill(".explore-side input[type=search]", "by-path")
	p.wait("document.querySelectorAll('.explore-entry').length === 1")
	p.click(".explore-entry", "mine.by-path")
	p.waitText(".explore-tab", "mine.by-path")
	p.pictures("explore-queries")
	before, err := os.ReadFile(filepath.Join(directory, "mine.by-path", "duckdb.sql"))
	require.NoError(t, err)
	p.wait(fmt.Sprintf("%s.querySelector('.cm-content')?.textContent.startsWith(%s)", inEditor, quote(strings.SplitN(string(before), "\n", 2)[0])))
	p.press(endKey, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.press(" ORDER BY ALL")
	p.click("button", "Save to mine.by-path")
	p.waitText(".run-line [role=status]", "Saved to mine.by-path.")
	after, err := os.ReadFile(filepath.Join(directory, "mine.by-path", "duckdb.sql"))
	require.NoError(t, err)
	assert.Equal(t, strings.TrimSpace(string(before))+" ORDER BY ALL\n", string(after))
	p.expect("status of 400") // the browser logs it
	eval[bool](p, inEditor+".querySelector('.cm-content').focus() ?? true")
	p.press(" FROM twice")
	p.click("button", "Save to mine.by-path")
	p.wait("document.querySelector('.run-line [role=alert]')")
	unchanged, err := os.ReadFile(filepath.Join(directory, "mine.by-path", "duckdb.sql"))
	require.NoError(t, err)
	assert.Equal(t, string(after), string(unchanged), "a mistake is not saved")

	// An address opens one, and does not run it. A shipped one is saved under another name.
	p.open("/explore?project=acme&query=logs.all")
	p.waitText(".explore-tab", "logs.all")
	p.waitText(".empty", "No rows yet")
	p.click("button", "Save to logs.all")
	p.waitText(".run-line [role=alert]", "save it as another query")
}

// While SQL runs, a clock moves and the old rows are grey. A timeout stays until the next run.
func testExploreFailures(t *testing.T, b browser, site string) {
	t.Helper()
	p := b.openPage(t, site)
	openSQL(p, "SELECT 1 AS one FROM edge_logs LIMIT 1")
	p.waitText(".run-facts", "1 row in")
	p.wait("!document.querySelector('.explore-clock')")
	const slow = "SELECT COUNT(*) AS n FROM UNNEST(GENERATE_ARRAY(1, 200000)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 200000)) AS b WHERE a < b"
	p.typeSQL(slow)
	p.press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.wait(`/^\d+\.\d s$/.test(document.querySelector('.explore-clock')?.textContent)`)
	p.wait("document.querySelector('.previous').textContent.includes('1 row in')")
	p.pictures("explore-running")
	p.click("button", "Cancel")
	p.waitText("[role=status]", "Cancelled.")
	p.wait("!document.querySelector('.explore-clock')")

	p.expect("status of 504") // the browser logs it
	eval[bool](p, `(window.fetch = ((send) => (path, init) => String(path).endsWith('/api/explore')
		? Promise.resolve(new Response(JSON.stringify({error: {code: 'DEADLINE_EXCEEDED', message: 'the query took longer than 30s'}}), {status: 504}))
		: send(path, init))(window.fetch), true)`)
	p.press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.waitText(".failure", "the query took longer than 30s. The SQL took too long")
	p.wait("document.querySelector('.previous [role], .previous')") // the rows of the run before
	p.typeSQL("SELECT 2 AS two")
	p.wait(inEditor + ".querySelector('.cm-content').textContent === 'SELECT 2 AS two'")
	p.waitText(".failure", "took longer than 30s")
	p.pictures("explore-timeout")
}

// ClickHouse's dialect has its own draft, table, completion, parameters, link and file.
func testExploreClickHouse(t *testing.T, b browser, site, directory string) {
	t.Helper()
	p := b.openPage(t, site)
	p.open("/explore?project=acme")
	p.wait("document.querySelector('.explore-editor')?.shadowRoot.querySelector('.cm-content')?.textContent.includes('TIMESTAMP_TRUNC')")
	p.click(".segmented span", "ClickHouse")
	p.wait(inEditor + ".querySelector('.cm-content')?.textContent.includes('toStartOfMinute')")
	p.wait("[...document.querySelectorAll('.explore-table code')].some((e) => e.textContent === 'logs')")
	p.click("button", "Run")
	p.waitText(".run-facts", "rows in")
	assert.Contains(t, p.address(), "&dialect=clickhouse&sql=SELECT")
	p.pictures("explore-clickhouse")
	p.click(".segmented span", "GoogleSQL")
	p.wait(inEditor + ".querySelector('.cm-content')?.textContent.includes('TIMESTAMP_TRUNC')") // its draft is kept
	p.wait("document.querySelectorAll('.explore-table').length > 5")
	p.click(".segmented span", "ClickHouse")
	p.wait(inEditor + ".querySelector('.cm-content')?.textContent.includes('toStartOfMinute')")

	// A mistake is underlined while the SQL is typed. Functions, paths and sources are completed.
	p.typeSQL("SELECT idd FROM logs ")
	p.wait(inEditor + ".querySelector('.cm-mistake')?.textContent === 'idd'")
	p.waitText(".field-problem", "there is no column idd")
	const selected = inEditor + ".querySelector('.cm-tooltip-autocomplete li[aria-selected]')"
	const completion, pick = selected + "?.textContent", selected + ".dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))"
	p.typeSQL("SELECT quantileTi")
	p.wait(completion + ".startsWith('functionquantileTiming(level)(Number)')")
	p.typeSQL("SELECT log_attributes['request.pa")
	p.wait(completion + ".startsWith('pathrequest.path')")
	p.picture("explore-clickhouse-completion")
	eval[bool](p, pick)
	p.editorText("SELECT log_attributes['request.path']")
	p.typeSQL("SELECT 1 FROM logs WHERE source = 'stora")
	p.wait(completion + ".startsWith('valuestorage_logs')")
	eval[bool](p, pick)
	p.editorText("SELECT 1 FROM logs WHERE source = 'storage_logs'")

	// Parameters have fields of their types, and are in the link. Some rows of the table can be seen.
	const sql = "SELECT count() AS n, {text:Nullable(String)} AS text FROM logs WHERE source = {source:String} AND timestamp > {since:DateTime}"
	openSQL(p, sql, "&dialect=clickhouse&arg.source=edge_logs")
	p.wait(parameterLabels + " === '{text} STRING,{source} STRING,{since} TIMESTAMP'")
	p.wait("document.querySelectorAll('.run-form [aria-invalid=true]').length === 1") // the text may be absent
	assert.Equal(t, 3, eval[int](p, "new Set([..."+inEditor+".querySelectorAll('.cm-parameter')].map((e) => e.textContent)).size"), "they are coloured")
	p.fill(".parameter:nth-child(3) input", "2026-01-01T00:00:00Z\r")
	p.waitText(".run-facts", "1 row in")
	assert.Contains(t, p.address(), "&arg.source=edge_logs&arg.since=2026-01-01T00:00:00Z")
	p.click(".explore-table summary", "logs")
	p.click(".explore-table button", "Rows and size")
	p.waitText("dialog", "rows from")
	p.wait("document.querySelectorAll('dialog tbody tr').length === 10")
	p.press(escape)
	p.wait("!document.querySelector('dialog')")

	// It is saved as clickhouse.sql, whose page leads back here. A tab of it is written back.
	p.click("button", "Save as query")
	p.fill("dialog input", "mine.counted")
	p.click("dialog button", "Save")
	p.waitText("h2", "mine.counted")
	file := filepath.Join(directory, "mine.counted", "clickhouse.sql")
	saved, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, sql+"\n", string(saved))
	p.wait("[...document.querySelectorAll('.code span')].some((e) => e.textContent === '{since:DateTime}')")
	p.click("a.button", "Open in Explore")
	p.editorText(sql)
	assert.Contains(t, p.address(), "&dialect=clickhouse&sql=")
	p.open("/explore?project=acme&query=mine.counted")
	p.waitText(".explore-tab[aria-current]", "mine.counted")
	p.editorText(sql)
	p.press(endKey, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.press(" LIMIT 1")
	p.click("button", "Save to mine.counted")
	p.waitText(".run-line [role=status]", "Saved to mine.counted.")
	saved, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, sql+" LIMIT 1\n", string(saved))
}
