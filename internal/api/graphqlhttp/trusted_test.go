package graphqlhttp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph/graphtest"
	"savedq/internal/api/graphqlhttp"
	"savedq/internal/api/graphqlrules"
)

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// writeFiles writes files to a new folder and returns its path.
func writeFiles(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	return folder
}

func manifest(t *testing.T, documents ...string) string {
	t.Helper()
	byHash := make(map[string]string)
	for _, document := range documents {
		byHash[hashOf(document)] = document
	}
	encoded, err := json.Marshal(byHash)
	require.NoError(t, err)
	return string(encoded)
}

func apolloManifest(t *testing.T, document string) string {
	t.Helper()
	encoded, err := json.Marshal(map[string]any{
		"format": "apollo-persisted-query-manifest", "version": 1,
		"operations": []map[string]string{{"id": hashOf(document), "name": "Counts", "type": "query", "body": document}},
	})
	require.NoError(t, err)
	return string(encoded)
}

// withPrefix adds the prefix to the hashes of [countsDocument].
func withPrefix(manifest string) string {
	return strings.ReplaceAll(manifest, hashOf(countsDocument), "sha256:"+hashOf(countsDocument))
}

// Trusted documents run, by hash and in full. All others are rejected, even after a client
// sent them with their hashes.
func TestTrustedDocuments(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"files":                  writeFiles(t, map[string]string{hashOf(countsDocument) + ".graphql": countsDocument, ".hidden": "x"}),
		"a manifest in a folder": writeFiles(t, map[string]string{"persisted-documents.json": manifest(t, countsDocument)}),
		"hashes with a prefix":   writeFiles(t, map[string]string{"m.json": withPrefix(manifest(t, countsDocument))}),
		"a prefix (Apollo)":      writeFiles(t, map[string]string{"m.json": withPrefix(apolloManifest(t, countsDocument))}),
		"a manifest":             filepath.Join(writeFiles(t, map[string]string{"m.json": manifest(t, countsDocument)}), "m.json"),
		"an Apollo manifest":     writeFiles(t, map[string]string{"m.json": apolloManifest(t, countsDocument)}),
		"both":                   writeFiles(t, map[string]string{"m.json": manifest(t, countsDocument), hashOf(dashboard) + ".graphql": dashboard}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, 1)
			config := newConfig(t, s.runner, silent())
			var err error
			config.Trusted, err = graphqlhttp.ReadTrustedDocuments(path, config.Limits, config.Schema)
			require.NoError(t, err)
			s.Handler = graphqlhttp.NewHandler(config)
			for range 2 { // the second response is cached
				assert.Len(t, dataIn(t, post(t, s, countsDocument, "{}").Body.String()), 1)
				assert.Len(t, dataIn(t, s.get(t, countsDocument).Body.String()), 1)
				assert.Len(t, dataIn(t, postPersisted(t, s, "", persisted(countsDocument)).Body.String()), 1)
				assert.Len(t, dataIn(t, postPersisted(t, s, "", prefixed(countsDocument)).Body.String()), 1)
				assert.Len(t, dataIn(t, postPersisted(t, s, countsDocument, persisted(countsDocument)).Body.String()), 1)
				assert.Len(t, dataIn(t, postPersisted(t, s, countsDocument, prefixed(countsDocument)).Body.String()), 1)
			}
			runs := s.runner.runs.Load()
			for _, document := range []string{statsDocument, countsDocument + " ", "{", "{ __typename }"} {
				for range 2 {
					for _, extensions := range []string{`{}`, persisted(document), prefixed(document)} {
						response := postPersisted(t, s, document, extensions)
						assert.Equal(t, http.StatusForbidden, response.Code)
						assert.JSONEq(t, `{"errors":[{"message":"this server runs only trusted documents, and this document is not one of them","extensions":{"code":"PERMISSION_DENIED"}}]}`, response.Body.String())
					}
					assert.Equal(t, http.StatusForbidden, postPersisted(t, s, "", persisted(document)).Code)
				}
			}
			assert.Equal(t, http.StatusBadRequest, postPersisted(t, s, countsDocument, persisted(statsDocument)).Code)
			assert.Equal(t, http.StatusBadRequest, postPersisted(t, s, "", strings.Replace(persisted(countsDocument), "1", "2", 1)).Code)
			assert.Equal(t, runs, s.runner.runs.Load())
		})
	}
}

