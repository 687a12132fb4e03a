package auth_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// readCatalog returns the shipped saved queries, and others that use the scoped parameters
// in unusual ways.
func readCatalog(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	catalog, err := sharedCatalog()
	require.NoError(tb, err)
	return catalog
}

// sharedCatalog reads the catalog once. No test may change it.
var sharedCatalog = sync.OnceValues(func() (*catalog.Catalog, error) { //nolint:gochecknoglobals // It does not change.
	further := fstest.MapFS{}
	add := func(name, id, params string, used ...string) {
		further[name+"/query.yaml"] = &fstest.MapFile{Data: []byte(
			"id: 00000000-0000-4000-8000-0000000000" + id + "\nname: " + name + "\ndescription: A test.\ncache: 60s\n" + params +
				"columns:\n  - {name: x, type: STRING, description: Anything.}\n")}
		further[name+"/duckdb.sql"] = &fstest.MapFile{Data: []byte("SELECT concat('x'" + strings.Join(append([]string{""}, used...), ", $") + ") AS x")}
	}
	const project = "  - {name: project, scope: project, description: A project., type: "
	add("everybody", "01", "")
	add("optional", "02", "params:\n"+project+"STRING}\n", "project")
	add("default", "03", "params:\n"+project+"STRING, default: globex}\n", "project")
	add("fallback", "04", "params:\n"+project+"STRING, required: true, allowed: [globex, initech], fallback: globex}\n", "project")
	add("expression", "05", "params:\n"+project+"STRING, format: regex, default: '.*'}\n", "project")
	add("choice", "06", "params:\n"+project+"STRING, format: regex, required: true, allowed: ['a.c', '.*'], fallback: '.*'}\n", "project")
	add("number", "07", "params:\n"+project+"INT64, default: 8}\n", "project")
	add("tier", "08", "params:\n"+project+"STRING, required: true}\n  - {name: project_tier, scope: tier, type: STRING, allowed: [FREE, PRO, PAYG, ENTERPRISE], description: A tier.}\n", "project", "project_tier")
	add("best", "09", "params:\n  - {name: project_tier, scope: tier, type: STRING, description: A tier., allowed: [FREE, PRO, PAYG, ENTERPRISE], default: ENTERPRISE, fallback: PAYG}\n", "project_tier")
	add("renamed", "10", "params:\n  - {name: owner, scope: project, type: STRING, description: A project.}\n  - {name: plan, scope: tier, type: STRING, allowed: [PRO, PAYG, FREE], description: A tier.}\n", "owner", "plan")
	add("aliased", "12", "aliases: [Old.Name, 8F14E45F-ceea-467f-9b2d-1a2b3c4d5e6f]\nparams:\n"+project+"STRING}\n", "project")
	const projects = "  - {name: projects, scope: project, description: Projects., type: ARRAY<STRING>"
	add("several", "13", "params:\n"+projects+"}\n", "projects")
	add("several-required", "14", "params:\n"+projects+", required: true}\n", "projects")
	add("several-default", "15", "params:\n"+projects+", default: [globex]}\n", "projects")
	add("several-allowed", "16", "params:\n"+projects+", allowed: [acme, globex], fallback: globex}\n", "projects")
	add("undeclared", "11", "params:\n"+strings.Replace(project, "scope: project, ", "", 1)+"STRING}\n  - {name: project_tier, type: STRING, description: A tier.}\n", "project", "project_tier")
	return catalog.Read(duckdbsql.Dialect{}, catalog.Directory{FS: further, Path: "further"})
})

// fakeRunner records requests and caches responses.
type fakeRunner struct {
	requests []runner.Request
	cached   map[string]string
	// noCache is the argument of the last call of Encoded.
	noCache bool
}

func (f *fakeRunner) Run(_ context.Context, request runner.Request) (*runner.Response, error) {
	f.requests = append(f.requests, request)
	return &runner.Response{}, nil
}

