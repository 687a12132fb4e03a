package resolvers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// Every code reaches the caller; what the server is to blame for is logged with
// its cause; no cause reaches the caller (D15, D20).
func TestEveryCode(t *testing.T) {
	t.Parallel()
	inLog := map[sqlq.Code]bool{
		sqlq.InvalidArgument: false, sqlq.Unauthenticated: false, sqlq.PermissionDenied: false, sqlq.NotFound: false,
		sqlq.MethodNotAllowed: false, sqlq.ResourceExhausted: false, sqlq.Cancelled: false,
		sqlq.Internal: true, sqlq.Unavailable: true, sqlq.DeadlineExceeded: true,
	}
	for _, code := range sqlq.Codes() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			require.Contains(t, inLog, code)
			logger, lines := logged()
			err := sqlq.Errorf(code, "what a caller may read").Because(errors.New("SELECT secret FROM /var/store"))
			response := post(t, newHandler(t, failing(err), logger), `{ x: logs(project: "p") { id } }`, "{}")
			assert.Equal(t, http.StatusOK, response.Code)
			assert.JSONEq(t, fmt.Sprintf(`{"data":null,"errors":[{"message":"what a caller may read","path":["x"],
				"locations":[{"line":1,"column":3}],"extensions":{"code":%q}}]}`, code), response.Body.String())
			assert.Equal(t, inLog[code], strings.Contains(lines.String(), "SELECT secret FROM /var/store"))
			assert.LessOrEqual(t, strings.Count(lines.String(), "\n"), 1)
		})
	}
}

func TestErrorsThatHaveNoCode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err           error
		code, message string
		inLog         bool
	}{
		"any": {
			errors.New("driver: bad connection"), "INTERNAL",
			"the server failed to answer; its log tells more under this request's id", true,
		},
		"the caller left": {
			fmt.Errorf("run: %w", context.Canceled), "CANCELLED", "the request was cancelled by its caller", false,
		},
		"the time is up": {
			fmt.Errorf("run: %w", context.DeadlineExceeded), "DEADLINE_EXCEEDED", "the query took longer than the server allows", true,
		},
		"a wrapped error keeps its code": {
			fmt.Errorf("run: %w", sqlq.Errorf(sqlq.ResourceExhausted, "too many")), "RESOURCE_EXHAUSTED", "too many", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			found := errorsIn(t, post(t, newHandler(t, failing(test.err), logger), `{ logs(project: "p") { id } }`, "{}"))
			require.Len(t, found, 1)
			assert.Equal(t, test.message, found[0].Message)
			assert.Equal(t, test.code, found[0].Extensions.Code)
			assert.Equal(t, test.inLog, strings.Contains(lines.String(), test.err.Error()))
		})
	}
}

