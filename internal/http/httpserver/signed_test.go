package httpserver_test

import (
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/api/describe"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/api/ingesthttp"
	"savedq/internal/api/mcp"
	"savedq/internal/api/openapi"
	"savedq/internal/api/rest"
	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/sqlq"
	"savedq/sqlq/runner"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

// signedServer is the whole server, with one issuer whose tokens bind project.
type signedServer struct {
	http.Handler
	engine *sqlqtest.FakeEngine
	key    *rsa.PrivateKey
	pem    []byte
	log    lockedBuilder
}

// lockedBuilder is a log that concurrent requests write.
type lockedBuilder struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (b *lockedBuilder) Write(line []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(line)
}

// signedAt is the time of the server.
func signedAt() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// signingKey makes a key once, because it takes long.
var signingKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) }) //nolint:gochecknoglobals // It never changes.

// newSigned returns a server whose engine runs a function.
func newSigned(t *testing.T, run func(context.Context, sqlq.Statement) (*sqlq.Result, error)) *signedServer {
	t.Helper()
	s := &signedServer{engine: &sqlqtest.FakeEngine{RunFunc: run}}
	var err error
	s.key, err = signingKey()
	require.NoError(t, err)
	public, err := x509.MarshalPKIXPublicKey(s.key.Public())
	require.NoError(t, err)
	s.pem = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	directory := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600))
	}
	write("jwks.json", `{"keys":[{"kty":"RSA","kid":"current","n":"`+encoded(s.key.N.Bytes())+`","e":"AQAB"}]}`)
	write("jwt.yaml", "issuers:\n  - issuer: https://auth.example.com\n    audience: savedq\n    algorithms: [RS256]\n"+
		"    keys: jwks.json\n    bind: {project: app_metadata.project}\n")
	read := graphtest.Shipped(t)
	logger := slog.New(slog.NewJSONHandler(&s.log, nil))
	verifier, err := jwt.New(jwt.Config{
		File: filepath.Join(directory, "jwt.yaml"), Known: func() auth.Known { return auth.KnownOf(read.Queries()) }, Clock: signedAt, Logger: logger,
	})
	require.NoError(t, err)
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{{Token: auth.FullAccess("full"), Hash: auth.HashOf("full")}}, nil
	})
	require.NoError(t, err)
	keyring.Accept(verifier)
	inner := runner.New(sqlqtest.Config(read, s.engine, signedAt))
	scoped := auth.NewRunner(inner, inner, read, logger)
	errors := httperror.NewWriter(logger)
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	s.Handler = newServer(logger, func(config *httpserver.Config) {
		config.REST = rest.NewHandler(scoped, func(ctx context.Context) describe.Bound { return auth.BoundValues(ctx) }, logger)
		config.GraphQL = graphqlhttp.NewHandler(graphqlhttp.Config{
			Runner: scoped, Schema: graphtest.ShippedSchema(t), BoundSchema: graphtest.BoundShippedSchema(t), Bound: auth.Bound,
			Logger: logger, BodyBytes: graphqlhttp.DefaultBodyBytes, Limits: graphqlrules.DefaultLimits(),
		})
		config.SDL = func(context.Context) string { return graphtest.ShippedSchema(t).SDL() }
		config.MCP = mcp.NewServer(mcp.Config{
			Runner: scoped, Queries: read.Queries(), Tables: read.Tables(), Errors: errors, Logger: slog.New(slog.DiscardHandler),
			Caller: func(ctx context.Context) mcp.Caller { return mcp.Caller{Bound: auth.BoundValues(ctx)} },
		})
		config.Issuers = verifier.Issuers
		config.OpenAPI = openapi.NewHandler(scoped.Queries, func(ctx context.Context) openapi.Caller {
			return openapi.Caller{Ingest: auth.Ingests(ctx), Sources: tables.Shipped(), Usage: auth.HasFullAccess(ctx), Bound: auth.BoundValues(ctx)}
		}, "test", errors)
		config.Store, config.Metrics, config.Usage, config.Viewer = ok, ok, ok, ok
		config.Ingest = &ingesthttp.Handlers{JSON: ok, OTLP: ok, Cloudflare: ok, Vector: ok, Vercel: ok, Syslog: ok, WriteOTLPError: errors.Write}
		config.Keyring, config.Clock, config.MaxRequests = keyring, signedAt, 100
	})
	return s
}

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// token returns a token with changed claims; a nil value removes a claim.
func (s *signedServer) token(header string, changes map[string]any) string {
	claims := map[string]any{
		"iss": "https://auth.example.com", "aud": "savedq", "sub": "user-1", "exp": signedAt().Add(time.Hour).Unix(),
		"app_metadata": map[string]any{"project": "acme"},
	}
	maps.Copy(claims, changes)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	payload, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	return s.sign(header, string(payload))
}

