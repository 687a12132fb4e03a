package jwt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"savedq/internal/auth"
	"savedq/internal/operations/usage"
)

// issuer is a trusted issuer of tokens.
type issuer struct {
	name       string
	audiences  []string
	algorithms []string
	keys       *keySource
	bind       []boundClaim
	endpoints  setting[[]string]
	tier       setting[string]
	rate       setting[float64]
	budget     setting[usage.Budget]
	refresh    setting[bool]
	sandbox    setting[bool]
	explore    setting[bool]
	alerts     setting[bool]
	// deniedIDs and deniedSubjects are revoked.
	deniedIDs, deniedSubjects []string
}

// boundClaim binds a parameter to the value of a claim.
type boundClaim struct {
	parameter string
	claim     claimPath
}

// setting is a value of the file, or a claim that has it.
type setting[T any] struct {
	value T
	claim claimPath
}

// of returns the value for a token. It sets an error, unless there is an earlier one, if a claim is
// missing or has another type.
func (s *setting[T]) of(c claims, name string, convert func(any) (T, bool), failed *error) T {
	if s.claim == nil {
		return s.value
	}
	value, ok := convert(c.at(s.claim))
	if !ok && *failed == nil {
		*failed = refusef("the token has no claim %s that is suitable for %s", s.claim, name)
	}
	return value
}

// check returns an error unless the registered claims allow the token to be used now.
func (i *issuer) check(c claims, now time.Time) error {
	expires, ok := c.date("exp")
	switch {
	case !ok:
		return refusef("the token has no expiry; its claim exp must be a number of seconds since 1970")
	case !now.Before(expires.Add(auth.ClockSkew)):
		return refusef("the token expired at %s; ask for a new one", expires.Format(time.RFC3339))
	}
	if _, found := c["nbf"]; found {
		starts, ok := c.date("nbf")
		if !ok {
			return refusef("the token's claim nbf must be a number of seconds since 1970")
		}
		if now.Add(auth.ClockSkew).Before(starts) {
			return refusef("the token is not valid before %s", starts.Format(time.RFC3339))
		}
	}
	for _, name := range []string{"sub", "jti"} { // which the deny list names
		if claim, found := c[name]; found {
			if _, isText := claim.(string); !isText {
				return refusef("the token's claim %s must be a string", name)
			}
		}
	}
	switch {
	case !slices.ContainsFunc(c.audiences(), func(audience string) bool { return slices.Contains(i.audiences, audience) }):
		return refusef("the token's audience is not this server; its claim aud must be or include %s", strings.Join(i.audiences, " or "))
	case slices.Contains(i.deniedIDs, c.text("jti")) || slices.Contains(i.deniedSubjects, c.text("sub")):
		return refusef("the token was revoked; ask for a new one")
	}
	return nil
}

// token returns what a token with the claims allows.
func (i *issuer) token(c claims) (auth.Token, error) {
	token := auth.Token{Name: nameOf(i.name, c.text("sub")), Issuer: i.name, Subject: c.text("sub"), ID: c.text("jti")}
	token.Expires, _ = c.date("exp")
	for _, bound := range i.bind {
		values, ok := texts(c.at(bound.claim))
		switch {
		case !ok:
			return auth.Token{}, refusef("the token has no claim %s, or one that is not a value or a list of values; it is the value of %s",
				bound.claim, bound.parameter)
		case bound.parameter == auth.ProjectParameter:
			token.Projects = values
		default:
			if token.Bound == nil {
				token.Bound = make(map[string][]string)
			}
			token.Bound[bound.parameter] = values
		}
	}
	var err error
	token.Endpoints = i.endpoints.of(c, "endpoints", texts, &err)
	token.MaxTier = i.tier.of(c, "tier", nonEmpty, &err)
	token.Rate = i.rate.of(c, "rate", positiveRate, &err)
	token.Budget = i.budget.of(c, "budget", budgetOf, &err)
	token.Refresh = i.refresh.of(c, "refresh", boolean, &err)
	token.Sandbox = i.sandbox.of(c, "sandbox", boolean, &err)
	token.Explore = i.explore.of(c, "explore", boolean, &err)
	token.Alerts = i.alerts.of(c, "alerts", boolean, &err)
	return token, err
}

func nonEmpty(value any) (string, bool) {
	text, ok := value.(string)
	return text, ok && text != ""
}

func positiveRate(value any) (float64, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	rate, err := number.Float64()
	return rate, err == nil && auth.CheckRate(rate) == nil
}

// budgetOf returns the budget that a claim holds.
func budgetOf(value any) (usage.Budget, bool) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return usage.Budget{}, false
	}
	return usage.ParseBudget(encoded)
}

// boolean accepts an absent claim, which grants nothing.
func boolean(value any) (allowed, ok bool) {
	if value == nil {
		return false, true
	}
	allowed, ok = value.(bool)
	return allowed, ok
}

// nameOf returns the name of a subject's tokens in logs: the subject, if it can be a name, and
// otherwise a part of a hash. Names of signed tokens begin with "jwt:", so that none is that
// of a token in a file.
func nameOf(issuer, subject string) string {
	const prefix = "jwt:"
	switch {
	case subject == "":
		return prefix + "none"
	case auth.CheckName(subject) == nil:
		return prefix + subject
	}
	hash := sha256.Sum256([]byte(issuer + "\n" + subject))
	return prefix + "sha256." + hex.EncodeToString(hash[:8])
}
