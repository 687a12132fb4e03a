// Command client prints the invocations of a project's functions for each of the last days,
// and the project's newest log event.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Khan/genqlient/graphql"
)

func main() {
	project := "default"
	if len(os.Args) > 1 {
		project = os.Args[1]
	}
	client := newClient(cmp.Or(os.Getenv("SAVEDQ_URL"), "http://127.0.0.1:8080"), os.Getenv("SAVEDQ_TOKEN"))
	activity, err := describeActivity(context.Background(), client, project)
	if err == nil {
		_, err = os.Stdout.WriteString(activity)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// newClient returns a client that sends the token with each request.
func newClient(url, token string) graphql.Client {
	const patience = 30 * time.Second
	return graphql.NewClient(url+"/graphql", &http.Client{Timeout: patience, Transport: withToken(token)})
}

// withToken is a transport that adds a token to each request.
type withToken string

// RoundTrip sends a copy of the request, because a transport must not change it.
func (token withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("X-API-KEY", string(token))
	return http.DefaultTransport.RoundTrip(request)
}

// describeActivity returns what the project did, a line for each day.
func describeActivity(ctx context.Context, client graphql.Client, project string) (string, error) {
	activity, err := Activity(ctx, client, project)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Functions of %s, by day:\n", project)
	for _, day := range activity.InvocationStats {
		p95 := "-"
		if day.P95ExecutionTime != nil {
			p95 = strconv.FormatFloat(*day.P95ExecutionTime, 'f', -1, 64) + " ms"
		}
		fmt.Fprintf(&out, "%s  %d invocations  %d errors  p95 %s\n", day.Timestamp.Format(time.DateOnly), day.Count, day.ErrorCount, p95)
	}
	if len(activity.Logs) == 0 {
		return out.String(), nil
	}
	newest := activity.Logs[0]
	if newest.EventMessage != nil {
		fmt.Fprintf(&out, "Newest log entry: %s\n", *newest.EventMessage)
	}
	fields, err := fieldsOf(newest.Metadata)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&out, "Its metadata: %s\n", strings.Join(fields, ", "))
	return out.String(), nil
}

// fieldsOf returns the names of the fields of an event's metadata, a list of one object.
func fieldsOf(metadata json.RawMessage) ([]string, error) {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(metadata, &list); err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	if len(list) == 0 {
		return nil, nil
	}
	return slices.Sorted(maps.Keys(list[0])), nil
}
