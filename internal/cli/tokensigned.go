package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
	"savedq/internal/files/secretfile"
	"savedq/sqlq"
)

// tokenSignCommand is "savedq token sign".
type tokenSignCommand struct {
	Key       string        `required:"" placeholder:"FILE" help:"File of the private key, as PEM or JSON Web Key, or of the secret of HS256."`
	KeyID     string        `name:"key-id" placeholder:"KID" help:"Id of the key, for its header kid. Default: none."`
	Issuer    string        `required:"" placeholder:"ISSUER" help:"Issuer of the token, as in the file of --jwt."`
	Audience  string        `required:"" placeholder:"AUDIENCE" help:"Audience of the token."`
	Subject   string        `placeholder:"SUBJECT" help:"Subject of the token, such as the id of a user. Default: none."`
	ExpiresIn time.Duration `default:"1h" min:"1s" placeholder:"DURATION" help:"How long the token is valid. Default: ${default}."`
	Claims    []string      `name:"claim" sep:"none" placeholder:"PATH=VALUE" help:"Further claim, such as app_metadata.project=acme; the value is JSON or a string. May be given several times."`
}

func (c *tokenSignCommand) Validate() error {
	_, err := c.claims(time.Time{})
	return err
}

// claims returns the claims of the token.
func (c *tokenSignCommand) claims(now time.Time) (map[string]any, error) {
	claims := map[string]any{"iss": c.Issuer, "aud": c.Audience, "iat": now.Unix(), "exp": now.Add(c.ExpiresIn).Unix()}
	if c.Subject != "" {
		claims["sub"] = c.Subject
	}
	for _, claim := range c.Claims {
		if err := jwt.SetClaim(claims, claim); err != nil {
			return nil, fmt.Errorf("--claim: %w", err)
		}
	}
	return claims, nil
}

// Run prints a signed token.
func (c *tokenSignCommand) Run(term *terminal) error {
	key, _, err := secretfile.Read(c.Key)
	if err != nil {
		return fmt.Errorf("--key: %s cannot be used: %w", c.Key, err)
	}
	claims, err := c.claims(term.clock())
	if err != nil {
		return err
	}
	token, err := jwt.Sign(key, c.KeyID, claims)
	if err != nil {
		return fmt.Errorf("--key: %s cannot be used: %w", c.Key, err)
	}
	_, err = fmt.Fprintln(term.stdout, token)
	return err
}

// tokenVerifyCommand is "savedq token verify".
type tokenVerifyCommand struct {
	JWT string `name:"jwt" required:"" placeholder:"FILE" help:"YAML file of issuers, as for \"savedq serve --jwt\"."`
	catalogFlags
}

// Run prints what the token on standard input allows. The error says why it would be refused.
func (c *tokenVerifyCommand) Run(ctx context.Context, term *terminal) error {
	text, err := bufio.NewReader(io.LimitReader(term.stdin, auth.MaxSignedBytes+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	token := strings.TrimSpace(text)
	if token == "" {
		return errors.New("standard input has no token; send it there, such as with <token.txt, because other users can read command lines")
	}
	queries, err := c.ofAllEngines()
	if err != nil {
		return err
	}
	verifier, err := jwt.New(jwt.Config{ //nolint:contextcheck // Keys are fetched for all callers.
		File: c.JWT, Known: func() auth.Known { return auth.KnownOf(queries) }, Clock: term.clock, Logger: slog.New(slog.NewTextHandler(term.stderr, nil)),
	})
	if err != nil {
		return err
	}
	defer verifier.Close()
	verified, err := verifier.Verify(ctx, token)
	if err != nil {
		return fmt.Errorf("the server would refuse the token: %w", err)
	}
	_, err = io.WriteString(term.stdout, describeToken(&verified.Token, queries))
	return err
}

// describeToken describes what a signed token allows.
func describeToken(token *auth.Token, queries []*sqlq.SavedQuery) string {
	var text strings.Builder
	line := func(name, value string) { fmt.Fprintf(&text, "%-12s%s\n", name, value) }
	orNone := func(value string) string {
		if value == "" {
			return "none"
		}
		return value
	}
	line("issuer", token.Issuer)
	line("subject", orNone(token.Subject))
	line("name", token.Name)
	line("expires", token.Expires.Format(time.RFC3339))
	bound := token.Values()
	for _, name := range slices.Sorted(maps.Keys(bound)) {
		line("bound", name+": "+strings.Join(bound[name], ", "))
	}
	if len(bound) == 0 {
		line("bound", "nothing")
	}
	line("endpoints", orNone(strings.Join(token.Allows(queries), ", ")))
	if token.MaxTier != "" {
		line("tier", "at most "+token.MaxTier)
	}
	if token.Rate > 0 {
		line("rate", fmt.Sprintf("%v requests per second", token.Rate))
	}
	line("refresh", map[bool]string{true: "yes", false: "no"}[token.Refresh])
	line("sandbox", map[bool]string{true: "yes", false: "no"}[token.Sandbox])
	line("explore", map[bool]string{true: "yes", false: "no"}[token.Explore])
	return text.String()
}
