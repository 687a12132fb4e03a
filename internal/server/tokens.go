package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"time"

	"savedq/internal/api/tokenhttp"
	"savedq/internal/auth"
	"savedq/internal/operations/usage"
)

// tokens returns what changes the tokens of the server.
func (s *Server) tokens() *auth.Manager {
	return &auth.Manager{
		Keyring: s.access.keyring, File: s.config.Tokens, Fixed: s.access.fixed,
		Known: s.known, Clock: s.config.Clock, Random: rand.Reader,
	}
}

// managesTokens reports whether the token of a request may see and change the tokens of this server, which has some.
func (s *Server) managesTokens(ctx context.Context) bool {
	return s.access.keyring != nil && auth.ManagesTokens(ctx)
}

// tokenPaths returns the configuration of the paths of tokens.
func (s *Server) tokenPaths() tokenhttp.Config {
	return tokenhttp.Config{List: s.listTokens, Create: s.createToken, Revoke: s.revokeToken, Errors: s.errors}
}

// listTokens returns the tokens with what they may do and have used. It has no secrets, and no hashes of them.
func (s *Server) listTokens(ctx context.Context) (tokenhttp.List, error) {
	list := tokenhttp.List{Tokens: []tokenhttp.Token{}, Scopes: []tokenhttp.Scope{}}
	manager, now := s.tokens(), s.config.Clock()
	if err := manager.CanChange(); err != nil {
		list.Obstacle = err.Message
	}
	current, _ := auth.FromContext(ctx)
	for _, scope := range auth.Scopes() {
		list.Scopes = append(list.Scopes, tokenhttp.Scope{Name: scope.Name, Allows: scope.Allows, Grantable: current.Has(scope.Name)})
	}
	known := s.known()
	list.Choices = tokenhttp.Choices{Endpoints: slices.Sorted(slices.Values(known.Endpoints)), ProjectTiers: append([]string{}, known.Tiers...), Sources: []string{}}
	for _, source := range known.Sources {
		list.Choices.Sources = append(list.Choices.Sources, source.Name)
	}
	if manager.Keyring == nil {
		return list, nil
	}
	used, err := s.recentUse(ctx, now)
	if err != nil {
		return list, err
	}
	for _, held := range manager.Keyring.All() {
		listed := listedToken(&held.Token)
		listed.LastUsed, listed.Current = timeOrNil(held.Last), held.Name == current.Name
		listed.Revocable = list.Obstacle == "" && !manager.IsFixed(held.Name)
		if !held.Expires.IsZero() && !held.Expires.After(now) {
			listed.State = "expired"
		}
		listed.LastDay, listed.Today = used[held.Name].day, used[held.Name].today
		list.Tokens = append(list.Tokens, listed)
	}
	return list, nil
}

// recentUse is what a token used lately.
type recentUse struct {
	// day is the latest day with a request; nil for none.
	day   *string
	today tokenhttp.Today
}

// recentUse returns what tokens used in the last 30 days, by their names.
func (s *Server) recentUse(ctx context.Context, now time.Time) (map[string]recentUse, error) {
	const days = 30
	// The newest days come first, so a truncated report lacks only tokens that were not used lately.
	rows, _, err := s.ledger.Report(ctx, usage.Query{From: now.AddDate(0, 0, 1-days), To: now, By: []usage.Dimension{usage.ByDay, usage.ByToken}})
	if err != nil {
		return nil, err
	}
	recent, today := make(map[string]recentUse), now.UTC().Format(time.DateOnly)
	for _, row := range rows {
		day := row.Day.Format(time.DateOnly)
		use, later := recent[row.Token]
		if !later {
			use.day = &day
		}
		if day == today {
			use.today = tokenhttp.Today{Requests: row.Requests, Runs: row.Runs, Bytes: row.Bytes, EngineSeconds: row.EngineTime.Seconds()}
		}
		recent[row.Token] = use
	}
	return recent, nil
}

// listedToken returns what a list has of a token.
func listedToken(token *auth.Token) tokenhttp.Token {
	listed := tokenhttp.Token{
		Name: token.Name, State: "valid", Created: timeOrNil(token.Created), Expires: timeOrNil(token.Expires),
		Scopes: append([]string{}, token.Scopes()...), Endpoints: token.Endpoints, Projects: token.Projects, Sources: token.Sources,
		BudgetHour: tokenhttp.Amounts(amountsOf(token.Budget.Hour)), BudgetDay: tokenhttp.Amounts(amountsOf(token.Budget.Day)),
	}
	if token.MaxTier != "" {
		listed.ProjectTier = &token.MaxTier
	}
	if token.Rate > 0 {
		listed.Rate, listed.Burst = &token.Rate, new(token.AllowedBurst())
	}
	return listed
}

// timeOrNil returns a time, or nil for the zero one.
func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// createToken creates a token. The log has its name and who created it, and never its secret.
func (s *Server) createToken(ctx context.Context, request tokenhttp.CreateRequest) (tokenhttp.Created, error) {
	draft, err := request.Draft()
	if err != nil {
		return tokenhttp.Created{}, err
	}
	caller, _ := auth.FromContext(ctx)
	token, secret, err := s.tokens().Create(&caller, draft)
	if err != nil {
		return tokenhttp.Created{}, err
	}
	s.config.Logger.InfoContext(ctx, "a token was created", slog.String("created", token.Name), slog.Any("scopes", append([]string{}, token.Scopes()...)),
		slog.Any("projects", token.Projects), slog.Any("endpoints", token.Endpoints), slog.Any("expires", timeOrNil(token.Expires)))
	return tokenhttp.Created{Name: token.Name, Secret: secret}, nil
}

// revokeToken revokes a token.
func (s *Server) revokeToken(ctx context.Context, name string) error {
	if err := s.tokens().Revoke(name); err != nil {
		return err
	}
	s.config.Logger.InfoContext(ctx, "a token was revoked", slog.String("revoked", name))
	return nil
}
