package bigquery_test

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rest "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/option"

	"savedq/sqlq"
	"savedq/sqlq/bigquery"
)

const (
	overloaded = "UNAVAILABLE the data warehouse is overloaded or unavailable; try again in a moment"
	missing    = "INTERNAL the data warehouse is not set up correctly; the server's log has the cause under this request's id"
	notSetUp   = "UNAVAILABLE the data warehouse is not set up correctly; the server's log has the cause under this request's id"
	tooSlow    = "DEADLINE_EXCEEDED the query took longer than 25s; ask for a shorter time range or try again later"
	badPattern = "INVALID_ARGUMENT project: is not a regular expression that the engine accepts; use a simpler one"
	internal   = "INTERNAL internal server error; the server's log has the cause under this request's id"
)

// Each reason, for a query and for the rows of its job: the code and the
// text that the caller sees, with all that the service said in the log only.
func TestRunCodesErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status          int
		reason, message string
		want            string
	}{
		"too many bytes":             {400, "bytesBilledLimitExceeded", "Query exceeded limit for bytes billed: 10737418240. 21474836480 or higher required.", "RESOURCE_EXHAUSTED the query would read 20 GiB, but one query may read 10 GiB at most; ask for a shorter time range"},
		"too many bytes, unknown":    {400, "bytesBilledLimitExceeded", "Query exceeded limit for bytes billed.", "RESOURCE_EXHAUSTED the query would read more, but one query may read 10 GiB at most; ask for a shorter time range"},
		"one and a half kibibytes":   {400, "bytesBilledLimitExceeded", "1536 or higher required.", "RESOURCE_EXHAUSTED the query would read 1.5 KiB, but one query may read 10 GiB at most; ask for a shorter time range"},
		"nearly a mebibyte":          {400, "bytesBilledLimitExceeded", "1048575 or higher required.", "RESOURCE_EXHAUSTED the query would read 1 MiB, but one query may read 10 GiB at most; ask for a shorter time range"},
		"a few bytes":                {400, "bytesBilledLimitExceeded", "12 or higher required.", "RESOURCE_EXHAUSTED the query would read 12 B, but one query may read 10 GiB at most; ask for a shorter time range"},
		"more bytes than there are":  {400, "bytesBilledLimitExceeded", "99999999999999999999 or higher required.", "RESOURCE_EXHAUSTED the query would read more, but one query may read 10 GiB at most; ask for a shorter time range"},
		"quota":                      {403, "quotaExceeded", "Quota exceeded: Your project exceeded quota", "UNAVAILABLE a quota of the data warehouse is exceeded; try again later"},
		"rate limit":                 {403, "rateLimitExceeded", "Exceeded rate limits", overloaded},
		"rate limit of jobs":         {400, "jobRateLimitExceeded", "Job exceeded rate limits", overloaded},
		"back end":                   {503, "backendError", "Error encountered during execution", overloaded},
		"internal":                   {500, "internalError", "An internal error occurred", overloaded},
		"back end of jobs":           {400, "jobBackendError", "Error encountered during execution", overloaded},
		"table missing":              {404, "notFound", "Not found: Table p:d.secret was not found in location EU", missing},
		"dataset missing":            {404, "notFound", "Not found: Dataset p:d was not found in location EU", missing},
		"credentials":                {401, "authError", "Invalid Credentials", notSetUp},
		"credentials without reason": {401, "", "Request had invalid authentication credentials", notSetUp},
		"access":                     {403, "accessDenied", "Access Denied: Table p:d.t: User does not have permission", missing},
		"billing":                    {403, "billingNotEnabled", "Billing has not been enabled for this project", notSetUp},
		"pattern":                    {400, "invalidQuery", "Cannot parse regular expression: invalid perl operator: (?<", badPattern},
		"pattern, oddly coded":       {400, "jobInternalError", "failed to compile regexp: error parsing regexp", badPattern},
		"text":                       {400, "invalidQuery", "Bad int64 value: 20 June", internal},
		"quoted text":                {400, "invalidQuery", "Invalid date: '20 June'", internal},
		"other text":                 {400, "invalidQuery", "Bad int64 value: 21 June", internal},
		"SQL":                        {400, "invalidQuery", "No matching signature for function REGEXP_CONTAINS at [3:4]", internal},
		"server's timeout":           {499, "stopped", "Job execution was cancelled: Job timed out after 25 sec", tooSlow},
		"timeout":                    {400, "timeout", "The job timed out", tooSlow},
		"stopped by hand":            {400, "stopped", "Job execution was cancelled: User requested cancellation", internal},
		"resources":                  {400, "resourcesExceeded", "Resources exceeded during query execution", internal},
		"too large":                  {403, "responseTooLarge", "Response too large to return", "RESOURCE_EXHAUSTED the rows take more than 64 MiB; ask for a shorter time range"},
		"unheard of":                 {418, "teapot", "short and stout", internal},
		"no reason":                  {400, "", "", internal},
	}
	for name, test := range tests {
		failed := refusal(test.status, test.reason, test.message)
		fakes := map[string]*fakeService{
			"query": {query: func(*rest.QueryRequest) response { return failed }},
			"rows":  {results: rows(failed)},
		}
		for step, fake := range fakes {
			t.Run(name+" on "+step, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					statement := numbers(5)
					statement.Query.Params = []sqlq.Param{{Name: "interval", Type: sqlq.String}, {Name: "project", Type: sqlq.String, Regex: true}}
					statement.Args = []sqlq.Arg{{Name: "interval", Type: sqlq.String, Value: "20 June"}, {Name: "project", Type: sqlq.String, Value: "acme"}}
					start := time.Now()
					result, err := run(t, open(t, fake), statement)
					require.Error(t, err)
					assert.Nil(t, result)
					assert.Equal(t, test.want, code(err))
					assert.Contains(t, err.Error(), test.message, "the log has what the service said")
					assert.LessOrEqual(t, time.Since(start), 30*time.Second)
				})
			})
		}
	}
}

// Only a query with an expression of its caller's can have it blamed.
func TestRunBlamesNoAbsentPattern(t *testing.T) {
	t.Parallel()
	fake := &fakeService{query: func(*rest.QueryRequest) response {
		return refusal(http.StatusBadRequest, "invalidQuery", "Cannot parse regular expression: missing )")
	}}
	_, err := run(t, open(t, fake), numbers(5))
	assert.Equal(t, internal, code(err))
}

// A network that is out of order is borne for a while.
func TestRunBearsTheNetwork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		engine := open(t, nil, func(config *bigquery.Config) {
			config.ClientOptions = []option.ClientOption{option.WithHTTPClient(&http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
				attempts++
				return nil, fmt.Errorf("dial tcp: connection refused: %w", syscall.ECONNREFUSED)
			})})}
		})
		start := time.Now()
		_, err := run(t, engine, numbers(5))
		assert.Equal(t, overloaded, code(err))
		assert.Greater(t, attempts, 3)
		assert.LessOrEqual(t, time.Since(start), 25*time.Second)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
