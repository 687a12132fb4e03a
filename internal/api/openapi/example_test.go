package openapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/httperror"
	"savedq/internal/http/httpserver"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// conform validates a response against the document: path, status, headers and body.
func conform(t *testing.T, read *openapi3.T, request *http.Request, response *httptest.ResponseRecorder) {
	t.Helper()
	item := read.Paths.Find(request.URL.Path)
	require.NotNil(t, item, request.URL.Path)
	method := request.Method
	if method != http.MethodPost {
		method = http.MethodGet // which describes HEAD and methods that are not allowed, too
	}
	operation := item.GetOperation(method)
	require.NotNil(t, operation.Responses.Status(response.Code), "status %d", response.Code)
	route := &routers.Route{Spec: read, Path: request.URL.Path, PathItem: item, Method: method, Operation: operation}
	options := &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	input := &openapi3filter.RequestValidationInput{Request: request, Route: route, Options: options}
	if response.Code == http.StatusOK {
		require.NoError(t, openapi3filter.ValidateRequest(t.Context(), input), "the document must allow what the server accepts")
	}
	require.NoError(t, openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: response.Code, Header: response.Header(),
		Body: io.NopCloser(bytes.NewReader(response.Body.Bytes())), Options: options,
	}))
	for name, header := range operation.Responses.Status(response.Code).Value.Headers {
		if header.Value.Required {
			assert.NotEmpty(t, response.Header().Get(name), name)
		}
	}
}

// examplesOf returns the examples of a response.
func examplesOf(response *openapi3.ResponseRef) openapi3.Examples {
	if response == nil {
		return nil
	}
	media := response.Value.Content.Get("application/json")
	if media == nil {
		return nil
	}
	return media.Examples
}

// Each example of rows and of invalid arguments is the server's response to the request in
// its summary, on each of the three paths.
func TestExamplesAreTrue(t *testing.T) {
	t.Parallel()
	read := readDescribed(t)
	service := newService(t, openStore(t), nil)
	requests := 0
	for path, item := range read.Paths.Map() {
		if item.Get == nil {
			continue
		}
		for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
			for name, example := range examplesOf(item.Get.Responses.Status(status)) {
				requests++
				method, target, ok := strings.Cut(example.Value.Summary, " ")
				require.True(t, ok)
				parsed, err := url.Parse(target)
				require.NoError(t, err)
				require.NotNil(t, read.Paths.Find(parsed.Path))
				request := newRequest(t, "full", method, path+"?"+parsed.RawQuery)
				response := service.serve(request)
				assert.Equal(t, status, response.Code, "%s, %s", path, name)
				want, err := json.Marshal(example.Value.Value)
				require.NoError(t, err)
				assert.JSONEq(t, string(want), response.Body.String(), "%s, %s", path, name)
				conform(t, read, request, response)
			}
		}
	}
	assert.Equal(t, 3*(8+9), requests, "on three paths, the examples of rows and of invalid arguments")
}

// Recorded responses are the server's current ones. "go test ./internal/api/openapi -update"
// rewrites them; the golden documents follow at the next run.
func TestRecordedResponses(t *testing.T) {
	t.Parallel()
	service := newService(t, openStore(t), nil)
	files, err := filepath.Glob("responses/*.json")
	require.NoError(t, err)
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	require.Len(t, files, len(catalog.Queries()), "one for each shipped saved query")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var recorded struct {
				Query    string          `json:"query"`
				Response json.RawMessage `json:"response"`
			}
			require.NoError(t, json.Unmarshal(text, &recorded))
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			response := service.serve(newRequest(t, "full", http.MethodGet, "/api/endpoints/"+name+"?"+recorded.Query))
			require.Equal(t, http.StatusOK, response.Code, response.Body)
			if *update {
				recorded.Response = response.Body.Bytes()
				var rewritten bytes.Buffer
				encoder := json.NewEncoder(&rewritten)
				encoder.SetEscapeHTML(false)
				encoder.SetIndent("", "  ")
				require.NoError(t, encoder.Encode(recorded))
				require.NoError(t, os.WriteFile(file, rewritten.Bytes(), 0o600))
				return
			}
			assert.JSONEq(t, string(recorded.Response), response.Body.String())
			assert.Positive(t, strings.Count(response.Body.String(), `},{"`)+strings.Count(response.Body.String(), "},\n{"), "the example must have rows")
		})
	}
}

