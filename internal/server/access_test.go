package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
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

// openAccess opens access control for a server on an address.
func openAccess(t *testing.T, config Config, token string, logger *slog.Logger) (access, error) {
	t.Helper()
	config.Data, config.Logger = t.TempDir(), logger
	if config.Getenv == nil {
		config.Getenv = func(name string) string { return map[string]string{"SAVEDQ_TOKEN": token}[name] }
	}
	known := auth.Known{Endpoints: []string{"functions.invocation-stats", "logs.all"}, Parameters: []string{"function_id"}}
	return config.openAccess(strings.HasPrefix(config.Address, "127.") || strings.HasPrefix(config.Address, "[::1]"), func() auth.Known { return known })
}

// accepts reports whether a keyring accepts a request that presents a secret.
func accepts(t *testing.T, keyring *auth.Keyring, secret string) bool {
	t.Helper()
	in := false
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { in = true })
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set(auth.KeyHeader, secret)
	auth.Handler(next, auth.HandlerConfig{
		Keyring: keyring, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
		WriteError: func(http.ResponseWriter, *http.Request, error) {},
	}).ServeHTTP(httptest.NewRecorder(), request)
	return in
}

const (
	loopback  = "127.0.0.1:8080"
	reachable = "0.0.0.0:8080"
	// secret has the minimum length without a warning.
	secret = "secret-of-16-chr"
)

// There is no anonymous access. On loopback the server generates a token if none is set.
func TestAccess(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	entry := auth.EntryYAML(auth.FullAccess("ci"), auth.HashOf("secret-of-ci"))
	entry += auth.EntryYAML(auth.FullAccess("other"), auth.HashOf("secret-of-ci-and-all"))
	require.NoError(t, os.WriteFile(tokens, []byte("tokens:\n"+entry), 0o600))
	tests := map[string]struct {
		config         Config
		address, token string
		// valid are accepted secrets. generated reports whether the server generates one.
		valid     []string
		generated bool
		open      bool
		wrong     string
		// header is the header of curl's command if no token is generated.
		header string
		warned bool
	}{
		"nothing, on loopback":        {address: loopback, generated: true},
		"nothing, on IPv6":            {address: "[::1]:8080", generated: true},
		"nothing, elsewhere":          {address: reachable, wrong: `--addr: other machines can reach 0.0.0.0:8080, so callers need tokens: set the variable SAVEDQ_TOKEN, or use --tokens FILE ("savedq token new --name NAME" creates an entry)`},
		"the variable":                {address: reachable, token: secret, valid: []string{secret}, header: `"X-API-KEY: $SAVEDQ_TOKEN"`},
		"a short variable":            {address: reachable, token: "abc", valid: []string{"abc"}, header: `"X-API-KEY: $SAVEDQ_TOKEN"`, warned: true},
		"a file":                      {config: Config{Tokens: tokens}, address: reachable, valid: []string{"secret-of-ci"}, header: "'X-API-KEY: <the token {name} of " + tokens + ">'"},
		"both":                        {config: Config{Tokens: tokens}, address: reachable, token: secret, valid: []string{secret, "secret-of-ci"}, header: `"X-API-KEY: $SAVEDQ_TOKEN"`},
		"a file, on loopback":         {config: Config{Tokens: tokens}, address: loopback, valid: []string{"secret-of-ci"}, header: "'X-API-KEY: <the token {name} of " + tokens + ">'"},
		"no file":                     {config: Config{Tokens: tokens + "x"}, address: loopback, wrong: "tokens.yamlx"},
		"the same twice":              {config: Config{Tokens: tokens}, address: loopback, token: "secret-of-ci-and-all", wrong: `the tokens "other" and "environment" are the same`},
		"a variable with a space":     {address: loopback, token: "two words, and a few more", wrong: "the variable SAVEDQ_TOKEN: "},
		"no auth":                     {config: Config{NoAuth: true}, address: loopback, open: true},
		"no auth, elsewhere":          {config: Config{NoAuth: true}, address: reachable, wrong: "--no-auth: other machines can reach 0.0.0.0:8080"},
		"dev":                         {config: Config{Dev: true}, address: loopback, generated: true},
		"dev, elsewhere":              {config: Config{Dev: true}, address: reachable, wrong: "--dev: other machines can reach 0.0.0.0:8080; use it only with a loopback address such as 127.0.0.1:8080"},
		"dev with a token, elsewhere": {config: Config{Dev: true}, address: reachable, token: secret, wrong: "--dev: other machines can reach 0.0.0.0:8080"},
		"dev with a token":            {config: Config{Dev: true}, address: loopback, token: secret, valid: []string{secret}, header: `"X-API-KEY: $SAVEDQ_TOKEN"`},
		"dev without tokens":          {config: Config{Dev: true, NoAuth: true}, address: loopback, open: true},
		"no auth with a token":        {config: Config{NoAuth: true}, address: loopback, token: secret, wrong: "--no-auth: cannot be combined with"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			test.config.Address = test.address
			allowed, err := openAccess(t, test.config, test.token, slog.New(slog.NewTextHandler(&log, nil)))
			assert.Equal(t, test.warned, strings.Contains(log.String(), "is easy to guess"))
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
				assert.NotContains(t, err.Error(), "two words")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.generated, allowed.secret != "")
			if test.generated {
				test.header = "'X-API-KEY: " + allowed.secret + "'"
			}
			assert.Equal(t, test.header, allowed.header)
			if test.open {
				assert.Nil(t, allowed.keyring)
				return
			}
			for _, secret := range append(test.valid, allowed.secret) {
				if secret != "" {
					assert.True(t, accepts(t, allowed.keyring, secret))
				}
			}
			assert.False(t, accepts(t, allowed.keyring, "another"))
		})
	}
}