// sign returns a token that is signed with RS256, whatever its header says.
func (s *signedServer) sign(header, payload string) string {
	input := encoded([]byte(header)) + "." + encoded([]byte(payload))
	digest := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, digest[:])
	if err != nil {
		panic(err)
	}
	return input + "." + encoded(signature)
}

const rsHeader = `{"alg":"RS256","kid":"current"}`

// of returns a token that is bound to projects, of a subject.
func (s *signedServer) of(subject string, projects ...string) string {
	return s.token(rsHeader, map[string]any{"sub": subject, "app_metadata": map[string]any{"project": projects}})
}

// send sends a request with a token and headers of the form "Name: value".
func (s *signedServer) send(method, target, token, body string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.Host = "localhost"
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, request)
	return recorder
}

// namingProject returns rows that name the project that the query ran with.
func namingProject(_ context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	project := ""
	for _, arg := range statement.Args {
		if arg.Name == "project" || arg.Name == "projects" {
			project = fmt.Sprint(arg.Value)
		}
	}
	row := make([]any, len(statement.Query.Columns))
	for i, column := range statement.Query.Columns {
		switch column.Type { //nolint:exhaustive // The saved queries have no others.
		case sqlq.String:
			row[i] = "rows of " + project
		case sqlq.Int64:
			row[i] = int64(1)
		case sqlq.Timestamp, sqlq.Datetime:
			row[i] = signedAt()
		}
	}
	return &sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{row}}, nil
}

