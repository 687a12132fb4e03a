package graphqlhttp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// persisted returns the extension that names a document by its hash.
func persisted(document string) string {
	hash := sha256.Sum256([]byte(document))
	return fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":"%s"}}`, hex.EncodeToString(hash[:]))
}

// prefixed returns the same with the prefix that GraphQL over HTTP specifies.
func prefixed(document string) string {
	return strings.Replace(persisted(document), `"sha256Hash":"`, `"sha256Hash":"sha256:`, 1)
}

// postPersisted posts a request with a document, which may be empty, and extensions.
func postPersisted(t *testing.T, handler http.Handler, document, extensions string) *httptest.ResponseRecorder {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": document, "extensions": json.RawMessage(extensions)})
	require.NoError(t, err)
	return send(t, handler, http.MethodPost, "/graphql", string(body), "Content-Type", "application/json")
}

// The protocol: the hash alone is unknown, the client sends it with the document, and then
// the hash suffices, for POST and GET. The response stays cached throughout.
func TestPersistedQuery(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	extensions := persisted(countsDocument)
	byHash := "/graphql?" + url.Values{"extensions": {extensions}}.Encode()

	response := send(t, s, http.MethodGet, byHash, "")
	assert.Equal(t, http.StatusOK, response.Code)
	assert.Equal(t, usualType, response.Header().Get("Content-Type"))
	assert.Equal(t, "no-store", response.Header().Get("Cache-Control"))
	assert.JSONEq(t, `{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}`, response.Body.String())
	assert.Zero(t, s.runner.runs.Load())

	response = postPersisted(t, s, countsDocument, extensions)
	assert.Equal(t, countsBody(1, `"cache":"MISS","ageSeconds":0,"asOf":"2026-11-20T10:00:00Z"`), response.Body.String())
	want := countsBody(1, `"cache":"HIT","ageSeconds":0,"asOf":"2026-11-20T10:00:00Z"`)
	assert.Equal(t, want, postPersisted(t, s, "", extensions).Body.String())
	assert.Equal(t, want, send(t, s, http.MethodGet, byHash, "").Body.String())
	assert.Equal(t, want, send(t, s, http.MethodGet, target(countsDocument), "").Body.String())
	assert.EqualValues(t, 1, s.runner.runs.Load(), "the cached response was not used")
}

// A hash with and without the prefix names the same document.
func TestPersistedQueryWithAPrefix(t *testing.T) {
	t.Parallel()
	for name, extensions := range map[string]string{"with": prefixed(countsDocument), "without": persisted(countsDocument)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, 1)
			assert.Equal(t, "PERSISTED_QUERY_NOT_FOUND", errorsIn(t, postPersisted(t, s, "", extensions))[0].Extensions.Code)
			assert.Len(t, dataIn(t, postPersisted(t, s, countsDocument, extensions).Body.String()), 1)
			assert.Len(t, dataIn(t, postPersisted(t, s, "", persisted(countsDocument)).Body.String()), 1)
			assert.Len(t, dataIn(t, postPersisted(t, s, "", prefixed(countsDocument)).Body.String()), 1)
		})
	}
}

// A document is stored under its hash even if its response is cached.
func TestPersistedQueryOfACachedResponse(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	s.query(t, countsDocument)
	postPersisted(t, s, countsDocument, persisted(countsDocument))
	assert.Len(t, dataIn(t, postPersisted(t, s, "", persisted(countsDocument)).Body.String()), 1)
}

// In GraphQL's media type, a response without data must not have status 200.
func TestUnknownPersistedQueryByMediaType(t *testing.T) {
	t.Parallel()
	byHash := "/graphql?" + url.Values{"extensions": {persisted(countsDocument)}}.Encode()
	response := send(t, newServer(t, 1), http.MethodGet, byHash, "", "Accept", "application/graphql-response+json")
	assert.Equal(t, http.StatusBadRequest, response.Code)
	assert.Equal(t, graphqlType, response.Header().Get("Content-Type"))
	assert.Equal(t, "PERSISTED_QUERY_NOT_FOUND", errorsIn(t, response)[0].Extensions.Code)
}

