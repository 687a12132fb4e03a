package jwt_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
)

// The tests build tokens with the standard library alone, so that a mistake in the library
// that checks them is noticed.

// noon is the time of most tests.
func noon() time.Time { return time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC) }

// secret is the key of HS256.
const secret = "a secret of at least 32 bytes, and of a few more"

// keys are the keys of a test.
type keys struct {
	rsa     *rsa.PrivateKey
	ecdsa   *ecdsa.PrivateKey
	ed25519 ed25519.PrivateKey
}

func newKeys(tb testing.TB) *keys {
	tb.Helper()
	made := &keys{}
	var err error
	made.rsa, err = rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(tb, err)
	made.ecdsa, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	_, made.ed25519, err = ed25519.GenerateKey(rand.Reader)
	require.NoError(tb, err)
	return made
}

// pemOf returns a public key as PEM.
func pemOf(tb testing.TB, public any) string {
	tb.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	require.NoError(tb, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// jwkOf returns the RSA key as JSON, with a key id.
func (k *keys) jwkOf(id string) string {
	return fmt.Sprintf(`{"kty":"RSA","use":"sig","alg":"RS256","kid":%q,"n":%q,"e":"AQAB"}`, id, encode(k.rsa.N.Bytes()))
}

// jwksOf returns a set with a key of each type, and keys of other types and for other purposes, which are ignored.
func (k *keys) jwksOf() string {
	return fmt.Sprintf(`{"keys":[{"kty":"AKP","alg":"ML-DSA-44","kid":"new","pub":"AA"},{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"},
		{"kty":"RSA","use":"enc","kid":"one","n":"AQAB","e":"AQAB"},{"kty":"OKP","crv":"X25519","x":"AA"},%s,%s,
		{"kty":"OKP","crv":"Ed25519","kid":"three","key_ops":["verify"],"x":%q},
		{"kty":"oct","kid":"four","key_ops":["encrypt"],"k":"AA"},{"kty":"oct","kid":"four","alg":"HS256","k":%q}]}`,
		k.jwkOf("one"), k.ecOf("two"), encode(k.ed25519.Public().(ed25519.PublicKey)), encode([]byte(secret)))
}

// ecOf returns the key of ES256 as JSON, with a key id.
func (k *keys) ecOf(id string) string {
	public, err := k.ecdsa.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"kty":"EC","crv":"P-256","kid":%q,"x":%q,"y":%q}`, id, encode(public[1:33]), encode(public[33:]))
}

// certificateOf returns a certificate of the RSA key as PEM.
func (k *keys) certificateOf(tb testing.TB) string {
	tb.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, k.rsa.Public(), k.rsa)
	require.NoError(tb, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// sign returns a token with a header and a payload as they are, signed with a key: an
// algorithm of this package, or an unsigned one.
func (k *keys) sign(tb testing.TB, algorithm, header, payload string) string {
	tb.Helper()
	input := encode([]byte(header)) + "." + encode([]byte(payload))
	digest := sha256.Sum256([]byte(input))
	var signature []byte
	var err error
	switch algorithm {
	case "RS256":
		signature, err = rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA256, digest[:])
	case "ES256":
		var r, s *big.Int
		r, s, err = ecdsa.Sign(rand.Reader, k.ecdsa, digest[:])
		if err == nil {
			signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
		}
	case "EdDSA":
		signature = ed25519.Sign(k.ed25519, []byte(input))
	case "HS256":
		signature = hmacOf([]byte(secret), input)
	}
	require.NoError(tb, err)
	return input + "." + encode(signature)
}

func hmacOf(key []byte, input string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(input))
	return mac.Sum(nil)
}

// claims returns the claims of a valid token, with changes; a nil value removes a claim.
func claims(changes map[string]any) string {
	all := map[string]any{
		"iss": "https://auth.example.com", "aud": "savedq", "sub": "user-1", "jti": "id-1",
		"iat": noon().Unix(), "exp": noon().Add(time.Hour).Unix(),
		"app_metadata": map[string]any{"project": "acme"},
	}
	for name, value := range changes {
		all[name] = value
		if value == nil {
			delete(all, name)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// known are the names that the files of these tests may use.
func known() auth.Known {
	return auth.Known{
		Endpoints: []string{"logs.all", "usage.api-counts"}, Tiers: []string{"FREE", "PRO"},
		Parameters: []string{"function_id", "project"},
	}
}

// write writes a file of a test.
func write(tb testing.TB, directory, name, content string) string {
	tb.Helper()
	path := filepath.Join(directory, name)
	require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// opened is a verifier with its file.
type opened struct {
	*jwt.Verifier

	path string
}

// open returns a verifier of a file, whose directory has the keys of PEM and the secret.
func open(tb testing.TB, k *keys, file string, clock func() time.Time, client *http.Client) *opened {
	tb.Helper()
	directory := tb.TempDir()
	write(tb, directory, "rsa.pem", pemOf(tb, k.rsa.Public()))
	write(tb, directory, "ecdsa.pem", pemOf(tb, k.ecdsa.Public()))
	write(tb, directory, "ed25519.pem", pemOf(tb, k.ed25519.Public()))
	write(tb, directory, "secret", secret+"\n")
	write(tb, directory, "jwks.json", `{"keys":[`+k.jwkOf("one")+`]}`)
	write(tb, directory, "all.json", k.jwksOf())
	write(tb, directory, "key.json", k.ecOf("two"))
	write(tb, directory, "certificate.pem", k.certificateOf(tb))
	path := write(tb, directory, "jwt.yaml", file)
	verifier, err := jwt.New(jwt.Config{File: path, Known: known, Clock: clock, Client: client, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(tb, err)
	tb.Cleanup(verifier.Close)
	return &opened{verifier, path}
}

// issuerOf returns a file of one issuer.
func issuerOf(algorithm, keys string, lines ...string) string {
	file := "issuers:\n  - issuer: https://auth.example.com\n    audience: savedq\n    algorithms: [" + algorithm + "]\n    keys: " + keys + "\n"
	if len(lines) == 0 {
		lines = []string{"bind: {project: app_metadata.project}"}
	}
	return file + "    " + strings.Join(lines, "\n    ") + "\n"
}