func (f *fakeRunner) PutEncoded(_ context.Context, encoded *cache.Encoded, _ []*runner.Response) {
	f.cached[encoded.Key] = string(encoded.Body)
}

func (f *fakeRunner) Encoded(_ context.Context, key string, noCache bool) (*cache.Encoded, []*runner.Response) {
	f.noCache = noCache
	body, found := f.cached[key]
	if !found {
		return nil, nil
	}
	return &cache.Encoded{Body: []byte(body)}, nil
}

// params parses a query string without escapes, such as "a=1&a=2&b=3".
func params(query string) map[string][]string {
	raw := map[string][]string{}
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			raw[name] = append(raw[name], value)
		}
	}
	return raw
}

// The runner checks requests for each kind of saved query against the token's scope.
func TestRunnerEnforcesScopes(t *testing.T) {
	t.Parallel()
	const (
		notFound       = "there is no saved query with the name or id "
		deniedEndpoint = "the token does not allow this endpoint"
		deniedProject  = "project: the token does not allow this project"
		noProject      = "the token is limited to certain projects, and this endpoint has no parameter for the project"
		aboveFree      = "project_tier: the token allows no project tier above FREE"
		abovePayg      = "project_tier: the token allows no project tier above PAYG"
		required       = "project: is required; use one of 7, a(b, a.c, acme, which the token allows"
		ofHost         = `^[^:/?#]+://{value}(?:[.][^/?#@:\\]*)?(?::[0-9]*)?(?:[/?#]|$)`
		logsID         = "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32"
	)
	full := auth.FullAccess("full")
	logsOnly := auth.Token{Name: "logs", Endpoints: []string{"logs.all"}}
	projects := auth.Token{Name: "projects", Projects: []string{"acme", "a.c", "a(b", "7"}}
	free, payg := auth.Token{Name: "free", MaxTier: "FREE"}, auth.Token{Name: "payg", MaxTier: "PAYG"}
	all := auth.Token{Name: "all", Endpoints: []string{"logs.all", "tier"}, Projects: []string{"acme"}, MaxTier: "PRO"}
	tests := map[string]struct {
		token            auth.Token
		endpoint, params string
		// want is the error; empty if the request is passed on.
		want string
		// passed are the parameters that are passed on, if they differ.
		passed string
	}{
		"full access":                                 {full, "logs.all", "project=acme&project_tier=ENTERPRISE", "", ""},
		"full access, no such endpoint":               {full, "logs.none", "", notFound + `"logs.none"`, ""},
		"full access, a mistyped endpoint":            {full, "everybdy", "", notFound + `"everybdy"; did you mean "everybody"?`, ""},
		"full access, any project":                    {full, "usage.api-counts", "project=.*&interval=daily", "", ""},
		"an endpoint that is listed":                  {logsOnly, "logs.all", "project=acme", "", ""},
		"an endpoint that is listed, by id":           {logsOnly, logsID, "project=acme", "", ""},
		"an endpoint that is listed, by ID":           {logsOnly, strings.ToUpper(logsID), "project=acme", "", ""},
		"an endpoint that is not":                     {logsOnly, "usage.api-counts", "project=acme&interval=daily", deniedEndpoint, ""},
		"an endpoint that is not, by id":              {logsOnly, "7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21", "project=acme", deniedEndpoint, ""},
		"an endpoint that does not exist":             {logsOnly, "logs.none", "", deniedEndpoint, ""},
		"an endpoint in another case":                 {logsOnly, "Logs.all", "", deniedEndpoint, ""},
		"no endpoint":                                 {logsOnly, "", "", deniedEndpoint, ""},
		"no list of endpoints, no such endpoint":      {projects, "logs.none", "", notFound + `"logs.none"`, ""},
		"a mistyped endpoint":                         {projects, "logs.al", "", notFound + `"logs.al"; did you mean "logs.all"?`, ""},
		"a mistyped endpoint that is not visible":     {projects, "everybdy", "", notFound + `"everybdy"`, ""},
		"a mistyped endpoint that is not listed":      {logsOnly, "logs.al", "", deniedEndpoint, ""},
		"an empty list of endpoints":                  {auth.Token{Endpoints: []string{}}, "logs.all", "project=acme", deniedEndpoint, ""},
		"a project that is listed":                    {projects, "logs.all", "project=acme", "", ""},
		"a project that is not":                       {projects, "logs.all", "project=globex", deniedProject, ""},
		"a project in another case":                   {projects, "logs.all", "project=ACME", deniedProject, ""},
		"a project with a space":                      {projects, "logs.all", "project=acme ", deniedProject, ""},
		"part of a project":                           {projects, "logs.all", "project=acm", deniedProject, ""},
		"no project":                                  {projects, "logs.all", "", required, ""},
		"an empty project":                            {projects, "logs.all", "project=", required, ""},
		"two projects":                                {projects, "logs.all", "project=acme&project=acme", "project: is given 2 times; give it once", ""},
		"two projects, one not listed":                {projects, "logs.all", "project=acme&project=globex", "project: is given 2 times; give it once", ""},
		"a project that is not, and a broken time":    {projects, "logs.all", "project=globex&iso_timestamp_start=x", deniedProject, ""},
		"an empty list of projects":                   {auth.Token{Projects: []string{}}, "logs.all", "project=acme", deniedProject, ""},
		"an expression of letters":                    {projects, "usage.api-counts", "project=acme&interval=daily", "", "project=" + strings.Replace(ofHost, "{value}", `acme`, 1) + "&interval=daily"},
		"an expression that is matched literally":     {projects, "usage.api-counts", "project=a.c&interval=daily", "", "project=" + strings.Replace(ofHost, "{value}", `a\.c`, 1) + "&interval=daily"},
		"an expression that would not compile":        {projects, "usage.api-counts", "project=a(b&interval=daily", "", "project=" + strings.Replace(ofHost, "{value}", `a\(b`, 1) + "&interval=daily"},
		"an expression that matches a listed project": {projects, "usage.api-counts", "project=acm.&interval=daily", deniedProject, ""},
		"an expression that matches all":              {projects, "usage.api-counts", "project=.*&interval=daily", deniedProject, ""},
		"an expression that is quoted already":        {projects, "usage.api-counts", `project=a\.c&interval=daily`, deniedProject, ""},
		"two expressions":                             {projects, "usage.api-counts", `project=acme|globex&interval=daily`, deniedProject, ""},
		"an expression and no interval":               {projects, "usage.api-counts", `project=acme`, "interval: is required; use one of minutely, hourly, daily", ""},
		"no project parameter":                        {projects, "everybody", "project=acme", noProject, ""},
		"an optional project":                         {projects, "optional", "project=acme", "", ""},
		"an optional project left out":                {projects, "optional", "", required, ""},
		"the only project left out":                   {auth.Token{Projects: []string{"acme"}}, "logs.all", "", "", "project=acme"},
		"the only project empty":                      {auth.Token{Projects: []string{"acme"}}, "logs.all", "project=", "", "project=acme"},
		"the only project left out, an expression":    {auth.Token{Projects: []string{"a.c"}}, "expression", "", "", `project=^a\.c$`},
		"the only project instead of a default":       {auth.Token{Projects: []string{"acme"}}, "default", "", "", "project=acme"},
		"a default project":                           {projects, "default", "", deniedProject, ""},
		"a default project, another given":            {projects, "default", "project=acme", "", ""},
		"a default project that is listed":            {auth.Token{Projects: []string{"globex", "acme"}}, "default", "", "", ""},
		"a fallback project":                          {projects, "fallback", "project=acme", deniedProject, ""},
		"a fallback project that is listed":           {auth.Token{Projects: []string{"x", "globex"}}, "fallback", "project=x", "", ""},
		"a default expression":                        {projects, "expression", "", deniedProject, ""},
		"a default expression, another given":         {projects, "expression", "project=acme", "", "project=^acme$"},
		"a default expression named like a project":   {auth.Token{Projects: []string{".*", "x"}}, "expression", "", deniedProject, ""},
		"a fallback expression":                       {projects, "choice", "project=a.c", deniedProject, ""},
		"a project that is a number":                  {projects, "number", "project=7", "", ""},
		"a number spelled otherwise":                  {projects, "number", "project=07", "", ""},
		"a default number":                            {projects, "number", "", deniedProject, ""},
		"a project named <nil>":                       {auth.Token{Projects: []string{"<nil>"}}, "optional", "", "", "project=<nil>"},
		"the default tier":                            {free, "logs.all", "project=acme", "", ""},
		"the highest tier":                            {free, "logs.all", "project=acme&project_tier=FREE", "", ""},
		"an empty tier":                               {free, "logs.all", "project=acme&project_tier=", "", ""},
		"an unknown tier":                             {free, "logs.all", "project=acme&project_tier=GOLD", "", ""},
		"a tier in lower case":                        {free, "logs.all", "project=acme&project_tier=pro", "", ""},
		"a tier above":                                {free, "logs.all", "project=acme&project_tier=PRO", aboveFree, ""},
		"two tiers":                                   {free, "logs.all", "project=acme&project_tier=FREE&project_tier=PRO", "project_tier: is given 2 times; give it once", ""},
		"a tier and no project":                       {free, "logs.all", "project_tier=PRO", "project: is required and must not be empty", ""},
		"a tier below":                                {payg, "logs.all", "project=acme&project_tier=PRO", "", ""},
		"the tier":                                    {payg, "logs.all", "project=acme&project_tier=PAYG", "", ""},
		"a tier with the same retention":              {payg, "logs.all", "project=acme&project_tier=ENTERPRISE", abovePayg, ""},
		"no tier parameter":                           {free, "everybody", "project_tier=ENTERPRISE", "", ""},
		"a tier without default":                      {free, "tier", "project=acme&project_tier=FREE", "", ""},
		"a tier without default, left out":            {free, "tier", "project=acme", aboveFree, ""},
		"a tier of another order":                     {payg, "renamed", "owner=acme&plan=FREE", "plan: the token allows no project tier above PAYG", ""},
		"a tier of another order, below":              {payg, "renamed", "owner=acme&plan=PRO", "", ""},
		"a tier that is not declared":                 {free, "undeclared", "project=acme&project_tier=PRO", "", ""},
		"a project by another name":                   {projects, "renamed", "owner=acme", "", ""},
		"another project by another name":             {projects, "renamed", "owner=globex", "owner: the token does not allow this project", ""},
		"a project that is not declared":              {projects, "undeclared", "project=acme", noProject, ""},
		"a default tier above":                        {free, "best", "", aboveFree, ""},
		"a default tier above, a lower one given":     {free, "best", "project_tier=FREE", "", ""},
		"a fallback tier above":                       {free, "best", "project_tier=x", aboveFree, ""},
		"a fallback tier that is the highest":         {payg, "best", "project_tier=x", "", ""},
		"an unknown highest tier":                     {auth.Token{MaxTier: "GOLD"}, "logs.all", "project=acme", "project_tier: the token allows no project tier above GOLD", ""},
		"within all limits":                           {all, "logs.all", "project=acme&project_tier=PRO", "", ""},
		"all limits, another endpoint":                {all, "usage.api-counts", "project=acme&interval=daily", deniedEndpoint, ""},
		"all limits, another project":                 {all, "logs.all", "project=globex&project_tier=PRO", deniedProject, ""},
		"all limits, another tier":                    {all, "logs.all", "project=acme&project_tier=PAYG", "project_tier: the token allows no project tier above PRO", ""},
	}
	catalog := readCatalog(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			next := &fakeRunner{}
			queryRunner := newScoped(next, catalog, newLogger(&log))
			raw := params(test.params)
			before := maps.Clone(raw)
			response, err := queryRunner.Run(auth.WithToken(t.Context(), test.token), runner.Request{Query: named(test.endpoint), Params: raw})
			assert.Equal(t, before, raw, "the caller's parameters must not be changed")
			if test.passed == "" {
				test.passed = test.params
			}
			found, _ := catalog.Find(test.endpoint)
			passed := []runner.Request{{Query: found, Params: params(test.passed)}}
			if test.want == "" {
				require.NoError(t, err)
				assert.NotNil(t, response)
				assert.Equal(t, passed, withoutArgs(next.requests))
				assert.Empty(t, log.String())
				return
			}
			require.EqualError(t, err, test.want)
			assert.Nil(t, response)
			assert.Empty(t, next.requests, "denied requests are not passed on")
			denied := strings.Contains(test.want, "the token ") && test.want != required
			code := sqlq.InvalidArgument
			switch {
			case denied:
				code = sqlq.PermissionDenied
			case strings.HasPrefix(test.want, notFound):
				code = sqlq.NotFound
			}
			assert.Equal(t, code, sqlq.AsError(err).Code)
			assert.Equal(t, denied, log.Len() > 0, "only denied requests are logged")
		})
	}
}

