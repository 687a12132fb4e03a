package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// Scope lets a token do more than run saved queries. Its name is a key of a tokens file.
type Scope struct {
	Name string
	// Allows is a sentence for people who choose scopes.
	Allows string
	of     func(*Token) *bool
}

// Scopes returns all scopes, in the order of the entries of a tokens file.
func Scopes() []Scope {
	return []Scope{
		{"ingest", "Send log events.", func(t *Token) *bool { return &t.Ingest }},
		{"refresh", "Bypass cached responses, which costs a run of the engine each time.", func(t *Token) *bool { return &t.Refresh }},
		{"sandbox", "Send SQL of its own to saved queries with a sandbox.", func(t *Token) *bool { return &t.Sandbox }},
		{"explore", "Run any SELECT over the rows of its projects.", func(t *Token) *bool { return &t.Explore }},
		{"alerts", "Silence and acknowledge the alerts that it sees.", func(t *Token) *bool { return &t.Alerts }},
		{"metrics", "Read all metrics, whatever else the token is limited to.", func(t *Token) *bool { return &t.Metrics }},
		{"manage_tokens", "List, create and revoke tokens; only for a token without limits.", func(t *Token) *bool { return &t.ManageTokens }},
	}
}

// scopeNames returns the names of all scopes.
func scopeNames() []string {
	var names []string
	for _, scope := range Scopes() {
		names = append(names, scope.Name)
	}
	return names
}

// Scopes returns the names of the scopes that the token has, in their order.
func (t *Token) Scopes() []string {
	var names []string
	for _, scope := range Scopes() {
		if *scope.of(t) {
			names = append(names, scope.Name)
		}
	}
	return names
}

// Has reports whether the token has the scope of a name.
func (t *Token) Has(scope string) bool { return slices.Contains(t.Scopes(), scope) }

// setScopes gives the token the scopes of the names.
func (t *Token) setScopes(names []string) error {
	scopes := Scopes()
	for _, name := range names {
		index := slices.IndexFunc(scopes, func(scope Scope) bool { return scope.Name == name })
		if index < 0 {
			return fmt.Errorf("%s is not one of %s", sqlq.Quote(name), strings.Join(scopeNames(), ", "))
		}
		*scopes[index].of(t) = true
	}
	return nil
}

// checkManaging returns an error if the token manages tokens and has limits: a token that it creates would not
// have them.
func (t *Token) checkManaging() error {
	limited := t.Endpoints != nil || t.Projects != nil || t.MaxTier != "" || t.Sources != nil || t.Rate > 0 || t.Budget != usage.Budget{}
	if t.ManageTokens && limited {
		return errors.New("a token with manage_tokens can have no limits, because the tokens that it creates would not have them")
	}
	return nil
}

// checkGrants returns an error if another token could do more, or for longer, than this one, which creates it.
func (t *Token) checkGrants(created *Token) error {
	for _, name := range created.Scopes() {
		if !t.Has(name) {
			return sqlq.Errorf(sqlq.PermissionDenied, "the token may not grant %s, which it does not have", name)
		}
	}
	if !t.Expires.IsZero() && (created.Expires.IsZero() || created.Expires.After(t.Expires)) {
		return sqlq.Errorf(sqlq.PermissionDenied, "the token may not create one that lives longer; choose an expiry until its own, %s", t.Expires.Format(time.RFC3339))
	}
	return nil
}