// The access matrix of signed tokens: each route with a valid token that is bound to acme, and
// with each kind of token that must not be accepted.
func TestAccessWithSignedTokens(t *testing.T) {
	t.Parallel()
	s := newSigned(t, namingProject)
	good := s.of("user-1", "acme")
	parts := strings.Split(good, ".")
	confused := encoded([]byte(`{"alg":"HS256","kid":"current"}`)) + "." + parts[1]
	mac := hmac.New(sha256.New, s.pem)
	mac.Write([]byte(confused))
	rotated := &signedServer{}
	var err error
	rotated.key, err = rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	refused := map[string]string{
		"expired":                s.token(rsHeader, map[string]any{"exp": signedAt().Add(-time.Minute).Unix()}),
		"without expiry":         s.token(rsHeader, map[string]any{"exp": nil}),
		"not yet valid":          s.token(rsHeader, map[string]any{"nbf": signedAt().Add(time.Minute).Unix()}),
		"wrong audience":         s.token(rsHeader, map[string]any{"aud": "other"}),
		"wrong issuer":           s.token(rsHeader, map[string]any{"iss": "https://auth.example.org"}),
		"wrong algorithm":        s.token(`{"alg":"PS256","kid":"current"}`, nil),
		"RS/HS confusion":        confused + "." + encoded(mac.Sum(nil)),
		"unknown kid":            s.token(`{"alg":"RS256","kid":"other"}`, nil),
		"rotated key":            rotated.of("user-1", "acme"),
		"none":                   encoded([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".",
		"truncated":              good[:len(good)-3],
		"truncated by a part":    parts[0] + "." + parts[1],
		"huge":                   s.token(rsHeader, map[string]any{"x": strings.Repeat("x", 8<<10)}),
		"duplicate claims":       s.sign(rsHeader, `{"iss":"https://auth.example.com","aud":"savedq","exp":1795258000,"app_metadata":{"project":"acme","project":"globex"}}`),
		"a missing nested claim": s.token(rsHeader, map[string]any{"app_metadata": map[string]any{}}),
		"a claim that is null":   s.token(rsHeader, map[string]any{"app_metadata": map[string]any{"project": nil}}),
	}
	graphQL := func(document string) string { return "/graphql?query=" + url.QueryEscape(document) }
	routes := map[string]struct {
		method, path string
		// want is the status and the code for the valid token.
		want string
		// rows is what the rows name, if any.
		rows string
	}{
		"bound value":                   {"GET", "/api/endpoints/functions.list?project=acme", "200", "rows of acme"},
		"absent":                        {"GET", "/api/endpoints/functions.list", "200", "rows of acme"},
		"empty":                         {"GET", "/api/endpoints/functions.list?project=", "200", "rows of acme"},
		"other value":                   {"GET", "/api/endpoints/functions.list?project=acme2", "403 PERMISSION_DENIED", ""},
		"a value twice":                 {"GET", "/api/endpoints/functions.list?project=acme&project=acme", "400 INVALID_ARGUMENT", ""},
		"other value in a form":         {"POST", "/api/endpoints/functions.list?project=globex", "403 PERMISSION_DENIED", ""},
		"by id":                         {"GET", "/api/endpoints/query/9b0c8a5e-2f4d-4c7b-8e61-3d5a7f9b1c43", "200", "rows of acme"},
		"an array, absent":              {"GET", "/api/endpoints/projects.list", "200", "rows of [acme]"},
		"an array, bound":               {"GET", "/api/endpoints/projects.list?projects=acme", "200", "rows of [acme]"},
		"an array, other":               {"GET", "/api/endpoints/projects.list?projects=acme&projects=globex", "403 PERMISSION_DENIED", ""},
		"a pattern, absent":             {"GET", "/api/endpoints/usage.api-counts?interval=daily", "200", ""},
		"a pattern, bound":              {"GET", "/api/endpoints/usage.api-counts?interval=daily&project=acme", "200", ""},
		"a pattern of all":              {"GET", "/api/endpoints/usage.api-counts?interval=daily&project=.*", "403 PERMISSION_DENIED", ""},
		"a pattern of the value":        {"GET", "/api/endpoints/usage.api-counts?interval=daily&project=%5Eacme", "403 PERMISSION_DENIED", ""},
		"unknown endpoint":              {"GET", "/api/endpoints/none", "404 NOT_FOUND", ""},
		"list":                          {"GET", "/api/endpoints", "200", ""},
		"GraphQL, shipped, bound":       {"GET", graphQL(`{logs(project:"acme"){id}}`), "200", "rows of acme"},
		"GraphQL, shipped, absent":      {"GET", graphQL(`{logs{id}}`), "200", "rows of acme"},
		"GraphQL, shipped, null":        {"GET", graphQL(`{logs(project:null){id}}`), "200", "rows of acme"},
		"GraphQL, shipped, other":       {"GET", graphQL(`{logs(project:"acme2"){id}}`), "200 PERMISSION_DENIED", ""},
		"GraphQL, a variable":           {"GET", graphQL(`query($p:String){logs(project:$p){id}}`), "200", "rows of acme"},
		"GraphQL, a pattern, absent":    {"GET", graphQL(`{apiCounts(interval:DAILY){timestamp}}`), "200", ""},
		"GraphQL, a pattern":            {"GET", graphQL(`{apiCounts(interval:DAILY,project:".*"){timestamp}}`), "200 PERMISSION_DENIED", ""},
		"GraphQL, another is required":  {"GET", graphQL(`{apiCounts{timestamp}}`), "200 INVALID_ARGUMENT", ""},
		"GraphQL, user field, absent":   {"GET", graphQL(`{functionsList{functionId}}`), "200", "rows of acme"},
		"GraphQL, user field, other":    {"GET", graphQL(`{functionsList(project:"globex"){functionId}}`), "200 PERMISSION_DENIED", ""},
		"GraphQL, an array, absent":     {"GET", graphQL(`{projectsList{project}}`), "200", "rows of [acme]"},
		"GraphQL, an array, other":      {"GET", graphQL(`{projectsList(projects:["acme","globex"]){project}}`), "200 PERMISSION_DENIED", ""},
		"GraphQL, one of two is denied": {"GET", graphQL(`{a:functionsList{functionId} b:functionsList(project:"globex"){functionId}}`), "200 PERMISSION_DENIED", ""},
		"search, absent":                {"GET", "/api/endpoints/logs.search", "200", "rows of acme"},
		"search, bound":                 {"GET", "/api/endpoints/logs.search?project=acme&text=x", "200", "rows of acme"},
		"search, other":                 {"GET", "/api/endpoints/logs.search?project=acme2", "403 PERMISSION_DENIED", ""},
		"search, other in a form":       {"POST", "/api/endpoints/logs.search?project=globex", "403 PERMISSION_DENIED", ""},
		"search, twice":                 {"GET", "/api/endpoints/logs.search?project=acme&project=globex", "400 INVALID_ARGUMENT", ""},
		"histogram, absent":             {"GET", "/api/endpoints/logs.histogram", "200", ""},
		"histogram, bound":              {"GET", "/api/endpoints/logs.histogram?project=acme&bucket_seconds=60", "200", ""},
		"histogram, other":              {"GET", "/api/endpoints/logs.histogram?project=acme2", "403 PERMISSION_DENIED", ""},
		"facets, absent":                {"GET", "/api/endpoints/logs.facets", "200", "rows of acme"},
		"facets, bound":                 {"GET", "/api/endpoints/logs.facets?project=acme", "200", "rows of acme"},
		"facets, other":                 {"GET", "/api/endpoints/logs.facets?project=acme2", "403 PERMISSION_DENIED", ""},
		"GraphQL search, absent":        {"GET", graphQL(`{logsSearch{id}}`), "200", "rows of acme"},
		"GraphQL search, other":         {"GET", graphQL(`{logsSearch(project:"acme2"){id}}`), "200 PERMISSION_DENIED", ""},
		"GraphQL histogram, absent":     {"GET", graphQL(`{logsHistogram{timestamp}}`), "200", ""},
		"GraphQL histogram, other":      {"GET", graphQL(`{logsHistogram(project:"acme2"){timestamp}}`), "200 PERMISSION_DENIED", ""},
		"GraphQL facets, absent":        {"GET", graphQL(`{logsFacets{facet}}`), "200", "rows of acme"},
		"GraphQL facets, other":         {"GET", graphQL(`{logsFacets(project:"acme2"){facet}}`), "200 PERMISSION_DENIED", ""},
		"tools by GET":                  {"GET", "/mcp", "405 METHOD_NOT_ALLOWED", ""},
		"usage":                         {"GET", "/api/usage", "403 PERMISSION_DENIED", ""},
		"usage of itself":               {"GET", "/api/usage?subject=user-1", "403 PERMISSION_DENIED", ""},
		"viewer":                        {"GET", "/api/viewer", "200", ""},
		"schema":                        {"GET", "/schema.graphql", "200", ""},
		"OpenAPI":                       {"GET", "/openapi.json", "200", ""},
		"metrics":                       {"GET", "/metrics", "200", ""},
		"the store":                     {"GET", "/api/store/backup", "403 PERMISSION_DENIED", ""},
		"deletion":                      {"POST", "/api/store/delete?project=acme", "403 PERMISSION_DENIED", ""},
		"ingest":                        {"POST", "/api/logs", "403 PERMISSION_DENIED", ""},
		"ingest of a single source":     {"POST", "/logs/cloudflare", "403 PERMISSION_DENIED", ""},
		"ingest of OTLP":                {"POST", "/v1/logs", "403 PERMISSION_DENIED", ""},
		"nothing":                       {"GET", "/nothing", "404 NOT_FOUND", ""},
	}
	for name, route := range routes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := s.send(route.method, route.path, good, "")
			status, code, _ := strings.Cut(route.want, " ")
			assert.Equal(t, status, response.Result().Status[:3], response.Body)
			assert.Contains(t, response.Body.String(), route.rows)
			if code != "" {
				assert.Contains(t, response.Body.String(), `"code":"`+code+`"`)
				assert.NotContains(t, response.Body.String(), "rows of")
			} else if name != "OpenAPI" { // which has examples of errors
				assert.NotContains(t, response.Body.String(), `"code":"`)
			}
			for kind, token := range refused {
				response := s.send(route.method, route.path, token, "")
				assert.Equal(t, http.StatusUnauthorized, response.Code, kind)
				assert.Contains(t, response.Header().Get("WWW-Authenticate"), `Bearer realm="savedq"`, kind)
				assert.NotContains(t, response.Body.String(), "rows of", kind)
			}
		})
	}
}

