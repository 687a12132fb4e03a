package auth_test

import (
	"context"
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

// worldProjects are the projects that the engine of these tests has rows of. Each
// of the odd ones is an expression that matches others, too.
func worldProjects() []string { return []string{"acme", "globex", "a.me", "acme|globex", ".*"} }

// newWorldEngine returns an engine whose rows say which saved query, which project
// and which tier they are of, so that a row in the wrong hands shows.
func newWorldEngine() *sqlqtest.FakeEngine {
	return &sqlqtest.FakeEngine{RunFunc: func(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		result := &sqlq.Result{Columns: []sqlq.Column{{Name: "query", Type: sqlq.String}, {Name: "project", Type: sqlq.String}, {Name: "tier", Type: sqlq.String}}}
		values := map[string]any{"project": nil, "project_tier": nil}
		regex := false
		for i, arg := range statement.Args {
			values[arg.Name] = arg.Value
			regex = regex || statement.Query.Params[i].Regex
		}
		for _, project := range worldProjects() {
			if matches(values["project"], project, regex) {
				result.Rows = append(result.Rows, []any{statement.Query.Name, project, fmt.Sprint(values["project_tier"])})
			}
		}
		return result, nil
	}}
}

// matches says whether a project has rows for the value of a parameter, of which
// NULL stands for all.
func matches(value any, project string, regex bool) bool {
	if text, ok := value.(string); ok && regex {
		return regexp.MustCompile(`\A(?:` + text + `)\z`).MatchString(project)
	}
	return value == nil || value == project
}

// question is what is asked of a saved query, and by id or by name.
type question struct {
	query   string
	asked   string
	project []string
	tier    []string
	noCache bool
}

func (q question) request() runner.Request {
	request := runner.Request{Endpoint: q.asked, Params: map[string][]string{"interval": {"daily"}}, NoCache: q.noCache}
	if q.project != nil {
		request.Params["project"] = q.project
	}
	if q.tier != nil {
		request.Params["project_tier"] = q.tier
	}
	return request
}

// mayAsk says whether a token may ask a question, as far as that does not depend on
// whether the question makes sense: the value that is given, and the one that the
// query is run with, are both within the scope.
func mayAsk(catalog *catalog.Catalog, token auth.Token, q question) bool {
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
		mine := slices.Clone(token.Projects)
		for i := range mine {
			if param != nil && param.Regex {
				mine[i] = regexp.QuoteMeta(mine[i])
			}
		}
		if param == nil || !slices.Contains(mine, project) {
			return false
		}
	}
	if param, tier := paramOf(query, "project_tier", q.tier); param != nil && token.MaxTier != "" {
		order := []string{"FREE", "PRO", "PAYG", "ENTERPRISE"}
		at := slices.Index(order, tier)
		return at >= 0 && at <= slices.Index(order, token.MaxTier)
	}
	return true
}

// paramOf returns a parameter, nil where there is none, and the text of the value
// that the query is run with.
func paramOf(query *sqlq.SavedQuery, name string, values []string) (*sqlq.Param, string) {
	at := slices.IndexFunc(query.Params, func(param sqlq.Param) bool { return param.Name == name })
	if at < 0 {
		return nil, ""
	}
	param, text := &query.Params[at], ""
	switch {
	case len(values) == 1 && values[0] != "":
		text = values[0]
	case param.Default != nil:
		text = *param.Default
	}
	if len(param.Allowed) > 0 && !slices.Contains(param.Allowed, text) && param.Fallback != nil {
		text = *param.Fallback
	}
	return param, text
}

// literal is the question with its project spelled so that it is matched literally,
// where a token is limited to projects and the project is an expression.
func literal(query *sqlq.SavedQuery, token auth.Token, q question) question {
	if param, _ := paramOf(query, "project", nil); param != nil && param.Regex && token.Projects != nil && len(q.project) == 1 {
		q.project = []string{regexp.QuoteMeta(q.project[0])}
	}
	return q
}

// expected returns the rows that a token has to get, computed by a runner that
// knows no scopes and keeps nothing.
func expected(ctx context.Context, reference *runner.Runner, token auth.Token, q question) ([][]any, error) {
	if query, found := reference.Catalog().Find(q.query); found {
		q = literal(query, token, q)
	}
	response, err := reference.Run(ctx, q.request())
	if err != nil {
		return nil, err
	}
	return response.Result.Rows, nil
}

// ask asks as REST does. It also says how the rows were come by.
func ask(ctx context.Context, queryRunner *auth.Runner, q question) (rows [][]any, from string, err error) {
	response, err := queryRunner.Run(ctx, q.request())
	if err != nil {
		return nil, string(sqlq.AsError(err).Code), err
	}
	return response.Result.Rows, string(response.Cache), nil
}

// askKept asks as GraphQL does: whole responses are kept, under keys that hold the
// question alone.
func askKept(ctx context.Context, queryRunner *auth.Runner, q question) (rows [][]any, from string, err error) {
	key := fmt.Sprintf("%q", []any{q.asked, q.project, q.tier})
	if value, _ := queryRunner.CachedResponse(ctx, key, false); value != nil {
		return value.([][]any), "KEPT", nil
	}
	response, err := queryRunner.Run(ctx, q.request())
	if err != nil {
		return nil, string(sqlq.AsError(err).Code), err
	}
	queryRunner.PutResponse(ctx, key, response.Result.Rows, 100, []*cache.Entry{response.Entry})
	return response.Result.Rows, string(response.Cache), nil
}

