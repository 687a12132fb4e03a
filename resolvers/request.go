package resolvers

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"savedq/sqlq"
)

// refusal is a request that holds no GraphQL request that could be run.
type refusal struct {
	status int
	err    error
}

// badRequest refuses a request that cannot be understood.
func badRequest(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, err: sqlq.Errorf(sqlq.InvalidArgument, format, args...)}
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
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		refused = asked.readQueryString(r)
	case http.MethodPost:
		asked, refused = h.bodies.read(w, r)
	default:
		refused = refuseMethod(w, r)
	}
	if refused != nil {
		return nil, refused
	}
	if asked.Extensions.PersistedQuery == nil && strings.TrimSpace(asked.Document) == "" {
		return nil, badRequest("query: is required; send a GraphQL document such as { endpoints { name } }")
	}
	return asked, nil
}

func refuseMethod(w http.ResponseWriter, r *http.Request) *refusal {
	const allowed = http.MethodGet + ", " + http.MethodHead + ", " + http.MethodPost
	w.Header().Set("Allow", allowed)
	return &refusal{
		status: http.StatusMethodNotAllowed,
		err:    sqlq.Errorf(sqlq.MethodNotAllowed, "GraphQL does not take the method %s; use one of %s", r.Method, allowed),
	}
}

// readQueryString reads the request of a GET or HEAD.
func (q *request) readQueryString(r *http.Request) *refusal {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badRequest("the query string cannot be read; percent-encode each value")
	}
	q.Document, q.OperationName = values.Get("query"), values.Get("operationName")
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
	return &refusal{
		status: http.StatusUnsupportedMediaType,
		err: sqlq.Errorf(sqlq.InvalidArgument,
			"the request body must be sent with the header Content-Type: application/json; charset=utf-8"),
	}
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
