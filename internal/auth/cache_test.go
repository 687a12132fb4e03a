package auth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/auth"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/catalog"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
)

// fixtureProjects are the projects that the engine of these tests has rows for. Some are
// also regular expressions that match others.
func fixtureProjects() []string { return []string{"acme", "globex", "a.me", "acme|globex", ".*"} }

// newFixtureEngine returns an engine whose rows name their saved query, project and tier,
// so that a row that reaches the wrong token is detected.
func newFixtureEngine() *sqlqtest.FakeEngine {
	return &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		result := &sqlq.Result{Columns: []sqlq.Column{{Name: "query", Type: sqlq.String}, {Name: "project", Type: sqlq.String}, {Name: "tier", Type: sqlq.String}}}
		values := map[string]any{"project": nil, "project_tier": nil}
		param := &sqlq.Param{}
		for i, arg := range statement.Args {
			values[arg.Name] = arg.Value
			if arg.Name == "project" {
				param = &statement.Query.Params[i]
			}
		}
		for _, project := range fixtureProjects() {
			if matches(param, values["project"], project) {
				result.Rows = append(result.Rows, []any{statement.Query.Name, project, fmt.Sprint(values["project_tier"])})
			}
		}
		return result, nil
	}}
}

// matches reports whether a project has rows for the value of a parameter. NULL matches
// all projects. The expression of usage.api-counts is searched for in a URL, and any other one
// matches whole projects.
func matches(param *sqlq.Param, value any, project string) bool {
	pattern, isText := value.(string)
	switch {
	case isText && param.BoundPattern != "":
		return regexp.MustCompile(pattern).MatchString("https://" + project + ".example.com/")
	case isText && param.Regex:
		return regexp.MustCompile(`\A(?:` + pattern + `)\z`).MatchString(project)
	}
	return value == nil || value == project
}

// testRequest is a request for a saved query.
type testRequest struct {
	query    string // its name
	endpoint string // its name or id, as requested
	project  []string
	tier     []string
	noCache  bool
}

func (q testRequest) request() runner.Request {
	request := runner.Request{Query: named(q.endpoint), Params: map[string][]string{"interval": {"daily"}}, NoCache: q.noCache}
	if q.project != nil {
		request.Params["project"] = q.project
	}
	if q.tier != nil {
		request.Params["project_tier"] = q.tier
	}
	return request
}

// mayRun reports whether a token allows a request, without checking whether the request is
// valid: both the value in the request and the one that the query runs with are within the
// scope.
func mayRun(catalog *catalog.Catalog, token auth.Token, q testRequest) bool {
	if token.Endpoints != nil && !slices.Contains(token.Endpoints, q.query) {
		return false
	}
	query, found := catalog.Find(q.query)
	if !found {
		return true
	}
	if token.Projects != nil {
		param, project := paramOf(query, "project", literal(query, token, q).project)
		if len(q.project) == 1 && q.project[0] != "" && !slices.Contains(token.Projects, q.project[0]) {
			return false
		}
		allowed := slices.Clone(token.Projects)
		for i := range allowed {
			if param != nil && param.Regex {
				allowed[i] = param.Literal(allowed[i])
			}
		}
		if param == nil || !slices.Contains(allowed, project) {
			return false
		}
	}
	if param, tier := paramOf(query, "project_tier", q.tier); param != nil && token.MaxTier != "" {
		order := []string{"FREE", "PRO", "PAYG", "ENTERPRISE"}
		index := slices.Index(order, tier)
		return index >= 0 && index <= slices.Index(order, token.MaxTier)
	}
	return true
}

// paramOf returns a parameter, or nil if there is none, and the value that the query runs
// with.
func paramOf(query *sqlq.SavedQuery, name string, values []string) (*sqlq.Param, string) {
	index := slices.IndexFunc(query.Params, func(param sqlq.Param) bool { return param.Name == name })
	if index < 0 {
		return nil, ""
	}
	param, value := &query.Params[index], ""
	switch {
	case len(values) == 1 && values[0] != "":
		value = values[0]
	case param.Default != nil:
		value = param.Default[0]
	}
	if len(param.Allowed) > 0 && !slices.Contains(param.Allowed, value) && param.Fallback != nil {
		value = *param.Fallback
	}
	return param, value
}

