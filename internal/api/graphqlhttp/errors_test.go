package graphqlhttp_test

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
	"savedq/sqlq/runner"
)

// Every code reaches the caller. Server errors are logged with their cause, which never
// reaches the caller (D15, D20).
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
			err := sqlq.Errorf(code, "what a caller may read").WithCause(errors.New("SELECT secret FROM /var/store"))
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
			"internal server error; the server's log has the cause under this request's id", true,
		},
		"client disconnected": {
			fmt.Errorf("run: %w", context.Canceled), "CANCELLED", "the request was cancelled by its caller", false,
		},
		"deadline exceeded": {
			fmt.Errorf("run: %w", context.DeadlineExceeded), "DEADLINE_EXCEEDED", "the query took longer than the server allows", true,
		},
		"a wrapped error preserves its code": {
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

// Errors about parameters name the argument as the schema spells it (D20).
func TestRejectedArguments(t *testing.T) {
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
		"project is an invalid regular expression": {
			`{ apiCounts(project: "(", interval: DAILY) { timestamp } }`, "project",
			"project: is not a valid RE2 regular expression: missing closing ): `(`",
		},
		"project is too long": {
			`{ logs(project: "` + long + `") { id } }`, "project", "project: is longer than 256 characters",
		},
		"functionId is too long": {
			`{ invocationStats(project: "p", functionId: "` + long + `") { count } }`, "functionId", "functionId: is longer than 256 characters",
		},
		"isoTimestampStart is not a timestamp": {
			`{ logs(project: "p", isoTimestampStart: "yesterday") { id } }`, "isoTimestampStart",
			`isoTimestampStart: "yesterday" is not an ISO 8601 timestamp; use for example 2026-11-20T10:00:00Z`,
		},
		"isoTimestampEnd is not a timestamp": {
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

// Literals of the wrong type never reach sqlq; their errors name the argument too.
func TestIllTypedLiterals(t *testing.T) {
	t.Parallel()
	const (
		needsString   = "needs a value of type String!"
		needsInterval = "interval: needs a value of type InvocationInterval, one of FIVE_MINUTES, FIFTEEN_MINUTES, ONE_HOUR, ONE_DAY, SEVEN_DAYS"
		needsCounts   = "interval: needs a value of type ApiCountInterval!, one of MINUTELY, HOURLY, DAILY"
		needsTier     = "projectTier: needs a value of type ProjectTier, one of FREE, PRO, PAYG, ENTERPRISE"
		needsTime     = `needs a value of type Time, such as "2026-11-20T10:00:00Z"`
		needsID       = "id: needs a value of type ID"
	)
	for document, want := range map[string]graphQLError{
		`{ invocationStats(project: 5) { count } }`:                                    argumentError("project", "project: "+needsString),
		`{ invocationStats(project: null) { count } }`:                                 argumentError("project", "project: "+needsString),
		`{ invocationStats(project: acme) { count } }`:                                 argumentError("project", "project: "+needsString),
		`{ invocationStats(project: ["p"]) { count } }`:                                argumentError("project", "project: "+needsString),
		`{ invocationStats { count } }`:                                                argumentError("project", `Field "invocationStats" argument "project" of type "String!" is required, but it was not provided.`),
		`{ invocationStats(project: "p", functionId: true) { count } }`:                argumentError("functionId", "functionId: needs a value of type String"),
		`{ invocationStats(project: "p", interval: TWO_DAYS) { count } }`:              argumentError("interval", needsInterval),
		`{ invocationStats(project: "p", interval: "ONE_DAY") { count } }`:             argumentError("interval", needsInterval),
		`{ invocationStats(project: "p", interval: [ONE_DAY]) { count } }`:             argumentError("interval", needsInterval),
		`{ invocationStats(project: "p", function_id: "f") { count } }`:                argumentError("function_id", `Unknown argument "function_id" on field "Query.invocationStats". Did you mean "functionId"?`),
		`{ invocationStats(project: "p", project: "p") { count } }`:                    argumentError("project", `There can be only one argument named "project".`),
		`{ apiCounts(project: "p") { timestamp } }`:                                    argumentError("interval", `Field "apiCounts" argument "interval" of type "ApiCountInterval!" is required, but it was not provided.`),
		`{ apiCounts(project: "p", interval: daily) { timestamp } }`:                   argumentError("interval", needsCounts),
		`{ apiCounts(project: "p", interval: null) { timestamp } }`:                    argumentError("interval", needsCounts),
		`{ apiCounts(project: {}, interval: DAILY) { timestamp } }`:                    argumentError("project", "project: "+needsString),
		`{ logs(project: "p", projectTier: 1) { id } }`:                                argumentError("projectTier", needsTier),
		`{ logs(project: "p", projectTier: GOLD) { id } }`:                             argumentError("projectTier", needsTier),
		`query($t: ProjectTier = GOLD) { logs(project: "p", projectTier: $t) { id } }`: argumentError("", "this place "+strings.TrimPrefix(needsTier, "projectTier: ")),
		`{ logs(project: "p", isoTimestampStart: 5) { id } }`:                          argumentError("isoTimestampStart", "isoTimestampStart: "+needsTime),
		`{ logs(project: "p", isoTimestampEnd: {at: "now"}) { id } }`:                  argumentError("isoTimestampEnd", "isoTimestampEnd: "+needsTime),
		`query($t: Time = 5) { logs(project: "p", isoTimestampEnd: $t) { id } }`:       argumentError("", "this place "+needsTime),
		`{ endpoint(id: true) { name } }`:                                              argumentError("id", needsID),
		`{ endpoint(id: 1.5) { name } }`:                                               argumentError("id", needsID),
		`{ endpoint(id: 99999999999999999999) { name } }`:                              argumentError("id", needsID),
		`{ endpoint(name: 5) { name } }`:                                               argumentError("name", "name: needs a value of type String"),
		`{ endpoints { name @skip(if: "true") } }`:                                     argumentError("", "this place needs a value of type Boolean!"),
		`query($n: Int) { endpoint(name: $n) { name } }`:                               argumentError("name", `Variable "$n" of type "Int" used in position expecting type "String".`),
		`{ ... on Query { ... { logs(project: false) { id } } } }`:                     argumentError("project", "project: "+needsString),
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			checkDocumentError(t, document, "{}", want)
		})
	}
}

// Variables of the wrong type never reach sqlq either.
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
		skip     = `query($v: Boolean!) { endpoints { name @skip(if: $v) } }`
		name     = `query($v: String) { endpoint(name: $v) { name } }`

		needsString   = "variable $v: needs a value of type String!"
		needsInterval = "variable $v: needs a value of type InvocationInterval, one of FIVE_MINUTES, FIFTEEN_MINUTES, ONE_HOUR, ONE_DAY, SEVEN_DAYS"
		needsCounts   = "variable $v: needs a value of type ApiCountInterval!, one of MINUTELY, HOURLY, DAILY"
		needsTier     = "variable $v: needs a value of type ProjectTier, one of FREE, PRO, PAYG, ENTERPRISE"
		needsTime     = `variable $v: needs a value of type Time, such as "2026-11-20T10:00:00Z"`
		needsID       = "variable $v: needs a value of type ID"
	)
	for title, test := range map[string]struct {
		document, variables string
		want                graphQLError
	}{
		"project omitted":              {text, `{}`, argumentError("project", needsString)},
		"project null":                 {text, `{"v":null}`, argumentError("project", needsString)},
		"project a number":             {text, `{"v":5}`, argumentError("project", needsString)},
		"project a boolean":            {text, `{"v":true}`, argumentError("project", needsString)},
		"project a list":               {text, `{"v":["p"]}`, argumentError("project", needsString)},
		"project an object":            {text, `{"v":{"a":1}}`, argumentError("project", needsString)},
		"functionId a number":          {function, `{"v":1.5}`, argumentError("functionId", "variable $v: needs a value of type String")},
		"functionId an object":         {function, `{"v":{}}`, argumentError("functionId", "variable $v: needs a value of type String")},
		"interval unknown":             {interval, `{"v":"1day"}`, argumentError("interval", needsInterval)},
		"interval a number":            {interval, `{"v":1}`, argumentError("interval", needsInterval)},
		"interval in lower case (D10)": {interval, `{"v":"one_day"}`, argumentError("interval", needsInterval)},
		"interval of counts omitted":   {counts, `{}`, argumentError("interval", needsCounts)},
		"interval of counts null":      {counts, `{"v":null}`, argumentError("interval", needsCounts)},
		"interval of counts unknown":   {counts, `{"v":"WEEKLY"}`, argumentError("interval", needsCounts)},
		"projectTier unknown":          {tier, `{"v":"GOLD"}`, argumentError("projectTier", needsTier)},
		"projectTier a list":           {tier, `{"v":["PRO"]}`, argumentError("projectTier", needsTier)},
		"projectTier a boolean":        {tier, `{"v":false}`, argumentError("projectTier", needsTier)},
		"isoTimestampStart a number":   {start, `{"v":1763632800}`, argumentError("isoTimestampStart", needsTime)},
		"isoTimestampStart a boolean":  {start, `{"v":true}`, argumentError("isoTimestampStart", needsTime)},
		"isoTimestampEnd an object":    {end, `{"v":{}}`, argumentError("isoTimestampEnd", needsTime)},
		"isoTimestampEnd a list":       {end, `{"v":["2026-11-20"]}`, argumentError("isoTimestampEnd", needsTime)},
		"id a boolean":                 {id, `{"v":true}`, argumentError("id", needsID)},
		"id a fraction":                {id, `{"v":1.5}`, argumentError("id", needsID)},
		"id a number with an exponent": {id, `{"v":1e3}`, argumentError("id", needsID)},
		"id a list":                    {id, `{"v":["x"]}`, argumentError("id", needsID)},
		"id an object":                 {id, `{"v":{}}`, argumentError("id", needsID)},
		"skip a string":                {skip, `{"v":"true"}`, argumentError("", "variable $v: needs a value of type Boolean!")},
		"skip a number":                {skip, `{"v":1}`, argumentError("", "variable $v: needs a value of type Boolean!")},
		"skip null for a default":      {`query($v: Boolean = true) { endpoints { name @skip(if: $v) } }`, `{"v":null}`, argumentError("", "variable $v: needs a value of type Boolean!")},
		"include null in a fragment":   {`query($v: Boolean = true) { ...q } fragment q on Query { ... @include(if: $v) { endpoints { name } } ...r } fragment r on Query { endpoints { id } }`, `{"v":null}`, argumentError("", "variable $v: needs a value of type Boolean!")},
		"name a list":                  {name, `{"v":[]}`, argumentError("name", "variable $v: needs a value of type String")},
		"a variable in a fragment": {
			`query($v: String!) { ...f } fragment f on Query { logs(project: $v) { id } }`, `{}`, argumentError("project", needsString),
		},
		"a variable of two arguments": {
			`query($v: String!) { logs(project: $v) { id } endpoint(name: $v) { id } }`, `{}`, argumentError("", needsString),
		},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			checkDocumentError(t, test.document, test.variables, test.want)
		})
	}
}

