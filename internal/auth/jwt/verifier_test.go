package jwt_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// A token is accepted with each algorithm and each kind of key.
func TestVerify(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	for name, test := range map[string]struct{ algorithm, keys, header string }{
		"RS256, PEM":           {"RS256", "rsa.pem", `{"alg":"RS256","typ":"JWT"}`},
		"RS256, PEM and a kid": {"RS256", "rsa.pem", `{"alg":"RS256","kid":"any"}`},
		"RS256, JWKS":          {"RS256", "jwks.json", `{"alg":"RS256","kid":"one"}`},
		"RS256, JWKS, no kid":  {"RS256", "jwks.json", `{"alg":"RS256"}`},
		"ES256":                {"ES256", "ecdsa.pem", `{"alg":"ES256"}`},
		"EdDSA":                {"EdDSA", "ed25519.pem", `{"alg":"EdDSA"}`},
		"HS256":                {"HS256", "secret", `{"alg":"HS256"}`},
		"RS256, every type":    {"RS256", "all.json", `{"alg":"RS256","kid":"one"}`},
		"ES256, every type":    {"ES256", "all.json", `{"alg":"ES256","kid":"two"}`},
		"EdDSA, every type":    {"EdDSA", "all.json", `{"alg":"EdDSA","kid":"three"}`},
		"HS256, every type":    {"HS256", "all.json", `{"alg":"HS256","kid":"four"}`},
		"ES256, a single key":  {"ES256", "key.json", `{"alg":"ES256"}`},
		"RS256, certificate":   {"RS256", "certificate.pem", `{"alg":"RS256"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verifier := open(t, k, issuerOf(test.algorithm, test.keys), noon, nil)
			verified, err := verifier.Verify(t.Context(), k.sign(t, test.algorithm, test.header, claims(nil)))
			require.NoError(t, err)
			assert.Equal(t, auth.Token{
				Name: "jwt:user-1", Issuer: "https://auth.example.com", Subject: "user-1", ID: "id-1",
				Expires: noon().Add(time.Hour), Projects: []string{"acme"},
			}, verified.Token)
			assert.True(t, verified.Current())
		})
	}
}

// Each token that must not be accepted is refused with a message that says which check failed.
func TestRefuse(t *testing.T) {
	t.Parallel()
	k, other := newKeys(t), newKeys(t)
	const header = `{"alg":"RS256","kid":"one"}`
	good := k.sign(t, "RS256", header, claims(nil))
	signed := func(changes map[string]any) string { return k.sign(t, "RS256", header, claims(changes)) }
	parts := strings.Split(good, ".")
	confused := encode([]byte(`{"alg":"HS256","kid":"one"}`)) + "." + parts[1]
	publicPEM := pemOf(t, k.rsa.Public())
	const (
		signature = "the token's signature is not valid; check that all of it is sent, and who signed it"
		algorithm = "the token's algorithm is not allowed for its issuer; use RS256"
		audience  = "the token's audience is not this server; its claim aud must be or include savedq"
		issuer    = "the token's issuer, its claim iss, is not trusted"
		expiry    = "the token has no expiry; its claim exp must be a number of seconds since 1970"
		project   = "the token has no claim app_metadata.project, or one that is not a value or a list of values; it is the value of project"
		twice     = "has the same name twice in one object"
	)
	tests := map[string]struct{ token, want string }{
		"another key":                     {other.sign(t, "RS256", header, claims(nil)), signature},
		"an unknown kid":                  {k.sign(t, "RS256", `{"alg":"RS256","kid":"two"}`, claims(nil)), "the token's key is not known for its issuer; check its header kid, or ask for a new token"},
		"no signature":                    {parts[0] + "." + parts[1] + ".", signature},
		"a signature that is cut":         {good[:len(good)-10], signature},
		"another payload":                 {parts[0] + "." + encode([]byte(claims(map[string]any{"sub": "admin"}))) + "." + parts[2], signature},
		"an algorithm that is not listed": {k.sign(t, "ES256", `{"alg":"ES256"}`, claims(nil)), algorithm},
		"RS/HS confusion, PEM":            {confused + "." + encode(hmacOf([]byte(publicPEM), confused)), algorithm},
		"RS/HS confusion, trimmed PEM":    {confused + "." + encode(hmacOf([]byte(strings.TrimSpace(publicPEM)), confused)), algorithm},
		"RS/HS confusion, modulus":        {confused + "." + encode(hmacOf(k.rsa.N.Bytes(), confused)), algorithm},
		"none":                            {k.sign(t, "", `{"alg":"none"}`, claims(nil)), "the token is not signed; its algorithm is none"},
		"none in another case":            {k.sign(t, "", `{"alg":"nOnE"}`, claims(nil)), "the token is not signed; its algorithm is none"},
		"none with a signature":           {k.sign(t, "RS256", `{"alg":"none"}`, claims(nil)), "the token is not signed; its algorithm is none"},
		"no algorithm":                    {k.sign(t, "RS256", `{}`, claims(nil)), "the token's header has no alg, or one that is not a string"},
		"an algorithm in another case":    {k.sign(t, "RS256", `{"alg":"rs256"}`, claims(nil)), algorithm},
		"a kid that is a number":          {k.sign(t, "RS256", `{"alg":"RS256","kid":1}`, claims(nil)), "the token's header has no kid, or one that is not a string"},
		"a critical header":               {k.sign(t, "RS256", `{"alg":"RS256","crit":["exp"],"exp":1}`, claims(nil)), "the token's header has crit, which this server does not support"},
		"a header twice":                  {k.sign(t, "RS256", `{"alg":"RS256","alg":"none"}`, claims(nil)), "the token's header " + twice},
		"a claim twice":                   {k.sign(t, "RS256", header, strings.Replace(claims(nil), "{", `{"sub":"admin",`, 1)), "the token's payload " + twice},
		"a nested claim twice":            {k.sign(t, "RS256", header, strings.Replace(claims(nil), `"project":`, `"project":"globex","project":`, 1)), "the token's payload " + twice},
		"a payload that is a list":        {k.sign(t, "RS256", header, `[]`), "the token's payload is not a JSON object"},
		"base64 with padding":             {parts[0] + "=." + parts[1] + "." + parts[2], "the token's header is not base64url; check that all of the token is sent"},
		"base64 with a line break":        {parts[0] + "\n." + parts[1] + "." + parts[2], "the token's header is not base64url; check that all of the token is sent"},
		"two parts":                       {parts[0] + "." + parts[1], "the token is not complete; it must have three parts, separated by dots"},
		"four parts":                      {good + ".x", "the token is not complete; it must have three parts, separated by dots"},
		"huge":                            {good + strings.Repeat("x", 8<<10), "the token is longer than 8192 bytes"},
		"another issuer":                  {signed(map[string]any{"iss": "https://auth.example.org"}), issuer},
		"an issuer with a slash":          {signed(map[string]any{"iss": "https://auth.example.com/"}), issuer},
		"no issuer":                       {signed(map[string]any{"iss": nil}), issuer},
		"an issuer that is a list":        {signed(map[string]any{"iss": []string{"https://auth.example.com"}}), issuer},
		"expired":                         {signed(map[string]any{"exp": noon().Add(-30 * time.Second).Unix()}), "the token expired at 2026-11-20T11:59:30Z; ask for a new one"},
		"no expiry":                       {signed(map[string]any{"exp": nil}), expiry},
		"an expiry that is a string":      {signed(map[string]any{"exp": "1795176000"}), expiry},
		"a negative expiry":               {signed(map[string]any{"exp": -1}), expiry},
		"an expiry without end":           {k.sign(t, "RS256", header, strings.Replace(claims(map[string]any{"exp": 7}), `"exp":7`, `"exp":1e300`, 1)), expiry},
		"not yet valid":                   {signed(map[string]any{"nbf": noon().Add(31 * time.Second).Unix()}), "the token is not valid before 2026-11-20T12:00:31Z"},
		"a beginning that is a string":    {signed(map[string]any{"nbf": "now"}), "the token's claim nbf must be a number of seconds since 1970"},
		"another audience":                {signed(map[string]any{"aud": "other"}), audience},
		"other audiences":                 {signed(map[string]any{"aud": []string{"a", "b"}}), audience},
		"audiences of another type":       {signed(map[string]any{"aud": []any{"savedq", 1}}), audience},
		"no audience":                     {signed(map[string]any{"aud": nil}), audience},
		"a missing nested claim":          {signed(map[string]any{"app_metadata": map[string]any{"plan": "PRO"}}), project},
		"a missing claim around it":       {signed(map[string]any{"app_metadata": nil}), project},
		"a claim around it, a string":     {signed(map[string]any{"app_metadata": "acme"}), project},
		"an empty claim":                  {signed(map[string]any{"app_metadata": map[string]any{"project": ""}}), project},
		"an empty list":                   {signed(map[string]any{"app_metadata": map[string]any{"project": []string{}}}), project},
		"a list with an object":           {signed(map[string]any{"app_metadata": map[string]any{"project": []any{"acme", map[string]any{}}}}), project},
		"null":                            {signed(map[string]any{"app_metadata": map[string]any{"project": nil}}), project},
		"a subject that is a number":      {signed(map[string]any{"sub": 7}), "the token's claim sub must be a string"},
		"a subject that is a list":        {signed(map[string]any{"sub": []string{"mallory"}}), "the token's claim sub must be a string"},
		"an id that is a number":          {signed(map[string]any{"jti": 1.5}), "the token's claim jti must be a string"},
		"revoked by its id":               {signed(map[string]any{"jti": "stolen"}), "the token was revoked; ask for a new one"},
		"revoked by its subject":          {signed(map[string]any{"sub": "mallory"}), "the token was revoked; ask for a new one"},
	}
	verifier := open(t, k, issuerOf("RS256", "jwks.json", "bind: {project: app_metadata.project}", "deny: {jti: [stolen], subjects: [mallory]}"), noon, nil)
	_, err := verifier.Verify(t.Context(), good)
	require.NoError(t, err)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := verifier.Verify(t.Context(), test.token)
			require.EqualError(t, err, test.want)
			assert.Equal(t, sqlq.Unauthenticated, sqlq.AsError(err).Code)
		})
	}
}

// What is allowed around the checks: 30 seconds of clock skew, and a list of audiences.
func TestAccept(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	verifier := open(t, k, issuerOf("RS256", "rsa.pem"), noon, nil)
	for name, changes := range map[string]map[string]any{
		"expired 29 seconds ago":       {"exp": noon().Add(-29 * time.Second).Unix()},
		"valid in 30 seconds":          {"nbf": noon().Add(30 * time.Second).Unix()},
		"an expiry with a fraction":    {"exp": float64(noon().Unix()) + 0.5},
		"a list of audiences":          {"aud": []string{"other", "savedq"}},
		"no subject and no id":         {"sub": nil, "jti": nil},
		"a list of projects":           {"app_metadata": map[string]any{"project": []string{"acme", "globex"}}},
		"a project that is a number":   {"app_metadata": map[string]any{"project": 7}},
		"a project that is a boolean":  {"app_metadata": map[string]any{"project": true}},
		"a subject that is no name":    {"sub": "auth0|1 \n"},
		"further claims of any nature": {"x": map[string]any{"y": []any{nil, 1.5}}},
	} {
		_, err := verifier.Verify(t.Context(), k.sign(t, "RS256", `{"alg":"RS256"}`, claims(changes)))
		assert.NoError(t, err, name)
	}
}

// Each setting is a value of the file or a claim, and a claim that does not suit is an error.
func TestSettings(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	fixed := open(t, k, issuerOf("HS256", "secret", "endpoints: [logs.all]", "tier: PRO", "rate: 2.5", "budget: {hour: {requests: 5}}", "refresh: true", "explore: true",
		"bind: {project: [https://example.com/claims, project], function_id: fn}"), noon, nil)
	verified, err := fixed.Verify(t.Context(), k.sign(t, "HS256", `{"alg":"HS256"}`,
		claims(map[string]any{"https://example.com/claims": map[string]any{"project": "acme"}, "fn": []any{"f1", 2}})))
	require.NoError(t, err)
	want := auth.Token{
		Name: "jwt:user-1", Issuer: "https://auth.example.com", Subject: "user-1", ID: "id-1", Expires: noon().Add(time.Hour),
		Projects: []string{"acme"}, Bound: map[string][]string{"function_id": {"f1", "2"}},
		Endpoints: []string{"logs.all"}, MaxTier: "PRO", Rate: 2.5, Refresh: true, Explore: true, Budget: usage.Budget{Hour: usage.Amounts{Requests: 5}},
	}
	assert.Equal(t, want, verified.Token)

	claimed := open(t, k, issuerOf("HS256", "secret", "endpoints: {claim: may.call}", "tier: {claim: may.tier}", "rate: {claim: may.rate}", "refresh: {claim: may.refresh}", "explore: {claim: may.explore}"), noon, nil)
	token := func(may map[string]any) (auth.Token, error) {
		verified, err := claimed.Verify(t.Context(), k.sign(t, "HS256", `{"alg":"HS256"}`, claims(map[string]any{"may": may})))
		return verified.Token, err
	}
	got, err := token(map[string]any{"call": "logs.all", "tier": "FREE", "rate": 3, "refresh": true, "explore": true})
	require.NoError(t, err)
	assert.Equal(t, []any{[]string{"logs.all"}, "FREE", 3.0, true, true}, []any{got.Endpoints, got.MaxTier, got.Rate, got.Refresh, got.Explore})
	got, err = token(map[string]any{"call": []string{"logs.all"}, "tier": "FREE", "rate": 3})
	require.NoError(t, err)
	assert.False(t, got.Refresh || got.Explore, "a missing claim grants nothing")
	for name, may := range map[string]map[string]any{
		"endpoints": {"tier": "FREE", "rate": 3},
		"tier":      {"call": "logs.all", "rate": 3, "tier": 1},
		"rate":      {"call": "logs.all", "tier": "FREE", "rate": -1},
		"refresh":   {"call": "logs.all", "tier": "FREE", "rate": 3, "refresh": "yes"},
		"explore":   {"call": "logs.all", "tier": "FREE", "rate": 3, "explore": 1},
	} {
		_, err := token(may)
		assert.ErrorContains(t, err, "that is suitable for "+name)
	}
}

// A budget can be a claim, in the form of the file. A token without the claim is refused, and
// not unlimited.
func TestBudgetOfClaim(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	verifier := open(t, k, issuerOf("HS256", "secret", "budget: {claim: plan.budget}"), noon, nil)
	verify := func(plan any) (auth.Verified, error) {
		return verifier.Verify(t.Context(), k.sign(t, "HS256", `{"alg":"HS256"}`, claims(map[string]any{"plan": plan})))
	}
	verified, err := verify(map[string]any{"budget": map[string]any{"day": map[string]any{"bytes": "10GiB", "rows": 7}}})
	require.NoError(t, err)
	assert.Equal(t, usage.Budget{Day: usage.Amounts{Bytes: 10 << 30, Rows: 7}}, verified.Token.Budget)
	for _, plan := range []any{nil, map[string]any{"budget": "unlimited"}, map[string]any{"budget": map[string]any{}}, map[string]any{"budget": map[string]any{"day": map[string]any{"rows": 0}}}} {
		_, err := verify(plan)
		assert.ErrorContains(t, err, "that is suitable for budget")
	}
}

// A reload with mistakes changes nothing, and one without takes effect at once, also for
// tokens that were verified before.
func TestReload(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	verifier := open(t, k, issuerOf("HS256", "secret"), noon, nil)
	token := k.sign(t, "HS256", `{"alg":"HS256"}`, claims(nil))
	verified, err := verifier.Verify(t.Context(), token)
	require.NoError(t, err)
	rewrite := func(content string) { write(t, strings.TrimSuffix(verifier.path, "/jwt.yaml"), "jwt.yaml", content) }

	rewrite("issuers: 7\n")
	require.Error(t, verifier.Reload())
	assert.True(t, verified.Current())

	rewrite(issuerOf("HS256", "secret", "bind: {project: app_metadata.project}", "deny: {subjects: [user-1]}"))
	require.NoError(t, verifier.Reload())
	assert.False(t, verified.Current())
	_, err = verifier.Verify(t.Context(), token)
	require.EqualError(t, err, "the token was revoked; ask for a new one")
}

func FuzzVerify(f *testing.F) {
	k := newKeys(f)
	good := k.sign(f, "HS256", `{"alg":"HS256"}`, claims(nil))
	for _, token := range []string{
		good, good[:len(good)-1], "ey..", "", "eyJhbGciOiJub25lIn0.e30.", strings.ReplaceAll(good, ".", "..."),
		k.sign(f, "HS256", `{"alg":"HS256","kid":""}`, `{"iss":"https://auth.example.com","exp":1e400}`),
	} {
		f.Add(token)
	}
	verifier := open(f, k, issuerOf("HS256", "secret"), noon, nil)
	f.Fuzz(func(t *testing.T, token string) {
		_, err := verifier.Verify(t.Context(), token)
		if err == nil {
			// Only what the key signed is accepted.
			input := token[:strings.LastIndexByte(token, '.')]
			signature, decodeErr := base64.RawURLEncoding.DecodeString(token[len(input)+1:])
			require.NoError(t, decodeErr)
			require.Equal(t, hmacOf([]byte(secret), input), signature)
			return
		}
		require.Equal(t, sqlq.Unauthenticated, sqlq.AsError(err).Code)
	})
}
