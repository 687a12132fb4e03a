package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"slices"
	"time"

	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
	"savedq/internal/http/origins"
	"savedq/internal/secretfile"
)

const (
	// tokenVariable holds one full-access token.
	tokenVariable = "SAVEDQ_TOKEN"
	// minTokenBytes is the length from which a token in the variable is hard to guess. The
	// server logs a warning about a shorter one.
	minTokenBytes = 16
)

// accessFlags configure access control.
type accessFlags struct {
	Tokens      string   `placeholder:"FILE" help:"YAML file of access tokens, reloaded on SIGHUP; \"savedq token new\" creates entries. The variable SAVEDQ_TOKEN holds one more token, with full access. With neither, the server generates a token and keeps it in --data, if only this machine can reach it."`
	JWT         string   `name:"jwt" placeholder:"FILE" help:"YAML file of the issuers whose JSON Web Tokens are accepted, with the parameters that their claims bind; reloaded on SIGHUP. See docs/frontend-tokens.md."`
	NoAuth      bool     `help:"Require no token; only on an address that no other machine can reach."`
	Dev         bool     `help:"For work on saved queries: --watch and the messages of the engine in errors for tokens without limits. Only on an address that no other machine can reach."`
	CORSOrigins []string `name:"cors-origins" placeholder:"ORIGIN" help:"Origins whose pages may send requests, such as https://app.example.com, or https://*.example.com for one label in place of the star. Default: none but the server's own."`
}

// Validate implements kong's validation, which runs before anything is opened.
func (f *accessFlags) Validate() error {
	for flag, file := range map[string]string{"--tokens": f.Tokens, "--jwt": f.JWT} {
		if f.NoAuth && file != "" {
			return fmt.Errorf("--no-auth: cannot be combined with %s; use one of them", flag)
		}
	}
	if jwt.HasForm(f.JWT) { // the error must not quote the token
		return errors.New("--jwt: the value is a token, not a file of issuers; callers send tokens in the header Authorization: Bearer <token>")
	}
	if f.JWT != "" {
		_, err := secretfile.Check(f.JWT)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("--jwt: %s does not exist; docs/frontend-tokens.md shows one", f.JWT)
		case err != nil:
			return fmt.Errorf("--jwt: %s cannot be used: %w", f.JWT, err)
		}
	}
	if auth.IsSecret(f.Tokens) { // the error must not quote the secret, as that of a missing file would
		return fmt.Errorf("--tokens: the value is a token, not a file of tokens; put a token into the variable %s", tokenVariable)
	}
	if f.Tokens != "" {
		_, err := secretfile.Check(f.Tokens)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("--tokens: %s does not exist; \"savedq token new\" creates its entries", f.Tokens)
		case err != nil:
			return fmt.Errorf("--tokens: %s cannot be used: %w", f.Tokens, err)
		}
	}
	if _, err := origins.Parse(f.CORSOrigins...); err != nil {
		return fmt.Errorf("--cors-origins: %w", err)
	}
	return nil
}

// origins returns the origins whose pages may send requests.
func (f *accessFlags) origins() origins.Set {
	set, _ := origins.Parse(f.CORSOrigins...) // is validated
	return set
}

// access is the opened access control.
type access struct {
	// keyring is nil if no token is required.
	keyring *auth.Keyring
	// signed verifies JSON Web Tokens; nil if none are accepted.
	signed *jwt.Verifier
	// secret is the token that the server generated, if any, and secretFile the file that
	// holds it.
	secret, secretFile string
	// header is the header that curl must send, quoted for a shell. It never contains a
	// token of the user. It is empty if no token is required.
	header string
}

// openAccess opens access control for the address of a server with a data directory. loopback reports whether only this machine
// can reach the address, and known returns the names that the tokens file may use.
func (f *accessFlags) openAccess(address string, loopback bool, data string, known func() auth.Known, term *terminal, logger *slog.Logger) (access, error) {
	secret := term.getenv(tokenVariable)
	switch {
	case f.Dev && !loopback:
		return access{}, fmt.Errorf("--dev: other machines can reach %s; use it only with a loopback address such as 127.0.0.1:8080", address)
	case f.NoAuth && secret != "":
		return access{}, fmt.Errorf("--no-auth: cannot be combined with the variable %s; use one of them", tokenVariable)
	case f.NoAuth && !loopback:
		return access{}, fmt.Errorf("--no-auth: other machines can reach %s; use it only with a loopback address such as 127.0.0.1:8080", address)
	case f.NoAuth:
		return access{}, nil
	case secret == "" && f.Tokens == "" && f.JWT == "" && !loopback:
		return access{}, fmt.Errorf("--addr: other machines can reach %s, so callers need tokens: set the variable %s, or use --tokens FILE (\"savedq token new --name NAME\" creates an entry) or --jwt FILE", address, tokenVariable)
	case secret == "" && f.Tokens == "" && f.JWT == "":
		return f.generateAccess(data, known, logger)
	case secret != "":
		if err := auth.CheckSecret(secret); err != nil {
			return access{}, fmt.Errorf("the variable %s: %w", tokenVariable, err)
		}
		if len(secret) < minTokenBytes {
			logger.Warn("the token of the variable "+tokenVariable+" is easy to guess; \"openssl rand -hex 32\" creates a better one",
				slog.Int("characters", len(secret)), slog.Int("least", minTokenBytes))
		}
		keyring, err := f.keyring(known, logger, auth.Credential{Token: auth.FullAccess("environment"), Hash: auth.HashOf(secret)})
		return access{keyring: keyring, header: `"X-API-KEY: $` + tokenVariable + `"`}, err
	}
	keyring, err := f.keyring(known, logger)
	header := "'X-API-KEY: <a token of " + f.Tokens + ">'"
	if f.Tokens == "" {
		header = "'Authorization: Bearer <a token of an issuer in " + f.JWT + ">'"
	}
	return access{keyring: keyring, header: header}, err
}