// withoutArgs returns requests without the arguments that they were bound to.
func withoutArgs(requests []runner.Request) []runner.Request {
	all := make([]runner.Request, len(requests))
	for i, request := range requests {
		all[i] = runner.Request{Query: request.Query, Params: request.Params, Faults: request.Faults, NoCache: request.NoCache}
	}
	return all
}

// A context without a token is a programming error, and nothing is allowed.
func TestRunnerDeniesWithoutToken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	next := &fakeRunner{cached: map[string]string{"\nkey": "full", "key": "raw"}}
	queryRunner := newScoped(next, readCatalog(t), newLogger(&log))
	_, err := queryRunner.Run(t.Context(), runner.Request{Query: named("everybody")})
	assert.Equal(t, sqlq.Unauthenticated, sqlq.AsError(err).Code)
	assert.Empty(t, next.requests)
	assert.JSONEq(t, `{"level":"WARN","msg":"request denied","code":"UNAUTHENTICATED","endpoint":"everybody",
		"reason":"a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>"}`, log.String())
	assert.Empty(t, queryRunner.Queries(t.Context()))
	encoded, responses := queryRunner.Encoded(t.Context(), "key", false)
	assert.Nil(t, encoded)
	assert.Nil(t, responses)
	queryRunner.PutEncoded(t.Context(), &cache.Encoded{Key: "new"}, nil)
	assert.Len(t, next.cached, 2)
}

