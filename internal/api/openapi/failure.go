package openapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"savedq/internal/api/describe"
	"savedq/internal/api/rest"
	"savedq/internal/http/httperror"
	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
)

// errorSchema is the name of the schema of error bodies.
const errorSchema = "Error"

// detailSchema describes [httperror.Detail].
func detailSchema() schema {
	code := schema{Type: "string", Description: "The kind of error."}
	for _, known := range sqlq.Codes() {
		code.Enum = append(code.Enum, known)
	}
	return object(
		required("code", code),
		required("message", text("What is wrong, and what to do. If an argument is wrong, the message begins with its name.")),
		optional("argument", text("The name of the argument that is wrong, if one is.")),
		optional("line", whole("The line of a mistake in SQL that the caller sent, from 1.")),
		optional("column", whole("The column of that mistake, in bytes of UTF-8, from 1.")),
	)
}

// failure is an error response that is the same for all saved queries.
type failure struct {
	name        string
	status      int
	description string
	headers     []string
	// ofBody reports whether only requests with a body fail like this.
	ofBody bool
	// ofList reports whether requests for the list of saved queries fail like this.
	ofList bool
	// request describes the request of the example, if there is one.
	request string
	example *sqlq.Error
}

// failures returns a failure for each code of D15 except INVALID_ARGUMENT, whose examples
// depend on the saved query, and for each further status of requests with a body.
func failures() []failure {
	return []failure{
		{
			name: "Unauthenticated", status: http.StatusUnauthorized, headers: []string{"WWW-Authenticate"}, ofList: true,
			description: "The request has no token or an invalid one.",
			request:     "A request without a token",
			example:     sqlq.Errorf(sqlq.Unauthenticated, "a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>"),
		},
		{
			name: "PermissionDenied", status: http.StatusForbidden,
			description: "The token does not allow this endpoint, project or tier.",
			request:     "A request for a project with a token for another one",
			example:     &sqlq.Error{Code: sqlq.PermissionDenied, Param: "project", Message: "the token does not allow this project"},
		},
		{
			name: "NotFound", status: http.StatusNotFound,
			description: "The saved query does not exist.",
			request:     http.MethodGet + " " + rest.Path + "nosuch",
			example:     sqlq.Errorf(sqlq.NotFound, `there is no saved query with the name or id "nosuch"`),
		},
		{
			name: "MethodNotAllowed", status: http.StatusMethodNotAllowed, headers: []string{"Allow"}, ofList: true,
			description: "The path supports only GET, HEAD and POST, and the list of saved queries only GET and HEAD.",
		},
		{
			name: "ContentTooLarge", status: http.StatusRequestEntityTooLarge, ofBody: true,
			description: "The body is too large.",
			request:     "A body of more than a mebibyte",
			example:     sqlq.Errorf(sqlq.InvalidArgument, "the request body is larger than 1048576 bytes"),
		},
		{
			name: "UnsupportedMediaType", status: http.StatusUnsupportedMediaType, ofBody: true,
			description: "The body is neither JSON nor a form in UTF-8, or has a content coding other than gzip, zstd, deflate and snappy.",
			request:     "A body with Content-Type: text/plain",
			example:     sqlq.Errorf(sqlq.InvalidArgument, "the request body must be sent with the header Content-Type: application/json, or application/x-www-form-urlencoded, in UTF-8"),
		},
		{
			name: "ResourceExhausted", status: http.StatusTooManyRequests, headers: []string{"Retry-After"}, ofList: true,
			description: "The token's rate limit is exceeded, or the query needs more than the engine's limits allow.",
			request:     "The second request within a second with a token for one per second",
			example:     sqlq.Errorf(sqlq.ResourceExhausted, "the rate of the token is used up (1 request per second); try again in 1 s"),
		},
		{
			name: "Cancelled", status: httpstatus.ClientClosedRequest, ofList: true,
			description: "The caller closed the connection before the response. Only logs and proxies see this status.",
		},
		{
			name: "Internal", status: http.StatusInternalServerError, ofList: true,
			description: "The server failed. Its log has the cause, under the id in X-Request-Id.",
		},
		{
			name: "Unavailable", status: http.StatusServiceUnavailable, headers: []string{"Retry-After"}, ofList: true,
			description: "The server is busy, or its engine is unavailable.",
		},
		{
			name: "DeadlineExceeded", status: http.StatusGatewayTimeout,
			description: "The query timed out.",
		},
	}
}

// responsesWith returns a response with status 200, and the failures for which has is true, by status.
func responsesWith(success string, has func(*failure) bool) map[string]reference {
	responses := map[string]reference{strconv.Itoa(http.StatusOK): refer("responses", success)}
	for _, failure := range failures() {
		if has(&failure) {
			responses[strconv.Itoa(failure.status)] = refer("responses", failure.name)
		}
	}
	return responses
}

func isOfList(f *failure) bool { return f.ofList }

// isOneOf returns a function that reports whether a failure has one of the names.
func isOneOf(names ...string) func(*failure) bool {
	return func(f *failure) bool { return slices.Contains(names, f.name) }
}

func (f *failure) response() response {
	if f.example == nil {
		return failureResponse(f.description, f.headers, nil)
	}
	return failureResponse(f.description, f.headers, exampleOf(f.name, f.request, f.example))
}

// exampleOf returns an error as the example of a name, with its request.
func exampleOf(name, request string, err *sqlq.Error) map[string]example {
	return map[string]example{name: {Summary: request, Value: httperror.Body{Error: httperror.DetailOf(err)}}}
}

func failureResponse(description string, further []string, examples map[string]example) response {
	return response{
		Description: description,
		Headers:     headerReferences(append([]string{"Cache-Control", "X-Request-Id"}, further...)...),
		Content:     map[string]mediaType{mediaJSON: {Schema: component(errorSchema), Examples: examples}},
	}
}

// invalidResponse returns the response for invalid arguments. Its example is an error of
// the saved query itself: for an invalid value or, if none is known, a missing one. Invalid values
// of bound parameters have another status.
func invalidResponse(query *sqlq.SavedQuery, recorded *recordedResponse, bound describe.Bound) response {
	const description = "A parameter is missing or invalid."
	valid := url.Values{}
	for i := range query.Params {
		param := &query.Params[i]
		if text := exampleText(param, recorded); param.Required && text != "" {
			valid.Set(param.Name, text)
		}
	}
	for _, invalid := range []func(*sqlq.Param) string{invalidText, func(*sqlq.Param) string { return "" }} { // empty counts as missing
		for i := range query.Params {
			param := &query.Params[i]
			if bound.Limits(param) {
				continue
			}
			values := maps.Clone(valid)
			values.Set(param.Name, invalid(param))
			_, err := query.Bind(values)
			if rejection := sqlq.AsError(err); rejection != nil && rejection.Param == param.Name {
				return failureResponse(description, nil, exampleOf(param.Name, requestLine(query, values.Encode()), rejection))
			}
		}
	}
	return failureResponse(description, nil, nil)
}

// invalidText returns a value that a parameter probably rejects.
func invalidText(param *sqlq.Param) string {
	switch {
	case len(param.Allowed) > 0:
		return "unknown"
	case param.Regex:
		return "("
	case param.Type == sqlq.Timestamp:
		return "yesterday"
	default:
		return "#"
	}
}