func TestTrustedDocumentsThatAreRejected(t *testing.T) {
	t.Parallel()
	const invalid = `{ apiCounts(project: "p") { timestamp } }`
	const illTyped = `{ apiCounts(project: "acme", interval: WEEKLY) { timestamp } }`
	tooMany := "{" + strings.Repeat("__typename ", 11) + "}"
	wrong := strings.Repeat("0", 64)
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"an empty folder":       {nil, []string{`: has no trusted documents; put <sha256>.graphql files or a manifest there`}},
		"an empty manifest":     {map[string]string{"m.json": "{}"}, []string{": has no trusted documents"}},
		"another file":          {map[string]string{"README": ""}, []string{"README: is neither <sha256>.graphql nor a manifest <name>.json"}},
		"a wrong hash":          {map[string]string{wrong + ".graphql": countsDocument}, []string{wrong + ".graphql: the name must be the SHA-256 hash of the document; rename it to " + hashOf(countsDocument) + ".graphql"}},
		"a wrong hash (prefix)": {map[string]string{"m.json": `{"sha256:` + wrong + `":"{ __typename }"}`}, []string{"m.json: document sha256:" + wrong + ": the SHA-256 hash of the document is " + hashOf("{ __typename }")}},
		"another prefix":        {map[string]string{"m.json": `{"md5:` + wrong + `":"{ __typename }"}`}, []string{"m.json: document md5:" + wrong + ": only sha256: is allowed before a hash"}},
		"a type":                {map[string]string{"m.json": manifest(t, illTyped)}, []string{": line 1, column 40: needs a value of type ApiCountInterval!, one of MINUTELY, HOURLY, DAILY"}},
		"a hash in upper case":  {map[string]string{strings.ToUpper(hashOf(countsDocument)) + ".graphql": countsDocument}, []string{"rename it to " + hashOf(countsDocument) + ".graphql"}},
		"an extra line break":   {map[string]string{hashOf(countsDocument) + ".graphql": countsDocument + "\n"}, []string{"rename it to "}},
		"syntax":                {map[string]string{hashOf("{") + ".graphql": "{"}, []string{hashOf("{") + ".graphql: line 1, column 2: Expected Name, found <EOF>"}},
		"not valid":             {map[string]string{"m.json": manifest(t, invalid)}, []string{"m.json: document " + hashOf(invalid) + `: line 1, column 3: Field "apiCounts" argument "interval" of type "ApiCountInterval!" is required`}},
		"beyond a limit":        {map[string]string{"m.json": manifest(t, tooMany)}, []string{"the operation has 11 root fields; at most 10 are allowed"}},
		"invalid JSON":          {map[string]string{"m.json": "{"}, []string{`m.json: is not a manifest; it must be a JSON object such as {"<sha256>": "<document>"}`}},
		"a list":                {map[string]string{"m.json": `["x"]`}, []string{"m.json: is not a manifest"}},
		"objects as documents":  {map[string]string{"m.json": `{"` + wrong + `":{}}`}, []string{"m.json: is not a manifest"}},
		"another format":        {map[string]string{"m.json": `{"format":"x","version":1}`}, []string{"m.json: is a manifest of another format than apollo-persisted-query-manifest, version 1"}},
		"another version":       {map[string]string{"m.json": strings.Replace(apolloManifest(t, dashboard), `"version":1`, `"version":2`, 1)}, []string{"m.json: is a manifest of another format"}},
		"a wrong hash (Apollo)": {map[string]string{"m.json": strings.Replace(apolloManifest(t, countsDocument), hashOf(countsDocument), "counts", 1)}, []string{"m.json: document counts: the SHA-256 hash of the document is "}},
		"several": {
			map[string]string{"README": "", wrong + ".graphql": countsDocument, "m.json": manifest(t, invalid, countsDocument)},
			[]string{"README: is neither", wrong + ".graphql: the name must be", hashOf(invalid) + ": line 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := graphqlhttp.ReadTrustedDocuments(writeFiles(t, test.files), graphqlrules.DefaultLimits(), graphtest.ShippedSchema(t))
			require.Error(t, err)
			for _, want := range test.want {
				assert.Contains(t, err.Error(), want)
			}
			assert.Len(t, strings.Split(err.Error(), "\n"), len(test.want))
		})
	}
	_, err := graphqlhttp.ReadTrustedDocuments(filepath.Join(t.TempDir(), "none"), graphqlrules.DefaultLimits(), graphtest.ShippedSchema(t))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