// The audit line of a denied request names the token, the endpoint and the client.
func TestRunnerLogsDeniedRequests(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	queryRunner := newScoped(&fakeRunner{}, readCatalog(t), newLogger(&log))
	handler := logged(auth.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := queryRunner.Run(r.Context(), runner.Request{Query: named("logs.all"), Params: params("project=globex")})
		assert.Equal(t, sqlq.PermissionDenied, sqlq.AsError(err).Code)
	}), auth.HandlerConfig{
		Keyring: newKeyring(t, credential("one", auth.Token{Name: "grafana", Projects: []string{"acme"}})),
		Clock:   noon, Logger: newLogger(&log), WriteError: writeError,
	}), slog.New(slog.DiscardHandler))
	request := httptest.NewRequest(http.MethodPost, "/graphql?secret=one", nil)
	request.Header.Set("Authorization", "Bearer one")
	handler.ServeHTTP(httptest.NewRecorder(), request)
	assert.JSONEq(t, `{"level":"WARN","msg":"request denied","code":"PERMISSION_DENIED","reason":"project: the token does not allow this project",
		"token":"grafana","method":"POST","path":"/graphql","remote":"192.0.2.1:1234","endpoint":"logs.all"}`, log.String())
	assert.Equal(t, 1, strings.Count(log.String(), `"token"`))
}

