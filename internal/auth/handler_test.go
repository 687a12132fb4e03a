package auth_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"savedq/internal/auth"
	"savedq/internal/http/httpstatus"
	"savedq/internal/observe/requestlog"
	"savedq/sqlq"
)

// server is a handler that requires tokens, with a clock and a log for tests.
type server struct {
	http.Handler
	keyring *auth.Keyring
	now     time.Time
	log     bytes.Buffer
}

// newServer returns a server that responds 200 with the name of the token, and to errors
// with their status and message.
func newServer(tb testing.TB, credentials ...auth.Credential) *server {
	tb.Helper()
	s := &server{keyring: newKeyring(tb, credentials...), now: noon()}
	mux := http.NewServeMux()
	mux.HandleFunc("/known", func(w http.ResponseWriter, r *http.Request) {
		token, ok := auth.FromContext(r.Context())
		assert.True(tb, ok)
		_, _ = io.WriteString(w, token.Name)
	})
	logger := newLogger(&s.log)
	s.Handler = logged(auth.Handler(mux, auth.HandlerConfig{
		Keyring: s.keyring, Clock: func() time.Time { return s.now }, Logger: logger, WriteError: writeError,
	}), logger)
	return s
}

func writeError(w http.ResponseWriter, _ *http.Request, err error) {
	failure := sqlq.AsError(err)
	httpstatus.SetRetryAfter(w.Header(), failure.RetryAfter)
	status := map[sqlq.Code]int{sqlq.Unauthenticated: http.StatusUnauthorized, sqlq.ResourceExhausted: http.StatusTooManyRequests, sqlq.PermissionDenied: http.StatusForbidden}[failure.Code]
	http.Error(w, failure.Message, status)
}

// logged wraps a handler in the request log, as the server does.
func logged(next http.Handler, logger *slog.Logger) http.Handler {
	return requestlog.Handler(next, logger, nil, noon, func(*http.Request, int, time.Duration) {})
}

// newLogger returns a logger that writes JSON without values that differ from run to run.
func newLogger(log *bytes.Buffer) *slog.Logger {
	return slog.New(requestlog.LogHandler(slog.NewJSONHandler(log, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
			if attr.Key == slog.TimeKey || attr.Key == "request_id" {
				return slog.Attr{}
			}
			return attr
		},
	})))
}

// serve serves a request with headers of the form "Name: value".
func (s *server) serve(method, target string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Add(name, value)
	}
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, request)
	return recorder
}

