package graphqlhttp

import (
	"context"
	"net/http"

	"savedq/sqlq"
)

// TrustedDocuments are the only documents that a server runs. A request names one
// by its hash, as in the protocol of persisted queries, or sends its whole text.
type TrustedDocuments struct {
	// byHash has the SHA-256 hash of each text, in lower-case hexadecimal digits.
	byHash map[string]string
	texts  map[string]bool
}

var _ namedDocuments = (*TrustedDocuments)(nil)

// Len is how many documents are trusted.
func (t *TrustedDocuments) Len() int { return len(t.byHash) }

// complete refuses what is not trusted, and gives the request its document where it
// has only the hash. It is not PERSISTED_QUERY_NOT_FOUND, at which clients would send
// the text of the document.
func (t *TrustedDocuments) complete(_ context.Context, q *request, _ string) *refusal {
	if refused := q.checkPersistedQuery(); refused != nil {
		return refused
	}
	if q.Document == "" {
		q.Document = t.byHash[q.Extensions.PersistedQuery.hash()]
	}
	if !t.texts[q.Document] {
		return refuse(http.StatusForbidden, sqlq.Errorf(sqlq.PermissionDenied, "this server runs trusted documents alone, and this is none of them"))
	}
	return nil
}

// remember does nothing: trusted documents are known from the start.
func (*TrustedDocuments) remember(context.Context, *request) {}
