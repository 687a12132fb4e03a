package web_test

import (
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/web"
)

// ask sends a request to the handler. Headers alternate names and values.
func ask(t *testing.T, method, address string, headers ...string) *http.Response {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, address, nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	web.Handler("").ServeHTTP(recorder, request)
	return recorder.Result()
}

func bodyOf(t *testing.T, response *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

// assetOf returns the path of the dashboard's asset with a name prefix.
func assetOf(t *testing.T, begins string) string {
	t.Helper()
	html := bodyOf(t, ask(t, http.MethodGet, "/"))
	found := regexp.MustCompile(`/assets/` + begins + `[^"]*`).FindString(html)
	require.NotEmpty(t, found, "the dashboard does not load %s", begins)
	return found
}

func TestHandlerServesPages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		title string
		// allowed and forbidden are parts of the policy.
		allowed, forbidden string
	}{
		"/":                       {"<title>savedq</title>", "style-src 'self';", "unsafe"},
		"/usage?project=acme":     {"<title>savedq</title>", "script-src 'self';", "unsafe"},
		"/logs":                   {"<title>savedq</title>", "connect-src 'self';", "unsafe"},
		"/endpoints?name=a.b":     {"<title>savedq</title>", "frame-ancestors 'none'", "unsafe"},
		"/graphiql?query=%7Ba%7D": {"<title>GraphiQL · savedq</title>", "style-src 'self' 'unsafe-inline';", "unsafe-eval"},
	}
	for address, test := range tests {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			response := ask(t, http.MethodGet, address)
			body := bodyOf(t, response)
			assert.Equal(t, http.StatusOK, response.StatusCode)
			assert.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
			assert.Equal(t, "no-cache", response.Header.Get("Cache-Control"))
			policy := response.Header.Get("Content-Security-Policy")
			assert.True(t, strings.HasPrefix(policy, "default-src 'none'; "))
			assert.Contains(t, policy, test.allowed)
			assert.NotContains(t, policy, test.forbidden)
			assert.Contains(t, body, test.title)
			assert.NotRegexp(t, `<style|style="|<script>|onload=`, body, "the policy allows nothing inline")
			assert.NotContains(t, body, "http", "a page loads nothing from elsewhere")
		})
	}
}

