package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runToken runs a command with standard input, at a fixed time.
func runToken(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	term := &terminal{
		stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs,
		clock:  func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
		getenv: func(string) string { return "" },
	}
	parser, err := newParser(&commands{}, newEnvironment(term.getenv), kong.Writers(&out, &errs))
	require.NoError(t, err)
	parsed, err := parseArguments(parser, args)
	if err != nil {
		return statusUsage, out.String(), err.Error()
	}
	parsed.BindTo(t.Context(), (*context.Context)(nil))
	if err := parsed.Run(term); err != nil {
		return statusUsage, out.String(), err.Error()
	}
	return statusOK, out.String(), errs.String()
}

// A token that "token sign" creates is one that "token verify" describes.
func TestTokenSignAndVerify(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(directory, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	key := write("secret", strings.Repeat("s", 32))
	short := write("short", "s")
	file := write("jwt.yaml", "issuers:\n  - issuer: https://app.example.com\n    audience: savedq\n    algorithms: [HS256]\n    keys: secret\n"+
		"    bind: {project: app_metadata.project}\n    endpoints: [functions.list, logs.all]\n    rate: 5\n")
	sign := []string{"token", "sign", "--key", key, "--issuer", "https://app.example.com", "--audience", "savedq"}
	status, token, stderr := runToken(t, "", append(sign, "--subject", "user-1", "--claim", "app_metadata.project=acme", "--claim", `roles=["a","b"]`)...)
	require.Zero(t, status, stderr)
	status, stdout, stderr := runToken(t, token, "token", "verify", "--jwt", file)
	require.Zero(t, status, stderr)
	assert.Equal(t, `issuer      https://app.example.com
subject     user-1
name        jwt:user-1
expires     2026-11-20T13:00:00Z
bound       project: acme
endpoints   functions.list, logs.all
rate        5 requests per second
refresh     no
sandbox     no
explore     no
`, stdout)

	status, without, _ := runToken(t, "", sign...)
	require.Zero(t, status)
	for _, test := range []struct {
		stdin, want string
		args        []string
	}{
		{without, "the server would refuse the token: the token has no claim app_metadata.project", []string{"token", "verify", "--jwt", file}},
		{token[:strings.LastIndex(token, ".")+1+40], "the server would refuse the token: the token's signature is not valid", []string{"token", "verify", "--jwt", file}},
		{"savedq_x", "the server would refuse the token: the token is not complete", []string{"token", "verify", "--jwt", file}},
		{"", "standard input has no token", []string{"token", "verify", "--jwt", file}},
		{token, "cannot be used: no such file", []string{"token", "verify", "--jwt", "/nosuch"}},
		{token, "missing flags: --jwt=FILE", []string{"token", "verify"}},
		{"", "missing flags", []string{"token", "sign"}},
		{"", "--issuer: must not be empty", append(sign, "--issuer=")},
		{"", "--audience: must not be empty", append(sign, "--audience=")},
		{"", "--expires-in: must be at least 1s, not 0s", append(sign, "--expires-in", "0s")},
		{"", `--claim: "project" is not a claim such as app_metadata.project=acme`, append(sign, "--claim", "project")},
		{"", `--claim: "a..b=1" is not a claim`, append(sign, "--claim", "a..b=1")},
		{"", "the claim has a value already", append(sign, "--claim", "exp=1")},
		{"", "the claim iss has a value already", append(sign, "--claim", "iss.x=1")},
		{"", "the secret has 1 bytes; HS256 needs at least 32", []string{"token", "sign", "--key", short, "--issuer", "x", "--audience", "y"}},
		{"", "--key: /nosuch cannot be used", []string{"token", "sign", "--key", "/nosuch", "--issuer", "x", "--audience", "y"}},
	} {
		status, stdout, stderr := runToken(t, test.stdin, test.args...)
		assert.NotZero(t, status, test.want)
		assert.Contains(t, stderr, test.want)
		assert.Empty(t, stdout)
	}
}
