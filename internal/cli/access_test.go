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
	"savedq/internal/operations/usage"
)

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
	require.Len(t, credentials, 1)
	assert.WithinDuration(t, time.Now(), credentials[0].Token.Created, time.Minute)
	credentials[0].Token.Created = time.Time{}
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
	var parsed commands
	parser := newTestParser(t, &parsed, func(string) string { return "" })
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
		"--manage-tokens --projects=acme":                   {"--manage-tokens: a token with manage_tokens can have no limits"},
		"--endpoints=logs.all,logs.all":                     {`--endpoints: "logs.all" is listed twice`},
		"--projects=a,,b":                                   {"--projects: must not be empty or have an empty name; leave it out for all"},
	} {
		t.Run(args, func(t *testing.T) {
			_, err := parser.Parse(append([]string{"token", "new", "--name=chart"}, strings.Fields(args)...))
			require.NoError(t, err)
			_, err = parsed.Token.New.token(time.Now())
			for _, mistake := range want {
				require.ErrorContains(t, err, mistake)
			}
			assert.Equal(t, len(want)-1, strings.Count(err.Error(), "\n"), err.Error())
		})
	}
	_, err := parser.Parse([]string{"token", "new", "--name=chart", "--rate="})
	require.ErrorContains(t, err, "--rate: ")
	status, stdout, stderr := runCommand(t, "token", "new", "--name=chart", "--rate=0")
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "savedq: --rate: ")
	assert.Empty(t, stdout)
}