// The runner ignores no-cache for tokens without the refresh right.
func TestRunnerHonoursNoCacheWithRefresh(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ refresh, noCache, want bool }{{true, true, true}, {true, false, false}, {false, true, false}, {false, false, false}} {
		for _, token := range []auth.Token{{Refresh: test.refresh}, {Refresh: test.refresh, Projects: []string{"acme"}}} {
			next := &fakeRunner{}
			ctx, queryRunner := auth.WithToken(t.Context(), token), newScoped(next, readCatalog(t), newLogger(&bytes.Buffer{}))
			_, err := queryRunner.Run(ctx, runner.Request{Query: named("logs.all"), Params: params("project=acme"), NoCache: test.noCache})
			require.NoError(t, err)
			assert.Equal(t, test.want, next.requests[0].NoCache, "%+v", test)
			queryRunner.Encoded(ctx, "key", test.noCache)
			assert.Equal(t, test.want, next.noCache, "%+v", test)
		}
	}
}

func TestRunnerListsAllowedQueries(t *testing.T) {
	t.Parallel()
	queryRunner := newScoped(&fakeRunner{}, readCatalog(t), newLogger(&bytes.Buffer{}))
	visible := func(token auth.Token) []string {
		var names []string
		for _, query := range queryRunner.Queries(auth.WithToken(t.Context(), token)) {
			names = append(names, query.Name)
		}
		return names
	}
	all := visible(auth.FullAccess("full"))
	assert.Len(t, all, 24)
	assert.True(t, slices.IsSorted(all))
	assert.Equal(t, []string{"logs.all", "tier"}, visible(auth.Token{Endpoints: []string{"tier", "logs.all", "gone"}}))
	assert.Equal(t, all, visible(auth.Token{MaxTier: "FREE"}))
	assert.Equal(t, []string{"best", "everybody", "undeclared"}, without(all, visible(auth.Token{Projects: []string{"acme"}})),
		"they have no scoped parameter, so every request for them is denied")
	assert.Empty(t, visible(auth.Token{Endpoints: []string{}}))
}

