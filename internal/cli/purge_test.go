package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The command sends what is to be purged, and prints how much was.
func TestPurge(t *testing.T) {
	t.Parallel()
	for arguments, test := range map[string]struct{ body, response, stdout, stderr string }{
		"":                              {`{}`, `{"purged":12}`, "12 cache entries purged\n", ""},
		"--query=logs.all":              {`{"query":"logs.all"}`, `{"purged":1}`, "1 cache entry purged\n", ""},
		"--project=acme --query=nosuch": {`{"query":"nosuch","project":"acme"}`, "", "", "there is no nosuch"},
	} {
		t.Run(arguments, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "POST /api/store/purge", r.Method+" "+r.URL.Path)
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				assert.JSONEq(t, test.body, string(body))
				if test.response == "" {
					w.WriteHeader(http.StatusNotFound)
					test.response = `{"error":{"code":"NOT_FOUND","message":"there is no nosuch"}}`
				}
				_, _ = io.WriteString(w, test.response)
			}))
			defer server.Close()
			var stdout, stderr strings.Builder
			Run(t.Context(), append([]string{"purge", "--url=" + server.URL}, strings.Fields(arguments)...), &stdout, &stderr)
			assert.Equal(t, test.stdout, stdout.String())
			assert.Contains(t, stderr.String(), test.stderr)
		})
	}
}
