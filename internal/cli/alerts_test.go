package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAlertsCommand(t *testing.T) {
	t.Setenv("SAVEDQ_TOKEN", "secret")
	body := `{"alerts":[]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/alerts" && r.Header.Get("X-Api-Key") == "secret" {
			_, _ = w.Write([]byte(body))
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	run := func(arguments ...string) (status int, stdout, stderr string) {
		var out, failures strings.Builder
		status = Run(t.Context(), append([]string{"alerts"}, arguments...), &out, &failures)
		return status, out.String(), failures.String()
	}
	status, stdout, stderr := run("--url", server.URL)
	assert.Equal(t, []any{statusOK, "", "no alerts: no saved query that the token may run declares one\n"}, []any{status, stdout, stderr})
	body = `{"alerts":[{"query":"q","name":"a","state":"firing","since":"2026-11-26T10:00:00Z","checked":null,"condition":"any","notify":[{"target":"ops","pending":2}],"error":"no","silence":{"until":"2026-11-26T12:00:00Z","reason":"r","by":"ops","at":"2026-11-26T10:00:00Z"},"acknowledged":{"reason":"","by":"ops","at":"2026-11-26T11:00:00Z"}}]}`
	status, stdout, stderr = run("--url", server.URL, "--format=ndjson")
	assert.Equal(t, []any{statusOK, ""}, []any{status, stderr})
	assert.JSONEq(t, `{"query":"q","name":"a","state":"firing","since":1795687200000000,"checked":null,"condition":"any","pending_messages":2,"error":"no","silenced_until":1795694400000000,"acknowledged":1795690800000000}`, stdout)
	_, _, stderr = run()
	assert.Contains(t, stderr, "--url: is required")
	t.Setenv("SAVEDQ_TOKEN", "other")
	_, _, stderr = run("--url", server.URL)
	assert.Contains(t, stderr, "does not accept the token")
}
