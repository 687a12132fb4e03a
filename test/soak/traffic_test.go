package soak

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// kind is a kind of request.
type kind struct {
	name string
	// share is how many of a hundred requests are of this kind.
	share int
	// statuses are the possible ones, besides 503.
	statuses []int
	// metered is true if it has the metered token, and may get 429.
	metered bool
	// leaves is true if the caller does not wait for the response.
	leaves bool
	make   func(address string, random *rand.Rand) *http.Request
}

// traffic returns the kinds of requests, valid and invalid. Cached requests are for few
// projects; others are for many projects, and hardly any is repeated.
func traffic() []kind {
	return []kind{
		{name: "REST, cached", share: 25, statuses: []int{200}, make: func(address string, random *rand.Rand) *http.Request {
			return get(address, statsPath(random))
		}},
		{name: "REST, metered", share: 5, statuses: []int{200}, metered: true, make: func(address string, random *rand.Rand) *http.Request {
			return get(address, statsPath(random))
		}},
		{name: "REST, had already", share: 8, statuses: []int{304}, make: func(address string, random *rand.Rand) *http.Request {
			request := get(address, statsPath(random))
			request.Header.Set("If-None-Match", "*")
			return request
		}},
		{name: "REST, not cached", share: 12, statuses: []int{200}, make: logsByREST},
		{name: "REST, always new", share: 4, statuses: []int{200}, make: func(address string, random *rand.Rand) *http.Request {
			return get(address, fmt.Sprintf("/api/endpoints/usage.api-counts?interval=hourly&project=p%d", random.Int64()))
		}},
		{name: "REST, no-cache", share: 2, statuses: []int{200}, make: func(address string, random *rand.Rand) *http.Request {
			request := get(address, statsPath(random))
			request.Header.Set("Cache-Control", "no-cache")
			return request
		}},
		{name: "REST, bad", share: 4, statuses: []int{400}, make: func(address string, random *rand.Rand) *http.Request {
			return get(address, pick(random, "/api/endpoints/usage.api-counts?project=acme", "/api/endpoints/logs.all?project=%zz",
				"/api/endpoints/usage.api-counts?interval=daily&project=(", "/api/endpoints/logs.all?project=a&iso_timestamp_end=soon"))
		}},
		{name: "REST, not there", share: 2, statuses: []int{404}, make: func(address string, random *rand.Rand) *http.Request {
			return get(address, pick(random, "/api/endpoints/logs.none", "/api", "/favicon.ico", "/api/endpoints/query/"))
		}},
		{name: "GraphQL, cached", share: 17, statuses: []int{200}, make: func(address string, random *rand.Rand) *http.Request {
			return post(address, pick(random, countsDocument, statsDocument), project(random))
		}},
		{name: "GraphQL, metered", share: 3, statuses: []int{200}, metered: true, make: func(address string, random *rand.Rand) *http.Request {
			return post(address, countsDocument, project(random))
		}},
		{name: "GraphQL, new fields", share: 4, statuses: []int{200}, make: func(address string, random *rand.Rand) *http.Request {
			document := strings.Replace(statsDocument, "count", fmt.Sprintf("n%d: count", random.Int64()), 1)
			return post(address, document, project(random))
		}},
		{name: "GraphQL, not cached", share: 6, statuses: []int{200}, make: func(address string, random *rand.Rand) *http.Request {
			return post(address, logsDocument, project(random))
		}},
		{name: "GraphQL, bad", share: 3, statuses: []int{400}, make: func(address string, random *rand.Rand) *http.Request {
			return post(address, pick(random, "{", "{ nothing }", "query($project: Int!) { logs(project: $project) { id } }"), project(random))
		}},
		{name: "leaving", share: 5, statuses: []int{200}, leaves: true, make: logsByREST},
	}
}

const (
	countsDocument = `query($project: String!) { apiCounts(project: $project, interval: HOURLY) { timestamp totalRestRequests totalAuthRequests } }`
	statsDocument  = `query($project: String!) { invocationStats(project: $project) { timestamp count errorCount p95ExecutionTime } }`
	logsDocument   = `query($project: String!) { logs(project: $project, projectTier: PRO) { id timestamp eventMessage metadata } }`
)

// project is one that has demo logs.
func project(random *rand.Rand) string { return pick(random, "default", "acme", "globex") }

func pick(random *rand.Rand, choices ...string) string { return choices[random.IntN(len(choices))] }

func statsPath(random *rand.Rand) string {
	return fmt.Sprintf("/api/endpoints/functions.invocation-stats?project=%s&interval=%s", project(random), pick(random, "15min", "1hr", "1day"))
}

func logsByREST(address string, random *rand.Rand) *http.Request {
	end := time.Now().Add(-time.Duration(random.Int64N(int64(5 * 24 * time.Hour)))).UTC().Format(time.RFC3339Nano)
	return get(address, fmt.Sprintf("/api/endpoints/logs.all?project_tier=PRO&project=%s&iso_timestamp_end=%s", project(random), url.QueryEscape(end)))
}

func get(address, target string) *http.Request { return request(http.MethodGet, address+target, "") }

func post(address, document, project string) *http.Request {
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]string{"project": project}})
	if err != nil {
		panic(err) // it is made of strings
	}
	created := request(http.MethodPost, address+"/graphql", string(body))
	created.Header.Set("Content-Type", "application/json")
	created.Header.Set("Accept", "application/graphql-response+json")
	return created
}

func request(method, target, body string) *http.Request {
	created, err := http.NewRequest(method, target, strings.NewReader(body))
	if err != nil {
		panic(err) // targets are written above
	}
	return created
}