// without returns the items of all that are not in others.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(others, one) })
}

// Responses are cached under the scope of the token. The test spells the keys out.
func TestRunnerCachesByScope(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		token auth.Token
		key   string
	}{
		"full access":           {auth.FullAccess("a"), " sandbox\nkey"},
		"no limit of scope":     {auth.Token{Name: "b", Rate: 1, Expires: noon()}, "\nkey"},
		"endpoints and sandbox": {auth.Token{Endpoints: []string{"a"}, Sandbox: true}, "endpoints [\"a\"] projects all tier \"\" sandbox\nkey"},
		"endpoints":             {auth.Token{Endpoints: []string{"b", "a"}}, "endpoints [\"a\" \"b\"] projects all tier \"\"\nkey"},
		"endpoints, equal":      {auth.Token{Endpoints: []string{"a", "b", "a"}, Ingest: true, Refresh: true}, "endpoints [\"a\" \"b\"] projects all tier \"\"\nkey"},
		"no endpoint":           {auth.Token{Endpoints: []string{}}, "endpoints [] projects all tier \"\"\nkey"},
		"projects":              {auth.Token{Projects: []string{"acme"}}, "endpoints all projects [\"acme\"] tier \"\"\nkey"},
		"a project named all":   {auth.Token{Projects: []string{"all"}}, "endpoints all projects [\"all\"] tier \"\"\nkey"},
		"a project with quotes": {auth.Token{Projects: []string{"a\" \"b\n"}}, "endpoints all projects [\"a\\\" \\\"b\\n\"] tier \"\"\nkey"},
		"a tier":                {auth.Token{MaxTier: "PRO"}, "endpoints all projects all tier \"PRO\"\nkey"},
		"everything":            {auth.Token{Endpoints: []string{"a"}, Projects: []string{"p"}, MaxTier: "FREE"}, "endpoints [\"a\"] projects [\"p\"] tier \"FREE\"\nkey"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := &fakeRunner{cached: map[string]string{}}
			queryRunner := newScoped(next, nil, newLogger(&bytes.Buffer{}))
			ctx := auth.WithToken(t.Context(), test.token)
			queryRunner.PutEncoded(ctx, &cache.Encoded{Key: "key", Body: []byte("value")}, nil)
			assert.Equal(t, map[string]string{test.key: "value"}, next.cached)
			encoded, _ := queryRunner.Encoded(ctx, "key", false)
			assert.Equal(t, "value", string(encoded.Body))
			encoded, _ = queryRunner.Encoded(auth.WithToken(t.Context(), auth.Token{Projects: []string{"other"}}), "key", false)
			assert.Nil(t, encoded)
		})
	}
}

