package cli

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parse parses a command line in an environment.
func parse(t *testing.T, getenv func(name string) string, args ...string) commands {
	t.Helper()
	var parsed commands
	_, err := newTestParser(t, &parsed, getenv).Parse(args)
	require.NoError(t, err)
	return parsed
}

// An empty variable, as scripts and unit files leave them, does not set a flag.
func TestEmptyVariablesAreAbsent(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "copy")
	fillStore(t, backup)
	needed := map[string][]string{
		"load": {"--source=edge_logs", "cli.go"}, "query": {"logs.all"}, "token new": {"--name=chart"}, "new": {"mine", "--queries=."}, "import": {"cli.go", "--queries=."},
		"store delete": {"--project=acme"}, "store drop-field": {"orders.amount"}, "store backup": {"copy"}, "store export": {"days"}, "purge": {"--url=http://127.0.0.1:8080"}, "alerts": {"--url=http://127.0.0.1:8080"},
		"token sign": {"--issuer=https://auth.example.com", "--audience=savedq", "--key=cli.go"}, "token verify": {"--jwt=cli.go"},
		"store restore": {backup}, "translate": {"cli.go", "--to=duckdb"},
		"tables new": {"orders.csv"}, "token list": {"--tokens=cli.go"}, "token revoke": {"web", "--tokens=cli.go"}, "usage": {"--url=http://127.0.0.1:8080"},
	}
	var absent, empty commands
	without, with := newTestParser(t, &absent, func(string) string { return "" }), newTestParser(t, &empty, os.Getenv)
	for _, command := range without.Model.Leaves(true) {
		t.Run(command.Path(), func(t *testing.T) {
			for _, flag := range command.Flags {
				t.Setenv("SAVEDQ_"+strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_")), "")
			}
			args := append(strings.Fields(command.Path()), needed[command.Path()]...)
			for _, parser := range []*kong.Kong{without, with} {
				_, err := parser.Parse(args)
				require.NoError(t, err)
			}
			assert.Equal(t, absent, empty)
		})
	}
}

// The command line takes precedence over the variable, and the variable over the default.
func TestVariables(t *testing.T) {
	t.Parallel()
	getenv := func(variables map[string]string) func(string) string {
		return func(name string) string { return variables[name] }
	}
	serve := parse(t, getenv(map[string]string{
		"SAVEDQ_ADDR": "127.0.0.1:9", "SAVEDQ_DEMO": "true", "SAVEDQ_INTROSPECTION": "false", "SAVEDQ_DRAIN": "1m",
		"SAVEDQ_CORS_ORIGINS": "http://a.example,http://b.example", "SAVEDQ_LOG_LEVEL": "warn", "SAVEDQ_DUCKDB_MEMORY": "1GiB",
		"SAVEDQ_VERSION": "true", "SAVEDQ_HELP": "true", // not variables of flags
		"SAVEDQ_FORMAT": "of another command",
	}), "serve", "--drain=2s").Serve
	assert.Equal(t, []any{"127.0.0.1:9", true, false, "2s", "WARN", "./data"},
		[]any{serve.Addr, serve.Demo, serve.Introspection, serve.Drain.String(), slog.Level(serve.LogLevel).String(), serve.Data})
	assert.Equal(t, []string{"http://a.example", "http://b.example"}, serve.CORSOrigins)
	assert.Equal(t, byteSize(1<<30), *serve.DuckDBMemory)
	assert.Equal(t, "chart", parse(t, getenv(map[string]string{"SAVEDQ_NAME": "chart"}), "token", "new").Token.New.Name, "a flag that is required")
}

