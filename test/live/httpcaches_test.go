package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/web/webtest"
)

const (
	// shortLifetime is the caching time of the query that HTTP caches are tried with, and
	// shortAge the age at which they first see its response. A cache that counts the age
	// twice drops the response at once, and one that ignores it keeps it for shortAge
	// too long.
	shortLifetime = 4 * time.Second
	shortAge      = 2 * time.Second
	// shortPath and shortGraphQL ask for the query with the time of its run.
	shortPath    = "/api/endpoints/time.of-run?project=acme"
	shortGraphQL = "/graphql?query=%7BtimeOfRun(project:%22acme%22)%7Brun%7D%7D"
)

const shortYAML = `id: 6c8a0e0e-64f1-4b7e-8a2f-0a51c1c5a1f4
name: time.of-run
description: When the query ran.
max_rows: 1
cache: 4s
params:
  - name: project
    type: STRING
    required: true
    description: Project reference.
columns:
  - name: run
    type: TIMESTAMP
    description: When the query ran.
`

const shortSQL = `SELECT $now::TIMESTAMP AS run WHERE $project <> '';
`

// serveShort starts a server with the query, whose response is shortAge old.
func serveShort(t *testing.T, args ...string) *server {
	t.Helper()
	s := serve(t, append([]string{"--data", t.TempDir(), "--queries", writeQuery(t, shortYAML, shortSQL)}, args...)...)
	require.Eventually(t, func() bool {
		response := s.send(t, http.MethodGet, shortPath, nil)
		_ = body(t, response)
		assert.Equal(t, "private, max-age=4", response.Header.Get("Cache-Control"))
		age, err := strconv.Atoi(response.Header.Get("Age"))
		require.NoError(t, err)
		return age == int(shortAge/time.Second)
	}, time.Minute, 20*time.Millisecond)
	return s
}

// sight is a response as the caller of a cache sees it.
type sight struct {
	// Sent is when the request was sent, and Received when its response had come, in milliseconds since the epoch. The
	// cache has decided in between, which may be long on a busy machine.
	Sent     int64 `json:"sent"`
	Received int64 `json:"received"`
	// ID is the same where the cache has reused a response.
	ID string `json:"id"`
	// Run is when the query ran, in milliseconds since the epoch.
	Run int64 `json:"run"`
}

// ages are how long the query had run before the request, and before its response had come.
func (s sight) ages() (sent, received time.Duration) {
	run := time.UnixMilli(s.Run)
	return time.UnixMilli(s.Sent).Sub(run), time.UnixMilli(s.Received).Sub(run)
}

// runsSeen is how many runs a caller sees one after the other: the first when it is
// shortAge old, the second from its beginning to its end, and the third.
const runsSeen = 3

// assertLifetimes asserts that a cache has reused each response for its whole lifetime,
// and no longer (RFC 9111, section 4.2; D34). HTTP counts in whole seconds, so that
// either may be off by one; slack is for a server that is slow to run the query.
func assertLifetimes(t *testing.T, sights []sight) {
	t.Helper()
	const second, slack = time.Second, 500 * time.Millisecond
	runs, reused := make(map[int64]bool), 0
	for i, seen := range sights {
		runs[seen.Run] = true
		sent, received := seen.ages()
		assert.Less(t, sent, shortLifetime+second+slack, "it was reused for longer than its lifetime")
		if i == 0 || seen.Run != sights[i-1].Run {
			continue
		}
		if seen.ID == sights[i-1].ID {
			reused++
			continue
		}
		assert.Greater(t, received, shortLifetime-second-slack, "it was not reused for its whole lifetime")
	}
	assert.GreaterOrEqual(t, len(runs), runsSeen-1) // the other interface may have seen the last one first
	assert.Greater(t, reused, len(sights)/2)
}

