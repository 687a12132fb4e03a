package cli

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/sqlq"
)

// openAccess opens the access of a server on an address.
func openAccess(t *testing.T, flags accessFlags, address, token string) (access, error) {
	t.Helper()
	catalog, err := sqlq.ShippedCatalog(sqlq.DuckDB)
	require.NoError(t, err)
	resolved, err := net.ResolveTCPAddr("tcp", address)
	require.NoError(t, err)
	return flags.open(resolved, catalog, &terminal{getenv: func(name string) string {
		assert.Equal(t, "SAVEDQ_TOKEN", name)
		return token
	}})
}

const (
	loopback  = "127.0.0.1:8080"
	reachable = "0.0.0.0:8080"
)

// There is no anonymous access, but where nobody else can come a start needs nothing.
func TestAccess(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	entry := auth.EntryYAML(auth.FullAccess("ci"), auth.HashOf("secret-of-ci"))
	require.NoError(t, os.WriteFile(tokens, []byte("tokens:\n"+entry), 0o600))
	tests := map[string]struct {
		flags          accessFlags
		address, token string
		// lets are secrets that let a caller in; made says that the server makes one.
		lets  []string
		made  bool
		open  bool
		wrong string
	}{
		"nothing, on loopback":    {address: loopback, made: true},
		"nothing, on IPv6":        {address: "[::1]:8080", made: true},
		"nothing, elsewhere":      {address: reachable, wrong: `--addr: other machines can reach 0.0.0.0:8080, so callers need tokens: set the variable SAVEDQ_TOKEN, or give --tokens FILE ("savedq token new --name NAME" makes an entry)`},
		"the variable":            {address: reachable, token: "secret", lets: []string{"secret"}},
		"a file":                  {flags: accessFlags{Tokens: tokens}, address: reachable, lets: []string{"secret-of-ci"}},
		"both":                    {flags: accessFlags{Tokens: tokens}, address: reachable, token: "secret", lets: []string{"secret", "secret-of-ci"}},
		"a file, on loopback":     {flags: accessFlags{Tokens: tokens}, address: loopback, lets: []string{"secret-of-ci"}},
		"no file":                 {flags: accessFlags{Tokens: tokens + "x"}, address: loopback, wrong: "tokens.yamlx"},
		"the same twice":          {flags: accessFlags{Tokens: tokens}, address: loopback, token: "secret-of-ci", wrong: `the tokens "ci" and "environment" are the same`},
		"a variable with a space": {address: loopback, token: "two words", wrong: "the variable SAVEDQ_TOKEN: "},
		"no auth":                 {flags: accessFlags{NoAuth: true}, address: loopback, open: true},
		"no auth, elsewhere":      {flags: accessFlags{NoAuth: true}, address: reachable, wrong: "--no-auth: other machines can reach 0.0.0.0:8080"},
		"no auth with a token":    {flags: accessFlags{NoAuth: true}, address: loopback, token: "secret", wrong: "--no-auth: lets everybody in"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			allowed, err := openAccess(t, test.flags, test.address, test.token)
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
				assert.NotContains(t, err.Error(), "two words")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.made, allowed.secret != "")
			if test.open {
				assert.Nil(t, allowed.keyring)
				return
			}
			for _, secret := range append(test.lets, allowed.secret) {
				if secret != "" {
					_, err := allowed.keyring.Authenticate(secret, time.Now())
					require.NoError(t, err)
				}
			}
			_, err = allowed.keyring.Authenticate("another", time.Now())
			require.Error(t, err)
		})
	}
}

func TestAccessFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"serve --no-auth --tokens=x":                       "--no-auth: lets everybody in, so --tokens would mean nothing; give one of them",
		"serve --tokens=savedq_" + strings.Repeat("a", 43): "--tokens: this is a token, and not a file of tokens; a token goes into the variable SAVEDQ_TOKEN",
		"serve --cors-origins=*":                           `--cors-origins: "*" is not an origin such as https://app.example.com`,
		"serve --cors-origins=https://app.example.com/":    `--cors-origins: "https://app.example.com/" is not an origin`,
		"serve --cors-origins=app.example.com":             `--cors-origins: "app.example.com" is not an origin`,
		"serve --cors-origins=ftp://app.example.com":       `--cors-origins: "ftp://app.example.com" is not an origin`,
		"serve --metrics-addr=nine":                        `--metrics-addr: "nine" is not an address such as 127.0.0.1:8080`,
		"serve --drain=0s":                                 "--drain: 0s is not a positive duration such as 35s",
		"serve --max-requests=0":                           "--max-requests: 0 is not at least 1",
		"serve --log-level=loud":                           "--log-level",
		"serve --log-format=xml":                           `--log-format must be one of "auto","json","text"`,
		"token new":                                        "missing flags: --name=NAME",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			assert.Equal(t, statusUsage, Run(t.Context(), strings.Fields(args), &stdout, &stderr))
			assert.Contains(t, stderr.String(), want)
			assert.Empty(t, stdout.String())
		})
	}
}

// "token new" prints a secret, and an entry that lets it in with what the flags say.
func TestTokenNew(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	require.Equal(t, statusOK, Run(t.Context(), []string{
		"token", "new", "--name=chart", "--expires=2027-01-01", "--endpoints=usage.api-counts,logs.all", "--projects=acme",
		"--project-tier=PRO", "--rate=2.5", "--burst=10", "--refresh",
	}, &stdout, &stderr), stderr.String())
	secret := regexp.MustCompile(`(?m)^savedq_[\w-]{43}$`).FindString(stdout.String())
	require.NotEmpty(t, secret, stdout.String())
	_, file, found := strings.Cut(stdout.String(), "\ntokens:\n")
	require.True(t, found)
	credentials, err := auth.ReadTokens("tokens.yaml", []byte("tokens:\n"+file), []string{"usage.api-counts", "logs.all"})
	require.NoError(t, err)
	assert.Equal(t, []auth.Credential{{Hash: auth.HashOf(secret), Token: auth.Token{
		Name: "chart", Expires: time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC),
		Endpoints: []string{"usage.api-counts", "logs.all"}, Projects: []string{"acme"}, MaxTier: "PRO",
		Rate: 2.5, Burst: 10, Refresh: true,
	}}}, credentials)
	assert.NotContains(t, file, secret)
}

func TestTokenNewRefuses(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	assert.Equal(t, statusFailed, Run(t.Context(), []string{
		"token", "new", "--name=two words", "--expires=soon", "--project-tier=GOLD", "--rate=-1", "--burst=-1",
	}, &stdout, &stderr))
	for _, flag := range []string{"--name: ", "--expires: ", "--project-tier: ", "--rate: ", "--burst: "} {
		assert.Contains(t, stderr.String(), flag)
	}
	assert.Empty(t, stdout.String())
}
