package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// callers is how many callers there are, each with about one request a second: half of
// them over REST, half over GraphQL.
const callers = 200

// projects is how many projects they query.
const projects = 40

// leaves is the time after which impatient callers leave.
const leaves = 300 * time.Millisecond

// crowd counts what callers get: ok, stale, or the code of an error.
type crowd struct {
	t      *testing.T
	server *server

	mutex    sync.Mutex
	outcomes map[string]int
}

func newCrowd(t *testing.T, server *server) *crowd {
	t.Helper()
	return &crowd{t: t, server: server, outcomes: make(map[string]int)}
}

// ask sends the requests of callers for some time, and returns their outcomes.
func (c *crowd) ask(callers int, duration time.Duration) map[string]int {
	c.t.Helper()
	before := c.all()
	end := time.Now().Add(duration)
	var asking sync.WaitGroup
	for caller := range callers {
		random := rand.New(rand.NewPCG(uint64(caller), uint64(end.UnixNano())))
		asking.Go(func() {
			for {
				time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
				if time.Now().After(end) {
					return
				}
				outcome := c.request(caller%2 == 0, random)
				c.mutex.Lock()
				c.outcomes[outcome]++
				c.mutex.Unlock()
			}
		})
	}
	asking.Wait()
	outcomes := c.all()
	for outcome, count := range before {
		if outcomes[outcome] -= count; outcomes[outcome] == 0 {
			delete(outcomes, outcome)
		}
	}
	return outcomes
}

// all returns the outcomes so far.
func (c *crowd) all() map[string]int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return maps.Clone(c.outcomes)
}

// request sends one request, of one saved query, and returns its outcome. One in ten
// callers leaves. The response must come in time.
func (c *crowd) request(byREST bool, random *rand.Rand) string {
	request, read := graphQLRequest(random), graphQLOutcome
	if byREST {
		request, read = restRequest(random), restOutcome
	}
	patience := queryTimeout
	ctx, leave := context.WithCancel(c.t.Context())
	defer leave()
	if random.IntN(10) == 0 {
		patience = leaves
		defer time.AfterFunc(leaves, leave).Stop()
	}
	began := time.Now()
	response := httptest.NewRecorder()
	c.server.ServeHTTP(response, request.WithContext(ctx))
	assert.LessOrEqual(c.t, time.Since(began), patience)
	outcome, err := read(response)
	if err != nil {
		c.t.Errorf("%s: %d %s", err, response.Code, response.Body)
	}
	if outcome == string(sqlq.Unavailable) {
		assert.Regexp(c.t, "^[1-9][0-9]*$", response.Header().Get("Retry-After"))
	}
	return outcome
}

func restRequest(random *rand.Rand) *http.Request {
	project := random.IntN(projects)
	target := [...]string{
		"usage.api-counts?interval=daily&project=%d", "functions.invocation-stats?project=%d", "logs.all?project=%d",
	}[random.IntN(3)]
	return httptest.NewRequest(http.MethodGet, fmt.Sprintf("/api/endpoints/"+target, project), nil)
}

func restOutcome(response *httptest.ResponseRecorder) (string, error) {
	var body struct {
		Result *[]any
		Error  struct{ Code string }
	}
	if err := json.Unmarshal(response.Body.Bytes(), &body); err != nil {
		return "", err
	}
	switch {
	case response.Code == http.StatusOK && body.Result != nil && body.Error.Code == "":
		return outcomeOf(response.Header().Get("X-Cache")), nil
	case response.Code == statuses()[body.Error.Code] && body.Result == nil:
		return body.Error.Code, nil
	}
	return "", fmt.Errorf("the status is %d", response.Code)
}

// statuses belong to the codes that a fault may cause (D15).
func statuses() map[string]int {
	return map[string]int{
		string(sqlq.Cancelled): 499, string(sqlq.Internal): http.StatusInternalServerError,
		string(sqlq.Unavailable): http.StatusServiceUnavailable, string(sqlq.DeadlineExceeded): http.StatusGatewayTimeout,
	}
}

func graphQLRequest(random *rand.Rand) *http.Request {
	document := [...]string{
		`{ field: apiCounts(project: "%d", interval: DAILY) { timestamp totalRestRequests } }`,
		`{ field: invocationStats(project: "%d") { timestamp count } }`,
		`{ field: logs(project: "%d") { id metadata } }`,
	}[random.IntN(3)]
	document = fmt.Sprintf(document, random.IntN(projects))
	if random.IntN(2) == 0 {
		return httptest.NewRequest(http.MethodGet, "/graphql?query="+url.QueryEscape(document), nil)
	}
	body, _ := json.Marshal(map[string]string{"query": document}) // cannot fail for strings
	request := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	return request
}

func graphQLOutcome(response *httptest.ResponseRecorder) (string, error) {
	var body struct {
		Data       *struct{ Field *[]any }
		Errors     []struct{ Extensions struct{ Code string } }
		Extensions struct {
			Freshness struct{ Field struct{ Cache string } }
		}
	}
	if err := json.Unmarshal(response.Body.Bytes(), &body); err != nil {
		return "", err
	}
	switch {
	case len(body.Errors) == 0 && body.Data != nil && body.Data.Field != nil:
		return outcomeOf(body.Extensions.Freshness.Field.Cache), nil
	case len(body.Errors) == 1 && (body.Data == nil || body.Data.Field == nil) && statuses()[body.Errors[0].Extensions.Code] != 0:
		return body.Errors[0].Extensions.Code, nil
	}
	return "", fmt.Errorf("the response has %d errors", len(body.Errors))
}

// outcomeOf returns the outcome of a response with rows.
func outcomeOf(cache string) string {
	if cache == string(runner.Stale) {
		return stale
	}
	if strings.TrimSpace(cache) == "" {
		return "a response without its freshness"
	}
	return ok
}

// Outcomes other than codes.
const (
	ok    = "ok"
	stale = "stale"
)