// A response is reused by nginx, as the operator's guide configures its cache, for its
// whole lifetime and no longer.
func TestNginxReusesResponses(t *testing.T) {
	t.Parallel()
	needProxy(t, "nginx")
	p := startProxy(t, "nginx", cachingNginx(t), serveShort(t))
	sights, runs := make(map[string][]sight), make(map[int64]bool)
	require.Eventually(t, func() bool {
		for _, path := range []string{shortPath, shortGraphQL} {
			sent := time.Now()
			response, body, err := p.ask(t, http.MethodGet, path, "", nil)
			require.NoError(t, err)
			assert.Equal(t, "private", response.Header.Get("Cache-Control"))
			assert.Empty(t, response.Header.Get("Age"), "nginx does not advance it")
			received := time.Now()
			assertExpires(t, response, received)
			run := runIn(t, body)
			sights[path] = append(sights[path], sight{sent.UnixMilli(), received.UnixMilli(), response.Header.Get("X-Request-Id"), run})
			runs[run] = true
		}
		return len(runs) == runsSeen
	}, time.Minute, 20*time.Millisecond)
	for _, seen := range sights {
		assertLifetimes(t, seen)
	}
}

// runIn is when the query ran, in milliseconds since the epoch, as a body of either
// interface says.
func runIn(t *testing.T, body string) int64 {
	t.Helper()
	var response struct {
		Result []struct{ Run int64 }
		Data   struct {
			TimeOfRun []struct{ Run time.Time }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &response), body)
	if len(response.Result) > 0 {
		return time.UnixMicro(response.Result[0].Run).UnixMilli()
	}
	require.NotEmpty(t, response.Data.TimeOfRun, body)
	return response.Data.TimeOfRun[0].Run.UnixMilli()
}

// assertExpires asserts that a browser behind nginx, which goes by Expires, does not reuse
// a response for longer than is left of its lifetime.
func assertExpires(t *testing.T, response *http.Response, received time.Time) {
	t.Helper()
	expires, err := http.ParseTime(response.Header.Get("Expires"))
	require.NoError(t, err)
	assert.Less(t, expires.Sub(received), shortLifetime+time.Second)
}

// The same for Chromium, which has savedq's own headers.
func TestChromiumReusesResponses(t *testing.T) {
	t.Parallel()
	browser := webtest.Chromium(t)
	s := serveShort(t)
	require.NoError(t, chromedp.Do(browser, chromedp.Navigate(s.url+"/"))) // whose policy lets it fetch
	sights, err := chromedp.Run(browser, chromedp.Evaluate[[][]sight](fmt.Sprintf(`(async () => {
		const paths = [%q, %q], sights = [[], []], runs = new Set(), end = Date.now() + 60000;
		const runIn = ({ result, data }) => (result ? Math.floor(result[0].run / 1000) : Date.parse(data.timeOfRun[0].run));
		while (runs.size < %d && Date.now() < end) {
			for (const i of [0, 1]) {
				const sent = Date.now();
				const response = await fetch(paths[i], { headers: { 'X-API-KEY': %q } });
				const run = runIn(await response.json()), received = Date.now();
				sights[i].push({ sent, received, id: response.headers.get('X-Request-Id'), run });
				runs.add(run);
			}
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		return sights;
	})()`, shortPath, shortGraphQL, runsSeen, s.token), chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	for _, seen := range sights {
		assertLifetimes(t, seen)
	}
}

// A shared cache must not serve the responses of one token to another one, or without a
// token: RFC 9111 (section 3.5) protects Authorization, but not X-API-KEY.
func TestNginxKeepsTokensApart(t *testing.T) {
	t.Parallel()
	needProxy(t, "nginx")
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	secrets := make(map[string]string)
	var entries strings.Builder
	entries.WriteString("tokens:\n")
	for _, project := range []string{"acme", "globex"} {
		made := run(t, "token", "new", "--name", project, "--projects", project)
		require.Zero(t, made.status, made.stderr)
		_, entry, _ := strings.Cut(made.stdout, "\ntokens:\n")
		secrets[project] = regexp.MustCompile(`savedq_[\w-]{43}`).FindString(made.stdout)
		entries.WriteString(entry)
	}
	require.NoError(t, os.WriteFile(file, []byte(entries.String()), 0o600))
	documented := cachingNginx(t)
	for name, run := range map[string]proxyProgram{
		"as documented": documented,
		// private alone keeps nginx from storing anything.
		"without the documented directives": cachingNginxWithout(t, "proxy_ignore_headers"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "--data", t.TempDir(), "--tokens", file)
			p := startProxy(t, "nginx", run, s)
			stores := name == "as documented"
			const acme, graphQL = "/api/endpoints/usage.api-counts?project=acme&interval=daily", "/graphql?query={endpoints{name}}"
			as := func(header, value string) map[string]string {
				return map[string]string{"X-API-KEY": "", header: value, "Accept-Encoding": "identity"}
			}
			for i, step := range []struct {
				path   string
				header map[string]string
				status int
				// cached is how nginx came by the response.
				cached string
			}{
				{acme, as("X-API-KEY", secrets["acme"]), 200, "MISS"},
				{acme, as("X-API-KEY", secrets["acme"]), 200, "HIT"},
				{acme, as("X-API-KEY", secrets["globex"]), 403, "MISS"},
				{acme, as("X-API-KEY", secrets["globex"]), 403, "MISS"},
				{acme, as("X-API-KEY", ""), 401, "MISS"},
				{acme, as("X-API-KEY", "nonsense"), 401, "MISS"},
				{acme, as("Authorization", "Bearer "+secrets["globex"]), 403, "MISS"},
				{acme, as("Authorization", "Bearer "+secrets["acme"]), 200, "MISS"},
				{acme, as("Authorization", "Bearer "+secrets["acme"]), 200, "HIT"},
				{acme, as("LF-API-KEY", secrets["globex"]), 403, "MISS"},
				{acme, as("LF-API-KEY", secrets["acme"]), 200, "MISS"},
				{acme, as("LF-API-KEY", secrets["acme"]), 200, "HIT"},
				{acme, as("X-API-KEY", ""), 401, "MISS"},
				{acme, as("X-API-KEY", secrets["acme"]), 200, "HIT"},
				{graphQL, as("X-API-KEY", secrets["acme"]), 200, "MISS"},
				{graphQL, as("X-API-KEY", secrets["acme"]), 200, "MISS"},
			} {
				response, body, err := p.ask(t, http.MethodGet, step.path, "", step.header)
				require.NoError(t, err)
				assert.Equal(t, step.status, response.StatusCode, "%d: %s", i, body)
				cached := step.cached
				if !stores {
					cached = "MISS"
				}
				assert.Equal(t, cached, response.Header.Get("X-Proxy-Cache"), "%d", i)
				if step.status != http.StatusOK {
					assert.Equal(t, "no-store", response.Header.Get("Cache-Control"), "%d", i)
				}
			}
			if stores {
				assertNoSecrets(t, p.directory, secrets)
			}
		})
	}
}

