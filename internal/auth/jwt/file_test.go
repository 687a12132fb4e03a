package jwt_test

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth/jwt"
)

// openError returns the error of a file, without its directory.
func openError(tb testing.TB, k *keys, file string) error {
	tb.Helper()
	directory := tb.TempDir()
	write(tb, directory, "rsa.pem", pemOf(tb, k.rsa.Public()))
	write(tb, directory, "ecdsa.pem", pemOf(tb, k.ecdsa.Public()))
	write(tb, directory, "secret", secret)
	write(tb, directory, "short", "too short")
	write(tb, directory, "none.json", `{"keys":[]}`)
	write(tb, directory, "broken.json", `{"keys":`)
	require.NoError(tb, os.WriteFile(filepath.Join(directory, "open"), []byte(secret), 0o600))
	require.NoError(tb, os.Chmod(filepath.Join(directory, "open"), 0o666))
	path := write(tb, directory, "jwt.yaml", file)
	_, err := jwt.New(jwt.Config{File: path, Known: known, Clock: noon, Logger: slog.New(slog.DiscardHandler)})
	return err
}

// Each mistake in the file has a message that says what to write.
func TestMistakes(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	good := issuerOf("RS256", "rsa.pem")
	require.NoError(t, openError(t, k, good))
	replaced := func(old, with string) string { return strings.Replace(good, old, with, 1) }
	for name, test := range map[string]struct{ file, want string }{
		"empty":                      {"", "is empty"},
		"no issuers":                 {"issuers: []\n", "must not be an empty list"},
		"another key":                {"issuer: x\n", `unknown key "issuer"`},
		"a second document":          {good + "---\n", "a file of issuers is one document"},
		"a key twice":                {replaced("audience: savedq", "audience: savedq\n    audience: x"), `key "audience" is given twice`},
		"an issuer twice":            {good + strings.TrimPrefix(good, "issuers:\n"), `issuer "https://auth.example.com" is already in line 2`},
		"no audience":                {replaced("    audience: savedq\n", ""), `key "audience" is missing`},
		"an empty audience":          {replaced("savedq", `""`), "must not be empty"},
		"no algorithms":              {replaced("    algorithms: [RS256]\n", ""), `key "algorithms" is missing`},
		"none":                       {replaced("RS256", "none"), `algorithm "none" is not supported; use RS256, ES256, EdDSA, HS256`},
		"HS256 with another":         {replaced("RS256", "RS256, HS256"), "algorithms must not have HS256 with others"},
		"a key of another type":      {replaced("rsa.pem", "ecdsa.pem"), "it has a key for ES256, which algorithms does not list"},
		"a secret for RS256":         {replaced("rsa.pem", "secret"), "it is neither a JSON Web Key Set nor PEM; only HS256 has a secret as its key"},
		"a public key for HS256":     {replaced("RS256", "HS256"), "it has a key for RS256, which algorithms does not list"},
		"a short secret":             {strings.Replace(replaced("RS256", "HS256"), "rsa.pem", "short", 1), "the secret has 9 bytes; HS256 needs at least 32"},
		"a file that is missing":     {replaced("rsa.pem", "gone.pem"), "the file of keys does not exist"},
		"a file that others write":   {strings.Replace(replaced("RS256", "HS256"), "rsa.pem", "open", 1), "others can write to it"},
		"a JWKS without keys":        {replaced("rsa.pem", "none.json"), "there is no key for RS256"},
		"a broken JWKS":              {replaced("rsa.pem", "broken.json"), "it is not a JSON Web Key Set"},
		"http":                       {replaced("rsa.pem", "http://auth.example.com/jwks.json"), "the URL of keys must begin with https://"},
		"ftp":                        {replaced("rsa.pem", "ftp://127.0.0.1/jwks.json"), "the URL of keys must begin with https://"},
		"a password":                 {replaced("rsa.pem", "https://a:b@auth.example.com/"), "keys must be a file, or a URL such as"},
		"an unknown parameter":       {replaced("{project:", "{projekt:"), `no saved query has a parameter "projekt"; the parameters are function_id, project`},
		"a bind that is a list":      {replaced("{project: app_metadata.project}", "[project]"), "bind must be a mapping of parameters to claims"},
		"an empty bind":              {replaced("{project: app_metadata.project}", "{}"), "bind must be a mapping of parameters to claims"},
		"an empty path":              {replaced("app_metadata.project", `""`), "must be the path of a claim"},
		"a path with an empty part":  {replaced("app_metadata.project", "app_metadata..project"), "is not the path of a claim"},
		"an unknown endpoint":        {good + "    endpoints: [logs.every]\n", `endpoints: endpoint "logs.every" is unknown`},
		"no endpoints":               {good + "    endpoints: []\n", "endpoints: must not be an empty list"},
		"endpoints of another claim": {good + "    endpoints: {claims: x}\n", `unknown key "claims"; the keys are claim`},
		"an unknown tier":            {good + "    tier: GOLD\n", "the project tier must be one of FREE, PRO"},
		"a negative rate":            {good + "    rate: -1\n", "the rate must be a number of requests a second above 0"},
		"a budget of a month":        {good + "    budget: {month: {rows: 1}}\n", `unknown key "month"; the keys are hour, day`},
		"a budget and a claim":       {good + "    budget: {claim: x, day: {rows: 1}}\n", `unknown key "day"; the keys are claim`},
		"a refresh that is a word":   {good + "    refresh: always\n", "must be true or false, or a claim"},
		"deny of another kind":       {good + "    deny: {tokens: [x]}\n", `unknown key "tokens"; the keys are jti, subjects`},
		"deny of a single value":     {good + "    deny: {jti: x}\n", "jti must be a list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := openError(t, k, test.file)
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, err, "jwt.yaml")
			assert.NotContains(t, err.Error(), secret)
		})
	}
}

