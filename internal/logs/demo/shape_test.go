package demo

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

	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// Each source has the storage shape (D14), the paths of the fields in a real event, and its project where senders name it
// (D23): in a field of metadata, or else in the event.
func TestMetadata(t *testing.T) {
	t.Parallel()
	tests := []struct {
		table, project, fields string
	}{
		{"edge_logs", "", "request.cf.asn request.cf.botManagement.score request.cf.country request.headers.cf_connecting_ip " +
			"request.headers.user_agent request.host request.method request.path request.protocol request.search request.url " +
			"response.headers.cf_cache_status response.headers.content_type response.origin_time response.status_code"},
		{"postgres_logs", "", "host parsed.backend_type parsed.command_tag parsed.connection_from parsed.error_severity " +
			"parsed.session_id parsed.sql_state_code parsed.timestamp parsed.user_name"},
		{"function_edge_logs", "project_ref", "deployment_id execution_time_ms function_id project_ref request.headers.user_agent request.method " +
			"request.pathname request.search request.url response.headers.date response.status_code version"},
		{"function_logs", "project_ref", "deployment_id event_type execution_id function_id level project_ref region timestamp version"},
		{"auth_logs", "", "auth_event.action auth_event.traits.provider component duration host level method msg path project " +
			"remote_addr request_id status timestamp"},
		{"realtime_logs", "project", "context.application context.domain context.mfa context.time context.vm.node external_id level project"},
		{"storage_logs", "project", "context.host context.pid level project reqId tenantId"},
		{"postgrest_logs", "", "host"},
		{"pgbouncer_logs", "", "host"},
	}
	require.Len(t, tests, len(tables.Shipped()))
	for _, test := range tests {
		t.Run(test.table, func(t *testing.T) {
			t.Parallel()
			found, projects := make(map[string]bool), make(map[string]int)
			count, size := 0, 0
			source := sourceOf(t, test.table)
			for event := range seeded(1).Events(source, friday().Add(-manyEvents(source)), friday()) {
				var metadata []map[string]any
				require.NoError(t, json.Unmarshal(event.Metadata, &metadata))
				require.Len(t, metadata, 1)
				requireFieldsInShape(t, metadata[0])
				addPaths(found, "", metadata[0])
				var compact bytes.Buffer
				require.NoError(t, json.Compact(&compact, event.Metadata))
				require.Equal(t, compact.String(), string(event.Metadata), "compact")
				require.True(t, utf8.Valid(event.Metadata))
				require.NotNil(t, event.EventMessage)
				require.NotEmpty(t, *event.EventMessage)
				require.NotContains(t, *event.EventMessage+string(event.Metadata), "~", "a marker")
				require.Equal(t, test.project == "", event.Project != nil)
				if test.project == "" {
					projects[*event.Project]++
				} else {
					project, _ := metadata[0][test.project].(string)
					projects[project]++
				}
				count++
				size += len(event.Metadata)
			}
			require.Positive(t, count)
			assert.Less(t, size/count, 1100, "metadata stays lean")
			for field := range strings.FieldsSeq(test.fields) {
				assert.True(t, found[field], field)
			}
			require.Len(t, projects, len(projectNames()))
			for _, project := range projectNames() {
				assert.Positive(t, projects[project], project)
			}
			assert.Greater(t, projects["default"], projects["globex"])
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
	for event := range seeded(1).Events(sourceOf(t, "edge_logs"), friday().Add(-24*time.Hour), friday()) {
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
	for event := range seeded(1).Events(sourceOf(t, "function_edge_logs"), friday(), friday().Add(2*time.Hour)) {
		require.Regexp(t, message, *event.EventMessage)
	}
}

func TestAuthMessagesAreJSON(t *testing.T) {
	t.Parallel()
	for event := range seeded(1).Events(sourceOf(t, "auth_logs"), friday().Add(-48*time.Hour), friday()) {
		require.True(t, json.Valid([]byte(*event.EventMessage)), *event.EventMessage)
	}
}