// A token's endpoints can be names, ids or aliases, and each allows the saved query under
// all of them.
func TestEndpointsOfATokenCanBeAliases(t *testing.T) {
	t.Parallel()
	spellings := []string{
		"aliased", "00000000-0000-4000-8000-000000000012", "Old.Name",
		"8f14e45f-ceea-467f-9b2d-1a2b3c4d5e6f", "8F14E45F-CEEA-467F-9B2D-1A2B3C4D5E6F",
	}
	for _, allowed := range spellings {
		scoped := newScoped(&fakeRunner{}, readCatalog(t), slog.New(slog.DiscardHandler))
		ctx := auth.WithToken(t.Context(), auth.Token{Name: "limited", Endpoints: []string{allowed}})
		for _, endpoint := range spellings {
			_, err := scoped.Run(ctx, runner.Request{Query: named(endpoint)})
			require.NoError(t, err, "%s for a token of %s", endpoint, allowed)
		}
		_, err := scoped.Run(ctx, runner.Request{Query: named("everybody")})
		assert.Equal(t, sqlq.PermissionDenied, sqlq.AsError(err).Code)
		visible := scoped.Queries(ctx)
		require.Len(t, visible, 1)
		assert.Equal(t, "aliased", visible[0].Name)
	}
}

// A tokens file can name endpoints by name, id and alias.
func TestTokensFileNamesAliases(t *testing.T) {
	t.Parallel()
	known := auth.KnownOf(readCatalog(t).Queries())
	file := func(endpoint string) []byte {
		return []byte("tokens:\n- {name: a, sha256: " + hash("one") + ", endpoints: [" + endpoint + "]}\n")
	}
	for _, endpoint := range []string{"aliased", "Old.Name", "8F14E45F-ceea-467f-9b2d-1a2b3c4d5e6f", "C4D5E6F7-1a2b-4c3d-8e9f-0a1b2c3d4e32"} {
		_, err := auth.ReadTokens("tokens.yaml", file(endpoint), known)
		require.NoError(t, err, endpoint)
	}
	_, err := auth.ReadTokens("tokens.yaml", file("old.name"), known)
	require.ErrorContains(t, err, `endpoint "old.name" is unknown; the endpoints are aliased, `)
}

