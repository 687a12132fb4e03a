package jwt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"savedq/internal/auth"
	"savedq/internal/files/secretfile"
	"savedq/sqlq"
)

// Config configures a [Verifier]. Every field but Client is required.
type Config struct {
	// File lists the issuers.
	File string
	// Known returns the names that the file may use.
	Known func() auth.Known
	Clock func() time.Time
	// Client fetches keys; nil means the default.
	Client *http.Client
	Logger *slog.Logger
}

// Verifier verifies tokens of the issuers in a file. It is safe for concurrent use.
type Verifier struct {
	config Config
	// reloading serializes reloads.
	reloading sync.Mutex
	current   atomic.Pointer[issuers]
}

var _ auth.Signed = (*Verifier)(nil)

// issuers are the issuers of one version of the file, by name. They are immutable.
type issuers struct{ byName map[string]*issuer }

// New returns a verifier of the tokens that the file allows, and starts to fetch keys. The
// error is a [sqlq.FileErrors].
func New(config Config) (*Verifier, error) {
	if config.Client == nil {
		config.Client = newClient()
	}
	v := &Verifier{config: config}
	if err := v.Reload(); err != nil {
		return nil, err
	}
	return v, nil
}

// Reload reads the file, which nobody but its owner may change, and the files of keys again. After an
// error the previous ones stay in use. Tokens that were verified are verified again.
func (v *Verifier) Reload() error {
	v.reloading.Lock()
	defer v.reloading.Unlock()
	data, readable, err := secretfile.Read(v.config.File)
	if err != nil {
		return sqlq.FileErrors{{File: v.config.File, Message: "cannot be used: " + err.Error()}}
	}
	if readable {
		v.config.Logger.Debug("every user of this machine can read the file of issuers, which lists what their tokens may do", slog.String("file", v.config.File))
	}
	read, err := readIssuers(v.config.File, data, v.config.Known(), v.source)
	if err != nil {
		return err
	}
	v.current.Store(read)
	for _, issuer := range read.byName {
		issuer.keys.start()
	}
	return nil
}

// Issuers returns the names of the issuers, in alphabetical order.
func (v *Verifier) Issuers() []string { return slices.Sorted(maps.Keys(v.current.Load().byName)) }

// source returns the keys at a URL or in a file. The keys of a URL stay known when the file is
// read again.
func (v *Verifier) source(place string, algorithms []string) (*keySource, error) {
	if isURL(place) {
		if err := checkURL(place); err != nil {
			return nil, err
		}
		if previous := v.current.Load(); previous != nil {
			for _, issuer := range previous.byName {
				if keys := issuer.keys; keys.url == place && slices.Equal(keys.algorithms, algorithms) {
					return keys, nil
				}
			}
		}
		return &keySource{url: place, algorithms: algorithms, client: v.config.Client, clock: v.config.Clock, logger: v.config.Logger}, nil
	}
	data, readable, err := secretfile.Read(place)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("the file of keys does not exist; name a file, or a URL that begins with https://")
		}
		return nil, fmt.Errorf("the file of keys cannot be used: %w", err)
	}
	set, err := readKeys(data, algorithms, false)
	if err != nil {
		return nil, fmt.Errorf("the file of keys cannot be used: %w", err)
	}
	if readable && slices.Contains(algorithms, hs256) {
		v.config.Logger.Warn("every user of this machine can read the secret that signs tokens",
			slog.String("file", place), slog.String("run", "chmod o-r "+place))
	}
	source := &keySource{}
	source.current.Store(set)
	return source, nil
}

// Close waits until no keys are being fetched.
func (v *Verifier) Close() {
	for _, issuer := range v.current.Load().byName {
		issuer.keys.running.Wait()
	}
}

// Typical returns for each issuer what its tokens allow, by name. They are bound without a value,
// which only a token has. Issuers whose tokens name their saved queries are left out.
func (v *Verifier) Typical() []auth.Token {
	var tokens []auth.Token
	all := v.current.Load().byName
	for _, name := range slices.Sorted(maps.Keys(all)) {
		issuer := all[name]
		if issuer.endpoints.claim != nil {
			continue
		}
		token := auth.Token{Issuer: name, Endpoints: issuer.endpoints.value}
		for _, bound := range issuer.bind {
			if bound.parameter == auth.ProjectParameter {
				token.Projects = []string{}
				continue
			}
			if token.Bound == nil {
				token.Bound = make(map[string][]string)
			}
			token.Bound[bound.parameter] = []string{}
		}
		tokens = append(tokens, token)
	}
	return tokens
}

// HasForm implements [auth.Signed].
func (*Verifier) HasForm(secret string) bool { return HasForm(secret) }

// Verify implements [auth.Signed]. No keys are fetched for a token whose issuer or algorithm is
// not trusted.
func (v *Verifier) Verify(ctx context.Context, compact string) (auth.Verified, error) {
	token, err := parse(compact)
	if err != nil {
		return auth.Verified{}, err
	}
	all := v.current.Load()
	issuer, found := all.byName[token.claims.text("iss")]
	switch {
	case strings.EqualFold(token.algorithm, "none"):
		return auth.Verified{}, refusef("the token is not signed; its algorithm is none")
	case !found:
		return auth.Verified{}, refusef("the token's issuer, its claim iss, is not trusted")
	case !slices.Contains(issuer.algorithms, token.algorithm):
		return auth.Verified{}, refusef("the token's algorithm is not allowed for its issuer; use %s", strings.Join(issuer.algorithms, " or "))
	}
	keys, err := issuer.verify(ctx, token)
	if err != nil {
		return auth.Verified{}, err
	}
	if err := issuer.check(token.claims, v.config.Clock()); err != nil {
		return auth.Verified{}, err
	}
	allowed, err := issuer.token(token.claims)
	if err != nil {
		return auth.Verified{}, err
	}
	return auth.Verified{Token: allowed, Claims: auth.HashOf(string(token.payload)), Current: func() bool { //nolint:contextcheck // A fetch is for all callers.
		issuer.keys.refreshIfDue()
		return v.current.Load() == all && issuer.keys.current.Load() == keys
	}}, nil
}

// verify checks the signature of a token, and returns the keys of which one is its own. It
// fetches the keys again if it does not know the token's key.
func (i *issuer) verify(ctx context.Context, token *unverified) (*keySet, error) {
	i.keys.refreshIfDue() //nolint:contextcheck // A fetch is for all callers.
	set := i.keys.current.Load()
	candidates := set.find(token.algorithm, token.kid)
	if len(candidates) == 0 {
		i.keys.refetch(ctx)
		set = i.keys.current.Load()
		candidates = set.find(token.algorithm, token.kid)
	}
	if set == nil {
		return nil, sqlq.Rejectf(sqlq.Unavailable, fetchPause, "the token cannot be verified, because the keys of its issuer cannot be fetched; try again later")
	}
	if len(candidates) == 0 {
		return nil, refusef("the token's key is not known for its issuer; check its header kid, or ask for a new token")
	}
	for _, key := range candidates {
		if payload, ok := key.verify(token.compact); ok && bytes.Equal(payload, token.payload) {
			return set, nil
		}
	}
	return nil, refusef("the token's signature is not valid; check that all of it is sent, and who signed it")
}

// refusef returns the error of a token that is refused.
func refusef(format string, args ...any) error { return auth.InvalidTokenf(format, args...) }
