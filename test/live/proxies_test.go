package live_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With the configurations of the operator's guide, proxies forward requests and responses
// unchanged, except that the proxy sets the request id.
func TestProxies(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	s := serve(t, "--data", data)
	for program, run := range map[string]proxyProgram{
		"nginx": {arguments: nginxArguments(), configure: configureNginx},
		"caddy": {arguments: []string{"run", "--adapter", "caddyfile", "--config"}, configure: configureCaddy},
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			p := startProxy(t, program, run, s)
			p.bodies(t)
			p.batch(t)
			p.codings(t)
			id := p.identity(t)
			for _, log := range []func() string{s.stderr.String, p.log} {
				assert.Eventually(t, func() bool { return strings.Contains(log(), id) }, time.Minute, 10*time.Millisecond)
				assert.NotContains(t, log(), s.token)
			}
		})
	}
}

// With --base-path and the location of the operator's guide, nginx publishes the server under a path,
// and rewrites nothing.
func TestProxyUnderPath(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", filepath.Join(t.TempDir(), "data"), "--base-path", "/savedq")
	assert.Contains(t, s.banner, s.url+"/savedq/graphql\n")
	p := startProxy(t, "nginx", proxyProgram{arguments: nginxArguments(), configure: func(documented, directory, address string) string {
		guide, err := os.ReadFile(filepath.Join(root, "docs", "operate", "proxy.md"))
		require.NoError(t, err)
		require.Contains(t, string(guide), "`location /savedq/`")
		under := strings.Replace(documented, "location / {", "location = /readyz { proxy_pass http://savedq; }\nlocation /savedq/ {", 1)
		return configureNginx(under, directory, address)
	}}, s)
	for path, contains := range map[string]string{
		"/savedq/":                                    `src="/savedq/assets/`,
		"/savedq/logs":                                `src="/savedq/assets/`,
		"/savedq/graphql?query=%7B__typename%7D":      `{"data":{"__typename":"Query"}`,
		"/savedq/openapi.json":                        `"url":"/savedq"`,
		"/savedq/api/endpoints/logs.all?project=acme": `{"result":[`,
	} {
		response, body, err := p.ask(t, http.MethodGet, path, "", nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, response.StatusCode, path)
		assert.Contains(t, body, contains, path)
	}
	stats := exec.Command(binary, "store", "stats", "--url", s.url+"/savedq")
	stats.Env = append(os.Environ(), "SAVEDQ_TOKEN="+s.token)
	output, err := stats.CombinedOutput()
	require.NoError(t, err, string(output))
}

// bodies sends requests through the proxy, and expects the responses of the server.
func (p *proxied) bodies(t *testing.T) {
	t.Helper()
	const document = "{ endpoints { name } }"
	for name, test := range map[string]struct {
		method, path, body string
		header             map[string]string
		status             int
		contains           string
	}{
		"REST":                 {http.MethodGet, "/api/endpoints/logs.all?project=acme", "", nil, 200, `{"result":[{"id":`},
		"GraphQL":              {http.MethodPost, "/graphql", `{"query": "` + document + `"}`, nil, 200, `{"data":{"endpoints":[`},
		"GraphQL, the longest": {http.MethodGet, "/graphql?query=" + url.QueryEscape(document) + strings.Repeat("+", 64_000), "", nil, 200, `{"data":{"endpoints":[`},
		"GraphQL, too long":    {http.MethodPost, "/graphql", strings.Repeat(" ", 70_000), nil, 413, `"code":"INVALID_ARGUMENT"`},
		"a page":               {http.MethodGet, "/", "", nil, 200, "<!doctype html>"},
		"another token":        {http.MethodGet, "/api/endpoints/logs.all?project=acme", "", map[string]string{"X-API-KEY": "nonsense"}, 401, `"code":"UNAUTHENTICATED"`},
		"LF-API-KEY":           {http.MethodGet, "/api/endpoints/nosuch", "", map[string]string{"X-API-KEY": "", "LF-API-KEY": p.server.token}, 404, `"code":"NOT_FOUND"`},
		"Bearer":               {http.MethodGet, "/api/endpoints/nosuch", "", map[string]string{"X-API-KEY": "", "Authorization": "Bearer " + p.server.token}, 404, `"code":"NOT_FOUND"`},
		"another method":       {http.MethodDelete, "/api/endpoints/logs.all", "", nil, 405, `"code":"METHOD_NOT_ALLOWED"`},
	} {
		response, body, err := p.ask(t, test.method, test.path, test.body, test.header)
		require.NoError(t, err, name)
		assert.Equal(t, test.status, response.StatusCode, name)
		assert.Contains(t, body, test.contains, name)
		assert.Equal(t, 2, response.ProtoMajor, name)
	}
}

// batch sends log events of about 2 MB in one request, which is less than the server takes.
func (p *proxied) batch(t *testing.T) {
	t.Helper()
	event := `{"id":"%d","project":"acme","event_message":"` + strings.Repeat("m", 20_000) + `","metadata":{}}` + "\n"
	var batch strings.Builder
	for i := range 100 {
		_, _ = fmt.Fprintf(&batch, event, i)
	}
	response, body, err := p.ask(t, http.MethodPost, "/api/logs?source=auth_logs", batch.String(), map[string]string{"Content-Type": "application/x-ndjson"})
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, response.StatusCode, body)
}

// codings requests a response in each content coding. Each has its own strong entity tag.
func (p *proxied) codings(t *testing.T) {
	t.Helper()
	const path = "/api/endpoints/functions.invocation-stats?project=acme&interval=5min"
	tags := make(map[string]bool)
	for _, coding := range []string{"", "gzip", "zstd"} {
		header := map[string]string{"Accept-Encoding": coding}
		response, _, err := p.ask(t, http.MethodGet, path, "", header)
		require.NoError(t, err)
		assert.Equal(t, coding, response.Header.Get("Content-Encoding"))
		tag := response.Header.Get("ETag")
		assert.Regexp(t, `^"\w+(-`+coding+`)?"$`, tag)
		tags[tag] = true
		header["If-None-Match"] = tag
		response, _, err = p.ask(t, http.MethodGet, path, "", header)
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotModified, response.StatusCode, coding)
	}
	assert.Len(t, tags, 3)
}

// identity sends a request with an id of the caller, and returns the id that the proxy
// replaces it with.
func (p *proxied) identity(t *testing.T) (id string) {
	t.Helper()
	response, _, err := p.ask(t, http.MethodGet, "/api/endpoints/logs.all?project=acme", "", map[string]string{"X-Request-Id": "callers-own"})
	require.NoError(t, err)
	id = response.Header.Get("X-Request-Id")
	assert.Regexp(t, `^[0-9a-f-]{32,36}$`, id)
	return id
}