// D17: every path requires a valid token in a header, whether or not it exists.
func TestHandlerRequiresToken(t *testing.T) {
	t.Parallel()
	const (
		missing   = "a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>"
		invalid   = "the token is not valid; check that all of it is sent"
		expired   = "the token expired at 2026-11-20T11:59:59Z; ask for a new one"
		several   = "several tokens are sent; send one X-API-KEY or one Authorization header"
		different = "X-API-KEY and Authorization hold different tokens; send one of them"
		encoded   = "the Authorization header has no token of at least 16 characters; send it as the password of its credentials, or as Authorization: Bearer <token>"
		scheme    = "the scheme of the Authorization header is not Bearer; send Authorization: Bearer <token>"
	)
	tests := map[string]struct {
		headers []string
		// want is the message of a 401; empty if the request is passed on.
		want string
	}{
		"no header":                   {nil, missing},
		"empty headers":               {[]string{"X-API-KEY: ", "Authorization: "}, missing},
		"only a scheme":               {[]string{"Authorization: Bearer"}, missing},
		"a scheme and a space":        {[]string{"Authorization: Bearer "}, missing},
		"a key":                       {[]string{"X-API-KEY: one"}, ""},
		"a key in lower case":         {[]string{"x-api-key: one"}, ""},
		"a bearer":                    {[]string{"Authorization: Bearer one"}, ""},
		"a bearer in lower case":      {[]string{"authorization: bearer one"}, ""},
		"a bearer in upper case":      {[]string{"Authorization: BEARER one"}, ""},
		"a bearer behind many spaces": {[]string{"Authorization: Bearer   one"}, ""},
		"both, the same":              {[]string{"X-API-KEY: one", "Authorization: Bearer one"}, ""},
		"a key and an empty bearer":   {[]string{"X-API-KEY: one", "Authorization: "}, ""},
		"both, different":             {[]string{"X-API-KEY: one", "Authorization: Bearer two"}, different},
		"both, the other way":         {[]string{"X-API-KEY: wrong", "Authorization: Bearer one"}, different},
		"a key twice":                 {[]string{"X-API-KEY: one", "X-API-KEY: one"}, several},
		"a key and an empty key":      {[]string{"X-API-KEY: one", "X-API-KEY: "}, several},
		"a bearer twice":              {[]string{"Authorization: Bearer one", "Authorization: Bearer one"}, several},
		"a list of keys":              {[]string{"X-API-KEY: one, one"}, invalid},
		"a short password":            {[]string{"Authorization: Basic b25lOm9uZQ=="}, encoded},
		"a short user":                {[]string{"Authorization: basic b25l"}, encoded},
		"no credentials":              {[]string{"Authorization: Basic "}, encoded},
		"no Base64":                   {[]string{"Authorization: Basic %"}, encoded},
		"a short API key":             {[]string{"Authorization: ApiKey one"}, encoded},
		"another scheme":              {[]string{"Authorization: Digest username=\"one\""}, scheme},
		"another scheme and a key":    {[]string{"X-API-KEY: one", "Authorization: Basic b25lOm9uZQ=="}, ""},
		"a bearer without its scheme": {[]string{"Authorization: one"}, scheme},
		"a key with the scheme":       {[]string{"X-API-KEY: Bearer one"}, invalid},
		"a wrong key":                 {[]string{"X-API-KEY: wrong"}, invalid},
		"a wrong bearer":              {[]string{"Authorization: Bearer wrong"}, invalid},
		"two tokens in a bearer":      {[]string{"Authorization: Bearer one two"}, invalid},
		"an expired key":              {[]string{"X-API-KEY: old"}, expired},
		"an expired bearer":           {[]string{"Authorization: Bearer old"}, expired},
		"a cookie":                    {[]string{"Cookie: X-API-KEY=one"}, missing},
		"an original key":             {[]string{"LF-API-KEY: one"}, ""},
		"an original key, lower case": {[]string{"lf-api-key: one"}, ""},
		"an empty original key":       {[]string{"LF-API-KEY: "}, missing},
		"a wrong original key":        {[]string{"LF-API-KEY: wrong"}, invalid},
		"an expired original key":     {[]string{"LF-API-KEY: old"}, expired},
		"an original key twice":       {[]string{"LF-API-KEY: one", "LF-API-KEY: one"}, several},
		"all three, the same":         {[]string{"X-API-KEY: one", "LF-API-KEY: one", "Authorization: Bearer one"}, ""},
		"two keys, different":         {[]string{"X-API-KEY: one", "LF-API-KEY: two"}, "X-API-KEY and LF-API-KEY hold different tokens; send one of them"},
		"an original key, a bearer":   {[]string{"LF-API-KEY: one", "Authorization: Bearer two"}, "LF-API-KEY and Authorization hold different tokens; send one of them"},
		"an original key for a proxy": {[]string{"LF-API-KEY: one", "Authorization: Basic b25lOm9uZQ=="}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t,
				credential("one", auth.Token{Name: "good"}), credential("two", auth.Token{Name: "too"}),
				credential("old", auth.Token{Name: "former", Expires: noon().Add(-time.Second)}))
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, "BREW"} {
				for path, status := range map[string]int{"/known": http.StatusOK, "/unknown": http.StatusNotFound, "/": http.StatusNotFound} {
					response := s.serve(method, path+"?token=one&X-API-KEY=one&access_token=one", test.headers...)
					if test.want == "" {
						assert.Equal(t, status, response.Code, method+" "+path)
						assert.Empty(t, response.Header().Get("WWW-Authenticate"))
						continue
					}
					assert.Equal(t, http.StatusUnauthorized, response.Code, method+" "+path)
					assert.Equal(t, test.want+"\n", response.Body.String(), method+" "+path)
					assert.Equal(t, `Bearer realm="savedq"`, response.Header().Get("WWW-Authenticate"))
					assert.Empty(t, response.Header().Get("Retry-After"))
				}
			}
		})
	}
}

// A token in the query string is never accepted, and a caller that sends no other is told so.
// A saved query may have a parameter of that name.
func TestHandlerRefusesTokensInTheQueryString(t *testing.T) {
	t.Parallel()
	const inQuery = "api_key in the query string is not accepted, because URLs end up in logs; send the token in the header X-API-KEY: <token> or Authorization: Bearer <token>\n"
	for name, test := range map[string]struct {
		query   string
		headers []string
		status  int
		want    string
	}{
		"a valid token":          {"api_key=one", nil, http.StatusUnauthorized, inQuery},
		"a wrong token":          {"api_key=wrong", nil, http.StatusUnauthorized, inQuery},
		"an empty token":         {"api_key=", nil, http.StatusUnauthorized, inQuery},
		"beside an empty header": {"api_key=one", []string{"X-API-KEY: "}, http.StatusUnauthorized, inQuery},
		"beside a valid header":  {"api_key=wrong", []string{"X-API-KEY: one"}, http.StatusOK, "good"},
		"beside a wrong header":  {"api_key=one", []string{"X-API-KEY: wrong"}, http.StatusUnauthorized, "the token is not valid; check that all of it is sent\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, credential("one", auth.Token{Name: "good"}))
			response := s.serve(http.MethodGet, "/known?"+test.query, test.headers...)
			assert.Equal(t, test.status, response.Code)
			assert.Equal(t, test.want, response.Body.String())
			assert.NotContains(t, s.log.String(), "=one", "the log has no secret")
		})
	}
}

