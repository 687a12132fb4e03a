package graphqlhttp_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	usualType   = "application/json; charset=utf-8"
	graphqlType = "application/graphql-response+json; charset=utf-8"
)

func TestGet(t *testing.T) {
	t.Parallel()
	runner, calls := recording(t)
	query := url.Values{
		"query":         {`query A { endpoints { name } } query B($p: String!) { logs(project: $p) { id } }`},
		"operationName": {"B"},
		"variables":     {`{"p":"x+y"}`},
	}
	response := send(t, newHandler(t, runner, silent()), http.MethodGet, "/graphql?"+query.Encode(), "")
	assert.Equal(t, http.StatusOK, response.Code)
	assert.Equal(t, usualType, response.Header().Get("Content-Type"))
	assert.JSONEq(t, `{"data":{"logs":[]},"extensions":{"freshness":{"logs":{"cache":"MISS","ageSeconds":0,"asOf":"2026-11-20T10:00:00Z","truncated":false,"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0}}}}`,
		response.Body.String())
	assert.Equal(t, []call{{"logs.all", params{"project": {"x+y"}, "project_tier": {"FREE"}}}}, *calls)
}

func TestPostWithOperationName(t *testing.T) {
	t.Parallel()
	response := send(t, newHandler(t, runnerReturning(t), silent()), http.MethodPost, "/graphql",
		`{"query":"query A { a: __typename } query B { b: __typename }","operationName":"B","variables":null,"extensions":{}}`,
		"Content-Type", "application/json;charset=UTF-8", "Upgrade", "h2c")
	assert.Equal(t, http.StatusOK, response.Code)
	assert.JSONEq(t, `{"data":{"b":"Query"}}`, response.Body.String())
}

func TestIntrospection(t *testing.T) {
	t.Parallel()
	assert.JSONEq(t, `{"data":{"__type":{"kind":"SCALAR","name":"Time"}}}`,
		bodyOf(t, runnerReturning(t), `{ __type(name: "Time") { kind name } }`))
	assert.JSONEq(t, `{"data":{"__schema":{"queryType":{"name":"Query"},"mutationType":null,"directives":[
		{"name":"deprecated"},{"name":"include"},{"name":"oneOf"},{"name":"skip"},{"name":"specifiedBy"}]}}}`,
		bodyOf(t, runnerReturning(t), `{ __schema { queryType { name } mutationType { name } directives { name } } }`))
}

// A repeated document is parsed once, and has the same result.
func TestSameDocumentTwice(t *testing.T) {
	t.Parallel()
	runner, calls := recording(t)
	handler := newHandler(t, runner, silent())
	const document = `query($p: String!) { logs(project: $p) { id } }`
	first := post(t, handler, document, `{"p":"a"}`).Body.String()
	assert.Equal(t, first, post(t, handler, document, `{"p":"b"}`).Body.String())
	require.Len(t, *calls, 2)
	assert.Equal(t, []string{"b"}, (*calls)[1].raw["project"])
}