// D32: the OpenAPI document has the values of the token, and no usage.
func TestOpenAPIOfSignedTokens(t *testing.T) {
	t.Parallel()
	s := newSigned(t, namingProject)
	bound, full := s.send("GET", "/openapi.json", s.of("user-1", "globex"), "").Body.String(), s.send("GET", "/openapi.json", "full", "").Body.String()
	assert.Contains(t, bound, `"enum":["globex"],"default":"globex"`)
	assert.NotContains(t, bound, "/api/usage")
	assert.Contains(t, bound, "/api/viewer")
	assert.NotContains(t, full, `["globex"]`)
	assert.Contains(t, full, "/api/usage")
}

// D32: the list shows parameters as the token may use them, and like the OpenAPI document.
func TestListOfSignedTokens(t *testing.T) {
	t.Parallel()
	s := newSigned(t, namingProject)
	for name, test := range map[string]struct {
		token string
		// required is whether each project parameter that is not a list is required.
		required bool
		allowed  []string
	}{
		"one value":      {s.of("user-1", "acme"), false, []string{"acme"}},
		"several values": {s.of("user-2", "acme", "globex"), true, []string{"acme", "globex"}},
		"full access":    {"full", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list struct {
				Result []struct {
					Name       string
					Parameters []struct {
						Name     string
						Required bool
						Allowed  []string
					}
				}
			}
			require.NoError(t, json.Unmarshal(s.send("GET", "/api/endpoints", test.token, "").Body.Bytes(), &list))
			var document struct {
				Components struct {
					Parameters map[string]struct{ Required bool }
				}
			}
			require.NoError(t, json.Unmarshal(s.send("GET", "/openapi.json", test.token, "").Body.Bytes(), &document))
			projects := 0
			for _, query := range list.Result {
				missing := false
				for _, param := range query.Parameters {
					described, ok := document.Components.Parameters[query.Name+"."+param.Name]
					assert.True(t, ok, query.Name, param.Name)
					assert.Equal(t, described.Required, param.Required, query.Name, param.Name)
					missing = missing || param.Required
					if param.Name == "project" {
						projects++
						assert.Equal(t, test.required, param.Required, query.Name)
						assert.Equal(t, test.allowed, param.Allowed, query.Name)
					}
				}
				response := s.send("GET", "/api/endpoints/"+query.Name, test.token, "")
				assert.Equal(t, missing, response.Code == http.StatusBadRequest, "%s without parameters: %s", query.Name, response.Body)
			}
			assert.NotZero(t, projects)
		})
	}
}