// assertNoSecrets asserts that no file below a directory holds a token.
func assertNoSecrets(t *testing.T, directory string, secrets map[string]string) {
	t.Helper()
	stored := 0
	require.NoError(t, filepath.WalkDir(filepath.Join(directory, "cache"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		stored++
		text, err := os.ReadFile(path)
		for _, secret := range secrets {
			assert.NotContains(t, string(text), secret)
		}
		return err
	}))
	assert.Positive(t, stored)
}

// cachingNginx is nginx with the cache of the operator's guide.
func cachingNginx(t *testing.T) proxyProgram {
	t.Helper()
	return cachingNginxWithout(t)
}

// cachingNginxWithout leaves out the directives that begin with one of the texts.
func cachingNginxWithout(t *testing.T, directives ...string) proxyProgram {
	t.Helper()
	var guide string
	for _, block := range blocks(t, filepath.Join(root, "docs", "operate", "proxy.md")) {
		if block.language == "nginx" && strings.Contains(block.text, "proxy_cache_path") {
			guide = block.text
		}
	}
	global, local, found := strings.Cut(guide, "\n\n")
	require.True(t, found, "the operator's guide does not configure the cache")
	var kept []string
	for line := range strings.Lines(local) {
		left := false
		for _, directive := range directives {
			left = left || strings.HasPrefix(strings.TrimSpace(line), directive)
		}
		if !left {
			kept = append(kept, line)
		}
	}
	return proxyProgram{arguments: nginxArguments(), configure: func(documented, directory, address string) string {
		const location = "location / {\n"
		global := strings.ReplaceAll(global, "/var/cache/nginx/savedq", filepath.Join(directory, "cache"))
		documented = global + "\n" + strings.ReplaceAll(documented, location, location+strings.Join(kept, ""))
		return configureNginx(documented, directory, address)
	}}
}
