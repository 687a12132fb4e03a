package auth_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/auth"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// known returns the names that tokens files of tests may use.
func known() auth.Known {
	return auth.Known{
		Endpoints: []string{"functions.invocation-stats", "logs.all", "usage.api-counts"},
		Tiers:     []string{"FREE", "PRO", "PAYG", "ENTERPRISE"},
		Sources:   sqlq.Tables{{Name: "edge_logs", Aliases: []string{"cloudflare.logs.prod"}}, {Name: "auth_logs", Aliases: []string{"gotrue.logs.prod"}}},
	}
}

// hash returns the digits of the hash of a secret.
func hash(secret string) string { return auth.HashOf(secret).String() }

func TestReadTokens(t *testing.T) {
	t.Parallel()
	file := "\ufeff# Access tokens.\ntokens:\n" +
		"  - name: everything # but see below\n" +
		"    sha256: " + hash("one") + "\n" +
		"    created: 2026-11-20\n    manage_tokens: true\n" +
		"  - name: 'grafana'\n" +
		"    sha256: \"" + strings.ToUpper(hash("two")) + "\"\n" +
		"    expires: 2027-01-31\n" +
		"    endpoints: [logs.all, usage.api-counts]\n" +
		"    projects:\n" +
		"      - acme\n" +
		"      - 0042\n" +
		"    project_tier: PAYG\n" +
		"    rate: 2.5\n" +
		"    burst: 10\n" +
		"    ingest: true\n    sources: [gotrue.logs.prod, edge_logs]\n" +
		"    refresh: true\n    explore: true\n    alerts: true\n    metrics: true\n" +
		"  - {sha256: " + hash("three") + ", name: 7, rate: 3, ingest: false, refresh: false, expires: '2027-01-31T12:00:00+01:00'}\n"
	want := []auth.Credential{
		{Hash: auth.HashOf("one"), Token: auth.Token{Name: "everything", Created: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), ManageTokens: true}},
		{Hash: auth.HashOf("two"), Token: auth.Token{
			Name: "grafana", Expires: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
			Endpoints: []string{"logs.all", "usage.api-counts"}, Projects: []string{"acme", "0042"}, MaxTier: "PAYG",
			Rate: 2.5, Burst: 10, Ingest: true, Sources: []string{"auth_logs", "edge_logs"}, Refresh: true, Explore: true, Alerts: true, Metrics: true,
		}},
		{Hash: auth.HashOf("three"), Token: auth.Token{Name: "7", Rate: 3, Expires: time.Date(2027, 1, 31, 11, 0, 0, 0, time.UTC)}},
	}
	for name, text := range map[string]string{"with LF": file, "with CRLF": strings.ReplaceAll(file, "\n", "\r\n")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			credentials, err := auth.ReadTokens("tokens.yaml", []byte(text), known())
			require.NoError(t, err)
			assert.Equal(t, want, credentials)
		})
	}
}

