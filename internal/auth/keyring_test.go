package auth_test

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/auth"
	"savedq/sqlq"
)

// credential returns a token with the hash of a secret.
func credential(secret string, token auth.Token) auth.Credential {
	return auth.Credential{Token: token, Hash: auth.HashOf(secret)}
}

// newKeyring returns a keyring of the credentials.
func newKeyring(tb testing.TB, credentials ...auth.Credential) *auth.Keyring {
	tb.Helper()
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) { return credentials, nil })
	require.NoError(tb, err)
	return keyring
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	good := auth.Token{Name: "good", Projects: []string{"acme"}}
	ending := auth.Token{Name: "ending", Expires: noon()}
	longest := strings.Repeat("x", 512)
	keyring := newKeyring(t, credential("one", good), credential("two", ending), credential(longest, auth.Token{Name: "longest"}), credential(longest+"x", auth.Token{Name: "too long"}))
	const (
		missing = "a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>"
		invalid = "the token is not valid; check that all of it is sent"
	)
	tests := map[string]struct {
		presented string
		now       time.Time
		want      auth.Token
		wantError string
	}{
		"none":                     {"", noon(), auth.Token{}, missing},
		"right":                    {"one", noon(), good, ""},
		"right, much later":        {"one", noon().AddDate(1000, 0, 0), good, ""},
		"wrong":                    {"three", noon(), auth.Token{}, invalid},
		"in another case":          {"One", noon(), auth.Token{}, invalid},
		"cut":                      {"on", noon(), auth.Token{}, invalid},
		"with a space":             {"one ", noon(), auth.Token{}, invalid},
		"the hash of a right one":  {hash("one"), noon(), auth.Token{}, invalid},
		"longest possible":         {longest, noon(), auth.Token{Name: "longest"}, ""},
		"too long to be looked up": {longest + "x", noon(), auth.Token{}, invalid},
		"just before expiry":       {"two", noon().Add(-1), ending, ""},
		"at expiry":                {"two", noon(), auth.Token{}, "the token expired at 2026-11-20T12:00:00Z; ask for a new one"},
		"after expiry":             {"two", noon().Add(time.Hour), auth.Token{}, "the token expired at 2026-11-20T12:00:00Z; ask for a new one"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token, err := keyring.Authenticate(test.presented, test.now)
			assert.Equal(t, test.want, token)
			if test.wantError == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.wantError)
			assert.Equal(t, sqlq.Unauthenticated, sqlq.AsError(err).Code)
		})
	}
}

func TestReload(t *testing.T) {
	t.Parallel()
	var (
		credentials []auth.Credential
		failure     error
	)
	read := func() ([]auth.Credential, error) { return credentials, failure }
	accepts := func(keyring *auth.Keyring, secret string) bool {
		_, err := keyring.Authenticate(secret, noon())
		return err == nil
	}

	failure = errors.New("wrong at the start")
	_, err := auth.NewKeyring(read)
	require.ErrorIs(t, err, failure)

	credentials, failure = []auth.Credential{credential("one", auth.Token{Name: "a"}), credential("two", auth.Token{Name: "b"})}, nil
	keyring, err := auth.NewKeyring(read)
	require.NoError(t, err)
	assert.True(t, accepts(keyring, "one"))
	assert.True(t, accepts(keyring, "two"))

	credentials = []auth.Credential{credential("two", auth.Token{Name: "b", Projects: []string{"acme"}}), credential("three", auth.Token{Name: "a"})}
	require.NoError(t, keyring.Reload())
	assert.False(t, accepts(keyring, "one"), "a removed token")
	assert.True(t, accepts(keyring, "three"), "a new token under the name of a removed one")
	token, err := keyring.Authenticate("two", noon())
	require.NoError(t, err)
	assert.Equal(t, []string{"acme"}, token.Projects, "a token with another scope")

	for name, wrong := range map[string]struct {
		credentials []auth.Credential
		failure     error
		want        string
	}{
		"an invalid file": {nil, errors.New("tokens.yaml:1:1: is wrong"), "tokens.yaml:1:1: is wrong"},
		"one name twice":  {[]auth.Credential{credential("four", auth.Token{Name: "x"}), credential("five", auth.Token{Name: "x"})}, nil, `two tokens have the name "x"; give the one in the tokens file another name`},
		"one token twice": {[]auth.Credential{credential("four", auth.Token{Name: "x"}), credential("four", auth.Token{Name: "y"})}, nil, `the tokens "x" and "y" are the same`},
	} {
		credentials, failure = wrong.credentials, wrong.failure
		require.EqualError(t, keyring.Reload(), wrong.want, name)
		assert.True(t, accepts(keyring, "two"), name)
		assert.True(t, accepts(keyring, "three"), name)
		assert.False(t, accepts(keyring, "four"), name)
	}
}

// A token that is in every version of the file is valid throughout a reload.
func TestReloadDropsNoRequest(t *testing.T) {
	t.Parallel()
	var version int
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		version++
		return []auth.Credential{credential("always", auth.Token{Name: "always"}), credential(strconv.Itoa(version), auth.Token{Name: "new"})}, nil
	})
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				_, err := keyring.Authenticate("always", noon())
				assert.NoError(t, err)
			}
		})
		group.Go(func() {
			for range 50 {
				assert.NoError(t, keyring.Reload())
			}
		})
	}
	group.Wait()
	_, err = keyring.Authenticate(strconv.Itoa(version), noon())
	assert.NoError(t, err, "the last version that was read is in use")
}

// After a reload of the saved queries, tokens may name some that no longer exist.
func TestUnknownEndpoints(t *testing.T) {
	t.Parallel()
	keyring, err := auth.NewKeyring(func() ([]auth.Credential, error) {
		return []auth.Credential{
			{Token: auth.FullAccess("full"), Hash: auth.HashOf("1")},
			{Token: auth.Token{Name: "some", Endpoints: []string{"kept", "removed", "0B7F3A52-5d0e-4f6c-9a41-6a2f0f3c9d11"}}, Hash: auth.HashOf("2")},
			{Token: auth.Token{Name: "other", Endpoints: []string{"removed", "another"}}, Hash: auth.HashOf("3")},
		}, nil
	})
	require.NoError(t, err)
	known := auth.Known{Endpoints: []string{"kept"}, Aliases: []string{"0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d11"}}
	assert.Equal(t, []string{"another", "removed"}, keyring.UnknownEndpoints(known))
	known.Endpoints = append(known.Endpoints, "removed", "another")
	assert.Empty(t, keyring.UnknownEndpoints(known))
}
