package auth_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/sqlq"
)

// fakeSigned accepts tokens of the form "signed.<subject>.<number>".
type fakeSigned struct {
	token    auth.Token
	version  atomic.Int64
	verified atomic.Int64
	err      error
}

func (*fakeSigned) HasForm(secret string) bool { return strings.HasPrefix(secret, "signed.") }

func (f *fakeSigned) Verify(_ context.Context, secret string) (auth.Verified, error) {
	f.verified.Add(1)
	if f.err != nil {
		return auth.Verified{}, f.err
	}
	token := f.token
	token.Issuer, token.Subject = "issuer", strings.Split(secret, ".")[1]
	version := f.version.Load()
	return auth.Verified{Token: token, Claims: auth.HashOf(strings.Split(secret, "/")[0]), Current: func() bool { return f.version.Load() == version }}, nil
}

// signedServer returns a server that accepts the tokens of signed ones.
func signedServer(tb testing.TB, signed *fakeSigned) *server {
	tb.Helper()
	s := newServer(tb, credential("static", auth.Token{Name: "static"}), credential("signed.like.this", auth.Token{Name: "chosen"}))
	s.keyring.Accept(signed)
	return s
}

// A signed token is verified once, until it expires or the rules change.
func TestSignedTokensAreRemembered(t *testing.T) {
	t.Parallel()
	signed := &fakeSigned{token: auth.Token{Name: "jwt:a", Expires: noon().Add(time.Minute)}}
	s := signedServer(t, signed)
	get := func() int { return s.serve(http.MethodGet, "/known", "Authorization: Bearer signed.a.1").Code }
	for range 3 {
		assert.Equal(t, http.StatusOK, get())
	}
	assert.EqualValues(t, 1, signed.verified.Load())

	signed.version.Add(1)
	assert.Equal(t, http.StatusOK, get())
	assert.EqualValues(t, 2, signed.verified.Load(), "the rules have changed")

	s.now = noon().Add(time.Minute + auth.ClockSkew - 1)
	assert.Equal(t, http.StatusOK, get(), "clocks may differ")
	assert.EqualValues(t, 2, signed.verified.Load())
	s.now = noon().Add(time.Minute + auth.ClockSkew)
	signed.err = auth.InvalidTokenf("the token expired")
	assert.Equal(t, http.StatusUnauthorized, get())
	assert.EqualValues(t, 3, signed.verified.Load())

	assert.Equal(t, "static", s.serve(http.MethodGet, "/known", "X-API-KEY: static").Body.String())
	assert.Equal(t, "chosen", s.serve(http.MethodGet, "/known", "X-API-KEY: signed.like.this").Body.String(), "a static token can look like a signed one")
	assert.EqualValues(t, 3, signed.verified.Load())
}

// The reason why a signed token is refused reaches the caller in the form of RFC 6750, without
// characters that the header cannot have.
func TestSignedTokensAreChallenged(t *testing.T) {
	t.Parallel()
	signed := &fakeSigned{err: auth.InvalidTokenf("the \"token\" \\ is\nwrong ä")}
	s := signedServer(t, signed)
	response := s.serve(http.MethodGet, "/known", "Authorization: Bearer signed.a.1")
	assert.Equal(t, http.StatusUnauthorized, response.Code)
	assert.Equal(t, `Bearer realm="savedq", error="invalid_token", error_description="the 'token' ' is'wrong '"`, response.Header().Get("WWW-Authenticate"))
	assert.Equal(t, `Bearer realm="savedq"`, s.serve(http.MethodGet, "/known").Header().Get("WWW-Authenticate"))
	assert.NotContains(t, s.log.String(), "signed.a.1")

	response = s.serve(http.MethodGet, "/known", "Authorization: Bearer signed."+strings.Repeat("x", 8<<10))
	assert.Contains(t, response.Body.String(), "the token is longer than 8192 bytes")
	assert.EqualValues(t, 1, signed.verified.Load(), "it is not even hashed")
}

