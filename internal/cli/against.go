package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"savedq/internal/authoring/compatibility"
	"savedq/internal/engines"
	"savedq/internal/server"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// againstFlag names what "check" compares the saved queries with.
type againstFlag struct {
	Against string `placeholder:"DIR|URL" help:"Also list the changes that break callers, compared with the saved queries of a directory, or of a running server with a token in the variable SAVEDQ_TOKEN."`
}

// againstTimeout limits a request to the server.
const againstTimeout = 30 * time.Second

func (f *againstFlag) isURL() bool {
	return strings.HasPrefix(f.Against, "http://") || strings.HasPrefix(f.Against, "https://")
}

// validate returns an error if the flag names neither a directory nor a URL.
func (f *againstFlag) validate() error {
	if f.Against == "" {
		return nil
	}
	if f.isURL() {
		if address, err := url.Parse(f.Against); err != nil || address.Host == "" {
			return fmt.Errorf("--against: %q is not a URL such as http://127.0.0.1:8080", f.Against)
		}
		return nil
	}
	if info, err := os.Stat(f.Against); err != nil || !info.IsDir() {
		return fmt.Errorf("--against: %s is neither a directory nor a URL such as http://127.0.0.1:8080", f.Against)
	}
	return nil
}

// compare compares saved queries with the earlier ones, and prints the additions. The error lists
// the changes that break callers.
func (f *againstFlag) compare(ctx context.Context, after *catalog.Catalog, dialect sqlq.Dialect, term *terminal) error {
	before, err := f.endpoints(ctx, dialect, term)
	if err != nil {
		return fmt.Errorf("--against: %w", err)
	}
	changes := compatibility.Compare(before, endpointsOf(after), f.Against)
	for _, addition := range changes.Additions {
		if _, err := fmt.Fprintf(term.stdout, "new: %s\n", addition); err != nil {
			return err
		}
	}
	if len(changes.Breaking) > 0 {
		return fmt.Errorf("these changes break callers, compared with %s:\n%w", f.Against, changes.Breaking)
	}
	_, err = fmt.Fprintf(term.stdout, "No change breaks callers, compared with %s.\n", f.Against)
	return err
}

// endpoints returns the earlier saved queries.
func (f *againstFlag) endpoints(ctx context.Context, dialect sqlq.Dialect, term *terminal) ([]compatibility.Endpoint, error) {
	if f.isURL() {
		server := &compatibility.Server{Client: &http.Client{Timeout: againstTimeout}, URL: strings.TrimSuffix(f.Against, "/"), Token: term.getenv(server.TokenVariable)}
		return server.Endpoints(ctx)
	}
	before, found, err := engines.Folders{Directories: []string{f.Against}}.Read(dialect)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		return nil, fmt.Errorf("the saved queries to compare with have mistakes:\n%w", found)
	}
	return endpointsOf(before), nil
}

func endpointsOf(catalog *catalog.Catalog) []compatibility.Endpoint {
	var endpoints []compatibility.Endpoint
	for _, query := range catalog.Queries() {
		endpoints = append(endpoints, compatibility.EndpointOf(query))
	}
	return endpoints
}