func argumentError(argument, message string) graphQLError {
	wanted := graphQLError{Message: message}
	wanted.Extensions.Code, wanted.Extensions.Argument = "INVALID_ARGUMENT", argument
	return wanted
}

// checkDocumentError checks that a document is rejected as a whole, in both media types,
// before anything is run.
func checkDocumentError(t *testing.T, document, variables string, want graphQLError) {
	t.Helper()
	for mediaType, status := range map[string]int{
		"application/json": http.StatusOK, "application/graphql-response+json": http.StatusBadRequest,
	} {
		logger, lines := logged()
		runner, calls := recording(t)
		body := fmt.Sprintf(`{"query":%s,"variables":%s}`, quoted(document), variables)
		response := send(t, newHandler(t, runner, logger), http.MethodPost, "/graphql", body, "Content-Type", "application/json", "Accept", mediaType)
		assert.Equal(t, status, response.Code)
		assert.NotContains(t, response.Body.String(), `"data"`)
		found := errorsIn(t, response)
		require.Len(t, found, 1, found)
		assert.Equal(t, want.Message, found[0].Message)
		assert.Equal(t, want.Extensions, found[0].Extensions)
		assert.NotEmpty(t, found[0].Locations)
		assert.Empty(t, found[0].Path)
		assert.Empty(t, *calls)
		assert.Empty(t, lines.String())
	}
}