// D32: tenants send the same requests over one cache, and each receives its own rows only,
// with whatever it knows of the others: entity tags, persisted documents, and the values
// themselves. Tokens with equal bound values share.
func TestTenantsShareNothing(t *testing.T) {
	t.Parallel()
	s := newSigned(t, namingProject)
	acme, colleague, other := s.of("user-1", "acme"), s.of("user-2", "acme"), s.of("user-3", "acme2")
	both := s.of("user-4", "acme", "acme2")
	check := func(response *httptest.ResponseRecorder, project, cache string) {
		t.Helper()
		require.Equal(t, http.StatusOK, response.Code, response.Body)
		assert.Contains(t, response.Body.String(), `"rows of `+project+`"`)
		assert.Equal(t, 1, strings.Count(response.Body.String(), "rows of"))
		assert.Equal(t, cache, response.Header().Get("X-Cache"))
	}
	for _, target := range []string{
		"/api/endpoints/functions.list",
		"/graphql?query=" + url.QueryEscape("{functionsList{functionId}}"),
	} {
		path := target + "?"
		if strings.Contains(target, "?") {
			path = target + "&"
		}
		first := s.send("GET", target, acme, "")
		cached := "HIT" // GraphQL finds the rows that REST cached, and the reverse
		if strings.HasPrefix(target, "/api") {
			cached = "MISS"
		}
		check(first, "acme", cached)
		check(s.send("GET", target, colleague, ""), "acme", "HIT")
		tag := "If-None-Match: " + first.Header().Get("ETag")
		assert.Equal(t, http.StatusNotModified, s.send("GET", target, colleague, "", tag).Code)
		check(s.send("GET", target, other, "", tag), "acme2", cached)
		check(s.send("GET", target, other, "", tag), "acme2", "HIT")
		check(s.send("GET", target, other, "", "If-None-Match: W/\"x\", "+first.Header().Get("ETag")), "acme2", "HIT")
		check(s.send("GET", path+"x=1", acme, ""), "acme", "HIT")
		assert.NotContains(t, s.send("GET", target, both, "", tag).Body.String(), "rows of", "it has to choose")
	}
	assert.Equal(t, 2, s.engine.Runs())

	response := s.send("GET", "/api/endpoints/functions.list", both, "")
	assert.Equal(t, http.StatusBadRequest, response.Code)
	assert.Contains(t, response.Body.String(), "use one of acme, acme2, which the token allows")
	check(s.send("GET", "/api/endpoints/functions.list?project=acme2", both, ""), "acme2", "HIT")

	// A document of one tenant that another one persisted runs for whoever sends its hash.
	persisted := func(document string) (register, recall string) {
		hash := sha256.Sum256([]byte(document))
		extensions := fmt.Sprintf(`"extensions":{"persistedQuery":{"version":1,"sha256Hash":"%x"}}`, hash)
		text, _ := json.Marshal(document)
		return `{"query":` + string(text) + "," + extensions + "}", "{" + extensions + "}"
	}
	register, recall := persisted(`{functionsList(project:"acme"){functionId}}`)
	assert.Contains(t, s.send("POST", "/graphql", acme, register).Body.String(), `"rows of acme"`)
	denied := s.send("POST", "/graphql", other, recall).Body.String()
	assert.Contains(t, denied, "PERMISSION_DENIED")
	assert.NotContains(t, denied, "rows of")
	register, recall = persisted(`{functionsList{functionId}}`)
	assert.Contains(t, s.send("POST", "/graphql", acme, register).Body.String(), `"rows of acme"`)
	assert.Contains(t, s.send("POST", "/graphql", other, recall).Body.String(), `"rows of acme2"`)

	// A caller without bound parameters has the strict schema, and does not get their responses.
	assert.Contains(t, s.send("POST", "/graphql", "full", recall).Body.String(), "is required, but it was not provided")
	assert.Contains(t, s.send("GET", "/api/endpoints/functions.list?project=acme2", "full", "").Body.String(), `"rows of acme2"`)
}

