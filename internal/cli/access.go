package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"savedq/internal/auth"
	"savedq/internal/auth/jwt"
	"savedq/internal/files/secretfile"
	"savedq/internal/http/origins"
	"savedq/internal/server"
)

// accessFlags configure access control.
type accessFlags struct {
	Tokens      string   `placeholder:"FILE" called:"auth,keys,api-keys,token-file" help:"YAML file of access tokens, reloaded on SIGHUP; \"savedq token new\" creates entries. The variable SAVEDQ_TOKEN holds one more token, with full access. With neither, the server generates a token and keeps it in --data, if only this machine can reach it."`
	JWT         string   `name:"jwt" placeholder:"FILE" help:"YAML file of the issuers whose JSON Web Tokens are accepted, with the parameters that their claims bind; reloaded on SIGHUP. See docs/frontend-tokens.md."`
	NoAuth      bool     `help:"Require no token; only on an address that no other machine can reach."`
	Dev         bool     `help:"For work on saved queries: --watch, the messages of the engine in errors for tokens without limits, and a directory of --queries that is empty or, if it is the first, new. Only on an address that no other machine can reach."`
	CORSOrigins []string `name:"cors-origins" placeholder:"ORIGIN" help:"Origins whose pages may send requests, such as https://app.example.com, or https://*.example.com for one label in place of the star. Default: none but the server's own."`
}

func (f *accessFlags) Validate() error {
	for flag, file := range map[string]string{"--tokens": f.Tokens, "--jwt": f.JWT} {
		if f.NoAuth && file != "" {
			return fmt.Errorf("--no-auth: cannot be combined with %s; use one of them", flag)
		}
	}
	if jwt.HasForm(f.JWT) { // the error must not quote the token
		return errors.New("--jwt: the value is a token, not a file of issuers; callers send tokens in the header Authorization: Bearer <token>")
	}
	if auth.IsSecret(f.Tokens) { // the error must not quote the secret, as the error about a missing file would
		return fmt.Errorf("--tokens: the value is a token, not a file of tokens; put a token into the variable %s", server.TokenVariable)
	}
	for _, file := range []struct{ flag, path, remedy string }{
		{"--tokens", f.Tokens, `"savedq token new" creates its entries`},
		{"--jwt", f.JWT, "docs/frontend-tokens.md shows one"},
	} {
		if err := checkSecretFile(file.flag, file.path, file.remedy); err != nil {
			return err
		}
	}
	if _, err := origins.Parse(f.CORSOrigins...); err != nil {
		return fmt.Errorf("--cors-origins: %w", err)
	}
	return nil
}

// checkSecretFile returns why the file of a flag cannot be used. A flag without a file is fine.
func checkSecretFile(flag, path, remedy string) error {
	if path == "" {
		return nil
	}
	_, err := secretfile.Check(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %s does not exist; %s", flag, path, remedy)
	case err != nil:
		return fmt.Errorf("%s: %s cannot be used: %w", flag, path, err)
	}
	return nil
}

// origins returns the origins whose pages may send requests.
func (f *accessFlags) origins() origins.Set {
	set, _ := origins.Parse(f.CORSOrigins...) // is validated
	return set
}
