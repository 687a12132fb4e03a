package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"savedq/internal/auth"
	"savedq/internal/server"
	"savedq/sqlq"
)

// reloadTokens lets the running server of a data directory read its tokens file again, and says so.
func reloadTokens(data string, stderr io.Writer) {
	if pid, running := server.ProcessOf(data); running {
		process, err := os.FindProcess(pid)
		if err == nil && process.Signal(syscall.SIGHUP) == nil {
			_, _ = fmt.Fprintf(stderr, "The server of %s (process %d) reads its tokens file now.\n", data, pid)
			return
		}
	}
	_, _ = fmt.Fprintf(stderr, "There is no server of %s on this machine: send SIGHUP to the server that reads the file.\n", data)
}

// tokensFlag names a tokens file.
type tokensFlag struct {
	Tokens string `required:"" placeholder:"FILE" help:"YAML file of access tokens."`
}

// tokenListCommand is "savedq token list".
type tokenListCommand struct {
	tokensFlag
	Format string `enum:"${formats}" default:"${format}" placeholder:"FORMAT" help:"Output format: ${enum}. Default: ${default}."`
}

// Run lists the tokens of a file.
func (c *tokenListCommand) Run(term *terminal) error {
	credentials, err := auth.ReadAnyFile(c.Tokens)
	if err != nil {
		return fmt.Errorf("--tokens: %w", err)
	}
	return printResult(term.stdout, c.Format, "tokens", tokensResult(credentials, term.clock()))
}

// tokensResult returns a row for each token. NULL is no limit.
func tokensResult(credentials []auth.Credential, now time.Time) *sqlq.Result {
	result := &sqlq.Result{Columns: []sqlq.Column{
		{Name: "name", Type: sqlq.String},
		{Name: "state", Type: sqlq.String},
		{Name: "created", Type: sqlq.Timestamp, Nullable: true},
		{Name: "expires", Type: sqlq.Timestamp, Nullable: true},
		{Name: "endpoints", Type: sqlq.String, Nullable: true},
		{Name: "projects", Type: sqlq.String, Nullable: true},
		{Name: "project_tier", Type: sqlq.String, Nullable: true},
		{Name: "rate", Type: sqlq.Float64, Nullable: true},
		{Name: "budget", Type: sqlq.String, Nullable: true},
		{Name: "scopes", Type: sqlq.String, Nullable: true},
		{Name: "sources", Type: sqlq.String, Nullable: true},
	}}
	for _, credential := range credentials {
		token := credential.Token
		state, created, expires, rate := "valid", any(nil), any(nil), any(nil)
		if !token.Created.IsZero() {
			created = token.Created.UTC().Truncate(time.Microsecond)
		}
		if !token.Expires.IsZero() {
			expires = token.Expires.UTC().Truncate(time.Microsecond)
			if !token.Expires.After(now) {
				state = "expired"
			}
		}
		if token.Rate > 0 {
			rate = token.Rate
		}
		result.Rows = append(result.Rows, []any{
			token.Name, state, created, expires, listed(token.Endpoints), listed(token.Projects), given(token.MaxTier), rate,
			given(strings.Trim(token.Budget.YAML(), "{}")), listed(token.Scopes()), listed(token.Sources),
		})
	}
	return result
}

// listed returns a list as a value of a row; NULL for none.
func listed(names []string) any { return given(strings.Join(names, ", ")) }

// given returns a text as a value of a row; NULL for the empty one.
func given(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// tokenRevokeCommand is "savedq token revoke".
type tokenRevokeCommand struct {
	Name string `arg:"" placeholder:"NAME" help:"Name of the token, as \"savedq token list\" shows it."`
	tokensFlag
	Data string `default:"./data" placeholder:"DIR" help:"Data directory of the server that reads the file: if one runs on this machine, it gets SIGHUP, so that it reads the file at once. Default: ${default}."`
}

// Run removes the entry of a token.
func (c *tokenRevokeCommand) Run(term *terminal) error {
	err := auth.RemoveFromFile(c.Tokens, c.Name)
	if errors.Is(err, auth.ErrNoToken) {
		if credentials, readErr := auth.ReadAnyFile(c.Tokens); readErr == nil {
			names := make([]string, len(credentials))
			for i := range credentials {
				names[i] = credentials[i].Token.Name
			}
			err = fmt.Errorf("%w in %s; its tokens are %s", err, c.Tokens, strings.Join(names, ", "))
		}
	}
	if err != nil {
		return fmt.Errorf("revoke %s: %w", sqlq.Quote(c.Name), err)
	}
	_, _ = fmt.Fprintf(term.stderr, "The entry of %s is removed from %s.\n", c.Name, c.Tokens)
	reloadTokens(c.Data, term.stderr)
	return nil
}
