package graphqlhttp

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql/handler/lru"

	"savedq/sqlq"
)

const (
	// persistedDocumentCount is how many documents are known by their hashes.
	persistedDocumentCount = 1000
	// maxPersistedBytes bounds a document that is known by its hash, and so the
	// memory that all of them take. A longer one has to be sent each time.
	maxPersistedBytes = 64 << 10
)

// persistedQueryNotFound is the code by which clients learn that they have to send
// a document along with its hash. The message is a part of the protocol too.
const (
	persistedQueryNotFound        = sqlq.Code("PERSISTED_QUERY_NOT_FOUND")
	persistedQueryNotFoundMessage = "PersistedQueryNotFound"
)

// persistedQuery is the extension with which a client names a document by its hash,
// to send it only once (Apollo's protocol of automatic persisted queries).
type persistedQuery struct {
	Version int `json:"version"`
	// SHA256Hash is the hash of the document in lower-case hexadecimal digits, with or
	// without a prefix.
	SHA256Hash string `json:"sha256Hash"`
}

// hash returns the digits of a hash that was checked.
func (q *persistedQuery) hash() string {
	digits, _ := hashDigits(q.SHA256Hash)
	return digits
}

// checkPersistedQuery refuses an extension that is not understood, or whose hash is
// not that of the document that came with it.
func (q *request) checkPersistedQuery() *refusal {
	named := q.Extensions.PersistedQuery
	switch {
	case named == nil:
		return nil
	case named.Version != 1:
		return badRequest("extensions.persistedQuery.version: must be 1")
	}
	digits, understood := hashDigits(named.SHA256Hash)
	switch {
	case !understood:
		return badRequest("extensions.persistedQuery.sha256Hash: must be 64 hexadecimal digits, with nothing or %s before them", hashPrefix)
	case q.Document != "" && digits != hashOf(q.Document):
		return badRequest("extensions.persistedQuery.sha256Hash: is not the SHA-256 hash of the query, in lower-case hexadecimal digits")
	}
	return nil
}

// namedDocuments know documents by their hashes.
type namedDocuments interface {
	// complete gives the request its document where it has only the hash, and
	// checks what it has. The media type is that of the response.
	complete(ctx context.Context, q *request, mediaType string) *refusal
	// remember is told of each request whose document is valid.
	remember(ctx context.Context, q *request)
}

// persistedDocuments are the documents that clients have made known by their hashes.
type persistedDocuments struct {
	byHash *lru.LRU[string]
}

var _ namedDocuments = (*persistedDocuments)(nil)

func newPersistedDocuments() *persistedDocuments {
	return &persistedDocuments{byHash: lru.New[string](persistedDocumentCount)}
}

// complete gives the request its document where it has only the hash, and checks
// the hash where it has both.
func (p *persistedDocuments) complete(ctx context.Context, q *request, mediaType string) *refusal {
	if refused := q.checkPersistedQuery(); refused != nil {
		return refused
	}
	if q.Document == "" {
		document, ok := p.byHash.Get(ctx, q.Extensions.PersistedQuery.hash())
		if !ok {
			return refusePersisted(mediaType)
		}
		q.Document = document
	}
	return nil
}

// remember makes the document of a complete request known, if it came with its
// hash. Only valid documents are worth a place.
func (p *persistedDocuments) remember(ctx context.Context, q *request) {
	if named := q.Extensions.PersistedQuery; named != nil && len(q.Document) <= maxPersistedBytes {
		p.byHash.Add(ctx, named.hash(), q.Document)
	}
}

// refusePersisted answers a hash that is not known. Clients of the protocol expect
// the status 200, which the media type of GraphQL does not allow without data.
func refusePersisted(mediaType string) *refusal {
	status := http.StatusOK
	if mediaType == graphqlMediaType {
		status = http.StatusBadRequest
	}
	return refuse(status, sqlq.Errorf(persistedQueryNotFound, persistedQueryNotFoundMessage))
}
