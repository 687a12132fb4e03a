package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// patience is the timeout of all waits.
	patience = 60 * time.Second
	// screenshotsVariable names the directory that pictures of the pages go to.
	screenshotsVariable = "SAVEDQ_SCREENSHOTS"
)

// browser is a Chromium.
type browser struct {
	ctx context.Context //nolint:containedctx // It is the browser.
}

// page is a tab with its own storage. An error in the console, a request to another host
// or a violation of the policy fails the test.
type page struct {
	t    *testing.T
	ctx  context.Context //nolint:containedctx // It is the tab.
	site string
	// theme is what the system prefers: "light" or "dark".
	theme string

	mutex    sync.Mutex
	troubles []string
	// expected are parts of troubles that the test provokes.
	expected []string
}

// openPage opens a tab for a site.
func (b browser) openPage(t *testing.T, site string) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	return startPage(t, ctx, cancel, site)
}

// openTab opens another tab for the same site, which shares its storage with this one.
func (p *page) openTab() *page {
	p.t.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	return startPage(p.t, ctx, cancel, p.site)
}

func startPage(t *testing.T, ctx context.Context, cancel context.CancelFunc, site string) *page { //nolint:revive // It is the tab's context.
	t.Helper()
	p := &page{t: t, ctx: ctx, site: site}
	require.NoError(t, chromedp.Do(ctx))
	require.NoError(t, chromedp.Listen(ctx, p.hear))
	call(p, network.Enable, network.EnableParams{})
	call(p, cdppage.Enable, cdppage.EnableParams{})
	call(p, cdplog.Enable, cdp.Empty{})
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // although other tabs are open, too
	call(p, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `
		window.breaches = [];
		addEventListener('securitypolicyviolation', (e) => breaches.push(e.effectiveDirective + ' ' + e.blockedURI));`})
	p.look(1440, 900, "light")
	t.Cleanup(func() {
		if !t.Failed() {
			assert.Empty(t, eval[[]string](p, "window.breaches ?? []"), "breaches of the Content-Security-Policy")
		}
		cancel()
		p.mutex.Lock()
		defer p.mutex.Unlock()
		assert.Empty(t, p.troubles)
	})
	return p
}

// lend lets a subtest use the page, for as long as it runs.
func (p *page) lend(t *testing.T) {
	t.Helper()
	owner := p.t
	p.t = t
	t.Cleanup(func() { p.t = owner })
}

// call sends a command of the protocol to the tab.
func call[P, R any](p *page, command cdp.Command[P, R], params P) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, command, params)
	require.NoError(p.t, err)
}

// hear notes what a visitor should not meet.
func (p *page) hear(event any) {
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		p.note("exception: " + event.ExceptionDetails.Text + " " + textOf([]*runtime.RemoteObject{event.ExceptionDetails.Exception}))
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeWarning {
			p.note("console: " + textOf(event.Args))
		}
	case *cdplog.EventEntryAdded:
		if event.Entry.Level == cdplog.EntryLevelError || event.Entry.Level == cdplog.EntryLevelWarning {
			p.note("log: " + event.Entry.Text + " " + event.Entry.URL)
		}
	case *cdppage.EventJavascriptDialogOpening:
		p.note("dialog: " + event.Message)
		go func() { // It blocks the page, and this function blocks what the page says.
			_, _ = chromedp.Call(p.ctx, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{})
		}()
	case *network.EventRequestWillBeSent:
		asked, err := url.Parse(event.Request.URL)
		if err != nil || asked.Scheme != "data" && asked.Scheme != "blob" && "http://"+asked.Host != p.site {
			p.note("request to another host: " + event.Request.URL)
		}
	}
}

// textOf returns what was written to the console.
func textOf(args []*runtime.RemoteObject) string {
	var texts []string
	for _, arg := range args {
		texts = append(texts, string(arg.Value)+arg.Description)
	}
	return strings.Join(texts, " ")
}

func (p *page) note(trouble string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, expected := range p.expected {
		if strings.Contains(trouble, expected) {
			return
		}
	}
	p.troubles = append(p.troubles, trouble)
}

// expect lets the test provoke a trouble, by a part of its text.
func (p *page) expect(trouble string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.expected = append(p.expected, trouble)
}

// look sets the size of the window, in pixels, and the theme of the system. A page that is open has drawn itself with
// them when it returns.
func (p *page) look(width, height int64, theme string) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 720,
	})
	p.theme = theme
	p.motion("reduce")
	p.wait(fmt.Sprintf("location.href === 'about:blank' || innerWidth === %d && matchMedia('(prefers-color-scheme: %s)').matches", width, theme))
	p.drawn()
}

// drawn waits for two frames, in which what watches sizes has drawn.
func (p *page) drawn() {
	p.t.Helper()
	eval[bool](p, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
}

// motion sets whether the viewer likes things to move: "reduce" or "no-preference".
func (p *page) motion(preference string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: p.theme}, {Name: "prefers-reduced-motion", Value: preference},
	}})
}

// zone sets the time zone of the viewer.
func (p *page) zone(name string) {
	p.t.Helper()
	call(p, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: name})
}

// open loads an address of the site.
func (p *page) open(address string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Navigate(p.site+address)))
}

// eval returns the value of a JavaScript expression.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, "%s", expression)
	return value
}

// maxNavigations limits how often a wait starts again in another document.
const maxNavigations = 3

