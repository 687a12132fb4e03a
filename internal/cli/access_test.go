package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/usage"
)

func TestAccessFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"serve --no-auth --tokens=x":                       "--no-auth: cannot be combined with --tokens; use one of them",
		"serve --tokens=savedq_" + strings.Repeat("a", 43): "--tokens: the value is a token, not a file of tokens; put a token into the variable SAVEDQ_TOKEN",
		"serve --cors-origins=*":                           `--cors-origins: "*" is not an origin such as https://app.example.com`,
		"serve --cors-origins=https://app.example.com/":    `--cors-origins: "https://app.example.com/" is not an origin`,
		"serve --cors-origins=app.example.com":             `--cors-origins: "app.example.com" is not an origin`,
		"serve --cors-origins=ftp://app.example.com":       `--cors-origins: "ftp://app.example.com" is not an origin`,
		"serve --metrics-addr=:9 --addr=:9":                "--metrics-addr: :9 is the address of --addr, which serves the metrics behind a token without this flag; choose another port",
		"serve --metrics-addr=nine":                        `--metrics-addr: "nine" is not an address such as 127.0.0.1:8080`,
		"serve --watch":                                    "--watch: there is nothing to watch; add --queries DIR",
		"serve --drain=0s":                                 "--drain: must be at least 1ms, not 0s",
		"serve --max-requests=0":                           "--max-requests: must be at least 1, not 0",
		"serve --log-level=loud":                           `--log-level: "loud" is not a level; use debug, info, warn or error`,
		"serve --dev=maybe":                                `--dev: bool value must be true, 1, yes, false, 0 or no but got "maybe"`,
		"token new --name":                                 "--name: expected string value",
		"load --parallel":                                  "--parallel: expected int value",
		"serve --query-timeout=5":                          `--query-timeout: "5" is not a duration such as 30s, 5m or 7d`,
		"serve --tokens=/nosuch":                           `--tokens: /nosuch does not exist; "savedq token new" creates its entries`,
		"serve --tokens=/":                                 "--tokens: / cannot be used: it is a directory; name the file in it",
		"serve --tokens=/dev/null":                         "--tokens: /dev/null cannot be used: it is not a regular file but a pipe, a socket or a device; write its content to a file",
		"serve --no-auth --jwt=x":                          "--no-auth: cannot be combined with --jwt; use one of them",
		"serve --jwt=/nosuch":                              "--jwt: /nosuch does not exist; docs/frontend-tokens.md shows one",
		"serve --jwt=/dev/null":                            "--jwt: /dev/null cannot be used: it is not a regular file",
		"serve --jwt=eyJhbGciOiJIUzI1NiJ9.e30.c2ln":        "--jwt: the value is a token, not a file of issuers",
		"serve --addr=127.0.0.1:99999":                     "--addr: 127.0.0.1:99999: the port must be 0 to 65535\n",
		"serve --metrics-addr=127.0.0.1:-1":                "--metrics-addr: 127.0.0.1:-1: the port must be 0 to 65535\n",
		"serve --max-requests=abc":                         `--max-requests: expected a valid 64 bit int but got "abc"`,
		"serve --max-requests=99999999999999999999":        `--max-requests: expected a valid 64 bit int but got "99999999999999999999"`,
		"serve --max-requests -5":                          `--max-requests: expected int value but got "-5" (short flag); perhaps try --max-requests="-5"?`,
		"serve --drain -5s":                                `--drain: expected duration value but got "-5s"`,
		"sever":                                            `did you mean "serve"?`,
		"nosuch":                                           "unexpected argument nosuch\n",
		"serve --log-format=xml":                           `--log-format must be one of "auto","json","text" but got "xml"`,
		"serve --max-event=13MiB":                          "--max-event: 13 MiB is not a size from 1 KiB to 12 MiB",
		"serve --max-event=1023":                           "--max-event: 1023 B is not a size from 1 KiB to 12 MiB",
		"serve --vercel-verify=ä":                          `--vercel-verify: "ä" is not a key as Vercel shows it, of printable characters without spaces`,
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

// A file that others can change is rejected before anything is opened, even for root.
func TestTokensFileOfOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, []byte("tokens:\n"+auth.EntryYAML(auth.FullAccess("ci"), auth.HashOf("secret"))), 0o600))
	require.NoError(t, os.Chmod(path, 0o664))
	var stdout, stderr strings.Builder
	assert.Equal(t, statusUsage, Run(t.Context(), []string{"serve", "--tokens", path}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "--tokens: "+path+" cannot be used: others can write to it, because it has the mode 0664; run: chmod go-w "+path)
}

