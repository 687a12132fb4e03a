package graphqlhttp

import (
	"context"
	"net/http"

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

// hash returns the digits of the hash. Callers must have checked it.
func (q *persistedQuery) hash() string {
	digits, _ := hashDigits(q.SHA256Hash)
	return digits
}

// checkPersistedQuery rejects an extension that is malformed, or whose hash is not that of
// the document sent with it.
func (q *graphqlRequest) checkPersistedQuery() *rejection {
	named := q.Extensions.PersistedQuery
	switch {
	case named == nil:
		return nil
	case named.Version != 1:
		return badRequest("extensions.persistedQuery.version: must be 1")
	}
	digits, supported := hashDigits(named.SHA256Hash)
	switch {
	case !supported:
		return badRequest("extensions.persistedQuery.sha256Hash: must be 64 hexadecimal digits, with or without the prefix %s", hashPrefix)
	case q.Document != "" && digits != hashOf(q.Document):
		return badRequest("extensions.persistedQuery.sha256Hash: is not the SHA-256 hash of the query, in lower-case hexadecimal digits")
	}
	return nil
}

// namedDocuments finds documents by their hashes.
type namedDocuments interface {
	// complete checks the request, and sets its document if it has only the hash. mediaType
	// is the media type of the response.
	complete(ctx context.Context, q *graphqlRequest, mediaType string) *rejection
	// remember is called with each request whose document is valid.
	remember(ctx context.Context, q *graphqlRequest)
}

// PersistedDocuments are the documents that clients have sent with their hashes. Handlers of
// several versions of a schema can share them, because each validates its documents.
type PersistedDocuments struct {
	byHash *lru.LRU[string]
}

var _ namedDocuments = (*PersistedDocuments)(nil)

// NewPersistedDocuments returns an empty store of documents.
func NewPersistedDocuments() *PersistedDocuments {
	return &PersistedDocuments{byHash: lru.New[string](persistedDocumentCount)}
}

// complete sets the document of a request that has only the hash, and checks the hash of
// one that has both.
func (p *PersistedDocuments) complete(ctx context.Context, q *graphqlRequest, mediaType string) *rejection {
	if rejected := q.checkPersistedQuery(); rejected != nil {
		return rejected
	}
	if q.Document == "" {
		document, ok := p.byHash.Get(ctx, q.Extensions.PersistedQuery.hash())
		if !ok {
			return rejectPersisted(mediaType)
		}
		q.Document = document
	}
	return nil
}

// remember stores the document of a complete request, if it was sent with its hash.
// Callers must pass valid documents only.
func (p *PersistedDocuments) remember(ctx context.Context, q *graphqlRequest) {
	if named := q.Extensions.PersistedQuery; named != nil && len(q.Document) <= maxPersistedBytes {
		p.byHash.Add(ctx, named.hash(), q.Document)
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
