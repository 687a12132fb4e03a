package auth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"savedq/sqlq"
)

// Keyring holds tokens by the hashes of their secrets, and remembers signed ones. It is safe
// for concurrent use.
type Keyring struct {
	read func() ([]Credential, error)
	// signed is nil if no signed tokens are accepted.
	signed     Signed
	remembered *remembered
	// reloading serializes reloads, so that older credentials never replace newer ones.
	reloading sync.Mutex
	grants    atomic.Pointer[map[Hash]*grant]
}

// NewKeyring returns a keyring of the credentials that read returns. [Keyring.Reload]
// calls read again.
func NewKeyring(read func() ([]Credential, error)) (*Keyring, error) {
	k := &Keyring{read: read, remembered: newRemembered()}
	if err := k.Reload(); err != nil {
		return nil, err
	}
	return k, nil
}

// Accept makes the keyring accept signed tokens. It must not be called after the keyring is
// in use.
func (k *Keyring) Accept(signed Signed) { k.signed = signed }

// Reload reads the credentials again and replaces all of them atomically. After an error
// the previous ones stay in use.
//
// A token that is present before and after, with the same rate and burst, does not get a
// fresh burst.
func (k *Keyring) Reload() error {
	k.reloading.Lock()
	defer k.reloading.Unlock()
	credentials, err := k.read()
	if err != nil {
		return err
	}
	previous := k.grants.Load()
	names, grants := make(map[string]bool, len(credentials)), make(map[Hash]*grant, len(credentials))
	for _, credential := range credentials {
		token := credential.Token
		switch {
		case names[token.Name]:
			return fmt.Errorf("two tokens have the name %q; give the one in the tokens file another name", token.Name)
		case grants[credential.Hash] != nil:
			return fmt.Errorf("the tokens %q and %q are the same", grants[credential.Hash].token.Name, token.Name)
		}
		names[token.Name] = true
		added := newGrant(token)
		if previous != nil {
			added.inherit((*previous)[credential.Hash])
		}
		grants[credential.Hash] = added
	}
	k.grants.Store(&grants)
	return nil
}

