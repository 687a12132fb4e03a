package openapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/alerthttp"
	"savedq/internal/api/openapi"
	"savedq/sqlq/tables"
)

// The paths that receive log events are described to those who may send some.
func TestIngestIsDescribed(t *testing.T) {
	t.Parallel()
	read, _ := documentOf(t, nil, openapi.Caller{Ingest: true, Sources: tables.Shipped()})
	var paths []string
	for path, item := range read.Paths.Map() {
		if item.Post != nil && !strings.HasPrefix(path, alerthttp.Path) {
			paths = append(paths, path)
			assert.Nil(t, item.Get, path)
			assert.NotNil(t, item.Post.Responses.Status(http.StatusOK), path)
		}
	}
	slices.Sort(paths)
	assert.Equal(t, []string{
		"/api/events", "/api/logs", "/logs", "/logs/cloudflare", "/logs/syslog", "/logs/vector", "/logs/vercel", "/v1/logs",
	}, paths)
	for body, valid := range map[string]bool{
		`{"message":"Logged!","accepted":1,"duplicates":0,"rejected":1,"errors":[{"position":0,"reason":"r"}]}`: true,
		`{"message":"Logged!","accepted":1}`: false,
	} {
		err := read.Components.Schemas["Logged"].Value.VisitJSON(decoded(t, body))
		assert.Equal(t, valid, err == nil, "%s: %v", body, err)
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}