// Tokens of all scopes ask the same questions in any order, over one cache: each
// gets what it would get if it were alone, and no row of a project that is not its
// own. (D17 and the scopes of tokens.)
func TestCacheKeepsScopesApart(t *testing.T) {
	t.Parallel()
	catalog := readCatalog(t)
	counts := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		now := noon()
		clock := func() time.Time { return now }
		config := sqlqtest.Config(catalog, newWorldEngine(), clock)
		queryRunner := auth.NewRunner(runner.New(config), slog.New(slog.DiscardHandler))
		config.CacheBytes, config.StaleIfError = 0, 0
		reference := runner.New(config)
		tokens := rapid.SliceOfN(rapid.Custom(scopedToken), 2, 5).Draw(rt, "tokens")
		questions := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) question { return randomQuestion(rt, catalog) }), 1, 4).Draw(rt, "questions")
		for range rapid.IntRange(10, 40).Draw(rt, "requests") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 11, 61, 1000}).Draw(rt, "seconds")) * time.Second)
			token := rapid.SampledFrom(tokens).Draw(rt, "token")
			q := rapid.SampledFrom(questions).Draw(rt, "question")
			q.noCache = rapid.Bool().Draw(rt, "no cache")
			way := rapid.SampledFrom([]string{"REST", "GraphQL"}).Draw(rt, "interface")
			asked := map[string]func(context.Context, *auth.Runner, question) ([][]any, string, error){"REST": ask, "GraphQL": askKept}[way]
			rows, from, err := asked(auth.WithToken(t.Context(), token), queryRunner, q)
			counts[way+" "+from]++
			checkAnswer(rt, reference, token, q, rows, err)
		}
	})
	for _, from := range []string{
		"REST MISS", "REST HIT", "REST REFRESHED", "REST PERMISSION_DENIED", "REST INVALID_ARGUMENT", "REST NOT_FOUND",
		"GraphQL MISS", "GraphQL HIT", "GraphQL KEPT", "GraphQL PERMISSION_DENIED", "GraphQL INVALID_ARGUMENT", "GraphQL NOT_FOUND",
	} {
		assert.Positive(t, counts[from], "the test never saw %s: %v", from, counts)
	}
}

// checkAnswer holds what a token got against what it may get.
func checkAnswer(t *rapid.T, reference *runner.Runner, token auth.Token, q question, rows [][]any, err error) {
	want, wantErr := expected(context.Background(), reference, token, q)
	allowed := mayAsk(reference.Catalog(), token, q)
	switch {
	case !allowed && wantErr != nil: // denied, or wrong in the first place
		require.Error(t, err)
	case !allowed:
		require.Error(t, err, "%+v got %v for %+v", token, rows, q)
		require.Equal(t, sqlq.PermissionDenied, sqlq.AsError(err).Code)
	case wantErr != nil:
		require.EqualError(t, err, wantErr.Error())
	default:
		require.NoError(t, err, "%+v asked %+v", token, q)
		require.Equal(t, want, rows, "%+v asked %+v", token, q)
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

// scopedToken draws a token with or without each of the limits.
func scopedToken(t *rapid.T) auth.Token {
	token := auth.Token{Name: "random", Refresh: rapid.Bool().Draw(t, "refresh")}
	if rapid.IntRange(0, 2).Draw(t, "endpoints") == 0 {
		token.Endpoints = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"logs.all", "usage.api-counts", "default", "best"}), 1, 4, rapid.ID).Draw(t, "endpoints")
	}
	if rapid.IntRange(0, 2).Draw(t, "projects") > 0 {
		token.Projects = rapid.SliceOfNDistinct(rapid.SampledFrom(worldProjects()), 1, 2, rapid.ID).Draw(t, "projects")
	}
	token.MaxTier = rapid.SampledFrom([]string{"", "", "FREE", "PRO", "ENTERPRISE"}).Draw(t, "tier")
	return token
}

// randomQuestion draws a question, some of which make no sense.
func randomQuestion(t *rapid.T, catalog *catalog.Catalog) question {
	names := []string{"none"}
	for _, query := range catalog.Queries() {
		switch query.Name {
		case "number": // has no project of this world
		case "renamed", "undeclared": // have no scope under these names; see TestRunnerHoldsScopes
		default:
			names = append(names, query.Name)
		}
	}
	q := question{query: rapid.SampledFrom(append(names, "usage.api-counts", "usage.api-counts", "functions.invocation-stats")).Draw(t, "query")}
	q.asked = q.query
	if query, ok := catalog.Find(q.query); ok && rapid.Bool().Draw(t, "by id") {
		q.asked = strings.ToUpper(query.ID.String())
	}
	projects := map[string][]string{"absent": nil, "empty": {""}, "twice": {"acme", "globex"}, "quoted": {`a\.me`}}
	for _, project := range worldProjects() {
		projects[project] = []string{project}
	}
	q.project = projects[rapid.SampledFrom(slices.Sorted(maps.Keys(projects))).Draw(t, "project")]
	tiers := map[string][]string{"absent": nil, "FREE": {"FREE"}, "PRO": {"PRO"}, "ENTERPRISE": {"ENTERPRISE"}, "unknown": {"GOLD"}, "twice": {"FREE", "PRO"}}
	q.tier = tiers[rapid.SampledFrom(slices.Sorted(maps.Keys(tiers))).Draw(t, "tier")]
	return q
}
