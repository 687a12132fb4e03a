package graphqlhttp

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/99designs/gqlgen/graphql/handler/lru"

	"savedq/internal/http/contentcoding"
	"savedq/internal/jsontext"
	"savedq/sqlq"
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
	// maxBytes is the maximum size of a body.
	maxBytes int64
	codings  *contentcoding.Decoder
	decoded  *lru.LRU[graphqlRequest]
}

func newRequestBodies(maxBytes int64) *requestBodies {
	return &requestBodies{maxBytes: maxBytes, codings: contentcoding.NewDecoder(maxBytes), decoded: lru.New[graphqlRequest](decodedBodyCount)}
}

// read returns the request of a POST. Callers must not change its variables, which are
// shared; gqlparser would change input objects, but the schema has none.
func (b *requestBodies) read(w http.ResponseWriter, r *http.Request) (*graphqlRequest, *rejection) {
	if rejected := checkContentType(r.Header.Get("Content-Type")); rejected != nil {
		return nil, rejected
	}
	coding, supported := contentcoding.Sent(r.Header["Content-Encoding"])
	if !supported {
		w.Header().Set("Accept-Encoding", contentcoding.Supported)
		return nil, reject(http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument,
			"the request body has a Content-Encoding that is not supported; use one of %s, or none", contentcoding.Supported))
	}
	body, err := b.readAll(w, r)
	if err != nil {
		return nil, b.rejectBody(err, "could not be read to its end")
	}
	if body, err = b.codings.Decode(coding, body); err != nil {
		return nil, b.rejectBody(err, "is not valid "+string(coding)+", although its Content-Encoding is "+string(coding))
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

// rejectBody rejects a body because it is too large, or otherwise with the reason.
func (b *requestBodies) rejectBody(err error, reason string) *rejection {
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) || errors.Is(err, contentcoding.ErrTooLarge) {
		return reject(http.StatusRequestEntityTooLarge, sqlq.Errorf(sqlq.InvalidArgument, "the request body is larger than %d bytes", b.maxBytes))
	}
	return badRequest("the request body %s", reason)
}

// isBatch reports whether a body is a list.
func isBatch(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'['}) }

// readAll reads a body. It allocates once if the request has a Content-Length.
func (b *requestBodies) readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= b.maxBytes {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, b.maxBytes))
	return body.Bytes(), err
}