// Each denied request logs one audit line, and the line of each request names its token.
func TestHandlerLogs(t *testing.T) {
	t.Parallel()
	const (
		origin    = `"method":"GET","path":"/known","remote":"192.0.2.1:1234"`
		missing   = `"code":"UNAUTHENTICATED","reason":"a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>"`
		invalid   = `"code":"UNAUTHENTICATED","reason":"the token is not valid; check that all of it is sent"`
		expired   = `"code":"UNAUTHENTICATED","reason":"the token expired at 2026-11-20T12:00:00Z; ask for a new one"`
		exhausted = `"code":"RESOURCE_EXHAUSTED","reason":"the rate of the token is used up (0.25 requests per second); try again in 4 s"`
	)
	tests := map[string]struct {
		key string
		// denied is the content of the audit line, and token the name in both lines. They
		// are empty if there is none.
		denied, token string
	}{
		"no token":                {"", missing, ""},
		"a wrong token":           {"wrong", invalid, ""},
		"an expired token":        {"old-secret", expired, "former"},
		"a token":                 {"good-secret", "", "good"},
		"a token beyond its rate": {"spent-secret", exhausted, "spent"},
		"a rate of one":           {"single-secret", strings.Replace(strings.Replace(exhausted, "0.25 requests", "1 request", 1), "4 s", "1 s", 1), "single"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t,
				credential("good-secret", auth.Token{Name: "good"}), credential("old-secret", auth.Token{Name: "former", Expires: noon()}),
				credential("spent-secret", auth.Token{Name: "spent", Rate: 0.25}), credential("single-secret", auth.Token{Name: "single", Rate: 1}))
			s.serve(http.MethodGet, "/known", "X-API-KEY: spent-secret")
			s.serve(http.MethodGet, "/known", "X-API-KEY: single-secret")
			s.log.Reset()
			s.serve(http.MethodGet, "/known?X-API-KEY="+test.key, "X-API-KEY: "+test.key)
			named := ""
			if test.token != "" {
				named = `,"token":"` + test.token + `"`
			}
			lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
			last := lines[len(lines)-1]
			assert.True(t, strings.HasPrefix(last, `{"level":"INFO","msg":"request",`) && strings.HasSuffix(last, named+"}"), last)
			assert.Equal(t, test.token != "", strings.Contains(last, `"token"`))
			if test.denied == "" {
				assert.Len(t, lines, 1)
			} else {
				require.Len(t, lines, 2)
				assert.JSONEq(t, `{"level":"WARN","msg":"request denied",`+test.denied+`,`+origin+named+`}`, lines[0])
			}
			assert.NotContains(t, s.log.String(), "secret")
			assert.NotContains(t, s.log.String(), hash(test.key))
		})
	}
}

// A token's requests are limited to its rate, after an initial burst.
func TestHandlerLimitsRate(t *testing.T) {
	t.Parallel()
	s := newServer(t,
		credential("one", auth.Token{Name: "slow", Rate: 0.5, Burst: 2}),
		credential("two", auth.Token{Name: "other", Rate: 2.5}),
		credential("three", auth.Token{Name: "free"}))
	status := func(secret string) int { return s.serve(http.MethodGet, "/known", "X-API-KEY: "+secret).Code }
	assert.Equal(t, http.StatusOK, status("one"))
	assert.Equal(t, http.StatusOK, status("one"))
	denied := s.serve(http.MethodGet, "/known", "X-API-KEY: one")
	assert.Equal(t, http.StatusTooManyRequests, denied.Code)
	assert.Equal(t, "2", denied.Header().Get("Retry-After"))
	assert.Equal(t, "the rate of the token is used up (0.5 requests per second); try again in 2 s\n", denied.Body.String())
	assert.Empty(t, denied.Header().Get("WWW-Authenticate"))

	for range 3 { // the default burst is the rate rounded up
		assert.Equal(t, http.StatusOK, status("two"), "one token does not use up another's rate")
	}
	assert.Equal(t, http.StatusTooManyRequests, status("two"))
	for range 1000 {
		assert.Equal(t, http.StatusOK, status("three"))
	}

	s.now = s.now.Add(time.Second)
	denied = s.serve(http.MethodGet, "/known", "X-API-KEY: one")
	assert.Equal(t, http.StatusTooManyRequests, denied.Code)
	assert.Equal(t, "1", denied.Header().Get("Retry-After"))
	s.now = s.now.Add(time.Second)
	assert.Equal(t, http.StatusOK, status("one"))
	assert.Equal(t, http.StatusTooManyRequests, status("one"))
	s.now = s.now.Add(time.Hour)
	assert.Equal(t, http.StatusOK, status("one"))
	assert.Equal(t, http.StatusOK, status("one"))
	assert.Equal(t, http.StatusTooManyRequests, status("one"), "no more than the burst accumulates")
}

