package graphqlhttp

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/99designs/gqlgen/graphql/handler/lru"

	"savedq/internal/graphqlrules"
	"savedq/internal/http/contentcoding"
	"savedq/sqlq"
)

const (
	// decodedBodyCount is how many bodies are known by their bytes, and
	// maxDecodedBytes how long each of them may be: together they stay below a few
	// megabytes.
	decodedBodyCount = 1000
	maxDecodedBytes  = 4 << 10
)

// requestBodies are the requests of POST bodies that came before. Applications send the
// same few bodies again and again, and decoding one takes longer than all else that
// a kept response costs before it is written.
type requestBodies struct {
	// most is how many bytes a body may have.
	most    int64
	codings *contentcoding.Decoder
	decoded *lru.LRU[request]
}

func newRequestBodies(most int64) *requestBodies {
	return &requestBodies{most: most, codings: contentcoding.NewDecoder(most), decoded: lru.New[request](decodedBodyCount)}
}

// read reads the request of a POST. Its variables are shared, and not to be changed;
// gqlparser would change input objects, of which the schema has none.
func (b *requestBodies) read(w http.ResponseWriter, r *http.Request) (*request, *refusal) {
	if refused := checkContentType(r.Header.Get("Content-Type")); refused != nil {
		return nil, refused
	}
	coding, supported := contentcoding.Sent(r.Header["Content-Encoding"])
	if !supported {
		w.Header().Set("Accept-Encoding", contentcoding.Supported)
		return nil, refuse(http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument,
			"the request body has a Content-Encoding that is not supported; use one of %s, or none", contentcoding.Supported))
	}
	body, err := b.readAll(w, r)
	if err != nil {
		return nil, b.refuseBody(err, "could not be read to its end")
	}
	if body, err = b.codings.Decode(coding, body); err != nil {
		return nil, b.refuseBody(err, "is not "+string(coding)+", which its Content-Encoding says")
	}
	if asked, known := b.decoded.Get(r.Context(), string(body)); known {
		return &asked, nil
	}
	if isBatch(body) {
		return nil, badRequest("a batch of requests is not taken; send each request on its own")
	}
	if !graphqlrules.IsWellFormed(string(body)) {
		return nil, badRequest("the request body must be UTF-8, without escaped halves of surrogate pairs")
	}
	asked := request{}
	if err := decodeJSON(bytes.NewReader(body), &asked); err != nil {
		return nil, refuseJSON("", err)
	}
	if len(body) <= maxDecodedBytes {
		b.decoded.Add(r.Context(), string(body), asked)
	}
	return &asked, nil
}

// refuseBody refuses a body that is too large, or else for the reason given.
func (b *requestBodies) refuseBody(err error, reason string) *refusal {
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) || errors.Is(err, contentcoding.ErrTooLarge) {
		return refuse(http.StatusRequestEntityTooLarge, sqlq.Errorf(sqlq.InvalidArgument, "the request body is larger than %d bytes", b.most))
	}
	return badRequest("the request body %s", reason)
}

// isBatch says whether a body is a list.
func isBatch(body []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'['}) }

// readAll reads a body, in one piece where it says how long it is.
func (b *requestBodies) readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var body bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= b.most {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, b.most))
	return body.Bytes(), err
}
