package graphqlhttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/http/contentcoding"
	"savedq/internal/text/jsontext"
	"savedq/sqlq"
)

// rejection holds the status and the errors of a request that is not run.
type rejection struct {
	status int
	errs   gqlerror.List
}

// reject returns a rejection with one error.
func reject(status int, err error) *rejection {
	return &rejection{status: status, errs: gqlerror.List{gqlerror.Wrap(err)}}
}

// badRequest returns a rejection of a malformed request.
func badRequest(format string, args ...any) *rejection {
	return reject(http.StatusBadRequest, sqlq.Errorf(sqlq.InvalidArgument, format, args...))
}

// graphqlRequest is a GraphQL request, as encoded in a body.
type graphqlRequest struct {
	Document      string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
	Extensions    struct {
		// PersistedQuery is set if the client names the document by its hash.
		PersistedQuery *persistedQuery `json:"persistedQuery"`
	} `json:"extensions"`
	// These name a document for other servers.
	documentIDs

	// canonical is the text of the variables, if the decoded request is cached.
	canonical string
}

// documentIDs are the fields in which clients of other servers name a document.
type documentIDs struct {
	DocumentID json.RawMessage `json:"documentId"`
	DocID      json.RawMessage `json:"doc_id"`
	ID         json.RawMessage `json:"id"`
}

// missingDocument returns the error for a request without a document.
func (d documentIDs) missingDocument() error {
	for name, id := range map[string]json.RawMessage{"documentId": d.DocumentID, "doc_id": d.DocID, "id": d.ID} {
		if id != nil {
			return sqlq.Errorf(sqlq.InvalidArgument,
				`query: is required; %s is not supported: name a document by its SHA-256 hash in extensions.persistedQuery, as {"version":1,"sha256Hash":"<64 hexadecimal digits>"}`, name)
		}
	}
	return sqlq.Errorf(sqlq.InvalidArgument, "query: is required; send a GraphQL document such as { endpoints { name } }")
}

// readRequest returns the GraphQL request of an HTTP request.
func (h *handler) readRequest(w http.ResponseWriter, r *http.Request) (*graphqlRequest, *rejection) {
	request := &graphqlRequest{}
	var rejected *rejection
	switch {
	case r.Method == http.MethodPost:
		request, rejected = h.bodies.read(w, r)
	case !h.WithoutGET && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		rejected = request.readQueryString(r, h.BodyBytes)
	default:
		rejected = h.rejectMethod(w, r)
	}
	if rejected != nil {
		return nil, rejected
	}
	if request.Extensions.PersistedQuery == nil && strings.TrimSpace(request.Document) == "" {
		return nil, reject(http.StatusBadRequest, request.missingDocument())
	}
	return request, nil
}

func (h *handler) rejectMethod(w http.ResponseWriter, r *http.Request) *rejection {
	allowed, use := "GET, HEAD, POST", "one of GET, HEAD, POST"
	if h.WithoutGET {
		allowed, use = "POST", "POST"
	}
	w.Header().Set("Allow", allowed)
	return reject(http.StatusMethodNotAllowed,
		sqlq.Errorf(sqlq.MethodNotAllowed, "GraphQL does not support the method %s; use %s", shortened(r.Method), use))
}

// rejectAccept rejects a request that accepts neither media type. The error names both.
func rejectAccept() *rejection {
	return reject(http.StatusNotAcceptable, sqlq.Errorf(sqlq.InvalidArgument,
		"the header Accept must allow %s or %s", jsonMediaType, graphqlMediaType))
}

// readQueryString reads the request of a GET or HEAD. A query string longer
// than maxBytes is rejected.
func (q *graphqlRequest) readQueryString(r *http.Request, maxBytes int64) *rejection {
	if int64(len(r.URL.RawQuery)) > maxBytes {
		return reject(http.StatusRequestURITooLong, sqlq.Errorf(sqlq.InvalidArgument, "the query string is longer than %d bytes; send a POST", maxBytes))
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badRequest("the query string cannot be read; percent-encode each value")
	}
	for _, name := range []string{"query", "operationName", "variables", "extensions"} {
		if len(values[name]) > 1 {
			return badRequest("%s: is given more than once in the query string; send it once", name)
		}
	}
	q.Document, q.OperationName = values.Get("query"), values.Get("operationName")
	q.DocumentID, q.DocID, q.ID = rawValue(values, "documentId"), rawValue(values, "doc_id"), rawValue(values, "id")
	if !utf8.ValidString(q.Document) || !utf8.ValidString(q.OperationName) || !jsontext.IsWellFormed(values.Get("variables")) {
		return badRequest("the query string must be valid UTF-8, without escapes of unpaired surrogates")
	}
	if err := decodeValue(values.Get("variables"), &q.Variables); err != nil {
		return rejectJSON("variables", err)
	}
	if err := decodeValue(values.Get("extensions"), &q.Extensions); err != nil {
		return rejectJSON("extensions", err)
	}
	return nil
}