// A message about a flag names the variable that set it.
func TestMessagesNameVariables(t *testing.T) {
	for name, test := range map[string]struct{ variable, value, flag, want string }{
		"an address":  {"SAVEDQ_ADDR", "nine", "", "savedq: --addr: \"nine\" is not an address such as 127.0.0.1:8080\n--addr is set by the variable SAVEDQ_ADDR.\n"},
		"one of some": {"SAVEDQ_ENGINE", "sqlite", "", "--engine must be one of \"duckdb\",\"bigquery\",\"clickhouse\" but got \"sqlite\"\n--engine is set by the variable SAVEDQ_ENGINE.\n"},
		"a duration":  {"SAVEDQ_DRAIN", "5", "", "--drain: \"5\" is not a duration such as 30s, 5m or 7d, up to 65535d\n--drain is set by the variable SAVEDQ_DRAIN.\n"},
		"a switch":    {"SAVEDQ_DEMO", "perhaps", "", "--demo is set by the variable SAVEDQ_DEMO.\n"},
		"of two":      {"SAVEDQ_TOKENS", "environment.go", "--no-auth", "use one of them\n--tokens is set by the variable SAVEDQ_TOKENS.\n"},
		"a path":      {"SAVEDQ_BASE_PATH", "tools", "", "--base-path: \"tools\" is not a path such as /savedq: it must begin with a slash, and each part, not . or .., must have only letters, digits and the characters ._~-\n--base-path is set by the variable SAVEDQ_BASE_PATH.\n"},
		"a flag":      {"SAVEDQ_ADDR", "nine", "--addr=ten", "\"ten\" is not an address such as 127.0.0.1:8080\nRun "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(test.variable, test.value)
			var stdout, stderr strings.Builder
			assert.Equal(t, statusUsage, Run(t.Context(), strings.Fields("serve "+test.flag), &stdout, &stderr))
			assert.Contains(t, stderr.String(), test.want)
		})
	}
	t.Run("after the start", func(t *testing.T) {
		t.Setenv("SAVEDQ_DATA", t.TempDir())
		var stdout, stderr strings.Builder
		assert.Equal(t, statusFailed, Run(t.Context(), []string{"query", "logs.all", "project=acme"}, &stdout, &stderr))
		assert.Contains(t, stderr.String(), "or choose another --data directory\n--data is set by the variable SAVEDQ_DATA.\n")
	})
}

// The help of each flag names its variable.
func TestHelpNamesVariables(t *testing.T) {
	t.Parallel()
	var stdout, stderr strings.Builder
	require.Equal(t, statusOK, Run(t.Context(), []string{"serve", "--help"}, &stdout, &stderr))
	help := strings.Join(strings.Fields(stdout.String()), " ")
	assert.Contains(t, help, "($SAVEDQ_ADDR).")
	assert.Contains(t, help, "($SAVEDQ_DUCKDB_MEMORY).")
	assert.NotContains(t, help, "SAVEDQ_HELP")
	assert.NotContains(t, help, "SAVEDQ_VERSION")
}

// Arguments must be valid UTF-8, because the parser would change others.
func TestArgumentsMustBeUTF8(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"load", "--data", "d\xff", "--source", "edge_logs", "x.json"},
		{"load", "--source", "edge_logs", "x\xff.json"},
		{"query", "logs.all", "project=\xff"},
	} {
		var stdout, stderr strings.Builder
		assert.Equal(t, statusUsage, Run(t.Context(), args, &stdout, &stderr))
		assert.Regexp(t, `^savedq: the argument ".*\\xff.*" is not UTF-8 text\n$`, stderr.String())
	}
}

// "help" is the flag --help.
func TestHelp(t *testing.T) {
	t.Parallel()
	for args, same := range map[string]string{"help": "--help", "help load": "load --help", "help store stats": "store stats --help"} {
		var stdout, expected, stderr strings.Builder
		assert.Equal(t, statusOK, Run(t.Context(), strings.Fields(args), &stdout, &stderr), stderr.String())
		assert.Equal(t, statusOK, Run(t.Context(), strings.Fields(same), &expected, &stderr))
		assert.Equal(t, expected.String(), stdout.String())
		assert.Contains(t, stdout.String(), "Usage: savedq")
	}
	var stdout, stderr strings.Builder
	assert.Equal(t, statusUsage, Run(t.Context(), []string{"help", "nosuch"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "unexpected argument nosuch")
}

// The hint after a mistake is a command that exists.
func TestUsageHint(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--nosuch":           `Run "savedq --help" for help.`,
		"serve --nosuch":     `Run "savedq serve --help" for help.`,
		"token --nosuch":     `Run "savedq token --help" for help.`,
		"token new --nosuch": `Run "savedq token new --help" for help.`,
	} {
		var stdout, stderr strings.Builder
		assert.Equal(t, statusUsage, Run(t.Context(), strings.Fields(args), &stdout, &stderr))
		assert.Contains(t, stderr.String(), want)
	}
}
