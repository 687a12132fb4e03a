package demo_test

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/demo"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

func TestMetadataHasTheStorageShape(t *testing.T) {
	t.Parallel()
	for _, source := range tables.Shipped() {
		t.Run(source.Name, func(t *testing.T) {
			t.Parallel()
			count, size := 0, 0
			for event := range demo.New(3).Events(source, friday().Add(-manyEvents(source)), friday()) {
				var metadata any
				require.NoError(t, json.Unmarshal(event.Metadata, &metadata))
				list, ok := metadata.([]any)
				require.True(t, ok)
				require.Len(t, list, 1)
				fields, ok := list[0].(map[string]any)
				require.True(t, ok)
				requireFieldsInShape(t, fields)

				var compact bytes.Buffer
				require.NoError(t, json.Compact(&compact, event.Metadata))
				require.Equal(t, compact.String(), string(event.Metadata), "compact")
				require.True(t, utf8.Valid(event.Metadata))
				require.NotNil(t, event.EventMessage)
				require.NotEmpty(t, *event.EventMessage)
				require.NotContains(t, *event.EventMessage+string(event.Metadata), "~", "a marker")
				count++
				size += len(event.Metadata)
			}
			require.Positive(t, count)
			assert.Less(t, size/count, 1100, "metadata stays lean")
		})
	}
}

// manyEvents returns a period in which a source has every kind of line.
func manyEvents(source *sqlq.Table) time.Duration {
	if source.Name == "edge_logs" || source.Name == "function_edge_logs" {
		return 4 * time.Hour
	}
	return 72 * time.Hour
}

// requireFieldsInShape checks D14: every object is the only element of a list.
func requireFieldsInShape(t *testing.T, fields map[string]any) {
	t.Helper()
	for name, value := range fields {
		require.NotEmpty(t, name)
		switch value := value.(type) {
		case map[string]any:
			require.Failf(t, "a bare object", "field %s", name)
		case []any:
			require.NotEmpty(t, value, name)
			for _, item := range value {
				if object, ok := item.(map[string]any); ok {
					require.Len(t, value, 1, name)
					requireFieldsInShape(t, object)
				}
			}
		}
	}
}

// The paths of the fields in a real event of each source.
func TestMetadataHasTheFieldsOfItsSource(t *testing.T) {
	t.Parallel()
	tests := []struct {
		table  string
		fields string
	}{
		{"edge_logs", "request.cf.asn request.cf.botManagement.score request.cf.country request.headers.cf_connecting_ip " +
			"request.headers.user_agent request.host request.method request.path request.protocol request.search request.url " +
			"response.headers.cf_cache_status response.headers.content_type response.origin_time response.status_code"},
		{"postgres_logs", "host parsed.backend_type parsed.command_tag parsed.connection_from parsed.error_severity " +
			"parsed.session_id parsed.sql_state_code parsed.timestamp parsed.user_name"},
		{"function_edge_logs", "deployment_id execution_time_ms function_id project_ref request.headers.user_agent request.method " +
			"request.pathname request.search request.url response.headers.date response.status_code version"},
		{"function_logs", "deployment_id event_type execution_id function_id level project_ref region timestamp version"},
		{"auth_logs", "auth_event.action auth_event.traits.provider component duration host level method msg path project " +
			"remote_addr request_id status timestamp"},
		{"realtime_logs", "context.application context.domain context.mfa context.time context.vm.node external_id level project"},
		{"storage_logs", "context.host context.pid level project reqId tenantId"},
		{"postgrest_logs", "host"},
		{"pgbouncer_logs", "host"},
	}
	require.Len(t, tests, len(tables.Shipped()))
	for _, test := range tests {
		t.Run(test.table, func(t *testing.T) {
			t.Parallel()
			found := make(map[string]bool)
			source := sourceOf(t, test.table)
			for event := range demo.New(1).Events(source, friday().Add(-manyEvents(source)), friday()) {
				var metadata []map[string]any
				require.NoError(t, json.Unmarshal(event.Metadata, &metadata))
				addPaths(found, "", metadata[0])
			}
			for field := range strings.FieldsSeq(test.fields) {
				assert.True(t, found[field], field)
			}
		})
	}
}

