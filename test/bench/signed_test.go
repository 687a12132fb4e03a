package bench

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
)

// signingSecret is the key of the tokens of [signedToken].
const signingSecret = "a secret of at least 32 bytes for the benchmarks"

// signedToken returns a token that is bound to the project default.
func signedToken() string {
	encode := base64.RawURLEncoding.EncodeToString
	input := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(fmt.Appendf(nil,
		`{"iss":"https://auth.example.com","aud":"savedq","sub":"3f1c2d9e-0b1a-4c5d-8e7f-001122334455","exp":%d,"app_metadata":{"project":"default"}}`,
		time.Now().Add(time.Hour).Unix()))
	mac := hmac.New(sha256.New, []byte(signingSecret))
	mac.Write([]byte(input))
	return input + "." + encode(mac.Sum(nil))
}

// acceptSigned makes a keyring accept the tokens of [signedToken].
func acceptSigned(tb testing.TB, keyring *auth.Keyring, known auth.Known, logger *slog.Logger) {
	tb.Helper()
	directory := tb.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(directory, name)
		require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	write("secret", signingSecret)
	path := write("jwt.yaml", "issuers:\n  - {issuer: https://auth.example.com, audience: savedq, algorithms: [HS256], keys: secret, bind: {project: app_metadata.project}}\n")
	verifier, err := jwt.New(jwt.Config{File: path, Known: func() auth.Known { return known }, Clock: time.Now, Logger: logger})
	require.NoError(tb, err)
	keyring.Accept(verifier)
}

// withSignedToken returns a request with a signed token in place of the static one.
func withSignedToken(request []byte) []byte {
	return bytes.Replace(request, []byte("X-API-KEY: "+secret), []byte("Authorization: Bearer "+signedToken()), 1)
}

// besideStatic compares a cached response for a signed token, whose parameter is bound, with
// that for a static token without limits. The ratio is the median of many short rounds.
func besideStatic(b *testing.B, rows int, request []byte) {
	b.Helper()
	const round = 400
	withSigned := withSignedToken(request)
	address := serve(b, savedq(b, rowsEngine(rows)))
	static := newLoad(b, address, func(int) []byte { return request })
	signed := newLoad(b, address, func(int) []byte { return withSigned })
	require.NoError(b, static.clients[0].exchange(request))
	require.NoError(b, static.clients[0].exchange(request)) // is cached now
	require.NoError(b, signed.clients[0].exchange(withSigned))
	require.Equal(b, string(static.clients[0].body), string(signed.clients[0].body), "they share the response")
	static.full(b, round)
	signed.full(b, round)

	_, ratio := takeTurns(b, round, "static", func() { static.full(b, round) }, func() { signed.full(b, round) })
	b.ReportMetric(ratio, "ratio")
}