// A token that is limited to projects limits an array of projects: an absent or empty one
// becomes the token's projects, so that it never means all projects, and each value must be
// one of them.
func TestArraysOfProjectsAreLimited(t *testing.T) {
	t.Parallel()
	limited := auth.Token{Name: "limited", Projects: []string{"initech", "acme"}}
	all := []string{"acme", "initech"}
	const denied = "projects: the token does not allow this project"
	tests := map[string]struct {
		token    auth.Token
		endpoint string
		given    []string
		want     []string
		err      string
	}{
		"absent":                              {limited, "several", nil, all, ""},
		"empty":                               {limited, "several", []string{""}, all, ""},
		"an empty list":                       {limited, "several", []string{}, all, ""},
		"one":                                 {limited, "several", []string{"acme"}, []string{"acme"}, ""},
		"all":                                 {limited, "several", []string{"initech", "acme", "acme"}, []string{"initech", "acme", "acme"}, ""},
		"another":                             {limited, "several", []string{"globex"}, nil, denied},
		"one and another":                     {limited, "several", []string{"acme", "globex"}, nil, denied},
		"another letter case":                 {limited, "several", []string{"ACME"}, nil, denied},
		"one and an empty one":                {limited, "several", []string{"acme", ""}, nil, "projects: has an empty value at position 2"},
		"required, absent":                    {limited, "several-required", nil, all, ""},
		"required, an empty list":             {limited, "several-required", []string{}, all, ""},
		"required":                            {limited, "several-required", []string{"acme"}, []string{"acme"}, ""},
		"absent instead of a default":         {limited, "several-default", nil, all, ""},
		"an empty list instead of a default":  {limited, "several-default", []string{}, all, ""},
		"a value instead of a default":        {limited, "several-default", []string{"acme"}, []string{"acme"}, ""},
		"a fallback that is denied":           {limited, "several-allowed", []string{"initech"}, nil, denied},
		"a fallback for a project of its own": {limited, "several-allowed", nil, nil, denied},
		"a token without any project":         {auth.Token{Name: "none", Projects: []string{}}, "several", nil, nil, denied},
		"a token without a limit":             {auth.FullAccess("full"), "several", nil, nil, ""},
		"a token without a limit, one":        {auth.FullAccess("full"), "several", []string{"globex"}, []string{"globex"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := &fakeRunner{}
			given := map[string][]string{"other": {"x"}}
			if test.given != nil {
				given["projects"] = test.given
			}
			before := maps.Clone(given)
			_, err := newScoped(next, readCatalog(t), newLogger(&bytes.Buffer{})).Run(auth.WithToken(t.Context(), test.token), runner.Request{Query: named(test.endpoint), Params: given})
			assert.Equal(t, before, given, "the parameters of the caller must not change")
			if test.err != "" {
				require.EqualError(t, err, test.err)
				assert.Empty(t, next.requests)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, next.requests[0].Params["projects"])
		})
	}
}

// projects.list never shows a limited token the projects of others, whichever way it asks.
func TestLimitedTokensListTheirProjects(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 10, 11, 0, 0, 0, time.UTC)
	logs := sqlqtest.Logs{"edge_logs": {
		{ID: "a", Timestamp: at, Project: new("acme")}, {ID: "b", Timestamp: at, Project: new("globex")}, {ID: "c", Timestamp: at, Project: new("initech")},
	}}
	inner := runner.New(sqlqtest.Config(readCatalog(t), sqlqtest.ReferenceEngine(logs), func() time.Time { return at.Add(time.Hour) }))
	scoped := newScoped(inner, readCatalog(t), newLogger(&bytes.Buffer{}))
	seen := func(token auth.Token, projects ...string) string {
		params := map[string][]string{}
		if projects != nil {
			params["projects"] = projects
		}
		response, err := scoped.Run(auth.WithToken(t.Context(), token), runner.Request{Query: named("projects.list"), Params: params})
		if err != nil {
			return string(sqlq.AsError(err).Code)
		}
		var names []string
		for _, row := range response.Result.Rows {
			names = append(names, row[0].(string))
		}
		return strings.Join(names, " ")
	}
	full, limited := auth.FullAccess("full"), auth.Token{Name: "limited", Projects: []string{"acme", "nobody"}}
	assert.Equal(t, "acme globex initech", seen(full))
	assert.Equal(t, "acme", seen(limited), "after the other token's response was cached")
	assert.Equal(t, "acme", seen(limited, ""))
	assert.Equal(t, "acme", seen(limited, []string{}...))
	assert.Equal(t, "PERMISSION_DENIED", seen(limited, "globex"))
	assert.Equal(t, "acme globex initech", seen(full))
}