func FuzzFile(f *testing.F) {
	for _, file := range []string{
		"", "issuers:", "issuers: [{}]", issuerOf("RS256", "jwks.json"), issuerOf("HS256", "secret", "rate: {claim: a.b}", "deny: {jti: [a]}"),
		issuerOf("ES256", "https://auth.example.com/x", "bind: {project: [a, b]}", "endpoints: [logs.all]", "tier: FREE", "refresh: true"),
	} {
		f.Add(file)
	}
	f.Fuzz(func(_ *testing.T, file string) { _ = jwt.CheckFile("jwt.yaml", []byte(file), known()) })
}

// A key that signs creates tokens that its public part verifies, and no other key signs.
func TestSign(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	private := func(key any) []byte {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	}
	sec1, err := x509.MarshalECPrivateKey(k.ecdsa)
	require.NoError(t, err)
	scalar, err := k.ecdsa.Bytes()
	require.NoError(t, err)
	ofType := func(name string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: name, Bytes: der}) }
	privateJWK := strings.Replace(k.ecOf("two"), "{", `{"d":"`+encode(scalar)+`",`, 1)
	all := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(claims(nil)), &all))
	for _, test := range []struct {
		algorithm, keys string
		key             []byte
	}{
		{"RS256", "rsa.pem", private(k.rsa)},
		{"ES256", "ecdsa.pem", private(k.ecdsa)},
		{"EdDSA", "ed25519.pem", private(k.ed25519)},
		{"HS256", "secret", []byte(secret + "\n")},
		{"RS256", "rsa.pem", ofType("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(k.rsa))},
		{"ES256", "ecdsa.pem", append(ofType("EC PARAMETERS", []byte{6, 8, 42, 134, 72, 206, 61, 3, 1, 7}), ofType("EC PRIVATE KEY", sec1)...)},
		{"ES256", "ecdsa.pem", []byte(privateJWK)},
		{"HS256", "secret", []byte(`{"kty":"oct","k":"` + encode([]byte(secret)) + `"}`)},
	} {
		token, err := jwt.Sign(test.key, "one", all)
		require.NoError(t, err, test.algorithm)
		_, err = open(t, k, issuerOf(test.algorithm, test.keys), noon, nil).Verify(t.Context(), token)
		require.NoError(t, err, test.algorithm)
	}
	_, err = jwt.Sign([]byte(pemOf(t, k.rsa.Public())), "", all)
	require.EqualError(t, err, "it is a public key, which cannot sign; use the private key")
	_, err = jwt.Sign([]byte("-----BEGIN X-----"), "", all)
	require.EqualError(t, err, "it is neither a private key, as PEM or JSON Web Key, nor a secret")
}

// A secret that every user of the machine can read is worth a warning with the command that
// changes it. Public keys and the file itself are not secret.
func TestReadableFiles(t *testing.T) {
	t.Parallel()
	keys := newKeys(t)
	for name, test := range map[string]struct {
		file, readable string
		warned         bool
	}{
		"a secret":              {issuerOf("HS256", "secret"), "secret", true},
		"a public key":          {issuerOf("RS256", "rsa.pem"), "rsa.pem", false},
		"the file":              {issuerOf("HS256", "secret"), "jwt.yaml", false},
		"nothing that is named": {issuerOf("HS256", "secret"), "rsa.pem", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			write(t, directory, "secret", secret)
			write(t, directory, "rsa.pem", pemOf(t, keys.rsa.Public()))
			path := write(t, directory, "jwt.yaml", test.file)
			readable := filepath.Join(directory, test.readable)
			require.NoError(t, os.Chmod(readable, 0o644))
			var log strings.Builder
			_, err := jwt.New(jwt.Config{File: path, Known: known, Clock: noon, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
			require.NoError(t, err)
			warning := `every user of this machine can read the secret that signs tokens","file":"` + readable + `","run":"chmod o-r ` + readable + `"`
			assert.Equal(t, test.warned, strings.Contains(log.String(), warning), log.String())
			assert.Equal(t, test.warned, log.Len() > 0)
		})
	}
}