// A POST of the parameters of each example, as JSON and as a form, returns the same rows, as
// the document describes it. So does the list of saved queries.
func TestPOSTIsDescribed(t *testing.T) {
	t.Parallel()
	read := readDescribed(t)
	service := newService(t, openStore(t), nil)
	catalog := sqlqtest.Shipped(t, duckdbsql.Dialect{})
	for _, query := range catalog.Queries() {
		for _, path := range []string{query.Name, "query/" + query.Name, "query/" + query.ID.String()} {
			target := "/api/endpoints/" + path
			for _, shown := range examplesOf(read.Paths.Find(target).Get.Responses.Status(http.StatusOK)) {
				_, queryString, _ := strings.Cut(shown.Value.Summary, "?")
				values, err := url.ParseQuery(queryString)
				require.NoError(t, err)
				object := make(map[string]any)
				for name, texts := range values {
					object[name] = texts[0]
				}
				text, err := json.Marshal(object)
				require.NoError(t, err)
				get := service.serve(newRequest(t, "full", http.MethodGet, target+"?"+queryString))
				for contentType, body := range map[string]string{"application/json": string(text), "application/x-www-form-urlencoded": queryString} {
					request := newPost(t, target, contentType, body)
					response := service.serve(request)
					require.Equal(t, http.StatusOK, response.Code, response.Body)
					assert.JSONEq(t, get.Body.String(), response.Body.String())
					conform(t, read, newPost(t, target, contentType, body), response)
				}
			}
		}
	}
	for _, token := range []string{"full", "globex"} {
		request := newRequest(t, token, http.MethodGet, "/api/endpoints")
		response := service.serve(request)
		require.Equal(t, http.StatusOK, response.Code)
		assert.Equal(t, token == "full", strings.Contains(response.Body.String(), "logs.all"), "a token sees the saved queries that it may use")
		conform(t, read, request, response)
		again := newRequest(t, token, http.MethodGet, "/api/endpoints")
		again.Header.Set("If-None-Match", response.Header().Get("ETag"))
		notModified := service.serve(again)
		require.Equal(t, http.StatusNotModified, notModified.Code)
		conform(t, read, again, notModified)
	}
}

// newPost returns a POST with a full-access token.
func newPost(t *testing.T, target, contentType, body string) *http.Request {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader(body))
	request.Header.Set("X-API-KEY", "full")
	request.Header.Set("Content-Type", contentType)
	return request
}

