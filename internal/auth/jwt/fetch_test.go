package jwt_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

const keysURL = "https://auth.example.com/jwks.json"

// jwksServer is a server of keys, whose behaviour a test changes.
type jwksServer struct {
	// respond returns what a request gets.
	respond atomic.Pointer[func(ctx context.Context) (*http.Response, error)]
	// fetches counts requests, and flying those in flight.
	fetches, flying, mostFlying atomic.Int32
}

func (s *jwksServer) RoundTrip(r *http.Request) (*http.Response, error) {
	s.fetches.Add(1)
	s.mostFlying.Store(max(s.mostFlying.Load(), s.flying.Add(1)))
	defer s.flying.Add(-1)
	if r.URL.String() != keysURL {
		return nil, errors.New("the test fetches no other URL")
	}
	return (*s.respond.Load())(r.Context())
}

func (s *jwksServer) set(respond func(ctx context.Context) (*http.Response, error)) {
	s.respond.Store(&respond)
}

func (s *jwksServer) client() *http.Client { return &http.Client{Transport: s} }

func body(status int, text string) func(context.Context) (*http.Response, error) {
	return func(context.Context) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}, nil
	}
}

// A server that is slow, down or wrong does not affect tokens of known keys, however long it
// is. As soon as it recovers, a new key is known after at most ten seconds.
func TestKnownKeysSurviveFaults(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	one, two := k.jwkOf("one"), k.jwkOf("two")
	faults := map[string]func(context.Context) (*http.Response, error){
		"slow": func(ctx context.Context) (*http.Response, error) { //nolint:unparam // It is one of several.
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"down":                    func(context.Context) (*http.Response, error) { return nil, errors.New("connection refused") },
		"an error":                body(http.StatusInternalServerError, `{"keys":[`+one+`]}`),
		"empty":                   body(http.StatusOK, ""),
		"a page":                  body(http.StatusOK, "<html>Welcome</html>"),
		"PEM":                     body(http.StatusOK, pemOf(t, k.rsa.Public())),
		"no keys":                 body(http.StatusOK, `{"keys":[]}`),
		"JSON of something else":  body(http.StatusOK, `{"issuer":"https://auth.example.com"}`),
		"keys for other purposes": body(http.StatusOK, `{"keys":[`+strings.Replace(one, `"sig"`, `"enc"`, 1)+`]}`),
		"keys of other types":     body(http.StatusOK, `{"keys":[{"kty":"oct","k":"`+encode([]byte(secret))+`","kid":"one"}]}`),
		"too much":                body(http.StatusOK, `{"keys":[`+one+`]}`+strings.Repeat(" ", 1<<20)),
		"cut":                     body(http.StatusOK, `{"keys":[`+one),
		"a redirect": func(context.Context) (*http.Response, error) { //nolint:unparam // It is one of several.
			return &http.Response{StatusCode: http.StatusFound, Header: http.Header{"Location": {"https://evil.example.com/"}}, Body: http.NoBody}, nil
		},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &jwksServer{}
				server.set(body(http.StatusOK, `{"keys":[`+one+`]}`))
				start := time.Now()
				verifier := open(t, k, issuerOf("RS256", keysURL), func() time.Time { return noon().Add(time.Since(start)) }, server.client())
				known := k.sign(t, "RS256", `{"alg":"RS256","kid":"one"}`, claims(map[string]any{"exp": noon().AddDate(1, 0, 0).Unix()}))
				rotated := k.sign(t, "RS256", `{"alg":"RS256","kid":"two"}`, claims(map[string]any{"exp": noon().AddDate(1, 0, 0).Unix()}))
				verified, err := verifier.Verify(t.Context(), known)
				require.NoError(t, err)

				server.set(fault)
				for range 100 {
					time.Sleep(7 * time.Minute)
					before := time.Now()
					_, err := verifier.Verify(t.Context(), known)
					require.NoError(t, err)
					require.True(t, verified.Current())
					require.Zero(t, time.Since(before), "tokens of known keys do not wait")
				}
				require.Greater(t, server.fetches.Load(), int32(90), "it tries again")
				time.Sleep(time.Minute)
				_, err = verifier.Verify(t.Context(), rotated)
				require.ErrorContains(t, err, "the token's key is not known for its issuer")

				time.Sleep(10 * time.Second)
				server.set(body(http.StatusOK, `{"keys":[`+two+`]}`))
				_, err = verifier.Verify(t.Context(), rotated)
				require.NoError(t, err)
				assert.False(t, verified.Current(), "tokens of a removed key are forgotten")
				_, err = verifier.Verify(t.Context(), known)
				require.ErrorContains(t, err, "the token's key is not known for its issuer")
				synctest.Wait()
			})
		})
	}
}

