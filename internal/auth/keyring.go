package auth

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"savedq/sqlq"
)

// Keyring holds tokens by the hashes of their secrets. It is safe for concurrent use.
type Keyring struct {
	read func() ([]Credential, error)
	// reloading serializes reloads, so that older credentials never replace newer ones.
	reloading sync.Mutex
	grants    atomic.Pointer[map[Hash]*grant]
}

// NewKeyring returns a keyring of the credentials that read returns. [Keyring.Reload]
// calls read again.
func NewKeyring(read func() ([]Credential, error)) (*Keyring, error) {
	k := &Keyring{read: read}
	if err := k.Reload(); err != nil {
		return nil, err
	}
	return k, nil
}

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
			return fmt.Errorf("two tokens have the name %q", token.Name)
		case grants[credential.Hash] != nil:
			return fmt.Errorf("the tokens %q and %q are the same", grants[credential.Hash].token.Name, token.Name)
		}
		names[token.Name] = true
		added := newGrant(token)
		if previous != nil {
			added.inheritLimiter((*previous)[credential.Hash])
		}
		grants[credential.Hash] = added
	}
	k.grants.Store(&grants)
	return nil
}

// UnknownEndpoints returns the names, ids and aliases that tokens have and that no saved query
// has, in alphabetical order.
func (k *Keyring) UnknownEndpoints(known Known) []string {
	var unknown []string
	for _, g := range *k.grants.Load() {
		for _, name := range g.token.Endpoints {
			if !known.hasEndpoint(name) {
				unknown = append(unknown, name)
			}
		}
	}
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

// inheritLimiter takes over the limiter of the previous grant if its rate and burst are
// the same.
func (g *grant) inheritLimiter(previous *grant) {
	if previous != nil && previous.token.Rate == g.token.Rate && previous.token.burst() == g.token.burst() {
		g.limiter = previous.limiter
	}
}

// authenticate returns the grant of the presented secret. The error is an [*sqlq.Error]
// with the code UNAUTHENTICATED. For an expired token it returns both, so that the log can
// name the token.
func (k *Keyring) authenticate(presented string, now time.Time) (*grant, error) {
	if presented == "" {
		return nil, missing()
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

// missing and invalid explain how to send a token and reveal nothing about any token.
func missing() error {
	return sqlq.Errorf(sqlq.Unauthenticated, "a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>")
}

func invalid() error {
	return sqlq.Errorf(sqlq.Unauthenticated, "the token is not valid; check that all of it is sent")
}