// Fresh tokens of a subject share its rate, so that it does not grow with their number.
func TestSubjectsShareTheirRate(t *testing.T) {
	t.Parallel()
	s := signedServer(t, &fakeSigned{token: auth.Token{Name: "jwt:a", Rate: 1, Burst: 2}})
	get := func(token string) int {
		return s.serve(http.MethodGet, "/known", "Authorization: Bearer "+token).Code
	}
	assert.Equal(t, []int{200, 200, 429}, []int{get("signed.a.1"), get("signed.a.2"), get("signed.a.3")})
	assert.Equal(t, 200, get("signed.b.1"))
	assert.Equal(t, []int{200, 200, 429}, []int{get("signed..1"), get("signed..1"), get("signed..1")})
	assert.Equal(t, 429, get("signed..1/again"), "the same claims have one rate")
	assert.Equal(t, 200, get("signed..2"), "tokens without a subject have a rate each")
}

// However many tokens are sent, the memory that they take is bounded.
func TestRememberedTokensAreBounded(t *testing.T) {
	t.Parallel()
	s := signedServer(t, &fakeSigned{token: auth.Token{Name: "jwt:a", Rate: 1, Expires: noon().Add(time.Hour)}})
	for i := range auth.MaxRemembered + 500 {
		_, err := s.keyring.Authenticate(fmt.Sprintf("signed.%d.x", i), noon())
		require.NoError(t, err)
	}
	tokens, limiters := s.keyring.Remembered()
	assert.Equal(t, auth.MaxRemembered, tokens)
	assert.Equal(t, auth.MaxRemembered, limiters)
}

// A session of a signed token ends when the token does or its rules change, and outlasts a
// failure to fetch keys.
func TestSessionsOfSignedTokens(t *testing.T) {
	t.Parallel()
	now := noon()
	signed := &fakeSigned{token: auth.Token{Name: "jwt:a", Projects: []string{"acme"}, Expires: noon().Add(time.Hour)}}
	keyring := newKeyring(t)
	keyring.Accept(signed)
	sessions := &auth.Sessions{Keyring: keyring, Clock: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)}
	session, err := sessions.Open(t.Context(), nil, "signed.a.1")
	require.NoError(t, err)
	require.NoError(t, session.Check(t.Context()))

	signed.version.Add(1)
	signed.err = sqlq.Rejectf(sqlq.Unavailable, time.Second, "the keys cannot be fetched")
	require.NoError(t, session.Check(t.Context()))
	now = noon().Add(time.Hour + auth.ClockSkew)
	require.Error(t, session.Check(t.Context()))
	now, signed.err = noon(), nil
	require.NoError(t, session.Check(t.Context()))

	signed.version.Add(1)
	signed.token.Projects = []string{"globex"}
	require.ErrorContains(t, session.Check(t.Context()), "the limits of the token have changed")
	signed.version.Add(1)
	signed.err = auth.InvalidTokenf("the token was revoked")
	require.ErrorContains(t, session.Check(t.Context()), "the token was revoked")
}

// A caller whose token has a rate learns how many requests are left, and when all are again.
func TestRateLimitHeaders(t *testing.T) {
	t.Parallel()
	s := newServer(t, credential("limited", auth.Token{Name: "limited", Rate: 2, Burst: 3}), credential("unlimited", auth.Token{Name: "unlimited"}))
	get := func() (int, []string) {
		response := s.serve(http.MethodGet, "/known", "X-API-KEY: limited")
		return response.Code, []string{response.Header().Get("RateLimit-Policy"), response.Header().Get("RateLimit")}
	}
	for _, want := range []struct {
		status int
		limit  string
	}{{200, `"requests";r=2;t=1`}, {200, `"requests";r=1;t=1`}, {200, `"requests";r=0;t=2`}, {429, `"requests";r=0;t=2`}} {
		status, headers := get()
		assert.Equal(t, want.status, status)
		assert.Equal(t, []string{`"requests";q=3;w=2`, want.limit}, headers)
	}
	s.now = noon().Add(time.Hour)
	_, headers := get()
	assert.Equal(t, `"requests";r=2;t=1`, headers[1])
	assert.Empty(t, s.serve(http.MethodGet, "/known", "X-API-KEY: unlimited").Header().Get("RateLimit"))
	assert.Empty(t, s.serve(http.MethodGet, "/known", "X-API-KEY: wrong").Header().Get("RateLimit"))
}
