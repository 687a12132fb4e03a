package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// install is the line of a README that is not run: the tests are skipped if it was not
// run before.
const install = "npm ci --ignore-scripts"

// A clone has bin/savedq, and no savedq on its PATH.
func TestExamplesNameTheBuiltProgram(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*/README.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotRegexp(t, `(?m)^savedq `, string(text), file)
	}
}

// The commands of each client's README regenerate it from a running server, which changes
// nothing. They build it, check its types, and print what the server returns.
func TestClients(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	s := serve(t, "--data", data)
	data = filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	trusting := serve(t, "--data", data, "--trusted-documents", filepath.Join(root, "examples/trusted/src/gql/persisted-documents.json"))
	for name, client := range map[string]struct {
		// generated are the files that were generated.
		generated string
		node      bool
		server    *server
		want      string
	}{
		"typescript": {"src/gql/*.ts", true, s, activity(t, s)},
		"trusted":    {"src/gql/*", true, trusting, trustedActivity},
		"rest":       {"src/openapi.ts", true, s, activity(t, s)},
		"go":         {"generated.go", false, s, activity(t, s)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if client.node {
				requireNode(t, name)
			}
			directory := copyClient(t, name)
			committed := contents(t, directory, client.generated)
			for file := range committed {
				require.NoError(t, os.Remove(filepath.Join(directory, file)))
			}
			assert.Equal(t, client.want, follow(t, directory, client.server))
			for file, text := range contents(t, directory, client.generated) {
				if text != committed[file] { // assert.Equal cannot display so long a difference
					t.Errorf("%s is not what the commands of its README generate", file)
				}
			}
		})
	}
}

// The cells of the notebook in JavaScript print what its README says.
func TestNotebook(t *testing.T) {
	t.Parallel()
	requireNode(t, "notebook")
	data := filepath.Join(t.TempDir(), "data")
	loadSamples(t, data)
	assert.Contains(t, follow(t, copyClient(t, "notebook"), serve(t, "--data", data)), "8 rows, 1 invocations")
}

// requireNode skips a test where Node is missing, or what the client needs of it.
func requireNode(t *testing.T, client string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	if _, err := os.Stat(filepath.Join(root, "examples", client, "node_modules")); err != nil {
		t.Skipf("run %q in examples/%s first", install, client)
	}
}

// copyClient copies a client to a directory that commands can write to. The modules
// that it needs are not copied, but linked to.
func copyClient(t *testing.T, name string) string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join(root, "examples", name))
	require.NoError(t, err)
	target := t.TempDir()
	const modules = "node_modules"
	require.NoError(t, filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		copied := filepath.Join(target, relative)
		switch {
		case relative == modules:
			if err := os.Symlink(path, copied); err != nil || !entry.IsDir() {
				return err
			}
			return fs.SkipDir
		case relative == "dist":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(copied, 0o750)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(copied, text, 0o600)
	}))
	return target
}

// contents returns the files of a directory that match a pattern, by name.
func contents(t *testing.T, directory, pattern string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	texts := make(map[string]string, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		relative, err := filepath.Rel(directory, file)
		require.NoError(t, err)
		texts[relative] = string(text)
	}
	return texts
}

// follow does what the README of a client says, in the directory of the client, and
// returns what the last commands print.
func follow(t *testing.T, directory string, s *server) (printed string) {
	t.Helper()
	const patience = 5 * time.Minute // for commands that should have ended
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all := blocks(t, filepath.Join(directory, "README.md"))
	for i, block := range all {
		if block.language != "sh" {
			continue
		}
		shell := exec.CommandContext(ctx, "bash", "-euc", strings.ReplaceAll(block.text, install+"\n", ""))
		shell.Dir = directory
		shell.Env = append(os.Environ(), "SAVEDQ_URL="+s.url+"/", "SAVEDQ_TOKEN="+s.token)
		var stdout, stderr strings.Builder
		shell.Stdout, shell.Stderr = &stdout, &stderr
		require.NoError(t, shell.Run(), "line %d: %s%s", block.line, &stdout, &stderr)
		printed = stdout.String()
		if i+1 < len(all) && all[i+1].language == "text" {
			require.Equal(t, withoutDays(all[i+1].text), withoutDays(printed))
		}
	}
	return printed
}

// withoutDays replaces the parts of an output that depend on the day.
func withoutDays(text string) string {
	return regexp.MustCompile(`\d{4}-\d\d-\d\d`).ReplaceAllString(text, "<day>")
}

// trustedActivity is what the clients with trusted documents print of the project acme.
const trustedActivity = `Apollo Client: 1 invocations in 8 days
urql: 1 invocations in 8 days
Apollo Client, another document: this server runs only trusted documents, and this document is not one of them
urql, another document: [GraphQL] this server runs only trusted documents, and this document is not one of them
`

// activity is what each other client has to print of the project acme.
func activity(t *testing.T, s *server) string {
	t.Helper()
	var days struct {
		Result []struct {
			Timestamp  int64
			Count      int64
			ErrorCount int64    `json:"error_count"`
			P95        *float64 `json:"p95_execution_time"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(s.get(t, "/api/endpoints/functions.invocation-stats?project=acme&interval=7day")), &days))
	require.Len(t, days.Result, 8, "D2: 7 days and the one that is not over")
	var logs struct {
		Result []struct {
			Message  string `json:"event_message"`
			Metadata []map[string]json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal([]byte(s.get(t, "/api/endpoints/logs.all?project=acme")), &logs))
	require.Len(t, logs.Result, 1)
	var text strings.Builder
	text.WriteString("Functions of acme, by day:\n")
	for _, day := range days.Result {
		p95 := "-"
		if day.P95 != nil {
			p95 = strconv.FormatFloat(*day.P95, 'f', -1, 64) + " ms"
		}
		fmt.Fprintf(&text, "%s  %d invocations  %d errors  p95 %s\n",
			time.UnixMicro(day.Timestamp).UTC().Format(time.DateOnly), day.Count, day.ErrorCount, p95)
	}
	fmt.Fprintf(&text, "Newest log entry: %s\n", logs.Result[0].Message)
	fmt.Fprintf(&text, "Its metadata: %s\n", strings.Join(slices.Sorted(maps.Keys(logs.Result[0].Metadata[0])), ", "))
	return text.String()
}
