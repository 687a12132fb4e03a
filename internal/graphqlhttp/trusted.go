package graphqlhttp

import (
	"context"
	"net/http"

	"savedq/sqlq"
)

// TrustedDocuments are the only documents that a server runs. A request names one
// by its hash, as with persisted queries, or sends the whole document.
type TrustedDocuments struct {
	// byHash has the documents by their SHA-256 hashes, in lower-case hexadecimal digits.
	byHash  map[string]string
	allowed map[string]bool
}

var _ namedDocuments = (*TrustedDocuments)(nil)

// Len returns the number of trusted documents.
func (t *TrustedDocuments) Len() int { return len(t.byHash) }

// complete rejects documents that are not trusted, and sets the document of a request that
// has only the hash. The error is not PERSISTED_QUERY_NOT_FOUND, because clients would then
// send the whole document.
func (t *TrustedDocuments) complete(_ context.Context, q *graphqlRequest, _ string) *rejection {
	if rejected := q.checkPersistedQuery(); rejected != nil {
		return rejected
	}
	if q.Document == "" {
		q.Document = t.byHash[q.Extensions.PersistedQuery.hash()]
	}
	if !t.allowed[q.Document] {
		return reject(http.StatusForbidden, sqlq.Errorf(sqlq.PermissionDenied, "this server runs only trusted documents, and this document is not one of them"))
	}
	return nil
}

// remember does nothing: the trusted documents are fixed at startup.
func (*TrustedDocuments) remember(context.Context, *graphqlRequest) {}