// Denied requests do not count against the rate. A request succeeds after Retry-After, but
// not a second earlier.
func TestRetryAfterIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		token := auth.Token{
			Name:  "limited",
			Rate:  rapid.OneOf(rapid.Float64Range(0.001, 100), rapid.SampledFrom([]float64{0.1, 0.3, 0.7, 1, 1.0 / 3, 1e-6})).Draw(rt, "rate"),
			Burst: rapid.IntRange(1, 5).Draw(rt, "burst"),
		}
		s := newServer(t, credential("one", token))
		serve := func() *httptest.ResponseRecorder { return s.serve(http.MethodGet, "/known", "X-API-KEY: one") }
		for range rapid.IntRange(1, 20).Draw(rt, "requests") {
			s.now = s.now.Add(time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(rt, "pause")))
			denied := serve()
			if denied.Code == http.StatusOK {
				continue
			}
			seconds, err := strconv.Atoi(denied.Header().Get("Retry-After"))
			require.NoError(rt, err)
			require.Positive(rt, seconds)
			early := time.Duration(seconds-1)*time.Second - time.Nanosecond // rates are exact to a nanosecond
			if early > 0 {
				s.now = s.now.Add(early)
				require.Equal(rt, http.StatusTooManyRequests, serve().Code, "a second before Retry-After")
				s.now = s.now.Add(-early)
			}
			s.now = s.now.Add(time.Duration(seconds) * time.Second)
			require.Equal(rt, http.StatusOK, serve().Code, "after Retry-After")
		}
	})
}

// Retry-After is bounded for any rate.
func TestRetryAfterIsBounded(t *testing.T) {
	t.Parallel()
	s := newServer(t, credential("one", auth.Token{Name: "once", Rate: math.SmallestNonzeroFloat64}))
	assert.Equal(t, http.StatusOK, s.serve(http.MethodGet, "/known", "X-API-KEY: one").Code)
	denied := s.serve(http.MethodGet, "/known", "X-API-KEY: one")
	assert.Equal(t, http.StatusTooManyRequests, denied.Code)
	assert.Equal(t, "4611686019", denied.Header().Get("Retry-After"))
}

// A reload gives a token a fresh burst only if its rate or burst changes.
func TestReloadPreservesLimiter(t *testing.T) {
	t.Parallel()
	base := auth.Token{Name: "a", Rate: 0.5, Burst: 1}
	tests := map[string]struct {
		after  auth.Credential
		status int
	}{
		"the same":                 {credential("one", base), http.StatusTooManyRequests},
		"another scope":            {credential("one", auth.Token{Name: "a", Rate: 0.5, Burst: 1, Projects: []string{"acme"}}), http.StatusTooManyRequests},
		"another name":             {credential("one", auth.Token{Name: "b", Rate: 0.5, Burst: 1}), http.StatusTooManyRequests},
		"the burst left out":       {credential("one", auth.Token{Name: "a", Rate: 0.5}), http.StatusTooManyRequests},
		"another rate":             {credential("one", auth.Token{Name: "a", Rate: 0.6, Burst: 1}), http.StatusOK},
		"another burst":            {credential("one", auth.Token{Name: "a", Rate: 0.5, Burst: 2}), http.StatusOK},
		"no rate":                  {credential("one", auth.Token{Name: "a"}), http.StatusOK},
		"another token, same name": {credential("two", base), http.StatusOK},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := noon()
			current := credential("one", base)
			keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) { return []auth.Credential{current}, nil })
			require.NoError(t, err)
			handler := auth.Handler(http.NotFoundHandler(), auth.HandlerConfig{
				Keyring: keyring, Clock: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler), WriteError: writeError,
			})
			serve := func(secret string) int {
				request := httptest.NewRequest(http.MethodGet, "/", nil)
				request.Header.Set("X-API-KEY", secret)
				recorder := httptest.NewRecorder()
				handler.ServeHTTP(recorder, request)
				if recorder.Code == http.StatusNotFound {
					return http.StatusOK
				}
				return recorder.Code
			}
			require.Equal(t, http.StatusOK, serve("one"))
			require.Equal(t, http.StatusTooManyRequests, serve("one"))
			current = test.after
			require.NoError(t, keyring.Reload())
			secret := "one"
			if current.Hash == auth.HashOf("two") {
				secret = "two"
			}
			assert.Equal(t, test.status, serve(secret))
		})
	}
}