// rawValue returns a value of a query string, or nil.
func rawValue(values url.Values, name string) json.RawMessage {
	if !values.Has(name) {
		return nil
	}
	return json.RawMessage(values.Get(name))
}

// decodeValue decodes a JSON value of a query string. An empty value counts as absent.
func decodeValue(text string, target any) error {
	if text == "" {
		return nil
	}
	return decodeJSON([]byte(text), target)
}

// rejectJSON rejects the JSON object of a field, or of the whole body if the name is empty. It
// replaces the messages of encoding/json, which name Go's types.
func rejectJSON(name string, err error) *rejection {
	const example = `{"query":"{ endpoints { name } }"}`
	if repeated := new(sqlq.Error); errors.As(err, &repeated) {
		return reject(http.StatusBadRequest, repeated)
	}
	wrongType := new(json.UnmarshalTypeError)
	isJSON := errors.As(err, &wrongType)
	field := strings.Trim(name+"."+wrongType.Field, ".")
	switch {
	case field == "" && !isJSON:
		return badRequest("the request body is not valid JSON; send an object such as %s", example)
	case field == "":
		return badRequest("the request body must be a JSON object, such as %s", example)
	case wrongType.Field == "" || wrongType.Field == "variables" || wrongType.Field == "extensions":
		return badRequest("%s: must be a JSON object", field)
	case strings.Contains(field, "extensions."):
		return badRequest(`extensions.persistedQuery: must be an object such as {"version":1,"sha256Hash":"<64 hexadecimal digits>"}`)
	default:
		return badRequest("%s: must be a string", field)
	}
}

// checkContentType rejects bodies that are not JSON in UTF-8. This also forces a CORS
// preflight on pages of other sites.
func checkContentType(contentType string) *rejection {
	mediaType, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	if err == nil && mediaType == jsonMediaType && (charset == "" || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	return reject(http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument,
		"the request body must be sent with the header Content-Type: application/json; charset=utf-8"))
}

// decodeJSON decodes exactly one JSON value. Numbers are decoded as json.Number, without
// loss of digits.
func decodeJSON(text []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(target); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	if name, fault := jsontext.WrongName(text, target); fault != "" {
		return sqlq.Errorf(sqlq.InvalidArgument, "%s: %s", name, fault)
	}
	return nil
}

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

// key returns the cache key of the request's response in a media type, from a version of the
// schema. It holds everything
// that the response depends on except the rows of saved queries. Each part is prefixed
// with its length, so that different requests never share a key. The document is
// compared byte for byte, and variables by value.
func (q *graphqlRequest) key(version, mediaType string) string {
	variables := q.canonical
	if variables == "" {
		variables = canonical(q.Variables)
	}
	parts := [...]string{version, mediaType, q.OperationName, variables, q.Document}
	const prefix, lengths = "graphql ", 32
	key := make([]byte, 0, len(prefix)+lengths+len(version)+len(mediaType)+len(q.OperationName)+len(variables)+len(q.Document))
	key = append(key, prefix...)
	for _, part := range parts {
		key = strconv.AppendInt(key, int64(len(part)), 10)
		key = append(key, ':')
		key = append(key, part...)
	}
	return string(key)
}

// canonical returns the text of variables, with sorted keys.
func canonical(variables map[string]any) string {
	if len(variables) == 0 {
		return "{}"
	}
	text, err := json.Marshal(variables)
	if err != nil { // cannot happen: they were read from JSON
		panic(fmt.Sprintf("graphqlhttp: encode variables: %v", err))
	}
	return string(text)
}
