package live_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Mistakes are reported in plain lines, before anything is opened.
func TestMistakesAreReportedFirst(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	taken := listener.Addr().String()
	broken := writeQuery(t, strings.Replace(fourthYAML, "max_rows: 2", "max_rows: two\nttl: 5", 1), fourthSQL)
	wrong := writeQuery(t, fourthYAML, strings.Replace(fourthSQL, "function_invocations", "invocations", 1))
	empty := t.TempDir()
	tests := map[string]struct {
		args   []string
		status int
		stderr string
	}{
		"no command":            {nil, 2, "savedq: expected one of"},
		"unknown command":       {[]string{"sevre"}, 2, "savedq: unexpected argument sevre"},
		"unknown flag":          {[]string{"serve", "--prot=1"}, 2, "savedq: unknown flag --prot"},
		"bad address":           {[]string{"serve", "--addr", "8080"}, 2, `--addr: "8080" is not an address such as 127.0.0.1:8080`},
		"bad engine":            {[]string{"serve", "--engine", "sqlite"}, 2, `--engine must be one of "duckdb","bigquery","clickhouse" but got "sqlite"`},
		"bad timeout":           {[]string{"serve", "--query-timeout", "0s"}, 2, "--query-timeout: must be at least 1ms, not 0s"},
		"no such directory":     {[]string{"serve", "--queries", filepath.Join(empty, "none")}, 2, "--queries: " + filepath.Join(empty, "none") + " is not a directory"},
		"directory of nothing":  {[]string{"serve", "--queries", empty}, 1, "has no folder with a query.yaml"},
		"parent of a new one":   {[]string{"serve", "--dev", "--queries", filepath.Join(empty, "none", "new")}, 2, "--queries: " + filepath.Join(empty, "none") + " is not a directory"},
		"mistakes in a folder":  {[]string{"serve", "--queries", broken}, 1, "savedq: the saved queries cannot be used:\n" + broken + "/slowest/query.yaml:4:11: max_rows must be a whole number from 1 to 100000\n" + broken + `/slowest/query.yaml:5:1: unknown key "ttl"`},
		"port in use":           {[]string{"serve", "--addr", taken}, 1, "savedq: cannot listen on " + taken + ": the port is in use; stop what uses it, or choose another --addr\n"},
		"no source":             {[]string{"load", "doc.go"}, 2, "--source: is required; use one of edge_logs, postgres_logs"},
		"unknown source":        {[]string{"load", "--source", "syslog", "doc.go"}, 2, `--source: "syslog" is not a log source; the log sources are edge_logs (cloudflare.logs.prod), postgres_logs`},
		"no file":               {[]string{"load", "--source", "edge_logs"}, 2, `expected "<file> ..."`},
		"no such file":          {[]string{"load", "--source", "edge_logs", "nosuch.json"}, 2, "nosuch.json does not exist"},
		"unknown query":         {[]string{"query", "logs.none"}, 1, `savedq: there is no saved query "logs.none"; "savedq endpoints" lists them`},
		"parameter without =":   {[]string{"query", "logs.all", "acme"}, 1, `savedq: "acme" is not of the form param=value`},
		"undeclared parameter":  {[]string{"query", "logs.all", "projct=acme"}, 1, `savedq: logs.all has no parameter "projct"; its parameters are: project, project_tier, iso_timestamp_start, iso_timestamp_end`},
		"value that is missing": {[]string{"query", "logs.all"}, 1, "savedq: project: is required and must not be empty"},
		"bad format":            {[]string{"query", "--format", "xml", "logs.all"}, 2, `--format must be one of "table","json","ndjson","csv","parquet","arrow","prometheus" but got "xml"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			args := test.args
			if len(args) > 0 && args[0] != "endpoints" && args[0] != "sevre" {
				args = append([]string{args[0], "--data", data}, args[1:]...)
			}
			result := run(t, args...)
			assert.Equal(t, test.status, result.status)
			assert.Contains(t, result.stderr, test.stderr)
			assert.Empty(t, result.stdout)
			assert.NoDirExists(t, data)
		})
	}
	t.Run("SQL that does not compile", func(t *testing.T) {
		t.Parallel()
		result := run(t, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--queries", wrong)
		assert.Equal(t, 1, result.status)
		assert.Contains(t, result.stderr, wrong+"/slowest/duckdb.sql:2:6: Catalog Error: Table with name invocations does not exist!")
	})
	t.Run("data directory that cannot be made", func(t *testing.T) {
		t.Parallel()
		result := run(t, "query", "--data", "doc.go/data", "logs.all", "project=acme")
		assert.Equal(t, 1, result.status)
		assert.Regexp(t, `^savedq: create the data directory: .*: not a directory; choose another --data directory\n$`, result.stderr)
	})
}