// "token new" prints a secret and an entry with the limits of the flags.
func TestTokenNew(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	require.Equal(t, statusOK, Run(t.Context(), []string{
		"token", "new", "--name=chart", "--expires=2999-01-01", "--endpoints=usage.api-counts,logs.all", "--projects=acme",
		"--project-tier=PRO", "--rate=2.5", "--burst=10", "--budget-hour=requests=5", "--budget-day=bytes=1GiB;engine_seconds=60", "--refresh", "--metrics",
	}, &stdout, &stderr), stderr.String())
	secret := regexp.MustCompile(`(?m)^savedq_[\w-]{43}$`).FindString(stdout.String())
	require.NotEmpty(t, secret, stdout.String())
	_, file, found := strings.Cut(stdout.String(), "\ntokens:\n")
	require.True(t, found)
	credentials, err := auth.ReadTokens("tokens.yaml", []byte("tokens:\n"+file), auth.Known{Endpoints: []string{"usage.api-counts", "logs.all"}, Tiers: []string{"PRO"}})
	require.NoError(t, err)
	assert.Equal(t, []auth.Credential{{Hash: auth.HashOf(secret), Token: auth.Token{
		Name: "chart", Expires: time.Date(2999, time.January, 1, 0, 0, 0, 0, time.UTC),
		Endpoints: []string{"usage.api-counts", "logs.all"}, Projects: []string{"acme"}, MaxTier: "PRO",
		Rate: 2.5, Burst: 10,
		Budget: usage.Budget{Hour: usage.Amounts{Requests: 5}, Day: usage.Amounts{Bytes: 1 << 30, EngineTime: time.Minute}}, Refresh: true, Metrics: true,
	}}}, credentials)
	assert.NotContains(t, file, secret)
}

// "token new" warns about saved queries that it does not know, since a server without them
// would not start. It finds those of --queries, also by id and alias.
func TestTokenNewWarnsOfUnknownEndpoints(t *testing.T) {
	t.Parallel()
	directory := writeFolder(t, "", "SELECT 'a' AS x")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"known":             {[]string{"--endpoints=logs.all,C4D5E6F7-1a2b-4c3d-8e9f-0a1b2c3d4e32"}, ""},
		"mistyped":          {[]string{"--endpoints=logs.al"}, `warning: there is no saved query "logs.al"; did you mean "logs.all"? Otherwise name its directory with --queries` + "\n"},
		"unknown":           {[]string{"--endpoints=logs.all,mine"}, `warning: there is no saved query "mine"; name its directory with --queries` + "\n"},
		"in the directory":  {[]string{"--endpoints=logs.all,mine", "--queries", directory}, ""},
		"another letter":    {[]string{"--endpoints=nosuch,Mine", "--queries", directory}, `warning: there is no saved query "Mine"; did you mean "mine"? Otherwise name its directory with --queries` + "\n" + `warning: there is no saved query "nosuch"; name its directory with --queries` + "\n"},
		"without endpoints": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			assert.Equal(t, statusOK, Run(t.Context(), append([]string{"token", "new", "--name=chart"}, test.args...), &stdout, &stderr))
			assert.Equal(t, test.want, stderr.String())
			assert.Contains(t, stdout.String(), "savedq_")
		})
	}
}

// All mistakes are reported at once. An empty limit is a mistake, because a script meant to
// set it.
func TestTokenNewRejects(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"--name=two_words! --expires=soon --project-tier=GOLD --rate=-1 --burst=-1": {"--name: ", "--expires: ", "--project-tier: ", "--rate: ", "--burst: "},
		"--expires=2001-01-01":            {"--expires: 2001-01-01 is in the past, so the token would never be valid"},
		"--rate=0":                        {"--rate: the rate must be a number of requests a second above 0"},
		"--rate=NaN":                      {"--rate: the rate must be a number of requests a second above 0"},
		"--budget-hour=rows=0":            {"--budget-hour: rows must be a whole number from 1"},
		"--budget-day=calls=5":            {`--budget-day: unknown key "calls"; the keys are requests, rows, bytes, engine_seconds`},
		"--budget-day=requests=1,rows=2":  {`--budget-day: requests must be a whole number from 1 to 1000000000000000; separate amounts with ";"`},
		"--budget-hour=bytes=1GiB,rows=2": {`--budget-hour: bytes must be a size of at least 1 byte, such as 10GiB; separate amounts with ";"`},
		"--rate=1 --burst=0":              {"--burst: the burst must be a whole number of requests from 1"},
		"--burst=1":                       {"--burst: needs --rate"},
		"--sources=edge_logs":             {"--sources: needs --ingest"},
		"--ingest --sources=nosuch":       {`--sources: "nosuch" is not a log source; the log sources are edge_logs (cloudflare.logs.prod), postgres_logs`},
		"--ingest --sources=edge_logs,cloudflare.logs.prod": {"--sources: edge_logs is listed twice"},
		"--projects=a,,b": {"--projects: must not be empty or have an empty name; leave it out for all"},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			assert.Equal(t, statusFailed, Run(t.Context(), append([]string{"token", "new", "--name=chart"}, strings.Fields(args)...), &stdout, &stderr))
			for _, mistake := range want {
				assert.Contains(t, stderr.String(), mistake)
			}
			assert.Equal(t, len(want), strings.Count(stderr.String(), "\n"), stderr.String())
			assert.Empty(t, stdout.String())
		})
	}
	var stdout, stderr strings.Builder
	assert.Equal(t, statusUsage, Run(t.Context(), []string{"token", "new", "--name=chart", "--rate="}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "--rate: ")
}
