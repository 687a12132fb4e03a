package graphqlhttp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql/handler/lru"

	"savedq/sqlq"
)

const (
	// persistedDocumentCount bounds the stored documents.
	persistedDocumentCount = 1000
	// maxPersistedBytes bounds each stored document, and so the memory of all of them.
	// Clients must send longer documents each time.
	maxPersistedBytes = 64 << 10
)

// persistedQueryNotFound makes clients send the document along with its hash. The
// protocol defines the message too.
const (
	persistedQueryNotFound        = sqlq.Code("PERSISTED_QUERY_NOT_FOUND")
	persistedQueryNotFoundMessage = "PersistedQueryNotFound"
)

// persistedQuery is the extension that names a document by its hash, so that a client
// sends it only once (Apollo's automatic persisted queries).
type persistedQuery struct {
	Version int `json:"version"`
	// SHA256Hash is the hash of the document in lower-case hexadecimal digits, with or
	// without a prefix.
	SHA256Hash string `json:"sha256Hash"`
}

// hashPrefix is the optional prefix of a document's hash, which names the algorithm
// (GraphQL over HTTP, appendix A). Apollo's clients omit it.
const hashPrefix = "sha256:"

// hashOf returns the SHA-256 hash of a document, in lower-case hexadecimal digits.
func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// hashDigits returns a hash without its prefix, and reports whether the prefix is
// supported or absent.
func hashDigits(hash string) (digits string, supported bool) {
	digits = strings.TrimPrefix(hash, hashPrefix)
	return digits, !strings.Contains(digits, ":")
}

// PersistedDocuments are the documents that clients have sent with their hashes. Handlers of
// several versions of a schema can share them, because each validates its documents.
type PersistedDocuments struct {
	byHash *lru.LRU[string]
}

// NewPersistedDocuments returns an empty store of documents.
func NewPersistedDocuments() *PersistedDocuments {
	return &PersistedDocuments{byHash: lru.New[string](persistedDocumentCount)}
}

// completeDocument checks the hash of a request that has one, and sets the document of a request
// that has only the hash. It rejects documents that are not trusted: not with
// PERSISTED_QUERY_NOT_FOUND, because clients would then send the whole document.
func (h *handler) completeDocument(ctx context.Context, q *graphqlRequest, mediaType string) *rejection {
	if named := q.Extensions.PersistedQuery; named != nil {
		digits, supported := hashDigits(named.SHA256Hash)
		switch {
		case named.Version != 1:
			return badRequest("extensions.persistedQuery.version: must be 1")
		case !supported:
			return badRequest("extensions.persistedQuery.sha256Hash: must be 64 hexadecimal digits, with or without the prefix %s", hashPrefix)
		case q.Document != "" && digits != hashOf(q.Document):
			return badRequest("extensions.persistedQuery.sha256Hash: is not the SHA-256 hash of the query, in lower-case hexadecimal digits")
		case q.Document == "" && h.Trusted != nil:
			q.Document = h.Trusted.byHash[digits]
		case q.Document == "":
			var known bool
			if q.Document, known = h.Persisted.byHash.Get(ctx, digits); !known {
				return rejectPersisted(mediaType)
			}
		}
	}
	if h.Trusted != nil && !h.Trusted.allowed[q.Document] {
		return reject(http.StatusForbidden, sqlq.Errorf(sqlq.PermissionDenied, "this server runs only trusted documents, and this document is not one of them"))
	}
	return nil
}

// rememberDocument stores the document of a complete request, if it was sent with its hash.
// Callers must pass valid documents only.
func (h *handler) rememberDocument(ctx context.Context, q *graphqlRequest) {
	if named := q.Extensions.PersistedQuery; named != nil && h.Trusted == nil && len(q.Document) <= maxPersistedBytes {
		digits, _ := hashDigits(named.SHA256Hash)
		h.Persisted.byHash.Add(ctx, digits, q.Document)
	}
}

// rejectPersisted rejects an unknown hash. Clients of the protocol expect status 200,
// which GraphQL's media type does not allow without data.
func rejectPersisted(mediaType string) *rejection {
	status := http.StatusOK
	if mediaType == graphqlMediaType {
		status = http.StatusBadRequest
	}
	return reject(status, sqlq.Errorf(persistedQueryNotFound, persistedQueryNotFoundMessage))
}
