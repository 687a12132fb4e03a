package openapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/openapi"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

// loadDocument parses a document and validates it against OpenAPI 3.1: its structure, its
// references, unique operation ids, and its examples against their schemas.
func loadDocument(text []byte) (*openapi3.T, error) {
	read, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	return read, read.Validate(context.Background(), openapi3.EnableExamplesValidation())
}

// readDocument returns a document that must be valid.
func readDocument(t *testing.T, text []byte) *openapi3.T {
	t.Helper()
	read, err := loadDocument(text)
	require.NoError(t, err)
	require.True(t, read.IsOpenAPI31OrLater())
	return read
}

// documentOf returns the document of a caller, with the named saved queries.
func documentOf(t *testing.T, catalog *catalog.Catalog, caller openapi.Caller, names ...string) (*openapi3.T, []byte) {
	t.Helper()
	queries := make([]*sqlq.SavedQuery, len(names))
	for i, name := range names {
		var ok bool
		queries[i], ok = catalog.Find(name)
		require.True(t, ok, name)
	}
	text, err := openapi.Document(queries, caller, "test")
	require.NoError(t, err)
	return readDocument(t, text), text
}

func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	read := readDescribed(t)
	assert.Len(t, read.Paths.Map(), 9*3+3)
	for path := range read.Paths.Map() {
		assert.NotContains(t, path, "{")
	}
}

// A document without saved queries is valid, too.
func TestDocumentWithoutQueries(t *testing.T) {
	t.Parallel()
	read, _ := documentOf(t, nil, openapi.Caller{})
	assert.Len(t, read.Paths.Map(), 3, "the list of saved queries, the alerts, and the viewer")
}

// The validation of this test finds invalid documents.
func TestInvalidDocumentsAreFound(t *testing.T) {
	t.Parallel()
	_, document := documentOf(t, readCatalog(t), openapi.Caller{}, "logs.all")
	text := string(document)
	for name, change := range map[string][2]string{
		"a repeated id":          {`"operationId":"logs.all.byId"`, `"operationId":"logs.all"`},
		"a reference to nothing": {`#/components/schemas/logs.all.Row`, `#/components/schemas/nothing`},
		"a wrong type":           {`"type":"integer"`, `"type":"int"`},
		"an invalid example":     {`"message":"iso_timestamp_start: `, `"wrong":"iso_timestamp_start: `},
		"no version":             {`"version":"test"`, `"version":""`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := bytes.Replace([]byte(text), []byte(change[0]), []byte(change[1]), 1)
			require.NotEqual(t, text, string(broken))
			_, err := loadDocument(broken)
			assert.Error(t, err)
		})
	}
}

// The whole document. "go test ./internal/api/openapi -update" rewrites the files.
func TestGoldenDocument(t *testing.T) {
	t.Parallel()
	shipped := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	every, ok := readCatalog(t).Find("every.type")
	require.True(t, ok)
	for name, queries := range map[string][]*sqlq.SavedQuery{
		"shipped": shipped.Queries(), "every-type": {every},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := openapi.Document(queries, openapi.Caller{Ingest: name == "shipped", Sources: tables.Shipped(), Usage: name == "shipped", Tokens: name == "shipped", Explore: name == "shipped"}, "test")
			require.NoError(t, err)
			var indented bytes.Buffer
			require.NoError(t, json.Indent(&indented, text, "", "  "))
			file := filepath.Join("testdata", "golden", name+".json")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
				require.NoError(t, os.WriteFile(file, indented.Bytes(), 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), indented.String())
		})
	}
}

// The same saved queries give the same bytes, so the ETag changes only with them.
func TestDocumentIsDeterministic(t *testing.T) {
	t.Parallel()
	first := describe(t)
	for range 4 {
		require.Equal(t, string(first), string(describe(t)))
	}
}

// The server of the document is where the paths are that it describes.
func TestDocumentUnderBasePath(t *testing.T) {
	t.Parallel()
	_, text := documentOf(t, nil, openapi.Caller{BasePath: "/savedq"})
	assert.Contains(t, string(text), `"servers":[{"url":"/savedq",`)
}
