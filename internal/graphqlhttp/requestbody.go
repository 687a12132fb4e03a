package graphqlhttp

import (
	"bytes"
	"net/http"

	"github.com/99designs/gqlgen/graphql/handler/lru"

	"savedq/internal/http/contentcoding"
	"savedq/internal/jsontext"
)

const (
	// decodedBodyCount bounds the cached decoded bodies, and maxDecodedBytes the length
	// of each: together they stay below a few megabytes.
	decodedBodyCount = 1000
	maxDecodedBytes  = 4 << 10
)

// requestBodies reads POST bodies and caches the decoded requests. Applications send the
// same few bodies repeatedly, and decoding one takes longer than everything else that a
// cached response costs before it is written.
type requestBodies struct {
	codings *contentcoding.Decoder
	decoded *lru.LRU[graphqlRequest]
}

// newRequestBodies returns a reader of bodies of at most maxBytes.
func newRequestBodies(maxBytes int64) *requestBodies {
	return &requestBodies{codings: contentcoding.NewDecoder(maxBytes), decoded: lru.New[graphqlRequest](decodedBodyCount)}
}

// read returns the request of a POST. Callers must not change its variables, which are
// shared; gqlparser would change input objects, but the schema has none.
func (b *requestBodies) read(w http.ResponseWriter, r *http.Request) (*graphqlRequest, *rejection) {
	if rejected := checkContentType(r.Header.Get("Content-Type")); rejected != nil {
		return nil, rejected
	}
	body, status, err := b.codings.Read(w, r)
	if err != nil {
		return nil, reject(status, err)
	}
	if request, known := b.decoded.Get(r.Context(), string(body)); known {
		return &request, nil
	}
	if isBatch(body) {
		return nil, badRequest("batches are not supported; send each operation in its own request")
	}
	if !jsontext.IsWellFormed(string(body)) {
		return nil, badRequest("the request body must be valid UTF-8, without escapes of unpaired surrogates")
	}
	request := graphqlRequest{}
	if err := decodeJSON(body, &request); err != nil {
		return nil, rejectJSON("", err)
	}
	if len(body) <= maxDecodedBytes {
		request.canonical = canonical(request.Variables)
		b.decoded.Add(r.Context(), string(body), request)
	}
	return &request, nil
}

// isBatch reports whether a body is a list.
func isBatch(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'['}) }
