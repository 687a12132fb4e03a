package live_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// block is a fenced block of a document.
type block struct {
	language, text string
	line           int
}

// blocks returns the fenced blocks of a Markdown file.
func blocks(t *testing.T, file string) []block {
	t.Helper()
	markdown, err := os.ReadFile(file)
	require.NoError(t, err)
	var found []block
	for _, at := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllSubmatchIndex(markdown, -1) {
		found = append(found, block{
			language: string(markdown[at[2]:at[3]]),
			text:     string(markdown[at[4]:at[5]]),
			line:     1 + bytes.Count(markdown[:at[0]], []byte("\n")),
		})
	}
	return found
}

// TestDocuments runs the commands of each document in order, in a directory with the
// necessary parts of a clone, and compares their output with the documented one. It
// ignores ids, times, speeds and the figures of demo logs.
//
// A block marked sh holds commands. A text or json block after it holds their output, in
// which JSON may be broken into lines, and rows of demo logs may be cut. A server that a
// block starts runs on a port of its own, until the document ends or starts another one on
// the same address.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		"README.md", "docs/start/analyst.md", "docs/start/author.md", "docs/start/frontend.md", "docs/start/leaving-logflare.md", "docs/start/operator.md",
		"docs/queries.md", "docs/graphql.md", "docs/rest.md", "docs/operations.md", "docs/operate/monitoring.md", "docs/operate/tokens.md",
		"docs/alerts.md", "docs/clickhouse-clients.md", "docs/explore.md", "docs/frontend-tokens.md", "docs/grafana.md", "docs/ingest.md", "docs/shippers.md", "docs/mcp.md", "examples/supabase/README.md",
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			clone := t.TempDir()
			examples, err := filepath.Abs(filepath.Join(root, "examples"))
			require.NoError(t, err)
			require.NoError(t, os.Symlink(examples, filepath.Join(clone, "examples")))
			require.NoError(t, os.Mkdir(filepath.Join(clone, "bin"), 0o750))
			require.NoError(t, os.Symlink(binary, filepath.Join(clone, "bin", "savedq")))
			reader := &documentReader{
				directory: clone, servers: make(map[string]*server), demos: make(map[string]bool),
				addresses: make(map[string]string), tokens: make(map[string]string),
			}
			all := blocks(t, filepath.Join(root, document))
			require.NotEmpty(t, all)
			for i, b := range all {
				if b.language != "sh" {
					continue
				}
				output, demo := reader.run(t, b)
				if i+1 < len(all) && (all[i+1].language == "text" || all[i+1].language == "json") {
					documented := all[i+1]
					assert.Equal(t, normalise(t, documented.language, documented.text, demo),
						normalise(t, documented.language, output, demo), "%s:%d", document, documented.line)
				}
			}
			for _, s := range reader.servers {
				assert.Equal(t, 0, s.stop(t), s.stderr)
			}
		})
	}
}

// documentReader runs the commands of one document.
type documentReader struct {
	directory string
	// servers are the running servers by documented address.
	servers map[string]*server
	// addresses and tokens are the actual address and the generated token of each server,
	// by documented address.
	addresses, tokens map[string]string
	// demos are the documented addresses of servers with demo logs.
	demos map[string]bool
}

// run runs a block of commands and returns its output. It reports whether that depends on
// demo logs.
func (r *documentReader) run(t *testing.T, b block) (output string, demo bool) {
	t.Helper()
	command := strings.TrimSpace(b.text)
	switch command {
	case "make test":
		return "", false // this is how the test came here
	case "make run":
		return r.serve(t, []string{"--demo"}), true
	}
	if arguments, ok := strings.CutPrefix(command, "bin/savedq serve"); ok {
		return r.serve(t, strings.Fields(arguments)), strings.Contains(arguments, "--demo")
	}
	for documented := range r.demos {
		demo = demo || strings.Contains(command, documented)
	}
	shell := exec.CommandContext(t.Context(), "bash", "-euc", "")
	shell.Env = os.Environ()
	for documented, actual := range r.addresses {
		if strings.Contains(command, documented) {
			shell.Env = append(shell.Env, "SAVEDQ_TOKEN="+r.tokens[documented])
		}
		command = strings.ReplaceAll(command, documented, actual)
	}
	shell.Args[2] = command
	shell.Dir = r.directory
	printed, err := shell.CombinedOutput()
	require.NoError(t, err, "line %d: %s\n%s", b.line, command, printed)
	return string(printed), demo
}

// serve starts a server with the arguments, but on a free port. Like a reader of the
// document, it first stops the earlier server on the same address.
func (r *documentReader) serve(t *testing.T, arguments []string) string {
	t.Helper()
	documented := "127.0.0.1:8080"
	var rest []string
	for i := 0; i < len(arguments); i++ {
		if arguments[i] == "--addr" {
			i++
			documented = arguments[i]
			continue
		}
		rest = append(rest, arguments[i])
	}
	if before := r.servers[documented]; before != nil {
		assert.Equal(t, 0, before.stop(t), before.stderr)
	}
	isDemo, data, filled := slices.Contains(rest, "--demo"), filepath.Join(r.directory, "data"), ""
	if _, err := os.Stat(data); isDemo && err != nil {
		filled = strings.ReplaceAll(loadDemo(t, data), data, "./data")
	}
	s := serveIn(t, r.directory, rest...)
	const ready = "savedq is ready"
	if filled, _, _ = strings.Cut(filled, ready); filled != "" { // as if this server had filled the store
		_, after, _ := strings.Cut(s.banner, ready)
		s.banner = filled + ready + after
	}
	r.servers[documented], r.demos[documented] = s, isDemo
	r.addresses[documented], r.tokens[documented] = strings.TrimPrefix(s.url, "http://"), s.token
	return strings.ReplaceAll(s.banner, r.addresses[documented], documented)
}

// normalise replaces the parts of an output that differ between runs.
func normalise(t *testing.T, language, text string, demo bool) string {
	t.Helper()
	if language == "json" {
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, []byte(text)), "%s", text)
		text = compact.String()
	}
	rules := [][2]string{
		{`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, `<id>`},
		{`\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?)?`, `<time>`},
		{`\b1\d{15}\b`, `<microseconds>`},
		{`[\d,]+ events/s`, `<speed>`},
		{`\bin \d+ ms\b`, `in <duration>`},
		{`savedq_[\w-]{43}`, `<token>`},
		{`\s+`, ` `},
	}
	if demo {
		rules = append(rules, [2]string{`\d+(\.\d+)?`, `#`}, [2]string{`#m#s`, `#s`}) // on a busy machine
	}
	for _, rule := range rules {
		text = regexp.MustCompile(rule[0]).ReplaceAllString(text, rule[1])
	}
	if demo { // how many buckets there are depends on the time of day
		elements := slices.Compact(strings.Split(strings.ReplaceAll(text, "}]", "},{]"), "},{"))
		text = strings.Join(elements, "},{")
	}
	return strings.TrimSpace(text)
}

// The first commands of README.md serve and test, and .ci/run takes both from there.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	var commands []string
	for _, b := range blocks(t, filepath.Join(root, "README.md")) {
		if b.language == "sh" {
			commands = append(commands, strings.TrimSpace(b.text))
		}
	}
	require.GreaterOrEqual(t, len(commands), 2)
	assert.Equal(t, []string{"make run", "make test"}, commands[:2])
	script, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	require.NoError(t, err)
	for _, line := range []string{"\n${readme[0]} ARGS=", "\n${readme[1]}\n"} {
		assert.Contains(t, string(script), line)
	}
}
