package resolvers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/resolvers"
)

// dashboard asks for all columns of all three saved queries.
const dashboard = `query Dashboard($project: String!) {
  invocationStats(project: $project) { timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount }
  apiCounts(project: $project, interval: DAILY) { timestamp totalRestRequests totalStorageRequests totalAuthRequests totalRealtimeRequests }
  logs(project: $project) { id timestamp eventMessage metadata }
}`

// What applications and tools ask for is far from the limits.
func TestUsualDocumentsAreWithinTheLimits(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"a dashboard":   dashboard,
		"introspection": introspectionQuery,
		"all endpoints": `{ endpoints { id name description language sql parameters { name type description required default allowed fallback pattern format maxLength } columns { name type nullable description } maxRows cacheSeconds warmSeconds sandboxed } }`,
		"two types":     `{ a: __type(name: "Time") { name } b: __type(name: "JSON") { name } }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := post(t, newHandler(t, answering(t), silent()), document, `{"project":"p"}`)
			assert.Equal(t, http.StatusOK, response.Code)
			assert.Empty(t, errorsIn(t, response))
		})
	}
}

// small are limits that one more of anything exceeds.
func small() resolvers.Limits {
	return resolvers.Limits{BodyBytes: 2000, Tokens: 100, Selections: 12, Depth: 3, RootFields: 2, Aliases: 2, Complexity: 4010}
}

// Each limit lets through what reaches it, and refuses one more, with what is allowed
// and what there is. What is refused reaches no engine.
func TestLimits(t *testing.T) {
	t.Parallel()
	const logs = `logs(project: "p")`
	for name, test := range map[string]struct {
		allowed, refused, message string
	}{
		"tokens": {
			`{ endpoint(name: "p") { name @skip(if: false) @include(if: true) } }` + strings.Repeat("#\n", 100-25), `{ endpoint(name: "p") { name @skip(if: false) @include(if: true) } }` + strings.Repeat("#\n", 100-24),
			"the query has more than 100 tokens",
		},
		"selections": {
			`{ endpoints { ` + strings.Repeat("name ", 11) + `} }`, `{ endpoints { ` + strings.Repeat("name ", 12) + `} }`,
			"the document selects 13 fields, counting those of a fragment each time that it is used; at most 12 are allowed",
		},
		"selections of fragments": {
			`{ endpoints { ...f ...f name } } fragment f on QueryEndpoint { name id }`, `{ endpoints { ...f ...f name ...f } } fragment f on QueryEndpoint { name id }`,
			"the document selects 13 fields, counting those of a fragment each time that it is used; at most 12 are allowed",
		},
		"selections of inline fragments": {
			`{ endpoints { ` + strings.Repeat("... { ", 10) + "name" + strings.Repeat("}", 12), `{ endpoints { ` + strings.Repeat("... { ", 11) + "name" + strings.Repeat("}", 13),
			"the document selects 13 fields, counting those of a fragment each time that it is used; at most 12 are allowed",
		},
		"depth": {
			`{ endpoints { columns { name } } }`, `{ endpoints { columns { name { name } } } }`,
			"the operation has 4 levels of fields; at most 3 are allowed",
		},
		"depth in a fragment": {
			`{ ...f } fragment f on Query { endpoints { columns { name } } }`, `{ endpoints { ...f } } fragment f on QueryEndpoint { columns { name { name } } }`,
			"the operation has 4 levels of fields; at most 3 are allowed",
		},
		"root fields": {
			`{ __typename endpoints { name } }`, `{ __typename endpoints { name } __typename }`,
			"the operation has 3 root fields; at most 2 are allowed",
		},
		"root fields in fragments, skipped": {
			`{ ...f } fragment f on Query { __typename ... { __typename } }`, `{ ...f ...f } fragment f on Query { __typename ... @skip(if: true) { __typename } }`,
			"the operation has 4 root fields; at most 2 are allowed",
		},
		"root fields of an operation that is not asked for": {
			`query A { __typename __typename } query B { __typename }`, `query A { __typename } query B { __typename __typename __typename }`,
			"the operation has 3 root fields; at most 2 are allowed",
		},
		"aliases": {
			`{ a: endpoints { b: name name: name } }`, `{ a: endpoints { b: name c: id } }`,
			"the operation has 3 aliases; at most 2 are allowed",
		},
		"complexity": {
			`{ ` + logs + ` { id timestamp eventMessage metadata } }`, `{ ` + logs + ` { id timestamp eventMessage metadata } a: ` + logs + ` { id } }`,
			"the operation has 5002 points of complexity (rows times fields); at most 4010 are allowed",
		},
		"complexity in a fragment": {
			`{ ` + logs + ` { ...f ...f } endpoints { name id } } fragment f on LogEntry { id timestamp }`, `{ ` + logs + ` { ...f ...f __typename } } fragment f on LogEntry { id timestamp }`,
			"the operation has 5001 points of complexity (rows times fields); at most 4010 are allowed",
		},
		"a fragment that contains itself": {
			`{ endpoints { ...f } } fragment f on QueryEndpoint { name }`, `{ endpoints { ...f } } fragment f on QueryEndpoint { ...g } fragment g on QueryEndpoint { name ...f }`,
			"the fragment f contains itself",
		},
		"aliases of introspection": {
			`{ a: __type(name: "Time") { name } }`, `{ __type(name: "Time") { a: name } }`,
			"the operation has 1 aliases under __schema or __type; at most 0 are allowed",
		},
		"schemas": {
			`{ __schema { description } }`, `{ __schema { description } __schema { description } }`,
			"the operation has 2 fields __schema; at most 1 are allowed",
		},
		"a long name": {
			`{ __typename }`, `{ endpoints { ` + strings.Repeat("n", 257) + ` } }`,
			"the document has 257 bytes in one name; at most 256 are allowed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, calls := recording(t)
			config := newConfig(t, runner, silent())
			config.Limits = small()
			handler := resolvers.NewHandler(config)
			send := func(document string) (int, []graphQLError) {
				response := askOperation(t, handler, document)
				return response.Code, errorsIn(t, response)
			}
			status, found := send(test.allowed)
			require.Empty(t, found)
			assert.Equal(t, http.StatusOK, status)
			*calls = nil
			status, found = send(test.refused)
			assert.Equal(t, http.StatusUnprocessableEntity, status)
			require.NotEmpty(t, found)
			assert.Equal(t, test.message, found[0].Message)
			assert.Equal(t, "INVALID_ARGUMENT", found[0].Extensions.Code)
			assert.Empty(t, *calls)
		})
	}
}

// askOperation posts a document, and asks for its operation A where it has one.
func askOperation(t *testing.T, handler http.Handler, document string) *httptest.ResponseRecorder {
	t.Helper()
	name := ""
	if strings.Contains(document, "query A") {
		name = "A"
	}
	body := fmt.Sprintf(`{"query":%q,"operationName":%q}`, document, name)
	return send(t, handler, http.MethodPost, "/graphql", body, "Content-Type", "application/json")
}

// Types of lists of types may be followed as deep as tools do, and not much deeper.
func TestDepthOfIntrospection(t *testing.T) {
	t.Parallel()
	document := func(depth int) string {
		return `{ __type(name: "Time") ` + strings.Repeat("{ ofType ", depth-1) + "{ name }" + strings.Repeat(" }", depth)
	}
	handler := newHandler(t, answering(t), silent())
	assert.Empty(t, errorsIn(t, post(t, handler, document(20), "{}")))
	found := errorsIn(t, post(t, handler, document(21), "{}"))
	require.Len(t, found, 1)
	assert.Equal(t, "the operation has 21 levels of fields under __schema or __type; at most 20 are allowed", found[0].Message)
}

// Twenty aliases of any saved query are too many, even where the number of root
// fields does not count.
func TestManyAliasesAreTooComplex(t *testing.T) {
	t.Parallel()
	config := newConfig(t, failing(assert.AnError), silent())
	config.Limits.RootFields = 100
	handler := resolvers.NewHandler(config)
	for field, selected := range map[string]string{
		`invocationStats(project: "p")`:            "timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount",
		`apiCounts(project: "p", interval: DAILY)`: "timestamp totalRestRequests totalStorageRequests totalAuthRequests totalRealtimeRequests",
		`logs(project: "p")`:                       "id timestamp eventMessage metadata",
	} {
		found := errorsIn(t, post(t, handler, "{"+numbered(20, "a%: "+field+" { "+selected+" } ")+"}", "{}"))
		require.Len(t, found, 1)
		assert.Contains(t, found[0].Message, "points of complexity (rows times fields); at most 50000 are allowed")
	}
}

// Fragments that double each other forty times are counted as fast as one.
func TestSizesThatRunOver(t *testing.T) {
	t.Parallel()
	var document strings.Builder
	document.WriteString("{ ...f0 } ")
	for i := range 40 {
		fmt.Fprintf(&document, "fragment f%d on Query { ...f%d ...f%d } ", i, i+1, i+1)
	}
	document.WriteString("fragment f40 on Query { __typename }")
	found := errorsIn(t, post(t, newHandler(t, answering(t), silent()), document.String(), "{}"))
	require.Len(t, found, 1)
	assert.Equal(t, "the document selects more than 1073741824 fields, counting those of a fragment each time that it is used; at most 1000 are allowed", found[0].Message)
}

// No document of the default limits is answered with much more than it has itself.
func TestErrorsAreFewAndShort(t *testing.T) {
	t.Parallel()
	for name, document := range worstDocuments() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := post(t, newHandler(t, answering(t), silent()), document, "{}")
			if response.Code == http.StatusOK {
				return
			}
			found := errorsIn(t, response)
			assert.LessOrEqual(t, len(found), 10)
			for _, err := range found {
				assert.LessOrEqual(t, len(err.Message), 400)
			}
			assert.Less(t, response.Body.Len(), 4096)
		})
	}
}

// A response that is kept has passed the limits: its document is not looked at again.
func TestKeptResponsesPassLimits(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	_, runs := s.ask(t, countsDocument)
	require.EqualValues(t, 1, runs)
	config := newConfig(t, s.runner, silent())
	config.Limits.Complexity = 1
	config.WithoutIntrospection = true
	s.Handler = resolvers.NewHandler(config)
	_, runs = s.ask(t, countsDocument)
	assert.Zero(t, runs)
	assert.Equal(t, http.StatusUnprocessableEntity, s.get(t, statsDocument).Code)
}

func TestWithoutIntrospection(t *testing.T) {
	t.Parallel()
	config := newConfig(t, answering(t), silent())
	config.WithoutIntrospection = true
	handler := resolvers.NewHandler(config)
	for _, document := range []string{
		introspectionQuery, `{ __type(name: "Time") { name } }`, `{ ...f } fragment f on Query { a: __schema { description } }`,
	} {
		for _, accept := range []string{"application/json", "application/graphql-response+json"} {
			response := send(t, handler, http.MethodGet, target(document), "", "Accept", accept)
			assert.Equal(t, http.StatusForbidden, response.Code)
			found := errorsIn(t, response)
			require.Len(t, found, 1)
			assert.Equal(t, "this server does not answer introspection; __schema and __type are switched off", found[0].Message)
			assert.Equal(t, "PERMISSION_DENIED", found[0].Extensions.Code)
		}
	}
	assert.JSONEq(t, `{"data":{"__typename":"Query"}}`, post(t, handler, `{ __typename }`, "{}").Body.String())
}

func TestWithoutGET(t *testing.T) {
	t.Parallel()
	config := newConfig(t, answering(t), silent())
	config.WithoutGET = true
	handler := resolvers.NewHandler(config)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut} {
		response := send(t, handler, method, target(`{ __typename }`), "")
		assert.Equal(t, http.StatusMethodNotAllowed, response.Code)
		assert.Equal(t, "POST", response.Header().Get("Allow"))
		assert.JSONEq(t, `{"errors":[{"message":"GraphQL does not take the method `+method+`; use POST","extensions":{"code":"METHOD_NOT_ALLOWED"}}]}`, response.Body.String())
	}
	assert.JSONEq(t, `{"data":{"__typename":"Query"}}`, post(t, handler, `{ __typename }`, "{}").Body.String())
}
