package live_test

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/web/webtest"
)

// A page in React is built as its README says, with the documented configuration of the generator, and draws live data of its user's
// project in a browser. The same configuration works in a new page of Vite's template.
func TestReact(t *testing.T) {
	t.Parallel()
	requireNode(t, "react")
	browser := webtest.Chromium(t)
	backend, directory := copyClient(t, "frontend"), copyClient(t, "react")
	const secretBytes = 32
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret)
	require.NoError(t, os.WriteFile(filepath.Join(backend, "jwt.secret"), []byte(hex.EncodeToString(secret)), 0o600))
	page, port := freePort(t), freePort(t)
	origin := fmt.Sprintf("http://127.0.0.1:%d", page)
	data := filepath.Join(t.TempDir(), "data")
	loadDemo(t, data)
	s := serveIn(t, backend, "--demo", "--data", data, "--jwt", "jwt.yaml", "--cors-origins", origin)
	startBackend(t, backend, port, s.url)
	signed := &server{url: s.url, token: backendToken(t, port)}

	config, err := os.ReadFile(filepath.Join(directory, "codegen.config.js"))
	require.NoError(t, err)
	assert.Equal(t, documentedGenerator(t), string(config), "the example has the configuration of docs/graphql.md")
	committed := contents(t, directory, "src/gql/*")
	for file := range committed {
		require.NoError(t, os.Remove(filepath.Join(directory, file)))
	}
	assert.Equal(t, "dist/index.html", lastLine(follow(t, directory, signed)))
	assert.Equal(t, committed, contents(t, directory, "src/gql/*"), "the commands of the README generate what is committed")

	startPreview(t, directory, page, port)
	require.NoError(t, chromedp.Do(browser, chromedp.Navigate(origin)))
	shown := func() string {
		value, err := chromedp.Run(browser, chromedp.Evaluate[string]("document.querySelector('[role=status]')?.textContent ?? ''"))
		require.NoError(t, err)
		return value
	}
	assert.Eventually(t, func() bool { return invocations(shown()) > 0 }, time.Minute, 100*time.Millisecond, "the page shows: %s", shown())
	bars, err := chromedp.Run(browser, chromedp.Evaluate[int]("document.querySelectorAll('rect.count').length"))
	require.NoError(t, err)
	assert.Equal(t, 61, bars, "a bar for each minute")

	schema, err := os.ReadFile(filepath.Join(directory, "schema.graphql"))
	require.NoError(t, err)
	checkTemplate(t, directory, string(schema))
}

// checkTemplate builds a new page of Vite's template with the documented configuration, and compares the settings of TypeScript with
// those of the example, whose packages it uses.
func checkTemplate(t *testing.T, example, schema string) {
	t.Helper()
	modules, err := filepath.EvalSymlinks(filepath.Join(example, "node_modules"))
	require.NoError(t, err)
	parent := t.TempDir()
	node := func(directory, program string, args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(modules, program)}, args...)...)
		command.Dir = directory
		output, err := command.CombinedOutput()
		require.NoError(t, err, "%s %v: %s", program, args, output)
	}
	node(parent, "create-vite/index.js", "fresh", "--template", "react-ts", "--no-interactive")
	fresh := filepath.Join(parent, "fresh")
	for _, file := range []string{"tsconfig.json", "tsconfig.app.json", "tsconfig.node.json"} {
		want, err := os.ReadFile(filepath.Join(fresh, file))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(example, file))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "the example has its own %s", file)
	}
	write := func(file, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(fresh, file), []byte(text), 0o600))
	}
	write("codegen.config.js", documentedGenerator(t))
	write("schema.graphql", schema)
	write("src/App.tsx", `import { useQuery } from 'urql'
import { graphql } from './gql'

const Counts = graphql(`+"`query Counts($interval: InvocationInterval) { invocationStats(interval: $interval) { timestamp count } }`"+`)

export default function App() {
  const [{ data }] = useQuery({ query: Counts, variables: { interval: 'ONE_DAY' } })
  const first: number | undefined = data?.invocationStats[0].count
  return <p>{first}</p>
}
`)
	require.NoError(t, os.Symlink(modules, filepath.Join(fresh, "node_modules")))
	node(fresh, "@graphql-codegen/cli/esm/bin.js", "--config", "codegen.config.js")
	node(fresh, "typescript/bin/tsc", "-b", "--force")
	node(fresh, "vite/bin/vite.js", "build")
	assert.FileExists(t, filepath.Join(fresh, "dist", "index.html"))
}

// documentedGenerator returns the configuration of graphql-codegen in the documentation.
func documentedGenerator(t *testing.T) string {
	t.Helper()
	for _, block := range blocks(t, filepath.Join(root, "docs", "graphql.md")) {
		if block.language == "js" && strings.Contains(block.text, "client-preset") {
			return block.text
		}
	}
	t.Fatal("docs/graphql.md has no configuration of graphql-codegen")
	return ""
}

// backendToken returns a token of the backend of the examples.
func backendToken(t *testing.T, port int) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/token", port), http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var access struct{ Token string }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&access))
	return access.Token
}

// startPreview serves the built page, and waits until it listens.
func startPreview(t *testing.T, directory string, port, backend int) {
	t.Helper()
	preview := exec.Command("node", "node_modules/vite/bin/vite.js", "preview", "--host", "127.0.0.1", "--strictPort", "--port", strconv.Itoa(port))
	preview.Dir = directory
	preview.Env = append(os.Environ(), fmt.Sprintf("BACKEND_URL=http://127.0.0.1:%d", backend))
	stdout, err := preview.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, preview.Start())
	t.Cleanup(func() {
		_ = preview.Process.Kill()
		_ = preview.Wait()
	})
	_, err = stdout.Read(make([]byte, 1)) // it prints its address when it listens
	require.NoError(t, err)
}

// lastLine returns the last line of an output.
func lastLine(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return lines[len(lines)-1]
}