// A server that flaps does not lose keys that it had.
func TestKnownKeysSurviveFlapping(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	synctest.Test(t, func(t *testing.T) {
		server := &jwksServer{}
		var count atomic.Int32
		server.set(func(ctx context.Context) (*http.Response, error) {
			if count.Add(1)%2 == 0 {
				return nil, errors.New("connection reset")
			}
			return body(http.StatusOK, `{"keys":[`+k.jwkOf("one")+`]}`)(ctx)
		})
		start := time.Now()
		verifier := open(t, k, issuerOf("RS256", keysURL), func() time.Time { return noon().Add(time.Since(start)) }, server.client())
		token := k.sign(t, "RS256", `{"alg":"RS256","kid":"one"}`, claims(map[string]any{"exp": noon().AddDate(1, 0, 0).Unix()}))
		verified, err := verifier.Verify(t.Context(), token)
		require.NoError(t, err)
		for range 50 {
			time.Sleep(time.Minute)
			require.True(t, verified.Current(), "the same keys are no change")
			synctest.Wait()
		}
		assert.Greater(t, server.fetches.Load(), int32(5))
	})
}

// Unknown key ids, which anybody can send, cause one fetch in ten seconds, one at a time.
func TestUnknownKeyIDsAreBounded(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	synctest.Test(t, func(t *testing.T) {
		server := &jwksServer{}
		server.set(func(ctx context.Context) (*http.Response, error) {
			time.Sleep(time.Second)
			return body(http.StatusOK, `{"keys":[`+k.jwkOf("one")+`]}`)(ctx)
		})
		start := time.Now()
		verifier := open(t, k, issuerOf("RS256", keysURL), func() time.Time { return noon().Add(time.Since(start)) }, server.client())
		time.Sleep(time.Minute)
		token := k.sign(t, "RS256", `{"alg":"RS256","kid":"two"}`, claims(nil))
		before := server.fetches.Load()
		for range 60 {
			var callers sync.WaitGroup
			for range 50 {
				callers.Go(func() {
					_, err := verifier.Verify(t.Context(), token)
					assert.ErrorContains(t, err, "the token's key is not known for its issuer")
				})
			}
			callers.Wait()
			time.Sleep(500 * time.Millisecond)
		}
		assert.LessOrEqual(t, server.fetches.Load()-before, int32(6), "in about 40 seconds")
		assert.Equal(t, int32(1), server.mostFlying.Load())
		synctest.Wait()
	})
}

// Nothing is fetched for a token that no issuer of the file can have signed.
func TestUntrustedTokensFetchNothing(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	synctest.Test(t, func(t *testing.T) {
		server := &jwksServer{}
		server.set(body(http.StatusOK, `{"keys":[`+k.jwkOf("one")+`]}`))
		verifier := open(t, k, issuerOf("RS256", keysURL), noon, server.client())
		synctest.Wait()
		before := server.fetches.Load()
		for _, token := range []string{
			k.sign(t, "RS256", `{"alg":"RS256","kid":"x","jku":"https://evil.example.com/jwks.json"}`, claims(map[string]any{"iss": "https://evil.example.com"})),
			k.sign(t, "", `{"alg":"none","kid":"x"}`, claims(nil)),
			k.sign(t, "HS256", `{"alg":"HS256","kid":"x"}`, claims(nil)),
		} {
			_, err := verifier.Verify(t.Context(), token)
			require.Error(t, err)
		}
		assert.Equal(t, before, server.fetches.Load())
	})
}

// While the keys have never been fetched, a token is neither valid nor invalid.
func TestKeysThatWereNeverFetched(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	synctest.Test(t, func(t *testing.T) {
		server := &jwksServer{}
		server.set(func(context.Context) (*http.Response, error) { return nil, errors.New("connection refused") })
		verifier := open(t, k, issuerOf("RS256", keysURL), noon, server.client())
		_, err := verifier.Verify(t.Context(), k.sign(t, "RS256", `{"alg":"RS256"}`, claims(nil)))
		failure := sqlq.AsError(err)
		assert.Equal(t, sqlq.Unavailable, failure.Code)
		assert.Equal(t, 10*time.Second, failure.RetryAfter)
		synctest.Wait()
	})
}

// A caller that leaves does not wait for keys.
func TestVerifyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	synctest.Test(t, func(t *testing.T) {
		server := &jwksServer{}
		server.set(func(ctx context.Context) (*http.Response, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		verifier := open(t, k, issuerOf("RS256", keysURL), noon, server.client())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		before := time.Now()
		_, err := verifier.Verify(ctx, k.sign(t, "RS256", `{"alg":"RS256"}`, claims(nil)))
		require.Error(t, err)
		assert.Equal(t, time.Second, time.Since(before))
	})
}

// The default client fetches keys, and follows no redirect.
func TestDefaultClient(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	keys := `{"keys":[` + k.jwkOf("one") + `]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/jwks.json", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, keys)
	}))
	t.Cleanup(server.Close)
	token := k.sign(t, "RS256", `{"alg":"RS256","kid":"one"}`, claims(nil))
	_, err := open(t, k, issuerOf("RS256", server.URL+"/jwks.json"), noon, nil).Verify(t.Context(), token)
	require.NoError(t, err)
	_, err = open(t, k, issuerOf("RS256", server.URL+"/moved"), noon, nil).Verify(t.Context(), token)
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
}