// A nullable variable can pass null to a non-null argument. That is found when the field is
// about to run, so it is the field's error (GraphQL, section 6.4.1).
func TestNullForAnArgumentThatIsRequired(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ document, field, argument, message string }{
		"text": {`query($v: String = "p") { logs(project: $v) { id } }`, "logs", "project", "project: needs a value of type String!"},
		"an enum": {
			`query($v: ApiCountInterval = DAILY) { apiCounts(project: "p", interval: $v) { timestamp } }`, "apiCounts", "interval",
			"interval: needs a value of type ApiCountInterval!, one of MINUTELY, HOURLY, DAILY",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, calls := recording(t)
			response := post(t, newHandler(t, runner, silent()), test.document, `{"v":null}`)
			assert.Equal(t, http.StatusOK, response.Code)
			found := errorsIn(t, response)
			require.Len(t, found, 1)
			assert.Equal(t, test.message, found[0].Message)
			assert.Equal(t, argumentError(test.argument, "").Extensions, found[0].Extensions)
			assert.Equal(t, []any{test.field}, found[0].Path)
			assert.NotEmpty(t, found[0].Locations)
			assert.Empty(t, *calls)
		})
	}
}

// Values of the right types are accepted in every spelling.
func TestWellTypedValues(t *testing.T) {
	t.Parallel()
	const all = `query($p: String!, $f: String, $i: InvocationInterval = ONE_DAY, $t: Time, $d: ID, $s: Boolean = false) {
		invocationStats(project: $p, functionId: $f, interval: $i) { count @skip(if: $s) timestamp }
		logs(project: $p, isoTimestampStart: $t) { id }
		endpoint(id: $d) { name }
	}`
	const id = "7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21"
	for name, test := range map[string]struct{ document, variables string }{
		"variables":            {all, `{"p":"p","f":"f","i":"SEVEN_DAYS","t":"2026-11-20","d":"` + id + `","s":true}`},
		"defaults, and null":   {all, `{"p":"p","f":null,"t":null,"d":"x"}`},
		"an integer as id":     {all, `{"p":"p","d":5}`},
		"integers as literals": {`query($d: ID = 5) { endpoint(id: $d) { name } x: endpoint(id: 5) { name } }`, `{}`},
		"a block string":       {`{ logs(project: """p""", isoTimestampEnd: """2026-11-20""") { id } }`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, errorsIn(t, post(t, newHandler(t, runnerReturning(t), silent()), test.document, test.variables)))
		})
	}
}