// All mistakes of a file are reported at once.
func TestReadTokensReportsEveryMistake(t *testing.T) {
	t.Parallel()
	one, two := hash("one"), hash("two")
	tests := map[string]struct{ file, want string }{
		"no mapping":             {"- name: a\n", "tokens.yaml:1:1: must be a mapping with the keys tokens"},
		"too large":              {"#" + strings.Repeat(" ", 1<<20), "tokens.yaml: is larger than 1048576 bytes"},
		"no tokens":              {"tokens:\n", "tokens.yaml:1:9: tokens must be a list"},
		"an empty list":          {"tokens: []\n", "tokens.yaml:1:9: tokens must not be an empty list"},
		"another key":            {"token: []\n", "tokens.yaml:1:1: unknown key \"token\"; the keys are tokens\ntokens.yaml:1:1: key \"tokens\" is missing"},
		"two documents":          {"tokens:\n- {name: a, sha256: " + one + "}\n---\ntokens: 7\n", "tokens.yaml:3:1: a tokens file is one document; remove the second one"},
		"no entry":               {"tokens:\n- a\n", "tokens.yaml:2:3: must be a mapping with the keys name, sha256, created, expires, endpoints, projects, project_tier, rate, burst, budget, sources, ingest, refresh, sandbox, explore, alerts, metrics, manage_tokens"},
		"an empty entry":         {"tokens:\n- {}\n", "tokens.yaml:2:3: key \"name\" is missing\ntokens.yaml:2:3: key \"sha256\" is missing"},
		"a name twice":           {"tokens:\n- name: a\n  sha256: " + one + "\n- name: a\n  sha256: " + two + "\n", "tokens.yaml:4:9: name \"a\" is already taken in line 2"},
		"a hash twice":           {"tokens:\n- name: a\n  sha256: " + one + "\n- name: b\n  sha256: " + strings.ToUpper(one) + "\n", "tokens.yaml:5:11: sha256 is the same as in line 3; each entry needs a token of its own"},
		"an unsuitable name":     {entryWith("name: a b"), "tokens.yaml:3:9: a token's name must have at most 64 letters, digits, dots, dashes and underscores, and begin with a letter or digit"},
		"a name that is a list":  {entryWith("name: [a]"), "tokens.yaml:3:9: must be a string of one line"},
		"an empty name":          {entryWith("name: ''"), "tokens.yaml:3:9: must not be empty"},
		"an invalid date":        {entryWith("expires: 2027-02-30"), "tokens.yaml:3:12: the expiry must be a date such as 2027-01-31, at whose beginning in UTC the token expires, or an RFC 3339 time such as 2027-01-31T12:00:00Z"},
		"an empty date":          {entryWith("expires:"), "tokens.yaml:3:11: must be a string of one line"},
		"an unknown endpoint":    {entryWith("endpoints: [logs.all, logs.none]"), "tokens.yaml:3:25: endpoint \"logs.none\" is unknown; the endpoints are functions.invocation-stats, logs.all, usage.api-counts"},
		"no endpoints":           {entryWith("endpoints: []"), "tokens.yaml:3:14: endpoints must not be an empty list"},
		"endpoints not a list":   {entryWith("endpoints: logs.all"), "tokens.yaml:3:14: endpoints must be a list"},
		"no projects":            {entryWith("projects: []"), "tokens.yaml:3:13: projects must not be an empty list"},
		"a null for projects":    {entryWith("projects:"), "tokens.yaml:3:12: projects must be a list"},
		"a project twice":        {entryWith("projects: [a, b, a]"), "tokens.yaml:3:20: \"a\" is listed twice"},
		"an empty project":       {entryWith("projects: [a, '']"), "tokens.yaml:3:17: must not be empty"},
		"a project that is true": {entryWith("projects: [true]"), "tokens.yaml:3:14: must be a string of one line"},
		"a project with a break": {entryWith(`projects: ["a\nb"]`), "tokens.yaml:3:14: must have printable characters only"},
		"an unknown tier":        {entryWith("project_tier: pro"), "tokens.yaml:3:17: the project tier must be one of FREE, PRO, PAYG, ENTERPRISE"},
		"a zero rate":            {entryWith("rate: 0"), "tokens.yaml:3:9: " + rateMistake},
		"a negative rate":        {entryWith("rate: -1.5"), "tokens.yaml:3:9: " + rateMistake},
		"an infinite rate":       {entryWith("rate: .inf"), "tokens.yaml:3:9: " + rateMistake},
		"a rate in quotes":       {entryWith("rate: '1'"), "tokens.yaml:3:9: " + rateMistake},
		"a rate too high":        {entryWith("rate: 99999999999999999999"), "tokens.yaml:3:9: " + rateMistake},
		"only a burst":           {entryWith("burst: 5"), "tokens.yaml:3:10: burst needs a rate"},
		"a wrong burst":          {entryWith("rate: 1\n  burst: 1.5"), "tokens.yaml:4:10: the burst must be a whole number of requests from 1 to 1000000"},
		"a zero burst":           {entryWith("rate: 1\n  burst: 0"), "tokens.yaml:4:10: the burst must be a whole number of requests from 1 to 1000000"},
		"wrong rate and burst":   {entryWith("rate: x\n  burst: -1"), "tokens.yaml:3:9: " + rateMistake + "\ntokens.yaml:4:10: the burst must be a whole number of requests from 1 to 1000000"},
		"a budget of a number":   {entryWith("budget: 5"), "tokens.yaml:3:11: must be a mapping with the keys hour, day"},
		"an empty budget":        {entryWith("budget: {}"), "tokens.yaml:3:11: " + budgetMistake},
		"an empty period":        {entryWith("budget: {day: {}}"), "tokens.yaml:3:17: " + budgetMistake},
		"a budget of a month":    {entryWith("budget: {month: {requests: 1}}"), "tokens.yaml:3:11: " + budgetMistake + "\ntokens.yaml:3:12: unknown key \"month\"; the keys are hour, day"},
		"wrong amounts": {
			entryWith("budget: {hour: {requests: 0, rows: many, bytes: 1GX, engine_seconds: -1}, day: {queries: 1, requests: 5}}"),
			"tokens.yaml:3:29: requests must be a whole number from 1 to 1000000000000000\n" +
				"tokens.yaml:3:38: rows must be a whole number from 1 to 1000000000000000\n" +
				"tokens.yaml:3:51: bytes must be a size of at least 1 byte, such as 10GiB\n" +
				"tokens.yaml:3:72: engine_seconds must be a number of seconds from 0.001 to 1000000000\n" +
				"tokens.yaml:3:83: unknown key \"queries\"; the keys are requests, rows, bytes, engine_seconds",
		},
		"ingest with a word":        {entryWith("ingest: yes"), "tokens.yaml:3:11: ingest must be true or false"},
		"an unknown source":         {entryWith("ingest: true\n  sources: [edge_logs, nosuch]"), "tokens.yaml:4:24: \"nosuch\" is not a log source; the log sources are edge_logs (cloudflare.logs.prod), auth_logs (gotrue.logs.prod)"},
		"a source under both names": {entryWith("ingest: true\n  sources: [edge_logs, cloudflare.logs.prod]"), "tokens.yaml:4:24: edge_logs is listed twice, under both of its names"},
		"no sources":                {entryWith("ingest: true\n  sources: []"), "tokens.yaml:4:12: sources must not be an empty list"},
		"sources without ingest":    {entryWith("sources: [edge_logs]"), "tokens.yaml:3:12: sources needs ingest: true"},
		"refresh with a number":     {entryWith("refresh: 1"), "tokens.yaml:3:12: refresh must be true or false"},
		"metrics with a number":     {entryWith("metrics: 1"), "tokens.yaml:3:12: metrics must be true or false"},
		"created with a word":       {entryWith("created: once"), "tokens.yaml:3:12: must be an RFC 3339 time such as 2027-01-31T12:00:00Z, or a date"},
		"a manager of a project":    {entryWith("manage_tokens: true\n  projects: [acme]"), "tokens.yaml:3:18: " + managingMistake},
		"a manager with a budget":   {entryWith("manage_tokens: true\n  budget: {day: {rows: 1}}"), "tokens.yaml:3:18: " + managingMistake},
		"many": {
			"tokens:\n- name: a\n  sha256: 12\n  rights: all\n- projects: []\n  rate: fast\ntoken: x\n",
			"tokens.yaml:3:11: " + hashMistake + "\n" +
				"tokens.yaml:4:3: unknown key \"rights\"; the keys are name, sha256, created, expires, endpoints, projects, project_tier, rate, burst, budget, sources, ingest, refresh, sandbox, explore, alerts, metrics, manage_tokens\n" +
				"tokens.yaml:5:3: key \"name\" is missing\n" +
				"tokens.yaml:5:3: key \"sha256\" is missing\n" +
				"tokens.yaml:5:13: projects must not be an empty list\n" +
				"tokens.yaml:6:9: " + rateMistake + "\n" +
				"tokens.yaml:7:1: unknown key \"token\"; the keys are tokens",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			credentials, err := auth.ReadTokens("tokens.yaml", []byte(test.file), known())
			require.EqualError(t, err, test.want)
			assert.Nil(t, credentials)
			var mistakes sqlq.FileErrors
			assert.ErrorAs(t, err, &mistakes)
		})
	}
}