// literal returns the request with its project as a limited token sends it: the only one of
// the token if it is absent, and an expression that matches it literally if the saved query
// takes an expression.
func literal(query *sqlq.SavedQuery, token auth.Token, q testRequest) testRequest {
	param, _ := paramOf(query, "project", nil)
	if param == nil || token.Projects == nil {
		return q
	}
	if absent(q.project) && len(token.Projects) == 1 {
		q.project = token.Projects
	}
	if param.Regex && len(q.project) == 1 && q.project[0] != "" {
		q.project = []string{param.Literal(q.project[0])}
	}
	return q
}

func absent(values []string) bool { return len(values) == 0 || len(values) == 1 && values[0] == "" }

// mustChoose reports whether a request must name one of the projects of its token.
func mustChoose(catalog *catalog.Catalog, token auth.Token, q testRequest) bool {
	query, found := catalog.Find(q.query)
	if !found || len(token.Projects) < 2 || !absent(q.project) {
		return false
	}
	param, _ := paramOf(query, "project", nil)
	return param != nil && param.Default == nil
}

// expected returns the rows that a token must receive, computed by a runner without scopes
// and without a cache.
func expected(ctx context.Context, reference *runner.Runner, token auth.Token, q testRequest) ([][]any, error) {
	query, err := reference.Find(ctx, q.endpoint)
	if err != nil {
		return nil, err
	}
	request := literal(query, token, q).request()
	request.Query = query
	response, err := reference.Run(ctx, request)
	if err != nil {
		return nil, err
	}
	return response.Result.Rows, nil
}

// runREST runs a request as REST does. source is the cache status or the error code.
func runREST(ctx context.Context, queryRunner finding, q testRequest) (rows [][]any, source string, err error) {
	response, err := queryRunner.Run(ctx, q.request())
	if err != nil {
		return nil, string(sqlq.AsError(err).Code), err
	}
	return response.Result.Rows, string(response.Cache), nil
}

// runGraphQL runs a request as GraphQL does: it caches whole responses, under keys that
// contain only the request.
func runGraphQL(ctx context.Context, queryRunner finding, q testRequest) (rows [][]any, source string, err error) {
	key := fmt.Sprintf("%q", []any{q.endpoint, q.project, q.tier})
	if encoded, _ := queryRunner.Encoded(ctx, key, false); encoded != nil {
		err := json.Unmarshal(encoded.Body, &rows)
		return rows, "CACHED RESPONSE", err
	}
	response, err := queryRunner.Run(ctx, q.request())
	if err != nil {
		return nil, string(sqlq.AsError(err).Code), err
	}
	body, err := json.Marshal(response.Result.Rows)
	if err != nil {
		return nil, "", err
	}
	queryRunner.PutEncoded(ctx, &cache.Encoded{Key: key, Body: body}, []*runner.Response{response})
	return response.Result.Rows, string(response.Cache), nil
}

// D17: tokens of all scopes send the same requests in any order, over one cache. Each
// receives what it would receive alone, and no row of a project beyond its scope.
func TestCacheSeparatesScopes(t *testing.T) {
	t.Parallel()
	catalog := readCatalog(t)
	counts := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		now := noon()
		clock := func() time.Time { return now }
		config := sqlqtest.Config(catalog, newFixtureEngine(), clock)
		queryRunner := newScoped(runner.New(config), catalog, slog.New(slog.DiscardHandler))
		config.CacheBytes, config.StaleIfError = 0, 0
		reference := runner.New(config)
		tokens := rapid.SliceOfN(rapid.Custom(scopedToken), 2, 5).Draw(rt, "tokens")
		requests := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) testRequest { return randomRequest(rt, catalog) }), 1, 4).Draw(rt, "different requests")
		for range rapid.IntRange(10, 40).Draw(rt, "requests") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 11, 61, 1000}).Draw(rt, "seconds")) * time.Second)
			token := rapid.SampledFrom(tokens).Draw(rt, "token")
			q := rapid.SampledFrom(requests).Draw(rt, "request")
			q.noCache = rapid.Bool().Draw(rt, "no cache")
			protocol := rapid.SampledFrom([]string{"REST", "GraphQL"}).Draw(rt, "interface")
			run := map[string]func(context.Context, finding, testRequest) ([][]any, string, error){"REST": runREST, "GraphQL": runGraphQL}[protocol]
			rows, source, err := run(auth.WithToken(t.Context(), token), queryRunner, q)
			counts[protocol+" "+source]++
			checkRows(rt, catalog, reference, token, q, rows, err)
		}
	})
	for _, source := range []string{
		"REST MISS", "REST HIT", "REST REFRESHED", "REST PERMISSION_DENIED", "REST INVALID_ARGUMENT", "REST NOT_FOUND",
		"GraphQL MISS", "GraphQL HIT", "GraphQL CACHED RESPONSE", "GraphQL PERMISSION_DENIED", "GraphQL INVALID_ARGUMENT", "GraphQL NOT_FOUND",
	} {
		assert.Positive(t, counts[source], "the test never saw %s: %v", source, counts)
	}
}

