package auth_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/auth"
)

// Only requests whose Host header names loopback are passed on. A page of another site
// cannot make a browser send such a header.
func TestNamesLoopback(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"localhost": true, "localhost:8080": true, "LOCALHOST:80": true, "localhost:": true,
		"127.0.0.1": true, "127.0.0.1:8080": true, "127.255.0.9:1": true,
		"[::1]": true, "[::1]:8080": true, "[::ffff:127.0.0.1]:80": true, "[0:0:0:0:0:0:0:1]": true,

		"": false, ":8080": false, "evil.example": false, "evil.example:8080": false,
		"localhost.evil.example": false, "localhost.evil.example:8080": false, "127.0.0.1.evil.example": false,
		"127.0.0.1:8080.evil.example": false, "evil.example:localhost": false, "localhost@evil.example": false,
		"evil.localhost": false, "localhost.": false, "127.0.0.1.:8080": false, "xlocalhost": false,
		"0.0.0.0:8080": false, "[::]:8080": false, "192.168.0.1": false, "10.0.0.1:8080": false, "128.0.0.1": false,
		"127.1": false, "2130706433": false, "0x7f.0.0.1": false, "0177.0.0.1": false, "[::1": false, "::1]": false, "::1": false, "[127.0.0.1]": false, "localhost:80:80": false,
		"[fe80::1]": false, "[::1].evil.example": false, "[localhost].evil.example": false, "[evil.example]": false,
		"\x20localhost": false, "localhost\x00": false, "ⅼocalhost": false,
	}
	for host, allowed := range tests {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			reached := false
			handler := logged(auth.Require(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }), auth.NamesLoopback,
				newLogger(&log), writeError), newLogger(&log))
			request := httptest.NewRequest(http.MethodGet, "/", nil)
			request.Host = host
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			assert.Equal(t, allowed, reached)
			assert.Equal(t, !allowed, strings.Contains(log.String(), `"msg":"request denied","code":"PERMISSION_DENIED","reason":"the Host header does not name localhost`))
			if !allowed {
				assert.Equal(t, http.StatusForbidden, recorder.Code)
				assert.Contains(t, recorder.Body.String(), "use http://localhost or http://127.0.0.1 with the port of the server")
			}
		})
	}
}
