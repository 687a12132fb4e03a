package graphqlhttp_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/graphqlhttp"
)

// dashboard selects all columns of all three saved queries.
const dashboard = `query Dashboard($project: String!) {
  invocationStats(project: $project) { timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount }
  apiCounts(project: $project, interval: DAILY) { timestamp totalRestRequests totalStorageRequests totalAuthRequests totalRealtimeRequests }
  logs(project: $project) { id timestamp eventMessage metadata }
}`

// The documents of applications and tools are far below the limits.
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
			response := post(t, newHandler(t, runnerReturning(t), silent()), document, `{"project":"p"}`)
			assert.Equal(t, http.StatusOK, response.Code)
			assert.Empty(t, errorsIn(t, response))
		})
	}
}

// Twenty aliases of any saved query exceed the complexity, even without a limit of root
// fields.
func TestManyAliasesAreTooComplex(t *testing.T) {
	t.Parallel()
	config := newConfig(t, failing(assert.AnError), silent())
	config.Limits.RootFields = 100
	handler := graphqlhttp.NewHandler(config)
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

// Error responses under the default limits are not much larger than the document.
func TestErrorsAreFewAndShort(t *testing.T) {
	t.Parallel()
	for name, document := range worstDocuments() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := post(t, newHandler(t, runnerReturning(t), silent()), document, "{}")
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

// A cached response has passed the limits: its document is not checked again.
func TestCachedResponsesPassLimits(t *testing.T) {
	t.Parallel()
	s := newServer(t, 1)
	_, runs := s.query(t, countsDocument)
	require.EqualValues(t, 1, runs)
	config := newConfig(t, s.runner, silent())
	config.Limits.Complexity = 1
	config.WithoutIntrospection = true
	s.Handler = graphqlhttp.NewHandler(config)
	_, runs = s.query(t, countsDocument)
	assert.Zero(t, runs)
	assert.Contains(t, s.get(t, statsDocument).Body.String(), `"errors"`)
}

func TestWithoutIntrospection(t *testing.T) {
	t.Parallel()
	config := newConfig(t, runnerReturning(t), silent())
	config.WithoutIntrospection = true
	handler := graphqlhttp.NewHandler(config)
	for _, document := range []string{
		introspectionQuery, `{ __type(name: "Time") { name } }`, `{ ...f } fragment f on Query { a: __schema { description } }`,
	} {
		for _, accept := range []string{"application/json", "application/graphql-response+json"} {
			response := send(t, handler, http.MethodGet, target(document), "", "Accept", accept)
			assert.Equal(t, http.StatusForbidden, response.Code)
			found := errorsIn(t, response)
			require.Len(t, found, 1)
			assert.Equal(t, "introspection is disabled; the fields __schema and __type are not available", found[0].Message)
			assert.Equal(t, "PERMISSION_DENIED", found[0].Extensions.Code)
		}
	}
	assert.JSONEq(t, `{"data":{"__typename":"Query"}}`, post(t, handler, `{ __typename }`, "{}").Body.String())
}

func TestWithoutGET(t *testing.T) {
	t.Parallel()
	config := newConfig(t, runnerReturning(t), silent())
	config.WithoutGET = true
	handler := graphqlhttp.NewHandler(config)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut} {
		response := send(t, handler, method, target(`{ __typename }`), "")
		assert.Equal(t, http.StatusMethodNotAllowed, response.Code)
		assert.Equal(t, "POST", response.Header().Get("Allow"))
		assert.JSONEq(t, `{"errors":[{"message":"GraphQL does not support the method `+method+`; use POST","extensions":{"code":"METHOD_NOT_ALLOWED"}}]}`, response.Body.String())
	}
	assert.JSONEq(t, `{"data":{"__typename":"Query"}}`, post(t, handler, `{ __typename }`, "{}").Body.String())
}