func TestHandlerServesAssets(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ asset, mediaType, caching string }{
		"script":  {assetOf(t, `dashboard-[^"]*js`), "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		"style":   {assetOf(t, `dashboard-[^"]*css`), "text/css; charset=utf-8", "public, max-age=31536000, immutable"},
		"icon":    {assetOf(t, "icon-"), "image/svg+xml", "public, max-age=31536000, immutable"},
		"notices": {"/assets/licenses.md", "text/plain; charset=utf-8", "no-cache"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := ask(t, http.MethodGet, test.asset)
			assert.Equal(t, http.StatusOK, response.StatusCode)
			assert.Equal(t, test.mediaType, response.Header.Get("Content-Type"))
			assert.Equal(t, test.caching, response.Header.Get("Cache-Control"))
			assert.Equal(t, "default-src 'none'; frame-ancestors 'none'", response.Header.Get("Content-Security-Policy"))
			assert.NotEmpty(t, bodyOf(t, response))
		})
	}
}

func TestHandlerCodings(t *testing.T) {
	t.Parallel()
	asset := assetOf(t, "libraries-")
	plain := bodyOf(t, ask(t, http.MethodGet, asset))
	tests := map[string]struct {
		accept, coding string
		decode         func(io.Reader) (io.Reader, error)
	}{
		"none": {"", "", func(r io.Reader) (io.Reader, error) { return r, nil }},
		"gzip": {"gzip", "gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
		"zstd": {"zstd, gzip", "zstd", func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		}},
	}
	tags := make(map[string]string)
	for name, test := range tests {
		response := ask(t, http.MethodGet, asset, "Accept-Encoding", test.accept)
		assert.Equal(t, test.coding, response.Header.Get("Content-Encoding"), name)
		assert.Equal(t, "Accept-Encoding", response.Header.Get("Vary"), name)
		encoded := bodyOf(t, response)
		assert.EqualValues(t, len(encoded), response.ContentLength, name)
		decoder, err := test.decode(strings.NewReader(encoded))
		require.NoError(t, err, name)
		decoded, err := io.ReadAll(decoder)
		require.NoError(t, err, name)
		assert.Zero(t, strings.Compare(plain, string(decoded)), "%s is another file", name) // without both in the log
		assert.NotContains(t, tags, response.Header.Get("ETag"), "%s has the tag of other bytes", name)
		tags[response.Header.Get("ETag")] = name
	}
}

func TestHandlerNotModified(t *testing.T) {
	t.Parallel()
	first := ask(t, http.MethodGet, "/", "Accept-Encoding", "gzip")
	again := ask(t, http.MethodGet, "/", "Accept-Encoding", "gzip", "If-None-Match", first.Header.Get("ETag"))
	assert.Equal(t, http.StatusNotModified, again.StatusCode)
	assert.Empty(t, bodyOf(t, again))
	assert.Equal(t, first.Header.Get("ETag"), again.Header.Get("ETag"))
	assert.Equal(t, "no-cache", again.Header.Get("Cache-Control"))
	other := ask(t, http.MethodGet, "/", "Accept-Encoding", "gzip", "If-None-Match", `"other"`)
	assert.Equal(t, http.StatusOK, other.StatusCode)
}

func TestHandlerRejects(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, address string
		status          int
		allow           string
	}{
		"another method":     {http.MethodPost, "/", http.StatusMethodNotAllowed, "GET, HEAD"},
		"for an asset, too":  {http.MethodDelete, "/assets/licenses.md", http.StatusMethodNotAllowed, "GET, HEAD"},
		"no such asset":      {http.MethodGet, "/assets/dashboard-00000000.js", http.StatusNotFound, ""},
		"no list of assets":  {http.MethodGet, "/assets/", http.StatusNotFound, ""},
		"no way out":         {http.MethodGet, "/assets/../index.html", http.StatusNotFound, ""},
		"not under its name": {http.MethodGet, "/index.html", http.StatusNotFound, ""},
		"below a page":       {http.MethodGet, "/logs/x", http.StatusNotFound, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := ask(t, test.method, test.address)
			assert.Equal(t, test.status, response.StatusCode)
			assert.Equal(t, test.allow, response.Header.Get("Allow"))
		})
	}
}

func TestHandlerHEAD(t *testing.T) {
	t.Parallel()
	get, head := ask(t, http.MethodGet, "/graphiql"), ask(t, http.MethodHead, "/graphiql")
	assert.Equal(t, get.Header, head.Header)
	assert.Empty(t, bodyOf(t, head))
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, path := range web.Paths() {
		if path == "/assets/" {
			path += "licenses.md"
		}
		assert.Equal(t, http.StatusOK, ask(t, http.MethodGet, path).StatusCode, path)
	}
}

// mostFirstLoadBytes bounds the first load of each page of the dashboard,
// compressed by gzip.
const mostFirstLoadBytes = 110 << 10

func TestFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	index := bodyOf(t, ask(t, http.MethodGet, "/"))
	shared := map[string]int64{"/": ask(t, http.MethodGet, "/", "Accept-Encoding", "gzip").ContentLength}
	pages := map[string][]string{}
	assets := regexp.MustCompile(`(?:src|href)="/(assets/[^"]+)"`).FindAllStringSubmatch(index, -1)
	require.Greater(t, len(assets), 3, "scripts, styles and the icon")
	for _, asset := range assets {
		load(t, asset[1], shared, pages)
	}
	assert.Len(t, shared, len(assets)+1, "the page preloads what its scripts import: %v", shared)
	maps.DeleteFunc(pages, func(script string, _ []string) bool {
		// Only without a token, after the page, and at other paths.
		return slices.Contains([]string{"SignIn", "Keys", "NoExplore", "NotFoundPage"}, scriptName(script))
	})
	require.Len(t, pages, 7, "each page of the dashboard has a script of its own: %v", pages)
	// Chunks that are loaded when they are first shown, and not with the page.
	laterScripts := map[string][]string{
		"AlertsPage":    {"AlertForm", "AlertNotes", "CustomRange", "DeleteDialog", "FiredRows", "NothingInRange", "PointsChart", "SeriesTable", "Tooltip"},
		"EndpointsPage": {"AlertLink", "DayButton", "DownloadButtons", "EndpointFacts", "MistakesNotice", "NoEndpoint", "RunHistory", "RunResult", "rows"}, "FunctionsPage": {"CustomRange", "FunctionTable", "NothingInRange", "SeriesTable", "Tooltip"},
		"ExplorePage": {"Editor", "ParameterFields", "QueryList", "RunResult", "SaveDialog", "SaveEdit", "TablePreview", "rows"},
		"LogsPage":    {"LiveTail", "SearchLogs", "StoredLogs", "UnreadableRange"}, "UsagePage": {"CustomRange", "NothingInRange", "SeriesTable", "TokenUsage", "Tooltip"},
	}
	for page, assets := range pages {
		loaded, more := maps.Clone(shared), map[string][]string{}
		for _, asset := range assets {
			load(t, asset, loaded, more)
		}
		require.Contains(t, loaded, page)
		later := []string{}
		for script := range more {
			later = append(later, scriptName(script))
		}
		assert.ElementsMatch(t, laterScripts[scriptName(page)], later, "what %s loads later", page)
		total := int64(0)
		for _, bytes := range loaded {
			total += bytes
		}
		t.Logf("%6d bytes  %s", total, page)
		assert.LessOrEqual(t, total, int64(mostFirstLoadBytes), page)
	}
}