// The variables of the original service hold a token that may do everything, and one that may only
// send events.
func TestVariablesOfTheOriginal(t *testing.T) {
	t.Parallel()
	const private, public = "private-of-16-chr", "public-of-16-char"
	open := func(variables map[string]string) (access, error) {
		config := Config{Address: reachable, Getenv: func(name string) string { return variables[name] }}
		return openAccess(t, config, "", slog.New(slog.DiscardHandler))
	}
	both := map[string]string{"LOGFLARE_PRIVATE_ACCESS_TOKEN": private, "LOGFLARE_PUBLIC_ACCESS_TOKEN": public}
	allowed, err := open(both)
	require.NoError(t, err)
	assert.Equal(t, `"X-API-KEY: $LOGFLARE_PRIVATE_ACCESS_TOKEN"`, allowed.header)
	may := func(secret string, ask func(context.Context) bool) (answer bool) {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("Authorization", "Bearer "+secret)
		auth.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { answer = ask(r.Context()) }), auth.HandlerConfig{
			Keyring: allowed.keyring, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
			WriteError: func(http.ResponseWriter, *http.Request, error) {},
		}).ServeHTTP(httptest.NewRecorder(), request)
		return answer
	}
	assert.True(t, may(private, auth.HasFullAccess))
	assert.True(t, may(public, auth.Ingests))
	assert.False(t, may(public, auth.HasFullAccess))
	assert.False(t, may(public, auth.Unlimited))
	catalog, _, err := engines.Folders{}.Read(duckdbsql.Dialect{})
	require.NoError(t, err)
	for _, token := range allowed.keyring.Tokens(time.Now()) {
		assert.Equal(t, token.Name == "logflare-private", len(token.Allows(catalog.Queries())) > 0, token.Name)
	}

	allowed, err = open(map[string]string{"LOGFLARE_PUBLIC_ACCESS_TOKEN": public})
	require.NoError(t, err)
	assert.Equal(t, `"X-API-KEY: $LOGFLARE_PUBLIC_ACCESS_TOKEN"`, allowed.header)
	both["LOGFLARE_PUBLIC_ACCESS_TOKEN"] = private
	_, err = open(both)
	require.ErrorContains(t, err, `the tokens "logflare-private" and "logflare-public" are the same`)
	both["LOGFLARE_PUBLIC_ACCESS_TOKEN"] = "two words, and a few more"
	_, err = open(both)
	require.ErrorContains(t, err, "the variable LOGFLARE_PUBLIC_ACCESS_TOKEN: ")
}

// A tokens file that others can read is used, with a warning.
func TestTokensFileOfOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, []byte("tokens:\n"+auth.EntryYAML(auth.FullAccess("ci"), auth.HashOf("secret"))), 0o600))
	var log bytes.Buffer
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o755))
	require.NoError(t, os.Chmod(path, 0o644))
	_, err := openAccess(t, Config{Address: loopback, Tokens: path}, "", slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	assert.Contains(t, log.String(), "level=WARN msg=\"every user of this machine can read the tokens file")
}