// openSigned makes access control accept the tokens of the issuers in the file of --jwt, if
// any.
func (f *accessFlags) openSigned(allowed *access, known func() auth.Known, clock func() time.Time, logger *slog.Logger) error {
	if f.JWT == "" {
		return nil
	}
	signed, err := jwt.New(jwt.Config{File: f.JWT, Known: known, Clock: clock, Logger: logger})
	if err != nil {
		return err
	}
	allowed.signed = signed
	allowed.keyring.Accept(signed)
	return nil
}

// close waits for what access control does in the background.
func (a *access) close() {
	if a.signed != nil {
		a.signed.Close()
	}
}

// generateAccess opens access control with the generated token of the data directory.
func (f *accessFlags) generateAccess(data string, known func() auth.Known, logger *slog.Logger) (access, error) {
	var generated access
	var err error
	if generated.secret, generated.secretFile, err = generatedToken(data, rand.Reader); err != nil {
		return access{}, err
	}
	generated.header = "'X-API-KEY: " + generated.secret + "'"
	generated.keyring, err = f.keyring(known, logger, auth.Credential{Token: auth.FullAccess("generated"), Hash: auth.HashOf(generated.secret)})
	return generated, err
}

// keyring returns a keyring of the tokens in the tokens file, if any, and of the extra
// ones.
func (f *accessFlags) keyring(known func() auth.Known, logger *slog.Logger, extra ...auth.Credential) (*auth.Keyring, error) {
	return auth.NewKeyring(func() ([]auth.Credential, error) {
		if f.Tokens == "" {
			return extra, nil
		}
		credentials, err := auth.ReadFile(f.Tokens, known(), logger)
		return append(credentials, extra...), err
	})
}

// reload reloads the tokens and the issuers of signed ones. In-flight requests are not
// affected. A file with mistakes changes nothing.
func (a *access) reload(ctx context.Context, logger *slog.Logger) {
	if a.keyring == nil {
		return // there are no tokens to reload
	}
	if a.signed != nil {
		if err := a.signed.Reload(); err != nil { //nolint:contextcheck // Keys are fetched for all callers.
			logger.ErrorContext(ctx, "the file of issuers cannot be used, the previous issuers stay in effect", slog.Any("error", err))
		} else {
			logger.InfoContext(ctx, "the issuers of signed tokens were reloaded")
		}
	}
	before := a.keyring.Fingerprints()
	if err := a.keyring.Reload(); err != nil {
		logger.ErrorContext(ctx, "the tokens file cannot be used, the previous tokens stay in effect", slog.Any("error", err))
	} else {
		logger.InfoContext(ctx, "the tokens were reloaded", differences(before, a.keyring.Fingerprints())...)
	}
}

// differences returns the names of the tokens that a reload added, removed and changed, for the log.
func differences(before, after map[string]string) []any {
	names := map[string][]string{"added": {}, "removed": {}, "changed": {}}
	for name, fingerprint := range after {
		switch previous, known := before[name]; {
		case !known:
			names["added"] = append(names["added"], name)
		case previous != fingerprint:
			names["changed"] = append(names["changed"], name)
		}
	}
	for name := range before {
		if _, kept := after[name]; !kept {
			names["removed"] = append(names["removed"], name)
		}
	}
	var attributes []any
	for _, kind := range []string{"added", "removed", "changed"} {
		attributes = append(attributes, slog.Any(kind, slices.Sorted(slices.Values(names[kind]))))
	}
	return attributes
}

// warnOfUnknown logs a warning if tokens name saved queries that no longer exist. A
// server with such a tokens file would not start.
func (a *access) warnOfUnknown(ctx context.Context, known auth.Known, logger *slog.Logger) {
	if a.keyring == nil {
		return
	}
	if unknown := a.keyring.UnknownEndpoints(known); len(unknown) > 0 {
		logger.WarnContext(ctx, "tokens name saved queries that do not exist; change the tokens file, with which the server would not start",
			slog.Any("endpoints", unknown))
	}
}

// isLoopback reports whether only this machine can reach an address.
func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