const (
	rateMistake     = "the rate must be a number of requests a second above 0 and up to 1000000, such as 2.5; leave it out for no limit"
	managingMistake = "a token with manage_tokens can have no limits, because the tokens that it creates would not have them"
	budgetMistake   = "a budget must have a limit for hour or day, such as {day: {requests: 10000}}"
	hashMistake     = "sha256 must be the 64 hexadecimal digits of the SHA-256 of the token; savedq token new prints both"
)

// entryWith returns a tokens file whose third line is line.
func entryWith(line string) string {
	if key := "name: "; strings.HasPrefix(line, key) {
		return "tokens:\n- sha256: " + hash("one") + "\n  " + line + "\n"
	}
	return "tokens:\n- name: a\n  " + line + "\n  sha256: " + hash("one") + "\n"
}

// A secret that a user puts in place of its hash does not appear in the log.
func TestReadTokensDoesNotQuoteHashes(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"savedq_secret", hash("one")[1:], hash("one") + "0", "x" + hash("one")[1:], "[savedq_secret]", "true"} {
		_, err := auth.ReadTokens("tokens.yaml", []byte("tokens:\n- name: a\n  sha256: "+wrong+"\n"), known())
		require.EqualError(t, err, "tokens.yaml:3:11: "+hashMistake)
	}
}