// wait waits until a JavaScript condition holds. If it never does, the failure shows the
// page's text.
func (p *page) wait(condition string) {
	p.t.Helper()
	expression := fmt.Sprintf(`new Promise((resolve) => {
		const end = performance.now() + %d;
		const look = () => {
			let holds = false;
			try { holds = Boolean(%s); } catch {}
			if (holds || performance.now() > end) resolve(holds);
			else setTimeout(look, 20);
		};
		look();
	})`, patience.Milliseconds(), condition)
	held, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression, chromedp.EvalAwaitPromise))
	for range maxNavigations {
		if err == nil || !strings.Contains(err.Error(), "navigated") {
			break
		}
		// A click has just led to another document, where the condition is to hold.
		held, err = chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression, chromedp.EvalAwaitPromise))
	}
	require.NoError(p.t, err, "%s", expression)
	if !held {
		p.picture("failed-" + strings.NewReplacer("/", "-", " ", "-").Replace(p.t.Name()))
		shown := strings.Join(strings.Fields(eval[string](p, "document.body.innerText")), " ")
		require.Fail(p.t, "the page never came to it", "%s\nIt shows: %s", condition, shown)
	}
}

// waitText waits until an element contains a text.
func (p *page) waitText(selector, text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))", quote(selector), quote(text)))
}

// clicks limits how often a click is repeated because what it was aimed at had just moved.
const clicks = 10

// click clicks the first element of a selector whose text or label begins with a text,
// which may be empty. A click that hits something else, because the page has just moved, has no effect
// and is repeated.
func (p *page) click(selector, text string) {
	p.t.Helper()
	found := fmt.Sprintf("[...document.querySelectorAll(%s)].find((e) => (e.ariaLabel ?? e.textContent).trim().startsWith(%s))", quote(selector), quote(text))
	for range clicks {
		p.wait(found)
		center := eval[[]float64](p, fmt.Sprintf(`(async () => {
			const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
			for (let last = ''; ; await drawn()) { // until it stays where it is
				const e = %s; e.scrollIntoView({block: 'center'});
				const r = e.getBoundingClientRect(), center = [r.x + r.width / 2, r.y + r.height / 2];
				if (center.join() !== last) { last = center.join(); continue; }
				window.missed = true;
				const target = e.closest('label') ?? e;
				window.guard?.abort();
				window.guard = new AbortController();
				for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
					addEventListener(type, (event) => {
						if (target.contains(event.target)) window.missed = false;
						if (!window.missed) return;
						event.preventDefault();
						event.stopImmediatePropagation();
					}, {capture: true, signal: window.guard.signal});
				}
				return center;
			} })()`, found))
		require.NoError(p.t, chromedp.Do(p.ctx, chromedp.MouseClickXY(center[0], center[1])))
		missed, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("window.missed === true"))
		if err != nil || !missed { // an error: the click led to another document
			return
		}
	}
	require.Fail(p.t, "the click does not reach it", "%s %q", selector, text)
}

// mouse sends an event of the left button, or of no button, at a point.
func (p *page) mouse(kind string, x, y float64) {
	p.t.Helper()
	call(p, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventType(kind), X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1})
}

// fill replaces the text of a field, key by key.
func (p *page) fill(selector, text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("document.querySelector(%s)", quote(selector)))
	eval[bool](p, fmt.Sprintf("(() => { const e = document.querySelector(%s); e.focus(); e.select(); return true; })()", quote(selector)))
	p.press(text)
}

// choose selects an option of the list that a JavaScript expression gives.
func (p *page) choose(list, option string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { const e = %s;
		Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(e, %s);
		return e.dispatchEvent(new Event('change', {bubbles: true})); })()`, list, quote(option)))
}

// press sends keys to what has the focus.
func (p *page) press(keys string, options ...chromedp.KeyOption) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.KeyEvent(keys, options...)))
}

// address returns the path and the query of the address bar, and its fragment.
func (p *page) address() string {
	p.t.Helper()
	return eval[string](p, "location.pathname + decodeURIComponent(location.search) + location.hash")
}

// picture writes what the window shows to the directory for screenshots, if there
// is one.
func (p *page) picture(name string) {
	p.t.Helper()
	directory := os.Getenv(screenshotsVariable)
	if directory == "" {
		return
	}
	image, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(filepath.Join(directory, name+".png"), image, 0o600))
}

// pictures takes a picture in each theme and at the widths of a tablet and of a
// phone. The page must not be wider than the window. axe takes most of the time, so it
// checks all rules in one look only, and the colours of the other theme on the phone.
func (p *page) pictures(name string) {
	p.t.Helper()
	for _, one := range []struct {
		name, theme   string
		width, height int64
		pictureOnly   bool
	}{
		{"light", "light", 1440, 900, false},
		{"dark", "dark", 1440, 900, true},
		{"tablet", "light", 820, 1180, false},
		{"phone", "light", 390, 844, true},
		{"phone-dark", "dark", 390, 844, false},
	} {
		if one.pictureOnly && os.Getenv(screenshotsVariable) == "" {
			continue
		}
		p.look(one.width, one.height, one.theme)
		assert.LessOrEqual(p.t, eval[int](p, "document.documentElement.scrollWidth"), int(one.width), "%s is wider than the window (%s)", name, one.name)
		p.picture(name + "-" + one.name)
		switch one.name {
		case "light":
			p.axe(name + " light")
		case "phone-dark":
			p.contrast(name + " phone-dark")
		}
	}
	p.look(1440, 900, "light")
}

// quote returns a JavaScript string literal.
func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}