// checkRows compares the rows that a token received with the expected ones.
func checkRows(t *rapid.T, catalog *catalog.Catalog, reference *runner.Runner, token auth.Token, q testRequest, rows [][]any, err error) {
	want, wantErr := expected(context.Background(), reference, token, q)
	allowed := mayRun(catalog, token, q)
	switch {
	case mustChoose(catalog, token, q):
		require.Error(t, err, "%+v got %v for %+v", token, rows, q)
		require.NotEqual(t, sqlq.Internal, sqlq.AsError(err).Code)
	case !allowed && wantErr != nil: // denied or invalid
		require.Error(t, err)
	case !allowed:
		require.Error(t, err, "%+v got %v for %+v", token, rows, q)
		require.Equal(t, sqlq.PermissionDenied, sqlq.AsError(err).Code)
	case wantErr != nil:
		require.EqualError(t, err, wantErr.Error())
	default:
		require.NoError(t, err, "%+v sent %+v", token, q)
		require.Equal(t, want, rows, "%+v sent %+v", token, q)
	}
	for _, row := range rows {
		if token.Endpoints != nil {
			require.Contains(t, token.Endpoints, row[0])
		}
		if token.Projects != nil {
			require.Contains(t, token.Projects, row[1])
		}
		if token.MaxTier == "FREE" && row[2] != "<nil>" {
			require.Equal(t, "FREE", row[2])
		}
	}
}

// scopedToken draws a token with any combination of limits.
func scopedToken(t *rapid.T) auth.Token {
	token := auth.Token{Name: "random", Refresh: rapid.Bool().Draw(t, "refresh")}
	if rapid.IntRange(0, 2).Draw(t, "endpoints") == 0 {
		token.Endpoints = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"logs.all", "usage.api-counts", "default", "best"}), 1, 4, rapid.ID).Draw(t, "endpoints")
	}
	if rapid.IntRange(0, 2).Draw(t, "projects") > 0 {
		token.Projects = rapid.SliceOfNDistinct(rapid.SampledFrom(fixtureProjects()), 1, 2, rapid.ID).Draw(t, "projects")
	}
	token.MaxTier = rapid.SampledFrom([]string{"", "", "FREE", "PRO", "ENTERPRISE"}).Draw(t, "tier")
	return token
}

// randomRequest draws a request, which may be invalid.
func randomRequest(t *rapid.T, catalog *catalog.Catalog) testRequest {
	names := []string{"none"}
	for _, query := range catalog.Queries() {
		switch query.Name {
		case "number": // its project is a number, and no fixture project is
		case "projects.list", "several", "several-required", "several-default", "several-allowed":
			// take several projects; see TestArraysOfProjectsAreLimited
		case "renamed", "undeclared": // have no scope under these names; see TestRunnerEnforcesScopes
		default:
			names = append(names, query.Name)
		}
	}
	q := testRequest{query: rapid.SampledFrom(append(names, "usage.api-counts", "usage.api-counts", "functions.invocation-stats")).Draw(t, "query")}
	q.endpoint = q.query
	if query, ok := catalog.Find(q.query); ok && rapid.Bool().Draw(t, "by id") {
		q.endpoint = strings.ToUpper(query.ID.String())
	}
	projects := map[string][]string{"absent": nil, "empty": {""}, "twice": {"acme", "globex"}, "quoted": {`a\.me`}}
	for _, project := range fixtureProjects() {
		projects[project] = []string{project}
	}
	q.project = projects[rapid.SampledFrom(slices.Sorted(maps.Keys(projects))).Draw(t, "project")]
	tiers := map[string][]string{"absent": nil, "FREE": {"FREE"}, "PRO": {"PRO"}, "ENTERPRISE": {"ENTERPRISE"}, "unknown": {"GOLD"}, "twice": {"FREE", "PRO"}}
	q.tier = tiers[rapid.SampledFrom(slices.Sorted(maps.Keys(tiers))).Draw(t, "tier")]
	return q
}
