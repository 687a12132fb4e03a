package auth

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"time"

	"savedq/internal/files/durable"
	"savedq/sqlq"
)

// Manager creates and revokes tokens for callers of a server: it changes the tokens file and, at the same time, the
// keyring. It is safe for concurrent use.
type Manager struct {
	// Keyring is nil if the server requires no token.
	Keyring *Keyring
	// File is the path of the tokens file; empty if the server has none.
	File string
	// Fixed are the names of tokens that are not in the file, such as that of an environment variable.
	Fixed []string
	// Known returns what a token may name.
	Known  func() Known
	Clock  func() time.Time
	Random io.Reader
}

// CanChange returns why tokens cannot be created and revoked; nil if they can be.
func (m *Manager) CanChange() *sqlq.Error {
	switch {
	case m.Keyring == nil:
		return sqlq.Errorf(sqlq.PermissionDenied, "this server requires no token; start it without --no-auth")
	case m.File == "":
		return sqlq.Errorf(sqlq.PermissionDenied, "this server has no tokens file; start it with --tokens FILE")
	}
	target, err := filepath.EvalSymlinks(m.File)
	if err != nil || !durable.CanReplace(filepath.Dir(target)) {
		return sqlq.Errorf(sqlq.PermissionDenied, "this server may not write its tokens file; use \"savedq token new\" and \"savedq token revoke\" where it may be written")
	}
	return nil
}

// IsFixed reports whether a token is not in the tokens file, and so cannot be revoked.
func (m *Manager) IsFixed(name string) bool { return m.File == "" || slices.Contains(m.Fixed, name) }

// Create creates the token of a draft for a caller, which must have everything that it grants, and returns it with its
// secret. Requests with it are accepted at once.
func (m *Manager) Create(caller *Token, draft *Draft) (token Token, secret string, err error) {
	if err := m.CanChange(); err != nil {
		return Token{}, "", err
	}
	known := m.Known()
	token, mistakes := draft.Token(m.Clock(), DraftNames{
		Tiers:   func() ([]string, error) { return known.Tiers, nil },
		Sources: func() (sqlq.Tables, error) { return known.Sources, nil },
	})
	for _, endpoint := range draft.Endpoints {
		if err := known.CheckEndpoint(endpoint); err != nil {
			mistakes = append(mistakes, &DraftError{Field: FieldEndpoints, Err: err})
		}
	}
	if len(mistakes) > 0 {
		return Token{}, "", paramError(mistakes[0])
	}
	if err := caller.checkGrants(&token); err != nil {
		return Token{}, "", err
	}
	if secret, err = New(m.Random); err != nil {
		return Token{}, "", err
	}
	return token, secret, m.Keyring.add(Credential{token, HashOf(secret)}, func() error {
		return unchanged(AddToFile(m.File, token, HashOf(secret)))
	})
}

// Revoke removes a token. Requests with it are rejected at once, and its streams end.
func (m *Manager) Revoke(name string) error {
	if err := m.CanChange(); err != nil {
		return err
	}
	if m.IsFixed(name) {
		return sqlq.Errorf(sqlq.PermissionDenied, "the token %s is not in the tokens file; remove it where the server gets it from, such as an environment variable", sqlq.Quote(name))
	}
	return m.Keyring.remove(name, func() error { return unchanged(RemoveFromFile(m.File, name)) })
}

// paramError returns a mistake of a draft as the error of a request.
func paramError(mistake *DraftError) error {
	if mistake.Needs != "" {
		return sqlq.ParamErrorf(mistake.Field, "needs %s", mistake.Needs)
	}
	return sqlq.ParamErrorf(mistake.Field, "%s", mistake.Err)
}

// taken returns the error for a name that another token has.
func taken() error {
	return sqlq.ParamErrorf(FieldName, "there is a token of this name already; %s", ErrTaken)
}

// unchanged returns the error of a change of the tokens file as that of a request, which must not see paths.
func unchanged(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrNoToken):
		return err
	case errors.Is(err, ErrTaken):
		return taken()
	case errors.Is(err, ErrLastToken):
		return sqlq.Errorf(sqlq.InvalidArgument, "it is the only token in the tokens file, and %s", ErrLastToken)
	}
	return sqlq.Errorf(sqlq.Unavailable, "the tokens file cannot be changed; the log of the server has the cause").WithCause(err)
}