// scriptName returns the name of a script without its directory and its hash.
func scriptName(asset string) string {
	name, _, _ := strings.Cut(path.Base(asset), "-")
	return name
}

// load adds the compressed size of an asset and of all that it imports to loaded.
// It adds the scripts that are imported dynamically to pages, with the assets that
// each needs.
func load(t *testing.T, asset string, loaded map[string]int64, pages map[string][]string) {
	t.Helper()
	if _, ok := loaded[asset]; ok {
		return
	}
	response := ask(t, http.MethodGet, "/"+asset, "Accept-Encoding", "gzip")
	require.Equal(t, http.StatusOK, response.StatusCode, asset)
	loaded[asset] = response.ContentLength
	if path.Ext(asset) != ".js" {
		return
	}
	script := bodyOf(t, ask(t, http.MethodGet, "/"+asset))
	for _, imported := range regexp.MustCompile(`(?:from|import)"\./([^"]+)"`).FindAllStringSubmatch(script, -1) {
		load(t, "assets/"+imported[1], loaded, pages)
	}
	// Vite lists the assets that the scripts need, before all imports, and which of them each needs.
	needed := regexp.MustCompile(`"\./([^"]+)"`).FindAllStringSubmatch(script, -1)
	dynamic := regexp.MustCompile("import\\(`\\./([^`]+)`\\).*?__vite__mapDeps\\(\\[([\\d,]+)\\]\\)").FindAllStringSubmatch(script, -1)
	assert.Len(t, dynamic, strings.Count(script, "import("), "dynamic imports of %s", asset)
	for _, imported := range dynamic {
		for index := range strings.SplitSeq(imported[2], ",") {
			i, err := strconv.Atoi(index)
			require.NoError(t, err)
			pages["assets/"+imported[1]] = append(pages["assets/"+imported[1]], "assets/"+needed[i][1])
		}
	}
}
