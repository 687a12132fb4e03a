package graphqlhttp

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/internal/graphqlrules"
	"savedq/sqlq"
)

// refusal is why a request is not run.
type refusal struct {
	status int
	errs   gqlerror.List
}

// refuse refuses a request because of one error.
func refuse(status int, err error) *refusal {
	return &refusal{status: status, errs: gqlerror.List{gqlerror.Wrap(err)}}
}

// badRequest refuses a request that cannot be understood.
func badRequest(format string, args ...any) *refusal {
	return refuse(http.StatusBadRequest, sqlq.Errorf(sqlq.InvalidArgument, format, args...))
}

// request is a GraphQL request, as it stands in a body.
type request struct {
	Document      string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
	Extensions    struct {
		// PersistedQuery is set where the caller names the document by its hash.
		PersistedQuery *persistedQuery `json:"persistedQuery"`
	} `json:"extensions"`
}

// readRequest reads the GraphQL request out of an HTTP request. A body that was
// read before is not decoded again.
func (h *handler) readRequest(w http.ResponseWriter, r *http.Request) (*request, *refusal) {
	asked := &request{}
	var refused *refusal
	switch {
	case r.Method == http.MethodPost:
		asked, refused = h.bodies.read(w, r)
	case !h.withoutGET && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		refused = asked.readQueryString(r, h.bodyBytes)
	default:
		refused = h.refuseMethod(w, r)
	}
	if refused != nil {
		return nil, refused
	}
	if asked.Extensions.PersistedQuery == nil && strings.TrimSpace(asked.Document) == "" {
		return nil, badRequest("query: is required; send a GraphQL document such as { endpoints { name } }")
	}
	return asked, nil
}

func (h *handler) refuseMethod(w http.ResponseWriter, r *http.Request) *refusal {
	allowed, use := "GET, HEAD, POST", "one of GET, HEAD, POST"
	if h.withoutGET {
		allowed, use = "POST", "POST"
	}
	w.Header().Set("Allow", allowed)
	return refuse(http.StatusMethodNotAllowed,
		sqlq.Errorf(sqlq.MethodNotAllowed, "GraphQL does not take the method %s; use %s", shortened(r.Method), use))
}

// refuseAccept refuses a request that takes none of the media types there are, and
// says which those are.
func refuseAccept() *refusal {
	return refuse(http.StatusNotAcceptable, sqlq.Errorf(sqlq.InvalidArgument,
		"the header Accept must allow %s or %s", jsonMediaType, graphqlMediaType))
}

// readQueryString reads the request of a GET or HEAD, whose query string may have so
// many bytes.
func (q *request) readQueryString(r *http.Request, most int64) *refusal {
	if int64(len(r.URL.RawQuery)) > most {
		return refuse(http.StatusRequestURITooLong, sqlq.Errorf(sqlq.InvalidArgument, "the query string is longer than %d bytes; send a POST", most))
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
	if !utf8.ValidString(q.Document) || !utf8.ValidString(q.OperationName) || !graphqlrules.IsWellFormed(values.Get("variables")) {
		return badRequest("the query string must be UTF-8, without escaped halves of surrogate pairs")
	}
	if err := decodeValue(values.Get("variables"), &q.Variables); err != nil {
		return refuseJSON("variables", err)
	}
	if err := decodeValue(values.Get("extensions"), &q.Extensions); err != nil {
		return refuseJSON("extensions", err)
	}
	return nil
}

// decodeValue reads the JSON of a value of a query string. An empty one is absent.
func decodeValue(text string, target any) error {
	if text == "" {
		return nil
	}
	return decodeJSON(strings.NewReader(text), target)
}

// refuseJSON says what is wrong with the JSON of a field, or of the whole body,
// which has no name. Go's words for it would be of no use.
func refuseJSON(name string, err error) *refusal {
	const example = `{"query":"{ endpoints { name } }"}`
	wrongType := new(json.UnmarshalTypeError)
	isJSON := errors.As(err, &wrongType)
	field := strings.Trim(name+"."+wrongType.Field, ".")
	switch {
	case field == "" && !isJSON:
		return badRequest("the request body is not valid JSON; send an object such as %s", example)
	case field == "":
		return badRequest("the request body must be a JSON object, such as %s", example)
	case field == "variables" || field == "extensions":
		return badRequest("%s: must be a JSON object", field)
	case strings.HasPrefix(field, "extensions."):
		return badRequest(`extensions.persistedQuery: must be an object such as {"version":1,"sha256Hash":"<64 hexadecimal digits>"}`)
	default:
		return badRequest("%s: must be a string", field)
	}
}

// checkContentType refuses bodies that are not JSON in UTF-8. (It also keeps
// pages of other sites from posting without a preflight.)
func checkContentType(contentType string) *refusal {
	mediaType, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	if err == nil && mediaType == jsonMediaType && (charset == "" || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	return refuse(http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument,
		"the request body must be sent with the header Content-Type: application/json; charset=utf-8"))
}

// decodeJSON reads text that is one JSON value, and nothing more. Numbers keep
// all their digits.
func decodeJSON(text io.Reader, target any) error {
	decoder := json.NewDecoder(text)
	decoder.UseNumber()
	if err := decoder.Decode(target); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}