// Callers of different tenants that wait at the same time wait for different runs.
func TestTenantsShareNoRun(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}, 10), make(chan struct{})
	s := newSigned(t, func(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
		started <- struct{}{}
		<-release
		return namingProject(ctx, statement)
	})
	projects := []string{"acme", "acme2", "acme", "acme2"}
	responses := make([]*httptest.ResponseRecorder, len(projects))
	var callers sync.WaitGroup
	for i, project := range projects {
		token := s.of(fmt.Sprint("user-", i), project)
		callers.Go(func() { responses[i] = s.send("GET", "/api/endpoints/functions.list", token, "") })
	}
	<-started
	<-started
	close(release)
	callers.Wait()
	for i, project := range projects {
		assert.Contains(t, responses[i].Body.String(), `"rows of `+project+`"`)
	}
	assert.Equal(t, 2, s.engine.Runs())
}

// D32: a token for acme counts the requests of acme only, though a regular expression may match
// more.
func TestTenantsCountTheirRequests(t *testing.T) {
	t.Parallel()
	at := signedAt().Add(-time.Minute)
	event := func(id, address string) sqlqtest.Event {
		return sqlqtest.Event{ID: id, Timestamp: at, Metadata: json.RawMessage(`[{"request":[{"url":"` + address + `","path":"/rest/v1"}]}]`)}
	}
	reference := sqlqtest.ReferenceEngine(sqlqtest.Logs{"edge_logs": {
		event("a", "https://acme.example.com/rest/v1"), event("b", "https://acme2.example.com/rest/v1"),
		event("c", "https://acme2.example.com/rest/v1?x=acme"), event("d", "https://acme2.example.com/rest/v1?x=https://acme.example.com"),
	}})
	s := newSigned(t, reference.RunFunc)
	count := func(token, query string) string {
		return s.send("GET", "/api/endpoints/usage.api-counts?interval=daily"+query, token, "").Body.String()
	}
	assert.Contains(t, count("full", "&project=acme"), `"total_rest_requests":4`)
	assert.Contains(t, count(s.of("user-1", "acme"), ""), `"total_rest_requests":1`)
	assert.Contains(t, count(s.of("user-1", "acme"), "&project=acme"), `"total_rest_requests":1`)
	assert.Contains(t, count(s.of("user-2", "acme2"), ""), `"total_rest_requests":3`)
	assert.Equal(t, `{"result":[]}`, count(s.of("user-3", "acme."), ""))
	assert.Equal(t, `{"result":[]}`, count(s.of("user-3", ".*"), ""))
}
