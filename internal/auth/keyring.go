package auth

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"savedq/sqlq"
)

// Keyring holds tokens by the hashes of their secrets. It can be used, and
// reloaded, by many at a time.
type Keyring struct {
	read func() ([]Credential, error)
	// reloading keeps an older reading from replacing a newer one.
	reloading sync.Mutex
	grants    atomic.Pointer[map[Hash]*grant]
}

// NewKeyring returns a keyring of the credentials that read returns, now and at
// each [Keyring.Reload].
func NewKeyring(read func() ([]Credential, error)) (*Keyring, error) {
	k := &Keyring{read: read}
	if err := k.Reload(); err != nil {
		return nil, err
	}
	return k, nil
}

// Reload reads the credentials anew and puts them in the place of all former ones
// at once: a request finds either the former ones or the new ones. After an error
// the former ones stay.
//
// A token that is there before and after, with the same rate and burst, goes on
// with what it has left of them.
func (k *Keyring) Reload() error {
	k.reloading.Lock()
	defer k.reloading.Unlock()
	credentials, err := k.read()
	if err != nil {
		return err
	}
	former := k.grants.Load()
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
		if former != nil {
			added.keepLimiter((*former)[credential.Hash])
		}
		grants[credential.Hash] = added
	}
	k.grants.Store(&grants)
	return nil
}

// keepLimiter takes over the limiter of the grant that this one replaces, if its
// rate and burst are the same.
func (g *grant) keepLimiter(former *grant) {
	if former != nil && former.token.Rate == g.token.Rate && former.token.burst() == g.token.burst() {
		g.limiter = former.limiter
	}
}

// authenticate returns the grant of the token whose secret is presented: with the
// error where the token has expired, so that the log can name it. The error is an
// [*sqlq.Error] with the code UNAUTHENTICATED.
func (k *Keyring) authenticate(presented string, now time.Time) (*grant, error) {
	if presented == "" {
		return nil, missing()
	}
	if len(presented) > mostSecretBytes {
		return nil, invalid()
	}
	// The secret itself is compared with nothing. How long the look-up takes depends
	// on the SHA-256 of what is presented, and nobody can choose guesses by their
	// hashes: whoever measures the time learns nothing that leads to a secret. That
	// is as good as comparing all hashes in constant time, at the cost of one.
	g := (*k.grants.Load())[HashOf(presented)]
	switch {
	case g == nil:
		return nil, invalid()
	case g.token.expired(now):
		// Only who holds the secret gets to see this.
		return g, sqlq.Errorf(sqlq.Unauthenticated, "the token expired at %s; ask for a new one", g.token.Expires.Format(time.RFC3339))
	}
	return g, nil
}

// missing and invalid say how to send a token, and nothing about any token.
func missing() error {
	return sqlq.Errorf(sqlq.Unauthenticated, "a token is required; send it in the header X-API-KEY: <token> or Authorization: Bearer <token>")
}

func invalid() error {
	return sqlq.Errorf(sqlq.Unauthenticated, "the token is not valid; check that all of it is sent")
}
