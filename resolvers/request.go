package resolvers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/99designs/gqlgen/graphql"

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

// readRequest reads the GraphQL request out of an HTTP request.
func readRequest(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, *refusal) {
	params := &graphql.RawParams{Headers: r.Header}
	params.ReadTime.Start = graphql.Now()
	var refused *refusal
	switch r.Method {
	case http.MethodGet:
		refused = readQueryString(r, params)
	case http.MethodPost:
		refused = readBody(w, r, params)
	default:
		return nil, refuseMethod(w, r)
	}
	if refused != nil {
		return nil, refused
	}
	if strings.TrimSpace(params.Query) == "" {
		return nil, badRequest("query: is required; send a GraphQL document such as { endpoints { name } }")
	}
	params.ReadTime.End = graphql.Now()
	return params, nil
}

func refuseMethod(w http.ResponseWriter, r *http.Request) *refusal {
	const allowed = http.MethodGet + ", " + http.MethodPost
	w.Header().Set("Allow", allowed)
	return &refusal{
		status: http.StatusMethodNotAllowed,
		err:    sqlq.Errorf(sqlq.MethodNotAllowed, "GraphQL does not take the method %s; use one of %s", r.Method, allowed),
	}
}

// readQueryString reads the request of a GET.
func readQueryString(r *http.Request, params *graphql.RawParams) *refusal {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badRequest("the query string cannot be read; percent-encode each value")
	}
	params.Query, params.OperationName = values.Get("query"), values.Get("operationName")
	for name, target := range map[string]*map[string]any{"variables": &params.Variables, "extensions": &params.Extensions} {
		text := values.Get(name)
		if text == "" {
			continue
		}
		if err := decodeJSON([]byte(text), target); err != nil {
			return badRequest("%s: must be a JSON object", name)
		}
	}
	return nil
}

// readBody reads the request of a POST.
func readBody(w http.ResponseWriter, r *http.Request, params *graphql.RawParams) *refusal {
	if refused := checkContentType(r.Header.Get("Content-Type")); refused != nil {
		return refused
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return &refusal{
			status: http.StatusRequestEntityTooLarge,
			err:    sqlq.Errorf(sqlq.InvalidArgument, "the request body is larger than %d bytes", tooLarge.Limit),
		}
	}
	if err != nil {
		return badRequest("the request body could not be read to its end")
	}
	var request struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
		Extensions    map[string]any `json:"extensions"`
	}
	if err := decodeJSON(body, &request); err != nil {
		return refuseBody(err)
	}
	params.Query, params.OperationName = request.Query, request.OperationName
	params.Variables, params.Extensions = request.Variables, request.Extensions
	return nil
}

// refuseBody says what is wrong with a body, without Go's words for it.
func refuseBody(err error) *refusal {
	const example = `{"query":"{ endpoints { name } }"}`
	wrongType := new(json.UnmarshalTypeError)
	switch {
	case !errors.As(err, &wrongType):
		return badRequest("the request body is not valid JSON; send an object such as %s", example)
	case wrongType.Field == "":
		return badRequest("the request body must be a JSON object, such as %s", example)
	case wrongType.Field == "variables" || wrongType.Field == "extensions":
		return badRequest("%s: must be a JSON object", wrongType.Field)
	default:
		return badRequest("%s: must be a string", wrongType.Field)
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
func decodeJSON(text []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(target); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}
