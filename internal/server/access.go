package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"

	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
)

const (
	// TokenVariable holds one full-access token.
	TokenVariable = "SAVEDQ_TOKEN"
	// minTokenBytes is the length from which a token in the variable is hard to guess. The
	// server logs a warning about a shorter one.
	minTokenBytes = 16
)

// variableToken is a token that an environment variable holds.
type variableToken struct {
	variable string
	token    auth.Token
}

// variableTokens returns the tokens that variables can hold. Those of the original service keep
// their names: its public token sends events, and its private one may do everything.
func variableTokens() []variableToken {
	return []variableToken{
		{TokenVariable, auth.FullAccess("environment")},
		{"LOGFLARE_PRIVATE_ACCESS_TOKEN", auth.FullAccess("logflare-private")},
		{"LOGFLARE_PUBLIC_ACCESS_TOKEN", auth.Token{Name: "logflare-public", Ingest: true, Endpoints: []string{}}},
	}
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
	// fixed are the names of the tokens that are not in the tokens file.
	fixed []string
	// header is the header that curl must send, quoted for a shell, with [tokenName] in the place of the
	// name of a token. It never contains a token of the user. It is empty if no token is required.
	header string
	// headerToken is the token that the header has; nil if it is one of several.
	headerToken *auth.Token
}

// tokenName stands for the name of a token in a header.
const tokenName = "{name}"

// openAccess opens access control. loopback reports whether only this machine can reach the
// address, and known returns the names that the tokens file may use.
func (c *Config) openAccess(loopback bool, known func() auth.Known) (access, error) {
	allowed, err := c.openTokens(loopback, known)
	if err != nil || c.JWT == "" {
		return allowed, err
	}
	if allowed.signed, err = jwt.New(jwt.Config{File: c.JWT, Known: known, Clock: c.Clock, Logger: c.Logger}); err != nil {
		return allowed, err
	}
	allowed.keyring.Accept(allowed.signed)
	return allowed, nil
}

// openTokens opens access control by the tokens of the file, the variable or the data directory.
func (c *Config) openTokens(loopback bool, known func() auth.Known) (opened access, err error) {
	credentials, variables, err := c.tokensOfVariables()
	none := len(variables) == 0
	switch {
	case err != nil:
		return access{}, err
	case c.Dev && !loopback:
		return access{}, fmt.Errorf("--dev: other machines can reach %s; use it only with a loopback address such as 127.0.0.1:8080", c.Address)
	case c.NoAuth && !none:
		return access{}, fmt.Errorf("--no-auth: cannot be combined with the variable %s; use one of them", variables[0])
	case c.NoAuth && !loopback:
		return access{}, fmt.Errorf("--no-auth: other machines can reach %s; use it only with a loopback address such as 127.0.0.1:8080", c.Address)
	case c.NoAuth:
		return access{}, nil
	case !none:
		opened.header, opened.headerToken = `"X-API-KEY: $`+variables[0]+`"`, &credentials[0].Token
	case c.Tokens != "":
		opened.header = "'X-API-KEY: <the token " + tokenName + " of " + c.Tokens + ">'"
	case c.JWT != "":
		opened.header = "'Authorization: Bearer <a token of an issuer in " + c.JWT + ">'"
	case !loopback:
		return access{}, fmt.Errorf("--addr: other machines can reach %s, so callers need tokens: set the variable %s, or use --tokens FILE (\"savedq token new --name NAME\" creates an entry) or --jwt FILE", c.Address, TokenVariable)
	default:
		if opened.secret, opened.secretFile, err = generatedToken(c.Data, rand.Reader); err != nil {
			return access{}, err
		}
		opened.header = "'X-API-KEY: " + opened.secret + "'"
		credentials = []auth.Credential{{Token: auth.FullAccess("generated"), Hash: auth.HashOf(opened.secret)}}
	}
	for _, credential := range credentials {
		opened.fixed = append(opened.fixed, credential.Token.Name)
	}
	opened.keyring, err = auth.NewKeyring(func() ([]auth.Credential, error) {
		if c.Tokens == "" {
			return credentials, nil
		}
		fromFile, err := auth.ReadFile(c.Tokens, known(), c.Logger)
		return append(fromFile, credentials...), err
	})
	return opened, err
}

// tokensOfVariables returns the tokens in environment variables, and the names of these.
func (c *Config) tokensOfVariables() (credentials []auth.Credential, variables []string, err error) {
	for _, held := range variableTokens() {
		secret := c.Getenv(held.variable)
		if secret == "" {
			continue
		}
		if err := auth.CheckSecret(secret); err != nil {
			return nil, nil, fmt.Errorf("the variable %s: %w", held.variable, err)
		}
		if len(secret) < minTokenBytes {
			c.Logger.Warn("the token of a variable is easy to guess; \"openssl rand -hex 32\" creates a better one",
				slog.String("variable", held.variable), slog.Int("characters", len(secret)), slog.Int("least", minTokenBytes))
		}
		credentials = append(credentials, auth.Credential{Token: held.token, Hash: auth.HashOf(secret)})
		variables = append(variables, held.variable)
	}
	return credentials, variables, nil
}

// close waits for what access control does in the background.
func (a *access) close() error {
	if a.signed != nil {
		a.signed.Close()
	}
	return nil
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
// server with this tokens file would not start.
func (a *access) warnOfUnknown(ctx context.Context, known auth.Known, logger *slog.Logger) {
	if a.keyring == nil {
		return
	}
	if unknown := a.keyring.UnknownEndpoints(known); len(unknown) > 0 {
		logger.WarnContext(ctx, "tokens name saved queries that do not exist; change the tokens file, with which the server would not start",
			slog.Any("endpoints", unknown))
	}
}