func TestPersistedQueriesThatAreRejected(t *testing.T) {
	t.Parallel()
	const shape = `extensions.persistedQuery: must be an object such as {"version":1,"sha256Hash":"<64 hexadecimal digits>"}`
	const mismatch = "extensions.persistedQuery.sha256Hash: is not the SHA-256 hash of the query, in lower-case hexadecimal digits"
	const prefix = "extensions.persistedQuery.sha256Hash: must be 64 hexadecimal digits, with or without the prefix sha256:"
	for name, test := range map[string]struct{ document, extensions, message string }{
		"the hash of another document": {countsDocument, persisted(statsDocument), mismatch},
		"a hash in upper case":         {countsDocument, strings.Replace(strings.ToUpper(persisted(countsDocument)), `{"PERSISTEDQUERY":{"VERSION":1,"SHA256HASH"`, `{"persistedQuery":{"version":1,"sha256Hash"`, 1), mismatch},
		"another hash":                 {"", `{"persistedQuery":{"version":1,"sha256Hash":"md5:1bc29b36f623ba82aaf6724fd3b16718"}}`, prefix},
		"another hash and the query":   {countsDocument, strings.Replace(persisted(countsDocument), `Hash":"`, `Hash":"SHA256:`, 1), prefix},
		"a wrong hash with its prefix": {countsDocument, prefixed(statsDocument), mismatch},
		"no hash":                      {countsDocument, `{"persistedQuery":{"version":1}}`, mismatch},
		"another version":              {"", strings.Replace(persisted(countsDocument), "1", "2", 1), "extensions.persistedQuery.version: must be 1"},
		"no version":                   {"", `{"persistedQuery":{"sha256Hash":"x"}}`, "extensions.persistedQuery.version: must be 1"},
		"a string":                     {"", `{"persistedQuery":"x"}`, shape},
		"a version as a string":        {"", `{"persistedQuery":{"version":"1","sha256Hash":"x"}}`, shape},
		"a hash as a number":           {"", `{"persistedQuery":{"version":1,"sha256Hash":5}}`, shape},
		"null":                         {"", `{"persistedQuery":null}`, "query: is required; send a GraphQL document such as { endpoints { name } }"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := postPersisted(t, newServer(t, 1), test.document, test.extensions)
			assert.Equal(t, http.StatusBadRequest, response.Code)
			found := errorsIn(t, response)
			require.Len(t, found, 1)
			assert.Equal(t, test.message, found[0].Message)
			assert.Equal(t, "INVALID_ARGUMENT", found[0].Extensions.Code)
		})
	}
}

// Only valid documents of a bounded length are stored.
func TestDocumentsThatAreNotPersisted(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"not valid": `{ nothing }`,
		"too long":  `{ __typename }` + strings.Repeat(" ", 64<<10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := newHandler(t, runnerReturning(t), silent())
			postPersisted(t, handler, document, persisted(document))
			assert.Equal(t, "PERSISTED_QUERY_NOT_FOUND", errorsIn(t, postPersisted(t, handler, "", persisted(document)))[0].Extensions.Code)
		})
	}
}

// A thousand documents are stored; the least recently used is evicted.
func TestPersistedQueriesAreBounded(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, runnerReturning(t), silent())
	known := func(document string) bool {
		return len(errorsIn(t, postPersisted(t, handler, "", persisted(document)))) == 0
	}
	document := func(i int) string { return fmt.Sprintf("{ a%d: __typename }", i) }
	for i := range 1000 {
		postPersisted(t, handler, document(i), persisted(document(i)))
	}
	assert.True(t, known(document(0)), "used last by now")
	postPersisted(t, handler, document(1000), persisted(document(1000)))
	assert.True(t, known(document(0)))
	assert.False(t, known(document(1)))
	assert.True(t, known(document(1000)))
}