// A hash that consists of digits only is a number in YAML.
func TestReadTokensAcceptsHashesOfDigits(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("1234567890", 7)[:64]
	credentials, err := auth.ReadTokens("tokens.yaml", []byte("tokens:\n- name: a\n  sha256: "+digits+"\n"), known())
	require.NoError(t, err)
	assert.Equal(t, digits, credentials[0].Hash.String())
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	read := func(path string) ([]auth.Credential, error) {
		return auth.ReadFile(path, known(), slog.New(slog.NewJSONHandler(&log, nil)))
	}
	_, err := read(path)
	require.EqualError(t, err, path+": cannot be used: no such file or directory")
	require.NoError(t, os.WriteFile(path, []byte("tokens:\n- name: a\n  sha256: "+hash("one")+"\n"), 0o600))
	credentials, err := read(path)
	require.NoError(t, err)
	assert.Equal(t, []auth.Credential{{Hash: auth.HashOf("one"), Token: auth.Token{Name: "a"}}}, credentials)
	assert.Empty(t, log.String())
	require.NoError(t, os.Chmod(path, 0o644))
	_, err = read(path)
	require.NoError(t, err)
	assert.Contains(t, log.String(), `"level":"WARN","msg":"every user of this machine can read the tokens file, which lists what each token may do","file":"`+path+`","run":"chmod o-r `+path+`"`)
	require.NoError(t, os.Chmod(path, 0o666))
	_, err = read(path)
	require.EqualError(t, err, path+": cannot be used: others can write to it, because it has the mode 0666; run: chmod go-w "+path)
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.WriteFile(path, make([]byte, 2<<20), 0o600))
	_, err = read(path)
	require.EqualError(t, err, path+": is larger than 1048576 bytes")
	_, err = read(filepath.Dir(path))
	require.EqualError(t, err, filepath.Dir(path)+": cannot be used: it is a directory; name the file in it")
}

func TestEntryYAML(t *testing.T) {
	t.Parallel()
	token := auth.Token{
		Name: "grafana", Expires: time.Date(2027, 1, 31, 13, 0, 0, 0, time.FixedZone("CET", 3600)),
		Endpoints: []string{"logs.all"}, Projects: []string{"acme", `g"lobex`}, MaxTier: "PRO",
		Rate: 0.000001, Burst: 3, Budget: usage.Budget{Hour: usage.Amounts{Requests: 10, EngineTime: 1500 * time.Millisecond}, Day: usage.Amounts{Rows: 20, Bytes: 1 << 40}},
		Ingest: true, Sources: []string{"edge_logs"}, Refresh: true, Explore: true, Alerts: true, Metrics: true,
	}
	assert.Equal(t, `  - name: "grafana"
    sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    expires: 2027-01-31T12:00:00Z
    endpoints: ["logs.all"]
    projects: ["acme", "g\"lobex"]
    project_tier: "PRO"
    rate: 0.000001
    burst: 3
    budget: {hour: {requests: 10, engine_seconds: 1.5}, day: {rows: 20, bytes: 1099511627776}}
    sources: ["edge_logs"]
    ingest: true
    refresh: true
    explore: true
    alerts: true
    metrics: true
`, auth.EntryYAML(token, auth.HashOf("abc")))
	assert.Equal(t, "  - name: \"a\"\n    sha256: \""+hash("abc")+"\"\n", auth.EntryYAML(auth.Token{Name: "a"}, auth.HashOf("abc")))
}

// ReadTokens reads what EntryYAML writes.
func TestEntryYAMLRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			file strings.Builder
			want []auth.Credential
		)
		file.WriteString("tokens:\n")
		for i := range rapid.IntRange(1, 4).Draw(t, "entries") {
			credential := auth.Credential{Token: randomToken(t), Hash: auth.HashOf(strconv.Itoa(i))}
			if i > 0 {
				credential.Token.Name = fmt.Sprintf("further-%d", i)
			}
			want = append(want, credential)
			file.WriteString(auth.EntryYAML(credential.Token, credential.Hash))
		}
		credentials, err := auth.ReadTokens("tokens.yaml", []byte(file.String()), known())
		require.NoError(t, err, file.String())
		assert.Equal(t, want, credentials, file.String())
	})
}