func TestNoAuth(t *testing.T) {
	t.Parallel()
	var token auth.Token
	handler := auth.NoAuth(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ = auth.FromContext(r.Context())
		w.WriteHeader(http.StatusNoContent)
	}))
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
	assert.Equal(t, http.StatusNoContent, recorder.Code)
	assert.Equal(t, auth.FullAccess("no-auth"), token)
}

func TestFromContextWithoutToken(t *testing.T) {
	t.Parallel()
	token, ok := auth.FromContext(t.Context())
	assert.False(t, ok)
	assert.Zero(t, token)
}

// Drains of log shippers send the token of their URL as Basic credentials, and clients of Elasticsearch as an ApiKey.
func TestEncodedCredentials(t *testing.T) {
	t.Parallel()
	s := newServer(t, credential("token-of-16-or-more", auth.Token{Name: "drain"}), credential("another-tokens-secret", auth.Token{Name: "other"}),
		credential("an-expired-tokens-secret", auth.Token{Name: "former", Expires: noon().Add(-time.Second)}))
	for credentials, status := range map[string]int{
		"user:token-of-16-or-more":       http.StatusOK,
		"token-of-16-or-more:":           http.StatusOK,
		"token-of-16-or-more":            http.StatusOK,
		"user:another-token-of-16":       http.StatusUnauthorized,
		"token-of-16-or-more:a-password": http.StatusUnauthorized,
	} {
		for _, scheme := range []string{"Basic", "ApiKey", "apikey"} {
			header := "Authorization: " + scheme + " " + base64.StdEncoding.EncodeToString([]byte(credentials))
			assert.Equal(t, status, s.serve(http.MethodGet, "/known", header).Code, "%s %s", scheme, credentials)
		}
	}
	for header, status := range map[string]int{
		"Authorization: ApiKey token-of-16-or-more":   http.StatusOK,
		"Authorization: ApiKey a-wrong-token-of-16":   http.StatusUnauthorized,
		"Authorization: ApiKey ":                      http.StatusUnauthorized,
		"Authorization: Basic token-of-16-or-more":    http.StatusUnauthorized,
		"DD-API-KEY: token-of-16-or-more":             http.StatusOK,
		"X-ClickHouse-Key: token-of-16-or-more":       http.StatusOK,
		"X-ClickHouse-Key: a-wrong-token-of-16":       http.StatusUnauthorized,
		"DD-API-KEY: a-wrong-token-of-16":             http.StatusUnauthorized,
		"DD-API-KEY: an-expired-tokens-secret":        http.StatusUnauthorized,
		"Authorization: ApiKey an-expired-tokens-key": http.StatusUnauthorized,
	} {
		assert.Equal(t, status, s.serve(http.MethodGet, "/known", header).Code, header)
	}
	assert.Equal(t, http.StatusUnauthorized, s.serve(http.MethodGet, "/known", "DD-API-KEY: token-of-16-or-more", "DD-API-KEY: token-of-16-or-more").Code)
	for credentials, status := range map[string]int{
		"user:token-of-16-or-more":               http.StatusOK,
		"user:a-long-password-of-a-proxy":        http.StatusOK,
		"user:another-tokens-secret":             http.StatusUnauthorized,
		"user:an-expired-tokens-secret":          http.StatusUnauthorized,
		"user:savedq_" + strings.Repeat("A", 43): http.StatusUnauthorized,
	} {
		header := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(credentials))
		for _, key := range []string{"X-API-KEY", "LF-API-KEY", "DD-API-KEY", "X-ClickHouse-Key"} {
			response := s.serve(http.MethodGet, "/known", header, key+": token-of-16-or-more")
			assert.Equal(t, status, response.Code, credentials)
			if status != http.StatusOK {
				assert.Contains(t, response.Body.String(), key+" and Authorization hold different tokens; send one of them")
			}
		}
	}
	assert.Equal(t, http.StatusUnauthorized, s.serve(http.MethodGet, "/known", "Authorization: Basic %").Code)
}
