package live_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The guide's configuration of GraphQL Code Generator creates a manifest that
// --trusted-documents accepts. The server accepts its hashes, which have a prefix.
func TestGeneratedManifest(t *testing.T) {
	t.Parallel()
	requireNode(t, "typescript")
	directory := copyClient(t, "typescript")
	documented := blocks(t, filepath.Join(root, "docs", "graphql.md"))
	configuration := slices.IndexFunc(documented, func(b block) bool { return b.language == "js" && strings.Contains(b.text, "preset: 'client'") })
	require.GreaterOrEqual(t, configuration, 0)
	write := func(file, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(directory, file), []byte(text), 0o600))
	}
	write("codegen.config.js", documented[configuration].text)
	write("schema.graphql", serve(t, "--data", t.TempDir()).get(t, "/schema.graphql"))
	write("src/document.ts", "graphql(`query Names { endpoints { name } }`);\n")

	const patience = 2 * time.Minute // for a command that should have ended
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	generate := exec.CommandContext(ctx, "npm", "run", "generate")
	generate.Dir = directory
	output, err := generate.CombinedOutput()
	require.NoError(t, err, "%s", output)

	trusted := t.TempDir()
	manifest, err := os.ReadFile(filepath.Join(directory, "src", "gql", "persisted-documents.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(trusted, "manifest.json"), manifest, 0o600))
	s := serve(t, "--data", t.TempDir(), "--trusted-documents", trusted)
	var documents map[string]string
	require.NoError(t, json.Unmarshal(manifest, &documents))
	require.Len(t, documents, 1)
	for hash := range documents {
		assert.Contains(t, hash, "sha256:")
		assert.Contains(t, s.get(t, `/graphql?extensions={"persistedQuery":{"version":1,"sha256Hash":"`+hash+`"}}`), `"name":"logs.all"`)
	}
}

// Apollo Client hashes a document as it prints it, so the server trusts a document only if
// generateHash returns the hash of the manifest. The guide shows the code of the example.
func TestApolloNeedsTheHashOfTheManifest(t *testing.T) {
	t.Parallel()
	requireNode(t, "trusted")
	directory := copyClient(t, "trusted")
	sources := contents(t, directory, "src/*.ts")
	var shown int
	for _, block := range blocks(t, filepath.Join(root, "docs", "graphql.md")) {
		if strings.Contains(block.text, "hashOf") {
			shown++
			assert.Contains(t, strings.Join(slices.Collect(maps.Values(sources)), ""), block.text)
		}
	}
	assert.Equal(t, 3, shown)

	const file, option = "src/apollo.ts", "generateHash: hashOf"
	require.Contains(t, sources[file], option)
	byDefault := strings.Replace(sources[file], option, "sha256: async (text) => createHash('sha256').update(text).digest('hex')", 1)
	require.NoError(t, os.WriteFile(filepath.Join(directory, file), []byte("import { createHash } from 'node:crypto';\n"+byDefault), 0o600))
	s := serve(t, "--data", t.TempDir(), "--trusted-documents", filepath.Join(directory, "src/gql/persisted-documents.json"))
	shell := exec.CommandContext(t.Context(), "bash", "-euc", "npm run --silent build -- --noUnusedLocals false && ! node dist/main.js 2>&1")
	shell.Dir, shell.Env = directory, append(os.Environ(), "SAVEDQ_URL="+s.url, "SAVEDQ_TOKEN="+s.token)
	output, err := shell.CombinedOutput()
	require.NoError(t, err, "%s", output)
	assert.Contains(t, string(output), "this server runs only trusted documents, and this document is not one of them")
}