func TestRequestsThatAreRejected(t *testing.T) {
	t.Parallel()
	const (
		notJSON  = `the request body is not valid JSON; send an object such as {"query":"{ endpoints { name } }"}`
		needsDoc = "query: is required; send a GraphQL document such as { endpoints { name } }"
		type415  = "the request body must be sent with the header Content-Type: application/json; charset=utf-8"
	)
	otherID := func(name string) string {
		return "query: is required; " + name + ` is not supported: name a document by its SHA-256 hash in extensions.persistedQuery, as {"version":1,"sha256Hash":"<64 hexadecimal digits>"}`
	}
	for name, test := range map[string]struct {
		method, target, contentType, body string
		status                            int
		code, message                     string
	}{
		"PUT":     {http.MethodPut, "", "application/json", `{}`, 405, "METHOD_NOT_ALLOWED", "GraphQL does not support the method PUT; use one of GET, HEAD, POST"},
		"OPTIONS": {http.MethodOptions, "", "", "", 405, "METHOD_NOT_ALLOWED", "GraphQL does not support the method OPTIONS; use one of GET, HEAD, POST"},

		"no content type":      {http.MethodPost, "", "", `{"query":"{__typename}"}`, 415, "INVALID_ARGUMENT", type415},
		"a form":               {http.MethodPost, "", "application/x-www-form-urlencoded", "query={__typename}", 415, "INVALID_ARGUMENT", type415},
		"a bare document":      {http.MethodPost, "", "application/graphql", "{__typename}", 415, "INVALID_ARGUMENT", type415},
		"another charset":      {http.MethodPost, "", "application/json; charset=latin1", `{"query":"{__typename}"}`, 415, "INVALID_ARGUMENT", type415},
		"a content type of no": {http.MethodPost, "", "application/json; charset", `{"query":"{__typename}"}`, 415, "INVALID_ARGUMENT", type415},

		"a body too large":          {http.MethodPost, "", "application/json", `{"query":"` + strings.Repeat(" ", 64<<10) + `"}`, 413, "INVALID_ARGUMENT", "the request body is larger than 65536 bytes"},
		"invalid JSON":              {http.MethodPost, "", "application/json", `{"query":`, 400, "INVALID_ARGUMENT", notJSON},
		"an empty body":             {http.MethodPost, "", "application/json", ``, 400, "INVALID_ARGUMENT", notJSON},
		"data after the JSON":       {http.MethodPost, "", "application/json", `{"query":"{__typename}"} {}`, 400, "INVALID_ARGUMENT", notJSON},
		"a batch":                   {http.MethodPost, "", "application/json", " [{\"query\":\"{__typename}\"}]", 400, "INVALID_ARGUMENT", "batches are not supported; send each operation in its own request"},
		"a string as body":          {http.MethodPost, "", "application/json", `"{__typename}"`, 400, "INVALID_ARGUMENT", `the request body must be a JSON object, such as {"query":"{ endpoints { name } }"}`},
		"a body not in UTF-8":       {http.MethodPost, "", "application/json", "{\"query\":\"{__typename} # \xff\"}", 400, "INVALID_ARGUMENT", "the request body must be valid UTF-8, without escapes of unpaired surrogates"},
		"an unpaired surrogate":     {http.MethodPost, "", "application/json", `{"query":"{__typename}","variables":{"a":"\ud83d"}}`, 400, "INVALID_ARGUMENT", "the request body must be valid UTF-8, without escapes of unpaired surrogates"},
		"GET not in UTF-8":          {http.MethodGet, "?query={__typename}%23%ff", "", "", 400, "INVALID_ARGUMENT", "the query string must be valid UTF-8, without escapes of unpaired surrogates"},
		"GET, unpaired surrogate":   {http.MethodGet, `?query={__typename}&variables={"a":"\ude00"}`, "", "", 400, "INVALID_ARGUMENT", "the query string must be valid UTF-8, without escapes of unpaired surrogates"},
		"GET with two queries":      {http.MethodGet, "?query={__typename}&query={__typename}", "", "", 400, "INVALID_ARGUMENT", "query: is given more than once in the query string; send it once"},
		"GET with an empty query":   {http.MethodGet, "?query={__typename}&query=", "", "", 400, "INVALID_ARGUMENT", "query: is given more than once in the query string; send it once"},
		"GET with two operations":   {http.MethodGet, "?query=query+A{__typename}&operationName=A&operationName=A", "", "", 400, "INVALID_ARGUMENT", "operationName: is given more than once in the query string; send it once"},
		"GET with variables twice":  {http.MethodGet, "?query={__typename}&variables={}&variables={}", "", "", 400, "INVALID_ARGUMENT", "variables: is given more than once in the query string; send it once"},
		"GET with extensions twice": {http.MethodGet, "?extensions={}&query={__typename}&extensions={}", "", "", 400, "INVALID_ARGUMENT", "extensions: is given more than once in the query string; send it once"},
		"GET too long":              {http.MethodGet, "?query={__typename}&x=" + strings.Repeat("x", 64<<10), "", "", 414, "INVALID_ARGUMENT", "the query string is longer than 65536 bytes; send a POST"},
		"a document id":             {http.MethodPost, "", "application/json", `{"documentId":"a"}`, 400, "INVALID_ARGUMENT", otherID("documentId")},
		"a document id, doc_id":     {http.MethodPost, "", "application/json", `{"doc_id":7,"query":""}`, 400, "INVALID_ARGUMENT", otherID("doc_id")},
		"a document id, id":         {http.MethodPost, "", "application/json", `{"id":"a","variables":{}}`, 400, "INVALID_ARGUMENT", otherID("id")},
		"a document id by GET":      {http.MethodGet, "?documentId=a", "", "", 400, "INVALID_ARGUMENT", otherID("documentId")},
		"an unknown operation":      {http.MethodPost, "", "application/json", `{"query":"query A{__typename}","operationName":"secret"}`, 200, "INVALID_ARGUMENT", "operationName: is not an operation of the document"},
		"two operations":            {http.MethodPost, "", "application/json", `{"query":"query A{__typename} query B{__typename}"}`, 200, "INVALID_ARGUMENT", "operationName: is required, because the document has several operations"},
		"a query of a number":       {http.MethodPost, "", "application/json", `{"query":5}`, 400, "INVALID_ARGUMENT", "query: must be a string"},
		"a name of an object":       {http.MethodPost, "", "application/json", `{"query":"{__typename}","operationName":{}}`, 400, "INVALID_ARGUMENT", "operationName: must be a string"},
		"variables as a list":       {http.MethodPost, "", "application/json", `{"query":"{__typename}","variables":[1]}`, 400, "INVALID_ARGUMENT", "variables: must be a JSON object"},
		"extensions as a string":    {http.MethodPost, "", "application/json", `{"query":"{__typename}","extensions":"x"}`, 400, "INVALID_ARGUMENT", "extensions: must be a JSON object"},
		"a variable twice":          {http.MethodPost, "", "application/json", `{"query":"{__typename}","variables":{"a":1,"a":2}}`, 400, "INVALID_ARGUMENT", "a: is given twice in one object of the request's JSON; give it once"},
		"two queries":               {http.MethodPost, "", "application/json", `{"query":"{__typename}","query":"{__typename}"}`, 400, "INVALID_ARGUMENT", "query: is given twice in one object of the request's JSON; give it once"},
		"a query in capitals":       {http.MethodPost, "", "application/json", `{"Query":"{__typename}"}`, 400, "INVALID_ARGUMENT", "Query: is not known; write query"},
		"a hash in lower case":      {http.MethodGet, `?extensions={"persistedQuery":{"version":1,"sha256hash":"a"}}`, "", "", 400, "INVALID_ARGUMENT", "sha256hash: is not known; write sha256Hash"},
		"GET, a variable twice":     {http.MethodGet, `?query={__typename}&variables={"a":1,"a":2}`, "", "", 400, "INVALID_ARGUMENT", "a: is given twice in one object of the request's JSON; give it once"},
		"no query":                  {http.MethodPost, "", "application/json", `{}`, 400, "INVALID_ARGUMENT", needsDoc},
		"null":                      {http.MethodPost, "", "application/json", `null`, 400, "INVALID_ARGUMENT", needsDoc},
		"a blank query":             {http.MethodPost, "", "application/json", `{"query":" \n"}`, 400, "INVALID_ARGUMENT", needsDoc},
		"GET without a query":       {http.MethodGet, "", "", "", 400, "INVALID_ARGUMENT", needsDoc},
		"GET with bad escapes":      {http.MethodGet, "?query=%zz", "", "", 400, "INVALID_ARGUMENT", "the query string cannot be read; percent-encode each value"},
		"GET with no variables":     {http.MethodGet, "?query={__typename}&variables=[1]", "", "", 400, "INVALID_ARGUMENT", "variables: must be a JSON object"},
		"GET with extensions":       {http.MethodGet, "?query={__typename}&extensions=x", "", "", 400, "INVALID_ARGUMENT", "extensions: must be a JSON object"},
		"GET of a mutation":         {http.MethodGet, "?query=mutation{x}", "", "", 200, "INVALID_ARGUMENT", `Schema does not support operation type "mutation"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			response := send(t, newHandler(t, runnerReturning(t), logger), test.method, "/graphql"+test.target, test.body, "Content-Type", test.contentType)
			assert.Equal(t, test.status, response.Code)
			assert.Equal(t, usualType, response.Header().Get("Content-Type"))
			found := errorsIn(t, response)
			require.NotEmpty(t, found)
			assert.Equal(t, test.message, found[0].Message)
			assert.Equal(t, test.code, found[0].Extensions.Code)
			assert.NotContains(t, response.Body.String(), `"data"`)
			wantAllow := ""
			if test.status == http.StatusMethodNotAllowed {
				wantAllow = "GET, HEAD, POST"
			}
			assert.Equal(t, wantAllow, response.Header().Get("Allow"))
			assert.Empty(t, lines.String())
		})
	}
}

// panicking is a body that panics when it is read.
type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("secret") }

func TestBodiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body    io.Reader
		status  int
		code    string
		message string
		logged  string
	}{
		"a broken connection": {
			iotest.ErrReader(errors.New("secret")), 400, "INVALID_ARGUMENT", "the request body could not be read to its end", "",
		},
		"a panic outside of any field": {
			panicking{}, 500, "INTERNAL", "internal server error; the server's log has the cause under this request's id", "panic: secret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", test.body)
			request.Header.Set("Content-Type", "application/json")
			response := httptest.NewRecorder()
			newHandler(t, runnerReturning(t), logger).ServeHTTP(response, request)
			assert.Equal(t, test.status, response.Code)
			found := errorsIn(t, response)
			require.Len(t, found, 1)
			assert.Equal(t, test.message, found[0].Message)
			assert.Equal(t, test.code, found[0].Extensions.Code)
			assert.NotContains(t, response.Body.String(), "secret")
			assert.Contains(t, lines.String(), test.logged)
			assert.Equal(t, test.logged != "", lines.Len() > 0)
		})
	}
}

func TestLargestBodyIsAccepted(t *testing.T) {
	t.Parallel()
	const head, tail = `{"query":"{__typename}`, `"}`
	body := head + strings.Repeat(" ", 64<<10-len(head)-len(tail)) + tail
	response := send(t, newHandler(t, runnerReturning(t), silent()), http.MethodPost, "/graphql", body, "Content-Type", "application/json")
	assert.Equal(t, http.StatusOK, response.Code)
}

func TestMediaTypeOfTheResponse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		accept string
		want   string
	}{
		"none":                    {"", usualType},
		"JSON":                    {"application/json", usualType},
		"GraphQL":                 {"application/graphql-response+json", graphqlType},
		"GraphQL with a charset":  {"application/graphql-response+json; charset=utf-8", graphqlType},
		"both, GraphQL first":     {"application/graphql-response+json, application/json", graphqlType},
		"both, JSON first":        {"application/json, application/graphql-response+json", usualType},
		"both, GraphQL preferred": {"application/json;q=0.9, application/graphql-response+json", graphqlType},
		"both, JSON preferred":    {"application/graphql-response+json;q=0.5, application/json", usualType},
		"JSON excluded":           {"application/json;q=0, */*", graphqlType},
		"GraphQL excluded":        {"application/graphql-response+json;q=0, */*;q=0.1", usualType},
		"GraphQL last":            {"application/json;q=0.2, application/*;q=0.1, application/graphql-response+json;q=0.3", graphqlType},
		"JSON named, GraphQL not": {"*/*;q=0.5, application/json;q=0.5", usualType},
		"GraphQL named, JSON not": {"*/*;q=0.5, application/graphql-response+json;q=0.5", graphqlType},
		"anything":                {"*/*", usualType},
		"any application":         {"application/*", usualType},
		"a browser":               {"text/html,application/xhtml+xml,*/*;q=0.8", usualType},
		"an invalid weight":       {"application/graphql-response+json;q=x, application/json;q=0.9", graphqlType},
		"a weight beyond one":     {"application/graphql-response+json;q=7, application/json", graphqlType},
		"a weight of NaN":         {"application/graphql-response+json;q=NaN, application/json;q=0.9", graphqlType},
		"malformed items":         {";;", usualType},
		"a malformed item first":  {";;, application/graphql-response+json", graphqlType},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := send(t, newHandler(t, runnerReturning(t), silent()), http.MethodGet, "/graphql?query={__typename}", "", "Accept", test.accept)
			assert.Equal(t, test.want, response.Header().Get("Content-Type"))
			assert.JSONEq(t, `{"data":{"__typename":"Query"}}`, response.Body.String())
		})
	}
}

// A client that accepts neither media type gets an error that names both (RFC 9110,
// section 15.5.7).
func TestNotAcceptable(t *testing.T) {
	t.Parallel()
	for name, accept := range map[string]string{
		"something else":   "text/plain",
		"GraphQL excluded": "application/graphql-response+json;q=0",
		"nothing":          "*/*;q=0",
		"neither":          "application/json;q=0, application/graphql-response+json;q=0.0, */*",
		"a part of a name": "application/jso, json",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, calls := recording(t)
			response := send(t, newHandler(t, runner, silent()), http.MethodGet, target(`{ logs(project: "p") { id } }`), "", "Accept", accept)
			assert.Equal(t, http.StatusNotAcceptable, response.Code)
			assert.Equal(t, usualType, response.Header().Get("Content-Type"))
			assert.JSONEq(t, `{"errors":[{"message":"the header Accept must allow application/json or application/graphql-response+json","extensions":{"code":"INVALID_ARGUMENT"}}]}`, response.Body.String())
			assert.Empty(t, *calls)
		})
	}
}

// The status of a rejected document depends on the media type; that of a failed field is
// 200 in both.
func TestStatusByMediaType(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]int{
		"application/json":                  http.StatusOK,
		"application/graphql-response+json": http.StatusBadRequest,
	} {
		for _, document := range []string{`{`, `{ nothing }`, `query($p: String!) { logs(project: $p) { id } }`} {
			handler := newHandler(t, runnerReturning(t), silent())
			target := "/graphql?" + url.Values{"query": {document}}.Encode()
			assert.Equal(t, want, send(t, handler, http.MethodGet, target, "", "Accept", accept).Code, document)
		}
		handler := newHandler(t, realRunner(t, engine{}), silent())
		target := "/graphql?" + url.Values{"query": {`{ logs(project: "") { id } }`}}.Encode()
		response := send(t, handler, http.MethodGet, target, "", "Accept", accept)
		assert.Equal(t, http.StatusOK, response.Code)
		var body map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(response.Body.Bytes(), &body))
		assert.Equal(t, "null", string(body["data"]))
	}
}