// Tokens returns the tokens that have not expired, those without limits first, then by name.
// Signed tokens are not among them.
func (k *Keyring) Tokens(now time.Time) []Token {
	var tokens []Token
	for _, g := range *k.grants.Load() {
		if !g.token.expired(now) {
			tokens = append(tokens, g.token)
		}
	}
	slices.SortFunc(tokens, func(a, b Token) int {
		if unlimited := scopeOf(a) == ""; unlimited != (scopeOf(b) == "") {
			if unlimited {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return tokens
}

// Used is a token with the time of its latest request.
type Used struct {
	Token

	// Last is to the second, and zero if there was no request since the keyring was created.
	Last time.Time
}

// add adds a credential if edit, which must store it, succeeds.
func (k *Keyring) add(credential Credential, edit func() error) error {
	return k.change(func(grants map[Hash]*grant) error {
		for _, g := range grants {
			if g.token.Name == credential.Token.Name {
				return taken()
			}
		}
		grants[credential.Hash] = newGrant(credential.Token)
		return edit()
	})
}

// remove removes the token of a name if edit, which must remove it from where it is stored, succeeds. If it is not
// stored there any more, remove removes it all the same.
func (k *Keyring) remove(name string, edit func() error) error {
	return k.change(func(grants map[Hash]*grant) error {
		held := false
		for hash, g := range grants {
			if g.token.Name == name {
				held = true
				delete(grants, hash)
			}
		}
		err := edit()
		switch {
		case errors.Is(err, ErrNoToken) && held:
			return nil
		case errors.Is(err, ErrNoToken):
			return sqlq.Errorf(sqlq.NotFound, "there is no token %s", sqlq.Quote(name))
		}
		return err
	})
}

// change changes a copy of the tokens, and uses it unless there is an error. No reload comes in between.
func (k *Keyring) change(change func(grants map[Hash]*grant) error) error {
	k.reloading.Lock()
	defer k.reloading.Unlock()
	grants := maps.Clone(*k.grants.Load())
	if err := change(grants); err != nil {
		return err
	}
	k.grants.Store(&grants)
	return nil
}

// All returns all tokens, expired ones included, by name. Signed tokens are not among them.
func (k *Keyring) All() []Used {
	all := make([]Used, 0, len(*k.grants.Load()))
	for _, g := range *k.grants.Load() {
		all = append(all, Used{g.token, g.lastUse()})
	}
	slices.SortFunc(all, func(a, b Used) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Fingerprints returns a text for each token, by name, which changes with its secret and with what
// it allows, and reveals neither. Signed tokens are not among them.
func (k *Keyring) Fingerprints() map[string]string {
	fingerprints := make(map[string]string)
	for hash, g := range *k.grants.Load() {
		token := fmt.Sprintf("%x %+v", hash, g.token)
		fingerprints[g.token.Name] = fmt.Sprintf("%x", HashOf(token))
	}
	return fingerprints
}

// UnknownEndpoints returns the names, ids and aliases that tokens have and that no saved query
// has, in alphabetical order.
func (k *Keyring) UnknownEndpoints(known Known) []string {
	var names []string
	for _, g := range *k.grants.Load() {
		names = append(names, g.token.Endpoints...)
	}
	return known.UnknownEndpoints(names)
}

// inherit takes over the time of the latest request of the previous grant, and its limiter if its rate and burst are
// the same.
func (g *grant) inherit(previous *grant) {
	if previous == nil {
		return
	}
	g.used.Store(previous.used.Load())
	if previous.token.Rate == g.token.Rate && previous.token.AllowedBurst() == g.token.AllowedBurst() {
		g.limiter = previous.limiter
	}
}

// authenticate returns the grant of the presented secret. The error has the code
// UNAUTHENTICATED, or UNAVAILABLE if a signed token cannot be verified now. For an expired
// token it returns both, so that the log can name the token.
func (k *Keyring) authenticate(ctx context.Context, presented string, now time.Time) (*grant, error) {
	if presented == "" {
		return nil, missing()
	}
	if k.signed != nil && k.signed.HasForm(presented) {
		return k.authenticateSigned(ctx, presented, now)
	}
	if len(presented) > maxSecretBytes {
		return nil, invalid()
	}
	// The secret itself is never compared. The time of the lookup depends on the SHA-256
	// of the guess, and an attacker cannot choose guesses by their hashes. So timing
	// reveals nothing about a secret, and comparing all hashes in constant time is not
	// necessary.
	g := (*k.grants.Load())[HashOf(presented)]
	switch {
	case g == nil:
		return nil, invalid()
	case g.token.expired(now):
		// Only a caller that has the secret sees this message.
		return g, sqlq.Errorf(sqlq.Unauthenticated, "the token expired at %s; ask for a new one", g.token.Expires.Format(time.RFC3339))
	}
	return g, nil
}

// authenticateSigned returns the grant of a signed token, which is verified only once.
func (k *Keyring) authenticateSigned(ctx context.Context, presented string, now time.Time) (*grant, error) {
	if len(presented) > MaxSignedBytes {
		return nil, InvalidTokenf("the token is longer than %d bytes", MaxSignedBytes)
	}
	hash := HashOf(presented)
	if g := (*k.grants.Load())[hash]; g != nil && !g.token.expired(now) {
		return g, nil // a secret that a user chose has this form
	}
	if g := k.remembered.find(hash); g != nil && !g.token.expired(now) {
		return g, nil
	}
	verified, err := k.signed.Verify(ctx, presented)
	if err != nil {
		k.remembered.grants.Remove(hash)
		return nil, err
	}
	return k.remembered.add(hash, verified), nil
}

// missing, inQuery and invalid explain how to send a token and reveal nothing about any token.
func missing() error {
	return sqlq.Errorf(sqlq.Unauthenticated, "a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>")
}

func inQuery() error {
	return sqlq.Errorf(sqlq.Unauthenticated,
		"api_key in the query string is not accepted, because URLs end up in logs; send the token in the header X-API-KEY: <token> or Authorization: Bearer <token>")
}

func invalid() error {
	return sqlq.Errorf(sqlq.Unauthenticated, "the token is not valid; check that all of it is sent")
}
