package graphqlhttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/http/contentcoding"
)

// Compressed bodies are decoded. The size limit applies to the decoded body, and bodies
// that cannot be decoded are rejected (RFC 9110, section 15.5.16).
func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	const body, limit = `{"query":"{ __typename }"}`, 64 << 10
	gzip, zstd := string(contentcoding.Gzip.Encode([]byte(body))), string(contentcoding.Zstd.Encode([]byte(body)))
	padded := func(size int) []byte { return []byte(body + strings.Repeat(" ", size-len(body))) }
	const tooLarge, unsupported = "the request body is larger than 65536 bytes", "the request body has a Content-Encoding that is not supported; use one of gzip, zstd, deflate, snappy, or none"
	for name, test := range map[string]struct {
		encoding, body string
		status         int
		message        string
	}{
		"identity":              {"identity", body, 200, ""},
		"gzip":                  {"gzip", gzip, 200, ""},
		"x-gzip":                {"X-Gzip", gzip, 200, ""},
		"zstd":                  {"zstd", zstd, 200, ""},
		"gzip at the limit":     {"gzip", string(contentcoding.Gzip.Encode(padded(limit))), 200, ""},
		"zstd at the limit":     {"zstd", string(contentcoding.Zstd.Encode(padded(limit))), 200, ""},
		"gzip over the limit":   {"gzip", string(contentcoding.Gzip.Encode(padded(limit + 1))), 413, tooLarge},
		"zstd over the limit":   {"zstd", string(contentcoding.Zstd.Encode(padded(limit + 1))), 413, tooLarge},
		"gzip bomb":             {"gzip", string(contentcoding.Gzip.Encode(padded(4 << 20))), 413, tooLarge},
		"zstd bomb":             {"zstd", string(contentcoding.Zstd.Encode(padded(4 << 20))), 413, tooLarge},
		"compress":              {"compress", body, 415, unsupported},
		"not deflate":           {"deflate", body, 400, "the request body is not valid deflate, although its Content-Encoding is deflate"},
		"gzip twice":            {"gzip, gzip", string(contentcoding.Gzip.Encode([]byte(gzip))), 415, unsupported},
		"not gzip":              {"gzip", body, 400, "the request body is not valid gzip, although its Content-Encoding is gzip"},
		"not zstd":              {"zstd", body, 400, "the request body is not valid zstd, although its Content-Encoding is zstd"},
		"truncated gzip":        {"gzip", gzip[:len(gzip)-4], 400, "the request body is not valid gzip, although its Content-Encoding is gzip"},
		"gzip without a header": {"", gzip, 400, "the request body must be valid UTF-8, without escapes of unpaired surrogates"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := send(t, newHandler(t, runnerReturning(t), silent()), http.MethodPost, "/graphql", test.body,
				"Content-Type", "application/json", "Content-Encoding", test.encoding)
			assert.Equal(t, test.status, response.Code, response.Body)
			if test.status == http.StatusOK {
				assert.JSONEq(t, `{"data":{"__typename":"Query"}}`, response.Body.String())
				return
			}
			assert.Equal(t, test.message, errorsIn(t, response)[0].Message)
			if test.message == unsupported {
				assert.Equal(t, "gzip, zstd, deflate, snappy", response.Header().Get("Accept-Encoding"))
			}
		})
	}
}

// The saved query receives the same character in every spelling.
func TestEscapesReachTheSavedQuery(t *testing.T) {
	t.Parallel()
	for _, literal := range []string{`"😀\""`, `"\ud83d\ude00\u0022"`, `"\u{1F600}\u{22}"`, `"""😀""""`} {
		runner, calls := recording(t)
		handler := newHandler(t, runner, silent())
		document := `{ logs(project: ` + literal + `) { id } } # "\ud83d`
		send(t, handler, http.MethodGet, target(document), "")
		post(t, handler, document, "{}")
		assert.Len(t, *calls, 2)
		for _, call := range *calls {
			assert.Equal(t, []string{`😀"`}, call.raw["project"], literal)
		}
	}
}