func TestDocumentsThatAreRejected(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ document, message string }{
		"syntax":           {`{ endpoints { name `, "Expected Name, found <EOF>"},
		"an unknown field": {`{ endpoints { nam } }`, `Cannot query field "nam" on type "QueryEndpoint". Did you mean "name"?`},
		"no selection":     {`{ endpoints }`, `Field "endpoints" of type "[QueryEndpoint!]!" must have a selection of subfields. Did you mean "endpoints { ... }"?`},
		"a mutation":       {`mutation { endpoints { name } }`, `Schema does not support operation type "mutation"`},
		"a deferred part":  {`{ ... @defer { endpoints { name } } }`, `Unknown directive "@defer".`},
		"no operation":     {`fragment f on Query { endpoints { name } }`, "the query has no operation"},
		"too many tokens":  {`{ ` + strings.Repeat("__typename ", 1_999) + `}`, "the query has more than 2000 tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			response := post(t, newHandler(t, runnerReturning(t), logger), test.document, "{}")
			assert.Equal(t, http.StatusOK, response.Code)
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

// An error about one value of a row has the path and the location of the value's field.
func TestErrorInARow(t *testing.T) {
	t.Parallel()
	row := func(count int64) []any { return []any{now, nil, nil, nil, nil, nil, count, int64(0)} }
	assert.Equal(t, `{"errors":[{"message":"count is 2147483648, which is more than the 32 bits of GraphQL's Int; REST has the exact value",`+
		`"path":["stats",1,"n"],"locations":[{"line":1,"column":42}],"extensions":{"code":"INVALID_ARGUMENT"}}],"data":null}`,
		bodyOf(t, runnerReturning(t, row(0), row(1<<31)), `{ stats: invocationStats(project: "p") { n: count } }`))
}

// A row that breaks the contract of its saved query is a server error without details for
// the caller.
func TestRowThatBreaksTheContract(t *testing.T) {
	t.Parallel()
	logger, lines := logged()
	response := post(t, newHandler(t, runnerReturning(t, []any{nil, now, nil, nil}), logger), `{ logs(project: "p") { id } }`, "{}")
	found := errorsIn(t, response)
	require.Len(t, found, 1)
	assert.Equal(t, "INTERNAL", found[0].Extensions.Code)
	assert.Equal(t, []any{"logs", 0.0, "id"}, found[0].Path)
	assert.NotContains(t, response.Body.String(), "column id is null")
	assert.Contains(t, lines.String(), "column id is null")
}

// Two missing arguments are two errors, each with its argument.
func TestEachMissingArgumentIsNamed(t *testing.T) {
	t.Parallel()
	found := errorsIn(t, post(t, newHandler(t, runnerReturning(t), silent()), `{ apiCounts { timestamp } }`, "{}"))
	require.Len(t, found, 2)
	assert.ElementsMatch(t, []string{"project", "interval"},
		[]string{found[0].Extensions.Argument, found[1].Extensions.Argument})
}

func TestPanicIsOneErrorAndOneLine(t *testing.T) {
	t.Parallel()
	logger, lines := logged()
	runner := &fakeRunner{run: func(context.Context, runner.Request) (*runner.Response, error) { panic("secret") }}
	response := post(t, newHandler(t, runner, logger), `{ logs(project: "p") { id } }`, "{}")
	found := errorsIn(t, response)
	require.Len(t, found, 1)
	assert.Equal(t, "internal server error; the server's log has the cause under this request's id", found[0].Message)
	assert.Equal(t, "INTERNAL", found[0].Extensions.Code)
	assert.Equal(t, []any{"logs"}, found[0].Path)
	assert.NotContains(t, response.Body.String(), "secret")
	assert.Equal(t, 1, strings.Count(lines.String(), "\n"))
	assert.Contains(t, lines.String(), "panic: secret")
	assert.Contains(t, lines.String(), "errors_test.go", "the stack is missing")
}

// A disconnected client cancels the query. That is not logged as a server error.
func TestCancelledRequest(t *testing.T) {
	t.Parallel()
	for name, leaveAt := range map[string]string{"before": "before", "during": "during"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logger, lines := logged()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			runner := &fakeRunner{run: func(ctx context.Context, _ runner.Request) (*runner.Response, error) {
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
