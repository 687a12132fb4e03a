package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/engines"
	"savedq/sqlq/duckdb/duckdbsql"
)

// The example is a request that the tokens may send.
func TestExampleRequest(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.Mkdir(folder, 0o750))
	yaml := "id: 00000000-0000-4000-8000-000000000001\nname: mine\ndescription: A test.\nparams:\n" +
		"  - {name: plan, type: STRING, scope: tier, required: true, allowed: [FREE, PRO], description: A plan.}\n" +
		"  - {name: least, type: INT64, required: true, min: 5, description: A number.}\n" +
		"  - {name: since, type: TIMESTAMP, required: true, description: A time.}\n" +
		"  - {name: names, type: ARRAY<STRING>, scope: project, required: true, description: Names.}\n" +
		"columns:\n  - {name: x, type: STRING, description: Anything.}\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte(yaml), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "duckdb.sql"), []byte("SELECT concat('x', $plan, $least, $since, $names) AS x"), 0o600))
	catalog, found, err := engines.Folders{Directories: []string{filepath.Dir(folder)}}.Read(duckdbsql.Dialect{})
	require.NoError(t, err)
	require.Empty(t, found)
	const counts = "usage.api-counts?project=default&interval=daily"
	statsOnly := auth.Token{Name: "stats", Endpoints: []string{"functions.invocation-stats"}}
	for name, test := range map[string]struct {
		tokens      []auth.Token
		token, want string
	}{
		"no token":                        {nil, "", ""},
		"full access":                     {[]auth.Token{auth.FullAccess("full")}, "full", counts},
		"another saved query":             {[]auth.Token{statsOnly}, "stats", "functions.invocation-stats?project=default"},
		"no saved query":                  {[]auth.Token{{Name: "sender", Endpoints: []string{}}}, "", ""},
		"an unknown saved query":          {[]auth.Token{{Name: "old", Endpoints: []string{"nosuch"}}}, "", ""},
		"one project":                     {[]auth.Token{{Name: "acme", Projects: []string{"acme"}}}, "acme", "usage.api-counts?interval=daily"},
		"the first is bound":              {[]auth.Token{{Name: "acme", Projects: []string{"acme"}}, auth.FullAccess("full")}, "acme", "usage.api-counts?interval=daily"},
		"the second is bound":             {[]auth.Token{auth.FullAccess("full"), {Name: "acme", Projects: []string{"acme"}}}, "full", counts},
		"the first may run nothing":       {[]auth.Token{{Name: "sender", Endpoints: []string{}}, {Name: "globex", Projects: []string{"globex", "x"}}}, "globex", "usage.api-counts?project=globex&interval=daily"},
		"two projects":                    {[]auth.Token{{Name: "both", Projects: []string{"globex", "acme"}}}, "both", "usage.api-counts?project=acme&interval=daily"},
		"an escaped project":              {[]auth.Token{{Name: "odd", Endpoints: []string{"logs.all"}, Projects: []string{"a&b'", "c"}}}, "odd", "logs.all?project=a%26b%27"},
		"signed, with an unknown project": {[]auth.Token{{Issuer: "app", Projects: []string{}, Endpoints: []string{"functions.list"}}}, "", "functions.list"},
		"every kind of parameter":         {[]auth.Token{{Name: "mine", Endpoints: []string{"mine"}}}, "mine", "mine?plan=FREE&least=5&since=2026-01-01&names=default"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, token := exampleRequest(catalog.Queries(), test.tokens)
			assert.Equal(t, []string{test.token, test.want}, []string{token, request})
		})
	}
}

// The tokens of the example are those that the header of the command stands for.
func TestShownTokens(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(directory, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	write("secret", strings.Repeat("s", 32))
	issuer := func(name, rest string) string {
		return "  - issuer: " + name + "\n    audience: savedq\n    algorithms: [HS256]\n    keys: secret\n" + rest
	}
	issuers := write("jwt.yaml", "issuers:\n"+
		issuer("b", "    bind: {project: p, function_id: f}\n    endpoints: [functions.invocation-stats]\n")+
		issuer("a", "")+issuer("c", "    endpoints: {claim: e}\n"))
	entry := func(name, more string) string {
		return auth.EntryYAML(auth.Token{Name: name}, auth.HashOf(name)) + more
	}
	tokens := write("tokens.yaml", "tokens:\n"+entry("a", "    endpoints: [logs.all]\n")+entry("z", "")+entry("old", "    expires: 2026-01-01\n"))
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	signed := []auth.Token{{Issuer: "a"}, {
		Issuer: "b", Projects: []string{}, Bound: map[string][]string{"function_id": {}}, Endpoints: []string{"functions.invocation-stats"},
	}}
	logs, z := auth.Token{Name: "a", Endpoints: []string{"logs.all"}}, auth.Token{Name: "z"}
	for name, test := range map[string]struct {
		config   Config
		variable string
		want     []auth.Token
	}{
		"no authentication": {Config{NoAuth: true}, "", []auth.Token{auth.FullAccess("no-auth")}},
		"generated":         {Config{}, "", []auth.Token{auth.FullAccess("generated")}},
		"a file":            {Config{Tokens: tokens}, "", []auth.Token{z, logs}},
		"a variable":        {Config{Tokens: tokens}, strings.Repeat("v", 16), []auth.Token{auth.FullAccess("environment")}},
		"issuers":           {Config{JWT: issuers}, "", signed},
		"issuers, a file":   {Config{JWT: issuers, Tokens: tokens}, "", []auth.Token{z, logs}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config.Address, test.config.Clock = loopback, func() time.Time { return now }
			opened, err := openAccess(t, test.config, test.variable, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, opened.close()) })
			assert.Equal(t, test.want, opened.shown(now))
		})
	}
}