// randomToken draws any token that a tokens file can hold.
func randomToken(t *rapid.T) auth.Token {
	token := auth.Token{
		Name: rapid.OneOf(
			rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,63}`),
			rapid.SampledFrom([]string{"null", "true", "0x1F", "1e3", "0042", "1.5", "2027-01-31", "1_000"}),
		).Draw(t, "name"),
		MaxTier: rapid.SampledFrom([]string{"", "FREE", "PRO", "PAYG", "ENTERPRISE"}).Draw(t, "tier"),
		Ingest:  rapid.Bool().Draw(t, "ingest"),
		Refresh: rapid.Bool().Draw(t, "refresh"),
		Metrics: rapid.Bool().Draw(t, "metrics"),
	}
	if rapid.Bool().Draw(t, "created") {
		token.Created = time.Unix(rapid.Int64Range(0, 1<<36).Draw(t, "created at"), 0).UTC()
	}
	if token.Ingest && rapid.Bool().Draw(t, "limited to sources") {
		token.Sources = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"edge_logs", "auth_logs"}), 1, 2, rapid.ID).Draw(t, "sources")
	}
	if amounts := (usage.Amounts{Requests: rapid.Int64Range(0, 1e15).Draw(t, "requests"), EngineTime: time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "engine time")) * time.Millisecond}); amounts != (usage.Amounts{}) {
		token.Budget.Day = amounts
	}
	if rapid.Bool().Draw(t, "expires") {
		token.Expires = time.Unix(rapid.Int64Range(0, 1<<36).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
	}
	if rapid.Bool().Draw(t, "limited to endpoints") {
		token.Endpoints = rapid.SliceOfNDistinct(rapid.SampledFrom(known().Endpoints), 1, 3, rapid.ID).Draw(t, "endpoints")
	}
	if rapid.Bool().Draw(t, "limited to projects") {
		project := rapid.OneOf(
			rapid.StringMatching(`[[:print:]]{1,20}`),
			rapid.Map(rapid.StringN(1, 20, -1), onlyPrintable),
			rapid.SampledFrom([]string{"null", "~", "true", "7", ".5", "- a", "a: b", "#", "a #b", " a ", "'", `"`, `\`, "*a", "&a", "!a", "[", "{", "%", "@", "`", "日本", "😀"}),
		)
		token.Projects = rapid.SliceOfNDistinct(project, 1, 5, rapid.ID).Draw(t, "projects")
	}
	if rapid.Bool().Draw(t, "limited in rate") {
		token.Rate = rapid.OneOf(
			rapid.Float64Range(1e-9, 1e6),
			rapid.Map(rapid.IntRange(1, 1_000_000), func(n int) float64 { return float64(n) }),
		).Draw(t, "rate")
		token.Burst = rapid.IntRange(0, 1_000_000).Draw(t, "burst")
	}
	return token
}

// onlyPrintable replaces characters that a project's name must not contain.
func onlyPrintable(text string) string {
	return regexp.MustCompile(`[^\pL\pN\pP\pS\pM ]`).ReplaceAllString(strings.ToValidUTF8(text, "x"), "x")
}

// Any file is either read or rejected with a position. Tokens that were read can be
// written and read again.
func FuzzReadTokens(f *testing.F) {
	for _, seed := range []string{
		"", "tokens:", "tokens: []", "tokens:\n- {}", "? a\n: b", "tokens: &a [*a]", "tokens: !!seq []", "<<: {}", "tokens: |\n  a", "- - - -", "a: {b: [c", "---\n---\n",
		"tokens:\n" + auth.EntryYAML(auth.Token{Name: "a"}, auth.HashOf("a")),
		"tokens:\n" + auth.EntryYAML(auth.Token{
			Name: "b", Expires: noon(), Endpoints: []string{"logs.all"}, Projects: []string{"acme", "ä"},
			MaxTier: "PRO", Rate: 1.5, Burst: 2, Ingest: true, Refresh: true,
		}, auth.HashOf("b")),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4<<10 {
			t.Skip("deep nesting takes long to parse")
		}
		credentials, err := auth.ReadTokens("tokens.yaml", data, known())
		if err != nil {
			var mistakes sqlq.FileErrors
			require.ErrorAs(t, err, &mistakes)
			require.NotEmpty(t, mistakes)
			assert.Nil(t, credentials)
			return
		}
		require.NotEmpty(t, credentials)
		var again strings.Builder
		again.WriteString("tokens:\n")
		for _, credential := range credentials {
			require.NoError(t, auth.CheckName(credential.Token.Name))
			again.WriteString(auth.EntryYAML(credential.Token, credential.Hash))
		}
		reread, err := auth.ReadTokens("again.yaml", []byte(again.String()), known())
		require.NoError(t, err, again.String())
		assert.Equal(t, credentials, reread)
	})
}