// Each failure is described as the server responds in its situation, which this test
// creates. An example is that response.
func TestFailuresAreTrue(t *testing.T) {
	t.Parallel()
	const target = "/api/endpoints/usage.api-counts?project=acme&interval=daily"
	failing := func(err error) sqlq.Engine {
		return &sqlqtest.FakeEngine{RunFunc: func(context.Context, sqlq.Statement) (*sqlq.Result, error) { return nil, err }}
	}
	get := func(t *testing.T, token string) *http.Request {
		t.Helper()
		return newRequest(t, token, http.MethodGet, target)
	}
	situations := map[string]func(t *testing.T) (service, *http.Request){
		"Unauthenticated": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(nil), nil), get(t, "")
		},
		"PermissionDenied": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(nil), nil), get(t, "globex")
		},
		"NotFound": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(nil), nil), newRequest(t, "full", http.MethodGet, "/api/endpoints/nosuch")
		},
		"MethodNotAllowed": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(nil), nil), newRequest(t, "full", http.MethodPut, "/api/endpoints/usage.api-counts")
		},
		"ContentTooLarge": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(nil), nil), newPost(t, "/api/endpoints/usage.api-counts", "application/json", strings.Repeat(" ", 1<<20)+"{}")
		},
		"UnsupportedMediaType": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(nil), nil), newPost(t, "/api/endpoints/usage.api-counts", "text/plain", "project=acme")
		},
		"ResourceExhausted": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			s := newService(t, failing(context.Canceled), nil)
			s.serve(get(t, "slow"))
			return s, get(t, "slow")
		},
		"Cancelled": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			ctx, leave := context.WithCancel(t.Context())
			leave()
			return newService(t, failing(context.Canceled), nil), get(t, "full").WithContext(ctx)
		},
		"Internal": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(errors.New("disk on fire")), nil), get(t, "full")
		},
		"Unavailable": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(nil), func(config *httpserver.Config) { config.MaxRequests = 0 }), get(t, "full")
		},
		"DeadlineExceeded": func(t *testing.T) (service, *http.Request) {
			t.Helper()
			return newService(t, failing(context.DeadlineExceeded), nil), get(t, "full")
		},
	}
	read := readDescribed(t)
	var described []string
	others := []string{"Endpoints", "Viewer", "Alerts", "AlertNoted", "AlertChecked", "AlertPreview", "InvalidAlert"}
	for name := range read.Components.Responses {
		if !strings.Contains(name, ".") && !strings.HasSuffix(name, "NotModified") && !slices.Contains(others, name) { // only saved queries have results
			described = append(described, name)
		}
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(situations)), described)
	ofBodies := []string{"ContentTooLarge", "UnsupportedMediaType"} // with the code INVALID_ARGUMENT
	assert.Len(t, described, len(sqlq.Codes())-1+len(ofBodies), "all codes except INVALID_ARGUMENT, whose examples each saved query has")
	for name, situation := range situations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, request := situation(t)
			response := service.serve(request)
			var body httperror.Body
			require.NoError(t, json.Unmarshal(response.Body.Bytes(), &body))
			if slices.Contains(ofBodies, name) {
				assert.Equal(t, sqlq.InvalidArgument, body.Error.Code)
			} else {
				assert.Equal(t, strings.ToUpper(name), strings.ReplaceAll(string(body.Error.Code), "_", ""))
			}
			if example := examplesOf(read.Components.Responses[name])[name]; example != nil {
				want, err := json.Marshal(example.Value.Value)
				require.NoError(t, err)
				assert.JSONEq(t, string(want), response.Body.String())
			}
			if request.URL.Path == "/api/endpoints/nosuch" {
				request.URL.Path = "/api/endpoints/usage.api-counts" // where the response is described
			}
			conform(t, read, request, response)
		})
	}
}

// Responses without an example: rows of every type, truncated rows, and 304.
func TestResponsesConform(t *testing.T) {
	t.Parallel()
	read := readDescribed(t)
	service := newService(t, openStore(t), nil)
	for name, test := range map[string]struct {
		target    string
		contains  string
		truncated string
	}{
		"every type, null where it can be": {"every.type?text=ab-c&whole=10&level=2&exacts=1", `"number":null,"exact":null,"flag":true`, "true"},
		"an unlisted value":                {"every.type?text=ab-c&whole=10&level=3", `"whole":12,`, "true"},
		"every type, never null":           {"every.type?text=ab-c&whole=1&number=1e30&flag=false&since=2026-11-20T10:00:00Z", `"number":1e+30,"exact":2.5,"flag":false`, "true"},
		"buckets without invocations":      {"functions.invocation-stats?project=nosuch&interval=5min", `"p99_execution_time":null`, ""},
		"no rows":                          {"logs.all?project=nosuch", `{"result":[]}`, ""},
		"not cached":                       {"logs.all?project=acme&project_tier=PAYG", `"result":[{"id":`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := newRequest(t, "full", http.MethodGet, "/api/endpoints/"+test.target)
			request.Header.Set("Cache-Control", "no-cache")
			response := service.serve(request)
			require.Equal(t, http.StatusOK, response.Code, response.Body)
			assert.Contains(t, response.Body.String(), test.contains)
			assert.Equal(t, test.truncated, response.Header().Get("X-Truncated"))
			if !strings.Contains(test.target, "level=3") { // the description allows it, the schema does not
				conform(t, read, request, response)
			}
			again := newRequest(t, "full", http.MethodGet, "/api/endpoints/"+test.target)
			again.Header.Set("If-None-Match", response.Header().Get("ETag"))
			unchanged := service.serve(again)
			require.Equal(t, http.StatusNotModified, unchanged.Code)
			conform(t, read, again, unchanged)
		})
	}
}