func addPaths(found map[string]bool, prefix string, fields map[string]any) {
	for name, value := range fields {
		found[prefix+name] = true
		if list, ok := value.([]any); ok {
			if object, ok := list[0].(map[string]any); ok {
				addPaths(found, prefix+name+".", object)
			}
		}
	}
}

type edgeMetadata []struct {
	Request []struct {
		Host, Method, Path, Search, URL string
		Headers                         []struct {
			Address string `json:"cf_connecting_ip"`
		}
	}
	Response []struct {
		StatusCode int `json:"status_code"`
		OriginTime int `json:"origin_time"`
	}
}

func TestEdgeRequestsCoverTheAreas(t *testing.T) {
	t.Parallel()
	documentation := []netip.Prefix{
		netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	}
	areas, methods, statuses := make(map[string]int), make(map[string]int), make(map[int]int)
	for event := range demo.New(1).Events(sourceOf(t, "edge_logs"), friday().Add(-24*time.Hour), friday()) {
		var metadata edgeMetadata
		require.NoError(t, json.Unmarshal(event.Metadata, &metadata))
		request, response := metadata[0].Request[0], metadata[0].Response[0]

		require.Equal(t, "https://"+*event.Project+".example.com"+request.Path+request.Search, request.URL)
		require.Equal(t, *event.Project+".example.com", request.Host)
		for _, project := range projectNames() {
			// usage.api-counts matches the project anywhere in the URL.
			require.Equal(t, project == *event.Project, strings.Contains(request.URL, project), request.URL)
		}
		area := "other"
		for _, name := range []string{"/rest", "/storage", "/auth", "/realtime"} {
			if strings.Contains(request.Path, name) {
				require.Equal(t, "other", area, request.Path)
				area = name
			}
		}
		address, err := netip.ParseAddr(request.Headers[0].Address)
		require.NoError(t, err)
		require.True(t, documentation[0].Contains(address) || documentation[1].Contains(address) || documentation[2].Contains(address), address)
		require.Contains(t, *event.EventMessage, request.Method+" | ")
		require.Contains(t, *event.EventMessage, " | "+request.URL+" | ")
		require.Positive(t, response.OriginTime)
		areas[area]++
		methods[request.Method]++
		statuses[response.StatusCode/100]++
	}
	for _, area := range []string{"/rest", "/storage", "/auth", "/realtime", "other"} {
		assert.Greater(t, areas[area], 200, area)
	}
	for _, method := range []string{"GET", "POST", "PATCH"} {
		assert.Greater(t, methods[method], 200, method)
	}
	for _, class := range []int{1, 2, 4, 5} {
		assert.Greater(t, statuses[class], 20, "%dxx", class)
	}
	assert.Greater(t, statuses[2], 10*statuses[4])
	assert.Greater(t, statuses[4], statuses[5])
}

func TestFunctionMessagesLookLikeTheRealOnes(t *testing.T) {
	t.Parallel()
	message := regexp.MustCompile(`^(GET|POST|OPTIONS) \| [1-5]\d\d \| https://(default|acme|globex)\.functions\.example\.com/[a-z-]+(\?\S+)?$`)
	for event := range demo.New(1).Events(sourceOf(t, "function_edge_logs"), friday(), friday().Add(6*time.Hour)) {
		require.Regexp(t, message, *event.EventMessage)
	}
}

func TestAuthMessagesAreJSON(t *testing.T) {
	t.Parallel()
	for event := range demo.New(1).Events(sourceOf(t, "auth_logs"), friday().Add(-48*time.Hour), friday()) {
		require.True(t, json.Valid([]byte(*event.EventMessage)), *event.EventMessage)
	}
}