// What sqlq refuses names the argument as GraphQL callers spell it (D20).
func TestRefusedArguments(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 257)
	for name, test := range map[string]struct{ document, argument, message string }{
		"project of invocationStats is empty": {
			`{ invocationStats(project: "") { count } }`, "project", "project: is required and must not be empty",
		},
		"project of apiCounts is empty": {
			`{ apiCounts(project: "", interval: DAILY) { timestamp } }`, "project", "project: is required and must not be empty",
		},
		"project of logs is empty": {
			`{ logs(project: "") { id } }`, "project", "project: is required and must not be empty",
		},
		"project is no regular expression": {
			`{ apiCounts(project: "(", interval: DAILY) { timestamp } }`, "project",
			"project: is not a valid RE2 regular expression: missing closing ): `(`",
		},
		"project is too long": {
			`{ logs(project: "` + long + `") { id } }`, "project", "project: is longer than 256 characters",
		},
		"functionId is too long": {
			`{ invocationStats(project: "p", functionId: "` + long + `") { count } }`, "functionId", "functionId: is longer than 256 characters",
		},
		"isoTimestampStart is no timestamp": {
			`{ logs(project: "p", isoTimestampStart: "yesterday") { id } }`, "isoTimestampStart",
			`isoTimestampStart: "yesterday" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`,
		},
		"isoTimestampEnd is no timestamp": {
			`{ logs(project: "p", isoTimestampEnd: "2026-02-30") { id } }`, "isoTimestampEnd",
			`isoTimestampEnd: "2026-02-30" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := errorsIn(t, post(t, newHandler(t, realRunner(t, engine{}), silent()), test.document, "{}"))
			require.Len(t, found, 1)
			assert.Equal(t, test.message, found[0].Message)
			assert.Equal(t, "INVALID_ARGUMENT", found[0].Extensions.Code)
			assert.Equal(t, test.argument, found[0].Extensions.Argument)
		})
	}
}

// Literals of the wrong type never reach sqlq, and name their argument all the same.
func TestIllTypedLiterals(t *testing.T) {
	t.Parallel()
	const notTime = `a Time must be a string, such as "2026-11-20T10:00:00Z"`
	for document, want := range map[string]graphQLError{
		`{ invocationStats(project: 5) { count } }`:                        argumentError("project", "project: needs a value of type String!"),
		`{ invocationStats(project: null) { count } }`:                     argumentError("project", `Expected value of type "String!", found null.`),
		`{ invocationStats { count } }`:                                    argumentError("project", `Field "invocationStats" argument "project" of type "String!" is required, but it was not provided.`),
		`{ invocationStats(project: "p", functionId: true) { count } }`:    argumentError("functionId", "functionId: needs a value of type String"),
		`{ invocationStats(project: "p", interval: TWO_DAYS) { count } }`:  argumentError("interval", `Value "TWO_DAYS" does not exist in "InvocationInterval" enum. Did you mean the enum value "ONE_DAY"?`),
		`{ invocationStats(project: "p", interval: "ONE_DAY") { count } }`: argumentError("interval", "interval: needs a value of type InvocationInterval, one of FIVE_MINUTES, FIFTEEN_MINUTES, ONE_HOUR, ONE_DAY, SEVEN_DAYS"),
		`{ invocationStats(project: "p", function_id: "f") { count } }`:    argumentError("function_id", `Unknown argument "function_id" on field "Query.invocationStats". Did you mean "functionId"?`),
		`{ invocationStats(project: "p", project: "p") { count } }`:        argumentError("project", `There can be only one argument named "project".`),
		`{ apiCounts(project: "p") { timestamp } }`:                        argumentError("interval", `Field "apiCounts" argument "interval" of type "ApiCountInterval!" is required, but it was not provided.`),
		`{ apiCounts(project: "p", interval: daily) { timestamp } }`:       argumentError("interval", `Value "daily" does not exist in "ApiCountInterval!" enum. Did you mean the enum value "DAILY"?`),
		`{ apiCounts(project: {}, interval: DAILY) { timestamp } }`:        argumentError("project", "project: a String must be a string"),
		`{ logs(project: "p", projectTier: 1) { id } }`:                    argumentError("projectTier", "projectTier: needs a value of type ProjectTier, one of FREE, PRO, PAYG, ENTERPRISE"),
		`{ logs(project: "p", isoTimestampStart: 5) { id } }`:              argumentError("isoTimestampStart", "isoTimestampStart: "+notTime),
		`{ logs(project: "p", isoTimestampEnd: {at: "now"}) { id } }`:      argumentError("isoTimestampEnd", "isoTimestampEnd: "+notTime),
		`{ endpoint(id: true) { name } }`:                                  argumentError("id", "id: needs a value of type ID"),
		`{ endpoint(name: 5) { name } }`:                                   argumentError("name", "name: needs a value of type String"),
		`query($n: Int) { endpoint(name: $n) { name } }`:                   argumentError("name", `Variable "$n" of type "Int" used in position expecting type "String".`),
		`{ ... on Query { ... { logs(project: false) { id } } } }`:         argumentError("project", "project: needs a value of type String!"),
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			checkArgumentError(t, document, "{}", want)
		})
	}
}

// So do variables of the wrong type.
func TestIllTypedVariables(t *testing.T) {
	t.Parallel()
	const (
		text     = `query($v: String!) { logs(project: $v) { id } }`
		function = `query($v: String) { invocationStats(project: "p", functionId: $v) { count } }`
		interval = `query($v: InvocationInterval) { invocationStats(project: "p", interval: $v) { count } }`
		counts   = `query($v: ApiCountInterval!) { apiCounts(project: "p", interval: $v) { timestamp } }`
		tier     = `query($v: ProjectTier) { logs(project: "p", projectTier: $v) { id } }`
		start    = `query($v: Time) { logs(project: "p", isoTimestampStart: $v) { id } }`
		end      = `query($v: Time) { logs(project: "p", isoTimestampEnd: $v) { id } }`
		id       = `query($v: ID) { endpoint(id: $v) { name } }`
		name     = `query($v: String) { endpoint(name: $v) { name } }`

		needsText     = "variable $v: needs a value of type String!"
		needsInterval = "variable $v: needs a value of type InvocationInterval, one of FIVE_MINUTES, FIFTEEN_MINUTES, ONE_HOUR, ONE_DAY, SEVEN_DAYS"
		needsCounts   = "variable $v: needs a value of type ApiCountInterval!, one of MINUTELY, HOURLY, DAILY"
		needsTier     = "variable $v: needs a value of type ProjectTier, one of FREE, PRO, PAYG, ENTERPRISE"
		notTime       = `a Time must be a string, such as "2026-11-20T10:00:00Z"`
	)
	for title, test := range map[string]struct {
		document, variables string
		want                graphQLError
	}{
		"project left out":             {text, `{}`, argumentError("project", needsText)},
		"project null":                 {text, `{"v":null}`, argumentError("project", needsText)},
		"project a number":             {text, `{"v":5}`, argumentError("project", "project: a String must be a string")},
		"project a boolean":            {text, `{"v":true}`, argumentError("project", needsText)},
		"project a list":               {text, `{"v":["p"]}`, argumentError("project", needsText)},
		"project an object":            {text, `{"v":{"a":1}}`, argumentError("project", needsText)},
		"functionId a number":          {function, `{"v":1.5}`, argumentError("functionId", "functionId: a String must be a string")},
		"functionId an object":         {function, `{"v":{}}`, argumentError("functionId", "variable $v: needs a value of type String")},
		"interval unknown":             {interval, `{"v":"1day"}`, argumentError("interval", needsInterval)},
		"interval a number":            {interval, `{"v":1}`, argumentError("interval", needsInterval)},
		"interval in lower case (D10)": {interval, `{"v":"one_day"}`, argumentError("interval", "interval: "+strings.TrimPrefix(needsInterval, "variable $v: "))},
		"interval of counts left out":  {counts, `{}`, argumentError("interval", needsCounts)},
		"interval of counts null":      {counts, `{"v":null}`, argumentError("interval", needsCounts)},
		"interval of counts unknown":   {counts, `{"v":"WEEKLY"}`, argumentError("interval", needsCounts)},
		"projectTier unknown":          {tier, `{"v":"GOLD"}`, argumentError("projectTier", needsTier)},
		"projectTier a boolean":        {tier, `{"v":false}`, argumentError("projectTier", needsTier)},
		"isoTimestampStart a number":   {start, `{"v":1763632800}`, argumentError("isoTimestampStart", "isoTimestampStart: "+notTime)},
		"isoTimestampEnd a list":       {end, `{"v":["2026-11-20"]}`, argumentError("isoTimestampEnd", "isoTimestampEnd: "+notTime)},
		"id a boolean":                 {id, `{"v":true}`, argumentError("id", "variable $v: needs a value of type ID")},
		"name a list":                  {name, `{"v":[]}`, argumentError("name", "variable $v: needs a value of type String")},
		"a variable in a fragment": {
			`query($v: String!) { ...f } fragment f on Query { logs(project: $v) { id } }`, `{}`, argumentError("project", needsText),
		},
		"a variable of two arguments": {
			`query($v: String!) { logs(project: $v) { id } endpoint(name: $v) { id } }`, `{}`, argumentError("", needsText),
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			checkArgumentError(t, test.document, test.variables, test.want)
		})
	}
}

func argumentError(argument, message string) graphQLError {
	wanted := graphQLError{Message: message}
	wanted.Extensions.Code, wanted.Extensions.Argument = "INVALID_ARGUMENT", argument
	return wanted
}

// checkArgumentError sends a document that must be refused before sqlq is asked.
func checkArgumentError(t *testing.T, document, variables string, want graphQLError) {
	t.Helper()
	logger, lines := logged()
	runner, calls := recording(t)
	found := errorsIn(t, post(t, newHandler(t, runner, logger), document, variables))
	require.Len(t, found, 1, found)
	assert.Equal(t, want.Message, found[0].Message)
	assert.Equal(t, want.Extensions, found[0].Extensions)
	assert.NotEmpty(t, found[0].Locations)
	assert.LessOrEqual(t, len(found[0].Path), 1, "a path leads to a field, not into its arguments")
	assert.Empty(t, *calls)
	assert.Empty(t, lines.String())
}

func TestDocumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ document, message string }{
		"syntax":              {`{ endpoints { name `, "Expected Name, found <EOF>"},
		"a field that is not": {`{ endpoints { nam } }`, `Cannot query field "nam" on type "QueryEndpoint". Did you mean "name"?`},
		"no selection":        {`{ endpoints }`, `Field "endpoints" of type "[QueryEndpoint!]!" must have a selection of subfields. Did you mean "endpoints { ... }"?`},
		"a mutation":          {`mutation { endpoints { name } }`, `Schema does not support operation type "mutation"`},
		"a deferred part":     {`{ ... @defer { endpoints { name } } }`, `Unknown directive "@defer".`},
		"no operation":        {`fragment f on Query { endpoints { name } }`, "the query holds no operation"},
		"too many tokens":     {`{ ` + strings.Repeat("__typename ", 1_999) + `}`, "the query has more than 2000 tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			response := post(t, newHandler(t, answering(t), logger), test.document, "{}")
			assert.Equal(t, http.StatusUnprocessableEntity, response.Code)
			found := errorsIn(t, response)
			require.NotEmpty(t, found)
			assert.Equal(t, test.message, found[0].Message)
			assert.Equal(t, "INVALID_ARGUMENT", found[0].Extensions.Code)
			assert.Empty(t, found[0].Extensions.Argument)
			assert.NotContains(t, response.Body.String(), `"data"`)
			assert.Empty(t, lines.String())
		})
	}
}

// Two arguments that are missing are two errors, each with its own argument.
func TestEachMissingArgumentIsNamed(t *testing.T) {
	t.Parallel()
	found := errorsIn(t, post(t, newHandler(t, answering(t), silent()), `{ apiCounts { timestamp } }`, "{}"))
	require.Len(t, found, 2)
	assert.ElementsMatch(t, []string{"project", "interval"},
		[]string{found[0].Extensions.Argument, found[1].Extensions.Argument})
}

func TestPanicIsOneErrorAndOneLine(t *testing.T) {
	t.Parallel()
	logger, lines := logged()
	runner := &fakeRunner{run: func(context.Context, sqlq.Request) (*sqlq.Reply, error) { panic("secret") }}
	response := post(t, newHandler(t, runner, logger), `{ logs(project: "p") { id } }`, "{}")
	found := errorsIn(t, response)
	require.Len(t, found, 1)
	assert.Equal(t, "the server failed to answer; its log tells more under this request's id", found[0].Message)
	assert.Equal(t, "INTERNAL", found[0].Extensions.Code)
	assert.Equal(t, []any{"logs"}, found[0].Path)
	assert.NotContains(t, response.Body.String(), "secret")
	assert.Equal(t, 1, strings.Count(lines.String(), "\n"))
	assert.Contains(t, lines.String(), "panic: secret")
	assert.Contains(t, lines.String(), "errors_test.go", "the stack is missing")
}

// A caller who leaves ends the query, and that is no failure of the server.
func TestCallerWhoLeft(t *testing.T) {
	t.Parallel()
	for name, leaveAt := range map[string]string{"before": "before", "during": "during"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			runner := &fakeRunner{run: func(ctx context.Context, _ sqlq.Request) (*sqlq.Reply, error) {
				leave()
				<-ctx.Done()
				return nil, fmt.Errorf("interrupted: %w", ctx.Err())
			}}
			if leaveAt == "before" {
				leave()
			}
			found := errorsIn(t, sendWith(ctx, newHandler(t, runner, logger), `{"query":"{ logs(project: \"p\") { id } }"}`))
			require.Len(t, found, 1)
			assert.Equal(t, "CANCELLED", found[0].Extensions.Code)
			assert.Empty(t, lines.String())
		})
	}
}
