package server

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The URL of a server that listens on all addresses uses localhost.
func TestBaseURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		"[::1]:8080":     "http://[::1]:8080",
		"192.0.2.7:8080": "http://192.0.2.7:8080",
		"0.0.0.0:8080":   "http://localhost:8080",
		"[::]:8080":      "http://localhost:8080",
	} {
		resolved, err := net.ResolveTCPAddr("tcp", address)
		require.NoError(t, err)
		assert.Equal(t, want, baseURL(resolved), address)
	}
}

// The command in the welcome contains a generated token, but never a token of the user.
func TestWelcome(t *testing.T) {
	t.Parallel()
	const url = "'http://localhost:8080/api/endpoints/usage.api-counts?project=default&interval=daily'\n"
	for name, test := range map[string]struct {
		allowed access
		curl    string
		token   bool
	}{
		"generated":       {access{secret: "s", secretFile: "data/generated-token", header: "'X-API-KEY: s'"}, "curl -H 'X-API-KEY: s' ", true},
		"set by the user": {access{header: `"X-API-KEY: $SAVEDQ_TOKEN"`}, `curl -H "X-API-KEY: $SAVEDQ_TOKEN" `, false},
		"none":            {access{}, "curl ", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := welcome("http://localhost:8080", test.allowed, "usage.api-counts?project=default&interval=daily", test.token, test.token)
			assert.Equal(t, test.token, strings.Contains(text, "\n  Events   http://localhost:8080/api/logs?source=<name>\n"))
			assert.Equal(t, test.token, strings.Contains(text, "\n  Schema   http://localhost:8080/schema.graphql\n"))
			assert.True(t, strings.HasSuffix(text, "\nTry it:\n  "+test.curl+url), text)
			assert.Equal(t, test.token, strings.Contains(text, "#token=s\n"))
			assert.Equal(t, test.token, strings.Contains(text, "  Token    s (kept in data/generated-token; set SAVEDQ_TOKEN to choose one)\n"))
			assert.NotContains(t, welcome("http://localhost:8080", test.allowed, "", test.token, test.token), "Try it")
		})
	}
}
